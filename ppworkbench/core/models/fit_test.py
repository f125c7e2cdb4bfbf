"""Whether a model fits: reported against expected answers in groups, judged by simulation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Codes, Numbers, weighted_counts
from ppworkbench.core.errors import ParameterError, WorkbenchError
from ppworkbench.core.message import Message
from ppworkbench.core.models.estimating import fit_by_likelihood
from ppworkbench.core.models.family import Family
from ppworkbench.core.models.likelihood import Likelihood
from ppworkbench.core.models.problem import Problem
from ppworkbench.core.models.results import FitGroup, FitTest
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.rng import SeededStreams

_GROUPS = 10


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
    """The probabilities of reports for every pattern of predictors, and each row's pattern."""
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
        family, likelihood.coding, reported + np.tile(np.arange(reports), len(counts)),
        counts.reshape(-1), {name: column[places] for name, column in likelihood.data.items()},
        None if hidden is None else hidden.chosen(places),
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
