"""Charts of a regression: coefficients with their intervals, and what the model expects.

Coefficients stand on one axis, a row of a table each; expectations along a number are a line with a
band.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from pyqtgraph.functions import arrayToQPolygonF
from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFontMetricsF,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
    QResizeEvent,
    QTransform,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from ppworkbench.core.arrays import Numbers
from ppworkbench.gui.charts.axes import Ticks, number_ticks, round_step, short_number
from ppworkbench.gui.charts.chart import PixelItem, Plot, Rows, draw_hover_box
from ppworkbench.gui.charts.intervals import Mark, draw_mark
from ppworkbench.gui.charts.looks import look_colour, role_pen
from ppworkbench.gui.numbers import THIN, trimmed
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


@dataclass(frozen=True, eq=False)
class PredictedLine:
    """Expected outcomes at values of a predictor.

    Parameters
    ----------
    told
        The places whose numbers are written beside the line.
    """

    name: str
    x: Numbers
    y: Numbers
    low: Numbers
    high: Numbers
    told: tuple[tuple[int, str], ...] = ()
    is_share: bool = True

    @property
    def band(self) -> tuple[Numbers, Numbers]:
        """Where the band begins and ends; at the line itself where it has no interval."""
        known = np.isfinite(self.low) & np.isfinite(self.high)
        return np.where(known, self.low, self.y), np.where(known, self.high, self.y)


class _LineItem(PixelItem):
    """Band, line and the numbers beside it."""

    def __init__(self) -> None:
        super().__init__()
        self._line: PredictedLine | None = None
        self._theme: Theme | None = None
        self._grid: tuple[float, ...] = ()
        self._is_stale = False

    def show_line(
        self, line: PredictedLine, bounds: QRectF, grid: tuple[float, ...], theme: Theme, *,
        stale: bool,
    ) -> None:  # fmt: skip
        self._line, self._grid, self._theme, self._is_stale = line, grid, theme, stale
        self.cover(bounds)

    def draw(self, painter: QPainter, to_device: QTransform) -> None:
        """Draw the grid, the band, the line over it, then the numbers."""
        line, theme = self._line, self._theme
        if line is None or theme is None:
            return
        left, right = (
            to_device.map(QPointF(x, 0)).x() for x in (self._bounds.left(), self._bounds.right())
        )
        painter.setPen(QPen(theme.colour("grid"), 1))
        for value in self._grid:
            level = round(to_device.map(QPointF(0, value)).y()) + 0.5
            painter.drawLine(QLineF(left, level, right, level))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._is_stale:
            painter.setOpacity(0.45)
        below, above = line.band
        x = line.x * to_device.m11() + to_device.dx()
        low, y, high = (v * to_device.m22() + to_device.dy() for v in (below, line.y, above))
        band = QColor(theme.role(_ROLE).fill)
        band.setAlpha(60)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(band)
        around = np.concatenate([x, x[::-1]]), np.concatenate([low, high[::-1]])
        painter.drawPolygon(arrayToQPolygonF(*around))
        painter.setPen(role_pen(theme, _ROLE))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPolyline(arrayToQPolygonF(x, y))
        top = to_device.map(QPointF(0, self._bounds.bottom())).y()
        ground = QColor(theme.colour("surface"))
        ground.setAlpha(_GROUND)
        for place, words in line.told:
            at = QPointF(float(x[place]), float(y[place]))
            draw_mark(painter, theme, _ROLE, at, 4.5)
            painter.setFont(theme.font("caption", "semibold"))
            painter.setPen(theme.role(_ROLE).text)
            width = painter.fontMetrics().horizontalAdvance(words) + 4.0
            height = float(painter.fontMetrics().height())
            box = QRectF(
                at.x() - width / 2, min(high[place], at.y() - 6) - height - 3, width, height
            )
            box.moveLeft(min(max(box.left(), left + 2), right - width))
            box.moveTop(max(box.top(), min(top, at.y())))
            # No line may strike the words out.
            painter.fillRect(box.adjusted(0, 1, 0, -1), ground)
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, words)


class PredictionPlot(Plot):
    """The outcome upwards, a number across."""

    def __init__(self, themes: ThemeManager, name: str) -> None:
        self._line: PredictedLine | None = None
        self._write: Callable[[float], str] = short_number
        self._is_stale = False
        self._hover: tuple[QPointF, int] | None = None
        self._item = _LineItem()
        super().__init__(themes, name)
        self.addItem(self._item)
        self.rows = self._table
        self.hovered.connect(self._on_hovered)
        for side in ("left", "bottom"):
            self.getAxis(side).setStyle(tickTextOffset=5, hideOverlappingLabels=False)
        self.getPlotItem().setContentsMargins(0, 4, 12, 0)

    @property
    def shown(self) -> PredictedLine | None:
        """What is drawn."""
        return self._line

    def sizeHint(self) -> QSize:  # noqa: N802
        px = self.themes.theme.px
        return QSize(px(260), px(180))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        px = self.themes.theme.px
        return QSize(px(180), px(110))

    def show_line(self, line: PredictedLine, write: Callable[[float], str]) -> None:
        """Show another line; ``write`` says its numbers."""
        self._line, self._write, self._hover = line, write, None
        self._redraw()
        self.setAccessibleDescription(self.summary())

    def set_stale(self, stale: bool) -> None:
        """Dim what belongs to another question or design."""
        if stale != self._is_stale:
            self._is_stale = stale
            self._redraw()

    def retheme(self) -> None:
        self._redraw()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        if event is not None and self.getPlotItem() is not None:
            self._redraw()

    def _redraw(self) -> None:
        line = self._line
        if line is None:
            return
        low, high = self._range(line)
        first, last = float(line.x[0]), float(line.x[-1])
        # The marks at both ends are whole.
        margin = _MARGIN * (last - first)
        self.setXRange(first - margin, last + margin, padding=0.0)
        self.setYRange(low, high, padding=0.0)
        scale, unit = (100.0, f"{THIN}%") if line.is_share else (1.0, "")
        up = number_ticks(low * scale, high * scale, max(2, self.height() // 45))
        self.getAxis("left").setTicks([[(v / scale, f"{words}{unit}") for v, words in up]])
        across = number_ticks(first, last, max(2, self.width() // 70))
        self.getAxis("bottom").setTicks([across])
        self.label_axes(bottom=line.name)
        size = self.themes.theme.font("caption").pixelSize()
        self.getAxis("bottom").setHeight(2 * size + 15)
        bounds = QRectF(first - margin, low, last - first + 2 * margin, high - low)
        grid = tuple(value / scale for value, _ in up)
        self._item.show_line(line, bounds, grid, self.themes.theme, stale=self._is_stale)

    def _range(self, line: PredictedLine) -> tuple[float, float]:
        """From 0 for shares, with room for words above."""
        below, above = line.band
        low, high = float(np.nanmin(below)), float(np.nanmax(above))
        if line.is_share:
            step = round_step(min(max(high * 1.15, 0.01), 1.0))
            return 0.0, min(math.ceil(high * 1.15 / step) * step, 1.0)
        spread = (high - low) or max(abs(high), 1.0)
        return low - 0.08 * spread, high + 0.18 * spread

    def _table(self) -> Rows:
        line = self._line
        rows = [["", self.tr("value"), self.tr("low"), self.tr("high")]]
        if line is not None:
            rows[0][0] = line.name
            numbers = zip(line.x, line.y, line.low, line.high, strict=True)
            rows += [
                [f"{value:.10g}" if math.isfinite(value) else "" for value in one]
                for one in numbers
            ]
        return rows

    def summary(self) -> str:
        line = self._line
        if line is None:
            return ""
        return "; ".join(f"{short_number(float(line.x[i]))}: {words}" for i, words in line.told)

    def _on_hovered(self, point: QPointF | None) -> None:
        self._hover = None
        if point is not None and self._line is not None:
            place = int(np.abs(self._line.x - point.x()).argmin())
            position = self.getPlotItem().getViewBox().mapViewToScene(point)
            self._hover = QPointF(self.mapFromScene(position)), place
        self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """Draw the plot, and the box of values at the pointer."""
        super().paintEvent(event)
        line = self._line
        if self._hover is None or line is None or self._hover[1] >= len(line.x):
            return
        at, place = self._hover
        said = self.tr("%s (%s to %s)") % tuple(
            self._write(float(v[place])) for v in (line.y, line.low, line.high)
        )
        painter = QPainter(self.viewport())
        title = f"{line.name}: {short_number(float(line.x[place]))}"
        entries = [(_ROLE, self.tr("prediction"), said)]
        draw_hover_box(painter, self.themes.theme, at, self.viewport().size(), title, entries)
        painter.end()
