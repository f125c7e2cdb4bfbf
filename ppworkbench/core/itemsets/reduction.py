"""MMASK's measure: the support of a few items inside transactions that hold the others.

Up to ``threshold`` items a set is measured as in MASK. A longer one, ``X = Y + item``, is measured
by the support of a reduced set R inside chosen transactions: with every further ``threshold``
items, R begins anew with the last item, and the transactions are those that CTS chooses for Y's own
R among Y's own transactions (Andruszkiewicz 2011, section 4.2).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Counts, Numbers
from ppworkbench.core.itemsets.choosing import choose_transactions, shown_in
from ppworkbench.core.itemsets.counting import Report
from ppworkbench.core.itemsets.frontier import Candidates, Frontier
from ppworkbench.core.itemsets.item_data import ItemData
from ppworkbench.core.itemsets.measures import ProductForm, Sums
from ppworkbench.core.kernels import Kernel

Places = NDArray[np.int32]

_SETS_AT_ONCE = 64
"""Sets measured between two reports of progress."""


def _within_loop(bits: Any, places: Any, base: Any, last: Any, total: Any) -> None:
    one, low_bits = np.uint64(1), np.int32(63)
    for c in range(last.size):
        column = bits[last[c]]
        added = 0.0
        for i in range(places.size):
            t = places[i]
            added += float((column[t >> 6] >> np.uint64(t & low_bits)) & one) * base[i]
        total[c] = added


def _within_example() -> tuple[Any, ...]:
    one, place = np.zeros(1), np.zeros(1, np.int32)
    return np.zeros((1, 1), np.uint64), place, one, place, one.copy()


within_kernel = Kernel(_within_loop, _within_example)


def sums_within(data: ItemData, places: Places, known: Places, last: Places) -> Numbers:
    """For sets of the known items and one more, the sum of the weights of some transactions."""
    base = np.ones(len(places))
    if len(known):
        shown = shown_in(data.bits, known, places)
        weights = np.where(shown, data.present[known][:, None], data.absent[known][:, None])
        base = np.prod(weights, axis=0)
    added = np.empty(len(last))
    if within_kernel.compiled is not None:
        within_kernel.compiled(data.bits, places, base, last, added)
    else:
        added = shown_in(data.bits, last, places) @ base
    present, absent = data.present[last], data.absent[last]
    return np.asarray(absent * base.sum() + (present - absent) * added)


class Reduction:
    """The measure of MMASK.

    Sets beyond the threshold have no standard error (NaN). The spread among the chosen transactions
    leaves out that the choice is a guess, and so would resampling them: transactions that hold only
    some of the items are chosen again and again, which is a bias and no spread.
    """

    def __init__(self, data: ItemData, threshold: int) -> None:
        self._data = data
        self._threshold = threshold
        self._product = ProductForm(data)
        # For every set of the frontier, the number of its transactions in the pool.
        self._home: NDArray[np.int64] = np.zeros(1, np.int64)
        self._pool: list[Places | None] = [None]

    def measure(self, frontier: Frontier, candidates: Candidates, report: Report) -> Sums:
        held = self._held(frontier)
        if not held:
            return self._product.measure(frontier, candidates, report)
        total = np.empty(len(candidates))
        last = candidates.last(frontier)
        for number, part in enumerate(_families(candidates)):
            if number % _SETS_AT_ONCE == 0:
                report(part.start / len(candidates))
            first = int(candidates.first[part.start])
            places = self._places(frontier, first)
            known = frontier.members[first, held:]
            total[part] = sums_within(self._data, places, known, last[part])
        unknown = np.full(len(candidates), np.nan)
        return Sums(total, unknown, np.zeros(len(candidates), np.int64))

    def advance(self, frontier: Frontier, kept: Candidates, counts: Counts) -> None:
        """Remember the transactions in which the kept sets were measured."""
        held = self._held(frontier)
        if not held:
            self._product.advance(frontier, kept, counts)
            self._home = np.zeros(len(kept), np.int64)
            return
        if frontier.length != held:
            self._home = self._home[kept.first]
            return
        parents, home = np.unique(kept.first, return_inverse=True)
        self._pool = [self._places(frontier, int(parent)) for parent in parents]
        self._home = home

    def _held(self, frontier: Frontier) -> int:
        """How many items of the next length's sets the transactions already hold."""
        return frontier.length // self._threshold * self._threshold

    def _places(self, frontier: Frontier, first: int) -> Places:
        places = self._pool[int(self._home[first])]
        if frontier.length != self._held(frontier) and places is not None:
            return places
        items = frontier.members[first, -self._threshold :]
        wanted = round(float(frontier.estimate[first]) * self._data.rows)
        keep_one = self._data.keep_one[items]
        data = self._data
        return choose_transactions(data.bits, data.rows, items, keep_one, wanted, places)


def _families(candidates: Candidates) -> list[slice]:
    borders = (np.flatnonzero(np.diff(candidates.first)) + 1).tolist()
    return [
        slice(start, stop)
        for start, stop in zip([0, *borders], [*borders, len(candidates)], strict=True)
    ]
