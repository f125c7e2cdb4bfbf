"""Subset selection: so many values are reported, the true one often among them.

Drawing happens in whole numbers. Where there are few sets, one of them is looked up by a random
byte or two, as if the last value were true, which then changes places with the one that is.

Of many sets, 62 random bits decide whether the true value is named. The others are drawn evenly
without replacement (Floyd's algorithm), each from 16 or 32 bits of which those are left out that
would favour some values (Lemire 2019). What takes their place comes from a second sequence of the
stream, and from a third if need be, so that a table distorts to the same sets in any chunking.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.data import sets
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.sets import Sets
from ppworkbench.core.design.channels import Naming
from ppworkbench.core.design.perturbation import perturbations
from ppworkbench.core.design.sets.base import SetPerturbation, WeightedDraw, whole_numbers
from ppworkbench.core.errors import DesignError
from ppworkbench.core.kernels import Kernel
from ppworkbench.core.message import Message
from ppworkbench.core.params import Annotated, Info, Within
from ppworkbench.core.rng import Bytes, Stream, Words

_BITS = 62
_FEW_VALUES, _FEW_SETS = 63, 1 << 14
"""A set of so many values fits one word, and the table of so many sets the processor's cache."""
_SHORT = 256
"""For so many values 16 bits are enough: hardly one in ten sets has a word that is left out."""
_DRAWN, _MANY = 1 << 21, 1 << 16
"""Random bytes that are drawn, and sets that are looked up, at once: so little memory is needed."""


@perturbations.register(
    "subset", "Subset selection", short="Subset", rank=30, hint="best shares of long lists"
)
@dataclass(frozen=True)
class Subset(SetPerturbation):
    """``w`` values; the true one is among them with ``g = w e^ε / (w e^ε + k - w)``.

    Without a size, w is the better neighbour of ``k / (e^ε + 1)`` (Ye and Barg 2018, Wang et al.
    2016).

    >>> Subset(epsilon=1.0).naming(10).size, Subset(epsilon=1.0).naming(100).size
    (2, 27)
    >>> round(float(Subset(epsilon=1.0).naming(10).variance(0.0)), 4)
    2.8217
    """

    size: Annotated[
        int | None,
        Within(1, 999),
        Info("Set size", "Values in a set; without a number, the size with the smallest variance"),
    ] = None

    type_name: ClassVar[str] = "subset"

    def check(self, attribute: Attribute) -> None:
        super().check(attribute)
        if self.size is not None and self.size >= attribute.k:
            raise DesignError.saying(
                "Attribute {attribute!r}: a set of {size} of {k} answers says nothing; the size "
                "must lie between 1 and {most}.",
                size=self.size,
                k=attribute.k,
                most=attribute.k - 1,
                attribute=attribute.name,
                field="size",
            )

    def naming(self, k: int) -> Naming:
        return _naming(self.epsilon, k, self.size or best_size(self.epsilon, k))

    def summary(self) -> str:
        if self.size is None:
            return Message("subset, epsilon {epsilon:.3g}", epsilon=self.epsilon)
        return Message(
            "subset of {size}, epsilon {epsilon:.3g}", size=self.size, epsilon=self.epsilon
        )

    def page_draw(self, attribute: Attribute) -> dict[str, Any]:
        """The chance of the true value in 53 bits, rounded so that epsilon is not exceeded."""
        size = self.naming(attribute.k).size
        assert size is not None  # noqa: S101 (every subset has one)
        cells = true_cells(self.epsilon, attribute.k, size) >> (_BITS - 53)
        return {"type": "subset", "count": attribute.k, "size": size, "inside": cells / 2.0**53}

    def distort(self, data: NDArray[Any], attribute: Attribute, stream: Stream) -> Sets:
        """Draw a set for every code; -1 becomes a missing answer."""
        size = self.naming(attribute.k).size
        assert size is not None  # noqa: S101 (every subset has one)
        return draw_subsets(data, attribute.k, size, true_cells(self.epsilon, attribute.k, size),
                            stream)  # fmt: skip


def true_cells(epsilon: float, k: int, size: int) -> int:
    """How many of 2⁶² equally likely outcomes name the true value; epsilon is never exceeded."""
    others = math.exp(-epsilon) * (k - size)
    return (1 << _BITS) - math.ceil(others / (size + others) * 2.0**_BITS)


@lru_cache(maxsize=512)
def _naming(epsilon: float, k: int, size: int) -> Naming:
    inside = true_cells(epsilon, k, size)
    outside = (1 << _BITS) - inside
    g, rest = inside / 2.0**_BITS, outside / 2.0**_BITS
    h = (g * (size - 1) + rest * size) / (k - 1)
    pairs = (k - 1) * (k - 2)
    return Naming(
        g,
        h,
        size,
        g_pair=g * (size - 1) / (k - 1),
        h_pair=(g * (size - 1) * (size - 2) + rest * size * (size - 1)) / pairs,
        odds=inside * (k - size) / (outside * size),
    )


