"""What plots of distributions show: the three roles, and estimates of more algorithms."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ppworkbench.gui.plots.series import series_look

Numbers = NDArray[np.float64]
ROLES = ("original", "distorted", "reconstructed")
MOST_BARS = 20


@dataclass(frozen=True, eq=False)
class Shares:
    """One distribution: a share per value, or per cell between ``edges``.

    ``low`` and ``high`` are the interval of each share where there is one.
    """

    role: str
    share: Numbers
    edges: Numbers | None = None
    low: Numbers | None = None
    high: Numbers | None = None


@dataclass(frozen=True, eq=False)
class Histogram:
    """What the plot shows: labels of values, or numbers in cells."""

    series: tuple[Shares, ...] = ()
    labels: tuple[str, ...] = ()
    domain: tuple[float, float] | None = None
    unit: str = ""
    names: dict[str, str] = field(default_factory=dict)

    @property
    def is_numeric(self) -> bool:
        """Whether the cells lie on an axis of numbers."""
        return not self.labels


@dataclass(frozen=True, eq=False)
class Estimate:
    """The estimate of an algorithm that is not in focus, in the cells of the original."""

    name: str
    place: int
    share: Numbers
    edges: Numbers | None = None
    low: Numbers | None = None
    high: Numbers | None = None

    @property
    def look(self) -> str:
        """How it is drawn."""
        return series_look(self.place)


@dataclass(frozen=True, eq=False)
class Comparison:
    """What the plot shows.

    ``values`` names the cells where there are more values than bars have room for: they are drawn
    as numbers 0, 1, 2, … then.
    """

    histogram: Histogram = field(default_factory=Histogram)
    estimates: tuple[Estimate, ...] = ()
    values: tuple[str, ...] = ()


def fits_bars(k: int) -> bool:
    """Whether so many values can be drawn as bars side by side."""
    return k <= MOST_BARS
