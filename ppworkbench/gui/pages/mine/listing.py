"""Itemsets or rules by column: a hundred thousand of them are a few arrays."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Places = NDArray[np.int32]
Order = NDArray[np.intp]

NAME, SIZE, SUPPORT, CONFIDENCE, LIFT, RAW, TRUE = (
    "name", "size", "support", "confidence", "lift", "raw", "true",
)  # fmt: skip
"""The columns that a table can show."""


@dataclass(frozen=True, eq=False)
class Listing:
    """Rows of one table with the number that its bars show, and what else is known.

    Parameters
    ----------
    words
        What each item is called.
    members
        The items of every row by place in ``words``, filled up with -1; of a rule, those before
        the arrow.
    heads
        The items of a rule behind its arrow, filled up in the same way; None for itemsets.
    bar
        Which of the columns is drawn as a bar.
    values
        Numbers of the columns, NaN where one is not known.
    low, high
        The ends of the interval of the bar; NaN where there is none.
    """

    words: tuple[str, ...]
    members: Places
    bar: str
    values: dict[str, Numbers]
    low: Numbers
    high: Numbers
    heads: Places | None = None

    @property
    def rows(self) -> int:
        """How many itemsets or rules there are."""
        return len(self.members)

    @cached_property
    def size(self) -> Places:
        """How many items every row has, on both sides of an arrow."""
        size = (self.members >= 0).sum(axis=1)
        if self.heads is not None:
            size = size + (self.heads >= 0).sum(axis=1)
        return size.astype(np.int32)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the table, in order."""
        listed = (NAME, SIZE, SUPPORT, CONFIDENCE, LIFT, RAW, TRUE)
        shown = [name for name in listed if name in (NAME, SIZE) or name in self.values]
        if self.heads is not None:
            shown.remove(SIZE)
        return tuple(shown)

    def reach(self, least: int = 1) -> float:
        """Where the longest bar or whisker of sets with so many items or more ends."""
        ends = np.where(np.isnan(self.high), self.values[self.bar], self.high)
        if least > 1:
            ends = ends[self.size >= least]
        return float(min(max(np.nanmax(ends, initial=0.0), 1e-6), 1.0))

    @cached_property
    def name_rank(self) -> Numbers:
        """The place of every row when all are sorted by the names of their items."""
        by_name = sorted(range(len(self.words)), key=lambda i: self.words[i].lower())
        # The last place belongs to the -1 of places that are empty: the shorter name comes first.
        rank = np.zeros(len(by_name) + 1, np.int32)
        rank[by_name] = np.arange(1, len(by_name) + 1)
        keys = rank[self.members]
        if self.heads is not None:
            keys = np.hstack([keys, rank[self.heads]])
        order = np.lexsort(keys.T[::-1]) if keys.shape[1] else np.arange(self.rows)
        place = np.empty(self.rows)
        place[order] = np.arange(self.rows)
        return place

    def numbers(self, column: str) -> Numbers:
        """The numbers of a column."""
        return self.size.astype(float) if column == SIZE else self.values[column]

    def name(self, row: int) -> str:
        """The items of a row in words."""
        before = self._joined(self.members[row])
        if self.heads is None:
            return before
        return f"{before} → {self._joined(self.heads[row])}"

    def _joined(self, places: Places) -> str:
        return " + ".join(self.words[place] for place in places.tolist() if place >= 0)


def no_listing() -> Listing:
    """Nothing found."""
    nothing = np.empty(0)
    return Listing((), np.empty((0, 0), np.int32), SUPPORT, {SUPPORT: nothing}, nothing, nothing)
