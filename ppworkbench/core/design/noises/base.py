"""What every perturbation of a number can tell about itself."""

from __future__ import annotations

import dataclasses
import math
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Attribute, Kind, outside_sentence, within_rounding
from ppworkbench.core.design.channels import NumberChannel
from ppworkbench.core.design.perturbation import NUMERIC, Perturbation
from ppworkbench.core.errors import DesignError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Annotated, Info, Within, declarations
from ppworkbench.core.rng import Stream

FARTHEST = 1e15
"""Doubles beyond it hardly have digits behind the point: noise and grid would not be what it says.
"""
NARROWEST = 1e-40
"""Numbers within so small a range are one and the same; squares of parts of it are no numbers."""
_DIGITS = 1e-9
"""The narrowest domain, as a part of its larger end: the digits of a double must tell it apart."""
_LEAST, _MOST = 1e-9, 1e9
"""The width of noise in widths of the domain: less changes no answer, more leaves no answer."""
_FINEST = 2.0**-40
"""The finest step in widths of the domain."""
SCALE = Within(0, 1e100, open_low=True)
"""Widths of noise and steps of a grid, before the domain is known."""
Step = Annotated[
    float | None, SCALE, Info("Grid", "Step of the reported numbers of a continuous attribute")
]
LEVEL = Within(1e-6, 1e6)
"""Range privacy in percent of the domain; the width of its noise is within what is possible."""


ONE_POINT = "The domain is a single value; widen it on the Data page."
"""Why some mechanisms cannot be chosen."""

_PIECE = 1 << 17
"""Numbers distorted at once: the working arrays then stay in the processor's cache."""

_MOST_PER_CELL = 128
"""Whole numbers of one cell that are looked at: a hundred thousand would tell the same, slowly."""

_NODES, _NODE_WEIGHTS = np.polynomial.legendre.leggauss(24)


@dataclass(frozen=True)
class NoisePerturbation(Perturbation, NumberChannel):
    """A perturbation of an integer or continuous attribute.

    Everything that reconstruction and privacy need follows from :meth:`conditional_cdf`. An integer
    attribute lives on whole numbers; its cells have their edges half-way between them.
    """

    kinds: ClassVar[frozenset[Kind]] = NUMERIC
    takes_one_point: ClassVar[bool] = False
    """Whether it can be had for a domain of a single value."""

    def check(self, attribute: Attribute) -> None:
        """Refuse a domain whose numbers the digits of a computer cannot tell apart."""
        super().check(attribute)
        why = why_not_domain(attribute)
        if why is None and attribute.width <= 0 and not self.takes_one_point:
            why = Message(
                "Attribute {attribute!r} has a domain of a single value; nothing can hide it.",
                attribute=attribute.name,
            )
        if why is not None:
            raise DesignError(why, attribute=attribute.name, field="domain")

    @classmethod
    def why_not(cls, attribute: Attribute) -> str:
        if attribute.width <= 0 and not cls.takes_one_point:
            return ONE_POINT
        return why_not_domain(attribute) or ""

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
        return z

    def distort(self, data: NDArray[Any], attribute: Attribute, stream: Stream) -> NDArray[Any]:
        data = np.asarray(data, np.float64)
        low, high = domain_of(attribute)
        out = np.empty(len(data))
        if self.draw_checked(out, data, attribute, stream):
            return out
        for part in pieces(len(data)):
            chunk = data[part]
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
        x, cell = whole_numbers(x_edges, *domain_of(attribute))
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
        return self.grid

    def widest_step(self, attribute: Attribute) -> float:
        """The widest step that hardly anybody would notice: a ten-thousandth of the range."""
        return attribute.width / 10_000

    def on_grid(self, attribute: Attribute) -> Self:
        if attribute.kind is not Kind.CONTINUOUS or self.grid is not None:
            return self
        width = attribute.width or 1.0
        grid = grid_below(min(self.widest_step(attribute), width))
        while grid < _FINEST * width:
            grid = grid_below(10.5 * grid)
        step: dict[str, Any] = {"grid": grid}
        return dataclasses.replace(self, **step)


def whole_numbers(x_edges: Numbers, low: float, high: float) -> tuple[Numbers, NDArray[np.intp]]:
    """Whole numbers of the domain and their cells; of very many in a cell an even selection."""
    first = np.maximum(np.ceil(x_edges[:-1]), low)
    last = np.minimum(np.ceil(x_edges[1:]) - 1, high)
    count = np.maximum(last - first + 1, 0)
    taken = np.minimum(count, _MOST_PER_CELL).astype(np.intp)
    cell = np.repeat(np.arange(len(taken)), taken)
    place = np.arange(len(cell)) - np.repeat(np.cumsum(taken) - taken, taken)
    x = first[cell] + np.floor((place + 0.5) * count[cell] / taken[cell])
    return x, cell


