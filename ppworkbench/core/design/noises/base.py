"""What every perturbation of a number can tell about itself."""

from __future__ import annotations

import dataclasses
import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design.perturbation import NUMERIC, Perturbation
from ppworkbench.core.errors import DesignError
from ppworkbench.core.params import Annotated, Info, Within
from ppworkbench.core.rng import Stream

SCALE = Within(0, 1e100, open_low=True)
"""Widths of noise and steps of a grid: their squares are still numbers."""
Step = Annotated[
    float | None, SCALE, Info("Grid", "Step of the reported numbers of a continuous attribute")
]
SMALLEST = 1e-50
"""A smaller width changes no answer, and its share in another may be beyond all numbers."""
LEVEL = Within(0, 1e6, open_low=True)
"""Range privacy in percent of the domain."""
WEIGHT = Within(0, 1e12)
"""A weight beside others; the number of people on earth is one."""

ONE_POINT = "The domain is a single value; widen it on the Data page."
"""Why some mechanisms cannot be chosen."""

_CHUNK = 1 << 17
"""Numbers distorted at once: the working arrays then stay in the processor's cache."""

_MOST_PER_CELL = 128
"""Whole numbers of one cell that are looked at: a hundred thousand would tell the same, slowly."""

_NODES, _NODE_WEIGHTS = np.polynomial.legendre.leggauss(24)


@dataclass(frozen=True)
class NoisePerturbation(Perturbation):
    """A perturbation of an integer or continuous attribute.

    Everything that reconstruction and privacy need follows from :meth:`conditional_cdf`. An integer
    attribute lives on whole numbers; its cells have their edges half-way between them.
    """

    kinds: ClassVar[frozenset[Kind]] = NUMERIC

    @abstractmethod
    def conditional_cdf(self, z: Numbers, x: Numbers, attribute: Attribute) -> Numbers:
        """Pr(Z <= z | X = x), broadcast over both."""

    @abstractmethod
    def support(self, attribute: Attribute) -> tuple[float, float]:
        """Where distorted values can lie, up to a negligible probability."""

    @abstractmethod
    def draw(self, data: Numbers, attribute: Attribute, stream: Stream) -> Numbers:
        """Distort numbers, NaN among them."""

    def draw_checked(
        self,
        out: Numbers,  # noqa: ARG002 (for those that can)
        data: Numbers,  # noqa: ARG002
        attribute: Attribute,  # noqa: ARG002
        stream: Stream,  # noqa: ARG002
    ) -> bool:
        """Check the domain and distort in one go where that is possible; False where not."""
        return False

    def draw_into(self, out: Numbers, data: Numbers, attribute: Attribute, stream: Stream) -> None:
        """Distort numbers into an array that is there already."""
        out[:] = self.draw(data, attribute, stream)

    def unbiased(self, z: Numbers, attribute: Attribute) -> Numbers | None:  # noqa: ARG002
        """A function u with E[u(Z) | X = x] = x; None where there is no simple one."""
        return z

    def distort(self, data: NDArray[Any], attribute: Attribute, stream: Stream) -> NDArray[Any]:
        """Distort numbers inside the domain; missing ones stay missing."""
        data = np.asarray(data, np.float64)
        low, high = domain_of(attribute)
        out = np.empty(len(data))
        for start in range(0, len(data), _CHUNK):
            part = slice(start, start + _CHUNK)
            chunk = data[part]
            if self.draw_checked(out[part], chunk, attribute, stream):
                continue
            lowest, highest = chunk.min(), chunk.max()
            if np.isnan(lowest):
                # Missing answers are no fault; passing over them takes longer.
                lowest, highest = np.fmin.reduce(chunk), np.fmax.reduce(chunk)
            if lowest < low or highest > high:
                raise outside_domain(data, attribute)
            self.draw_into(out[part], chunk, attribute, stream)
        return out

    def channel(self, x_edges: Numbers, z_edges: Numbers, attribute: Attribute) -> Numbers:
        """``A[s, p] = Pr(Z in cell s | X in cell p)``, X spread evenly over its cell.

        Integers spread over the whole numbers of a cell, reals by Gauss-Legendre quadrature.
        """
        if attribute.kind is Kind.INTEGER:
            return self._integer_channel(x_edges, z_edges, attribute)
        half = np.diff(x_edges) / 2
        centre = x_edges[:-1] + half
        result = np.zeros((len(z_edges) - 1, len(half)))
        for node, weight in zip(_NODES, _NODE_WEIGHTS, strict=True):
            x = centre + half * node
            below = self.conditional_cdf(z_edges[:, None], x[None, :], attribute)
            result += 0.5 * weight * np.diff(below, axis=0)
        return result

    def _integer_channel(self, x_edges: Numbers, z_edges: Numbers, attribute: Attribute) -> Numbers:
        x, cell = _whole_numbers(x_edges, *domain_of(attribute))
        result = np.zeros((len(z_edges) - 1, len(x_edges) - 1))
        for start in range(0, len(x), 1024):
            part = slice(start, start + 1024)
            mass = np.diff(self.conditional_cdf(z_edges[:, None], x[None, part], attribute), axis=0)
            # Numbers come in the order of their cells: every cell is one run of columns.
            cells, starts = np.unique(cell[part], return_index=True)
            result[:, cells] += np.add.reduceat(mass, starts, axis=1)
        count = np.bincount(cell, minlength=len(x_edges) - 1)
        return np.asarray(result / np.maximum(count, 1))


