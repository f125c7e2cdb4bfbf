"""What the subsets of a set suggest about its support, and how far such a guess is off.

The guess is Kirkwood's (1935) closure, the one without an interaction of all items:
``log s(X) = Σ over proper non-empty subsets S of (-1)^(|X| - |S| + 1) log s(S)``. Its error is
fitted over all candidates of a length; it also shares noise with the unbiased estimate, since both
come from the same records.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.itemsets.frontier import Indices

Numbers = NDArray[np.float64]

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
        """Those of the set without items."""
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
        """Of each guess."""
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
