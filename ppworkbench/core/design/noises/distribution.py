"""Symmetric noise around zero: uniform, normal and Laplace.

Each distribution knows its cdf F and the antiderivative of F. The latter makes the channel between
two grids exact: for X uniform on [x0, x1] the chance that X + Y lies below z is
(G(z - x0) - G(z - x1)) / (x1 - x0) with G' = F.

The standard normal distribution; SciPy is loaded when it is first asked for.

Every start of the program passes here, few of them need a normal distribution at once.

Noise on a grid is a whole number of steps. Integer attributes take steps of 1; released real
numbers take steps of a published grid, so that the low bits of a distorted number tell nothing
about the original (Mironov 2012).

- *staircase*: the pmf is given directly, uniform on -m..m or ``F((i + 1/2) g) - F((i - 1/2) g)``;
- *round*: draw continuous noise and round to the nearest step; uniform noise U(-5, 5) then gives ±5
  only half the probability of the inner values;
- *floor*: draw U(0, 2m + 1), round down and subtract m: exactly uniform on -m..m.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.rng import Stream


def normal_cdf(x: ArrayLike) -> Numbers:
    """Pr(N <= x).

    >>> float(normal_cdf(0.0))
    0.5
    """
    from scipy.special import ndtr

    return np.asarray(ndtr(x), np.float64)


def normal_quantile(u: ArrayLike) -> Numbers:
    """The x with Pr(N <= x) = u.

    >>> round(float(normal_quantile(0.975)), 4)
    1.96
    """
    from scipy.special import ndtri

    return np.asarray(ndtri(u), np.float64)


NEGLIGIBLE = 1e-12
"""Tail probability beyond which unbounded noise is treated as if it never came."""


_SMALLEST = 4096
_NARROW = 1e-6
"""Cells of so small a part of the noise have the same reports in all their places."""


def on_differences(function: Callable[[Numbers], Numbers], z: Numbers, x: Numbers) -> Numbers:
    """``function(z[:, None] - x[None, :])``, fast where x and the inside of z are equally spaced.

    On such grids the same differences come again and again: a thousand borders of Z and a hundred
    of X have a hundred thousand pairs but only some thousand differences.

    >>> on_differences(np.square, np.array([0.0, 1.0]), np.array([0.0, 1.0])).tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    inner = z[1:-1]
    stride = _stride(inner, x) if z.size * x.size >= _SMALLEST else 0
    if not stride:
        return function(z[:, None] - x[None, :])
    fine = (inner[-1] - inner[0]) / (len(inner) - 1)
    reach = (len(x) - 1) * stride
    differences = inner[0] - x[-1] + fine * np.arange(len(inner) + reach)
    # Row r and column c need the difference number r + (last - c) * stride.
    windows = np.lib.stride_tricks.sliding_window_view(function(differences), reach + 1)
    ends = function(z[[0, -1], None] - x[None, :])
    return np.concatenate([ends[:1], windows[:, ::-stride], ends[1:]])


def _stride(inner: Numbers, x: Numbers) -> int:
    """How many steps of the inner grid make one of x; 0 if that is no whole number."""
    if len(inner) < 2 or len(x) < 2:
        return 0
    fine = (inner[-1] - inner[0]) / (len(inner) - 1)
    coarse = (x[-1] - x[0]) / (len(x) - 1)
    stride = round(coarse / fine)
    tolerance = 1e-9 * coarse
    fits = stride >= 1 and abs(stride * fine - coarse) * len(x) < tolerance
    even = np.abs(np.diff(inner) - fine).max() < tolerance
    return stride if fits and even and np.abs(np.diff(x) - coarse).max() < tolerance else 0


