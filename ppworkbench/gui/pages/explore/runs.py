"""What each algorithm makes of one draw."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.reconstruct import Auto, estimators, information_loss
from ppworkbench.core.reconstruct.channel import VALUES
from ppworkbench.core.reconstruct.estimator import IteratedEstimator
from ppworkbench.core.reconstruct.intervals import intervals
from ppworkbench.gui.pages.explore.draw import Draw
from ppworkbench.gui.pages.explore.em_path import (
    AUTO,
    CONVERGED,
    FIXED,
    PUBLISHED,
    Path,
    follow,
    most_iterations,
)

Numbers = NDArray[np.float64]

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
    """

    method: str
    iterates: bool
    path: Path
    raw: Numbers
    low: Numbers | None = None
    high: Numbers | None = None
    interval_method: str = ""

    def stop(self, rule: str, fixed: int) -> int:
        """The iteration at which a rule stops this algorithm."""
        if not self.iterates:
            return self.path.last
        return min(fixed, self.path.last) if rule == FIXED else self.path.stops[rule]

    def at(self, iteration: int) -> Reading:
        """The estimate after an iteration."""
        path, low, high = self.path, None, None
        x = path.at(iteration)
        deviation = path.deviation_at(iteration)
        if deviation is not None:
            low = np.clip(x - _QUANTILE * deviation, 0.0, 1.0)
            high = np.clip(x + _QUANTILE * deviation, 0.0, 1.0)
        elif iteration >= path.last:
            low, high = self.low, self.high
        return Reading(x, low, high, path.loss_at(iteration))


@dataclass(frozen=True, eq=False)
class Result:
    """A draw and what the algorithms made of it."""

    draw: Draw
    runs: Mapping[str, Run] = field(default_factory=dict)

    def with_run(self, run: Run) -> Result:
        """The same with another run in the place of that algorithm's."""
        return replace(self, runs={**self.runs, run.method: run})


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
    if counted.cells not in estimators[method].serves:
        return "cells"
    if method != "eq":
        return ""
    if not counted.is_square:
        return "square"
    return "singular" if draw.is_singular else ""


def run_method(method: str, draw: Draw, progress: Progress = silent) -> Run:
    """Run one algorithm on one draw."""
    estimator, counted = estimators[method](), draw.counted
    if isinstance(estimator, IteratedEstimator):
        path = _iterated(estimator, draw, progress)
        return Run(method, True, path, path.estimates[-1])
    fit = estimator.fit(counted, seed=draw.seed, progress=part(progress, 0.0, 0.8))
    found = intervals(counted, fit, CONFIDENCE, draw.seed, part(progress, 0.8, 1.0))
    trace = fit.trace
    if trace is None:
        path = _point(fit.probability, draw)
    else:
        path = _path_of(trace.iterations, trace.estimates, trace.log_likelihood, draw)
    return Run(method, False, path, fit.raw, found.low, found.high, found.method)


def _iterated(estimator: IteratedEstimator, draw: Draw, progress: Progress) -> Path:
    counted = draw.counted
    matrix, counts = estimator.system(counted)
    cells = estimator.cells(counted)
    auto = Auto().resolve(*cells, draw.seed, part(progress, 0.0, 0.4)).limit
    most = most_iterations(*matrix.shape, values=counted.cells == VALUES)
    path = follow(matrix, counts, most, auto, draw.original, part(progress, 0.4, 1.0))
    if counted.is_undistorted:
        # One step finds undistorted answers: nothing is gained by stopping before it.
        path = replace(path, stops=dict.fromkeys(path.stops, path.last))
    return path


def _point(x: Numbers, draw: Draw) -> Path:
    return _path_of(np.array([0]), x[None, :], np.zeros(1), draw)


def _path_of(iterations: Numbers, x: Numbers, likelihood: Numbers, draw: Draw) -> Path:
    losses = None if draw.original is None else information_loss(draw.original, x)
    last = int(iterations[-1])
    # Where two estimates belong to one number, the later one counts.
    kept = np.append(np.diff(iterations) > 0, True)
    return Path(
        iterations[kept].astype(np.int64),
        x[kept],
        likelihood[kept],
        None if losses is None else losses[kept],
        dict.fromkeys((AUTO, PUBLISHED, CONVERGED), last),
    )
