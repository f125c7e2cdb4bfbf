"""The records that show one item, packed anew: sets with that item are counted in these only.

Bits are turned round 64 by 64, so that a record's items lie in a few words; the records with the
item are picked, and the picked ones are turned back.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.itemsets.choosing import choose_transactions
from ppworkbench.core.itemsets.item_data import Bits, pack, unpack
from ppworkbench.core.kernels import Kernel

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


def _example() -> tuple[Any, ...]:
    return np.zeros((1, 1), np.uint64), np.zeros(1, np.int32), False, np.zeros((64, 1), np.uint64)


turn_kernel = Kernel(_turn_loop, _example)


class Projections:
    """Columns of the records with one item, made when asked for and kept while there is room."""

    def __init__(self, bits: Bits) -> None:
        self._bits = bits
        self._records: Bits | None = None
        self._shown: NDArray[np.bool_] | None = None
        self._kept: dict[int, Bits] = {}
        self._free = _CACHED_BYTES

    def __contains__(self, item: int) -> bool:
        """Whether the columns are at hand."""
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
