"""The parameter of a device that was estimated with the coefficients, and whether it is 1."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
from scipy.special import chdtrc, expit, logit

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.errors import ParameterError, WorkbenchError
from ppworkbench.core.message import Message
from ppworkbench.core.models.attention import nobody_attends
from ppworkbench.core.models.estimating import ML, Problem, fit_by_likelihood
from ppworkbench.core.models.family import Fitted
from ppworkbench.core.models.results import DeviceParameter
from ppworkbench.core.progress import Progress, silent

AT_LIMIT, UNEQUAL_ATTENTION = "device-limit", "unequal-attention"
"""Codes of the remarks on a parameter at an end of its range, and on one that differs by group."""
_DOUBT = 0.01


def check_device(problem: Problem, method: str, penalty: str) -> None:
    """Refuse what needs a device that is known whole."""
    if method == ML and not penalty:
        return
    if problem.likelihood.check is not None:
        raise ParameterError.saying(
            "The check question of {attribute!r} is used by the likelihood without a penalty "
            "only; choose that, or take the check question out of the design.",
            attribute=problem.unknown[0],
            field="method",
        )
    if problem.likelihood.device_place is not None:
        raise ParameterError(
            "The device has an unknown parameter, which only the likelihood without a penalty can "
            "estimate.",
            field="method",
        )


def within_limits(
    problem: Problem, fitted: Fitted, progress: Progress = silent
) -> tuple[Problem, Fitted, tuple[str, ...]]:
    """The fit itself, or where the parameter left its range the fit at the end that it passed."""
    place = problem.likelihood.device_place
    if place is None or 0 < fitted.theta[place] < 1:
        return problem, fitted, ()
    limit = float(fitted.theta[place] >= 1)
    if not limit and problem.likelihood.check is not None:
        raise nobody_attends()
    likelihood = problem.likelihood.through(limit)
    known = dataclasses.replace(problem, likelihood=likelihood, limit=limit)
    start = np.delete(fitted.theta, place)
    found = fit_by_likelihood(known.likelihood, start, progress)
    remark = Message(
        "The unknown parameter of the device is estimated at {limit:g}, the end of its range; it "
        "has no error there, and the others take it for known.",
        limit=limit,
        code=AT_LIMIT,
    )
    return known, found, (remark,)


def device_parameter(
    asked: Problem,
    problem: Problem,
    fitted: Fitted,
    covariance: Numbers,
    factor: float,
    *,
    has_likelihood: bool,
) -> DeviceParameter | None:
    """Estimate, interval and test against 1; None where every device is known.

    Parameters
    ----------
    asked, problem
        As it was asked, and as it was fitted: these differ where the parameter met a limit.
    factor
        How many standard errors an interval reaches to each side.
    """
    place = asked.likelihood.device_place
    if place is None:
        return None
    if problem.limit is not None:
        p = 1.0 if problem.limit else math.nan
        return DeviceParameter(*asked.unknown, problem.limit, math.nan, math.nan, math.nan, p)
    estimate = float(fitted.theta[place])
    error = math.sqrt(max(float(covariance[place, place]), 0.0))
    # On the scale of log odds, so that it stays between 0 and 1.
    reach = factor * error / (estimate * (1 - estimate))
    low, high = expit(logit(estimate) - reach), expit(logit(estimate) + reach)
    statistic = ((1 - estimate) / error) ** 2 if error else math.nan
    if has_likelihood:
        statistic = _ratio(problem, fitted, place, statistic)
    # 1 is the end of the range: half of all surveys would end there, so p is half of chi-square's.
    p = 0.5 * float(chdtrc(1, statistic))
    return DeviceParameter(*asked.unknown, estimate, error, float(low), float(high), p)


def _ratio(problem: Problem, fitted: Fitted, place: int, otherwise: float) -> float:
    """Twice the loss in log-likelihood if everybody did as they were told."""
    try:
        honest = fit_by_likelihood(problem.likelihood.through(1.0), np.delete(fitted.theta, place))
    except WorkbenchError:
        return otherwise
    if fitted.value is None or honest.value is None:
        return otherwise
    return max(2 * (fitted.value - honest.value), 0.0)


def unequal_attention(problem: Problem) -> list[str]:
    """A remark where the check question goes with predictors that are not randomised.

    The explained part of its variance times n is chi-square where it does not. Reports that were
    randomised go with it anyway: who does not attend to one question may not attend to the other.
    """
    likelihood, naive, distorted = problem.likelihood, problem.naive, set(problem.distorted)
    moves, coding = likelihood.check, naive.coding
    if moves is None or naive.rows != likelihood.rows or coding.intercept is None:
        return []
    plain = [
        place
        for place, pieces in enumerate(coding.columns)
        if not distorted.intersection(name for name, _ in pieces)
    ]
    matrix, weights = naive.matrix(slice(0, naive.rows))[:, plain], likelihood.weights
    if matrix.shape[1] < 2:
        return []
    root = np.sqrt(weights)
    centred = moves - weights @ moves / weights.sum()
    fitted = np.linalg.lstsq(matrix * root[:, None], centred * root, rcond=None)[0]
    total = float(weights @ centred**2)
    if total <= 0:
        return []
    explained = float(weights @ (matrix @ fitted) ** 2) / total
    p = float(chdtrc(matrix.shape[1] - 1, float(weights.sum()) * explained))
    if p >= _DOUBT:
        return []
    return [
        Message(
            "The answers to the check question go with the predictors (p = {p:.2g}), so that one "
            "share of attentive people for all is doubtful; look at groups one by one.",
            p=p,
            code=UNEQUAL_ATTENTION,
        )
    ]