@dataclass(frozen=True)
class Noise(ABC):
    """A symmetric distribution with one scale parameter."""

    name: ClassVar[str] = ""
    scale: float

    @abstractmethod
    def cdf(self, y: Numbers) -> Numbers:
        """Pr(Y <= y)."""

    @abstractmethod
    def pdf(self, y: Numbers) -> Numbers:
        """The density at y."""

    @abstractmethod
    def ppf(self, u: Numbers) -> Numbers:
        """The quantile: the inverse of the cdf."""

    @abstractmethod
    def integrated_cdf(self, y: Numbers) -> Numbers:
        """The antiderivative of the cdf that vanishes at minus infinity."""

    def channel(self, x_edges: Numbers, z_edges: Numbers) -> Numbers:
        """``Pr(Z in cell s | X in cell p)`` of the sum Z, where X is uniform within its cell."""
        below = self._averaged(self.cdf, self.integrated_cdf, x_edges, z_edges)
        mass = np.diff(below, axis=0)
        return np.maximum(mass, 0.0, out=mass)

    def density(self, x_edges: Numbers, z: Numbers) -> Numbers:
        """The density of the sum at each z, where X is uniform within its cell."""
        found = self._averaged(self.pdf, self.cdf, x_edges, z)
        return np.maximum(found, 0.0, out=found)

    def _averaged(
        self,
        function: Callable[[Numbers], Numbers],
        integral: Callable[[Numbers], Numbers],
        x_edges: Numbers,
        z: Numbers,
    ) -> Numbers:
        widths = np.diff(x_edges)
        if widths.max() < _NARROW * self.entropy_privacy:
            # Integrals of so narrow cells differ in their last digits only; the middle is exact.
            return on_differences(function, z, x_edges[:-1] + widths / 2)
        averaged = np.diff(on_differences(integral, z, x_edges), axis=1)
        averaged /= -widths
        return averaged

    @abstractmethod
    def sample(self, n: int, stream: Stream) -> Numbers:
        """Independent draws."""

    def fill(self, out: Numbers, stream: Stream) -> None:
        """Overwrite an array with independent draws."""
        out[:] = self.sample(len(out), stream)

    @property
    @abstractmethod
    def entropy_privacy(self) -> float:
        """Two to the differential entropy: the width of the uniform noise that is as uncertain."""

    @property
    @abstractmethod
    def reach(self) -> float:
        """The largest distance that noise covers, up to a negligible probability."""

    @property
    @abstractmethod
    def variance(self) -> float:
        """The variance of the noise."""

    @property
    def is_normal(self) -> bool:
        """Whether what only holds for normal noise may be used."""
        return False

    @abstractmethod
    def log_mean_exponential(self, b: float) -> tuple[float, float, float]:
        """``log E exp(b Y)`` with its first two derivatives by b; infinite where there is none."""

    def interval_width(self, confidence: float) -> float:
        return 2 * float(self.ppf(np.array((1 + confidence) / 2)))


class UniformNoise(Noise):
    """Uniform on [-scale, scale]."""

    name: ClassVar[str] = "uniform"

    def cdf(self, y: Numbers) -> Numbers:
        return np.clip((y + self.scale) / (2 * self.scale), 0.0, 1.0)

    def pdf(self, y: Numbers) -> Numbers:
        return np.where(np.abs(y) <= self.scale, 0.5 / self.scale, 0.0)

    def ppf(self, u: Numbers) -> Numbers:
        return self.scale * (2 * u - 1)

    def integrated_cdf(self, y: Numbers) -> Numbers:
        inner = np.clip(y + self.scale, 0.0, 2 * self.scale)
        return inner**2 / (4 * self.scale) + np.maximum(y - self.scale, 0.0)

    def sample(self, n: int, stream: Stream) -> Numbers:
        draws = stream.random(n)
        draws *= 2 * self.scale
        draws -= self.scale
        return draws

    @property
    def entropy_privacy(self) -> float:
        return 2 * self.scale

    @property
    def reach(self) -> float:
        return self.scale

    @property
    def variance(self) -> float:
        return self.scale**2 / 3

    def log_mean_exponential(self, b: float) -> tuple[float, float, float]:
        """``log(sinh(ab) / ab)``, by its series near 0."""
        a = self.scale
        t = a * b
        if abs(t) < 1e-2:
            return t**2 / 6 - t**4 / 180, a * (t / 3 - t**3 / 45), a**2 * (1 / 3 - t**2 / 15)
        size = abs(t)
        value = size + math.log1p(-math.exp(-2 * size)) - math.log(2 * size)
        slope = 1 / math.tanh(t) - 1 / t
        bend = 1 / t**2 - 1 / math.sinh(min(size, 300.0)) ** 2
        return value, a * slope, a**2 * bend


class NormalNoise(Noise):
    """Normal with mean 0 and standard deviation ``scale``."""

    name: ClassVar[str] = "normal"

    def cdf(self, y: Numbers) -> Numbers:
        return normal_cdf(y / self.scale)

    def pdf(self, y: Numbers) -> Numbers:
        return np.asarray(
            np.exp(-0.5 * (y / self.scale) ** 2) / (self.scale * math.sqrt(2 * math.pi))
        )

    def ppf(self, u: Numbers) -> Numbers:
        return self.scale * normal_quantile(u)

    def integrated_cdf(self, y: Numbers) -> Numbers:
        """``y * F(y) + scale^2 * f(y)``."""
        return y * self.cdf(y) + self.variance * self.pdf(y)

    def sample(self, n: int, stream: Stream) -> Numbers:
        draws = stream.normal(n)
        draws *= self.scale
        return draws

    def fill(self, out: Numbers, stream: Stream) -> None:
        stream.fill_normal(out)
        out *= self.scale

    @property
    def entropy_privacy(self) -> float:
        return self.scale * math.sqrt(2 * math.pi * math.e)

    @property
    def reach(self) -> float:
        return float(self.scale * normal_quantile(1 - NEGLIGIBLE / 2))

    @property
    def variance(self) -> float:
        return self.scale**2

    @property
    def is_normal(self) -> bool:
        return True

    def log_mean_exponential(self, b: float) -> tuple[float, float, float]:
        """``b^2 scale^2 / 2``."""
        return 0.5 * b**2 * self.variance, b * self.variance, self.variance


