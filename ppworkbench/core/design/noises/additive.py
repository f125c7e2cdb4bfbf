"""Additive noise: Z = X + Y with uniform, normal or Laplace Y."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design.noises.base import (
    LEVEL,
    SCALE,
    GriddedNoise,
    Step,
    check_grid,
    check_scale,
    domain_of,
    on_grid,
    outside_domain,
    pieces,
    range_of,
    refuse_integer_grid,
    two_digits,
    whole_numbers,
)
from ppworkbench.core.design.noises.distribution import (
    MANY_STEPS,
    LaplaceNoise,
    Noise,
    NormalNoise,
    SteppedNoise,
    UniformNoise,
)
from ppworkbench.core.design.perturbation import FreeParameter, Perturbation, perturbations
from ppworkbench.core.errors import DesignError, ParameterError
from ppworkbench.core.kernels import Kernel
from ppworkbench.core.message import Message
from ppworkbench.core.params import Annotated, Info, OneOf
from ppworkbench.core.rng import Stream


def add_loop(out: Any, data: Any, scale: float, low: float, high: float) -> int:
    """Make noise of scale 1 in ``out`` the sum; how many answers lie outside of the domain."""
    outside = 0
    for i in range(data.size):
        value = data[i]
        # Both are false for a missing answer.
        outside += (value < low) | (value > high)
        out[i] = out[i] * scale + value
    return outside


def _add_example() -> tuple[Any, ...]:
    data = np.zeros(4)
    data.flags.writeable = False
    return np.zeros(4), data, 1.0, 0.0, 1.0


ADD_KERNEL = Kernel(add_loop, _add_example)


_SCALES = {"uniform": "half_width", "normal": "sigma", "laplace": "scale"}
_NOISES: dict[str, Callable[[float], Noise]] = {
    noise.name: noise for noise in (UniformNoise, NormalNoise, LaplaceNoise)
}
_OFTEN = 0.95
"""How often added numbers lie between the borders that a respondent is told."""
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(48)


@perturbations.register(
    "additive",
    "Additive noise",
    short="Add noise",
    rank=10,
    hint="for teaching: simple noise",
)
@dataclass(frozen=True)
class Additive(GriddedNoise):
    """Noise of mean zero, set by its own scale or by range privacy.

    ``truncate`` re-draws until the distorted value lies in the domain; ``grid`` publishes whole
    multiples of a step only. See :mod:`ppworkbench.core.design.noises.distribution` for the integer
    rules.
    """

    noise: Annotated[str, OneOf(tuple(_SCALES)), Info("Noise", "Distribution of the noise")] = (
        "uniform"
    )
    half_width: Annotated[
        float | None, SCALE, Info("Half-width", "Half-width of uniform noise")
    ] = None
    sigma: Annotated[
        float | None,
        SCALE,
        Info("Sigma", "Standard deviation of normal noise"),
    ] = None
    scale: Annotated[float | None, SCALE, Info("Scale", "Scale b of Laplace noise")] = None
    range_privacy: Annotated[
        float | None,
        LEVEL,
        Info("Range privacy", "Entropy privacy of the noise in percent of the domain", "%"),
    ] = None
    integer: Annotated[
        str | None,
        OneOf(("staircase", "round", "floor")),
        Info("Integer rule", "Rounding of noise on an integer attribute"),
    ] = None
    truncate: Annotated[
        bool, Info("Stay in the domain", "Redraw until the reported number is in the domain")
    ] = False
    grid: Step = None

    type_name: ClassVar[str] = "additive"
    # Studies hold it whose domain is that of the data, all of them alike.
    takes_one_point: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        own = _SCALES[self.noise]
        for name in _SCALES.values():
            if name != own and getattr(self, name) is not None:
                raise ParameterError.saying(
                    "The field {name!r} does not belong to {noise} noise; use {own!r}.",
                    name=name,
                    noise=Message(self.noise),
                    own=own,
                    field=name,
                )
        if (getattr(self, own) is None) == (self.range_privacy is None):
            raise ParameterError.saying(
                "{noise} noise needs either {own!r} or a range privacy.",
                noise=Message(self.noise.capitalize()),
                own=own,
                field=own,
            )
        if self.integer == "floor" and self.noise != "uniform":
            raise ParameterError(
                "Rounding down needs uniform noise; choose another rule for integers.",
                field="integer",
            )

    def to_json(self) -> dict[str, Any]:
        result = super().to_json()
        if not self.truncate:
            del result["truncate"]
        return result

    def check(self, attribute: Attribute) -> None:
        super().check(attribute)
        if attribute.kind is Kind.CONTINUOUS and self.integer is not None:
            raise DesignError.saying(
                "Attribute {attribute!r} is continuous; the field 'integer' applies "
                "to integers only.",
                attribute=attribute.name,
                field="integer",
            )
        refuse_integer_grid(self.grid, attribute)
        check_grid(self.grid, attribute)
        if self.range_privacy is not None:
            range_of(attribute)
        check_scale(self, _SCALES[self.noise], attribute)

    def noise_of(self, attribute: Attribute) -> Noise:
        return _NOISES[self.noise](self._scale(attribute))

    def _scale(self, attribute: Attribute) -> float:
        own: float | None = getattr(self, _SCALES[self.noise])
        return self._scale_for_level(attribute) if own is None else own

    def _scale_for_level(self, attribute: Attribute) -> float:
        assert self.range_privacy is not None  # noqa: S101 (checked on construction)
        width = self.range_privacy / 100 * range_of(attribute)
        unit = _NOISES[self.noise](1.0)
        if attribute.kind is Kind.INTEGER and self.noise == "uniform" and self.integer != "round":
            # 2m + 1 equally likely steps have an entropy privacy of 2m + 1.
            return max(1.0, math.floor((width - 1) / 2 + 0.5))
        return width / unit.entropy_privacy

    def steps_of(self, attribute: Attribute) -> SteppedNoise | None:
        if attribute.kind is Kind.INTEGER:
            return SteppedNoise(self.noise_of(attribute), 1.0, self.integer or "staircase")
        if self.grid is not None:
            return SteppedNoise(self.noise_of(attribute), self.grid, "round")
        return None

    def added_noise(self, attribute: Attribute) -> Noise | None:
        return None if self.truncate else self.noise_of(attribute)

    def widest_step(self, attribute: Attribute) -> float:
        """A thousandth of the noise.

        >>> salary = Attribute("salary", Kind.CONTINUOUS, domain=(0, 10_000))
        >>> Additive(noise="normal", sigma=2_500.0).on_grid(salary).grid
        1.0
        >>> Additive(noise="normal", sigma=30.0).on_grid(salary).grid
        0.01
        """
        return self._scale(attribute) / 1_000

    def draw_checked(
        self, out: Numbers, data: Numbers, attribute: Attribute, stream: Stream
    ) -> bool:
        if (
            ADD_KERNEL.compiled is None
            or self.noise != "normal"
            or self._is_more_than_a_sum(attribute)
        ):
            return False
        data = data.view()
        data.flags.writeable = False
        scale = self.noise_of(attribute).scale
        for part in pieces(len(data)):
            stream.fill_normal(out[part])
            if ADD_KERNEL.compiled(out[part], data[part], scale, *domain_of(attribute)):
                raise outside_domain(data, attribute)
        return True

    def _is_more_than_a_sum(self, attribute: Attribute) -> bool:
        return self.truncate or self.grid is not None or attribute.kind is Kind.INTEGER

    def draw_into(self, out: Numbers, data: Numbers, attribute: Attribute, stream: Stream) -> None:
        if self._is_more_than_a_sum(attribute):
            super().draw_into(out, data, attribute, stream)
            return
        self.noise_of(attribute).fill(out, stream)
        out += data

    def draw(self, data: Numbers, attribute: Attribute, stream: Stream) -> Numbers:
        stepped = self.steps_of(attribute)
        low, high = domain_of(attribute)
        if stepped is None:
            noise = self.noise_of(attribute)
            if not self.truncate:
                return data + noise.sample(len(data), stream)
            below, upto = noise.cdf(low - data), noise.cdf(high - data)
            u = below + stream.random(len(data)) * (upto - below)
            return np.clip(data + noise.ppf(u), low, high)
        origin = np.rint(data / stepped.step)
        if not self.truncate:
            return on_grid(origin + stepped.sample(len(data), stream), stepped.step)
        first, last = np.ceil(low / stepped.step - 1e-9), np.floor(high / stepped.step + 1e-9)
        steps = stepped.sample_between(first - origin, last - origin, stream)
        return on_grid(origin + steps, stepped.step)

    def conditional_cdf(self, z: Numbers, x: Numbers, attribute: Attribute) -> Numbers:
        low, high = domain_of(attribute)
        if attribute.kind is Kind.INTEGER:
            stepped = self.steps_of(attribute)
            assert stepped is not None  # noqa: S101 (integers always step)
            below = stepped.cdf(np.floor(z) - x)
            start, end = stepped.cdf(low - 1 - x), stepped.cdf(high - x)
        else:
            # A grid is far finer than any cell, so the continuous channel is used with it.
            noise = self.noise_of(attribute)
            below, start, end = noise.cdf(z - x), noise.cdf(low - x), noise.cdf(high - x)
        if not self.truncate:
            return below
        return np.clip((below - start) / (end - start), 0.0, 1.0)

    def channel(self, x_edges: Numbers, z_edges: Numbers, attribute: Attribute) -> Numbers:
        """Exact for continuous attributes without truncation, through the integrated cdf."""
        if attribute.kind is Kind.INTEGER or self.truncate:
            return super().channel(x_edges, z_edges, attribute)
        return self.noise_of(attribute).channel(x_edges, z_edges)

    @property
    def has_exact_channel(self) -> bool:
        return not self.truncate

    def support(self, attribute: Attribute) -> tuple[float, float]:
        low, high = domain_of(attribute)
        if self.truncate:
            return low, high
        stepped = self.steps_of(attribute)
        noise = self.noise_of(attribute)
        reach = noise.reach if stepped is None else stepped.reach * stepped.step
        return low - reach, high + reach

    def unbiased(self, z: Numbers, attribute: Attribute) -> Numbers | None:  # noqa: ARG002
        """The distorted value itself, unless truncation bends its mean."""
        return None if self.truncate else z

    def unbiased_variance(self, attribute: Attribute, mean: float, square: float) -> float | None:
        """``Var X + Var Y``."""
        if self.truncate:
            return None
        return max(square - mean**2, 0.0) + self._variance(attribute)

    def _variance(self, attribute: Attribute) -> float:
        noise = self.noise_of(attribute)
        stepped = self.steps_of(attribute) if attribute.kind is Kind.INTEGER else None
        if stepped is None:
            return noise.variance
        if stepped.flat:
            return ((2 * stepped.reach + 1) ** 2 - 1) / 12
        if stepped.reach > MANY_STEPS:
            return noise.variance + 1 / 12
        steps, mass = stepped.pmf()
        return float(mass @ (steps**2))

    def entropy_privacy(self, attribute: Attribute) -> float:
        if attribute.kind is Kind.INTEGER:
            stepped = self.steps_of(attribute)
            assert stepped is not None  # noqa: S101 (integers always step)
            if stepped.flat:
                return 2.0 * stepped.reach + 1
            if stepped.reach <= MANY_STEPS:
                mass = stepped.pmf()[1]
                mass = mass[mass > 0]
                return float(2 ** -(mass @ np.log2(mass)))
        return self.noise_of(attribute).entropy_privacy

    def conditional_bits(self, attribute: Attribute, edges: Numbers, mass: Numbers) -> float | None:
        """h(Y), or the mean over the cells of what is left of it inside the domain.

        >>> score = Attribute("score", Kind.CONTINUOUS, domain=(0, 10))
        >>> noise = Additive(noise="uniform", half_width=4)
        >>> noise.conditional_bits(score, np.array([0.0, 10.0]), np.ones(1))
        3.0
        """
        if not self.truncate:
            return math.log2(self.entropy_privacy(attribute) or 1.0)
        stepped = self._listed_steps(attribute)
        if stepped is not None:
            return _mean_of_whole(stepped.bits_between, attribute, edges, mass)
        return float(mass @ self._truncated_bits(attribute, edges))

    def _listed_steps(self, attribute: Attribute) -> SteppedNoise | None:
        """Noise of whole numbers where so few stay in the domain that each of them matters."""
        stepped = self.steps_of(attribute) if attribute.kind is Kind.INTEGER else None
        is_listed = stepped is not None and min(stepped.reach, attribute.width) <= MANY_STEPS
        return stepped if is_listed else None

    def _truncated_bits(self, attribute: Attribute, edges: Numbers) -> Numbers:
        """h(Z | X = x) at the middle of each cell, the noise being cut at the domain's ends."""
        noise = self.noise_of(attribute)
        low, high = domain_of(attribute)
        x = (edges[1:] + edges[:-1]) / 2
        start, end = noise.cdf(low - x), noise.cdf(high - x)
        inside = end - start
        if self.noise == "uniform":
            return np.log2(2 * noise.scale * inside)
        u = start[:, None] + inside[:, None] * (1 + _NODES) / 2
        density = np.maximum(noise.pdf(noise.ppf(u)), 1e-300)
        return np.asarray(np.log2(inside) - np.log2(density) @ _WEIGHTS / 2)

    @property
    def is_cut(self) -> bool:
        return self.truncate

    def cut_width(
        self, confidence: float, attribute: Attribute, edges: Numbers, mass: Numbers
    ) -> float | None:
        """The mean over the cells: noise is most likely near 0, so the interval lies around x."""
        stepped = self._listed_steps(attribute)
        if stepped is not None:
            width = functools.partial(stepped.width_between, confidence)
            return _mean_of_whole(width, attribute, edges, mass)
        noise = self.noise_of(attribute)
        low, high = domain_of(attribute)
        x = np.clip((edges[1:] + edges[:-1]) / 2, low, high)
        left, right = x - low, high - x
        inside = noise.cdf(right) - noise.cdf(-left)
        near, far = np.zeros(len(x)), np.minimum(np.maximum(left, right), 2 * noise.reach)
        for _ in range(60):
            middle = (near + far) / 2
            held = noise.cdf(np.minimum(middle, right)) - noise.cdf(-np.minimum(middle, left))
            is_less = held < confidence * inside
            near, far = np.where(is_less, middle, near), np.where(is_less, far, middle)
        return float(mass @ (np.minimum(far, left) + np.minimum(far, right)))

    def interval_width(self, confidence: float, attribute: Attribute) -> float:
        """The width of the interval that holds the original with that confidence.

        Every whole number is a cell of width 1; the last one counts with the part that is needed.
        """
        stepped = self.steps_of(attribute) if attribute.kind is Kind.INTEGER else None
        if stepped is None or stepped.reach > MANY_STEPS:
            return self.noise_of(attribute).interval_width(confidence)
        if stepped.flat:
            return confidence * (2 * stepped.reach + 1)
        mass = np.sort(stepped.pmf()[1])[::-1]
        held = np.cumsum(mass)
        whole = int(np.searchsorted(held, confidence))
        if whole >= len(mass):
            return float(len(mass))
        before = held[whole - 1] if whole else 0.0
        return float(whole + (confidence - before) / mass[whole])

    def epsilon_of(self, attribute: Attribute) -> float:
        """Range / b for Laplace noise; truncation bounds the other noises too.

        Numbers are rounded to the grid before noise is added, so that the range is that of the
        points on it. Whole numbers that stay in the domain do not spend all of it: no step is less
        than a step, and reports beyond the ends, which tell most, never come.
        """
        is_whole = attribute.kind is Kind.INTEGER
        if self.truncate and (is_whole or self.noise != "laplace"):
            return self._truncated_epsilon(attribute)
        if self.noise != "laplace":
            return math.inf
        low, high = domain_of(attribute)
        scale = self.noise_of(attribute).scale
        if self.grid is None or is_whole:
            return attribute.width / scale
        return float(np.rint(high / self.grid) - np.rint(low / self.grid)) * self.grid / scale

    def _truncated_epsilon(self, attribute: Attribute) -> float:
        low, high = domain_of(attribute)
        stepped = self.steps_of(attribute) if attribute.kind is Kind.INTEGER else None
        if stepped is not None:
            # The extremes are the ends of the domain; a wide one is thinned between them.
            points = np.unique(np.rint(np.linspace(low, high, min(401, int(high - low) + 1))))
            total = stepped.cdf(high - points) - stepped.cdf(low - 1 - points)
            density = stepped.mass(points[:, None] - points[None, :]) / total
        else:
            points = np.linspace(low, high, 201)
            noise = self.noise_of(attribute)
            total = noise.cdf(high - points) - noise.cdf(low - points)
            density = noise.pdf(points[:, None] - points[None, :]) / total
        smallest, largest = density.min(axis=1), density.max(axis=1)
        if np.any((smallest <= 0) & (largest > 0)):
            return math.inf
        return float(np.log(largest / smallest).max())

    def free_parameters(self, attribute: Attribute) -> tuple[FreeParameter, ...]:
        width = attribute.width if attribute.width > 0 else 1.0
        whole = (
            attribute.kind is Kind.INTEGER and self.noise == "uniform" and self.integer != "round"
        )
        truthful = 1.0 if whole else 1e-6 * width
        own = _SCALES[self.noise]
        return (
            FreeParameter(
                own,
                truthful,
                1e4 * width,
                self._with_scale,
                scale="log",
                whole=whole,
                now=getattr(self, own),
            ),
            FreeParameter(
                "range_privacy", 1e-4, 1e6, self.at_level, scale="log", now=self.range_privacy
            ),
        )

    def _with_scale(self, scale: float) -> Perturbation:
        own: dict[str, Any] = {_SCALES[self.noise]: scale, "range_privacy": None}
        return dataclasses.replace(self, **own)

    def at_level(self, level: float) -> Perturbation:
        own: dict[str, Any] = {_SCALES[self.noise]: None, "range_privacy": level}
        return dataclasses.replace(self, **own)

    def cautions(self, attribute: Attribute) -> Iterator[str]:
        if self.noise == "uniform" and not self.truncate:
            yield (
                "A reported number near the ends of its range discloses the true one: "
                "uniform noise never exceeds its half-width."
            )
        if self.grid is not None and attribute.kind is Kind.CONTINUOUS:
            steps = np.array(domain_of(attribute)) / self.grid
            if np.abs(steps - np.rint(steps)).max() > 1e-6:
                yield Message(
                    "The ends of the domain are no multiples of the grid {grid:g}; numbers there "
                    "are rounded.",
                    grid=self.grid,
                )
        exact = attribute.kind is Kind.CONTINUOUS and self.grid is None
        if self.noise == "laplace" and exact:
            yield (
                "Epsilon holds for numbers on a grid: otherwise the last digits of a "
                "floating-point number can disclose more."
            )

    def how_to_undo(self) -> str:
        if self.truncate:
            return Message("EM over bins; the mean is biased at the ends of the domain")
        return Message("the mean of the reported numbers is unbiased; EM for shares")

    def page_words(self, attribute: Attribute) -> tuple[str, Mapping[str, float | str]]:
        far = self._usual_reach(attribute)
        return "how_additive", {"low": -far, "high": far}

    def _usual_reach(self, attribute: Attribute) -> float:
        """How far from 0 the middle 95 of 100 numbers lie at most."""
        if attribute.kind is not Kind.INTEGER:
            return two_digits(self.interval_width(_OFTEN, attribute) / 2)
        stepped = self.steps_of(attribute)
        assert stepped is not None  # noqa: S101 (integers always step)
        steps, mass = stepped.pmf()
        within = np.cumsum(np.bincount(np.abs(steps), mass))
        return float(np.searchsorted(within, _OFTEN - 1e-9))

    def page_draw(self, attribute: Attribute) -> dict[str, Any]:
        stepped = self.steps_of(attribute)
        assert stepped is not None  # noqa: S101 (a publishable design has a grid)
        low, high = domain_of(attribute)
        return {
            "type": "additive",
            "noise": self.noise,
            "scale": stepped.noise.scale,
            "step": stepped.step,
            "flat": stepped.reach if stepped.flat else None,
            "truncate": self.truncate,
            "low": low,
            "high": high,
        }

    @classmethod
    def start(cls, attribute: Attribute, before: Numbers | None = None) -> Perturbation:  # noqa: ARG003
        rule = "staircase" if attribute.kind is Kind.INTEGER else None
        size: dict[str, float] = {"range_privacy": 50.0}
        if attribute.width <= 0:
            size = {"half_width" if rule else "sigma": 1.0}
        return cls(noise="normal" if rule is None else "uniform", integer=rule, **size)  # type: ignore[arg-type]

    def summary(self) -> str:
        own = _SCALES[self.noise]
        value = getattr(self, own)
        size = (
            Message("{range_privacy:.4g} % of range", range_privacy=self.range_privacy)
            if value is None
            else Message("{size:.4g}", size=value)
        )
        return Message("{noise} noise, {size}", noise=Message(self.noise), size=size)


def _mean_of_whole(
    measure: Callable[[Numbers, Numbers], Numbers],
    attribute: Attribute,
    edges: Numbers,
    mass: Numbers,
) -> float:
    """The mean of what noise has between the ends of the domain, over the whole numbers of cells.

    ``measure`` is given the lowest and the highest step that stay in the domain.
    """
    low, high = domain_of(attribute)
    x, cell = whole_numbers(edges, low, high)
    weight = (mass / np.maximum(np.bincount(cell, minlength=len(mass)), 1))[cell]
    return float(weight @ measure(low - x, high - x) / weight.sum())
