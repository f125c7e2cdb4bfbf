"""Records in any form that scikit-learn takes, as a table under one schema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table, shorten
from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message

Records = Any
"""A :class:`Table`, a pandas DataFrame, or a two-dimensional array."""


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
    if hasattr(records, "columns") and hasattr(records, "iloc"):
        found = [str(name) for name in records.columns]
        cells = [records.iloc[:, place].to_numpy() for place in range(len(found))]
    else:
        array = _two_dimensional(records)
        found = list(names) or [f"x{place}" for place in range(array.shape[1])]
        if len(found) != array.shape[1]:
            raise DataError(
                Message(
                    "The records have {shape} columns; {count} are expected: {found}.",
                    shape=array.shape[1],
                    count=len(found),
                    found=shorten(found),
                )
            )
        cells = [array[:, place] for place in range(len(found))]
    columns = (_column(n, c, schema.get(n)) for n, c in zip(found, cells, strict=True))
    return Table(tuple(columns))


def _two_dimensional(records: Records) -> NDArray[Any]:
    if hasattr(records, "toarray"):
        raise DataError("Sparse records are not supported; turn them into a dense array.")
    array = np.asarray(records)
    if array.ndim != 2:
        raise DataError(
            Message(
                "Records must be a table or an array of two dimensions, not of {ndim}. "
                "Reshape your data: one row per record, one column per attribute.",
                ndim=array.ndim,
            )
        )
    if np.iscomplexobj(array):
        raise DataError("Complex data not supported: records must be real numbers or texts.")
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
            raise DataError(
                Message(
                    "Attribute {attribute!r} has an infinite number; records must be finite "
                    "(no NaN-like infinity); leave these records out.",
                    attribute=name,
                ),
                attribute=name,
            )
        domain = (float(present.min()), float(present.max())) if len(present) else (0.0, 0.0)
        return Column(Attribute(name, Kind.CONTINUOUS, domain=domain), numbers)
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
        raise DataError(
            Message(
                "Attribute {attribute!r} must hold numbers; there are other cells in it.",
                attribute=name,
            ),
            attribute=name,
        ) from None


def _checked_codes(name: str, cells: NDArray[Any], k: int) -> NDArray[Any]:
    if len(cells) and (cells.min() < -1 or cells.max() >= k):
        raise DataError(
            Message(
                "Attribute {attribute!r} has codes from {low} to {high}; its {k} values "
                "have codes from 0 to {k2}.",
                attribute=name,
                low=cells.min(),
                high=cells.max(),
                k=k,
                k2=k - 1,
            ),
            attribute=name,
        )
    return cells


def _texts(cells: NDArray[Any]) -> list[str | None]:
    return [None if cell is None or cell != cell else str(cell) for cell in cells.tolist()]  # noqa: PLR0124 (NaN)
