"""Transactions: sets of items, kept sparse until a table of binary attributes is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table, shorten
from ppworkbench.core.errors import DataError

ABSENT_PRESENT = ("0", "1")
"""The two answers of an item's attribute: not in the basket, in the basket."""


@dataclass(frozen=True, eq=False)
class Transactions:
    """Baskets in compressed rows: basket t holds ``indices[indptr[t]:indptr[t + 1]]``.

    Parameters
    ----------
    items
        The names of the items; ``indices`` point into them.
    indptr
        Where each basket begins, and where the last one ends.
    indices
        The items of all baskets one after the other, ascending and without repetition inside
        a basket.
    """

    items: tuple[str, ...]
    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]

    def __post_init__(self) -> None:
        indptr = np.ascontiguousarray(self.indptr, np.int64).view()
        indices = np.ascontiguousarray(self.indices, np.int32).view()
        if not len(indptr) or indptr[0] != 0 or indptr[-1] != len(indices):
            raise DataError("The basket boundaries do not match the number of items.")
        if len(indices) and not (indices.min() >= 0 and indices.max() < len(self.items)):
            raise DataError.saying(
                "A basket contains an item outside the {count} known ones.", count=len(self.items)
            )
        for name, array in (("indptr", indptr), ("indices", indices)):
            array.flags.writeable = False
            object.__setattr__(self, name, array)

    @classmethod
    def from_pairs(
        cls, items: Sequence[str], baskets: int, rows: NDArray[Any], indices: NDArray[Any]
    ) -> Self:
        """Collect (basket, item) pairs in any order; a repeated pair counts once.

        >>> t = Transactions.from_pairs(("a", "b"), 2, np.array([1, 0, 1]), np.array([1, 0, 0]))
        >>> t.indptr.tolist(), t.indices.tolist()
        ([0, 1, 3], [0, 0, 1])
        """
        width = max(len(items), 1)
        keys = np.asarray(rows, np.int64) * width + np.asarray(indices, np.int64)
        keys.sort()
        if len(keys):
            keys = keys[np.concatenate([[True], keys[1:] != keys[:-1]])]
        lengths = np.bincount(keys // width, minlength=baskets)
        indptr = np.concatenate([[0], np.cumsum(lengths)])
        return cls(tuple(items), indptr, (keys % width).astype(np.int32))

    def __len__(self) -> int:
        return len(self.indptr) - 1

    @property
    def lengths(self) -> NDArray[np.int64]:
        return np.diff(self.indptr)

    @property
    def supports(self) -> NDArray[np.int64]:
        return np.bincount(self.indices, minlength=len(self.items)).astype(np.int64)

    def to_table(self, source: str = "") -> Table:
        """One binary attribute per item, ``1`` where the basket holds it.

        >>> t = Transactions(("milk", "rye"), np.array([0, 1, 1]), np.array([1]))
        >>> [column.data.tolist() for column in t.to_table()]
        [[0, 0], [1, 0]]
        """
        held = np.zeros((len(self.items), len(self)), np.int8)
        held[self.indices, np.repeat(np.arange(len(self)), self.lengths)] = 1
        columns = (
            Column(Attribute(name, Kind.BINARY, values=ABSENT_PRESENT), row)
            for name, row in zip(self.items, held, strict=True)
        )
        return Table(tuple(columns), source=source)

    def equals(self, other: Transactions) -> bool:
        return (
            self.items == other.items
            and np.array_equal(self.indptr, other.indptr)
            and np.array_equal(self.indices, other.indices)
        )

    def __repr__(self) -> str:
        return f"Transactions({len(self)} baskets of {shorten(self.items, 4)})"


def with_absent_items(table: Table, expected: Sequence[Attribute]) -> Table:
    """The table with a column of absences for every expected item that no basket holds.

    A basket file does not list what nobody bought.

    >>> table = Transactions(("rye",), np.array([0, 1, 1]), np.array([0])).to_table()
    >>> salt = Attribute("salt", Kind.BINARY, values=ABSENT_PRESENT)
    >>> [column.data.tolist() for column in with_absent_items(table, [salt])]
    [[1, 0], [0, 0]]
    """
    absent = [
        Column(attribute, np.full(table.rows, attribute.values.index("0"), np.int8))
        for attribute in expected
        if attribute.name not in table and set(attribute.values) == set(ABSENT_PRESENT)
    ]
    return table.with_(columns=(*table.columns, *absent)) if absent else table
