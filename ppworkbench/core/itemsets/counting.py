"""How many records show all items of a candidate: one AND and one bit count per 64 records.

Sets with an item that many candidates begin with are counted in the records that show it only.
Bits are turned round 64 by 64 for that, so that a record's items lie in a few words; the records
with the item are picked, and the picked ones are turned back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.itemsets.choosing import choose_transactions
from ppworkbench.core.itemsets.frontier import Candidates, Frontier
from ppworkbench.core.itemsets.item_data import Bits, pack, unpack
from ppworkbench.core.kernels import Kernel

Report = Callable[[float], None]

_WORDS = 1024
"""Words of every column looked at together: those of 100 columns then stay in the cache."""
_WORK = 40_000_000
"""Words compared between two reports of progress."""
_WORTH_PROJECTING = 300
"""Candidates with one first item from which on its records are packed anew for them."""
_LARGEST_PROJECTED = 20_000_000
"""Words of a table that is not projected, since turned round it would take as much again."""


def _count_loop(halves: Any, members: Any, parents: Any, first: Any, item: Any, out: Any) -> None:
    m1, m2 = np.uint32(0x55555555), np.uint32(0x33333333)
    m4, ones = np.uint32(0x0F0F0F0F), np.uint32(0x01010101)
    one, two, four, top = np.uint32(1), np.uint32(2), np.uint32(4), np.uint32(24)
    length = members.shape[1]
    words = halves.shape[1]
    prefix = np.empty(words, np.uint32)
    shown = np.empty(words, np.uint32)
    parent = -1
    previous = -1
    for c in range(first.size):
        a = first[c]
        if a != previous:
            previous = a
            if parents[a] != parent:
                parent = parents[a]
                prefix[:] = ~np.uint32(0)
                for j in range(length - 1):
                    column = halves[members[a, j]]
                    for w in range(words):
                        prefix[w] &= column[w]
            column = halves[members[a, length - 1]]
            for w in range(words):
                shown[w] = prefix[w] & column[w]
        column = halves[item[c]]
        total = np.uint32(0)
        for w in range(words):
            # The bits of a word, counted in parallel; compilers know this as one instruction.
            x = np.uint32(shown[w] & column[w])
            x = np.uint32(x - ((x >> one) & m1))
            x = np.uint32((x & m2) + ((x >> two) & m2))
            x = np.uint32((x + (x >> four)) & m4)
            total = np.uint32(total + np.uint32(np.uint32(x * ones) >> top))
        out[c] += np.int64(total)


def _example() -> tuple[Any, ...]:
    row, out = np.zeros(1, np.int32), np.zeros(1, np.int64)
    return np.zeros((1, 2), np.uint32), np.zeros((1, 1), np.int32), row, row, row, out


count_kernel = Kernel(_count_loop, _example)


class BitCounter:
    def __init__(self, bits: Bits) -> None:
        self._all = Columns(bits)
        self._projections = Projections(bits)

    def count(
        self, frontier: Frontier, candidates: Candidates, report: Report
    ) -> NDArray[np.int64]:
        out = np.zeros(len(candidates), np.int64)
        item = candidates.last(frontier)
        if frontier.length == 0:
            return np.asarray(np.bitwise_count(self._all.bits[item]).sum(axis=1, dtype=np.int64))
        for columns, run in self._runs(frontier, candidates):
            at_once = max(1, _WORK // columns.bits.shape[1])
            for start in range(run.start, run.stop, at_once):
                report(start / len(out))
                part = slice(start, min(start + at_once, run.stop))
                columns.count(frontier, candidates.first[part], item[part], out[part])
        return out

    def _runs(self, frontier: Frontier, candidates: Candidates) -> Iterator[tuple[Columns, slice]]:
        if frontier.length < 2 or self._all.bits.size > _LARGEST_PROJECTED:
            yield self._all, slice(0, len(candidates))
            return
        leading = frontier.members[candidates.first, 0]
        borders = (np.flatnonzero(np.diff(leading)) + 1).tolist()
        for start, stop in zip([0, *borders], [*borders, len(candidates)], strict=True):
            item = int(leading[start])
            if stop - start >= _WORTH_PROJECTING or item in self._projections:
                yield Columns(self._projections.of(item)), slice(start, stop)
            else:
                yield self._all, slice(start, stop)


class Columns:
    """Packed columns, cut into blocks that stay in the processor's cache."""

    def __init__(self, bits: Bits) -> None:
        self.bits = bits
        self._blocks: list[NDArray[np.uint32]] = []

    def count(
        self, frontier: Frontier, first: NDArray[np.int32], item: NDArray[np.int32],
        out: NDArray[np.int64],
    ) -> None:  # fmt: skip
        if count_kernel.compiled is None:
            _count_with_numpy(self.bits, frontier, first, item, out)
            return
        if not self._blocks:
            self._blocks = [
                np.ascontiguousarray(self.bits[:, start : start + _WORDS]).view(np.uint32)
                for start in range(0, self.bits.shape[1], _WORDS)
            ]
        for block in self._blocks:
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


