"""Numbers that are reported as one of two numbers, alone or mixed with the piecewise mechanism.

Duchi, Jordan and Wainwright (2018) report one of two numbers outside of the domain, the upper one
the more often the larger the true number is. Wang et al. (2019) mix this with the piecewise
mechanism. Everything happens on a grid and in whole numbers, so that epsilon is that of the
program that runs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design.noises.base import on_grid
from ppworkbench.core.design.noises.lattice import PointMechanism, UndoneNoise
from ppworkbench.core.design.noises.window import Lattice, Piecewise
from ppworkbench.core.design.perturbation import perturbations
from ppworkbench.core.message import Message
from ppworkbench.core.rng import Stream

_WORD = 1 << 53
"""Outcomes of one draw: a double of a stream has so many."""
_SPARE = 64
"""Outcomes that are left out, because what is wanted of them is rounded."""

SMALLEST_MIXED = math.log(
    (-5 + 2 * math.cbrt(6353 - 405 * math.sqrt(241)) + 2 * math.cbrt(6353 + 405 * math.sqrt(241)))
    / 27
)
"""Up to this epsilon, 0.60935, a mixture with the piecewise mechanism has a larger worst variance
than two reports alone."""

NOT_VALUES = "Reported numbers are not values of the attribute; only their mean can be used."
ONLY_MEAN = (
    "Attribute {attribute!r} is reported as one of two numbers, which tell its mean only; its "
    "distribution cannot be reconstructed."
)


@dataclass(frozen=True)
class TwoReports:
    """One of two reports, in steps of the grid, counted from the lowest point of the domain.

    The chance of the upper report is a straight line in the true point, in whole numbers too: that
    makes the estimate exactly unbiased.

    Parameters
    ----------
    points
        How many points the domain has.
    epsilon
        The epsilon that is wanted.
    reach
        How many points beyond the domain the reports lie; by default where they would be unbiased
        estimates themselves.

    Examples
    --------
    >>> ages = TwoReports(73, 1.0)
    >>> ages.reports, round(ages.exact_epsilon, 9)
    ((-42, 114), 1.0)
    """

    points: int
    epsilon: float
    reach: int = 0

    def __post_init__(self) -> None:
        """Put the reports where ``±coth(ε/2)`` lies, at least one step outside of the domain."""
        if not self.reach:
            beyond = (1 / math.tanh(self.epsilon / 2) - 1) * self._half
            object.__setattr__(self, "reach", max(round(beyond), 1))

    @property
    def _half(self) -> float:
        return (self.points - 1) / 2

    @property
    def reports(self) -> tuple[int, int]:
        return -self.reach, self.points - 1 + self.reach

    @property
    def cells(self) -> tuple[int, int, int]:
        """Outcomes of the upper report at the lowest point, more for each step, and all."""
        last = self.points - 1
        more = math.floor((_WORD - _SPARE) * math.tanh(self.epsilon / 2) / last)
        # Rounding up makes epsilon smaller, never larger.
        least = math.ceil(more * last / math.expm1(self.epsilon))
        return least, more, 2 * least + more * last

    @property
    def exact_epsilon(self) -> float:
        least, more, _ = self.cells
        return math.log1p(more * (self.points - 1) / least)

    @property
    def spread(self) -> float:
        """How far from the middle of the domain the estimates are: ``coth(ε/2)`` half-widths."""
        _, more, every = self.cells
        return every / (more * (self.points - 1)) * self._half

    def upper(self, point: Numbers) -> Numbers:
        least, more, every = self.cells
        return np.asarray((least + more * point) / every)

    def estimate(self, report: Numbers) -> Numbers:
        """The straight line that makes the two reports unbiased."""
        middle = self._half
        return np.asarray(middle + (report - middle) * (self.spread / (middle + self.reach)))

    def variance(self, mean: float, square: float) -> float:  # noqa: ARG002
        return self.mean_square(mean) - mean**2

    def mean_square(self, mean: float) -> float:
        """The mean square of the estimate for true points of that mean."""
        # The distance from the middle is always the same.
        return self.spread**2 + 2 * self._half * mean - self._half**2

    def cdf(self, report: Numbers, point: Numbers) -> Numbers:
        """Pr(a report <= ``report``), both being spread over the step around them."""
        low, high = self.reports
        upper = self.upper(point)
        below = np.clip(report - low + 0.5, 0.0, 1.0) * (1 - upper)
        return np.asarray(below + np.clip(report - high + 0.5, 0.0, 1.0) * upper)

    def mean_cdf(self, report: Numbers, edges: Numbers) -> None:
        """The points are looked at one by one."""

    def draw(
        self,
        points: NDArray[np.int64],
        stream: Stream,
        words: NDArray[np.int64] | None = None,
    ) -> NDArray[np.int64]:
        """A report for every true point, each from one whole number below 2⁵³."""
        words = (stream.random(len(points)) * _WORD).astype(np.int64) if words is None else words
        least, more, every = self.cells
        # What is left over belongs to nobody, and hardly ever comes up.
        for place in np.flatnonzero(words >= every):
            words[place] = _draw_below(every, stream)
        low, high = self.reports
        return np.where(words < least + more * points, high, low)


def _draw_below(most: int, stream: Stream) -> int:
    while True:
        word = int.from_bytes(stream.bytes(7).tobytes(), "little") >> 3
        if word < most:
            return word


@perturbations.register(
    "duchi",
    "Two numbers (Duchi)",
    short="Two numbers",
    rank=17,
    hint="only the mean matters, small epsilon; reports are no values of the attribute",
)
@dataclass(frozen=True)
class Duchi(UndoneNoise):
    """One of two numbers outside of the domain; what is best for means at a small epsilon.

    For a domain scaled to [-1, 1] it is ``±coth(ε/2)``, plus with probability
    ``1/2 + t tanh(ε/2) / 2``. The variance of the estimate at t is ``coth²(ε/2) - t²``.

    References
    ----------
    J. C. Duchi, M. I. Jordan and M. J. Wainwright (2018), "Minimax optimal procedures for locally
    private estimation", JASA 113.
    """

    type_name: ClassVar[str] = "duchi"

    def reports(self, attribute: Attribute) -> TwoReports:
        return TwoReports(self.points(attribute), self.epsilon)

    def mechanism(self, attribute: Attribute) -> TwoReports:
        return self.reports(attribute)

    def why_only_mean(self, attribute: Attribute) -> str:
        return Message(ONLY_MEAN, attribute=attribute.name)

    def cautions(self, attribute: Attribute) -> Iterator[str]:  # noqa: ARG002
        yield Message(NOT_VALUES)

    def report_ranges(self, attribute: Attribute) -> tuple[tuple[float, float], ...]:
        low, high = self.support(attribute)
        return (low, low), (high, high)

    def epsilon_step_of(self, attribute: Attribute) -> float | None:
        least, more, _ = self.reports(attribute).cells
        return math.log1p(more / least)

    def in_words(self, attribute: Attribute) -> str:
        low, high = self.support(attribute)
        return Message(
            "Only {low:.6g} or {high:.6g} is reported, the larger one the more often the larger "
            "the true number is; these are not values of the attribute.",
            low=low,
            high=high,
        )

    def how_to_undo(self) -> str:
        return Message("the mean report is a straight line in the true number; nothing else")

    def page_words(self, attribute: Attribute) -> tuple[str, Mapping[str, float | str]]:
        low, high = self.support(attribute)
        reports = self.reports(attribute)
        least, most = reports.upper(np.array([0.0, reports.points - 1.0]))
        return "how_two_numbers", {
            "low": low,
            "high": high,
            "least": float(least),
            "most": float(most),
        }

    def page_draw(self, attribute: Attribute) -> dict[str, Any]:
        return {
            "type": "two_numbers",
            "first": self.first_point(attribute),
            "step": self.step_of(attribute),
            **_page_cells(self.reports(attribute)),
        }

    def summary(self) -> str:
        return Message("two numbers, epsilon {epsilon:.3g}", epsilon=self.epsilon)


def _page_cells(reports: TwoReports) -> dict[str, Any]:
    least, more, every = reports.cells
    low, high = reports.reports
    return {"least": least, "more": more, "every": every, "lower": low, "upper": high}


@dataclass(frozen=True)
class Mixture:
    """The piecewise mechanism with some probability, else one of two reports beyond its reach.

    Parameters
    ----------
    window
        The piecewise part.
    two
        The two reports.
    border
        How many of 2⁵³ outcomes of a first draw choose the window.
    """

    window: Lattice
    two: TwoReports
    border: int

    @property
    def share(self) -> float:
        return self.border / _WORD

    @property
    def reach(self) -> int:
        return self.two.reach

    @property
    def exact_epsilon(self) -> float:
        """The larger one of the two parts, both in whole numbers."""
        return max(self.window.exact_epsilon, self.two.exact_epsilon)

    def cdf(self, report: Numbers, point: Numbers) -> Numbers:
        near, far = self.window.cdf(report, point), self.two.cdf(report, point)
        return self.share * near + (1 - self.share) * far

    def mean_cdf(self, report: Numbers, edges: Numbers) -> Numbers:
        near = self.window.mean_cdf(report, edges)
        # The chance of the upper report is a straight line: its mean is that at the middle.
        far = self.two.cdf(report, (edges[..., :-1] + edges[..., 1:]) / 2)
        return self.share * near + (1 - self.share) * far

    def is_in_window(self, report: Numbers) -> NDArray[np.bool_]:
        reach = self.window.reach + 0.5
        return np.asarray((report > -reach) & (report < self.window.points - 1 + reach), np.bool_)

    def estimate(self, report: Numbers) -> Numbers:
        """Unbiased for either part, hence for both."""
        near, far = self.window.estimate(report), self.two.estimate(report)
        return np.where(self.is_in_window(report), near, far)

    def variance(self, mean: float, square: float) -> float:
        """The variance of the estimate for true points of that mean and mean square."""
        near = self.window.variance(mean, square) + mean**2
        far = self.two.mean_square(mean)
        return self.share * near + (1 - self.share) * far - mean**2

    def draw(self, points: NDArray[np.int64], stream: Stream) -> NDArray[np.int64]:
        """A report for every true point: the first whole number chooses the part."""
        words = (stream.random(2 * len(points)) * _WORD).astype(np.int64).reshape(-1, 2)
        is_near = words[:, 0] < self.border
        found = np.empty(len(points), np.int64)
        far = ~is_near
        found[far] = self.two.draw(points[far], stream, words[far, 1])
        found[is_near] = self._draw_near(points[is_near], words[is_near, 1], stream)
        return found

    def _draw_near(
        self, points: NDArray[np.int64], words: NDArray[np.int64], stream: Stream
    ) -> NDArray[np.int64]:
        """A report from the window, or from elsewhere in its range, each from one whole number."""
        lattice = self.window
        inside, outside = lattice.cells
        border = inside * lattice.size
        used = border + outside * (lattice.points - 1)
        for place in np.flatnonzero(words >= used):
            words[place] = _draw_below(used, stream)
        near = points - lattice.reach
        far = (words - border) // outside - lattice.reach
        far += np.where(far >= near, lattice.size, 0)
        return np.where(words < border, near + words // inside, far)


@perturbations.register(
    "hybrid",
    "Hybrid, for means",
    short="Hybrid",
    rank=15,
    hint="only the mean matters; reports are not values of the attribute",
)
@dataclass(frozen=True)
class Hybrid(UndoneNoise):
    """Piecewise with probability ``1 - e^(-ε/2)``, else one of two numbers.

    Its worst variance of a mean is smaller than that of either. Up to epsilon 0.60935 only one of
    two numbers is reported.

    References
    ----------
    N. Wang et al. (2019), "Collecting and analyzing multidimensional data with local differential
    privacy", ICDE.
    """

    type_name: ClassVar[str] = "hybrid"

    @property
    def _is_mixed(self) -> bool:
        return self.epsilon > SMALLEST_MIXED

    @property
    def _alone(self) -> Duchi:
        return Duchi(epsilon=self.epsilon, grid=self.grid)

    def mechanism(self, attribute: Attribute) -> PointMechanism:
        return (self.mixture if self._is_mixed else self._alone.mechanism)(attribute)

    def mixture(self, attribute: Attribute) -> Mixture:
        points = self.points(attribute)
        window = Lattice(
            points, Piecewise(epsilon=self.epsilon).published_reach(points), self.epsilon
        )
        two = TwoReports(points, self.epsilon)
        if two.reach <= window.reach:
            # Reports of the two parts are told apart, which costs no epsilon.
            two = TwoReports(points, self.epsilon, window.reach + 1)
        return Mixture(window, two, math.floor(-math.expm1(-self.epsilon / 2) * _WORD))

    def why_only_mean(self, attribute: Attribute) -> str:
        return "" if self._is_mixed else self._alone.why_only_mean(attribute)

    def cautions(self, attribute: Attribute) -> Iterator[str]:
        if not self._is_mixed:
            yield from self._alone.cautions(attribute)
            return
        yield Message("Reported numbers are not values of the attribute.")

    def report_ranges(self, attribute: Attribute) -> tuple[tuple[float, float], ...]:
        if not self._is_mixed:
            return self._alone.report_ranges(attribute)
        (low, high), window = self.support(attribute), self.mixture(attribute).window
        first = self.first_point(attribute)
        ends = np.array([first - window.reach, first + window.points - 1 + window.reach], float)
        near, far = on_grid(ends, self.step_of(attribute)).tolist()
        return (low, low), (near, far), (high, high)

    def in_words(self, attribute: Attribute) -> str:
        if not self._is_mixed:
            return self._alone.in_words(attribute)
        mixture = self.mixture(attribute)
        inside = mixture.window.size * math.exp(self.epsilon) / mixture.window.total
        low, high = self.support(attribute)
        return Message(
            "{near:.3g} % of reports lie within {far:,.6g} of the true number, {two:.3g} % are "
            "{low:.6g} or {high:.6g}, the rest lie anywhere else; reports are not values of the "
            "attribute.",
            near=100 * mixture.share * inside,
            far=mixture.window.reach * self.step_of(attribute),
            two=100 * (1 - mixture.share),
            low=low,
            high=high,
        )

    def how_to_undo(self) -> str:
        if not self._is_mixed:
            return self._alone.how_to_undo()
        return Message("a straight line for each of the two parts gives the mean; EM for shares")

    def page_words(self, attribute: Attribute) -> tuple[str, Mapping[str, float | str]]:
        if not self._is_mixed:
            return self._alone.page_words(attribute)
        mixture = self.mixture(attribute)
        step, first = self.step_of(attribute), self.first_point(attribute)
        inside = mixture.window.size * math.exp(self.epsilon) / mixture.window.total
        low, high = self.support(attribute)
        last = first + mixture.window.points - 1 + mixture.window.reach
        return "how_hybrid", {
            "near": mixture.window.reach * step,
            "inside": mixture.share * inside,
            "two": 1 - mixture.share,
            "low": low,
            "high": high,
            "from": (first - mixture.window.reach) * step,
            "to": last * step,
        }

    def page_draw(self, attribute: Attribute) -> dict[str, Any]:
        if not self._is_mixed:
            return self._alone.page_draw(attribute)
        mixture = self.mixture(attribute)
        inside, outside = mixture.window.cells
        return {
            "type": "hybrid",
            "first": self.first_point(attribute),
            "step": self.step_of(attribute),
            "border": mixture.border,
            "points": mixture.window.points,
            "reach": mixture.window.reach,
            "inside": inside,
            "outside": outside,
            **_page_cells(mixture.two),
        }

    def summary(self) -> str:
        return Message("hybrid, epsilon {epsilon:.3g}", epsilon=self.epsilon)
