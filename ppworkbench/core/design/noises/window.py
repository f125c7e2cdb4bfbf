"""Numbers that are reported from a window around them more often than from elsewhere.

Square wave (Li, Wang, Lopuhaä-Zwakenberg, Skoric, Li 2020) and piecewise (Wang et al. 2019) are one
family: they differ in how wide the window is. Everything happens on a grid, so that epsilon is that
of the numbers that are published.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design.noises.base import domain_of, on_grid, outside_domain, parts_of, pieces
from ppworkbench.core.design.noises.lattice import UndoneNoise
from ppworkbench.core.design.perturbation import perturbations
from ppworkbench.core.kernels import Kernel
from ppworkbench.core.message import Message
from ppworkbench.core.params import Annotated, Info, OneOf
from ppworkbench.core.rng import Stream

PUBLISHED, WORST = "published", "worst"
_WORD_BITS = 53
_WORD = 1 << _WORD_BITS
"""Outcomes of one draw: the script of a questionnaire page has doubles only."""
_FEW_BITS, _MANY_BITS = 16, 31
_FEW_REPORTS = 2048
"""With more points too many numbers of 16 bits would be left over."""
_PIECE = 1 << 20
"""Numbers that the compiled loop, which has no working arrays to speak of, distorts at once."""


@dataclass(frozen=True)
class Lattice:
    """The window mechanism in steps of its grid, counted from the lowest point of the domain.

    Parameters
    ----------
    points
        How many points the domain has.
    reach
        How many points on each side of the true one are in the window.
    epsilon
        The epsilon that is wanted.
    """

    points: int
    reach: int
    epsilon: float

    @property
    def size(self) -> int:
        return 2 * self.reach + 1

    @property
    def total(self) -> float:
        """What the weights e^ε inside and 1 outside add up to."""
        return self.size * math.exp(self.epsilon) + self.points - 1

    @property
    def cells(self) -> tuple[int, int]:
        """How many of 2⁵³ equally likely outcomes each point inside, and each outside, has."""
        outside = max(math.floor(_WORD / self.total), 1)
        return math.floor(outside * math.exp(self.epsilon)), outside

    @property
    def exact_epsilon(self) -> float:
        inside, outside = self.cells
        return math.log(inside / outside)

    @property
    def slope(self) -> float:
        """How much the mean report rises with the true point."""
        return self.size * math.expm1(self.epsilon) / self.total

    @property
    def start(self) -> float:
        """The mean report of the lowest point."""
        return (self.points + 2 * self.reach) * (self.points - 1) / 2 / self.total

    def variance(self, mean: float, square: float) -> float:
        """The variance of the unbiased estimate for true points of that mean and mean square.

        >>> ages = Lattice(73, 18, 1.0)
        >>> round(ages.variance(36, 36**2), 1), round(ages.variance(0, 0), 1)
        (4916.8, 7138.8)
        """
        b = self.reach
        # Reports run from -b to b beyond the highest point.
        everywhere = _squares(self.points - 1 + b) + _squares(b)
        window = self.size * square + b * (b + 1) * (2 * b + 1) / 3
        mean_square = (everywhere + math.expm1(self.epsilon) * window) / self.total
        report = self.start + self.slope * mean
        return (mean_square - report**2) / self.slope**2

    def estimate(self, report: Numbers) -> Numbers:
        """The mean report is a straight line in the true point, which can be undone."""
        return (report - self.start) / self.slope

    @property
    def worst_variance(self) -> float:
        """The variance at an end of the domain, where it is largest."""
        return self.variance(0.0, 0.0)

    def cdf(self, report: Numbers, point: Numbers) -> Numbers:
        b = self.reach + 0.5
        below = np.clip(report + b, 0.0, self.points - 1 + 2 * b)
        inside = np.clip(report - point + b, 0.0, self.size)
        return (below + math.expm1(self.epsilon) * inside) / self.total

    def mean_cdf(self, report: Numbers, edges: Numbers) -> Numbers:
        b = self.reach + 0.5
        below = np.clip(report + b, 0.0, self.points - 1 + 2 * b)
        integral = _ramp_integral(report - edges + b, float(self.size))
        inside = -np.diff(integral, axis=-1) / np.diff(edges)
        return (below + math.expm1(self.epsilon) * inside) / self.total

    def bits(self) -> float:
        """The entropy of a report, the true point being known."""
        outside = 1 / self.total
        inside = math.exp(self.epsilon) * outside
        return -(
            self.size * inside * math.log2(inside)
            + (self.points - 1) * outside * math.log2(outside)
        )

    def draw(self, points: NDArray[np.int64], stream: Stream) -> NDArray[np.int64]:
        cells = _find_cells(self)
        numbers = cells.numbers(stream, len(points))
        if cells.bits == _FEW_BITS:
            reports = self._look_up(points, numbers, cells.border)
        else:
            reports = self._report(points, numbers.astype(np.int64), cells.inside, cells.outside)
        rows = np.flatnonzero(numbers >= cells.used)
        reports[rows] = self.draw_rest(points[rows], numbers[rows].astype(np.int64), stream)
        return reports

    def _look_up(
        self, points: NDArray[np.int64], numbers: NDArray[Any], border: int
    ) -> NDArray[np.int64]:
        """What ``_report`` gives for numbers of 16 bits, without dividing each of them."""
        reports = _report_table(self).take(numbers, mode="clip")
        true = points.astype(np.int32)
        is_far = numbers >= np.uint16(border)
        # The far reports leave out the window.
        is_beyond = reports >= true - np.int32(self.reach)
        is_beyond &= is_far
        true *= ~is_far
        reports += true
        reports += is_beyond * np.int32(self.size)
        return reports.astype(np.int64)

    def draw_rest(
        self, points: NDArray[np.int64], numbers: NDArray[np.int64], stream: Stream
    ) -> NDArray[np.int64]:
        """Reports of those whose first number is left over: what is left, from further bits."""
        cells = _find_cells(self)
        inside, outside = (
            one - (own << cells.rest_bits)
            for one, own in zip(self.cells, (cells.inside, cells.outside), strict=True)
        )
        words = stream.words(len(points)) >> np.uint64(64 - cells.rest_bits)
        rest = ((numbers - cells.used) << cells.rest_bits) + words.astype(np.int64)
        reports = self._report(points, rest, inside, outside)
        # What is still left over belongs to nobody, and hardly ever comes up.
        for row in np.flatnonzero(rest >= inside * self.size + outside * (self.points - 1)):
            whole = _draw_below(
                self.cells[0] * self.size + self.cells[1] * (self.points - 1), stream
            )
            reports[row] = self._report(points[row : row + 1], np.array([whole]), *self.cells)[0]
        return reports

    def _report(
        self, points: NDArray[np.int64], numbers: NDArray[np.int64], inside: int, outside: int
    ) -> NDArray[np.int64]:
        border = inside * self.size
        near = points - self.reach
        far = (numbers - border) // max(outside, 1) - self.reach
        far += np.where(far >= near, self.size, 0)
        return np.where(numbers < border, near + numbers // max(inside, 1), far)


@dataclass(frozen=True)
class _Cells:
    """How many of 2^bits equally likely numbers each point inside, and each outside, has whole.

    As ``rest_bits`` further bits decide about the numbers that are left over, nothing is rounded.
    """

    bits: int
    inside: int
    outside: int
    border: int
    used: int

    @property
    def rest_bits(self) -> int:
        return _WORD_BITS - self.bits

    def numbers(self, stream: Stream, n: int) -> NDArray[Any]:
        """Drawn numbers below 2^bits."""
        if self.bits == _FEW_BITS:
            return np.require(stream.bytes(2 * n).view("<u2"), requirements="A")
        return np.require(stream.bytes(4 * n).view("<u4"), requirements="A") >> np.uint32(1)

    @property
    def plan(self) -> tuple[float, float, float, float]:
        border, used = float(self.border), float(self.used)
        return border, used, 1 / max(self.inside, 1), 1 / max(self.outside, 1)


@lru_cache(maxsize=256)
def _find_cells(lattice: Lattice) -> _Cells:
    reports = lattice.points + 2 * lattice.reach
    bits = _FEW_BITS if reports <= _FEW_REPORTS else _MANY_BITS
    inside, outside = (one >> (_WORD_BITS - bits) for one in lattice.cells)
    border = inside * lattice.size
    return _Cells(bits, inside, outside, border, border + outside * (lattice.points - 1))


@lru_cache(maxsize=32)
def _report_table(lattice: Lattice) -> NDArray[np.int32]:
    """For every number of 16 bits, how far it leads from the true point, or to which far report."""
    cells, numbers = _find_cells(lattice), np.arange(1 << _FEW_BITS)
    near = numbers // max(cells.inside, 1)
    far = (numbers - cells.border) // max(cells.outside, 1)
    return (np.where(numbers < cells.border, near, far) - lattice.reach).astype(np.int32)


def _window_loop(  # noqa: PLR0913, PLR0917 (the compiled loop knows no classes)
    data: Any, numbers: Any, out: Any, rows: Any, plan: Any, shape: Any, steps: Any, domain: Any
) -> Any:
    # All whole numbers here are so small that doubles hold them; the processor takes several
    # doubles at a time. A half more keeps a quotient from being rounded to the one above it.
    border, used, part_in, part_out = plan
    first, reach, size = shape
    step, parts = steps
    low, high = domain
    outside = 0
    for i in range(data.size):
        value = data[i]
        # Both are false for a missing answer.
        outside += (value < low) | (value > high)
        number = np.float64(numbers[i])
        near = np.rint(value / step - first) - reach
        inside = near + np.floor((number + 0.5) * part_in)
        far = np.floor((number - border + 0.5) * part_out) - reach
        far = far + size if far >= near else far
        report = (inside if number < border else far) + first
        report = report / parts if parts > 0 else report * step
        out[i] = np.nan if value != value else report  # noqa: PLR0124 (so is only what is missing)
    count = np.uint64(0)
    for i in range(data.size):
        rows[count] = i
        count += np.uint64(numbers[i] >= used)
    return count, outside


def _window_example(dtype: type) -> tuple[Any, ...]:
    data: NDArray[Any] = np.zeros(4)
    numbers: NDArray[Any] = np.zeros(4, dtype)
    data.flags.writeable = numbers.flags.writeable = False
    plan, shape, pair = (1.0, 2.0, 1.0, 1.0), (0.0, 1.0, 3.0), (1.0, 0.0)
    return data, numbers, np.zeros(4), np.zeros(5, np.int32), plan, shape, pair, pair


WINDOW_KERNEL = Kernel(
    _window_loop, lambda: _window_example(np.uint16), lambda: _window_example(np.uint32)
)


def _squares(n: int) -> float:
    return n * (n + 1) * (2 * n + 1) / 6


def _ramp_integral(y: Numbers, width: float) -> Numbers:
    """The integral from 0 to y of what rises from 0 to the width and then stays."""
    inside = np.clip(y, 0.0, width)
    return inside**2 / 2 + width * np.maximum(y - width, 0.0)


def _draw_below(most: int, stream: Stream) -> int:
    while True:
        word = int(stream.rare_words(1)[0]) >> (64 - _WORD_BITS)
        if word < most:
            return word


@lru_cache(maxsize=256)
def best_reach(points: int, epsilon: float) -> int:
    """The reach with which the worst variance of a mean is smallest."""

    def worst(reach: int) -> float:
        return Lattice(points, reach, epsilon).worst_variance

    low, high = 0, points
    while high - low > 2:
        # The variance falls and then rises, so that a third of the range can be left out.
        first, second = low + (high - low) // 3, high - (high - low) // 3
        if worst(first) <= worst(second):
            high = second
        else:
            low = first
    return min(range(low, high + 1), key=worst)


@dataclass(frozen=True)
class WindowNoise(UndoneNoise):
    """What square wave and piecewise share: all but the width of the window."""

    window: Annotated[
        str,
        OneOf((PUBLISHED, WORST)),
        Info("Window", "Width as published, or with the smallest worst variance of a mean"),
    ] = PUBLISHED

    @abstractmethod
    def published_reach(self, points: int) -> int:
        """Points on each side of the true one, by the formula of the authors."""

    def lattice(self, attribute: Attribute) -> Lattice:
        points = self.points(attribute)
        if self.window == WORST:
            return Lattice(points, best_reach(points, self.epsilon), self.epsilon)
        return Lattice(points, self.published_reach(points), self.epsilon)

    def mechanism(self, attribute: Attribute) -> Lattice:
        return self.lattice(attribute)

    def draw_checked(
        self, out: Numbers, data: Numbers, attribute: Attribute, stream: Stream
    ) -> bool:
        if WINDOW_KERNEL.compiled is None:
            return False
        data = data.view()
        data.flags.writeable = False
        for part in pieces(len(data), _PIECE):
            if not self._draw_compiled(out[part], data[part], attribute, stream):
                raise outside_domain(data, attribute)
        return True

    def _draw_compiled(
        self, out: Numbers, data: Numbers, attribute: Attribute, stream: Stream
    ) -> bool:
        """Distort numbers that may not be written to; False where one is outside of the domain."""
        assert WINDOW_KERNEL.compiled is not None  # noqa: S101 (tells the type checker)
        lattice, step = self.lattice(attribute), self.step_of(attribute)
        first, cells = self.first_point(attribute), _find_cells(lattice)
        numbers = cells.numbers(stream, len(data))
        numbers.flags.writeable = False
        rows = np.empty(len(data) + 1, np.int32)
        shape = float(first), float(lattice.reach), float(lattice.size)
        steps = step, float(parts_of(step) or 0)
        count, outside = WINDOW_KERNEL.compiled(
            data, numbers, out, rows, cells.plan, shape, steps, domain_of(attribute)
        )
        if outside:
            return False
        rows = rows[:count]
        points = self.true_points(data[rows], attribute)
        drawn = lattice.draw_rest(points, numbers[rows].astype(np.int64), stream)
        rest = on_grid((drawn + first).astype(np.float64), step)
        out[rows] = np.where(np.isnan(data[rows]), np.nan, rest)
        return True

    def conditional_bits(
        self,
        attribute: Attribute,
        edges: Numbers,  # noqa: ARG002
        mass: Numbers,  # noqa: ARG002
    ) -> float | None:
        return self.lattice(attribute).bits() + math.log2(self.step_of(attribute))

    def in_words(self, attribute: Attribute) -> str:
        inside, near = self._nearness(attribute)
        return Message(
            "{inside:.3g} % of reports lie within {near:,.6g} of the true number, the rest "
            "anywhere else.",
            inside=100 * inside,
            near=near,
        )

    def _nearness(self, attribute: Attribute) -> tuple[float, float]:
        lattice = self.lattice(attribute)
        inside = lattice.size * math.exp(self.epsilon) / lattice.total
        return inside, lattice.reach * self.step_of(attribute)

    def how_to_undo(self) -> str:
        return Message("the mean report is a straight line in the true number; EM for shares")

    def page_words(self, attribute: Attribute) -> tuple[str, Mapping[str, float | str]]:
        low, high = self.support(attribute)
        inside, near = self._nearness(attribute)
        return "how_window", {
            "inside": inside,
            "near": near,
            "low": low,
            "high": high,
        }

    def page_draw(self, attribute: Attribute) -> dict[str, Any]:
        lattice = self.lattice(attribute)
        inside, outside = lattice.cells
        return {
            "type": "window",
            "points": lattice.points,
            "reach": lattice.reach,
            "inside": inside,
            "outside": outside,
            "first": self.first_point(attribute),
            "step": self.step_of(attribute),
        }


@perturbations.register("square_wave", "Square wave", rank=12, hint="for the whole distribution")
@dataclass(frozen=True)
class SquareWave(WindowNoise):
    """The window that tells most about the whole distribution."""

    type_name: ClassVar[str] = "square_wave"
    best_algorithm: ClassVar[str] = "ems"

    def published_reach(self, points: int) -> int:
        """``⌊β m⌋`` with ``β = (ε e^ε - e^ε + 1) / (2 e^ε (e^ε - 1 - ε))``.

        >>> SquareWave(epsilon=1.0).published_reach(73), SquareWave(epsilon=2.0).published_reach(73)
        (18, 9)
        """
        return math.floor(wave_width(self.epsilon) * points)

    def summary(self) -> str:
        return Message("square wave, epsilon {epsilon:.3g}", epsilon=self.epsilon)


@perturbations.register("piecewise", "Piecewise", rank=14, hint="for means, also of large epsilons")
@dataclass(frozen=True)
class Piecewise(WindowNoise):
    """The window that was made for means."""

    type_name: ClassVar[str] = "piecewise"

    def published_reach(self, points: int) -> int:
        """The nearest to a window of ``m e^(-ε/2)`` points.

        >>> Piecewise(epsilon=1.0).published_reach(73)
        22
        """
        return max(round((points * math.exp(-self.epsilon / 2) - 1) / 2), 0)

    def summary(self) -> str:
        return Message("piecewise, epsilon {epsilon:.3g}", epsilon=self.epsilon)


def wave_width(epsilon: float) -> float:
    """The half-width of the square wave's window, in widths of the domain.

    >>> [round(wave_width(one), 5) for one in (0.5, 1.0, 2.0, 4.0)]
    [0.35816, 0.25608, 0.12934, 0.03043]
    """
    odds, rest = math.exp(epsilon), math.expm1(epsilon) - epsilon
    if epsilon < 0.01:
        # Both parts are differences of nearly equal numbers there; a half at 0.
        return 0.5 - epsilon / 3 + epsilon**2 / 9
    return (epsilon * odds - math.expm1(epsilon)) / (2 * odds * rest)
