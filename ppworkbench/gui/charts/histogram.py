"""Original, distorted and reconstructed answers in one picture."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyqtgraph as pg
from pyqtgraph.functions import arrayToQPolygonF
from PySide6.QtCore import QLineF, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFontMetricsF,
    QPainter,
    QPen,
    QPolygonF,
    QResizeEvent,
    QTransform,
)

from ppworkbench.core.arrays import Numbers
from ppworkbench.gui.charts.axes import (
    OVER_END,
    OVER_START,
    round_step,
    round_top,
    short_number,
    span,
    value_ticks,
)
from ppworkbench.gui.charts.chart import Entry, PixelItem, Plot, Rows
from ppworkbench.gui.charts.looks import draw_marker, is_series, outline_pen, role_brush, role_pen
from ppworkbench.gui.charts.shares import MOST_BARS, Histogram
from ppworkbench.gui.numbers import percent
from ppworkbench.gui.theme import ThemeManager, set_fill
from ppworkbench.results.picture import Picture, Shares


@dataclass(frozen=True, eq=False)
class Bars:
    """One series of bars: middles, heights, one width, and perhaps intervals."""

    x: Numbers
    height: Numbers
    width: float
    brush: QBrush
    pen: QPen
    low: Numbers | None = None
    high: Numbers | None = None


class BarsItem(PixelItem):
    def __init__(self) -> None:
        super().__init__()
        self._series: tuple[Bars, ...] = ()
        self._interval_pen = QPen()

    def set_series(self, series: Sequence[Bars], interval_pen: QPen) -> None:
        self._series = tuple(series)
        self._interval_pen = interval_pen
        bounds = QRectF()
        for bars in self._series:
            if len(bars.x):
                left, right = bars.x[0] - bars.width, bars.x[-1] + bars.width
                top = float(np.nanmax(bars.height if bars.high is None else bars.high))
                bounds = bounds.united(QRectF(left, 0, right - left, max(top, 1e-9)))
        self.cover(bounds)

    def draw(self, painter: QPainter, to_device: QTransform) -> None:
        for bars in self._series:
            _fill(painter, bars, _boxes(bars, to_device))
        for bars in self._series:
            if bars.low is not None and bars.high is not None:
                self._draw_intervals(painter, to_device, bars)

    def _draw_intervals(self, painter: QPainter, to_device: QTransform, bars: Bars) -> None:
        assert bars.low is not None  # noqa: S101 (seen by the caller)
        assert bars.high is not None  # noqa: S101
        painter.setPen(self._interval_pen)
        x = np.rint(bars.x * to_device.m11() + to_device.dx()) + 0.5
        low, high = (end * to_device.m22() + to_device.dy() for end in (bars.low, bars.high))
        painter.drawLines(whiskers(x, low, high, min(4.0, abs(to_device.m11()) * bars.width / 3)))


def whiskers(x: Numbers, low: Numbers, high: Numbers, cap: float) -> list[QLineF]:
    """The lines of upright intervals in pixels, with caps so wide to both sides."""
    lines = []
    for middle, bottom, top in zip(x.tolist(), low.tolist(), high.tolist(), strict=True):
        lines.append(QLineF(middle, top, middle, bottom))
        lines += [QLineF(middle - cap, end, middle + cap, end) for end in (top, bottom)]
    return lines


def _boxes(bars: Bars, to_device: QTransform) -> list[QRect]:
    """The bars in pixels. Whole ones keep the edges sharp while a slider moves."""
    half = bars.width / 2
    # A plot is only moved and stretched, never turned.
    lefts = np.rint((bars.x - half) * to_device.m11() + to_device.dx()).astype(int)
    rights = np.rint((bars.x + half) * to_device.m11() + to_device.dx()).astype(int)
    tops = np.rint(np.nan_to_num(bars.height) * to_device.m22() + to_device.dy()).astype(int)
    bottom = round(to_device.dy())
    widths = np.maximum(rights - lefts, 1)
    return [
        QRect(left, top, width, bottom - top)
        for left, top, width in zip(lefts.tolist(), tops.tolist(), widths.tolist(), strict=True)
    ]


def _fill(painter: QPainter, bars: Bars, boxes: list[QRect]) -> None:
    """Fill the bars with the colour of their edge, and what is inside of it with their own.

    Drawing an outline takes ten times as long as two fillings do.
    """
    edge, colour = round(bars.pen.widthF()), bars.pen.color()
    for box in boxes:
        painter.fillRect(box, colour)
        inside = box.adjusted(edge, edge, -edge, 0)
        if inside.isValid():
            painter.fillRect(inside, bars.brush)


@dataclass(frozen=True, eq=False)
class Density:
    """One curve: points, a pen, and perhaps a filled ground or a band around it.

    With a ``marker`` some of its points carry that. Those that are not joined have whiskers.
    """

    x: Numbers
    y: Numbers
    pen: QPen
    ground: QColor | None = None
    low: Numbers | None = None
    high: Numbers | None = None
    band: QColor | None = None
    marker: str = ""
    marked: slice | None = None
    joined: bool = True


class DensityItem(PixelItem):
    def __init__(self) -> None:
        super().__init__()
        self._curves: tuple[Density, ...] = ()
        self._lines: tuple[float, ...] = ()
        self._line_pen = QPen()

    def set_curves(
        self, curves: Sequence[Density], lines: Sequence[float] = (), line_pen: QPen | None = None
    ) -> None:
        """Draw other curves, and vertical lines at the ends of the domain."""
        self._curves, self._lines = tuple(curves), tuple(lines)
        self._line_pen = line_pen or QPen()
        bounds = self._bounds
        if self._curves:
            # Markers reach beyond their points.
            beyond = any(c.marker for c in self._curves)
            left = min(float(c.x[0]) for c in self._curves) - beyond
            right = max(float(c.x[-1]) for c in self._curves) + beyond
            top = max(float(np.max(c.y if c.high is None else c.high)) for c in self._curves)
            bounds = QRectF(left, 0, max(right - left, 1e-12), max(top, 1e-9))
        self.cover(bounds)

    def draw(self, painter: QPainter, to_device: QTransform) -> None:
        """Draw grounds and bands first, then the lines over them."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for curve in self._curves:
            if curve.band is not None and curve.low is not None and curve.high is not None:
                x = np.concatenate([curve.x, curve.x[::-1]])
                y = np.concatenate([curve.high, curve.low[::-1]])
                set_fill(painter, QBrush(curve.band))
                painter.drawPolygon(_mapped(to_device, x, y))
        for curve in self._curves:
            points = _mapped(to_device, curve.x, curve.y)
            if curve.ground is not None:
                set_fill(painter, QBrush(curve.ground))
                painter.drawPolygon(points)
            painter.setPen(curve.pen)
            x = curve.x * to_device.m11() + to_device.dx()
            if curve.joined:
                painter.drawPolyline(points)
            elif curve.low is not None and curve.high is not None:
                low, high = (
                    end * to_device.m22() + to_device.dy() for end in (curve.low, curve.high)
                )
                painter.drawLines(whiskers(x, low, high, 3.5))
            if curve.marker:
                some, y = curve.marked or slice(None), curve.y * to_device.m22() + to_device.dy()
                for at in map(QPointF, x[some].tolist(), y[some].tolist()):
                    draw_marker(painter, curve.marker, at, 3.6, curve.pen.color())
        self._draw_lines(painter, to_device)

    def _draw_lines(self, painter: QPainter, to_device: QTransform) -> None:
        if not self._lines:
            return
        box = self.getViewBox().viewRect()
        painter.setPen(self._line_pen)
        for place in self._lines:
            # Pairs of numbers, which the stubs do not say.
            start: Any = to_device.map(place, box.bottom())
            end: Any = to_device.map(place, box.top())
            painter.drawLine(QLineF(start[0], start[1], start[0], end[1]))


