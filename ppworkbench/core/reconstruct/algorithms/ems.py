"""EM with a smoothing step: the default for numbers that were reported by a square wave."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.reconstruct.channel import NUMBERS, CountedChannel
from ppworkbench.core.reconstruct.estimator import Estimator, Fit, estimators, known_fit
from ppworkbench.core.reconstruct.grid import divide_edges
from ppworkbench.core.reconstruct.reconstruction import Recorder, Trace
from ppworkbench.core.reconstruct.stopping import StopRule
from ppworkbench.core.reconstruct.worst_case import bin_targets

_LEAST_GAIN = 1e-3
"""Of the log-likelihood of all reports together; a smaller gain ends the iteration."""
_MOST_ITERATIONS = 10_000
_ENOUGH_CELLS = 100
"""Over fewer cells the averages reach too far: what is told by wide bins would be flattened."""
_LEAST_CELLS = 50
"""Whole numbers cannot be divided: with fewer of them it loses several times as much as smooth."""
_TINY = float(np.finfo(np.float64).tiny)
_REPORT_EVERY = 16


@estimators.register(
    "ems", "EM with smoothing", short="EMS", hint="smoothed steps, no stopping rule", rank=50
)
@dataclass(frozen=True)
class Ems(Estimator):
    """The EM step, after which every density is averaged with its neighbours.

    ``x_p <- x_p * sum_s z_s A[s, p] / (A x)_s``, then ``(x_{p-1} + 2 x_p + x_{p+1}) / 4``, at the
    ends ``(2 x_p + x_{p±1}) / 3``, then divided by the sum. It ends when the log-likelihood of all
    reports gains less than 0.001.

    References
    ----------
    B. W. Silverman et al. (1990), "A smoothed EM approach to indirect estimation problems", JRSS B
    52; Z. Li et al. (2020), "Estimating numerical distributions under local differential privacy",
    SIGMOD.
    """

    name: ClassVar[str] = "ems"
    serves: ClassVar[frozenset[str]] = frozenset({NUMBERS})
    counterpart: ClassVar[str] = "accelerated"

    def suits(self, counted: CountedChannel) -> bool:
        if counted.x_edges is None:
            return False
        return len(_fine_edges(counted, counted.x_edges)) > _LEAST_CELLS

    def fit(
        self,
        counted: CountedChannel,
        stop: StopRule | None = None,  # noqa: ARG002 (it has a rule of its own)
        seed: int = 0,  # noqa: ARG002
        progress: Progress = silent,
    ) -> Fit:
        known = known_fit(counted)
        if known is not None:
            return known
        fine, together = _divided(counted)
        widths = np.ones(fine.k) if fine.x_edges is None else np.diff(fine.x_edges)
        used = fine.usable > 0
        rows = fine.matrix[used]
        columns = np.ascontiguousarray(rows.T)
        share = fine.shares[used]
        x = widths / widths.sum()
        fitted = np.maximum(rows @ x, _TINY)
        reached = counted.size * float(share @ np.log(fitted))
        recorder = Recorder()
        recorder.record(0, x @ together)
        iteration, finished = 0, False
        while not finished and iteration < _MOST_ITERATIONS:
            if iteration % _REPORT_EVERY == 0:
                done = iteration / (iteration + 200)
                progress(done, Message("iteration {iteration}", iteration=iteration))
            x = smooth_shares(x * (columns @ (share / fitted)), widths)
            fitted = np.maximum(rows @ x, _TINY)
            before, reached = reached, counted.size * float(share @ np.log(fitted))
            iteration += 1
            recorder.record(iteration, x @ together)
            finished = reached - before < _LEAST_GAIN
        found = x @ together
        progress(1.0, Message("iteration {iteration}", iteration=iteration))
        trace = Trace(*recorder.kept(iteration, found), counted.matrix, counted.usable)
        return Fit(found, found, iteration, finished=finished, trace=trace)


def _divided(counted: CountedChannel) -> tuple[CountedChannel, Numbers]:
    """The counts with enough cells of X, and which of these make up each cell of now."""
    if counted.k >= _ENOUGH_CELLS or not counted.is_noisy:
        return counted, np.eye(counted.k)
    assert counted.x_edges is not None  # noqa: S101 (a number)
    edges = _fine_edges(counted, counted.x_edges)
    return counted.with_x_edges(edges), bin_targets(edges, counted.x_edges).T


def _fine_edges(counted: CountedChannel, edges: Numbers) -> Numbers:
    """Borders of about enough cells, or of as many as there are whole numbers."""
    cells = max(counted.k, _ENOUGH_CELLS)
    return divide_edges(edges, cells, counted.attribute, counted.perturbation)


def smooth_shares(x: Numbers, widths: Numbers) -> Numbers:
    """Shares whose densities are averaged with their neighbours.

    >>> smooth_shares(np.array([0.0, 0.0, 1.0, 0.0, 0.0]), np.ones(5)).tolist()
    [0.0, 0.25, 0.5, 0.25, 0.0]
    """
    density = x / widths
    result = np.empty_like(density)
    result[1:-1] = (density[:-2] + 2 * density[1:-1] + density[2:]) / 4
    result[0] = (2 * density[0] + density[1]) / 3
    result[-1] = (2 * density[-1] + density[-2]) / 3
    result *= widths
    return np.asarray(result / result.sum())