_CACHED_BYTES = 1 << 26
"""What projections may take in memory beyond the one in use."""


def _turn_loop(  # noqa: C901 (a kernel cannot call another one)
    source: Any, places: Any, by_place: Any, out: Any
) -> None:
    """Turn bits round: of picked rows, or of all columns into rows.

    With ``by_place``, row ``places[64 w + i]`` of the source becomes bit i of word w of every row
    of the result; else bit i of word w of every row of the source becomes row ``64 w + i``.
    """
    square = np.empty(64, np.uint64)
    zero = np.uint64(0)
    words = out.shape[1] if by_place else source.shape[1]
    blocks = source.shape[1] if by_place else out.shape[1]
    for w in range(words):
        for block in range(blocks):
            for i in range(64):
                row = 64 * w + i
                column = 64 * block + i
                if by_place:
                    square[i] = source[places[row], block] if row < places.size else zero
                else:
                    square[i] = source[column, w] if column < source.shape[0] else zero
            # Exchange bit j of word i and bit i of word j (Warren, Hacker's Delight, 7-3).
            width = 32
            mask = np.uint64(0x00000000FFFFFFFF)
            while width:
                shift = np.uint64(width)
                for base in range(0, 64, 2 * width):
                    for k in range(base, base + width):
                        moved = ((square[k] >> shift) ^ square[k + width]) & mask
                        square[k] ^= moved << shift
                        square[k + width] ^= moved
                width >>= 1
                mask ^= mask << np.uint64(width)
            for i in range(64):
                if not by_place:
                    out[64 * w + i, block] = square[i]
                elif 64 * block + i < out.shape[0]:
                    out[64 * block + i, w] = square[i]


def _turn_example() -> tuple[Any, ...]:
    return np.zeros((1, 1), np.uint64), np.zeros(1, np.int32), False, np.zeros((64, 1), np.uint64)


turn_kernel = Kernel(_turn_loop, _turn_example)


class Projections:
    """Columns of the records with one item, made when asked for and kept while there is room."""

    def __init__(self, bits: Bits) -> None:
        self._bits = bits
        self._records: Bits | None = None
        self._shown: NDArray[np.bool_] | None = None
        self._kept: dict[int, Bits] = {}
        self._free = _CACHED_BYTES

    def __contains__(self, item: int) -> bool:
        return item in self._kept

    def of(self, item: int) -> Bits:
        """All columns, of the records that show the item."""
        if item in self._kept:
            return self._kept[item]
        projected = self._compiled(item) if turn_kernel.compiled else self._plain(item)
        if projected.nbytes <= self._free:
            self._free -= projected.nbytes
            self._kept[item] = projected
        return projected

    def _compiled(self, item: int) -> Bits:
        assert turn_kernel.compiled is not None  # noqa: S101 (tells the type checker)
        items, words = self._bits.shape
        count = int(np.bitwise_count(self._bits[item]).sum())
        only = np.array([item], np.int32)
        places = choose_transactions(self._bits, 64 * words, only, np.ones(1), count)
        if self._records is None:
            self._records = np.empty((64 * words, -(-items // 64)), np.uint64)
            turn_kernel.compiled(self._bits, places[:0], False, self._records)
        projected = np.empty((items, max(1, -(-len(places) // 64))), np.uint64)
        turn_kernel.compiled(self._records, places, True, projected)
        return projected

    def _plain(self, item: int) -> Bits:
        if self._shown is None:
            self._shown = unpack(self._bits, 64 * self._bits.shape[1])
        return pack(self._shown.take(np.flatnonzero(self._shown[item]), axis=1))
