"""The EM iteration kept step by step, with the places where the stop rules end it.

Early steps change a lot and are all kept. Later ones are kept at equal distances on a logarithmic
scale, which is the scale on which a person moves through them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.reconstruct.reconstruction import information_loss, log_likelihood
from ppworkbench.core.reconstruct.stopping import (
    Averaged,
    Converged,
    Published,
    average_iterations,
)
from ppworkbench.study.language import translatable

Whole = NDArray[np.int64]
AUTO, PUBLISHED, CONVERGED, FIXED = "auto", "published", "converged", "fixed"
RULES = (AUTO, PUBLISHED, CONVERGED)
_ALL_UP_TO = 128
_PARTS = 50
_REPORT_EVERY = 16
_TINY = float(np.finfo(np.float64).tiny)
_CAPS = (200, 500, 1000, 2000, 5000, 10_000, 20_000)
FEWEST_RESAMPLES = 40
RESAMPLING_WORK = 1.2e10
"""Multiplications and additions that the intervals of a trace may take."""


@dataclass(frozen=True, eq=False)
class EmTrace:
    """Estimates after some of the iterations.

    Parameters
    ----------
    iterations
        Which are kept, from 0 to the last.
    losses
        The information loss of each; None where the truth is not known.
    stops
        The iteration at which each rule stops.
    finished
        Whether the last estimate has converged.
    deviation
        Standard deviations of the kept estimates, NaN where unknown; None before they are known.
    """

    iterations: NDArray[np.int64]
    estimates: Numbers
    log_likelihood: Numbers
    losses: Numbers | None = None
    stops: Mapping[str, int] = field(default_factory=dict)
    finished: bool = True
    deviation: Numbers | None = None

    @property
    def last(self) -> int:
        return int(self.iterations[-1])

    @property
    def lowest(self) -> int | None:
        """The iteration with the smallest loss."""
        return None if self.losses is None else int(self.iterations[int(np.argmin(self.losses))])

    def at(self, iteration: int) -> Numbers:
        return self._between(self.estimates, iteration)

    def deviation_at(self, iteration: int) -> Numbers | None:
        """How much the estimate varies from survey to survey; None where that is not known."""
        if self.deviation is None:
            return None
        found = self._between(self.deviation, iteration)
        return None if np.isnan(found).any() else found

    def loss_at(self, iteration: int) -> float | None:
        return None if self.losses is None else float(self._between(self.losses, iteration))

    def step_from(self, iteration: int, steps: int) -> int:
        """The iteration so many kept ones away."""
        kept = self.iterations
        place = int(np.searchsorted(kept, iteration, side="left"))
        if steps < 0 or (place < len(kept) and kept[place] == iteration):
            place += steps
        else:
            place += steps - 1
        return int(kept[min(max(place, 0), len(kept) - 1)])

    def _between(self, kept: Numbers, iteration: int) -> Numbers:
        after = int(np.searchsorted(self.iterations, iteration, side="left"))
        if after >= len(self.iterations):
            return np.asarray(kept[-1])
        if after == 0 or self.iterations[after] == iteration:
            return np.asarray(kept[after])
        low, high = (math.log1p(int(self.iterations[i])) for i in (after - 1, after))
        share = (math.log1p(iteration) - low) / (high - low)
        return np.asarray((1 - share) * kept[after - 1] + share * kept[after])


def is_kept(iteration: int) -> bool:
    """Whether an iteration is kept for its own sake: all at first, then about every fiftieth part.

    >>> [i for i in range(300, 320) if is_kept(i)]
    [300, 306, 312, 318]
    """
    if iteration <= _ALL_UP_TO:
        return True
    return iteration % max(2, iteration // _PARTS) == 0


def most_iterations(rows: int, k: int, *, values: bool, draws: int = 1) -> int:
    """How far a trace is followed at most: as far as a reconstruction, fewer in large channels.

    A number is followed for 2,000 iterations, and on as long as its resamples can follow, too.
    Where that ends before convergence, the trace is not finished.

    Parameters
    ----------
    draws
        How many are followed at once.
    """
    work, limit = 4 * rows * k, Converged().limit
    allowed = min(1e9 / work, limit) if values else min(4e9 / work, 2000)
    most = max([cap for cap in _CAPS if cap <= allowed], default=_CAPS[0])
    if values:
        return most
    resampled = RESAMPLING_WORK / (FEWEST_RESAMPLES * work * draws)
    return max(most, min(int(resampled // 100) * 100, limit))


def em_trace(
    matrix: Numbers,
    counts: Numbers,
    most: int,
    auto: Averaged | None = None,
    truth: Numbers | None = None,
    progress: Progress = silent,
) -> EmTrace:
    """Iterate from the uniform distribution until nothing moves or ``most`` is reached.

    ``auto`` is what its rule found, if it was asked. The estimate after its typical number of
    iterations is the mean that it takes, as in the reconstruction itself; the other rules are found
    on the way.
    """
    used = (counts > 0) & (matrix.max(axis=1, initial=0.0) > 0)
    rows, seen = np.ascontiguousarray(matrix[used]), counts[used]
    columns = np.ascontiguousarray(rows.T)
    n, share = float(seen.sum()), seen / max(float(seen.sum()), 1.0)
    published, converged = Published(), Converged()
    x = np.full(matrix.shape[1], 1 / matrix.shape[1])
    kept, estimates = [0], [x]
    stop, iteration, still = None, 0, not used.any()
    typical = most if auto is None else auto.iterations
    while not still and iteration < most:
        if iteration % _REPORT_EVERY == 0:
            progress(iteration / most, translatable("iterating"))
        new = x * (columns @ (share / np.maximum(rows @ x, _TINY)))
        iteration += 1
        still = bool(converged.met(x, new, n))
        wanted = still or iteration in (typical, most) or is_kept(iteration)
        if stop is None and bool(published.met(x, new, n)):
            stop, wanted = iteration, True
        x = new
        if wanted:
            kept.append(iteration)
            estimates.append(x)
    found = np.array(estimates)
    found /= found.sum(axis=1, keepdims=True)
    likelihood = log_likelihood(rows, seen, found)
    if auto is not None and 0 < typical < iteration:
        found[kept.index(typical)] = auto.probability
    stops = {
        AUTO: min(typical, iteration),
        PUBLISHED: iteration if stop is None else stop,
        CONVERGED: iteration,
    }
    losses = None if truth is None else information_loss(truth, found)
    return EmTrace(np.array(kept), found, likelihood, losses, stops, still)


_PATHS_REPORT_EVERY = 8


def losses_by_rule(
    matrix: Numbers,
    counts: Numbers,
    most: int,
    stops: Mapping[str, Whole],
    truth: Numbers,
    progress: Progress = silent,
) -> dict[str, Numbers]:
    """The information loss of every row of counts under every rule.

    Parameters
    ----------
    stops
        Rules whose iteration is known beforehand, with the iteration for each row. The published
        rule and convergence are found on the way.
    """
    runs, k = len(counts), matrix.shape[1]
    n = counts.sum(axis=1)
    shares = counts / np.maximum(n, 1.0)[:, None]
    columns = np.ascontiguousarray(matrix.T)
    published, converged = Published(), Converged()
    x = np.full((runs, k), 1 / k)
    flat = information_loss(truth, x)
    found = {rule: flat.copy() for rule in (*stops, PUBLISHED, CONVERGED)}
    waiting, active = np.ones(runs, bool), np.arange(runs)
    for iteration in range(1, most + 1):
        if iteration % _PATHS_REPORT_EVERY == 1:
            progress((iteration - 1) / most, translatable("iterating"))
        new = ((shares / np.maximum(x @ columns, _TINY)) @ matrix) * x
        still = converged.met(x, new, 1.0) | (iteration == most)
        early = waiting[active]
        if early.any():
            # One size for all: every draw has the same respondents.
            early = early & (published.met(x, new, float(n.max())) | still)
        x = new
        due = [(PUBLISHED, early), (CONVERGED, still)]
        for rule, at in stops.items():
            here = at[active]
            due.append((rule, (here == iteration) | ((here > iteration) & still)))
        for rule, which in due:
            if which.any():
                found[rule][active[which]] = information_loss(truth, x[which])
        waiting[active[early]] = False
        if still.any():
            active, x, shares = active[~still], x[~still], shares[~still]
            if not len(active):
                break
    return found


def averages(
    matrix: Numbers,
    counts: Numbers,
    n: float,
    progress: Progress = silent,
    charge: float | None = None,
) -> Numbers:
    """For every row of counts the estimate of the rule ``auto``."""
    found = []
    for place, row in enumerate(counts):
        share = part(progress, place / len(counts), (place + 1) / len(counts))
        mean = average_iterations(matrix, row, n, progress=share, charge=charge)
        found.append(mean.probability)
    return np.array(found)
