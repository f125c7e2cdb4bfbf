"""The methods on one draw: estimates, their path and its errors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from ppworkbench.analyses.experiments.draws import Draw, ExploredColumn, simulate
from ppworkbench.analyses.experiments.iterations import (
    AUTO,
    CONVERGED,
    FEWEST_RESAMPLES,
    FIXED,
    PUBLISHED,
    RESAMPLING_WORK,
    EmTrace,
    Whole,
    em_trace,
    most_iterations,
)
from ppworkbench.core.arrays import Numbers
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.reconstruct import estimators, information_loss
from ppworkbench.core.reconstruct.channel import VALUES, invert
from ppworkbench.core.reconstruct.estimator import IteratedEstimator
from ppworkbench.core.reconstruct.intervals import intervals
from ppworkbench.core.reconstruct.sets import EQ, LIKELIEST, reconstruct_sets
from ppworkbench.core.reconstruct.stopping import average_iterations
from ppworkbench.core.rng import SeededStreams
from ppworkbench.study.language import translatable

CONFIDENCE = 0.95
_QUANTILE = 1.959964


@dataclass(frozen=True)
class Reading:
    """An estimate as it is shown: with its interval and its loss where they are known."""

    probability: Numbers
    low: Numbers | None = None
    high: Numbers | None = None
    loss: float | None = None


@dataclass(frozen=True, eq=False)
class Run:
    """The estimate of one algorithm, and the way to it where there is one.

    Parameters
    ----------
    iterates
        Whether a stop rule means anything; without one the last estimate counts.
    low, high, interval_method
        The interval of the last estimate, for algorithms that do not iterate.
    freedom
        The effective degrees of freedom of a smoothed estimate; None for all others.
    """

    method: str
    iterates: bool
    trace: EmTrace
    raw: Numbers
    low: Numbers | None = None
    high: Numbers | None = None
    interval_method: str = ""
    freedom: float | None = None

    def stop(self, rule: str, fixed: int) -> int:
        """The iteration at which a rule stops this algorithm."""
        if not self.iterates:
            return self.trace.last
        return min(fixed, self.trace.last) if rule == FIXED else self.trace.stops[rule]

    def at(self, iteration: int) -> Reading:
        """The estimate after an iteration."""
        trace, low, high = self.trace, None, None
        x = trace.at(iteration)
        deviation = trace.deviation_at(iteration)
        if deviation is not None:
            low = np.clip(x - _QUANTILE * deviation, 0.0, 1.0)
            high = np.clip(x + _QUANTILE * deviation, 0.0, 1.0)
        elif iteration >= trace.last:
            low, high = self.low, self.high
        return Reading(x, low, high, trace.loss_at(iteration))


@dataclass(frozen=True, eq=False)
class Result:
    """A draw and what the algorithms made of it."""

    draw: Draw
    runs: Mapping[str, Run] = field(default_factory=dict)

    def with_run(self, run: Run) -> Result:
        """The same with another run in the place of that algorithm's."""
        return replace(self, runs={**self.runs, run.method: run})

    def covers(self, explored: ExploredColumn, seed: int, methods: Iterable[str]) -> bool:
        """Whether everything is known that these algorithms can say about that draw."""
        if self.draw.key != (explored, seed):
            return False
        if is_trivial(self.draw):
            return True
        return all(name in self.runs or refusal(name, self.draw) for name in methods)


def explore(
    explored: ExploredColumn,
    seed: int,
    methods: Iterable[str],
    before: Result | None = None,
    progress: Progress = silent,
) -> Result:
    """Distort and reconstruct; what an earlier result of the same draw knows is not done again."""
    if before is None or before.draw.key != (explored, seed):
        before = Result(simulate(explored, seed, part(progress, 0.0, 0.3)))
    if is_trivial(before.draw):
        return Result(before.draw)
    return reconstruct_draw(before.draw, methods, before.runs, part(progress, 0.3, 1.0))


def reconstruct_draw(
    draw: Draw,
    methods: Iterable[str],
    known: Mapping[str, Run],
    progress: Progress = silent,
) -> Result:
    """Run the algorithms that are not known yet."""
    wanted = [name for name in methods if refusal(name, draw) == ""]
    missing = [name for name in wanted if name not in known]
    runs = {name: known[name] for name in wanted if name in known}
    for place, name in enumerate(missing):
        share = part(progress, place / len(missing), (place + 1) / len(missing))
        runs[name] = run_method(name, draw, share)
    return Result(draw, runs)


def is_trivial(draw: Draw) -> bool:
    """Whether there is nothing to reconstruct: no answers, or only one possible answer."""
    return draw.counted.k == 1 or draw.counted.total <= 0


def refusal(method: str, draw: Draw) -> str:
    """Why an algorithm cannot serve a draw, as a key of a sentence; empty if it can."""
    counted = draw.counted
    if draw.sets:
        return "" if method in (EQ, LIKELIEST) else "cells"
    if counted.cells not in estimators[method].serves:
        return "cells"
    if method != "eq":
        return ""
    if not counted.is_square:
        return "square"
    return "singular" if draw.is_singular else ""


