"""What every estimator of an original distribution is, and the list of all of them.

The EM step on counts, for one survey or for many at once.

``x_p <- x_p * sum_s z_s A[s, p] / (A x)_s`` is the same step for EM/AS on a P-matrix, for EM on
noise and for AS with its own approximate channel. It keeps the sum at 1 and never makes anything
negative.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.message import Message
from ppworkbench.core.params import Params
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.reconstruct.channel import CountedChannel
from ppworkbench.core.reconstruct.reconstruction import Recorder, Trace
from ppworkbench.core.reconstruct.stopping import Converged, StopRule, average_iterations
from ppworkbench.core.registry import Registry

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


estimators: Registry[type[Estimator]] = Registry("algorithm")


@dataclass(frozen=True, eq=False)
class Fit:
    """An estimated distribution and how it was found.

    Parameters
    ----------
    raw
        The estimate before it was made a distribution; unbiased for EQ.
    stop
        The rule that ended an iteration; None where nothing is iterated.
    finished
        Whether the rule was met, rather than the largest number of iterations.
    unbiased
        Whether the raw estimate solves the equations, whatever its sign.
    covariance
        The covariance of the estimate, where the estimator knows it best itself.
    cells
        Gives the channel and the counts from which resamples can be drawn, where an early stop
        asks for them.
    freedom
        The effective degrees of freedom of a smoothed estimate; None where nothing is smoothed.
    """

    probability: Numbers
    raw: Numbers
    iterations: int = 0
    stop: StopRule | None = None
    finished: bool = True
    trace: Trace | None = None
    unbiased: bool = False
    covariance: Numbers | None = None
    cells: Callable[[], tuple[Numbers, Numbers]] | None = None
    freedom: float | None = None


def known_fit(counted: CountedChannel) -> Fit | None:
    """The distribution where there is nothing to smooth; None where it has to be estimated.

    That of undistorted answers is their shares; that of nobody, or of one cell, is uniform.
    """
    if counted.total > 0 and counted.k > 1 and not counted.is_undistorted:
        return None
    x = counted.shares if counted.is_undistorted else np.zeros(counted.k)
    x = x if x.any() else np.full(counted.k, 1 / counted.k)
    return Fit(x, x)


@dataclass(frozen=True)
class Estimator(Params, ABC):
    """Estimates the distribution of X from the counts of Z.

    ``serves`` names the cells for which the estimator is made, ``counterpart`` the algorithm that
    does the same for the other ones.
    """

    name: ClassVar[str] = ""
    serves: ClassVar[frozenset[str]] = frozenset()
    counterpart: ClassVar[str] = ""
    default_stop: ClassVar[StopRule | None] = None

    @property
    def iterates(self) -> bool:
        """Whether a stop rule means anything to this estimator."""
        return self.default_stop is not None

    def suits(self, counted: CountedChannel) -> bool:  # noqa: ARG002
        """Whether it may be taken for these cells without being asked for."""
        return True

    @abstractmethod
    def fit(
        self,
        counted: CountedChannel,
        stop: StopRule | None = None,
        seed: int = 0,
        progress: Progress = silent,
    ) -> Fit:
        """Estimate the distribution; counts that are all zero give the uniform one."""


@dataclass(frozen=True)
class IteratedEstimator(Estimator):
    """An estimator that repeats the EM step until a rule is met."""

    default_stop: ClassVar[StopRule | None] = Converged()

    def charge(self, n: float) -> float | None:  # noqa: ARG002 (one estimator asks for n)
        """What a degree of freedom costs where the rule is ``auto``; None for the usual."""
        return None

    def cells(self, counted: CountedChannel) -> tuple[Numbers, Numbers]:
        """A channel and whole counts, from which parts or resamples can be drawn.

        Where to stop can be seen on fewer cells of Z than are needed to get there exactly.
        """
        small = counted.merged(4 * max(counted.k, 50))
        return small.matrix, small.usable

    def system(self, counted: CountedChannel) -> tuple[Numbers, Numbers]:
        return counted.matrix, counted.usable

    def fit(
        self,
        counted: CountedChannel,
        stop: StopRule | None = None,
        seed: int = 0,  # noqa: ARG002 (nothing is drawn)
        progress: Progress = silent,
    ) -> Fit:
        # Undistorted answers are found by one step: nothing is gained by stopping before it.
        rule = Converged() if counted.is_undistorted else stop or self.default_stop
        assert rule is not None  # noqa: S101 (iterated estimators have a rule)
        found = self._iterated(counted, rule, progress)
        return Fit(
            found.probability,
            found.probability,
            found.iterations,
            rule,
            found.stopped,
            Trace(found.numbers, found.estimates, counted.matrix, counted.usable),
            cells=lambda: self.cells(counted),
        )

    def _iterated(self, counted: CountedChannel, rule: StopRule, progress: Progress) -> Iterated:
        if rule.name != "auto":
            return iterate(*self.system(counted), rule, counted.size, progress)
        matrix, counts = self.system(counted)
        mean = average_iterations(
            matrix, counts, counted.size, rule.limit, progress, self.charge(counted.size)
        )
        return Iterated(mean.probability, mean.iterations, True, mean.numbers, mean.estimates)
