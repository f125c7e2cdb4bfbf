"""Shares that were counted, with their intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass

_Z = 1.959963984540054
"""The standard normal's 97.5 % point."""


@dataclass(frozen=True)
class Counted:
    """``hits`` of ``n`` trials.

    >>> Counted(8, 10).share
    0.8
    """

    hits: int
    n: int

    @property
    def share(self) -> float:
        """The share of hits; NaN without trials."""
        return self.hits / self.n if self.n else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of Wilson (1927), which holds also for no hit and for all.

        >>> [round(end, 4) for end in Counted(0, 100).interval]
        [0.0, 0.037]
        """
        if not self.n:
            return 0.0, 1.0
        p, n, z2 = self.share, self.n, _Z**2
        middle = (p + z2 / (2 * n)) / (1 + z2 / n)
        half = _Z * math.sqrt(p * (1 - p) / n + z2 / (4 * n**2)) / (1 + z2 / n)
        low = 0.0 if self.hits == 0 else max(middle - half, 0.0)
        high = 1.0 if self.hits == n else min(middle + half, 1.0)
        return low, high


@dataclass(frozen=True)
class Measured:
    """A number with its standard error; 0 where it was computed and not simulated."""

    value: float
    error: float = 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval."""
        return self.value - _Z * self.error, self.value + _Z * self.error