def _mapped(to_device: QTransform, x: Numbers, y: Numbers) -> QPolygonF:
    across = x * to_device.m11() + to_device.dx()
    down = y * to_device.m22() + to_device.dy()
    line: QPolygonF = arrayToQPolygonF(across, down)
    return line


class HistogramPlot(Plot):
    """Grouped bars for values, a stepped area and lines for numbers."""

    decimals = 1
    """Of the percentages of values in its table."""

    def __init__(self, themes: ThemeManager, name: str) -> None:
        self._shown = Histogram()
        self._bars = BarsItem()
        self._brushes: dict[str, QBrush] = {}
        self._bottom_ticks: list[tuple[float, str]] | None = None
        self._top = 0.0
        self._lines = 0
        self._densities = DensityItem()
        self._extras: list[pg.GraphicsObject] = []
        self._numeric_axis: tuple[tuple[float, float], str] | None = None
        self._grid: list[pg.InfiniteLine] = []
        self._hover_title = ""
        super().__init__(themes, name)
        self.addItem(self._bars)
        self.addItem(self._densities)
        self.rows = self._table
        self.hovered.connect(self._on_hovered)
        for side in ("left", "bottom"):
            self.getAxis(side).setStyle(tickTextOffset=6)
        self.getAxis("bottom").setStyle(hideOverlappingLabels=OVER_START)
        self._set_right_margin(OVER_END)

    def show_histogram(self, histogram: Histogram) -> None:
        self._shown = histogram
        self._redraw()
        self.tell_at_rest()

    def retheme(self) -> None:
        self._brushes = {}
        self._top = 0.0
        self._numeric_axis = None
        self._redraw()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        # Closing gives a plot another size when its axes are gone already.
        if not self._shown.series or self.plotItem is None:
            return
        if not self._shown.is_numeric:
            self._label_values()
        if self._most_lines() != self._lines:
            self._draw_grid(self._top)

    def summary(self) -> str:
        return self._shown.told(self._cell_words)

    @property
    def _roles(self) -> list[Shares]:
        """What is drawn as bars, as an area or as lines; plots that build on this draw others."""
        return [one for one in self._shown.series if not is_series(one.role)]

    def _redraw(self) -> None:
        for item in self._extras:
            self.removeItem(item)
        self._extras = []
        drawn, numeric = bool(self._shown.series), self._shown.is_numeric
        self._bars.setVisible(drawn and not numeric)
        self._densities.setVisible(drawn and numeric)
        if not drawn:
            return
        if numeric:
            self._draw_numbers()
        else:
            self._draw_values()
        self._scale_left()

    def _add(self, item: pg.GraphicsObject, z: int = 0) -> None:
        """Draw something more until the next numbers come; plots that build on this one do."""
        item.setZValue(z)
        self._extras.append(item)
        self.addItem(item)

    def _set_right_margin(self, pixels: int) -> None:
        left, top, _, bottom = self.getPlotItem().getContentsMargins()
        self.getPlotItem().setContentsMargins(left, top, pixels, bottom)

    # Values

    def _draw_values(self) -> None:
        count = len(self._roles)
        room = 0.78 / max(count, 1)
        self._set_bars([(place - (count - 1) / 2) * room for place in range(count)], room * 0.86)
        self._label_values()
        self._draw_base()

    def _draw_base(self) -> None:
        if self._shown.base is None or all(s.role != "distorted" for s in self._shown.series):
            return
        theme = self.themes.theme
        pen = QPen(theme.role("distorted").line, theme.stroke(1.5), Qt.PenStyle.DashLine)
        pen.setCosmetic(True)
        self._add(pg.InfiniteLine(self._shown.base, angle=0, pen=pen), 5)

    def _label_values(self) -> None:
        ticks = self._value_ticks()
        if ticks != self._bottom_ticks:
            self._bottom_ticks = ticks
            self._numeric_axis = None
            self._set_right_margin(OVER_END)
            axis = self.getAxis("bottom")
            axis.showLabel(False)
            axis.setTicks([ticks])
            lines = max((label.count("\n") + 1 for _, label in ticks), default=1)
            axis.setHeight(lines * (self.themes.theme.font("caption").pixelSize() + 5) + 10)
            self.setXRange(-0.5, len(self._shown.labels) - 0.5, padding=0)

    def _set_bars(self, places: Sequence[float], width: float) -> None:
        theme, middles = self.themes.theme, np.arange(len(self._shown.labels), dtype=np.float64)
        drawn = [
            Bars(
                middles + place,
                shares.share,
                width,
                self._brush(shares.role),
                outline_pen(theme, shares.role),
                shares.low,
                shares.high,
            )
            for place, shares in zip(places, self._roles, strict=True)
        ]
        self._bars.set_series(drawn, QPen(theme.colour("text"), theme.stroke(1.5)))

    def _brush(self, role: str) -> QBrush:
        if role not in self._brushes:
            self._brushes[role] = role_brush(self.themes.theme, role)
        return self._brushes[role]

    def _value_ticks(self) -> list[tuple[float, str]]:
        labels = self._shown.labels
        k = len(labels)
        every = -(-k // MOST_BARS)
        slot = self._room() / max(k, 1) * every
        return value_ticks(labels, every, int(slot), self.themes.theme.font("caption"))

    def _room(self) -> int:
        """Pixels for the bars, beside the numbers of the other axis."""
        return max(self.width() - 4 * self.themes.theme.font("caption").pixelSize() - OVER_END, 60)

    # Numbers

    def _draw_numbers(self) -> None:
        curves = [self._area(s) if s.role == "original" else self._curve(s) for s in self._roles]
        pen = QPen(self.themes.theme.colour("text3"), 1, Qt.PenStyle.DashLine)
        self._densities.set_curves(curves, self._shown.domain or (), pen)
        edges = [s.edges for s in self._shown.series if s.edges is not None]
        ends = min(e[0] for e in edges), max(e[-1] for e in edges)
        if (ends, self._shown.unit) != self._numeric_axis:
            self._numeric_axis = ends, self._shown.unit
            self._bottom_ticks = None
            self.getAxis("bottom").setTicks(None)
            size = self.themes.theme.font("caption").pixelSize()
            self.getAxis("bottom").setHeight(None if self._shown.unit else size + 12)
            self.label_axes(bottom=self._shown.unit)
            # The last number stands at the end of the axis, half of it beyond.
            half = QFontMetricsF(self.themes.theme.font("caption")).horizontalAdvance(
                short_number(float(ends[1]))
            )
            self._set_right_margin(max(OVER_END, math.ceil(half / 2) + 1))
            self.setXRange(*ends, padding=0.01)

    def _scaled(self, share: Numbers, edges: Numbers | None) -> Numbers:
        """Shares as if every series had the cells of the first: heights are comparable then."""
        if edges is None or not self._shown.is_numeric:
            return share
        return np.asarray(share * self._cell_width() / np.diff(edges))

    def _cell_width(self) -> float:
        first = self._shown.series[0].edges
        assert first is not None  # noqa: S101 (numeric series have edges)
        return float(np.median(np.diff(first)))

    def _area(self, shares: Shares) -> Density:
        role = self.themes.theme.role("original")
        assert shares.edges is not None  # noqa: S101 (numeric series have edges)
        x = np.repeat(shares.edges, 2)
        y = np.concatenate([[0.0], np.repeat(self._scaled(shares.share, shares.edges), 2), [0.0]])
        return Density(x, y, QPen(role.line, self.themes.theme.stroke(1.5)), ground=role.tint)

    def _curve(self, shares: Shares) -> Density:
        theme = self.themes.theme
        assert shares.edges is not None  # noqa: S101 (numeric series have edges)
        x = (shares.edges[:-1] + shares.edges[1:]) / 2
        height = self._scaled(shares.share, shares.edges)
        pen = role_pen(theme, shares.role)
        if shares.low is None or shares.high is None:
            return Density(x, height, pen)
        low, high = (self._scaled(end, shares.edges) for end in (shares.low, shares.high))
        band = QColor(theme.role(shares.role).fill)
        band.setAlpha(60)
        return Density(x, height, pen, None, low, high, band)

    # Axes, hover, table

    def _scale_left(self) -> None:
        top = 0.0
        for shares in self._shown.series:
            top = max(top, float(self._scaled(shares.share, shares.edges).max(initial=0.0)))
            if shares.high is not None and not self._shown.is_numeric:
                top = max(top, float(np.nanmax(shares.high, initial=0.0)))
        top = round_top(top)
        if top != self._top:
            self._top = top
            self._draw_grid(top)

    def _most_lines(self) -> int:
        """How many lines of the grid can have a number; a low picture has room for few."""
        size = self.themes.theme.font("caption").pixelSize()
        room = self.height() - self.getAxis("bottom").height()
        return max(1, min(5, int(room / (1.8 * size))))

    def _draw_grid(self, top: float) -> None:
        self._lines = self._most_lines()
        step = round_step(top, self._lines)
        digits = 0 if step >= 0.01 else 1
        ticks = [(i * step, percent(i * step, digits)) for i in range(int(top / step + 1e-9) + 1)]
        axis, font = self.getAxis("left"), self.themes.theme.font("caption")
        axis.setTicks([ticks])
        # Left to itself it is too narrow for larger type until it was drawn, without some numbers.
        widths = [QFontMetricsF(font).horizontalAdvance(words) for _, words in ticks]
        axis.setWidth(max(math.ceil(max(widths)) + 12, 36))
        self.setYRange(0, top * 1.04, padding=0)
        pen = QPen(self.themes.theme.colour("grid"), 1)
        pen.setCosmetic(True)
        lines = ticks[1:]
        # To make a line takes longer than all else here, so those that are there are moved.
        while len(self._grid) < len(lines):
            line = pg.InfiniteLine(angle=0)
            line.setZValue(-10)
            self._grid.append(line)
            self.addItem(line)
        for place, line in enumerate(self._grid):
            line.setVisible(place < len(lines))
            if place < len(lines):
                line.setPen(pen)
                line.setValue(lines[place][0])

    @property
    def picture(self) -> Picture | None:
        """What is drawn, as files and the clipboard have it; None where nothing is."""
        return self._shown.picture(self.accessibleName()) if self._shown.series else None

    def head_looks(self) -> tuple[str, ...]:
        return self._shown.looks()

    def _table(self) -> Rows:
        return self._shown.table(self._cell_words, 2 if self._shown.is_numeric else self.decimals)

    def _cell_words(self, edges: Numbers, cell: int) -> str:
        return span(edges[cell], edges[cell + 1])

    def _on_hovered(self, point: QPointF | None) -> None:
        found = [] if point is None else self._values_at(point.x())
        if point is None or not found:
            self.show_hover(None)
            return
        at = QPointF(self.mapFromScene(self.getViewBox().mapViewToScene(point)))
        self.show_hover(at, self._hover_title, found)

    def _values_at(self, x: float) -> list[Entry]:
        found: list[Entry] = []
        self._hover_title = ""
        for one in self._shown.series:
            edges = one.edges
            cell = round(x) if edges is None else int(np.searchsorted(edges, x, side="right")) - 1
            if 0 <= cell < len(one.share):
                if not found:
                    labels = self._shown.labels
                    self._hover_title = (
                        labels[cell] if edges is None else self._cell_words(edges, cell)
                    )
                value = float(self._scaled(one.share, edges)[cell])
                words = self._with_interval(one, cell, value)
                found.append((one.role, self._shown.name(one), words))
        return found

    def _with_interval(self, shares: Shares, cell: int, value: float) -> str:
        text = percent(value, 1)
        is_plain = self._shown.is_numeric or is_series(shares.role)
        if shares.low is None or shares.high is None or is_plain:
            return text
        return f"{text}  ({percent(shares.low[cell], 1)} – {percent(shares.high[cell], 1)})"
