"""Drawing one of many outcomes from a few random bits, without rounding their probabilities."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.rng import Bytes, Stream

FEW_BITS, MANY_BITS = 8, 16
_FEW_OUTCOMES = 64
"""With more outcomes too many numbers of 8 bits would be left over."""
_FURTHER_BITS = 46
_WORD_BITS = 64


def whole_numbers(drawn: Bytes, bits: int) -> NDArray[Any]:
    """Random bytes as whole numbers of 8 or 16 bits."""
    return drawn if bits == FEW_BITS else np.require(drawn.view("<u2"), requirements="A")


class WeightedDraw:
    """Outcomes that come up in proportion to whole numbers, exactly.

    Of the numbers of 8 or 16 bits every outcome gets its whole share, and what is left over of all
    of them is drawn in the same way twice more. What is then still left over is shared out by 46
    further bits, and the rest of that, which hardly ever comes up, by as many words as it takes.

    Parameters
    ----------
    weights
        A whole number for every outcome, of any size.
    outcomes
        What comes up, never 0.

    >>> draw = WeightedDraw([1, 2, 3], np.array([4, 5, 6]))
    >>> draw.bits, np.bincount(draw.table).tolist()
    (8, [1, 0, 0, 0, 42, 85, 128])
    """

    def __init__(self, weights: Sequence[int], outcomes: NDArray[Any]) -> None:
        self.bits = FEW_BITS if len(weights) <= _FEW_OUTCOMES else MANY_BITS
        self._weights, self._outcomes, self._total = weights, outcomes, sum(weights)
        shares = {weight: divmod(weight << self.bits, self._total) for weight in set(weights)}
        self._rests = [shares[weight][1] for weight in weights]
        counts = [shares[weight][0] for weight in weights]
        self.used = sum(counts)
        self.table = np.zeros(1 << self.bits, outcomes.dtype)
        """The outcome of every number; 0 for those that are left over."""
        self.table[: self.used] = np.repeat(outcomes, counts)

    def draw(self, numbers: NDArray[Any], stream: Stream) -> NDArray[Any]:
        """An outcome for every random number of 8 or 16 bits."""
        found = self.table.take(numbers, mode="clip")
        rows = np.flatnonzero(found == 0)
        if len(rows):
            found.reshape(-1)[rows] = self._rest.draw_again(len(rows), stream)
        return found

    def draw_again(self, n: int, stream: Stream) -> NDArray[Any]:
        """Outcomes of as many that were left over before."""
        numbers = whole_numbers(stream.second_bytes(n * self.bits // 8), self.bits)
        found = self.table.take(numbers, mode="clip")
        rows = np.flatnonzero(found == 0)
        if len(rows):
            found[rows] = self._rest.draw_last(len(rows), stream)
        return found

    def draw_last(self, n: int, stream: Stream) -> NDArray[Any]:
        """Outcomes of as many that were left over twice, by a word for each."""
        words = stream.words(n)
        numbers = (words >> np.uint64(_WORD_BITS - self.bits)).astype(np.int64)
        found = self.table.take(numbers, mode="clip")
        rows = np.flatnonzero(found == 0)
        if not len(rows):
            return found
        borders, last = self._borders
        further = (words[rows] & np.uint64((1 << _FURTHER_BITS) - 1)).astype(np.int64)
        places = (numbers[rows] - self.used << _FURTHER_BITS) + further
        outcomes = np.searchsorted(borders, places, side="right")
        for i in np.flatnonzero(outcomes == len(borders)):
            rest = int(places[i] - borders[-1]) * self._total
            outcomes[i] = bisect_right(last, rest + _draw_below(self._total, stream))
        found[rows] = self._outcomes[outcomes]
        return found

    @cached_property
    def _rest(self) -> WeightedDraw:
        return WeightedDraw(self._rests, self._outcomes)

    @cached_property
    def _borders(self) -> tuple[NDArray[np.int64], list[int]]:
        """Where outcomes end among the numbers of 46 further bits, and among what is then left."""
        shares = {rest: divmod(rest << _FURTHER_BITS, self._total) for rest in set(self._rests)}
        whole = np.cumsum([shares[rest][0] for rest in self._rests])
        return whole, list(accumulate(shares[rest][1] for rest in self._rests))


def _draw_below(end: int, stream: Stream) -> int:
    """An evenly drawn whole number from 0 to below the end, which may be of any size."""
    words = -(-end.bit_length() // _WORD_BITS)
    unused = words * _WORD_BITS - end.bit_length()
    while True:
        drawn = int.from_bytes(stream.rare_words(words).tobytes(), "little") >> unused
        if drawn < end:
            return drawn