def run_method(method: str, draw: Draw, progress: Progress = silent) -> Run:
    if draw.sets:
        found = reconstruct_sets(draw.sets, method, confidence=CONFIDENCE, progress=progress)
        way = _point(found.probability, draw)
        return Run(method, False, way, found.raw, found.low, found.high, found.interval_method)
    estimator, counted = estimators[method](), draw.counted
    if isinstance(estimator, IteratedEstimator):
        trace = _iterated(estimator, draw, progress)
        return Run(method, True, trace, trace.estimates[-1])
    fit = estimator.fit(counted, seed=draw.seed, progress=part(progress, 0.0, 0.8))
    within = intervals(counted, fit, CONFIDENCE, draw.seed, part(progress, 0.8, 1.0))
    steps = fit.trace
    if steps is None or fit.freedom is not None:
        # The way over the strengths of a penalty is no iteration that anybody would stop.
        trace = _point(fit.probability, draw)
    else:
        trace = _trace_of(steps.iterations, steps.estimates, steps.log_likelihood, draw)
    return Run(method, False, trace, fit.raw, within.low, within.high, within.method, fit.freedom)


def _iterated(estimator: IteratedEstimator, draw: Draw, progress: Progress) -> EmTrace:
    counted = draw.counted
    matrix, counts = estimator.system(counted)
    auto = average_iterations(
        matrix, counts, counted.size, progress=part(progress, 0.0, 0.4),
        charge=estimator.charge(counted.size),
    )  # fmt: skip
    most = most_iterations(*matrix.shape, values=counted.cells == VALUES)
    trace = em_trace(matrix, counts, most, auto, draw.original, part(progress, 0.4, 1.0))
    if counted.is_undistorted:
        # One step finds undistorted answers: nothing is gained by stopping before it.
        trace = replace(trace, stops=dict.fromkeys(trace.stops, trace.last))
    return trace


def _point(x: Numbers, draw: Draw) -> EmTrace:
    return _trace_of(np.array([0]), x[None, :], np.zeros(1), draw)


def _trace_of(iterations: Whole, x: Numbers, likelihood: Numbers, draw: Draw) -> EmTrace:
    losses = None if draw.original is None else information_loss(draw.original, x)
    last = int(iterations[-1])
    # Where two estimates belong to one number, the later one counts.
    kept = np.append(np.diff(iterations) > 0, True)
    return EmTrace(
        iterations[kept].astype(np.int64),
        x[kept],
        likelihood[kept],
        None if losses is None else losses[kept],
        dict.fromkeys((AUTO, PUBLISHED, CONVERGED), last),
    )


MOST_RESAMPLES = 100
_REPORT_EVERY = 8
_STILL = 1e-7
_TINY = float(np.finfo(np.float64).tiny)


def trace_errors(method: str, draw: Draw, trace: EmTrace, progress: Progress = silent) -> Numbers:
    """Standard deviations of the kept estimates, by a bootstrap of the counts.

    The resamples are iterated together. Where the work would take too long the later steps stay
    unknown (NaN). The bias of an early stop is not in it.
    """
    estimator, counted = estimators[method](), draw.counted
    assert isinstance(estimator, IteratedEstimator)  # noqa: S101 (others have closed forms)
    matrix, counts = estimator.cells(counted)
    found = np.full(trace.estimates.shape, np.nan)
    found[0] = 0.0
    hidden = invert(counted.matrix).hidden if draw.is_singular else np.zeros(counted.k, bool)
    n = round(float(counts.sum()))
    if n < 1:
        return found
    work = 4.0 * matrix.size
    resamples = int(
        np.clip(RESAMPLING_WORK / (work * max(trace.last, 1)), FEWEST_RESAMPLES, MOST_RESAMPLES)
    )
    most = int(RESAMPLING_WORK / (work * resamples))
    generator = SeededStreams(draw.seed).generator("explore bootstrap", draw.explored.name)
    shares = generator.multinomial(n, counts / counts.sum(), size=resamples) / n
    columns = np.ascontiguousarray(matrix.T)
    x = np.full((resamples, matrix.shape[1]), 1 / matrix.shape[1])
    iteration = 0
    for place, kept in enumerate(trace.iterations.tolist()):
        if kept > most:
            break
        while iteration < kept:
            if iteration % _REPORT_EVERY == 0:
                progress(iteration / max(trace.last, 1), translatable("resampling"))
            new = ((shares / np.maximum(x @ columns, _TINY)) @ matrix) * x
            iteration += 1
            if np.abs(new - x).sum(axis=1).max() < _STILL:
                # Nothing moves any more, so nothing would differ later on.
                found[place:] = new.std(axis=0, ddof=1)
                found[:, hidden] = np.inf
                return found
            x = new
        if kept:
            found[place] = x.std(axis=0, ddof=1)
    # What the matrix hides stays unknown however alike the resamples are.
    found[:, hidden] = np.inf
    return found
