"""What a plot of accuracy against privacy shows."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class LevelPoint:
    """A mean with its standard deviation at one level; NaN where there is none."""

    level: float
    mean: float
    sd: float = math.nan


@dataclass(frozen=True)
class LevelLine:
    """One curve; ``look`` is one of the series."""

    key: str
    name: str
    look: str
    points: tuple[LevelPoint, ...]

    def at(self, level: float) -> LevelPoint | None:
        """The point at a level."""
        return next((point for point in self.points if point.level == level), None)


@dataclass(frozen=True)
class Reference:
    """A level of comparison that does not depend on privacy."""

    name: str
    value: float
    dotted: bool = False


@dataclass(frozen=True)
class Levels:
    """Everything the plot draws.

    Parameters
    ----------
    levels
        All levels, also those without results yet; none when nothing is swept: then the lines have
        one point each, drawn side by side.
    unfinished
        The first level that has no complete set of points yet; None when all have.
    """

    lines: tuple[LevelLine, ...] = ()
    references: tuple[Reference, ...] = ()
    levels: tuple[float, ...] = ()
    unfinished: float | None = None
    is_stale: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to draw."""
        return not any(line.points for line in self.lines) and not self.references

    @property
    def y_range(self) -> tuple[float, float]:
        """From a bit below everything to a bit above it, in steps of five in a hundred."""
        values = [reference.value for reference in self.references]
        for line in self.lines:
            for point in line.points:
                sd = 0.0 if math.isnan(point.sd) else point.sd
                values += [point.mean - sd, point.mean + sd]
        values = [value for value in values if math.isfinite(value)]
        if not values:
            return 0.0, 1.0
        low = math.floor((min(values) - 0.01) * 20) / 20
        high = math.ceil((max(values) + 0.01) * 20) / 20
        return max(low, 0.0), min(max(high, low + 0.1), 1.0 if max(values) <= 1 else high)
