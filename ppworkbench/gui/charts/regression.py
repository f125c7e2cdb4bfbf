"""Charts of a regression: coefficients with their intervals, and what the model expects.

Coefficients stand on one axis, a row of a table each; expectations along a number are a line with a
band.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QBrush,
    QFontMetricsF,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from ppworkbench.gui.charts.axes import Ticks, number_ticks
from ppworkbench.gui.charts.intervals import Mark
from ppworkbench.gui.charts.looks import draw_mark, look_colour
from ppworkbench.gui.numbers import trimmed
from ppworkbench.gui.theme import Theme, ThemeManager

_FARTHEST = 64.0
"""An axis of ratios ends here; arrows stand for what is beyond."""
_AROUND = 8.0
"""So many times the largest estimate a linear axis reaches at most."""
_CAP, _ARROW = 4.0, 7.0
_BELOW = 11.0
"""How far below the estimate the uncorrected mark stands."""
_PAD = 0.04
_ROLE = "reconstructed"
_GROUND = 200
"""How much of the line still shines through the ground of words."""
_MARGIN = 0.03
"""Free room at both ends, as a share of the axis."""


@dataclass(frozen=True)
class ForestScale:
    """From where to where the axis goes; ratios stand at their logarithms."""

    low: float
    high: float
    is_ratio: bool

    @property
    def neutral(self) -> float:
        """The value that shows no difference."""
        return 1.0 if self.is_ratio else 0.0

    def at(self, value: float) -> float:
        """The share of the axis before a value."""
        if self.is_ratio:
            if value <= 0:
                return -1.0
            value, low, high = math.log(value), math.log(self.low), math.log(self.high)
        else:
            low, high = self.low, self.high
        return (value - low) / (high - low)

    def ticks(self, most: int) -> Ticks:
        """At most so many round values."""
        if not self.is_ratio:
            return number_ticks(self.low, self.high, most)
        first, last = math.ceil(math.log2(self.low)), math.floor(math.log2(self.high))
        step = max(1, math.ceil((last - first + 1) / max(most, 2)))
        powers = [power for power in range(first, last + 1) if power % step == 0]
        return [(2.0**power, trimmed(2.0**power, 2)) for power in powers]


def make_scale(marks: Iterable[Mark], *, is_ratio: bool) -> ForestScale:
    """An axis with room for all marks; intervals that are very wide leave it."""
    marks = list(marks)
    neutral = 1.0 if is_ratio else 0.0
    values = [m.value for m in marks if math.isfinite(m.value)]
    ends = [e for m in marks if m.has_interval for e in (m.low, m.high)] + values + [neutral]
    if is_ratio:
        ends = [min(max(end, 1 / _FARTHEST), _FARTHEST) for end in ends]
        low, high = math.log2(min(ends)), math.log2(max(ends))
        # Whole steps of two, and something on both sides of 1.
        low, high = min(math.floor(low), -1), max(math.ceil(high), 1)
        pad = _PAD * (high - low)
        return ForestScale(2.0 ** (low - pad), 2.0 ** (high + pad), is_ratio=True)
    reach = _AROUND * max((abs(value) for value in values), default=1.0)
    if reach > 0:
        ends = [min(max(end, -reach), reach) for end in ends]
    low, high = min(ends), max(ends)
    if not high > low:
        low, high = low - 1.0, high + 1.0
    pad = 2 * _PAD * (high - low)
    return ForestScale(low - pad, high + pad, is_ratio=False)


def ticks_for(scale: ForestScale, width: float, theme: Theme) -> Ticks:
    """As many ticks as there is room for."""
    metrics = QFontMetricsF(theme.font("caption"))
    for most in (8, 6, 5, 4, 3):
        ticks = scale.ticks(most)
        widest = max((metrics.horizontalAdvance(words) for _, words in ticks), default=20.0)
        if len(ticks) * (widest + 8) <= width:
            return ticks
    return scale.ticks(2)


def draw_forest(
    painter: QPainter,
    area: QRectF,
    scale: ForestScale,
    marks: Sequence[Mark],
    theme: Theme,
    hatched: QBrush,
) -> None:
    """Draw one row: grid, interval, estimate, and below it what it would be uncorrected."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for value, _ in ticks_for(scale, area.width(), theme):
        x = round(area.left() + scale.at(value) * area.width()) + 0.5
        painter.setPen(QPen(theme.colour("grid"), 1))
        painter.drawLine(QLineF(x, area.top(), x, area.bottom() + 1))
    x = round(area.left() + scale.at(scale.neutral) * area.width()) + 0.5
    painter.setPen(QPen(theme.colour("axis"), 1))
    painter.drawLine(QLineF(x, area.top(), x, area.bottom() + 1))
    for mark in marks:
        if not math.isfinite(mark.value):
            continue
        y = area.center().y() + (_BELOW if mark.look == "distorted" else 0.0)
        share = scale.at(mark.value)
        at = QPointF(area.left() + share * area.width(), y)
        _draw_ends(painter, area, scale, mark, y, theme)
        if 0 <= share <= 1:
            radius = 5.0 if mark.look == "reconstructed" else 3.8
            draw_mark(painter, theme, mark.look, at, radius, hatched)
    painter.restore()