@lru_cache(maxsize=512)
def best_size(epsilon: float, k: int) -> int:
    """The neighbour of ``k / (e^ε + 1)`` that gives a rare value the smaller variance.

    >>> best_size(0.5, 100), best_size(4.0, 100)
    (38, 1)
    """
    near = math.floor(k / (math.exp(epsilon) + 1))
    sizes = {min(max(size, 1), k - 1) for size in (near, near + 1)}
    return min(sorted(sizes), key=lambda size: float(_naming(epsilon, k, size).variance(0.0)))


def _draw_loop(  # noqa: PLR0913, PLR0917 (the compiled loop knows no classes)
    data: Any, decisions: Any, words: Any, limits: Any, k: int, inside: int, out: Any, left: Any
) -> int:
    size = limits.size
    # Short words stand in the upper half of 32 bits.
    shift = np.uint32(32 - 8 * words.itemsize)
    count = 0
    last = np.uint32(k - 1)
    for i in range(data.size):
        if data[i] < 0:
            out[i, k >> 3] |= np.uint8(1 << (k & 7))
            continue
        c: Any = np.uint32(data[i])
        row, drawn = out[i], words[i]
        product = np.uint64(np.uint32(drawn[0]) << shift) * np.uint64(k - size)
        # Words below 2^bits mod s would make some values likelier than others.
        redo = np.uint32(product) < limits[0]
        v: Any = np.uint32(product >> np.uint64(32))
        v = last if v == c else v
        v = c if np.int64(decisions[i] >> np.uint64(2)) < inside else v
        row[v >> np.uint32(3)] |= np.uint8(np.uint32(1) << (v & np.uint32(7)))
        for step in range(1, size):
            end = np.uint32(k - size + step)
            product = np.uint64(np.uint32(drawn[step]) << shift) * np.uint64(end)
            redo |= np.uint32(product) < limits[step]
            v = np.uint32(product >> np.uint64(32))
            v = last if v == c else v
            other = end - np.uint32(1)
            other = last if other == c else other
            is_named = (row[v >> np.uint32(3)] >> np.uint8(v & np.uint32(7))) & np.uint8(1)
            v = other if is_named else v
            row[v >> np.uint32(3)] |= np.uint8(np.uint32(1) << (v & np.uint32(7)))
        left[count] = i
        count += redo
    return count


def _example(codes: type, words: type) -> tuple[Any, ...]:
    frozen: tuple[NDArray[Any], ...] = (
        np.zeros(4, codes), np.zeros(4, np.uint64), np.full((4, 2), 1 << 12, words),
    )  # fmt: skip
    for array in frozen:
        array.flags.writeable = False
    out, left = np.zeros((4, 1), np.uint8), np.zeros(4, np.int64)
    return *frozen, np.zeros(2, np.uint32), 5, 1 << 61, out, left


_draw = Kernel(
    _draw_loop,
    lambda: _example(np.int8, np.uint16),
    lambda: _example(np.int16, np.uint16),
    lambda: _example(np.int16, np.uint32),
)
SUBSET_KERNELS = (_draw,)


