"""Additive noise: Z = X + Y with uniform, normal or Laplace Y."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design.noises.adding import ADD_KERNEL
from ppworkbench.core.design.noises.base import (
    LEVEL,
    SCALE,
    SMALLEST,
    NoisePerturbation,
    Numbers,
    check_grid,
    domain_of,
    on_grid,
    outside_domain,
    range_of,
)
from ppworkbench.core.design.noises.distribution import (
    LaplaceNoise,
    Noise,
    NormalNoise,
    UniformNoise,
)
from ppworkbench.core.design.noises.steps import MANY_STEPS, SteppedNoise
from ppworkbench.core.design.perturbation import perturbations
from ppworkbench.core.errors import DesignError, ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Annotated, Info, OneOf
from ppworkbench.core.rng import Stream

_WIDEST = 1e6
"""Noise of so many widths of the domain: the sum keeps no digit that tells of the answer."""
_SCALES = {"uniform": "half_width", "normal": "sigma", "laplace": "scale"}
_NOISES: dict[str, Callable[[float], Noise]] = {
    "uniform": UniformNoise,
    "normal": NormalNoise,
    "laplace": LaplaceNoise,
}


@perturbations.register("additive", "Additive noise")
@dataclass(frozen=True)
class Additive(NoisePerturbation):
    """Noise of mean zero, set by its own scale or by range privacy.

    ``truncate`` re-draws until the distorted value lies in the domain; ``grid`` publishes whole
    multiples of a step only. See :mod:`ppworkbench.core.design.noises.steps` for the integer rules.
    """

    noise: Annotated[str, OneOf(tuple(_SCALES)), Info("Noise", "Distribution of the noise")] = (
        "uniform"
    )
    half_width: Annotated[
        float | None, SCALE, Info("Half-width", "Uniform noise reaches this far")
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
        Info("Integer rule", "How noise stays whole on an integer attribute"),
    ] = None
    truncate: Annotated[
        bool, Info("Stay inside", "Draw again until the distorted value lies in the domain")
    ] = False
    grid: Annotated[
        float | None,
        SCALE,
        Info("Grid", "Step of published values of a continuous attribute"),
    ] = None

    type_name: ClassVar[str] = "additive"

    def __post_init__(self) -> None:
        """Refuse two scales, none, or one that belongs to another noise."""
        super().__post_init__()
        own = _SCALES[self.noise]
        for name in _SCALES.values():
            if name != own and getattr(self, name) is not None:
                raise ParameterError(
                    Message(
                        "The field {name!r} does not belong to {noise} noise; use {own!r}.",
                        name=name,
                        noise=Message(self.noise),
                        own=own,
                    ),
                    field=name,
                )
        if (getattr(self, own) is None) == (self.range_privacy is None):
            raise ParameterError(
                Message(
                    "{noise} noise needs either {own!r} or 'range_privacy'.",
                    noise=Message(self.noise.capitalize()),
                    own=own,
                ),
                field=own,
            )
        if self.integer == "floor" and self.noise != "uniform":
            raise ParameterError(
                "The integer rule 'floor' is for uniform noise; use 'staircase' or 'round'.",
                field="integer",
            )

    def to_json(self) -> dict[str, Any]:
        """The perturbation as it stands in a design file; truncation only where it is on."""
        result = super().to_json()
        if not self.truncate:
            del result["truncate"]
        return result

    def check(self, attribute: Attribute) -> None:
        """Refuse a rule that does not go with the kind, and a level that needs a range."""
        super().check(attribute)
        if attribute.kind is Kind.CONTINUOUS and self.integer is not None:
            raise DesignError(
                Message(
                    "Attribute {attribute!r} is continuous; the field 'integer' is for integers.",
                    attribute=attribute.name,
                ),
                attribute=attribute.name,
                field="integer",
            )
        if attribute.kind is Kind.INTEGER and self.grid is not None:
            raise DesignError(
                Message(
                    "Attribute {attribute!r} is integer and published in steps of 1; leave "
                    "out the field 'grid'.",
                    attribute=attribute.name,
                ),
                attribute=attribute.name,
                field="grid",
            )
        check_grid(self.grid, attribute)
        widest = min(_WIDEST * (attribute.width or 1.0), SCALE.high)
        if not self._scale(attribute) <= widest:
            raise DesignError(
                Message(
                    "Attribute {attribute!r}: noise of this width leaves nothing of the "
                    "answers; choose at most {widest:g}.",
                    attribute=attribute.name,
                    widest=widest,
                ),
                attribute=attribute.name,
                field=self._set_field,
            )
        if self._scale(attribute) < SMALLEST:
            raise DesignError(
                Message(
                    "Attribute {attribute!r}: noise of this width changes no answer; choose "
                    "more of it.",
                    attribute=attribute.name,
                ),
                attribute=attribute.name,
                field=self._set_field,
            )

    @property
    def _set_field(self) -> str:
        return "range_privacy" if self.range_privacy is not None else _SCALES[self.noise]

    def noise_of(self, attribute: Attribute) -> Noise:
        """The noise distribution with its scale worked out for this attribute."""
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
        return max(width / unit.entropy_privacy, SMALLEST)

    def steps_of(self, attribute: Attribute) -> SteppedNoise | None:
        """The noise as a number of steps, where values lie on a grid."""
        if attribute.kind is Kind.INTEGER:
            return SteppedNoise(self.noise_of(attribute), 1.0, self.integer or "staircase")
        if self.grid is not None:
            return SteppedNoise(self.noise_of(attribute), self.grid, "round")
        return None

    def draw_checked(
        self, out: Numbers, data: Numbers, attribute: Attribute, stream: Stream
    ) -> bool:
        """Scale, add and check in one pass of the compiled loop, once it is ready."""
        if (
            ADD_KERNEL.compiled is None
            or self.noise != "normal"
            or self._is_more_than_a_sum(attribute)
        ):
            return False
        data = data.view()
        data.flags.writeable = False
        stream.fill_normal(out)
        if ADD_KERNEL.compiled(out, data, self.noise_of(attribute).scale, *domain_of(attribute)):
            raise outside_domain(data, attribute)
        return True

    def _is_more_than_a_sum(self, attribute: Attribute) -> bool:
        return self.truncate or self.grid is not None or attribute.kind is Kind.INTEGER

    def draw_into(self, out: Numbers, data: Numbers, attribute: Attribute, stream: Stream) -> None:
        """Add noise in place where nothing else is to be done."""
        if self._is_more_than_a_sum(attribute):
            super().draw_into(out, data, attribute, stream)
            return
        self.noise_of(attribute).fill(out, stream)
        out += data

    def draw(self, data: Numbers, attribute: Attribute, stream: Stream) -> Numbers:
        """Add noise to every number."""
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
        """Pr(Z <= z | X = x)."""
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
        integral = self.noise_of(attribute).integrated_cdf(z_edges[:, None] - x_edges[None, :])
        below = -np.diff(integral, axis=1) / np.diff(x_edges)
        return np.maximum(np.diff(below, axis=0), 0.0)

    def support(self, attribute: Attribute) -> tuple[float, float]:
        """The domain widened by the noise's reach."""
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

    def entropy_privacy(self, attribute: Attribute) -> float:
        """Two to the entropy of the noise."""
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

    def interval_width(self, confidence: float, attribute: Attribute) -> float:
        """The width of the interval that holds the original with that confidence."""
        return self.noise_of(attribute).interval_width(confidence)

    def epsilon(self, attribute: Attribute) -> float:
        """Range / b for Laplace noise; truncation bounds the other noises too."""
        if self.noise == "laplace":
            return attribute.width / self.noise_of(attribute).scale
        return self._truncated_epsilon(attribute) if self.truncate else math.inf

    def _truncated_epsilon(self, attribute: Attribute) -> float:
        low, high = domain_of(attribute)
        if attribute.kind is Kind.INTEGER:
            # The extremes are the ends of the domain; a wide one is thinned between them.
            points = np.unique(np.rint(np.linspace(low, high, min(401, int(high - low) + 1))))
            cdf = self.conditional_cdf
            x = points[None, :]
            density = cdf(points[:, None], x, attribute) - cdf(points[:, None] - 1, x, attribute)
        else:
            points = np.linspace(low, high, 201)
            noise = self.noise_of(attribute)
            total = noise.cdf(high - points) - noise.cdf(low - points)
            density = noise.pdf(points[:, None] - points[None, :]) / total
        smallest, largest = density.min(axis=1), density.max(axis=1)
        if np.any((smallest <= 0) & (largest > 0)):
            return math.inf
        return float(np.log(largest / smallest).max())

    def summary(self) -> str:
        """The mechanism in a few words."""
        own = _SCALES[self.noise]
        value = getattr(self, own)
        size = (
            Message("{range_privacy:.4g} % of range", range_privacy=self.range_privacy)
            if value is None
            else Message("{size:.4g}", size=value)
        )
        return Message("{noise} noise, {size}", noise=Message(self.noise), size=size)