def _draw_ends(
    painter: QPainter, area: QRectF, scale: ForestScale, mark: Mark, y: float, theme: Theme
) -> None:
    """Draw an interval, with arrows where it leaves the picture."""
    low, high = (mark.low, mark.high) if mark.has_interval else (mark.value, mark.value)
    first, last = scale.at(low), scale.at(high)
    ink = look_colour(theme, mark.look)
    left, right = (area.left() + min(max(end, 0.0), 1.0) * area.width() for end in (first, last))
    if mark.has_interval and last >= 0 and first <= 1:
        painter.setPen(QPen(ink, theme.stroke(2)))
        lines = [QLineF(left, y, right, y)]
        ends = [x for x, end in ((left, first), (right, last)) if 0 <= end <= 1]
        lines += [QLineF(x, y - _CAP, x, y + _CAP) for x in ends]
        painter.drawLines(lines)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink)
    if first < 0:
        _draw_arrow(painter, QPointF(area.left(), y), 1)
    if last > 1:
        _draw_arrow(painter, QPointF(area.right(), y), -1)


def _draw_arrow(painter: QPainter, edge: QPointF, inward: int) -> None:
    base = edge.x() + inward * _ARROW
    half = _ARROW / 2
    corners = [edge, QPointF(base, edge.y() - half), QPointF(base, edge.y() + half)]
    painter.drawPolygon(QPolygonF(corners))


class ForestAxis(QWidget):
    """The numbers below the rows, at the place of their column."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._scale: ForestScale | None = None
        self._left, self._width = 0, 0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        themes.theme_changed.connect(self.updateGeometry)

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(100, self._themes.theme.px(19))

    def show_scale(self, scale: ForestScale, left: int, width: int) -> None:
        """Write the numbers of an axis that lies there."""
        if (scale, left, width) != (self._scale, self._left, self._width):
            self._scale, self._left, self._width = scale, left, width
            self.setAccessibleName(", ".join(words for _, words in scale.ticks(6)))
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        if self._scale is None or self._width <= 0:
            return
        theme = self._themes.theme
        painter = QPainter(self)
        painter.setPen(QPen(theme.colour("axis"), 1))
        painter.drawLine(QLineF(self._left, 0.5, self._left + self._width, 0.5))
        painter.setFont(theme.font("caption"))
        painter.setPen(theme.colour("axis"))
        for value, words in ticks_for(self._scale, self._width, theme):
            x = self._left + self._scale.at(value) * self._width
            box = QRectF(x - 40, 3, 80, self.height() - 3)
            painter.drawText(box, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop, words)
