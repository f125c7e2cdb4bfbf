"""Errors of a regression by drawing people, or clusters within strata, again and again.

Each draw only counts the merged rows otherwise. Who stops the work after some draws keeps what
they say, labelled with their number.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ppworkbench.core.arrays import Numbers, weighted_counts
from ppworkbench.core.data.sampling_roles import BOOTSTRAP
from ppworkbench.core.errors import DataError, WorkbenchError
from ppworkbench.core.message import Message
from ppworkbench.core.models.estimating import Problem
from ppworkbench.core.models.family import Fitted
from ppworkbench.core.progress import Cancelled, Progress, part, silent
from ppworkbench.core.rng import SeededStreams
from ppworkbench.core.sampling.replicates import replicate_factors
from ppworkbench.core.sampling.sample import rows_as_clusters
from ppworkbench.core.survey.sampled import SurveySample

DRAWS = 200
FEWEST_DRAWS = 20
"""So many draws make errors that are worth showing when the work is stopped."""
STOPPED = "stopped"
"""Code of the remark on a bootstrap that was stopped."""
_AT_ONCE = 1 << 18
"""Rows that are drawn between two reports of progress."""

Refit = Callable[[Numbers, Progress], Fitted]
"""The same fit with other weights of the merged rows."""


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """The covariance of the estimates over so many ``draws``."""

    covariance: Numbers
    draws: int
    remarks: tuple[str, ...] = ()


def bootstrap(
    problem: Problem,
    fitted: Fitted,
    refit: Refit,
    survey: SurveySample | None = None,
    seed: int = 0,
    progress: Progress = silent,
) -> Bootstrap:
    """Fit draws of the people; what was done counts when the work is stopped after enough draws."""
    drawn = _drawn_weights(problem, survey, seed)
    found: list[Numbers] = []
    tried, stopped = 0, False
    while tried < DRAWS and not stopped:
        share = tried / DRAWS
        # Within one draw, only whether to go on is asked.
        still = part(progress, share, share, Message("drawing again"))
        try:
            still(0.0)
            again = refit(drawn(tried, still), still)
        except Cancelled:
            if len(found) < FEWEST_DRAWS:
                raise
            stopped = True
            continue
        except WorkbenchError:
            # A draw without some value cannot be fitted.
            tried += 1
            continue
        tried += 1
        if not again.separated or fitted.separated:
            found.append(again.theta[: fitted.size])
    if len(found) < tried // 2:
        raise DataError(
            "Most draws of the bootstrap could not be fitted; use fewer terms.", field="variance"
        )
    apart = np.array(found) - fitted.theta[: fitted.size]
    remarks = _remarks(len(found), tried, stopped=stopped)
    return Bootstrap(apart.T @ apart / len(found), len(found), remarks)


def _remarks(found: int, tried: int, *, stopped: bool) -> tuple[str, ...]:
    remarks: list[str] = []
    if stopped:
        remarks.append(
            Message(
                "The bootstrap was stopped: errors and intervals come from {done} of {all} draws "
                "and are less exact.",
                done=found,
                all=DRAWS,
                code=STOPPED,
            )
        )
    if found < tried:
        remarks.append(
            Message(
                "{done} of {all} draws of the bootstrap could be fitted.", done=found, all=tried
            )
        )
    return tuple(remarks)


def _drawn_weights(
    problem: Problem, survey: SurveySample | None, seed: int
) -> Callable[[int, Progress], Numbers]:
    if survey is None:
        return _drawn_people(problem, seed)
    rows = problem.likelihood.rows
    frame, sample = rows_as_clusters(survey.frame, survey.sample)
    factors, _ = replicate_factors(frame, BOOTSTRAP, DRAWS, seed)
    weights, clusters = survey.weights(problem.rows), sample.each_cluster[problem.rows]

    def clustered(number: int, _progress: Progress) -> Numbers:
        return weighted_counts(problem.place, weights * factors[clusters, number], rows)

    return clustered


def _drawn_people(problem: Problem, seed: int) -> Callable[[int, Progress], Numbers]:
    draws = SeededStreams(seed).generator("regression", "bootstrap")
    shares = problem.likelihood.weights / problem.n
    if len(shares) <= _AT_ONCE:
        return lambda _number, _progress: draws.multinomial(problem.n, shares).astype(np.float64)
    # How many fall on each part, and then where within it.
    starts = range(0, len(shares), _AT_ONCE)
    of_part = np.add.reduceat(shares, starts)

    def plain(_number: int, progress: Progress) -> Numbers:
        counts = draws.multinomial(problem.n, of_part / of_part.sum())
        found = np.empty(len(shares))
        for start, count, share in zip(starts, counts, of_part, strict=True):
            progress(0.0)
            inside = slice(start, start + _AT_ONCE)
            found[inside] = draws.multinomial(count, shares[inside] / share)
        return found

    return plain
