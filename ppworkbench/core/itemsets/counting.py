"""How many records show all items of a candidate: one AND and one bit count per 64 records."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.itemsets.frontier import Candidates, Frontier
from ppworkbench.core.itemsets.item_data import Bits
from ppworkbench.core.itemsets.projection import Projections
from ppworkbench.core.kernels import Kernel

Report = Callable[[float], None]

_WORDS = 1024
"""Words of every column looked at together: those of 100 columns then stay in the cache."""
_WORK = 40_000_000
"""Words compared between two reports of progress."""
_WORTH_PROJECTING = 100
"""Candidates with one first item from which on its records are packed anew for them."""
_LARGEST_PROJECTED = 20_000_000
"""Words of a table that is not projected, since turned round it would take as much again."""


def _count_loop(bits: Any, members: Any, parents: Any, first: Any, item: Any, out: Any) -> None:
    m1, m2 = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333)
    m4, ones = np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(0x0101010101010101)
    one, two, four, top = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(56)
    length = members.shape[1]
    words = bits.shape[1]
    prefix = np.empty(words, np.uint64)
    shown = np.empty(words, np.uint64)
    parent = -1
    previous = -1
    for c in range(first.size):
        a = first[c]
        if a != previous:
            previous = a
            if parents[a] != parent:
                parent = parents[a]
                prefix[:] = ~np.uint64(0)
                for j in range(length - 1):
                    column = bits[members[a, j]]
                    for w in range(words):
                        prefix[w] &= column[w]
            column = bits[members[a, length - 1]]
            for w in range(words):
                shown[w] = prefix[w] & column[w]
        column = bits[item[c]]
        total = np.uint64(0)
        for w in range(words):
            # The bits of a word, counted in parallel; compilers know this as one instruction.
            x = shown[w] & column[w]
            x -= (x >> one) & m1
            x = (x & m2) + ((x >> two) & m2)
            x = (x + (x >> four)) & m4
            total += (x * ones) >> top
        out[c] += np.int64(total)


def _example() -> tuple[Any, ...]:
    row, out = np.zeros(1, np.int32), np.zeros(1, np.int64)
    return np.zeros((1, 1), np.uint64), np.zeros((1, 1), np.int32), row, row, row, out


count_kernel = Kernel(_count_loop, _example)


class BitCounter:
    """Counts candidates in the columns of one table."""

    def __init__(self, bits: Bits) -> None:
        self._bits = bits
        self._projections = Projections(bits)

    def count(
        self, frontier: Frontier, candidates: Candidates, report: Report
    ) -> NDArray[np.int64]:
        """The number of records that show each candidate."""
        out = np.zeros(len(candidates), np.int64)
        item = candidates.last(frontier)
        if frontier.length == 0:
            return np.asarray(np.bitwise_count(self._bits[item]).sum(axis=1, dtype=np.int64))
        for bits, run in self._runs(frontier, candidates):
            at_once = max(1, _WORK // bits.shape[1])
            for start in range(run.start, run.stop, at_once):
                report(start / len(out))
                part = slice(start, min(start + at_once, run.stop))
                _count(bits, frontier, candidates.first[part], item[part], out[part])
        return out

    def _runs(self, frontier: Frontier, candidates: Candidates) -> Iterator[tuple[Bits, slice]]:
        """Candidates with the same first item, and the columns in which they are counted."""
        if frontier.length < 2:
            yield self._bits, slice(0, len(candidates))
            return
        leading = frontier.members[candidates.first, 0]
        borders = (np.flatnonzero(np.diff(leading)) + 1).tolist()
        for start, stop in zip([0, *borders], [*borders, len(candidates)], strict=True):
            few = stop - start < _WORTH_PROJECTING or self._bits.size > _LARGEST_PROJECTED
            bits = self._bits if few else self._projections.of(int(leading[start]))
            yield bits, slice(start, stop)


def _count(
    bits: Bits, frontier: Frontier, first: NDArray[np.int32], item: NDArray[np.int32],
    out: NDArray[np.int64],
) -> None:  # fmt: skip
    if count_kernel.compiled is None:
        _count_with_numpy(bits, frontier, first, item, out)
        return
    for start in range(0, bits.shape[1], _WORDS):
        block = np.ascontiguousarray(bits[:, start : start + _WORDS])
        count_kernel.compiled(block, frontier.members, frontier.parents, first, item, out)


def _count_with_numpy(
    bits: Bits, frontier: Frontier, first: NDArray[np.int32], item: NDArray[np.int32],
    out: NDArray[np.int64],
) -> None:  # fmt: skip
    borders = np.flatnonzero(np.diff(first)) + 1
    starts = np.concatenate([[0], borders])
    stops = np.append(borders, len(first))
    for start, stop in zip(starts.tolist(), stops.tolist(), strict=True):
        shown = np.bitwise_and.reduce(bits[frontier.members[first[start]]], axis=0)
        both = bits[item[start:stop]] & shown
        out[start:stop] = np.bitwise_count(both).sum(axis=1, dtype=np.int64)
