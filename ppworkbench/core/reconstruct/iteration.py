"""The EM step on counts, for one survey or for many at once.

``x_p <- x_p * sum_s z_s A[s, p] / (A x)_s`` is the same step for EM/AS on a P-matrix, for EM on
noise and for AS with its own approximate channel. It keeps the sum at 1 and never makes anything
negative.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.reconstruct.stopping import StopRule
from ppworkbench.core.reconstruct.trace import Recorder

Numbers = NDArray[np.float64]

_TINY = float(np.finfo(np.float64).tiny)
_REPORT_EVERY = 16


@dataclass(frozen=True, eq=False)
class Iterated:
    """The estimate after the last iteration, and some on the way with their numbers."""

    probability: Numbers
    iterations: int
    stopped: bool
    numbers: NDArray[np.int64]
    estimates: Numbers


def iterate(
    matrix: Numbers, counts: Numbers, rule: StopRule, n: float, progress: Progress = silent
) -> Iterated:
    """Iterate from the uniform distribution until the rule is met.

    Parameters
    ----------
    n
        The (effective) number of respondents, which some rules take into account.
    """
    k = matrix.shape[1]
    x = np.full(k, 1 / k)
    used = (counts > 0) & (matrix.max(axis=1, initial=0.0) > 0)
    rows, seen = matrix[used], counts[used]
    # Both products run along rows in memory, which is faster than one array for both.
    columns = np.ascontiguousarray(rows.T)
    share = seen / max(seen.sum(), _TINY)
    recorder = Recorder()
    recorder.record(0, x)
    iteration, stopped = 0, rule.limit == 0 or not used.any()
    while not stopped and iteration < rule.limit:
        if iteration % _REPORT_EVERY == 0:
            progress(
                _share_done(iteration, rule), Message("iteration {iteration}", iteration=iteration)
            )
        fitted = np.maximum(rows @ x, _TINY)
        new = x * (columns @ (share / fitted))
        iteration += 1
        recorder.record(iteration, new)
        stopped = rule.name != "fixed" and bool(rule.met(x, new, n))
        x = new
    x = x / x.sum()
    progress(1.0, Message("iteration {iteration}", iteration=iteration))
    stopped = stopped or rule.name == "fixed"
    return Iterated(x, iteration, stopped, *recorder.kept(iteration, x))


def _share_done(iteration: int, rule: StopRule) -> float:
    if rule.name == "fixed":
        return iteration / max(rule.limit, 1)
    # Nobody knows how many are to come: go half of the remaining way again and again.
    return iteration / (iteration + 200)


def iterate_many(matrix: Numbers, shares: Numbers, rule: StopRule, n: float) -> Numbers:
    """Iterate every row of ``shares`` until the rule is met for it.

    Rows that are done are no longer touched, so each has the estimate that it would have alone.
    """
    runs, k = len(shares), matrix.shape[1]
    result = np.full((runs, k), 1 / k)
    possible = matrix.max(axis=1, initial=0.0) > 0
    rows = np.ascontiguousarray(matrix[possible])
    columns = np.ascontiguousarray(rows.T)
    active = np.flatnonzero(shares[:, possible].sum(axis=1) > 0)
    x, share = result[active], shares[np.ix_(active, possible)]
    for _ in range(rule.limit):
        fitted = x @ columns
        np.maximum(fitted, _TINY, out=fitted)
        np.divide(share, fitted, out=fitted)
        new = fitted @ rows
        new *= x
        if rule.name == "fixed":
            x = new
            continue
        done = rule.met(x, new, n)
        x = new
        if done.any():
            result[active[done]] = x[done]
            active, x, share = active[~done], x[~done], share[~done]
            if not len(active):
                break
    result[active] = x
    return np.asarray(result / result.sum(axis=1, keepdims=True))
