"""Confidence intervals of reconstructed distributions, and from what they come."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.sampling_roles import AUTO as AUTO_KIND
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.reconstruct.channel import CountedChannel, invert
from ppworkbench.core.reconstruct.estimator import Fit, iterate_many
from ppworkbench.core.reconstruct.reconstruction import Reconstruction
from ppworkbench.core.reconstruct.sharpness import AUTO, Sharpness
from ppworkbench.core.reconstruct.stopping import Fixed
from ppworkbench.core.reconstruct.worst_case import Assumption, bin_limits
from ppworkbench.core.rng import SeededStreams
from ppworkbench.core.score_intervals import Contributions, cell_contributions
from ppworkbench.core.share_intervals import EXACT, SCORE, Line, line_between, share_interval

RESAMPLES = 200
_FEWEST_RESAMPLES = 50
_MOST_WORK = 1e11
_AT_ONCE = 25

NO_ANSWERS = "none: there are no answers"
NO_CELLS = "none: there is only 1 bin"
MULTINOMIAL = "multinomial covariance of the answers"
INVERSE = "multinomial covariance through the inverse of P"
PSEUDO_INVERSE = "multinomial covariance through the pseudo-inverse of a singular P"
INFORMATION = "inverse of the information on the support; estimates of 0 are treated as known"
BLAKER = "Blaker's exact interval of the reports, through the device"
BLAKER_OF_TRUTH = "Blaker's exact interval"
UNBIASED = frozenset({MULTINOMIAL, INVERSE, PSEUDO_INVERSE})
"""Methods of intervals that lie around the unbiased solution."""
PENALISED = "curvature of the smoothed likelihood, averaged over the strength of the penalty"


@dataclass(frozen=True, eq=False)
class Intervals:
    """Intervals within [0, 1], standard errors, covariance, and the method in words.

    ``assumption`` is what worst-case bounds rest on, ``centre`` the estimates that the intervals
    are of; None where that is the fitted distribution.
    """

    low: Numbers
    high: Numbers
    standard_error: Numbers
    covariance: Numbers
    method: str
    assumption: Assumption | None = None
    centre: Numbers | None = None


def intervals(
    counted: CountedChannel,
    fit: Fit,
    confidence: float = 0.95,
    seed: int = 0,
    progress: Progress = silent,
    sharpness: Sharpness = AUTO,
) -> Intervals:
    """Intervals that hold each probability with the given confidence.

    Numbers under noise have worst-case bounds, which do not depend on the fit; ``sharpness`` is
    the sharpest feature that these assume.

    Those of :mod:`ppworkbench.core.share_intervals` around the unbiased solution where there is
    one, else around the estimate.
    """
    if counted.is_noisy and counted.total > 0:
        return _bounded(counted, fit, confidence, sharpness)
    covariance, method = _covariance(counted, fit, seed, progress)
    progress(1.0, "intervals")
    if method in (NO_ANSWERS, NO_CELLS):
        known = method == NO_CELLS
        low = np.full(counted.k, 1.0 if known else 0.0)
        error = np.full(counted.k, 0.0 if known else np.inf)
        return Intervals(low, np.ones(counted.k), error, covariance, method)
    error = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    centre, lines = fit.raw, _lines(counted) if method in UNBIASED else [None] * counted.k
    varied: list[Contributions | None] = [None] * counted.k
    if method in UNBIASED and method != MULTINOMIAL:
        error = np.where(invert(counted.matrix).hidden, np.inf, error)
        centre = counted.solution
        varied = _contributions(counted, np.asarray(centre))
    t, size = float(ndtri((1 + confidence) / 2)), float(counted.size)
    ends = [
        share_interval(AUTO_KIND, float(x), float(e), t, line=line, size=size, contributions=spread)
        for x, e, line, spread in zip(centre, error, lines, varied, strict=True)
    ]
    low, high = (
        np.array(side) for side in zip(*((one.low, one.high) for one in ends), strict=True)
    )
    kinds = [one.kind for one in ends]
    return Intervals(
        low, high, error, covariance, _named(method, counted, kinds),
        centre=np.array(centre) if method in UNBIASED else None,
    )  # fmt: skip


def _named(method: str, counted: CountedChannel, kinds: Sequence[str]) -> str:
    if kinds.count(EXACT) == counted.k:
        return BLAKER_OF_TRUTH if counted.is_undistorted else BLAKER
    exact, score = ([place for place, one in enumerate(kinds) if one == kind]
                    for kind in (EXACT, SCORE))  # fmt: skip
    if exact:
        method = (
            Message("{method}; Blaker's exact interval where reports are few", method=method)
            if counted.values is None
            else Message(
                "{method}; Blaker's exact interval for {listed}",
                method=method,
                listed=tuple(counted.values[place] for place in exact),
            )
        )
    if score:
        method = (
            Message("{method}; score interval where reports are few", method=method)
            if counted.values is None
            else Message(
                "{method}; score interval for {listed}",
                method=method,
                listed=tuple(counted.values[place] for place in score),
            )
        )
    return method


def _contributions(counted: CountedChannel, shares: Numbers) -> list[Contributions | None]:
    """What reports vary by that tell the share of each cell, by the estimated shares."""
    found = invert(counted.matrix)
    if found.is_singular or not np.isfinite(shares).all():
        return [None] * counted.k
    return [*cell_contributions(counted.matrix, found.inverse.T, shares)]


def _lines(counted: CountedChannel) -> list[Line | None]:
    """How the reports depend on the share of each cell, where these contribute two numbers."""
    if counted.is_undistorted:
        return [Line()] * counted.k
    found = invert(counted.matrix)
    return [
        None if found.is_singular else line_between(found.inverse[cell, counted.possible])
        for cell in range(counted.k)
    ]


def _bounded(
    counted: CountedChannel, fit: Fit, confidence: float, sharpness: Sharpness
) -> Intervals:
    low, high, assumption = bin_limits(counted, confidence, sharpness)
    # Half the interval in standard errors: the error of a smooth fit does not know its bias.
    error = (high - low) / (2 * float(ndtri((1 + confidence) / 2)))
    covariance = np.diag(error**2) if fit.covariance is None else fit.covariance
    return Intervals(low, high, error, covariance, assumption.method, assumption)


def _covariance(
    counted: CountedChannel, fit: Fit, seed: int, progress: Progress
) -> tuple[Numbers, str]:
    if counted.total <= 0:
        return np.zeros((counted.k, counted.k)), NO_ANSWERS
    if counted.k == 1:
        return np.zeros((1, 1)), NO_CELLS
    if fit.covariance is not None:
        return fit.covariance, PENALISED
    converged = fit.stop is None or (fit.stop.name == "converged" and fit.finished)
    if not converged and not counted.is_undistorted:
        return bootstrap(counted, fit, seed, progress)
    return _closed_form(counted, fit)


def _closed_form(counted: CountedChannel, fit: Fit) -> tuple[Numbers, str]:
    if not counted.is_undistorted and not counted.is_square:
        return information_covariance(counted, fit.probability), INFORMATION
    spread = counted.spread * (counted.size / max(counted.size - 1, 1))
    if counted.is_undistorted:
        return spread, MULTINOMIAL
    # At the border of the simplex the estimate varies less than the solution does, so that these
    # intervals are wider than they need be, never narrower.
    found = invert(counted.matrix)
    covariance = found.inverse @ spread @ found.inverse.T
    if found.is_singular:
        return covariance, PSEUDO_INVERSE
    # A handful of answers may vary less than the device makes them vary at least.
    least = (counted.matrix.T @ found.inverse.T**2 - np.eye(counted.k)).min(axis=0)
    lacking = np.maximum(least / counted.size - np.diag(covariance), 0.0)
    return covariance + np.diag(lacking), INVERSE


def information_covariance(counted: CountedChannel, probability: Numbers) -> Numbers:
    """The inverse of the information, under the condition that the sum stays 1.

    Only entries above 0 take part. The information ``n A' diag(1 / A x) A`` may be singular; its
    pseudo-inverse is used then.
    """
    support = np.flatnonzero(probability > 1e-9)
    fitted = counted.matrix @ probability
    seen = fitted > 0
    part = counted.matrix[np.ix_(seen, support)]
    information = counted.size * ((part.T / fitted[seen]) @ part)
    # An orthonormal basis of the directions that leave the sum as it is.
    ones = np.ones((len(support), 1))
    free = np.linalg.qr(ones, mode="complete")[0][:, 1:]
    small = np.linalg.pinv(free.T @ information @ free, rcond=1e-10, hermitian=True)
    covariance = np.zeros((counted.k, counted.k))
    covariance[np.ix_(support, support)] = free @ small @ free.T
    return covariance


def with_share_error(
    found: Reconstruction, matrix: Numbers, spread: Numbers | None
) -> Reconstruction:
    """Intervals that hold the error of a device's share as well.

    A share p of a population is an estimate, and ``x = P(p)^-1 z`` moves with it by
    ``dx/dp = -P^-1 (dP/dp) x``; for crosswise questions that is ``(1 - 2 pi) / (2 p - 1)``.

    Parameters
    ----------
    spread
        ``dP/dp`` times the standard error of p; None where p is exact.
    """
    if spread is None:
        return found
    return widened_by(found, invert(matrix).inverse @ spread @ found.raw)


def widened_by(found: Reconstruction, moved: Numbers) -> Reconstruction:
    """Intervals with a further independent error; ``moved`` are its standard errors."""
    low, high, error, confidence = found.low, found.high, found.standard_error, found.confidence
    if low is None or high is None or error is None or confidence is None:
        return found
    reach = float(ndtri((1 + confidence) / 2)) * moved
    # An estimate that cannot be is widened from where its interval begins.
    x = np.clip(found.estimate, low, high)
    covariance = None if found.covariance is None else found.covariance + np.outer(moved, moved)
    return dataclasses.replace(
        found,
        # Ends that are not alike far away from the estimate stay so.
        low=np.clip(x - np.hypot(x - low, reach), 0.0, 1.0),
        high=np.clip(x + np.hypot(high - x, reach), 0.0, 1.0),
        standard_error=np.hypot(error, moved),
        covariance=covariance,
        interval_method=Message(
            "{method}, with the standard error of the device's share",
            method=found.interval_method,
        ),
    )


def bootstrap(
    counted: CountedChannel, fit: Fit, seed: int, progress: Progress = silent
) -> tuple[Numbers, str]:
    """The covariance of estimates from resampled counts, all iterated together."""
    matrix, counts = fit.cells() if fit.cells else (counted.matrix, counted.usable)
    work = 4.0 * matrix.size * max(fit.iterations, 1)
    resamples = int(np.clip(_MOST_WORK / work, _FEWEST_RESAMPLES, RESAMPLES))
    generator = SeededStreams(seed).generator("bootstrap", counted.attribute.name)
    n = max(1, round(counted.size))
    rule = Fixed(fit.iterations)
    found = []
    for start in range(0, resamples, _AT_ONCE):
        progress(start / resamples, "resampling")
        runs = min(_AT_ONCE, resamples - start)
        drawn = generator.multinomial(n, counts / counts.sum(), size=runs) / n
        found.append(iterate_many(matrix, drawn, rule, n))
    estimates = np.concatenate(found)
    covariance = np.atleast_2d(np.cov(estimates, rowvar=False))
    return covariance, Message(
        "bootstrap of the counts, {resamples} resamples with {iterations} iterations "
        "each; it does not include the bias of early stopping",
        resamples=resamples,
        iterations=fit.iterations,
    )
