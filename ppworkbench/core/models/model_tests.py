"""Tests of a model: of its terms, against a smaller formula, and whether it fits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, fdtrc

from ppworkbench.core.arrays import Codes, Numbers, weighted_counts
from ppworkbench.core.errors import ParameterError, WorkbenchError
from ppworkbench.core.message import Message
from ppworkbench.core.models.coding import INTERCEPT, THRESHOLD, ColumnLabel
from ppworkbench.core.models.estimating import Problem, fit_by_likelihood
from ppworkbench.core.models.family import Family, Fitted
from ppworkbench.core.models.formula import Formula
from ppworkbench.core.models.likelihood import Likelihood
from ppworkbench.core.models.results import LIKELIHOOD_RATIO, WALD, FitGroup, FitTest, Test
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.rng import SeededStreams

_GROUPS = 10
UNTESTED = "untested"
"""Code of the remark on joint tests that are left out."""


def wald_tests(
    labels: Sequence[ColumnLabel], theta: Numbers, covariance: Numbers, degrees: float,
    untested: set[int],
) -> tuple[tuple[Test, ...], tuple[str, ...]]:  # fmt: skip
    """Every term that has several coefficients, all of them together; all terms.

    Parameters
    ----------
    untested
        Places of coefficients without a test: what they are in has none, and a remark says so.
    """
    places: dict[str, list[int]] = {}
    for place, label in enumerate(labels):
        if label.term not in (INTERCEPT, THRESHOLD):
            places.setdefault(label.term, []).append(place)
    wanted: list[tuple[tuple[str, ...], list[int]]] = [
        ((term,), where) for term, where in places.items() if len(where) > 1
    ]
    if len(places) > 1:
        wanted.append((tuple(places), [place for where in places.values() for place in where]))
    possible = [(terms, where) for terms, where in wanted if not untested.intersection(where)]
    tests = [_wald(terms, where, theta, covariance, degrees) for terms, where in possible]
    found = tuple(test for test in tests if test is not None)
    if len(possible) == len(wanted):
        return found, ()
    known = {place for where in places.values() for place in where}
    names = dict.fromkeys(str(labels[place]) for place in sorted(untested & known))
    remark = Message(
        "Joint tests with {names} are left out: there is no test of the coefficient alone.",
        names=", ".join(names),
        code=UNTESTED,
    )
    return found, (remark,)


def _wald(
    terms: tuple[str, ...], places: Sequence[int], theta: Numbers, covariance: Numbers,
    degrees: float,
) -> Test | None:  # fmt: skip
    estimate = theta[list(places)]
    try:
        statistic = float(estimate @ np.linalg.solve(covariance[np.ix_(places, places)], estimate))
    except np.linalg.LinAlgError:
        return None
    df = len(places)
    if math.isinf(degrees):
        return Test(terms, WALD, statistic, df, float(chdtrc(df, statistic)))
    statistic /= df
    p = float(fdtrc(df, degrees, statistic)) if degrees > 0 else math.nan
    return Test(terms, WALD, statistic, df, p, degrees)


def ratio_test(problem: Problem, fitted: Fitted, smaller: Formula, progress: Progress) -> Test:
    """Twice the gain in log-likelihood over the formula with fewer terms, on the same rows."""
    asked = problem.formula
    same = (smaller.outcome, smaller.value) == (asked.outcome, asked.value)
    kept = {term.labels for term in smaller.terms}
    nested = kept < {term.labels for term in asked.terms}
    if not same or not nested or smaller.intercept != asked.intercept:
        raise ParameterError(
            "The formula that is compared with must have the same outcome and some of the terms, "
            "no others.",
            field="compare-with",
        )
    dropped = tuple(term.label for term in asked.terms if term.labels not in kept)
    coding = problem.likelihood.coding
    places = {place for place, label in enumerate(coding.labels) if label.term in dropped}
    restricted = replace(problem.likelihood, coding=coding.without(places))
    less = fit_by_likelihood(restricted, progress=progress)
    assert fitted.value is not None  # noqa: S101 (a likelihood has a value)
    assert less.value is not None  # noqa: S101 (a likelihood has a value)
    statistic = max(2 * (fitted.value - less.value), 0.0)
    df = problem.likelihood.coefficients - restricted.coefficients
    return Test(dropped, LIKELIHOOD_RATIO, statistic, df, float(chdtrc(max(df, 1), statistic)))


def fit_test(
    problem: Problem, theta: Numbers, replicates: int, seed: int = 0, progress: Progress = silent
) -> FitTest:
    """Pearson's X² over ten groups of rows with like expectations.

    The p value counts simulated surveys that fit at least as badly. Predictors' reports are held
    as they are.
    """
    likelihood = problem.likelihood
    family = likelihood.family
    if not family.gives_shares:
        raise ParameterError(
            "The fit is judged for outcomes with values only; look at the residuals of a number "
            "elsewhere.",
            field="fit",
        )
    patterns, expected = _expected(family, likelihood, theta)
    trials = weighted_counts(patterns, likelihood.weights, len(expected))
    counts = np.zeros(expected.shape)
    np.add.at(counts, (patterns, likelihood.reported % len(family.values)), likelihood.weights)
    groups = _groups(expected, trials)
    statistic = _distance(counts, expected, trials, groups)
    draws = SeededStreams(seed).generator("regression", "fit")
    worse, done = 0, 0
    whole = np.rint(trials).astype(np.int64)
    for number in range(replicates):
        share = number / replicates
        # Within one simulated survey, only whether to go on is asked.
        report = part(progress, share, share, Message("simulating surveys"))
        report(0.0)
        simulated = draws.multinomial(whole, expected / expected.sum(axis=1, keepdims=True))
        again = _with_counts(family, likelihood, patterns, simulated.astype(np.float64))
        try:
            found = fit_by_likelihood(again, theta, report)
        except WorkbenchError:
            continue
        own = np.repeat(np.arange(len(simulated)), simulated.shape[1])
        _, shares = _expected(family, again, found.theta, own)
        size = simulated.sum(axis=1).astype(np.float64)
        # Groups are made anew, as they would be for a survey of its own.
        apart = _distance(simulated.astype(np.float64), shares, size, _groups(shares, size))
        worse += apart >= statistic
        done += 1
    return FitTest(
        statistic, _told(counts, expected, trials, groups), done, (worse + 1) / (done + 1)
    )


def _expected(
    family: Family, likelihood: Likelihood, theta: Numbers, patterns: Codes | None = None
) -> tuple[Codes, Numbers]:
    rows = likelihood.rows
    found = np.empty((rows, len(family.values)))
    for report, reported in enumerate(family.possible_reports(likelihood.reported)):
        other = replace(likelihood, reported=reported)
        found[:, report] = np.exp(other.log_likelihoods(theta) - other.log_evidence(theta))
    if patterns is None:
        devices = likelihood.reported // found.shape[1]
        like = np.column_stack([found.round(12), devices])
        _, patterns = np.unique(like, axis=0, return_inverse=True)
        patterns = np.asarray(patterns, np.intp).reshape(-1)
    first = np.zeros(int(patterns.max()) + 1, np.intp)
    first[patterns[::-1]] = np.arange(rows - 1, -1, -1)
    return patterns, found[first]


def _groups(expected: Numbers, trials: Numbers) -> Codes:
    """About equally many rows each, in the order of the last value's expected share."""
    order = np.argsort(expected[:, -1], kind="stable")
    reached = np.cumsum(trials[order]) - trials[order] / 2
    place = np.minimum((reached * _GROUPS / max(trials.sum(), 1e-300)).astype(np.intp), _GROUPS - 1)
    groups = np.empty(len(order), np.intp)
    groups[order] = place
    return groups