class LaplaceNoise(Noise):
    """Laplace with mean 0 and scale b."""

    name: ClassVar[str] = "laplace"

    def cdf(self, y: Numbers) -> Numbers:
        tail = 0.5 * np.exp(-np.abs(y) / self.scale)
        return np.where(y < 0, tail, 1 - tail)

    def pdf(self, y: Numbers) -> Numbers:
        return np.asarray(np.exp(-np.abs(y) / self.scale) / (2 * self.scale))

    def ppf(self, u: Numbers) -> Numbers:
        centred = np.asarray(u) - 0.5
        with np.errstate(divide="ignore"):
            return np.asarray(-self.scale * np.sign(centred) * np.log1p(-2 * np.abs(centred)))

    def integrated_cdf(self, y: Numbers) -> Numbers:
        """``b F`` on the left, ``y + b (1 - F)`` on the right."""
        tail = 0.5 * self.scale * np.exp(-np.abs(y) / self.scale)
        return np.where(y < 0, tail, y + tail)

    def sample(self, n: int, stream: Stream) -> Numbers:
        """Independent draws by inversion, each from one uniform number in (0, 1)."""
        return self.ppf(stream.random(n) + 2.0**-54)

    @property
    def entropy_privacy(self) -> float:
        """``2 e b``."""
        return 2 * math.e * self.scale

    @property
    def reach(self) -> float:
        return -self.scale * math.log(NEGLIGIBLE)

    @property
    def variance(self) -> float:
        return 2 * self.scale**2

    def log_mean_exponential(self, b: float) -> tuple[float, float, float]:
        """``-log(1 - b^2 scale^2)`` while that is above 0."""
        rest = 1 - (b * self.scale) ** 2
        if rest <= 0:
            return math.inf, math.inf, math.inf
        slope = 2 * b * self.scale**2 / rest
        return -math.log(rest), slope, 2 * self.scale**2 / rest + slope**2


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

    def mass(self, steps: NDArray[np.int64] | Numbers) -> Numbers:
        """Pr(number of steps = steps), with all its digits however far out."""
        far = -np.abs(np.asarray(steps, np.float64))
        return np.asarray(self.cdf(far) - self.cdf(far - 1))

    def bits_between(self, low: Numbers, high: Numbers) -> Numbers:
        """The entropy of steps that are drawn again until they lie between two bounds each."""
        most = int(min(self.reach, max(-low.min(), high.max())))
        mass = self.mass(np.arange(-most, most + 1))
        spread = mass * np.log2(np.where(mass > 0, mass, 1.0))
        first = np.maximum(low, -most).astype(np.intp) + most
        last = np.minimum(high, most).astype(np.intp) + most + 1
        inside, sums = (
            np.append(0.0, np.cumsum(one))[last] - np.append(0.0, np.cumsum(one))[first]
            for one in (mass, spread)
        )
        return np.asarray(np.log2(inside) - sums / inside)

    def width_between(self, confidence: float, low: Numbers, high: Numbers) -> Numbers:
        """How many of those steps, the likeliest first, have that probability together.

        The last one counts with the part that is needed.
        """

        def held(radius: Numbers) -> Numbers:
            return self.cdf(np.minimum(radius, high)) - self.cdf(-np.minimum(radius, -low) - 1)

        wanted = confidence * (self.cdf(high) - self.cdf(low - 1))
        # The likeliest steps are the nearest; the radius that holds enough is found by bisection.
        near = np.full(len(low), -1.0)
        far = np.minimum(np.maximum(-low, high), float(self.reach))
        while np.any(far - near > 1):
            middle = np.floor((near + far) / 2)
            is_less = held(middle) < wanted
            near, far = np.where(is_less, middle, near), np.where(is_less, far, middle)
        before = np.where(near < 0, 0.0, held(near))
        count = np.where(near < 0, 0.0, np.minimum(near, high) + np.minimum(near, -low) + 1)
        return np.asarray(count + (wanted - before) / self.mass(far))

    def sample(self, n: int, stream: Stream) -> Numbers:
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
