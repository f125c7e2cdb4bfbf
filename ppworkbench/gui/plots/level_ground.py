"""Where the levels and shares of a plot of accuracy against privacy lie in pixels."""

from __future__ import annotations

import math
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF

from ppworkbench.gui.plots.level_data import LevelLine, Levels


@dataclass(frozen=True)
class LevelGround:
    """The area of the curves; where it is bounded, a whisker ends where the axis does."""

    area: QRectF
    shown: Levels
    is_bounded: bool = False

    def x(self, level: float, place: int = 0) -> float:
        """Where a level lies; without levels, where the line of that place stands."""
        area, levels = self.area, self.shown.levels
        if not levels:
            return area.left() + area.width() * (place + 0.5) / max(len(self.shown.lines), 1)
        span = levels[-1] - levels[0]
        if span <= 0:
            return area.center().x()
        return area.left() + area.width() * (level - levels[0]) / span

    def y(self, value: float) -> float:
        """How high a share lies."""
        low, high = self.shown.y_range
        if self.is_bounded:
            value = min(max(value, low), high)
        return self.area.bottom() - self.area.height() * (value - low) / (high - low)

    def at(self, level: float, value: float, place: int = 0) -> QPointF:
        """The spot of a point."""
        return QPointF(self.x(level, place), self.y(value))

    def upright(self, x: float) -> tuple[QPointF, QPointF]:
        """The ends of a line from top to bottom."""
        return QPointF(x, self.area.top()), QPointF(x, self.area.bottom())

    def across(self, y: float) -> tuple[QPointF, QPointF]:
        """The ends of a line from side to side."""
        return QPointF(self.area.left(), y), QPointF(self.area.right(), y)

    def nearest(self, x: float) -> float:
        """The level nearest to a place."""
        return min(self.shown.levels, key=lambda level: abs(self.x(level) - x))

    def end(self, line: LevelLine) -> QPointF | None:
        """Where a line ends; None for one without any point."""
        known = [point for point in line.points if math.isfinite(point.mean)]
        return self.at(known[-1].level, known[-1].mean) if known else None
