"""Multiplicative noise: Z = X * M with E[M] = 1, for positive numbers."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design.noises.base import (
    LEVEL,
    GriddedNoise,
    Step,
    check_grid,
    domain_of,
    on_grid,
    range_of,
    step_on_page,
    two_digits,
)
from ppworkbench.core.design.noises.distribution import NEGLIGIBLE, normal_cdf, normal_quantile
from ppworkbench.core.design.perturbation import FreeParameter, Perturbation, perturbations
from ppworkbench.core.errors import DesignError, ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Annotated, Info, OneOf, Within
from ppworkbench.core.rng import Stream

_SMALLEST = 1e-100
"""Quotients of answers are taken; a smaller one would make them infinite."""
_NARROWEST, _WIDEST = 1e-9, 10.0
"""Spreads of a log-normal factor; with more than ten nearly every product is 0."""
_OFTEN = 0.95
"""How often factors lie between the borders that a respondent is told."""


@perturbations.register(
    "multiplicative",
    "Multiplicative noise",
    short="Multiply",
    rank=20,
    hint="noise that grows with the number",
)
@dataclass(frozen=True)
class Multiplicative(GriddedNoise):
    """The factor M is log-normal with mean 1, or normal around 1 cut to (0, 2).

    ``sigma`` is the standard deviation of log M, or of the normal before it is cut. Range privacy
    compares the noise at the middle of the domain, where Z - X = X (M - 1), with the range.
    """

    noise: Annotated[
        str,
        OneOf(("lognormal", "truncated-normal")),
        Info("Factor", "Distribution of the factor"),
    ] = "lognormal"
    sigma: Annotated[
        float | None, Within(1e-9, 1e3), Info("Sigma", "Spread of the factor around 1")
    ] = None
    range_privacy: Annotated[
        float | None,
        LEVEL,
        Info(
            "Range privacy",
            "Entropy privacy at the middle of the domain, in percent of the domain",
            "%",
        ),
    ] = None
    grid: Step = None

    type_name: ClassVar[str] = "multiplicative"
    is_factor: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.sigma is None) == (self.range_privacy is None):
            raise ParameterError(
                "Multiplicative noise needs either sigma or a range privacy.", field="sigma"
            )
        if self.noise == "lognormal" and self.sigma is not None and self.sigma > _WIDEST:
            raise ParameterError.saying(
                "Sigma is {sigma:g}; for a log-normal factor it must be at most {widest:g}.",
                sigma=self.sigma,
                widest=_WIDEST,
                field="sigma",
            )

    def check(self, attribute: Attribute) -> None:
        super().check(attribute)
        low, _ = domain_of(attribute)
        if low < _SMALLEST:
            raise DesignError.saying(
                "Attribute {attribute!r} has a domain from {low:g}; multiplicative "
                "noise needs numbers above 0, because a 0 would stay 0.",
                low=low,
                attribute=attribute.name,
                field="domain",
            )
        check_grid(self.grid, attribute)
        self.sigma_of(attribute)

    def sigma_of(self, attribute: Attribute) -> float:
        """The spread, worked out from the privacy level if that is given."""
        if self.sigma is not None:
            return self.sigma
        assert self.range_privacy is not None  # noqa: S101 (checked on construction)
        target = self.range_privacy / 100 * range_of(attribute) / _middle(attribute)
        # The entropy of a log-normal factor of mean 1 is largest at sigma = 1.
        highest = 1.0 if self.noise == "lognormal" else 1e3
        best = self._factor_privacy(highest)
        if target > best * (1 - 1e-9):
            most = best * _middle(attribute) / range_of(attribute) * 100
            raise DesignError.saying(
                "Attribute {attribute!r}: {noise} noise reaches a range privacy of at "
                "most {most:.4g} %.",
                noise=Message(self.noise),
                most=most,
                attribute=attribute.name,
                field="range_privacy",
            )
        if target <= self._factor_privacy(_NARROWEST):
            return _NARROWEST
        from scipy import optimize

        return float(
            optimize.brentq(
                lambda s: self._factor_privacy(s) - target, _NARROWEST, highest, xtol=1e-13
            )
        )

    def _factor_privacy(self, sigma: float) -> float:
        if self.noise == "lognormal":
            return sigma * math.sqrt(2 * math.pi * math.e) * math.exp(-(sigma**2) / 2)
        cut = 1 / sigma
        inside = math.erf(cut / math.sqrt(2))
        density = math.exp(-(cut**2) / 2) / math.sqrt(2 * math.pi)
        return math.exp(
            math.log(math.sqrt(2 * math.pi * math.e) * sigma * inside) - cut * density / inside
        )

    def factor_cdf(self, m: Numbers, attribute: Attribute) -> Numbers:
        """Pr(M <= m)."""
        sigma = self.sigma_of(attribute)
        m = np.asarray(m, np.float64)
        if self.noise == "lognormal":
            with np.errstate(divide="ignore"):
                log_m = np.log(np.maximum(m, 0.0))
            return normal_cdf((log_m + sigma**2 / 2) / sigma)
        start = normal_cdf(-1 / sigma)
        inside = 1 - 2 * start
        return np.asarray(np.clip((normal_cdf((m - 1) / sigma) - start) / inside, 0.0, 1.0))

    def draw(self, data: Numbers, attribute: Attribute, stream: Stream) -> Numbers:
        sigma = self.sigma_of(attribute)
        if self.noise == "lognormal":
            factor = np.exp(sigma * stream.normal(len(data)) - sigma**2 / 2)
        else:
            start = normal_cdf(-1 / sigma)
            u = start + stream.random(len(data)) * (1 - 2 * start)
            factor = 1 + sigma * normal_quantile(u)
        out = data * factor
        step = 1.0 if attribute.kind is Kind.INTEGER else self.grid
        return out if step is None else on_grid(np.rint(out / step), step)

    def conditional_cdf(self, z: Numbers, x: Numbers, attribute: Attribute) -> Numbers:
        if attribute.kind is Kind.INTEGER:
            z = np.floor(z) + 0.5
        return self.factor_cdf(z / x, attribute)

    def support(self, attribute: Attribute) -> tuple[float, float]:
        low, high = domain_of(attribute)
        if self.noise == "truncated-normal":
            return 0.0, 2 * high
        sigma = self.sigma_of(attribute)
        far = float(normal_quantile(1 - NEGLIGIBLE / 2)) * sigma
        return low * math.exp(-far - sigma**2 / 2), high * math.exp(far - sigma**2 / 2)

    def entropy_privacy(self, attribute: Attribute) -> float:
        """The entropy privacy of X (M - 1) at the middle of the domain."""
        return _middle(attribute) * self._factor_privacy(self.sigma_of(attribute))

    def conditional_bits(self, attribute: Attribute, edges: Numbers, mass: Numbers) -> float | None:
        """Z = X M: given x, the factor's entropy is stretched by x."""
        factor = self.entropy_privacy(attribute) / _middle(attribute)
        found = math.log2(factor) + float(mass @ _mean_log2(edges))
        # Of a whole number even the narrowest noise leaves no less than one possible outcome.
        return max(found, 0.0) if attribute.kind is Kind.INTEGER else found

    def unbiased_variance(self, attribute: Attribute, mean: float, square: float) -> float | None:
        """``E[M²] E[X²] - E[X]²``, with the rounding of whole numbers."""
        rounding = 1 / 12 if attribute.kind is Kind.INTEGER else 0.0
        return self._factor_square(attribute) * square - mean**2 + rounding

    def _factor_square(self, attribute: Attribute) -> float:
        """``E[M²]``."""
        sigma = self.sigma_of(attribute)
        if self.noise == "lognormal":
            return math.exp(sigma**2)
        cut = 1 / sigma
        inside = math.erf(cut / math.sqrt(2))
        density = math.exp(-(cut**2) / 2) / math.sqrt(2 * math.pi)
        return 1 + sigma**2 * (1 - 2 * cut * density / inside)

    def free_parameters(self, attribute: Attribute) -> tuple[FreeParameter, ...]:  # noqa: ARG002
        def put_own(value: float) -> Perturbation:
            return dataclasses.replace(self, sigma=value, range_privacy=None)

        def put_level(value: float) -> Perturbation:
            return dataclasses.replace(self, sigma=None, range_privacy=value)

        return (
            FreeParameter("sigma", 1e-6, 10.0, put_own, scale="log", now=self.sigma),
            FreeParameter(
                "range_privacy", 1e-4, 1e6, put_level, scale="log", now=self.range_privacy
            ),
        )

    def how_to_undo(self) -> str:
        return Message("the factor has mean 1: the mean is unbiased; EM for shares")

    def page_words(self, attribute: Attribute) -> tuple[str, Mapping[str, float | str]]:
        sigma = self.sigma_of(attribute)
        tail = (1 - _OFTEN) / 2
        if self.noise == "lognormal":
            far = float(normal_quantile(1 - tail)) * sigma
            low, high = math.exp(-far - sigma**2 / 2), math.exp(far - sigma**2 / 2)
        else:
            start = float(normal_cdf(-1 / sigma))
            far = sigma * float(normal_quantile(start + (1 - tail) * (1 - 2 * start)))
            low, high = 1 - far, 1 + far
        return "how_multiplicative", {"low": two_digits(low), "high": two_digits(high)}

    def page_draw(self, attribute: Attribute) -> dict[str, Any]:
        return {
            "type": "multiplicative",
            "noise": self.noise,
            "sigma": self.sigma_of(attribute),
            "step": step_on_page(self.grid, attribute),
        }

    @classmethod
    def start(cls, attribute: Attribute, before: Numbers | None = None) -> Perturbation:  # noqa: ARG003
        return cls(sigma=0.2)

    @classmethod
    def why_not(cls, attribute: Attribute) -> str:
        if attribute.domain is None or attribute.domain[0] > 0:
            return super().why_not(attribute)
        return "Multiplying needs a domain above 0; a true 0 would stay 0."

    def summary(self) -> str:
        level = (
            Message("{range_privacy} % of range", range_privacy=self.range_privacy)
            if self.sigma is None
            else Message("{sigma:.4g}", sigma=self.sigma)
        )
        return Message(
            "multiplicative {noise} noise, {level}", noise=Message(self.noise), level=level
        )


def _mean_log2(edges: Numbers) -> Numbers:
    """The mean of log2 x for x spread evenly over each cell of positive numbers."""
    integral = edges * (np.log(edges) - 1)
    return np.asarray(np.diff(integral) / np.diff(edges) / math.log(2))


def _middle(attribute: Attribute) -> float:
    low, high = domain_of(attribute)
    return (low + high) / 2