class GriddedNoise(NoisePerturbation):
    """Noise whose real numbers can be reported in steps of a grid."""

    # Each declares it behind its own parameters: people meet them in the order of declaration.
    grid: float | None

    @property
    def published_step(self) -> float | None:
        """The grid of real numbers."""
        return self.grid

    def widest_step(self, attribute: Attribute) -> float:
        """The widest step that hardly anybody would notice: a ten-thousandth of the range."""
        return attribute.width / 10_000

    def on_grid(self, attribute: Attribute) -> Self:
        """The same with steps of about the widest for a real number."""
        if attribute.kind is not Kind.CONTINUOUS or self.grid is not None:
            return self
        step: dict[str, Any] = {"grid": grid_below(self.widest_step(attribute))}
        return dataclasses.replace(self, **step)


def _whole_numbers(x_edges: Numbers, low: float, high: float) -> tuple[Numbers, NDArray[np.intp]]:
    """Whole numbers of the domain and their cells; of very many in a cell an even selection."""
    first = np.maximum(np.ceil(x_edges[:-1]), low)
    last = np.minimum(np.ceil(x_edges[1:]) - 1, high)
    count = np.maximum(last - first + 1, 0)
    taken = np.minimum(count, _MOST_PER_CELL).astype(np.intp)
    cell = np.repeat(np.arange(len(taken)), taken)
    place = np.arange(len(cell)) - np.repeat(np.cumsum(taken) - taken, taken)
    x = first[cell] + np.floor((place + 0.5) * count[cell] / taken[cell])
    return x, cell


def outside_domain(data: Numbers, attribute: Attribute) -> DesignError:
    """The error that tells how many numbers lie outside of the design's domain."""
    low, high = domain_of(attribute)
    count = int(np.count_nonzero((data < low) | (data > high)))
    return DesignError.saying(
        "Attribute {attribute!r} has {count} value(s) outside the design's "
        "domain [{low:g}, {high:g}]; widen the domain or correct the data.",
        count=count,
        low=low,
        high=high,
        attribute=attribute.name,
        field="domain",
    )


def domain_of(attribute: Attribute) -> tuple[float, float]:
    """The domain of a numeric attribute."""
    assert attribute.domain is not None  # noqa: S101 (numeric attributes always have one)
    return attribute.domain


def check_grid(grid: float | None, attribute: Attribute) -> None:
    """Refuse steps that are wider than the domain, or beyond all digits."""
    if grid is None or attribute.kind is Kind.INTEGER:
        return
    widest = attribute.width or SCALE.high
    if not SMALLEST / 1e6 <= grid <= widest:
        raise DesignError.saying(
            "Attribute {attribute!r}: reported numbers cannot lie on a grid of step "
            "{grid:g}; choose a step of at most {widest:g}.",
            grid=grid,
            widest=widest,
            attribute=attribute.name,
            field="grid",
        )


def grid_below(fine: float) -> float:
    """The power of ten at or below a width; it says nothing about the data.

    >>> grid_below(2.5), grid_below(0.03)
    (1.0, 0.01)
    """
    return 10.0 ** math.floor(math.log10(fine)) if fine > 0 else 1.0


def step_on_page(grid: float | None, attribute: Attribute) -> float:
    """The step of numbers that a questionnaire page sends."""
    if attribute.kind is Kind.INTEGER:
        return 1.0
    assert grid is not None  # noqa: S101 (a publishable design has a grid)
    return grid


def two_digits(value: float) -> float:
    """Two significant digits: nobody needs the borders of chance more precisely."""
    return round(value, 1 - math.floor(math.log10(value))) if value > 0 else value


def moments(edges: Numbers, mass: Numbers, attribute: Attribute) -> tuple[float, float]:
    """The mean and the mean square of a number that is spread evenly over cells."""
    middle, width = (edges[:-1] + edges[1:]) / 2, np.diff(edges)
    # n neighbouring whole numbers vary by (n² - 1) / 12, a continuous slice by w² / 12.
    steps = 1.0 if attribute.kind is Kind.INTEGER else 0.0
    inside = np.maximum(width**2 - steps, 0.0) / 12
    return float(mass @ middle), float(mass @ (middle**2 + inside))


def range_of(attribute: Attribute) -> float:
    """The width of the domain, refused when there is none to speak of."""
    width = attribute.width
    if width <= 0:
        raise DesignError.saying(
            "Attribute {attribute!r} has a domain of a single value; a range privacy "
            "in percent needs a wider domain.",
            attribute=attribute.name,
            field="domain",
        )
    return width


def integer_edges(low: float, high: float) -> Numbers:
    """Cell edges half-way between the whole numbers from low to high."""
    return np.arange(np.ceil(low), np.floor(high) + 2) - 0.5


def on_grid(steps: Numbers, step: float) -> Numbers:
    """``steps * step``, with the shortest decimal form where the step is 0.1, 0.01, ...

    >>> on_grid(np.array([3.0]), 0.1).tolist()
    [0.3]
    """
    parts = round(1 / step)
    if step < 1 and abs(parts * step - 1) < 1e-12:
        return steps / parts
    return steps * step
