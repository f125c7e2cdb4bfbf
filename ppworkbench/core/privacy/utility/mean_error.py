"""The standard error of the mean of a number, which needs no deconvolution."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design import Perturbation
from ppworkbench.core.design.noises.base import moments as spread_moments
from ppworkbench.core.message import Message
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.privacy.utility.channel import ShareChannel
from ppworkbench.core.privacy.utility.estimator import Estimator


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
    found = perturbation.unbiased_variance(attribute, mean, square)
    if found is not None:
        return MeanVariance(found, direct)
    return MeanVariance(_variance_from_shares(*shares), direct)


_Shares = tuple[ShareChannel, Estimator]


def moments(prior: Prior, attribute: Attribute) -> tuple[float, float]:
    """The mean and the mean square of a number that is spread evenly over the prior's cells."""
    assert prior.edges is not None  # noqa: S101 (a number's prior has cells)
    return spread_moments(prior.edges, prior.probabilities, attribute)


def _variance_from_shares(channel: ShareChannel, estimator: Estimator) -> float:
    covariance = estimator.covariance(channel.shares)
    if covariance is None or channel.edges is None:
        return math.inf
    middle = (channel.edges[:-1] + channel.edges[1:]) / 2
    return max(float(middle @ covariance @ middle), 0.0)


def mean_sentence(error: float, n: int, width: float) -> str:
    """What the standard error of a mean means, beside the width of the domain.

    >>> mean_sentence(1.5, 1000, 72)
    'With 1,000 respondents the mean is estimated to ± 2.9, 4.1 % of the domain.'
    """
    if math.isinf(error):
        return "The mean cannot be estimated: the reported numbers do not depend on the true ones."
    reach = 1.96 * error
    if width <= 0:
        return Message(
            "With {n:,} respondents the mean is estimated to ± {reach:.2g}.",
            n=n,
            reach=reach,
        )
    return Message(
        "With {n:,} respondents the mean is estimated to ± {reach:.2g}, {percent:.2g} % "
        "of the domain.",
        n=n,
        reach=reach,
        percent=100 * reach / width,
    )
