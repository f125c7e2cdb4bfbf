"""Additive noise on a grid: whole numbers of steps.

Integer attributes take steps of 1; released real numbers take steps of a published grid, so that
the low bits of a distorted number tell nothing about the original (Mironov 2012).

- *staircase*: the pmf is given directly, uniform on -m..m or ``F((i + 1/2) g) - F((i - 1/2) g)``;
- *round*: draw continuous noise and round to the nearest step; uniform noise U(-5, 5) then gives ±5
  only half the probability of the inner values;
- *floor*: draw U(0, 2m + 1), round down and subtract m: exactly uniform on -m..m.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.design.noises.distribution import Noise, UniformNoise
from ppworkbench.core.rng import Stream

MANY_STEPS = 5000
"""From so many on the steps are as good as continuous noise, and listing them takes too long."""


@dataclass(frozen=True)
class SteppedNoise:
    """Noise that is a whole number of steps of the given size."""

    noise: Noise
    step: float
    rule: str

    @property
    def flat(self) -> bool:
        """Whether every possible number of steps is equally likely."""
        return isinstance(self.noise, UniformNoise) and self.rule != "round"

    @property
    def reach(self) -> int:
        """The largest number of steps, up to a negligible probability."""
        if self.flat:
            return int(np.floor(self.noise.scale / self.step + 0.5))
        return int(np.floor(self.noise.reach / self.step + 0.5))

    def pmf(self) -> tuple[NDArray[np.int64], Numbers]:
        """All numbers of steps and their probabilities."""
        steps = np.arange(-self.reach, self.reach + 1)
        mass = np.diff(self.cdf(np.arange(-self.reach - 1, self.reach + 1)))
        return steps, mass / mass.sum()

    @property
    def variance(self) -> float:
        """The variance of what is added: a twelfth of a squared step more than before rounding."""
        steps, mass = self.pmf()
        return float(mass @ (steps * self.step) ** 2)

    @property
    def is_normal(self) -> bool:
        """Whether it is as good as normal: rounding only adds to the variance of wide noise."""
        return self.noise.is_normal and self.noise.scale >= self.step / 2

    def log_mean_exponential(self, b: float) -> tuple[float, float, float]:
        """``log E exp(b Y)`` with its first two derivatives by b; infinite where there is none."""
        if not math.isfinite(self.noise.log_mean_exponential(b)[0]):
            return math.inf, math.inf, math.inf
        steps, mass = self.pmf()
        added = steps * self.step
        top = abs(b) * float(added[-1])
        tilted = mass * np.exp(b * added - top)
        total = float(tilted.sum())
        mean = float(tilted @ added) / total
        spread = float(tilted @ (added - mean) ** 2) / total
        return math.log(total) + top, mean, spread

    def cdf(self, steps: NDArray[np.int64] | Numbers) -> Numbers:
        """Pr(number of steps <= steps) for whole numbers."""
        steps = np.asarray(steps, np.float64)
        if self.flat:
            return np.clip((steps + self.reach + 1) / (2 * self.reach + 1), 0.0, 1.0)
        return self.noise.cdf((steps + 0.5) * self.step)

    def sample(self, n: int, stream: Stream) -> Numbers:
        """Independent numbers of steps."""
        if self.flat:
            return np.floor(stream.random(n) * (2 * self.reach + 1)) - self.reach
        return np.rint(self.noise.sample(n, stream) / self.step)

    def sample_between(self, low: Numbers, high: Numbers, stream: Stream) -> Numbers:
        """Numbers of steps between two bounds each, as re-drawing until inside would give."""
        u = stream.random(len(low))
        if self.flat:
            first, last = np.maximum(low, -self.reach), np.minimum(high, self.reach)
            return np.asarray(first + np.floor(u * (last - first + 1)))
        below, upto = self.cdf(low - 1), self.cdf(high)
        steps = np.rint(self.noise.ppf(below + u * (upto - below)) / self.step)
        return np.clip(steps, low, high)


AddedNoise = Noise | SteppedNoise
"""What is added to a number, however it is drawn."""
