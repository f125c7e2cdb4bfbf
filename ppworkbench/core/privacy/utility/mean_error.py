"""The standard error of the mean of a number, which needs no deconvolution."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Additive, Identity, Multiplicative, Perturbation, Retention
from ppworkbench.core.design.noises.steps import MANY_STEPS
from ppworkbench.core.message import Message
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.privacy.utility.channel import ShareChannel
from ppworkbench.core.privacy.utility.estimator import Estimator, Vector

_SLICES = 512


@dataclass(frozen=True)
class MeanVariance:
    """The variance of the estimated mean for one respondent, distorted and asked directly."""

    distorted: float
    direct: float


def mean_variance(
    attribute: Attribute, perturbation: Perturbation, prior: Prior, shares: _Shares
) -> MeanVariance:
    """The variance of the mean of unbiased single answers.

    Where a function u with ``E[u(Z) | X] = X`` exists, the mean of ``u(Z)`` estimates the mean of X
    and has the variance ``Var u(Z) / n``: ``Var X + Var Y`` for additive noise, ``Var Z / p²`` for
    retention. Elsewhere (truncated noise, published intervals) the mean is that of the estimated
    interval shares, every interval at its middle.
    """
    mean, square = moments(prior, attribute)
    direct = max(square - mean**2, 0.0)
    if isinstance(perturbation, Identity):
        return MeanVariance(direct, direct)
    if isinstance(perturbation, Additive) and not perturbation.truncate:
        return MeanVariance(direct + _noise_variance(perturbation, attribute), direct)
    if isinstance(perturbation, Retention):
        return MeanVariance(_retention_variance(perturbation, attribute, mean, square), direct)
    if isinstance(perturbation, Multiplicative):
        factor = _factor_square(perturbation, attribute)
        rounding = 1 / 12 if attribute.kind is Kind.INTEGER else 0.0
        return MeanVariance(factor * square - mean**2 + rounding, direct)
    return MeanVariance(_variance_from_shares(*shares), direct)


_Shares = tuple[ShareChannel, Estimator]


def moments(prior: Prior, attribute: Attribute) -> tuple[float, float]:
    """The mean and the mean square of a number that is spread evenly over the prior's cells."""
    assert prior.edges is not None  # noqa: S101 (a number's prior has cells)
    return _moments(prior.edges, prior.probabilities, attribute)


def _moments(edges: Vector, mass: Vector, attribute: Attribute) -> tuple[float, float]:
    middle, width = (edges[:-1] + edges[1:]) / 2, np.diff(edges)
    # n neighbouring whole numbers vary by (n² - 1) / 12, a continuous slice by w² / 12.
    steps = 1.0 if attribute.kind is Kind.INTEGER else 0.0
    inside = np.maximum(width**2 - steps, 0.0) / 12
    return float(mass @ middle), float(mass @ (middle**2 + inside))


def _noise_variance(perturbation: Additive, attribute: Attribute) -> float:
    noise = perturbation.noise_of(attribute)
    stepped = perturbation.steps_of(attribute) if attribute.kind is Kind.INTEGER else None
    if stepped is None:
        return noise.variance
    if stepped.flat:
        return ((2 * stepped.reach + 1) ** 2 - 1) / 12
    if stepped.reach > MANY_STEPS:
        return noise.variance + 1 / 12
    steps, mass = stepped.pmf()
    return float(mass @ (steps**2))


def _retention_variance(
    perturbation: Retention, attribute: Attribute, mean: float, square: float
) -> float:
    keep = perturbation.keep
    if keep == 0:
        return math.inf
    low, high = attribute.domain or (0.0, 0.0)
    edges = np.linspace(low, high, _SLICES + 1)
    if attribute.kind is Kind.INTEGER:
        edges = np.unique(np.rint(np.linspace(low - 0.5, high + 0.5, _SLICES + 1) - 0.5) + 0.5)
    cumulated = perturbation.replacing_cdf(edges, attribute)
    cumulated[0] = 0.0
    first, second = _moments(edges, np.diff(cumulated), attribute)
    mixed = keep * mean + (1 - keep) * first
    return (keep * square + (1 - keep) * second - mixed**2) / keep**2


def _factor_square(perturbation: Multiplicative, attribute: Attribute) -> float:
    """``E[M²]``."""
    sigma = perturbation.sigma_of(attribute)
    if perturbation.noise == "lognormal":
        return math.exp(sigma**2)
    cut = 1 / sigma
    inside = math.erf(cut / math.sqrt(2))
    density = math.exp(-(cut**2) / 2) / math.sqrt(2 * math.pi)
    return 1 + sigma**2 * (1 - 2 * cut * density / inside)


def _variance_from_shares(channel: ShareChannel, estimator: Estimator) -> float:
    covariance = estimator.covariance(channel.shares)
    if covariance is None or channel.edges is None:
        return math.inf
    middle = (channel.edges[:-1] + channel.edges[1:]) / 2
    return max(float(middle @ covariance @ middle), 0.0)


def mean_sentence(error: float, n: int, width: float) -> str:
    """What the standard error of a mean means, beside the width of the domain.

    >>> mean_sentence(1.5, 1000, 72)
    'With 1,000 respondents the mean is estimated give or take 2.9, which is 4.1 % of the domain.'
    """
    if math.isinf(error):
        return "The mean cannot be estimated: the distorted numbers do not depend on the true ones."
    reach = 1.96 * error
    if width <= 0:
        return Message(
            "With {n:,} respondents the mean is estimated give or take {reach:.2g}.",
            n=n,
            reach=reach,
        )
    return Message(
        "With {n:,} respondents the mean is estimated give or take {reach:.2g}, "
        "which is {percent:.2g} % of the domain.",
        n=n,
        reach=reach,
        percent=100 * reach / width,
    )