def _distance(counts: Numbers, expected: Numbers, trials: Numbers, groups: Codes) -> float:
    seen, due = _by_group(counts, groups), _by_group(expected * trials[:, None], groups)
    held = due > 0
    return float(((seen - due)[held] ** 2 / due[held]).sum())


def _by_group(values: Numbers, groups: Codes) -> Numbers:
    return np.column_stack([weighted_counts(groups, column, _GROUPS) for column in values.T])


def _with_counts(
    family: Family, likelihood: Likelihood, patterns: Codes, counts: Numbers
) -> Likelihood:
    """The same predictors with other reports: one row per pattern and report."""
    first = np.zeros(len(counts), np.intp)
    first[patterns[::-1]] = np.arange(likelihood.rows - 1, -1, -1)
    reports = counts.shape[1]
    places: NDArray[np.intp] = np.repeat(first, reports)
    hidden = likelihood.hidden
    reported = likelihood.reported[places] // reports * reports
    return Likelihood(
        likelihood.coding, reported + np.tile(np.arange(reports), len(counts)),
        counts.reshape(-1), {name: column[places] for name, column in likelihood.data.items()},
        None if hidden is None else hidden.chosen(places), family=family,
    )  # fmt: skip


def _told(
    counts: Numbers, expected: Numbers, trials: Numbers, groups: Codes
) -> tuple[FitGroup, ...]:
    seen, due = _by_group(counts, groups), _by_group(expected * trials[:, None], groups)
    return tuple(
        FitGroup(str(place + 1), float(due[place].sum()), float(due[place, -1]),
                 float(seen[place, -1]))
        for place in range(_GROUPS)
        if due[place].sum() > 0
    )  # fmt: skip
