"""What mechanisms share that report several values of a question instead of one."""

from __future__ import annotations

import dataclasses
import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design.channels import SetChannel, ValueChannel
from ppworkbench.core.design.matrices.base import MAX_VALUES
from ppworkbench.core.design.perturbation import (
    CATEGORICAL,
    EPSILON,
    FreeParameter,
    Perturbation,
)
from ppworkbench.core.errors import DesignError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Annotated, Info
from ppworkbench.core.rng import Bytes, Stream

NO_MATRIX = Message(
    "Reports are sets of values here, so there is no transition matrix; choose another mechanism."
)
FEWEST_VALUES = 3
"""Of two values a set would be a single answer."""


@dataclass(frozen=True)
class SetPerturbation(Perturbation, ValueChannel, SetChannel):
    """A mechanism whose report names values, the true one more often than others.

    A set is ``e^ε`` times as likely for a value that it names as for one that it does not, so that
    all that an analyst needs are the probabilities g and h with which the true value and any other
    one is named: ``(share named - h) / (g - h)`` estimates a share without bias.
    """

    epsilon: Annotated[
        float, EPSILON, Info("Epsilon", "Epsilon between any two answers", item="epsilon")
    ] = 1.0

    kinds: ClassVar[frozenset[Kind]] = CATEGORICAL
    file_version: ClassVar[int] = 2

    def check(self, attribute: Attribute) -> None:
        super().check(attribute)
        if not FEWEST_VALUES <= attribute.k <= MAX_VALUES:
            raise DesignError.saying(
                "Attribute {attribute!r} has {k} values; sets are reported of {fewest} to {most}. "
                "Choose another mechanism.",
                k=attribute.k,
                fewest=FEWEST_VALUES,
                most=MAX_VALUES,
                attribute=attribute.name,
                field="type",
            )

    def matrix(self, k: int) -> Numbers:  # noqa: ARG002 (the interface of all perturbations)
        raise DesignError(NO_MATRIX, field="type")

    def distorted(self, attribute: Attribute) -> Attribute:
        return attribute.with_(kind=Kind.SET, set_size=self.naming(attribute.k).size)

    @classmethod
    def start(cls, attribute: Attribute, before: Numbers | None = None) -> Perturbation:  # noqa: ARG003
        if before is None or before.min() <= 0:
            return cls()
        epsilon = math.log(float((before.max(axis=1) / before.min(axis=1)).max()))
        return cls(epsilon=min(max(round(epsilon, 2), 0.01), EPSILON.high))

    @classmethod
    def why_not(cls, attribute: Attribute) -> str:
        if attribute.k >= FEWEST_VALUES:
            return ""
        return Message("A set of answers needs a question with at least 3 values.")

    def in_words(self, attribute: Attribute) -> str:
        naming = self.naming(attribute.k)
        if naming.size is None:
            return Message(
                "Every report is a set of values: it names the true one with {g:.3g} %, every "
                "other one with {h:.3g} %.",
                g=100 * naming.g,
                h=100 * naming.h,
            )
        return Message(
            "Every report is a set of {size} of {k} values: it names the true one with {g:.3g} %, "
            "every other one with {h:.3g} %.",
            size=naming.size,
            k=attribute.k,
            g=100 * naming.g,
            h=100 * naming.h,
        )

    def why_not_single(self, attribute: Attribute) -> Message | None:
        return Message(
            "Reports of {attribute!r} are sets of values, and this needs single answers; "
            "leave the attribute out or choose another mechanism.",
            attribute=attribute.name,
        )

    def analyst_note(self, attribute: Attribute) -> Message | None:
        """How often the sets name a value."""
        naming = self.naming(attribute.k)
        size = Message("sets of any size")
        if naming.size is not None:
            size = Message("sets of w = {size} values", size=naming.size)
        return Message(
            "{attribute}: {sets}; the true value is named with g = {g:.10g}, any other with "
            "h = {h:.10g}; share = (share of sets that name the value − h) / (g − h).",
            attribute=attribute.name,
            sets=size,
            g=naming.g,
            h=naming.h,
        )

    def page_words(self, attribute: Attribute) -> tuple[str, Mapping[str, float | str]]:
        naming = self.naming(attribute.k)
        told: dict[str, float | str] = {"true": naming.g, "other": naming.h}
        if naming.size is None:
            return "how_set", told
        return "how_subset", {**told, "size": naming.size, "all": attribute.k}

    def how_to_undo(self) -> str:
        return Message("share = (share of sets that name the value − h) / (g − h)")

    def epsilon_of(self, attribute: Attribute) -> float:
        """The epsilon of what is drawn, in whole numbers."""
        return math.log(self.naming(attribute.k).odds)

    def free_parameters(self, attribute: Attribute) -> tuple[FreeParameter, ...]:  # noqa: ARG002
        def put(value: float) -> Perturbation:
            return dataclasses.replace(self, epsilon=value)

        most, least = EPSILON.high, EPSILON.low
        return (FreeParameter("epsilon", most, least, put, scale="log", now=self.epsilon),)


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
