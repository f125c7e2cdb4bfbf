"""Pairs of columns of which one tells the other: an age tells its age group.

Values, and numbers of which there are few, are compared by counts. A number with many different
values tells a column if that changes only from one interval of the number to the next, or if it
rises or falls with the number throughout.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.table import Column, Table


@dataclass(frozen=True)
class DeterminedPair:
    """Two attributes of which one tells the other for nearly all records.

    ``share`` is the share of records for which the usual answer to the one that is told, given
    the other, is the true one.
    """

    determining: str
    determined: str
    share: float


_TELLING = 0.99
_OBVIOUS = 0.95
"""An attribute that has one answer so often is guessed without any other."""
_MOST_COMPARED = 60
_MOST_ANSWERS = 200
_RECORDS_EACH = 5
"""Records that every answer needs on average: an identifier tells everything and means nothing."""
_GLANCE = 4_000
_MOST_SORTED = 20_000
_pairs: WeakKeyDictionary[Table, dict[tuple[str, ...], tuple[DeterminedPair, ...]]] = (
    WeakKeyDictionary()
)
"""Looked for once per table: a checklist is shown with every change of a plan."""


def determining_pairs(table: Table, names: Iterable[str]) -> tuple[DeterminedPair, ...]:
    wanted = tuple(name for name in names if name in table)
    known = _pairs.setdefault(table, {})
    if wanted not in known:
        columns = [table[name] for name in wanted if not table[name].is_set]
        few = [one for one in map(_Coded.of, columns) if one is not None and one.is_open]
        named = {one.name for one in few}
        many = [one for one in columns if not one.is_categorical and one.name not in named]
        few, many = few[:_MOST_COMPARED], many[:_MOST_COMPARED]
        known[wanted] = (*_among_answers(few), *_by_order(many, few))
    return known[wanted]


@dataclass(frozen=True, eq=False)
class _Coded:
    """Answers as numbers from 0 to k-1; -1 for none."""

    name: str
    data: NDArray[np.int64]
    k: int

    @classmethod
    def of(cls, column: Column) -> _Coded | None:
        """The column by its values or its different numbers; None where these are too many."""
        if column.is_categorical:
            found = cls(column.name, column.data.astype(np.int64), column.attribute.k)
        else:
            numbers, places = np.unique(column.data, return_inverse=True)
            k = int(np.count_nonzero(~np.isnan(numbers)))
            found = cls(column.name, np.where(column.missing, -1, places), k)
        is_few = 2 <= found.k <= min(_MOST_ANSWERS, len(column) / _RECORDS_EACH)
        return found if is_few else None

    @property
    def is_open(self) -> bool:
        """Whether an answer cannot be guessed without any other."""
        counts = np.bincount(self.data[self.data >= 0], minlength=self.k)
        return bool(counts.max(initial=0) < _OBVIOUS * max(int(counts.sum()), 1))


def _among_answers(few: list[_Coded]) -> Iterator[DeterminedPair]:
    for place, one in enumerate(few):
        for other in few[place + 1 :]:
            # A glance at the first records is enough for most pairs.
            if max(_told(one, other, _GLANCE)) < _TELLING:
                continue
            told, telling = _told(one, other, len(one.data))
            if told >= _TELLING and told >= telling:
                yield DeterminedPair(one.name, other.name, told)
            elif telling >= _TELLING:
                yield DeterminedPair(other.name, one.name, telling)


def _told(one: _Coded, other: _Coded, records: int) -> tuple[float, float]:
    """How often the first tells the second, and the second the first."""
    x, y = one.data[:records], other.data[:records]
    answered = (x >= 0) & (y >= 0)
    k, m = one.k, other.k
    counts = np.bincount(x[answered] * m + y[answered], minlength=k * m).reshape(k, m)
    total = max(int(counts.sum()), 1)
    return float(counts.max(axis=1).sum()) / total, float(counts.max(axis=0).sum()) / total


def _by_order(many: list[Column], few: list[_Coded]) -> Iterator[DeterminedPair]:
    """What numbers with many different values tell: intervals of them, and what rises with them."""
    for place, one in enumerate(many):
        numbers = one.data[:_MOST_SORTED]
        order = np.argsort(numbers, kind="stable")[: int(np.count_nonzero(~np.isnan(numbers)))]
        for other in few:
            told = other.data[:_MOST_SORTED][order]
            told = told[told >= 0]
            distinct = len(np.unique(told))
            steps = int(np.count_nonzero(told[1:] != told[:-1]))
            if 2 <= distinct == steps + 1 and len(told) >= _RECORDS_EACH * distinct:
                yield DeterminedPair(one.name, other.name, 1.0)
        for further in many[place + 1 :]:
            if _is_monotone(further.data[:_MOST_SORTED][order]):
                yield DeterminedPair(one.name, further.name, 1.0)


def _is_monotone(numbers: Numbers) -> bool:
    steps = np.diff(numbers[~np.isnan(numbers)])
    up, down = (int(np.count_nonzero(found)) for found in (steps > 0, steps < 0))
    return up + down >= 4 * _RECORDS_EACH and min(up, down) == 0