def pieces(count: int, size: int = _PIECE) -> Iterator[slice]:
    """The pieces in which so many numbers are distorted."""
    return (slice(start, start + size) for start in range(0, count, size))


def outside_domain(data: Numbers, attribute: Attribute) -> DesignError:
    low, high = within_rounding(domain_of(attribute))
    count = int(np.count_nonzero((data < low) | (data > high)))
    sentence = outside_sentence(attribute, count)
    return DesignError(sentence, attribute=attribute.name, field="domain")


def domain_of(attribute: Attribute) -> tuple[float, float]:
    assert attribute.domain is not None  # noqa: S101 (numeric attributes always have one)
    return attribute.domain


def refuse_integer_grid(grid: float | None, attribute: Attribute) -> None:
    if attribute.kind is Kind.INTEGER and grid is not None:
        raise DesignError.saying(
            "Attribute {attribute!r} is integer and reported in steps of 1; "
            "leave out the field 'grid'.",
            attribute=attribute.name,
            field="grid",
        )


def why_not_domain(attribute: Attribute) -> Message | None:
    """Why no number of the domain can be distorted, be there one or many; None if they can."""
    low, high = domain_of(attribute)
    far = max(abs(low), abs(high))
    if far > FARTHEST:
        return Message(
            "Attribute {attribute!r}: the domain [{low:g}, {high:g}] goes too far for random "
            "numbers; its ends must lie between {least:g} and {most:g}.",
            attribute=attribute.name,
            low=low,
            high=high,
            least=-FARTHEST,
            most=FARTHEST,
        )
    narrowest = max(_DIGITS * far, NARROWEST)
    if 0 < attribute.width < narrowest:
        return Message(
            "Attribute {attribute!r}: the domain [{low:.17g}, {high:.17g}] is too narrow for "
            "random numbers; its ends must lie at least {narrowest:.3g} apart.",
            attribute=attribute.name,
            low=low,
            high=high,
            narrowest=narrowest,
        )
    return None


def check_scale(noise: NoisePerturbation, field: str, attribute: Attribute) -> None:
    """Refuse a width of noise, if it is set, that changes no answer or leaves none."""
    scale: float | None = getattr(noise, field)
    width = attribute.width or 1.0
    within = Within(_LEAST * width, _MOST * width)
    if scale is not None and not within.holds(scale):
        label = next(one.info.label for one in declarations(type(noise)) if one.name == field)
        raise _beyond(label, scale, within, attribute, field)


def check_grid(grid: float | None, attribute: Attribute) -> None:
    """Refuse steps that are wider than the domain, or beyond all digits."""
    if grid is None or attribute.kind is Kind.INTEGER:
        return
    width = attribute.width or 1.0
    within = Within(_FINEST * width, width)
    if not within.holds(grid):
        raise _beyond("Grid", grid, within, attribute, "grid")


def _beyond(
    label: str, number: float, within: Within, attribute: Attribute, field: str
) -> DesignError:
    return DesignError.saying(
        "Attribute {attribute!r}: {label} is {number:g}; {demand}.",
        label=Message(label),
        number=number,
        demand=within.demand,
        attribute=attribute.name,
        field=field,
    )


def grid_below(fine: float) -> float:
    """The power of ten at or below a width; it says nothing about the data.

    >>> grid_below(2.5), grid_below(0.03)
    (1.0, 0.01)
    """
    return 10.0 ** math.floor(math.log10(fine)) if fine > 0 else 1.0


def step_on_page(grid: float | None, attribute: Attribute) -> float:
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


def centres(edges: Numbers, attribute: Attribute) -> Numbers:
    """The mean of the numbers in each cell, if they spread evenly."""
    if attribute.kind is Kind.INTEGER:
        return (np.ceil(edges[:-1]) + np.ceil(edges[1:]) - 1) / 2
    return (edges[:-1] + edges[1:]) / 2


def integer_edges(low: float, high: float) -> Numbers:
    """Cell edges half-way between the whole numbers from low to high."""
    return np.arange(np.ceil(low), np.floor(high) + 2) - 0.5


def on_grid(steps: Numbers, step: float) -> Numbers:
    """``steps * step``, with the shortest decimal form where the step is 0.1, 0.01, ...

    >>> on_grid(np.array([3.0]), 0.1).tolist()
    [0.3]
    """
    whole = parts_of(step)
    return steps * step if whole is None else steps / whole


def parts_of(step: float) -> int | None:
    """How many steps make 1, where that is a whole number of them above one."""
    parts = round(1 / step)
    return parts if step < 1 and abs(parts * step - 1) < 1e-12 else None
