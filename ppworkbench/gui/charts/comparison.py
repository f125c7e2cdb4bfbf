"""The histogram of the three roles with the estimates of more algorithms beside them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyqtgraph as pg
from pyqtgraph.functions import arrayToQPolygonF
from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPen, QResizeEvent, QTransform

from ppworkbench.core.arrays import Numbers
from ppworkbench.gui.charts.axes import (
    MORE_TOPS,
    number_ticks,
    round_top,
    short_number,
    shortened,
    value_ticks,
)
from ppworkbench.gui.charts.chart import PixelItem, Rows
from ppworkbench.gui.charts.histogram import HistogramPlot
from ppworkbench.gui.charts.looks import draw_marker, look_colour, look_marker, look_pen
from ppworkbench.gui.charts.shares import (
    Comparison,
    ShareColumn,
    Shares,
    table_of_cells,
    table_of_values,
)
from ppworkbench.gui.numbers import number, percent
from ppworkbench.gui.theme import Theme, ThemeManager

_MARKERS = 8
_GROUP, _SLOT = 0.8, 0.6
"""How much of a value's room its bars and markers take, and a marker compared with a bar."""
_WIDEST = 1.25
_MUCH_LOWER = 0.7
_WIDE = 380
_LABEL = 40
"""Pixels that a label of a value takes at least."""


@dataclass(frozen=True, eq=False)
class Marks:
    """Points of one algorithm; joined by a line, or with intervals where those are known.

    ``marked`` says which of the points carry the marker.
    """

    look: str
    x: Numbers
    y: Numbers
    marked: slice
    joined: bool
    low: Numbers | None = None
    high: Numbers | None = None


class EstimatesItem(PixelItem):
    """The estimates of all algorithms as one item."""

    def __init__(self) -> None:
        super().__init__()
        self._marks: tuple[Marks, ...] = ()
        self._theme: Theme | None = None
        self.setZValue(5)

    def set_marks(self, marks: Sequence[Marks], theme: Theme) -> None:
        """Draw other estimates."""
        self._marks, self._theme = tuple(marks), theme
        bounds = self._bounds
        if self._marks:
            left = min(float(m.x.min()) for m in self._marks) - 1
            right = max(float(m.x.max()) for m in self._marks) + 1
            top = max(float(np.max(m.y if m.high is None else m.high)) for m in self._marks)
            bounds = QRectF(left, 0, right - left, max(top, 1e-9))
        self.cover(bounds)

    def draw(self, painter: QPainter, to_device: QTransform) -> None:
        """Draw lines and whiskers first, then the markers over them."""
        if self._theme is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for marks in self._marks:
            x = marks.x * to_device.m11() + to_device.dx()
            y = marks.y * to_device.m22() + to_device.dy()
            if marks.joined:
                painter.setPen(look_pen(self._theme, marks.look))
                painter.drawPolyline(arrayToQPolygonF(x, y))
            elif marks.low is not None and marks.high is not None:
                low = marks.low * to_device.m22() + to_device.dy()
                high = marks.high * to_device.m22() + to_device.dy()
                self._draw_whiskers(painter, marks.look, x, low, high)
            ink, marker = look_colour(self._theme, marks.look), look_marker(marks.look)
            for place, height in zip(x[marks.marked], y[marks.marked], strict=True):
                draw_marker(painter, marker, QPointF(place, height), 3.6, ink)

    def _draw_whiskers(
        self, painter: QPainter, look: str, x: Numbers, low: Numbers, high: Numbers
    ) -> None:
        assert self._theme is not None  # noqa: S101 (seen by the caller)
        painter.setPen(QPen(look_colour(self._theme, look), self._theme.stroke(1.5)))
        lines = []
        for middle, bottom, top in zip(x.tolist(), low.tolist(), high.tolist(), strict=True):
            lines.append(QLineF(middle, top, middle, bottom))
            lines += [QLineF(middle - 3.5, end, middle + 3.5, end) for end in (top, bottom)]
        painter.drawLines(lines)


