"""Laplace noise on a grid, with the epsilon that is asked for."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design.noises.base import two_digits
from ppworkbench.core.design.noises.lattice import LatticeNoise
from ppworkbench.core.design.perturbation import perturbations
from ppworkbench.core.design.sampler import MatrixSampler, whole_columns
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Annotated, Info
from ppworkbench.core.rng import Stream

_NEGLIGIBLE = 40.0
"""Beyond e^-40 a step is never drawn."""
_RARE = 16.0
"""About e^-16 of all steps are drawn in two parts, so that chances keep their digits far out."""
_GROUP = 5
"""Digits that are drawn together; of more digits too many values would need a second byte."""
_WORD = 1 << 53
_UNUSED_BITS = 2
"""A word has 64 bits, of which a number below 2^62 takes 62."""
_SIGN = 63
_OFTEN = 0.95


@perturbations.register(
    "laplace",
    "Laplace, set by epsilon",
    short="Laplace noise",
    rank=16,
    hint="simple noise for means",
)
@dataclass(frozen=True)
class Laplace(LatticeNoise):
    """Steps j with probability ``α^|j| (1 - α) / (1 + α)`` and ``α = e^(-ε / (m - 1))``.

    ``inside`` re-draws until the report lies in the domain. That costs no epsilon: the columns of
    both ends are divided by the same sum. ``absorb`` reports what falls beyond an end as that end,
    which is the geometric mechanism of bounded whole numbers.
    """

    inside: Annotated[
        bool, Info("Stay in the domain", "Redraw until the reported number is in the domain")
    ] = False

    absorb: Annotated[
        bool,
        Info("Report the nearest end", "Report a number beyond an end of the domain as that end"),
    ] = False

    type_name: ClassVar[str] = "laplace"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.inside and self.absorb:
            raise ParameterError(
                "Redraw numbers beyond the domain or report its end, not both.", field="absorb"
            )

    @property
    def is_cut(self) -> bool:
        return self.inside or self.absorb

    def rate(self, attribute: Attribute) -> float:
        """Epsilon of one step."""
        return self.epsilon / (self.points(attribute) - 1)

    def report_points(
        self, points: NDArray[np.int64], attribute: Attribute, stream: Stream
    ) -> NDArray[np.int64]:
        rate = self.rate(attribute)
        count = self.points(attribute)
        steps = draw_steps(rate, len(points), stream)
        if self.absorb:
            return np.asarray(np.clip(points + steps, 0, count - 1))
        if not self.inside:
            return points + steps
        # How far a step goes does not depend on its side. Of those that stay inside the side is
        # drawn anew, and a geometric number beyond the end begins again at the true point: what is
        # left when it is divided by a number of points is a geometric number below that.
        far = steps ^ (steps >> _SIGN)
        words = (stream.random(len(points)) * _WORD).astype(np.int64)
        is_right = words < _chances_right(rate, count)[points]
        room = np.where(is_right, count - points, points)
        far %= np.maximum(room, 1)
        return np.where(is_right, points + far, points - 1 - far)

    def lattice_cdf(self, report: Numbers, point: Numbers, attribute: Attribute) -> Numbers:
        rate = self.rate(attribute)
        if self.absorb:
            return _absorbed_cdf(rate, self.points(attribute), report, point)
        below = _laplace_cdf(rate, report - point)
        if not self.inside:
            return below
        low = _laplace_cdf(rate, -0.5 - point)
        high = _laplace_cdf(rate, self.points(attribute) - 0.5 - point)
        return np.clip((below - low) / (high - low), 0.0, 1.0)

    def mean_cdf(self, report: Numbers, edges: Numbers, attribute: Attribute) -> Numbers:
        if self.is_cut or not self.is_fine(attribute):
            return super().mean_cdf(report, edges, attribute)
        integral = _integrated_cdf(self.rate(attribute), report[:, None] - edges[None, :])
        return np.asarray(-np.diff(integral, axis=1) / np.diff(edges))

    @property
    def has_exact_channel(self) -> bool:
        return not self.is_cut

    def overhang(self, attribute: Attribute) -> int:
        return 0 if self.is_cut else math.ceil(_NEGLIGIBLE / self.rate(attribute))

    def unbiased(self, z: Numbers, attribute: Attribute) -> Numbers | None:  # noqa: ARG002
        return None if self.is_cut else z

    def unbiased_variance(self, attribute: Attribute, mean: float, square: float) -> float | None:
        """``Var X + 2α / (1 - α)²`` in squared steps."""
        if self.is_cut:
            return None
        noise = step_variance(self.rate(attribute)) * self.step_of(attribute) ** 2
        return max(square - mean**2, 0.0) + noise

    def conditional_bits(self, attribute: Attribute, edges: Numbers, mass: Numbers) -> float | None:
        """The entropy of the steps, or the mean over the cells of what is left of it inside."""
        rate, step = self.rate(attribute), self.step_of(attribute)
        if not self.is_cut:
            odds = math.exp(-rate)
            # E|j| = 2α / (1 - α²).
            steps = 2 * odds / -math.expm1(-2 * rate)
            bits = math.log2((1 + odds) / -math.expm1(-rate)) + rate * steps / math.log(2)
            return bits + math.log2(step)
        count = self.points(attribute)
        x = np.clip(self.steps((edges[1:] + edges[:-1]) / 2, attribute), 0, count - 1)
        bits_at = _absorbed_bits if self.absorb else _inside_bits
        inside = np.array([bits_at(rate, count, float(point)) for point in x])
        return float(mass @ inside) + math.log2(step)

    def epsilon_of(self, attribute: Attribute) -> float:  # noqa: ARG002
        """The epsilon that was asked for: the domain is a whole number of steps."""
        return self.epsilon

    def epsilon_step_of(self, attribute: Attribute) -> float | None:
        """Epsilon between neighbouring points of the grid.

        What lies inside differs most between an end and its neighbour.
        """
        rate = self.rate(attribute)
        if not self.inside:
            return rate
        count = self.points(attribute)
        end = _reach(rate, np.int64(count))
        next_to_it = _reach(rate, np.int64(2)) + math.exp(-rate) * _reach(rate, np.int64(count - 2))
        return rate + math.log(float(next_to_it / end))

    def interval_width(self, confidence: float, attribute: Attribute) -> float | None:
        """The smallest odd number of steps that hold the original with that confidence."""
        if self.is_cut:
            return None
        rate, odds = self.rate(attribute), math.exp(-self.rate(attribute))
        # Pr(|j| <= s) = 1 - 2 α^(s + 1) / (1 + α).
        steps = math.log((1 - confidence) * (1 + odds) / 2) / -rate - 1
        return (2 * max(steps, 0.0) + 1) * self.step_of(attribute)

    def how_to_undo(self) -> str:
        if self.is_cut:
            return Message("EM over bins; the mean is biased at the ends of the domain")
        return Message("the mean of the reported numbers is unbiased; EM for shares")

    def in_words(self, attribute: Attribute) -> str:
        return Message(
            "A random number is added to every answer; 95 times in 100 it is below {far:.4g}.",
            far=self._usual_reach(attribute),
        )

    def _usual_reach(self, attribute: Attribute) -> float:
        """How far from 0 the middle 95 of 100 numbers lie at most."""
        return math.log(1 - _OFTEN) / -self.rate(attribute) * self.step_of(attribute)

    def page_words(self, attribute: Attribute) -> tuple[str, Mapping[str, float | str]]:
        far = self._usual_reach(attribute)
        far = float(math.ceil(far)) if attribute.kind is Kind.INTEGER else two_digits(far)
        return "how_additive", {"low": -far, "high": far}

    def page_draw(self, attribute: Attribute) -> dict[str, Any]:
        return {
            "type": "steps",
            "rate": self.rate(attribute),
            "step": self.step_of(attribute),
            "first": self.first_point(attribute),
            "points": self.points(attribute),
            "stays": self.inside,
            "absorbs": self.absorb,
        }

    def summary(self) -> str:
        return Message("Laplace, epsilon {epsilon:.3g}", epsilon=self.epsilon)


def step_variance(rate: float) -> float:
    """The variance of discrete Laplace steps, ``2α / (1 - α)²``.

    >>> round(step_variance(1 / 72), 1), round(step_variance(2 / 72), 1)
    (10367.8, 2591.8)
    """
    return 2 * math.exp(-rate) / math.expm1(-rate) ** 2


def draw_steps(rate: float, n: int, stream: Stream) -> NDArray[np.int64]:
    """Discrete Laplace steps: the difference of two geometric numbers.

    With α = e^-rate a step goes right or nowhere with probability ``1 / (1 + α)`` and then is a
    geometric number G; else it is -1 - G. The binary digits of G are independent, and so are groups
    of them: the value v of digits from the i-th on comes with a probability in proportion to
    ``e^(-rate 2^i v)``. A byte decides nearly every group, as it does about an answer. So there is
    no logarithm between the randomness and the report.
    """
    digits = _digits(rate)
    groups = len(digits.shifts)
    codes = np.tile(np.arange(groups, dtype=np.int8), n)
    drawn = digits.sampler.draw(codes, stream).reshape(n, groups)
    # Codes of the highest group come twice: first those to the right, then those to the left.
    top = drawn[:, -1]
    is_left = top >= digits.codes
    high: NDArray[np.int64] = np.where(is_left, top - digits.codes, top).astype(np.int64)
    for row in np.flatnonzero(high == digits.codes - 1):
        high[row] += digits.draw_more(stream)
    steps = high << digits.shifts[-1]
    for place, shift in enumerate(digits.shifts[:-1]):
        steps += drawn[:, place].astype(np.int64) << shift
    # All digits turned over make G into -1 - G.
    steps ^= -is_left.astype(np.int64)
    return steps


@dataclass(frozen=True, eq=False)
class _Digits:
    """Groups of digits from the lowest to the highest, a column of the sampler for each."""

    sampler: MatrixSampler
    shifts: tuple[int, ...]
    """At which digit every group begins."""
    borders: NDArray[np.int64]
    """The cumulated chances of the highest group, of 2^62; the last is to go on beyond it."""

    @property
    def codes(self) -> int:
        """How many codes of the highest group stand for steps to the right."""
        return len(self.borders)

    def draw_more(self, stream: Stream) -> int:
        """What is added to a number beyond the highest group: it begins again there."""
        more = 0
        while True:
            place = int(stream.rare_words(1)[0]) >> _UNUSED_BITS
            code = int(np.searchsorted(self.borders, place, side="right"))
            more += code
            if code < self.codes - 1:
                return more


@lru_cache(maxsize=64)
def _digits(rate: float) -> _Digits:
    # The highest group begins where a digit is worth an epsilon of about 1.
    low = max(math.ceil(-math.log2(rate)), 0)
    shifts = (*range(0, low, _GROUP), low)
    step = rate * 2.0**low
    count = math.ceil(_RARE / step)
    high = np.append(-math.expm1(-step) * np.exp(-step * np.arange(count)), math.exp(-step * count))
    columns = [np.concatenate([high, math.exp(-rate) * high])]
    for start, end in pairwise(shifts):
        columns.insert(-1, np.exp(-rate * 2.0**start * np.arange(1 << (end - start))))
    matrix = np.zeros((max(map(len, columns)), len(columns)))
    for place, column in enumerate(columns):
        matrix[: len(column), place] = column / column.sum()
    borders = np.cumsum(whole_columns(high[:, None]), axis=0)[:, 0]
    return _Digits(MatrixSampler(matrix), shifts, borders)


@lru_cache(maxsize=8)
def _chances_right(rate: float, points: int) -> NDArray[np.int64]:
    """How many of 2^53 draws go right or nowhere from each point, if none may leave the domain."""
    point = np.arange(points)
    right = _reach(rate, points - point)
    left = _reach(rate, 1 + point) - _reach(rate, np.int64(1))
    chances: NDArray[np.int64] = np.rint(right / (right + left) * _WORD).astype(np.int64)
    # Both sides are possible but for the lowest point.
    chances[1:] = np.clip(chances[1:], 1, _WORD - 1)
    return chances


def _reach(rate: float, steps: NDArray[np.int64] | np.int64) -> Any:
    """``1 - α^steps``, exact where it is small."""
    return -np.expm1(-rate * steps)


def _laplace_cdf(rate: float, distance: Numbers) -> Numbers:
    """Pr(steps <= distance), the mass of each whole step being spread over the step around it.

    At half-way between two steps it is exact; between, a straight line joins them.
    """
    whole = np.floor(distance + 0.5)
    share = distance + 0.5 - whole
    odds = math.exp(-rate)
    at, before = _whole_cdf(rate, odds, whole), _whole_cdf(rate, odds, whole - 1)
    return np.asarray(before + share * (at - before))


def _absorbed_cdf(rate: float, points: int, report: Numbers, point: Numbers) -> Numbers:
    """The same where the ends of the domain take what falls beyond them."""
    whole = np.floor(report + 0.5)
    share = report + 0.5 - whole
    odds = math.exp(-rate)

    def below(steps: Numbers) -> Numbers:
        inner = np.where(steps < 0, 0.0, _whole_cdf(rate, odds, steps - point))
        return np.asarray(np.where(steps >= points - 1, 1.0, inner))

    at, before = below(whole), below(whole - 1)
    return np.asarray(before + share * (at - before))


def _whole_cdf(rate: float, odds: float, steps: Numbers) -> Numbers:
    tail = np.exp(-rate * np.abs(steps)) / (1 + odds)
    return np.asarray(np.where(steps < 0, tail, 1 - odds * tail))


def _integrated_cdf(rate: float, distance: Numbers) -> Numbers:
    return np.asarray(np.maximum(distance, 0.0) + np.exp(-rate * np.abs(distance)) / (2 * rate))


def _absorbed_bits(rate: float, points: int, point: float) -> float:
    mass = np.exp(-rate * np.abs(np.arange(points) - np.rint(point)))
    # An end takes what lies beyond it: (1 - α)(1 + α + α² + ...) = 1.
    mass[1:-1] *= -math.expm1(-rate)
    mass /= 1 + math.exp(-rate)
    return float(-(mass @ np.log2(np.maximum(mass, 1e-300))))


def _inside_bits(rate: float, points: int, point: float) -> float:
    steps = np.arange(points) - point
    mass = np.exp(-rate * np.abs(steps))
    mass /= mass.sum()
    return float(-(mass @ np.log2(np.maximum(mass, 1e-300))))
