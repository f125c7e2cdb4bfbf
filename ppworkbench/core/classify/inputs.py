"""Records in any form that scikit-learn takes, as a table under one schema.

Columns are found by name, classes become codes, and values that a classifier has not seen are
missing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Codes
from ppworkbench.core.classify.training import Predictor
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table, shorten
from ppworkbench.core.design.design import Design, DesignedAttribute
from ppworkbench.core.design.fit import fit_column
from ppworkbench.core.design.perturbation import Identity
from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message


class RecordsError(DataError, ValueError):
    """Records or labels that cannot be learnt from; also the kind that scikit-learn expects."""


Records = Any
"""A :class:`Table`, a frame of pandas, polars or Arrow, or a two-dimensional array."""


def as_table(records: Records, schema: Mapping[str, Attribute], names: Sequence[str] = ()) -> Table:
    """Records as a table; columns outside of the schema get the kind that their cells suggest.

    Parameters
    ----------
    schema
        The attributes that are known, by name. Categorical cells may hold the values themselves
        or, in arrays of whole numbers, their codes.
    names
        How the columns of an array are called, in order; ``x0``, ``x1``, … if not given.
    """
    if isinstance(records, Table):
        return records
    if hasattr(records, "to_pandas"):
        # As an array a frame of another library would lose the names of its columns.
        records = records.to_pandas()
    if hasattr(records, "columns") and hasattr(records, "iloc"):
        found = [str(name) for name in records.columns]
        cells = [records.iloc[:, place].to_numpy() for place in range(len(found))]
    else:
        array = _two_dimensional(records)
        found = list(names) or [f"x{place}" for place in range(array.shape[1])]
        if len(found) != array.shape[1]:
            raise RecordsError.saying(
                "The records have {shape} columns; {count} are expected: {found}.",
                shape=array.shape[1],
                count=len(found),
                found=shorten(found),
            )
        cells = [array[:, place] for place in range(len(found))]
    columns = (_column(n, c, schema.get(n)) for n, c in zip(found, cells, strict=True))
    return Table(tuple(columns))


def _two_dimensional(records: Records) -> NDArray[Any]:
    if hasattr(records, "toarray"):
        raise RecordsError("Sparse records are not supported; turn them into a dense array.")
    array = np.asarray(records)
    if array.ndim != 2:
        raise RecordsError.saying(
            "Records must be a table or an array of two dimensions, not of {ndim}. "
            "Reshape your data: one row per record, one column per attribute.",
            ndim=array.ndim,
        )
    if np.iscomplexobj(array):
        raise RecordsError("Complex data not supported: records must be real numbers or texts.")
    return array


def _column(name: str, cells: NDArray[Any], attribute: Attribute | None) -> Column:
    if attribute is None:
        return guessed_column(name, cells)
    if attribute.kind.is_numeric:
        return Column(attribute, _numbers(name, cells))
    if cells.dtype.kind in "iu" and not set(attribute.values) & set(map(str, cells[:1].tolist())):
        return Column(attribute, _checked_codes(name, cells, attribute.k))
    position: dict[str | None, int] = {value: c for c, value in enumerate(attribute.values)}
    codes = [position.get(text, -1) for text in _texts(cells)]
    return Column(attribute, np.array(codes, np.int64))


def guessed_column(name: str, cells: NDArray[Any]) -> Column:
    """A column of numbers where all cells are numbers, else of values in their sorted order."""
    if cells.dtype.kind in "iuf" or _all_numbers(cells):
        numbers = _numbers(name, cells)
        present = numbers[~np.isnan(numbers)]
        if np.isinf(present).any():
            raise RecordsError.saying(
                "Attribute {attribute!r} has an infinite number; records must be "
                "finite (no NaN-like infinity); remove these records.",
                attribute=name,
            )
        low, high = (float(present.min()), float(present.max())) if len(present) else (0.0, 0.0)
        if low == high:
            # A single number has a cell as well, however large it is.
            reach = max(0.5, 1e-6 * abs(low))
            low, high = low - reach, high + reach
        return Column(Attribute(name, Kind.CONTINUOUS, domain=(low, high)), numbers)
    texts = _texts(cells)
    values = tuple(sorted({text for text in texts if text is not None}))
    position = {value: code for code, value in enumerate(values)}
    codes = np.array([-1 if text is None else position[text] for text in texts], np.int64)
    return Column(Attribute(name, Kind.NOMINAL, values=values), codes)


def _all_numbers(cells: NDArray[Any]) -> bool:
    if cells.dtype.kind != "O":
        return False
    return all(isinstance(c, int | float | np.number) and not isinstance(c, bool) for c in cells)


def _numbers(name: str, cells: NDArray[Any]) -> NDArray[np.float64]:
    try:
        return cells.astype(np.float64)
    except (TypeError, ValueError):
        raise RecordsError.saying(
            "Attribute {attribute!r} must contain numbers only.", attribute=name
        ) from None


def _checked_codes(name: str, cells: NDArray[Any], k: int) -> NDArray[Any]:
    if len(cells) and (cells.min() < -1 or cells.max() >= k):
        raise RecordsError.saying(
            "Attribute {attribute!r} has codes from {low} to {high}; its {k} values "
            "have codes from 0 to {k2}.",
            low=cells.min(),
            high=cells.max(),
            k=k,
            k2=k - 1,
            attribute=name,
        )
    return cells


def _texts(cells: NDArray[Any]) -> list[str | None]:
    return [None if cell is None or cell != cell else str(cell) for cell in cells.tolist()]  # noqa: PLR0124 (NaN)


@dataclass(frozen=True, eq=False)
class Labels:
    """The class of every record: a code into the names of the classes that occur, -1 if missing."""

    codes: NDArray[np.intp]
    names: tuple[Any, ...]

    @property
    def missing(self) -> NDArray[np.bool_]:
        found: NDArray[np.bool_] = self.codes < 0
        return found

    @property
    def present(self) -> Labels:
        return Labels(self.codes[~self.missing], self.names)

    @property
    def as_array(self) -> NDArray[Any]:
        """The names as an array of their own type; texts as objects."""
        if any(isinstance(name, str) for name in self.names):
            array = np.empty(len(self.names), object)
            array[:] = self.names
            return array
        return np.array(self.names)


def read_labels(given: Any) -> Labels:
    """Read labels from a categorical column, or from anything that makes an array.

    Classes of a column keep the order of its values, others are sorted.

    >>> read_labels(["yes", "no", "yes"]).codes.tolist()
    [1, 0, 1]
    """
    if isinstance(given, Column):
        return _from_column(given)
    array = np.asarray(given)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise RecordsError("Class labels must be one per record; y should be a 1d array.")
    if array.dtype.kind == "f":
        _check_whole(array)
    if array.dtype.kind == "O":
        missing = np.array([label is None or label != label for label in array.tolist()], bool)  # noqa: PLR0124 (NaN)
    else:
        missing = np.isnan(array) if array.dtype.kind == "f" else np.zeros(len(array), bool)
    names, codes = np.unique(array[~missing], return_inverse=True)
    placed = np.full(len(array), -1, np.intp)
    placed[~missing] = codes
    return _checked(Labels(placed, tuple(names.tolist())))


def labels_of_table(records: Any) -> NDArray[Any]:
    """The labels in the class column of a table, as texts; missing ones are empty."""
    if not isinstance(records, Table) or records.class_name is None:
        raise RecordsError("Only a table with a class column brings its own labels; pass y.")
    column = records[records.class_name]
    return np.asarray(np.array([*column.attribute.values, ""], object)[column.data])


def _from_column(column: Column) -> Labels:
    if not column.is_categorical:
        raise RecordsError.saying(
            "The class {attribute!r} is {kind}; make it nominal or divide it into intervals first.",
            kind=Message(column.attribute.kind),
            attribute=column.name,
        )
    occurring = np.flatnonzero(column.counts)
    position = np.full(column.attribute.k + 1, -1, np.intp)
    position[occurring] = np.arange(len(occurring))
    names = tuple(column.attribute.values[code] for code in occurring)
    return _checked(Labels(position[column.data], names))


def _check_whole(array: NDArray[Any]) -> None:
    present = array[~np.isnan(array)]
    if len(present) and (np.isinf(present).any() or np.any(present != np.rint(present))):
        raise RecordsError(
            "Unknown label type: continuous numbers are not classes; divide them into bins."
        )


def _checked(labels: Labels) -> Labels:
    if not labels.names:
        raise RecordsError("No record has a class; a classifier needs at least one label.")
    return labels


def read_training(records: Records, y: Any, design: Design | None) -> tuple[Table, Labels]:
    published = {} if design is None else _published(design)
    class_name = _class_name(records, design)
    names = [name for name in published if name != class_name]
    table = as_table(records, published, names)
    if y is None:
        if class_name is None or class_name not in table:
            raise RecordsError(
                "A classifier needs the class of every training record: it requires y to be "
                "passed, but the target y is None and the records have no class column."
            )
        labels = read_labels(table[class_name])
    else:
        labels = read_labels(y)
    kept = [name for name in table.names if name != class_name]
    if not kept:
        raise RecordsError("There are no attributes to learn from (0 feature(s)).")
    if len(labels.codes) != table.rows:
        raise RecordsError.saying(
            "There are {rows} records but {count} class labels.",
            rows=table.rows,
            count=len(labels.codes),
        )
    table = table.select(kept)
    if labels.missing.any():
        # A record without a class teaches nothing.
        table = table.take(~labels.missing)
        labels = labels.present
    return table, labels


def read_records(records: Records, predictors: tuple[Predictor, ...]) -> Table:
    known = {p.name: p.attribute for p in predictors}
    names = list(known)
    table = as_table(records, known, names)
    absent = [name for name in names if name not in table]
    if absent:
        raise RecordsError.saying(
            "The records have no column {absent}, which the classifier was trained on.",
            absent=shorten(absent, quoted=True),
            attribute=absent[0],
        )
    return table.select(names)


def original_codes(table: Table, predictors: tuple[Predictor, ...]) -> Codes:
    """The cell of X of every original record (rows) in every attribute (columns)."""
    codes = np.empty((table.rows, len(predictors)), np.intp)
    for place, predictor in enumerate(predictors):
        column = _tolerant(table[predictor.name], predictor.attribute)
        codes[:, place] = predictor.x_codes(fit_column(column, predictor.designed))
    return codes


def distorted_columns(
    table: Table, predictors: tuple[Predictor, ...], schema: dict[str, Attribute]
) -> tuple[Column, ...]:
    """Distorted answers as the training records had them, with missing ones filled in."""
    columns = []
    for predictor in predictors:
        attribute = schema[predictor.name]
        published = DesignedAttribute(attribute, Identity())
        data = fit_column(_tolerant(table[predictor.name], attribute), published)
        columns.append(Column(attribute, predictor.filled(data)))
    return tuple(columns)


def _class_name(records: Records, design: Design | None) -> str | None:
    if isinstance(records, Table) and records.class_name is not None:
        return records.class_name
    return None if design is None else design.class_name


def _published(design: Design) -> dict[str, Attribute]:
    return {d.name: design.perturbation(d.name).distorted(d.attribute) for d in design}


def _tolerant(column: Column, attribute: Attribute) -> Column:
    """The column with values that nobody had in training turned into missing ones."""
    if not column.is_categorical or not attribute.kind.is_categorical:
        return column
    unknown = [code for code, v in enumerate(column.attribute.values) if v not in attribute.values]
    if not unknown:
        return column
    return Column(column.attribute, np.where(np.isin(column.data, unknown), -1, column.data))
