"""The standard error of the mean of a number, which needs no deconvolution."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Perturbation
from ppworkbench.core.design.noises.base import domain_of
from ppworkbench.core.design.noises.base import moments as spread_moments
from ppworkbench.core.message import Message
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.privacy.utility.channel import Estimator, ShareChannel
from ppworkbench.core.privacy.utility.noncompliance import (
    NonCompliance,
    answering_matrix,
    safe_number,
    used_estimator,
)


@dataclass(frozen=True)
class MeanVariance:
    """The variance of the estimated mean for one respondent, distorted and asked directly.

    ``bias`` is how far the estimate is off on average, because some ignore the device.
    """

    distorted: float
    direct: float
    bias: float = 0.0


def mean_variance(
    attribute: Attribute,
    perturbation: Perturbation,
    prior: Prior,
    shares: _Shares,
    noncompliance: NonCompliance | None = None,
) -> MeanVariance:
    """The variance of the mean of unbiased single answers.

    Where a function u with ``E[u(Z) | X] = X`` exists, the mean of ``u(Z)`` estimates the mean of X
    and has the variance ``Var u(Z) / n``: ``Var X + Var Y`` for additive noise, ``Var Z / p²`` for
    retention. Elsewhere (truncated noise, published intervals) the mean is that of the estimated
    interval shares, every interval at its middle.

    Where a share c ignores the device, ``u(Z)`` is theirs with that probability. The mean of
    ``u(Z)`` is then off by ``c (E[u(W)] - E[X])`` with W what they say; corrected it is
    ``(ū - c u0) / (1 - c + c u1)``, because ``E[u(W)]`` is ``u0 + u1 E[X]``.
    """
    mean, square = moments(prior, attribute)
    direct = max(square - mean**2, 0.0)
    found = perturbation.numbers.unbiased_variance(attribute, mean, square)
    if noncompliance is not None and noncompliance.share > 0:
        low, high = domain_of(attribute)
        # The ends of the domain, because some mechanisms know numbers of a grid only.
        undone = perturbation.numbers.unbiased(np.array([low, high]), attribute)
        if found is None or undone is None or not math.isfinite(found) or high <= low:
            return _from_shares(attribute, shares, direct, noncompliance)
        slope = float(undone[1] - undone[0]) / (high - low)
        line = float(undone[0]) - slope * low, slope
        return _mixed(attribute, (mean, square), found, line, noncompliance)
    if found is not None:
        return MeanVariance(found, direct)
    return MeanVariance(_variance_from_shares(*shares), direct)


_Shares = tuple[ShareChannel, Estimator]


def _mixed(
    attribute: Attribute,
    true: tuple[float, float],
    found: float,
    line: tuple[float, float],
    noncompliance: NonCompliance,
) -> MeanVariance:
    """The mean of ``u(z) = shift + slope z`` where some ignore the device."""
    (mean, square), (shift, slope) = true, line
    c, is_true = noncompliance.share, noncompliance.behaviour == "truth"
    first, second = true if is_true else _said(attribute, noncompliance)
    other = shift + slope * first
    other_square = shift**2 + 2 * shift * slope * first + slope**2 * second
    expected = (1 - c) * mean + c * other
    spread = (1 - c) * (found + mean**2) + c * other_square - expected**2
    direct = max(square - mean**2, 0.0)
    if not noncompliance.corrected:
        return MeanVariance(max(spread, 0.0), direct, expected - mean)
    scale = 1 - c + (c * slope if is_true else 0.0)
    return MeanVariance(max(spread, 0.0) / scale**2 if scale > 0 else math.inf, direct)


def _said(attribute: Attribute, noncompliance: NonCompliance) -> tuple[float, float]:
    """Mean and mean square of what those say who ignore the device, whatever is true of them."""
    if noncompliance.behaviour == "safe":
        answer = safe_number(attribute, noncompliance.safe_of(attribute))
        return answer, answer**2
    low, high = domain_of(attribute)
    edge = 0.5 if attribute.kind is Kind.INTEGER else 0.0
    return spread_moments(np.array([low - edge, high + edge]), np.ones(1), attribute)


def _from_shares(
    attribute: Attribute, shares: _Shares, direct: float, noncompliance: NonCompliance
) -> MeanVariance:
    channel, estimator = shares
    used = used_estimator(attribute, channel, estimator, noncompliance)
    if used.left_inverse is None or channel.edges is None:
        return MeanVariance(math.inf, direct)
    z = answering_matrix(attribute, channel, noncompliance) @ channel.shares
    middle = (channel.edges[:-1] + channel.edges[1:]) / 2
    weights = middle @ used.left_inverse
    expected = float(weights @ z)
    spread = max(float(weights**2 @ z) - expected**2, 0.0)
    return MeanVariance(spread, direct, expected - float(middle @ channel.shares))


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
