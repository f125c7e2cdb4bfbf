"""Shrinkage MASK: the unbiased estimate drawn towards what its subsets suggest.

MASK is unbiased, but its variance grows with every item; MMASK has less variance and a bias that
nobody controls. Here both parts are weighed openly, length by length. With the unbiased estimate r
of variance v, the guess g of the subsets (see :mod:`.prior`) of variance w, and their covariance c,

    estimate = g + k (r - g),   k = (w - c) / (v + w - 2 c),

which is the posterior mean of normal errors (Efron and Morris 1973 for c = 0), and the interval
comes from the posterior variance. The covariance follows from the same recursion as the guess: what
r of X has in common with the estimate of S is about what r of S has in common with it, times the
share of records that hold the rest of X.

What the subsets of a set suggest about its support, and how far such a guess is off.

The guess is Kirkwood's (1935) closure, the one without an interaction of all items:
``log s(X) = Σ over proper non-empty subsets S of (-1)^(|X| - |S| + 1) log s(S)``. Its error is
fitted over all candidates of a length; it also shares noise with the unbiased estimate, since both
come from the same records.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import NormalDist
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.itemsets.frontier import Indices
from ppworkbench.core.itemsets.item_data import ItemData
from ppworkbench.core.itemsets.itemsets import Itemsets
from ppworkbench.core.itemsets.search import Measured, Verdict, search
from ppworkbench.core.mining.miner import Miner, OnLevel, at_least, miners
from ppworkbench.core.params import Annotated, Info, Within
from ppworkbench.core.progress import Progress

_POWERS = np.arange(0.0, 2.6, 0.25)
_ENOUGH = 500
"""Candidates from which on the power is fitted."""
_MOST = 10_000
"""Candidates that are looked at."""
_CLUSTER = 10.0
"""Candidates have items in common: so many tell as much as one independent one."""
_GROWTH, _DOUBT = 1.2, 0.5
"""How much larger the next length's error is expected to be, and how far that may be off."""
_POWER_DOUBT = 0.3
"""How far the power may be off that of the length before."""


def signs(length: int) -> Numbers:
    """The signs of the subsets of 1 to ``length - 1`` items."""
    return np.asarray((-1.0) ** (length - np.arange(1, length) + 1))


@dataclass(frozen=True, eq=False)
class SubsetSums:
    """For every set, a quantity summed over all its subsets of 1, 2, ... items, itself included.

    Every subset of k items lies in m - k of the subsets that are one item shorter than a set of m,
    so the sums of a set follow from those of its subsets in linear time.
    """

    sums: Numbers

    @classmethod
    def empty(cls) -> SubsetSums:
        return cls(np.zeros((1, 0)))

    def inherited(self, subsets: Indices) -> Numbers:
        """The sums over proper subsets of candidates, from those of their subsets."""
        length = subsets.shape[1]
        return np.asarray(self.sums[subsets].sum(axis=1) / (length - np.arange(1, length)))


