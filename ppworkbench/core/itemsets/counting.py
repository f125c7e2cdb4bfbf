"""How many records show all items of a candidate: one AND and one bit count per 64 records."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.itemsets.frontier import Candidates, Frontier
from ppworkbench.core.itemsets.item_data import Bits
from ppworkbench.core.kernels import Kernel

Report = Callable[[float], None]

_WORDS = 1024
"""Words of every column looked at together: those of 100 columns then stay in the cache."""
_WORK = 40_000_000
"""Words compared between two reports of progress."""


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
        self._blocks = [
            np.ascontiguousarray(bits[:, start : start + _WORDS])
            for start in range(0, bits.shape[1], _WORDS)
        ]

    def count(
        self, frontier: Frontier, candidates: Candidates, report: Report
    ) -> NDArray[np.int64]:
        """The number of records that show each candidate."""
        out = np.zeros(len(candidates), np.int64)
        item = candidates.last(frontier)
        if frontier.length == 0:
            return np.asarray(np.bitwise_count(self._bits[item]).sum(axis=1, dtype=np.int64))
        at_once = max(1, _WORK // self._bits.shape[1])
        for start in range(0, len(out), at_once):
            report(start / len(out))
            part = slice(start, start + at_once)
            first = candidates.first[part]
            if count_kernel.compiled is None:
                _count_with_numpy(self._bits, frontier, first, item[part], out[part])
                continue
            for block in self._blocks:
                count_kernel.compiled(
                    block, frontier.members, frontier.parents, first, item[part], out[part]
                )
        return out


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
