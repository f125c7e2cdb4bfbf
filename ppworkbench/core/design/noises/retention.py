"""Retention replacement: keep the number, or replace it by a draw from a known density."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design.noises.base import (
    GriddedNoise,
    Step,
    check_grid,
    domain_of,
    moments,
    on_grid,
    step_on_page,
)
from ppworkbench.core.design.perturbation import (
    WEIGHT,
    FreeParameter,
    Perturbation,
    free_probability,
    perturbations,
)
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Annotated, Info, Within
from ppworkbench.core.rng import Stream

_HARDLY_KEPT = 1e-12
"""Divided by a smaller probability a number tells nothing."""
_SLICES = 512
"""Slices of the domain over which the moments of replacing numbers are taken."""


@perturbations.register(
    "retention",
    "Retention replacement",
    short="Replace",
    rank=30,
    hint="exact numbers among random ones",
)
@dataclass(frozen=True)
class Retention(GriddedNoise):
    """Keep with p, else draw from a density that is constant on equal slices of the domain.

    The density is uniform if ``replacing`` is not set. On an integer attribute the domain is taken
    from low - 1/2 to high + 1/2 and a whole number has the density's mass around it.
    """

    keep: Annotated[
        float, Within(0, 1), Info("Keep", "Probability that the true number is kept")
    ] = 0.5
    replacing: Annotated[
        tuple[float, ...] | None,
        WEIGHT,
        Info(
            "Replacement weights",
            "Weights of equal bins of the domain; uniform if not set",
            item="Replacement weight",
        ),
    ] = None
    grid: Step = None

    type_name: ClassVar[str] = "retention"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.replacing is not None and sum(self.replacing) <= 0:
            raise ParameterError("Replacement weights are all 0.", field="replacing")

    def check(self, attribute: Attribute) -> None:
        super().check(attribute)
        check_grid(self.grid, attribute)

    def slices(self, attribute: Attribute) -> tuple[Numbers, Numbers]:
        low, high = domain_of(attribute)
        if attribute.kind is Kind.INTEGER:
            low, high = low - 0.5, high + 0.5
        weights = np.array(self.replacing if self.replacing is not None else (1.0,))
        weights /= weights.max()
        edges = np.linspace(low, high, len(weights) + 1)
        return edges, np.concatenate([[0.0], np.cumsum(weights) / weights.sum()])

    def replacing_cdf(self, z: Numbers, attribute: Attribute) -> Numbers:
        edges, cumulated = self.slices(attribute)
        if attribute.kind is Kind.INTEGER:
            z = np.floor(z) + 0.5
        return np.interp(z, edges, cumulated)

    @property
    def exact_share(self) -> float | None:
        return self.keep

    def draw(self, data: Numbers, attribute: Attribute, stream: Stream) -> Numbers:
        """One uniform number decides both whether and by what a number is replaced."""
        u = stream.random(len(data))
        replaced = u >= self.keep
        out = data.copy()
        if self.keep < 1:
            edges, cumulated = self.slices(attribute)
            position = (u[replaced] - self.keep) / (1 - self.keep)
            out[replaced] = np.interp(position, cumulated, edges)
        out[np.isnan(data)] = np.nan
        low, high = domain_of(attribute)
        if attribute.kind is Kind.INTEGER:
            return np.clip(np.rint(out), low, high)
        # Kept and replaced numbers must lie on one grid, or the digits tell them apart.
        return (
            out
            if self.grid is None
            else np.clip(on_grid(np.rint(out / self.grid), self.grid), low, high)
        )

    def conditional_cdf(self, z: Numbers, x: Numbers, attribute: Attribute) -> Numbers:
        return self.keep * (x <= z) + (1 - self.keep) * self.replacing_cdf(z, attribute)

    def channel(self, x_edges: Numbers, z_edges: Numbers, attribute: Attribute) -> Numbers:
        """``p * overlap of the cells + (1 - p) * g * 1'``, exactly."""
        if attribute.kind is Kind.INTEGER:
            return super().channel(x_edges, z_edges, attribute)
        below = np.clip(z_edges[:, None] - x_edges[None, :-1], 0.0, np.diff(x_edges))
        overlap = np.diff(below / np.diff(x_edges), axis=0)
        mass = np.diff(self.replacing_cdf(z_edges, attribute))
        return self.keep * overlap + (1 - self.keep) * mass[:, None]

    @property
    def has_exact_channel(self) -> bool:
        return True

    def support(self, attribute: Attribute) -> tuple[float, float]:
        return domain_of(attribute)

    def report_ranges(self, attribute: Attribute) -> tuple[tuple[float, float], ...]:
        low, high = domain_of(attribute)
        if attribute.kind is Kind.INTEGER or self.grid is None:
            return ((low, high),)
        ends = np.array([low, high])
        first, last = np.clip(on_grid(np.rint(ends / self.grid), self.grid), low, high).tolist()
        inner = np.array([math.ceil(low / self.grid - 1e-9), math.floor(high / self.grid + 1e-9)])
        near, far = on_grid(inner.astype(float), self.grid).tolist()
        return (first, first), (near, far), (last, last)

    def unbiased(self, z: Numbers, attribute: Attribute) -> Numbers | None:
        """``(z - (1 - p) E[g]) / p``."""
        if self.keep < _HARDLY_KEPT:
            return None
        return (z - (1 - self.keep) * self.replacing_mean(attribute)) / self.keep

    def unbiased_variance(self, attribute: Attribute, mean: float, square: float) -> float | None:
        """``Var Z / p²``."""
        keep = self.keep
        if keep == 0:
            return math.inf
        low, high = domain_of(attribute)
        edges = np.linspace(low, high, _SLICES + 1)
        if attribute.kind is Kind.INTEGER:
            edges = np.unique(np.rint(np.linspace(low - 0.5, high + 0.5, _SLICES + 1) - 0.5) + 0.5)
        cumulated = self.replacing_cdf(edges, attribute)
        cumulated[0] = 0.0
        first, second = moments(edges, np.diff(cumulated), attribute)
        mixed = keep * mean + (1 - keep) * first
        return (keep * square + (1 - keep) * second - mixed**2) / keep**2

    def replacing_mean(self, attribute: Attribute) -> float:
        edges, cumulated = self.slices(attribute)
        middles = (edges[:-1] + edges[1:]) / 2
        if attribute.kind is Kind.INTEGER:
            # The mean of rounded numbers in each slice: n u - n² / 2 is the integral of what u, n
            # rounded, is rounded to. Counted from the lowest, so that no digits are lost.
            low, _ = domain_of(attribute)
            u = edges - low
            n = np.floor(u + 0.5)
            middles = low + np.diff(n * u - n * n / 2) / np.diff(u)
        return float(middles @ np.diff(cumulated))

    def epsilon_of(self, attribute: Attribute) -> float:
        """``ln(1 + p / ((1 - p) g))`` at the least likely published number.

        Finite only where values lie on a grid: a real number that is published to the last digit
        is all but certainly the kept one.
        """
        step = 1.0 if attribute.kind is Kind.INTEGER else self.grid
        if self.keep == 0:
            return 0.0
        if self.keep == 1 or step is None:
            return math.inf
        low, high = domain_of(attribute)
        count = float(np.floor((high - low) / step + 1e-9) + 1)
        slices = 1 if self.replacing is None else len(self.replacing)
        # Within a slice all interior points weigh the same: look at each slice's ends only.
        points = np.arange(count) if count <= 100_000 else _ends_of_slices(count, slices)
        edges, cumulated = self.slices(attribute)
        at = low + points * step
        mass = np.interp(at + step / 2, edges, cumulated) - np.interp(
            at - step / 2, edges, cumulated
        )
        smallest = float(mass.min())
        if smallest <= 0:
            return math.inf
        return math.log1p(self.keep / ((1 - self.keep) * smallest))

    def free_parameters(self, attribute: Attribute) -> tuple[FreeParameter, ...]:  # noqa: ARG002
        return (free_probability(self, "keep", 0.0),)

    def at_level(self, level: float) -> Perturbation:
        """The same with ``p = 1 / (1 + L / 100)``."""
        return dataclasses.replace(self, keep=1 / (1 + level / 100))

    def cautions(self, attribute: Attribute) -> Iterator[str]:
        if attribute.kind is Kind.CONTINUOUS and self.grid is None and self.keep > 0:
            yield (
                "A kept number is reported to its last digit and can be recognised by "
                "it; report on a grid."
            )

    def how_to_undo(self) -> str:
        return Message(
            "mean = (z − (1 − {keep:g}) E[g]) / {keep:g}, g the replacement; EM for shares",
            keep=self.keep,
        )

    def page_words(self, attribute: Attribute) -> tuple[str, Mapping[str, float | str]]:
        low, high = domain_of(attribute)
        return "how_retention", {"keep": self.keep, "low": low, "high": high}

    def page_draw(self, attribute: Attribute) -> dict[str, Any]:
        edges, cumulated = self.slices(attribute)
        low, high = domain_of(attribute)
        return {
            "type": "retention",
            "keep": self.keep,
            "edges": edges.tolist(),
            "cumulated": cumulated.tolist(),
            "step": step_on_page(self.grid, attribute),
            "low": low,
            "high": high,
        }

    def summary(self) -> str:
        return Message("retention, keep {keep:.3g}", keep=self.keep)


def _ends_of_slices(count: float, slices: int) -> Numbers:
    border = np.rint(np.linspace(0, count - 1, slices + 1))
    near = border[:, None] + np.arange(-2, 3)
    return np.unique(near[(near >= 0) & (near < count)])
