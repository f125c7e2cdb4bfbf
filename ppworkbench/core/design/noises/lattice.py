"""Numbers on a grid of points, for mechanisms whose epsilon is that of what is published."""

from __future__ import annotations

import dataclasses
import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design.noises.base import (
    GriddedNoise,
    Step,
    domain_of,
    grid_below,
    on_grid,
    refuse_integer_grid,
)
from ppworkbench.core.design.perturbation import EPSILON, FreeParameter, Perturbation
from ppworkbench.core.errors import DesignError
from ppworkbench.core.params import Annotated, Info
from ppworkbench.core.rng import Stream

MOST_POINTS = 10**6
_STEPS = 1000
"""About so many points has the grid of a real number for which none was chosen."""

_FINE = 400
"""From so many points on, cells of real numbers have several of them."""
_NODES = 32
"""Numbers of a cell that are looked at where the points are few."""
_ROUNDING = 1e-9


@dataclass(frozen=True)
class LatticeNoise(GriddedNoise):
    """A mechanism of points, counted from the lowest; the domain is rounded out to them."""

    epsilon: Annotated[
        float, EPSILON, Info("Epsilon", "Epsilon between the ends of the domain", item="epsilon")
    ] = 1.0
    grid: Step = None

    file_version: ClassVar[int] = 2

    @abstractmethod
    def report_points(
        self, points: NDArray[np.int64], attribute: Attribute, stream: Stream
    ) -> NDArray[np.int64]:
        """Reports for true points."""

    @abstractmethod
    def lattice_cdf(self, report: Numbers, point: Numbers, attribute: Attribute) -> Numbers:
        """Pr(a report <= ``report``), every point being spread over the step around it."""

    @abstractmethod
    def overhang(self, attribute: Attribute) -> int:
        """How many points beyond the domain a report can lie."""

    def check(self, attribute: Attribute) -> None:
        super().check(attribute)
        refuse_integer_grid(self.grid, attribute)
        step = self.step_of(attribute)
        if not attribute.width / MOST_POINTS <= step <= attribute.width:
            raise DesignError.saying(
                "Attribute {attribute!r}: the domain has {count:.3g} steps of {step:g}; there must "
                "be 1 to {most:,}.",
                count=attribute.width / step,
                step=step,
                most=MOST_POINTS,
                attribute=attribute.name,
                field="grid",
            )

    def step_of(self, attribute: Attribute) -> float:
        if attribute.kind is Kind.INTEGER:
            return 1.0
        return self.grid if self.grid is not None else grid_below(self.widest_step(attribute))

    def widest_step(self, attribute: Attribute) -> float:
        return attribute.width / _STEPS

    def first_point(self, attribute: Attribute) -> int:
        """The number of steps from 0 to the lowest point."""
        return math.floor(domain_of(attribute)[0] / self.step_of(attribute) + _ROUNDING)

    def points(self, attribute: Attribute) -> int:
        last = math.ceil(domain_of(attribute)[1] / self.step_of(attribute) - _ROUNDING)
        return last - self.first_point(attribute) + 1

    def steps(self, numbers: Numbers, attribute: Attribute) -> Numbers:
        return numbers / self.step_of(attribute) - self.first_point(attribute)

    def draw(self, data: Numbers, attribute: Attribute, stream: Stream) -> Numbers:
        points = self.true_points(data, attribute)
        drawn = self.report_points(points, attribute, stream) + self.first_point(attribute)
        out = on_grid(drawn.astype(np.float64), self.step_of(attribute))
        out[np.isnan(data)] = np.nan
        return out

    def true_points(self, data: Numbers, attribute: Attribute) -> NDArray[np.int64]:
        """The points nearest to numbers; 0 for missing ones."""
        steps = np.rint(self.steps(data, attribute))
        steps[np.isnan(data)] = 0.0
        return steps.astype(np.int64)

    def conditional_cdf(self, z: Numbers, x: Numbers, attribute: Attribute) -> Numbers:
        report = np.floor(self.steps(z, attribute) + _ROUNDING) + 0.5
        return self.lattice_cdf(report, np.rint(self.steps(x, attribute)), attribute)

    def channel(self, x_edges: Numbers, z_edges: Numbers, attribute: Attribute) -> Numbers:
        """``A[s, p] = Pr(Z in cell s | X in cell p)``; a point on an edge is above it."""
        if attribute.kind is Kind.INTEGER:
            return super().channel(x_edges, z_edges, attribute)
        report = np.ceil(self.steps(z_edges, attribute) - _ROUNDING) - 0.5
        report[-1] = np.floor(self.steps(z_edges[-1:], attribute)[0] + _ROUNDING) + 0.5
        below = self.mean_cdf(report, self.steps(x_edges, attribute), attribute)
        return np.maximum(np.diff(below, axis=0), 0.0)

    def mean_cdf(self, report: Numbers, edges: Numbers, attribute: Attribute) -> Numbers:
        """Pr(a report <= ``report``) for points spread evenly between neighbouring edges."""
        middle = (np.arange(_NODES) + 0.5) / _NODES
        result = np.zeros((len(report), len(edges) - 1))
        for part in middle:
            point = np.rint(edges[:-1] + part * np.diff(edges))
            result += self.lattice_cdf(report[:, None], point[None, :], attribute)
        return result / _NODES

    def is_fine(self, attribute: Attribute) -> bool:
        """Whether points lie so close that numbers need not be rounded to them."""
        return self.points(attribute) >= _FINE

    def support(self, attribute: Attribute) -> tuple[float, float]:
        first, reach = self.first_point(attribute), self.overhang(attribute)
        ends = np.array([first - reach, first + self.points(attribute) - 1 + reach], float)
        low, high = on_grid(ends, self.step_of(attribute))
        return float(low), float(high)

    def free_parameters(self, attribute: Attribute) -> tuple[FreeParameter, ...]:  # noqa: ARG002
        def put(value: float) -> Perturbation:
            return dataclasses.replace(self, epsilon=value)

        most, least = EPSILON.high, EPSILON.low
        return (FreeParameter("epsilon", most, least, put, scale="log", now=self.epsilon),)