def draw_subsets(data: NDArray[Any], k: int, size: int, inside: int, stream: Stream) -> Sets:
    """Draw a set of values for every code, of which ``inside`` in 2⁶² name the code."""
    if k <= _FEW_VALUES and math.comb(k, size) <= _FEW_SETS:
        return _look_up(data, k, _few_sets(k, size, inside), stream)
    out = np.zeros((len(data), sets.width(k)), np.uint8)
    draw = _EvenDraw(k, size, inside)
    many = max(_DRAWN // (size * draw.word.itemsize), 1)
    for start in range(0, len(data), many):
        draw.fill(out[start : start + many], data[start : start + many], stream)
    return out


class _EvenDraw:
    """Draws sets of one size from a word that decides about the true value and one for each step.

    >>> _EvenDraw(100, 27, 1 << 61).word.itemsize, _EvenDraw(500, 27, 1 << 61).word.itemsize
    (2, 4)
    """

    def __init__(self, k: int, size: int, inside: int) -> None:
        self.k, self.size, self.inside = k, size, inside
        self.word = np.dtype("<u2" if k <= _SHORT else "<u4")
        self._bits = 8 * self.word.itemsize
        self._ends = np.arange(k - size, k, dtype=np.uint64)
        self._limits = np.uint64(1 << self._bits) % self._ends
        self._kernel_limits = (self._limits << np.uint64(32 - self._bits)).astype(np.uint32)

    def fill(self, out: Sets, codes: NDArray[Any], stream: Stream) -> None:
        decisions, words = stream.words(len(codes)), self._words(stream.bytes, len(codes))
        rows = self.draw(codes, decisions, words, out)
        if not len(rows):
            return
        codes, decisions = codes[rows], decisions[rows]
        # Words that were left out are replaced, as many for each row as it may need.
        fresh = self._words(stream.second_bytes, len(rows))
        words = np.where(self._is_left_out(words[rows]), fresh, words[rows])
        retried = np.zeros((len(rows), out.shape[1]), np.uint8)
        for row in self.draw(codes, decisions, words, retried).tolist():
            # And those that are left out again, which is rare, as often as it takes.
            one = slice(row, row + 1)
            steps = words[row]
            while len(places := np.flatnonzero(self._is_left_out(steps))):
                steps[places] = stream.rare_words(len(places)) >> np.uint64(64 - self._bits)
            retried[one] = 0
            self.draw(codes[one], decisions[one], words[one], retried[one])
        out[rows] = retried

    def _words(self, draw: Callable[[int], Bytes], n: int) -> NDArray[Any]:
        drawn = draw(self.word.itemsize * self.size * n).view(self.word)
        return np.require(drawn, requirements="A").reshape(n, self.size)

    def _is_left_out(self, words: NDArray[Any]) -> NDArray[np.bool_]:
        """Which words would make some values likelier than others."""
        return np.asarray(words * self._ends % np.uint64(1 << self._bits) < self._limits)

    def draw(
        self, codes: NDArray[Any], decisions: Words, words: NDArray[Any], out: Sets
    ) -> NDArray[np.intp]:
        """Draw sets into zeros; the rows of which a word has to be left out are returned."""
        if _draw.compiled is None or codes.dtype not in (np.int8, np.int16):
            return self._draw_with_numpy(codes, decisions, words, out)
        codes, decisions, words = codes.view(), decisions.view(), words.view()
        for array in (codes, decisions, words):
            # The loop is compiled for arrays that nobody writes to.
            array.flags.writeable = False
        rows = np.empty(len(codes), np.int64)
        count = _draw.compiled(
            codes, decisions, words, self._kernel_limits, self.k, self.inside, out, rows
        )
        return rows[:count]

    def _draw_with_numpy(
        self, codes: NDArray[Any], decisions: Words, words: NDArray[Any], out: Sets
    ) -> NDArray[np.intp]:
        missing = codes < 0
        true = np.where(missing, 0, codes).astype(np.int64)
        again = self._is_left_out(words).any(axis=1) & ~missing
        drawn = (words * self._ends >> np.uint64(self._bits)).astype(np.int64)
        is_inside = (decisions >> np.uint64(2)).astype(np.int64) < self.inside
        named = np.zeros((len(codes), self.k), np.bool_)
        rows, most = np.arange(len(codes)), self.k - 1
        for step in range(self.size):
            # The last value stands in for the true one, which is not drawn.
            value = np.where(drawn[:, step] == true, most, drawn[:, step])
            if step == 0:
                value = np.where(is_inside, true, value)
            else:
                last = most - self.size + step
                value = np.where(named[rows, value], np.where(last == true, most, last), value)
            named[rows, value] = True
        out[:] = sets.pack(named, missing)
        return np.flatnonzero(again)


@lru_cache(maxsize=32)
def _few_sets(k: int, size: int, inside: int) -> WeightedDraw:
    """The draw of a set where the last value is true, each set as the bits of a word."""
    dtype: Any = np.uint32 if k < 32 else np.uint64
    named = np.array(list(itertools.combinations(range(k), size)), dtype)
    words = (dtype(1) << named).sum(axis=1, dtype=dtype)
    # One of the sets with the last value to one of those without it.
    weights = ((1 << _BITS) - inside) * size, inside * (k - size)
    return WeightedDraw([weights[is_named] for is_named in (named[:, -1] == k - 1).tolist()], words)


def _look_up(data: NDArray[Any], k: int, few: WeightedDraw, stream: Stream) -> Sets:
    out = np.empty((len(data), sets.width(k)), np.uint8)
    dtype = few.table.dtype.type
    one, last = dtype(1), dtype(k - 1)
    for start in range(0, len(data), _MANY):
        codes, part = data[start : start + _MANY], out[start : start + _MANY]
        drawn = stream.bytes(len(codes) * few.bits // 8)
        named = few.draw(whole_numbers(drawn, few.bits), stream)
        missing = codes < 0
        true = codes.astype(dtype)
        true[missing] = last
        differs = (named >> true ^ named >> last) & one
        named ^= differs << true | differs << last
        named[missing] = one << dtype(k)
        for place in range(part.shape[1]):
            part[:, place] = named >> dtype(8 * place)
    return out
