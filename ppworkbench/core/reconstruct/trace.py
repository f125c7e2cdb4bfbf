"""How an estimate came about, step by step, for animations and for teaching."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

_MOST_KEPT = 512


@dataclass(frozen=True, eq=False)
class Trace:
    """Estimates after some iterations, with their log-likelihood.

    Long runs are thinned: every estimate at first, then every second, fourth, … so that what is
    kept stays small. The first is the start, the last is the result. ``losses`` are the information
    losses, where the original distribution is known.
    """

    iterations: NDArray[np.int64]
    estimates: Numbers
    matrix: Numbers
    counts: Numbers
    losses: Numbers | None = None

    @cached_property
    def log_likelihood(self) -> Numbers:
        """The log-likelihood of each estimate, worked out when somebody asks."""
        return log_likelihood(self.matrix, self.counts, self.estimates)


@dataclass
class Recorder:
    """Keeps the estimates that go into a trace."""

    most: int = _MOST_KEPT
    _kept: list[Numbers] = field(default_factory=list)
    _numbers: list[int] = field(default_factory=list)
    _stride: int = 1

    def record(self, iteration: int, estimate: Numbers) -> None:
        """Keep the estimate if its turn has come."""
        if iteration % self._stride:
            return
        if len(self._kept) >= self.most:
            self._stride *= 2
            self._kept, self._numbers = self._kept[::2], self._numbers[::2]
            if iteration % self._stride:
                return
        self._kept.append(estimate.copy())
        self._numbers.append(iteration)

    def kept(self, iteration: int, estimate: Numbers) -> tuple[NDArray[np.int64], Numbers]:
        """Numbers and estimates that were kept, ending with the result."""
        if not self._numbers or self._numbers[-1] != iteration:
            self._kept.append(estimate)
            self._numbers.append(iteration)
        self._kept[-1] = estimate
        estimates = np.array(self._kept)
        return np.array(self._numbers), estimates / estimates.sum(axis=1, keepdims=True)


def log_likelihood(matrix: Numbers, counts: Numbers, estimates: Numbers) -> Numbers:
    """``sum_s N_s log (A x)_s`` for one estimate or for each of several.

    Minus infinity where an estimate rules out something that was counted.
    """
    used = counts > 0
    fitted = estimates @ matrix[used].T
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(fitted) @ counts[used])
