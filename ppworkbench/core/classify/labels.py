"""Class labels in any form, as codes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message


@dataclass(frozen=True, eq=False)
class Labels:
    """The class of every record: a code into the names of the classes that occur, -1 if missing."""

    codes: NDArray[np.intp]
    names: tuple[Any, ...]

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Which records have no class."""
        found: NDArray[np.bool_] = self.codes < 0
        return found

    @property
    def present(self) -> Labels:
        """Only the labels of records that have a class."""
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
        raise DataError("Class labels must be one per record; y should be a 1d array.")
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
        raise DataError("Only a table with a class column brings its own labels; pass y.")
    column = records[records.class_name]
    return np.asarray(np.array([*column.attribute.values, ""], object)[column.data])


def _from_column(column: Column) -> Labels:
    if not column.is_categorical:
        raise DataError(
            Message(
                "The class {attribute!r} is {kind}; make it nominal or divide it into "
                "intervals first.",
                attribute=column.name,
                kind=Message(column.attribute.kind),
            ),
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
        raise DataError(
            "Unknown label type: continuous numbers are no classes; divide them into intervals."
        )


def _checked(labels: Labels) -> Labels:
    if not labels.names:
        raise DataError("No record has a class; a classifier needs at least one label.")
    return labels