class PointMechanism(Protocol):
    """A mechanism in steps of the grid, counted from the lowest point of the domain."""

    @property
    def reach(self) -> int:
        """How many points beyond the domain a report can lie."""

    @property
    def exact_epsilon(self) -> float:
        """The epsilon of what is drawn, in whole numbers."""

    def draw(self, points: NDArray[np.int64], stream: Stream) -> NDArray[np.int64]:
        """A report for every true point."""

    def cdf(self, report: Numbers, point: Numbers) -> Numbers:
        """Pr(a report <= ``report``), every point being spread over the step around it."""

    def mean_cdf(self, report: Numbers, edges: Numbers) -> Numbers | None:
        """The same for points spread evenly between edges; None where that has no formula."""

    def estimate(self, report: Numbers) -> Numbers:
        """The unbiased estimate of the true points."""

    def variance(self, mean: float, square: float) -> float:
        """The variance of the estimate for true points of that mean and mean square."""


class UndoneNoise(LatticeNoise):
    """A mechanism of points whose reports straight lines make unbiased."""

    @abstractmethod
    def mechanism(self, attribute: Attribute) -> PointMechanism:
        """What happens in steps of the grid."""

    def report_points(
        self, points: NDArray[np.int64], attribute: Attribute, stream: Stream
    ) -> NDArray[np.int64]:
        return self.mechanism(attribute).draw(points, stream)

    def lattice_cdf(self, report: Numbers, point: Numbers, attribute: Attribute) -> Numbers:
        return self.mechanism(attribute).cdf(report, point)

    def mean_cdf(self, report: Numbers, edges: Numbers, attribute: Attribute) -> Numbers:
        found = None
        if self.is_fine(attribute):
            found = self.mechanism(attribute).mean_cdf(report[:, None], edges[None, :])
        return super().mean_cdf(report, edges, attribute) if found is None else found

    def overhang(self, attribute: Attribute) -> int:
        return self.mechanism(attribute).reach

    @property
    def has_exact_channel(self) -> bool:
        return True

    def unbiased(self, z: Numbers, attribute: Attribute) -> Numbers | None:
        points = self.mechanism(attribute).estimate(self.steps(z, attribute))
        return (points + self.first_point(attribute)) * self.step_of(attribute)

    def unbiased_variance(self, attribute: Attribute, mean: float, square: float) -> float | None:
        step, first = self.step_of(attribute), self.first_point(attribute)
        steps, squares = mean / step - first, square / step**2 - 2 * first * mean / step + first**2
        return self.mechanism(attribute).variance(steps, squares) * step**2

    def epsilon_of(self, attribute: Attribute) -> float:
        """The epsilon of what is drawn, in whole numbers."""
        return self.mechanism(attribute).exact_epsilon