class ComparisonPlot(HistogramPlot):
    """Bars with markers for values, an area with lines for numbers.

    The top of the axis shrinks only by much, or after :meth:`forget_scale`, so that stepping
    through iterations does not make the axis jump.
    """

    def __init__(self, themes: ThemeManager, name: str) -> None:
        self._comparison = Comparison()
        self._least_top = 0.0
        self._may_shrink = True
        self._estimates = EstimatesItem()
        self._domain_words = pg.TextItem(anchor=(1, 0))
        self._axis: tuple[object, ...] = ()
        self.x_range: tuple[float, float] | None = None
        """The range of the bottom axis where several plots share one."""
        self.cell_width: float | None = None
        """The width of a cell for which heights are drawn, where several plots share a scale."""
        super().__init__(themes, name)
        self.addItem(self._estimates)
        self.addItem(self._domain_words)
        self.getPlotItem().setContentsMargins(0, 0, 16, 0)

    def show_comparison(self, comparison: Comparison) -> None:
        self._comparison = comparison
        self.show_histogram(comparison.histogram)

    def forget_scale(self, least: float = 0.0) -> None:
        """Let the axis shrink again, to this top at least."""
        self._least_top, self._may_shrink = least, True

    @property
    def top(self) -> float:
        """The largest share that the axis shows."""
        return self._top

    def sizeHint(self) -> QSize:  # noqa: N802
        """Wide rather than high; it takes what room there is."""
        return QSize(420, 220)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        if self._shown.series:
            self._redraw()

    def retheme(self) -> None:
        self._axis = ()
        self._bottom_ticks = None
        super().retheme()

    # Values

    def _draw_values(self) -> None:
        self._domain_words.setVisible(False)
        if self._axis:
            self._axis = ()
            self._bottom_ticks = None
            self.getAxis("bottom").showLabel(False)
        super()._draw_values()
        theme, series, extras = self.themes.theme, self._shown.series, self._comparison.estimates
        slots = len(series) + _SLOT * len(extras)
        room, start = _GROUP / max(slots, 1), -_GROUP / 2
        k = np.arange(len(self._shown.labels), dtype=np.float64)
        if extras:
            places = [start + (place + 0.5) * room for place in range(len(series))]
            self._set_bars(places, room * 0.88)
        marks = []
        for place, one in enumerate(extras):
            x = k + start + (len(series) + _SLOT * (place + 0.5)) * room
            marks.append(Marks(one.look, x, one.share, slice(None), False, one.low, one.high))
        self._estimates.set_marks(marks, theme)

    def _value_ticks(self) -> list[tuple[float, str]]:
        """Labels of two short lines; fewer of them where the plot is narrow."""
        labels, font = self._shown.labels, self.themes.theme.font("caption")
        room = self._room() / max(len(labels), 1)
        every = max(1, math.ceil(_LABEL / room))
        return value_ticks(labels, every, int(room * every), font)

    # Numbers

    def _draw_numbers(self) -> None:
        super()._draw_numbers()
        marks = []
        for one in self._comparison.estimates:
            assert one.edges is not None  # noqa: S101 (numeric estimates have edges)
            x = (one.edges[:-1] + one.edges[1:]) / 2
            step = max(1, len(x) // _MARKERS)
            # Algorithms begin at different places: markers on one line do not hide each other.
            some = slice(one.place * step // 3 % step, None, step)
            marks.append(Marks(one.look, x, self._scaled(one.share, one.edges), some, True))
        self._estimates.set_marks(marks, self.themes.theme)
        self._label_bottom()

    def _label_bottom(self) -> None:
        """Name the bottom axis, if anything about it changed since the last time."""
        values, unit, domain = self._comparison.values, self._shown.unit, self._shown.domain
        key = (self._numeric_axis, self.x_range, self.width(), values, unit, domain)
        if key == self._axis:
            return
        self._axis = key
        if self.x_range is not None:
            self.setXRange(*self.x_range, padding=0.01)
        low, high = self.getPlotItem().getViewBox().viewRange()[0]
        if values:
            every = -(-len(values) // max(2, self.width() // 90))
            ticks = [(float(i), shortened(v)) for i, v in enumerate(values) if i % every == 0]
        else:
            ticks = number_ticks(low, high, max(3, self.width() // 70))
        axis = self.getAxis("bottom")
        axis.setTicks([ticks])
        axis.showLabel(bool(unit))
        lines = 2 if unit else 1
        axis.setHeight(lines * (self.themes.theme.font("caption").pixelSize() + 4) + 8)
        self._domain_words.setVisible(domain is not None and self.width() >= _WIDE)
        if domain is not None:
            ends = short_number(domain[0]), short_number(domain[1])
            self._domain_words.setText(self.tr("domain %s to %s") % ends)
            self._domain_words.setColor(self.themes.theme.colour("text3"))
            self._domain_words.setFont(self.themes.theme.font("caption"))

    def _per_cell(self, shares: Shares) -> Numbers:
        return self._scaled(shares.share, shares.edges)

    def _cell_width(self) -> float:
        return self.cell_width or super()._cell_width()

    def _scaled(self, share: Numbers, edges: Numbers | None) -> Numbers:
        """Shares as if every cell had the same width: heights are comparable then."""
        if edges is None or self._shown.series[0].edges is None:
            return share
        return np.asarray(share * self._cell_width() / np.diff(edges))

    # Scale, hover, table

    def _scale_left(self) -> None:
        top, bands = self._least_top, [0.0]
        shown = [(s.share, s.edges, s.high) for s in self._shown.series]
        shown += [(e.share, e.edges, None) for e in self._comparison.estimates]
        for share, edges, high in shown:
            top = max(top, float(self._scaled(share, edges).max(initial=0.0)))
            if high is not None:
                bands.append(float(np.nanmax(self._scaled(high, edges), initial=0.0)))
        # A very wide band may leave the picture: what it belongs to must stay readable.
        top = max(top, min(max(bands), _WIDEST * top))
        top = round_top(top, MORE_TOPS)
        if self._top > 0 and not self._may_shrink and _MUCH_LOWER * self._top <= top < self._top:
            top = self._top
        self._may_shrink = False
        if top != self._top:
            self._top = top
            self._draw_grid(top)
        if self._shown.domain is not None:
            self._domain_words.setPos(self._shown.domain[1], self._top * 1.04)

    def _values_at(self, x: float) -> list[tuple[str, str, str]]:
        found = super()._values_at(x)
        if not found:
            return []
        cell = self._cell_at(x)
        shown = self._shown
        if shown.is_numeric:
            self._hover_title = self._interval_words(x)
        for estimate in self._comparison.estimates:
            if cell is not None:
                height = self._scaled(estimate.share, estimate.edges)
                found.append((estimate.look, estimate.name, percent(float(height[cell]), 1)))
        return found

    def _cell_at(self, x: float) -> int | None:
        edges = next((e.edges for e in self._comparison.estimates if e.edges is not None), None)
        if edges is None:
            cell = round(x)
            return cell if 0 <= cell < len(self._shown.labels) else None
        cell = int(np.searchsorted(edges, x, side="right")) - 1
        return cell if 0 <= cell < len(edges) - 1 else None

    def _interval_words(self, x: float) -> str:
        for shares in self._shown.series:
            if shares.edges is not None and shares.edges[0] <= x < shares.edges[-1]:
                cell = int(np.searchsorted(shares.edges, x, side="right")) - 1
                return self._cell_words(shares.edges, cell)
        return ""

    def _draw_pointer(self, painter: QPainter, at: QPointF) -> None:
        if self._shown.is_numeric:
            box = self.getPlotItem().getViewBox()
            area = self.mapFromScene(box.sceneBoundingRect()).boundingRect()
            painter.setPen(QPen(self.themes.theme.colour("text2"), 1, Qt.PenStyle.DotLine))
            painter.drawLine(QPointF(at.x(), area.top()), QPointF(at.x(), area.bottom()))

    def columns(self) -> list[ShareColumn]:
        """The roles, and the algorithms beside the one in focus."""
        return [
            *super().columns(),
            *(
                ShareColumn(e.name, e.look, e.share, e.edges, e.low, e.high)
                for e in self._comparison.estimates
            ),
        ]

    def _table(self) -> Rows:
        """One row per value; for numbers one row per cell, those of the distorted ones below."""
        if self._shown.is_numeric:
            return table_of_cells(self.columns(), self._cell_words, 2)
        return table_of_values(self.columns(), self._shown.labels, 2)

    def _cell_words(self, edges: Numbers, cell: int) -> str:
        if self._comparison.values:
            return self._comparison.values[cell]
        low, high = float(edges[cell]), float(edges[cell + 1])
        if low % 1 == 0.5 and high - low == 1:
            return number(low + 0.5)
        return self.tr("%s to %s") % (short_number(low), short_number(high))