@dataclass(frozen=True)
class Spread:
    """The variance of a guess g: ``size * unit^2 * (g / unit)^power``."""

    size: float = 0.15
    power: float = 1.0

    def variance(self, guess: Numbers, unit: float) -> Numbers:
        return np.asarray(self.size * unit**2 * (guess / unit) ** self.power)

    def fitted(
        self, raw: Numbers, guess: Numbers, noise: Numbers, shared: Numbers, unit: float
    ) -> Spread:
        """Fit to one length, starting from what the length before suggests.

        ``E (raw - guess)^2 = noise + variance - 2 shared`` with ``noise`` the variance of the
        unbiased estimate and ``shared`` its covariance with the guess. The size comes from weighted
        moments, the power from the likelihood; few candidates move neither far.
        """
        step = -(-len(raw) // _MOST)
        raw, guess, noise, shared = (one[::step] for one in (raw, guess, noise, shared))
        powers = _POWERS if len(raw) >= _ENOUGH else np.array([self.power])
        fits = [self._fit(float(power), raw - guess, guess / unit, noise, shared, unit)
                for power in powers]  # fmt: skip
        return max(fits, key=lambda fit: fit[0])[1]

    def _fit(
        self, power: float, miss: Numbers, guess: Numbers, noise: Numbers, shared: Numbers,
        unit: float,
    ) -> tuple[float, Spread]:  # fmt: skip
        shape = unit**2 * guess**power
        expected = _GROWTH * self.size
        size = self.size
        for _ in range(12):
            variance = _total(noise, size * shape, shared)
            weight = 1.0 / variance**2
            information = float((weight * shape**2).sum())
            found = float((weight * shape * (miss**2 - noise + 2 * shared)).sum()) / information
            trust = information / (2.0 * _CLUSTER)
            before = 1.0 / (_DOUBT * expected) ** 2
            size = max((found * trust + expected * before) / (trust + before), 0.1 * expected)
        variance = _total(noise, size * shape, shared)
        likelihood = -0.5 * float((np.log(variance) + miss**2 / variance).sum()) / _CLUSTER
        likely = likelihood - 0.5 * ((power - self.power) / _POWER_DOUBT) ** 2
        return likely, Spread(size, power)


def _total(noise: Numbers, variance: Numbers, shared: Numbers) -> Numbers:
    # The covariance is approximate and must not eat up the variance.
    return np.asarray(np.maximum(noise + variance - 2 * shared, 0.3 * noise + 1e-300))


_LARGEST_CORRELATION = 0.9
_AT_ONCE = 100_000
"""Candidates whose subsets are looked at between two reports of progress."""


@miners.register(
    "shrinkage",
    "Shrinkage MASK",
    short="Shrinkage",
    hint="Recommended: MASK, shrunk towards values predicted from subsets.",
    rank=10,
)
@dataclass(frozen=True)
class ShrinkageMask(Miner):
    """Empirical Bayes: precise where the data speak, cautious where they do not. Recommended."""

    min_probability: Annotated[
        float,
        Within(0, 1, open_low=True, open_high=True),
        Info(
            "Probability",
            "A set is kept if it is frequent with this probability; 0.5 means that the "
            "estimate reaches the minimum support",
        ),
    ] = 0.4

    name: ClassVar[str] = "shrinkage"

    def search(
        self, data: ItemData, progress: Progress, on_level: OnLevel
    ) -> tuple[Itemsets, tuple[str, ...]]:
        pulse = _Pulse(progress)
        judge = _Shrinker(self.min_support, NormalDist().inv_cdf(self.min_probability), pulse)
        found = search(data, judge, self.limits, progress=pulse, on_level=on_level)
        return found.itemsets(data, self.z), found.notes


class _Pulse:
    """Passes reports on and can repeat the last one, so that a stop takes effect in between."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._last = (0.0, "")

    def __call__(self, done: float, message: str = "") -> None:
        self._last = (done, message)
        self._progress(done, message)

    def parts(self, count: int) -> Iterator[slice]:
        """Parts of many candidates, with a report before each."""
        for start in range(0, count, _AT_ONCE):
            self._progress(*self._last)
            yield slice(start, start + _AT_ONCE)


class _Shrinker:
    def __init__(self, minimum: float, z: float, pulse: _Pulse) -> None:
        self._minimum = minimum
        self._z = z
        self._pulse = pulse
        self._floor = minimum / 10
        self._single: Numbers = np.zeros(0)
        self._logs = SubsetSums.empty()
        self._common = SubsetSums.empty()
        self._spread = Spread()

    def __call__(self, measured: Measured) -> Verdict:
        """Shrink all candidates of one length and keep the probably frequent ones."""
        raw, rows = measured.raw, measured.data.effective_rows
        # What the records themselves would vary from sample to sample is no noise here.
        sampling = np.clip(raw * (1.0 - raw), 0.0, 0.25) / max(rows - 1, 1)
        noise = np.maximum(measured.error**2 - sampling, 0.0)
        estimate, variance, shared = raw, noise, noise
        if measured.length == 1:
            self._single = np.clip(raw, self._floor, 1.0)
        elif len(raw):
            estimate, variance, shared = self._shrunk(raw, noise, *self._guesses(measured))
        keep = at_least(estimate - self._z * np.sqrt(variance), self._minimum)
        self._remember(measured, keep, estimate, shared)
        believed = np.clip(estimate * (1.0 - estimate), 0.0, 0.25) / max(rows - 1, 1)
        return Verdict(keep, estimate, np.sqrt(variance + believed))

    def _guesses(self, measured: Measured) -> tuple[Numbers, Numbers]:
        """What the subsets suggest, and what that has in common with the unbiased estimates."""
        count = len(measured.raw)
        guess, together = np.empty(count), np.empty(count)
        sign = signs(measured.length)
        lowest = self._floor**measured.length
        for part in self._pulse.parts(count):
            candidates = measured.candidates.choose(part)
            subsets = candidates.subsets
            product = np.prod(self._single[candidates.members(measured.frontier)], axis=1)
            smallest = measured.frontier.estimate[subsets].min(axis=1)
            free = np.exp(self._logs.inherited(subsets) @ sign)
            guess[part] = np.maximum(np.minimum(free, smallest), lowest)
            common = np.maximum(self._common.inherited(subsets) @ sign, 0.0)
            together[part] = guess[part] * product * common
        return guess, together

    def _remember(
        self, measured: Measured, keep: NDArray[np.bool_], estimate: Numbers, shared: Numbers
    ) -> None:
        kept = measured.candidates.choose(keep)
        held = np.maximum(estimate[keep], self._floor)
        own_log, own_common = np.log(held), shared[keep] / held
        logs = np.empty((len(kept), measured.length))
        common = np.empty_like(logs)
        for part in self._pulse.parts(len(kept)):
            some = kept.choose(part)
            product = np.prod(self._single[some.members(measured.frontier)], axis=1)
            logs[part, :-1] = self._logs.inherited(some.subsets)
            logs[part, -1] = own_log[part]
            common[part, :-1] = self._common.inherited(some.subsets)
            common[part, -1] = own_common[part] / product
        self._logs, self._common = SubsetSums(logs), SubsetSums(common)

    def _shrunk(
        self, raw: Numbers, noise: Numbers, guess: Numbers, together: Numbers
    ) -> tuple[Numbers, Numbers, Numbers]:
        """The estimates, their variances, and what they have in common with the unbiased ones."""
        self._spread = self._spread.fitted(raw, guess, noise, together, self._minimum)
        spread = self._spread.variance(guess, self._minimum)
        together = np.minimum(together, _LARGEST_CORRELATION * np.sqrt(spread * noise))
        gain = np.clip((spread - together) / (noise + spread - 2 * together), 0.0, 1.0)
        variance = (1 - gain) ** 2 * spread + gain**2 * noise + 2 * gain * (1 - gain) * together
        return guess + gain * (raw - guess), variance, gain * noise + (1 - gain) * together
