"""Itemsets in columns: a hundred thousand of them are a few arrays, not as many objects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers

Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Item:
    """A value of an attribute, or a thing that a basket may hold.

    ``name`` is what people read: ``attribute=value``, or the attribute alone where the value only
    says that the basket holds it.
    """

    name: str
    attribute: str
    value: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, eq=False)
class SetList:
    """Sets of items as flat indices: set i is ``members[offsets[i]:offsets[i + 1]]``.

    Members are positions in ``items``, ascending within a set.

    >>> items = tuple(Item(name, name, "1") for name in "abc")
    >>> sets = SetList.of(items, [(0,), (0, 2)])
    >>> len(sets), sets.names(1), sets.lengths.tolist()
    (2, ('a', 'c'), [1, 2])
    """

    items: tuple[Item, ...]
    members: NDArray[np.int32]
    offsets: Indices

    @classmethod
    def of(cls, items: Sequence[Item], sets: Iterable[Sequence[int]]) -> Self:
        """From sets of positions; each is sorted."""
        listed = [sorted(one) for one in sets]
        flat = [member for one in listed for member in one]
        offsets = np.concatenate([[0], np.cumsum([len(one) for one in listed], dtype=np.int64)])
        return cls(tuple(items), np.array(flat, np.int32), offsets.astype(np.int64))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        return (self.set_at(i) for i in range(len(self)))

    @cached_property
    def lengths(self) -> Indices:
        return np.diff(self.offsets)

    def set_at(self, i: int) -> tuple[int, ...]:
        return tuple(self.members[self.offsets[i] : self.offsets[i + 1]].tolist())

    def names(self, i: int) -> tuple[str, ...]:
        return tuple(self.items[member].name for member in self.set_at(i))

    def of_length(self, length: int) -> tuple[Indices, NDArray[np.int32]]:
        """The positions of all sets of that length, and their members as rows of a matrix."""
        chosen = np.flatnonzero(self.lengths == length)
        columns = self.offsets[chosen][:, None] + np.arange(length)
        return chosen, self.members[columns]

    def locate(self, members: NDArray[np.integer[Any]]) -> Indices:
        """Where sets of one length stand, given as rows of positions; -1 where they do not."""
        keys, order = self._keys(members.shape[1])
        if not len(keys):
            return np.full(len(members), -1, np.int64)
        wanted = self._key(members)
        place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        return np.where(keys[place] == wanted, order[place], -1)

    def _keys(self, length: int) -> tuple[NDArray[Any], Indices]:
        if length not in self._sorted:
            chosen, members = self.of_length(length)
            keys = self._key(members)
            order = np.argsort(keys, kind="stable")
            self._sorted[length] = keys[order], chosen[order]
        return self._sorted[length]

    @cached_property
    def _sorted(self) -> dict[int, tuple[NDArray[Any], Indices]]:
        return {}

    def _key(self, members: NDArray[np.integer[Any]]) -> NDArray[Any]:
        """One comparable value per row: a number if it fits, else the bytes of the row."""
        length, base = members.shape[1], max(len(self.items), 2)
        if base**length < 1 << 62:
            powers = base ** np.arange(length - 1, -1, -1, dtype=np.int64)
            return np.asarray(members.astype(np.int64) @ powers)
        rows = np.ascontiguousarray(members, ">i4")
        return rows.view(np.dtype((np.void, 4 * length))).ravel()


@dataclass(frozen=True, eq=False)
class Itemsets(SetList):
    """Sets of items with estimated supports, shortest first.

    All numbers are shares of the transactions.

    Parameters
    ----------
    raw
        The estimate as it came out; chance may take it below 0 or above 1.
    standard_error
        How far the raw estimate spreads around the truth; NaN where that is not known.
    low, high
        The limits of the interval, within [0, 1]; NaN where there is none.
    """

    raw: Numbers
    standard_error: Numbers
    low: Numbers
    high: Numbers

    @cached_property
    def support(self) -> Numbers:
        """The estimate for people: never below 0 or above 1."""
        return np.clip(self.raw, 0.0, 1.0)

    @property
    def sets(self) -> SetList:
        return SetList(self.items, self.members, self.offsets)
