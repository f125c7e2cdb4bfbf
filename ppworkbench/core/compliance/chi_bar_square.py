r"""The test that several shares are 0, none of which can be negative: chi-bar-square.

Unbounded estimates of the shares are normal with covariance V; bounded ones are their projection on
the positive orthant in the metric of V. If all shares are 0, the likelihood ratio, or the squared
length of the projection, is a mixture of chi-squares::

    Pr(T > t) = sum_j w_j Pr(chi2_j > t)

with ``w_j`` the probability that exactly j of the bounded estimates are above 0. For one share the
weights are one half each.

References
----------
M. J. Silvapulle and P. K. Sen (2005), *Constrained Statistical Inference*, chapter 3; A. Shapiro
(1985), Asymptotic distribution of test statistics in the analysis of moment structures under
inequality constraints, *Biometrika* 72.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import nnls

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.reconstruct.pooled import upper_tail
from ppworkbench.core.rng import SeededStreams

_DRAWS = 4000
_NOTHING = 1e-9
_SINGULAR = 1e12


def chi_bar_weights(covariance: Numbers) -> Numbers:
    """The probabilities that 0, 1, ... of the bounded estimates are above 0.

    Exact for up to three shares; drawn for more.

    >>> chi_bar_weights(np.eye(2)).tolist()
    [0.25, 0.5, 0.25]
    """
    size = len(covariance)
    correlation = _correlation(covariance)
    if size == 1:
        return np.array([0.5, 0.5])
    if size == 2:
        both = 0.25 + math.asin(correlation[0, 1]) / (2 * math.pi)
        return np.array([0.5 - both, 0.5, both])
    if size == 3:
        pairs = ((0, 1), (0, 2), (1, 2))
        all_of = 0.5 - sum(math.acos(correlation[pair]) for pair in pairs) / (4 * math.pi)
        # Partial correlations stand, with the other sign, in the inverse.
        partial = -_correlation(np.asarray(np.linalg.inv(covariance), np.float64))
        two = 0.75 - sum(math.acos(partial[pair]) for pair in pairs) / (4 * math.pi)
        return np.array([0.5 - two, 0.5 - all_of, two, all_of])
    return _drawn_weights(covariance)


def is_regular(covariance: Numbers) -> bool:
    """Whether no estimate is known for sure or by the others, so that there is a test."""
    if not np.isfinite(covariance).all() or (np.diag(covariance) <= 0).any():
        return False
    return bool(np.linalg.cond(_correlation(covariance)) < _SINGULAR)


def _correlation(covariance: Numbers) -> Numbers:
    scale = np.sqrt(np.diag(covariance))
    return np.asarray(np.clip(covariance / np.outer(scale, scale), -1.0, 1.0))


def _drawn_weights(covariance: Numbers) -> Numbers:
    size = len(covariance)
    root = np.linalg.cholesky(np.linalg.inv(covariance)).T
    draws = SeededStreams(0).generator("chi-bar-square").standard_normal((_DRAWS, size))
    above = [np.count_nonzero(nnls(root, draw)[0] > _NOTHING) for draw in draws]
    return np.bincount(above, minlength=size + 1) / _DRAWS


def chi_bar_tail(statistic: float, covariance: Numbers, degrees: float = math.inf) -> float:
    """The probability of a statistic at least as large if all shares are 0.

    ``degrees`` are those of an estimated covariance.

    >>> round(chi_bar_tail(2.7055, np.eye(1)), 4)
    0.05
    """
    if statistic < _NOTHING:
        return 1.0
    weights = chi_bar_weights(covariance)
    tails = [upper_tail(statistic, df, degrees) for df in range(1, len(weights))]
    return float(weights[1:] @ np.array(tails))


def bounded_distance(values: Numbers, covariance: Numbers) -> float:
    """The squared length of the projection of estimates on the positive orthant."""
    root = np.linalg.cholesky(np.linalg.inv(covariance)).T
    inside = nnls(root, root @ values)[0]
    return float(np.sum((root @ inside) ** 2))
