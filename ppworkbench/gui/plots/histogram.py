"""Original, distorted and reconstructed answers in one picture."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, Qt, QTimer
from PySide6.QtGui import QBrush, QColor, QPainter, QPaintEvent, QPen

from ppworkbench.gui.plots.bars_item import Bars, BarsItem
from ppworkbench.gui.plots.brushes import outline_pen, role_brush, role_pen
from ppworkbench.gui.plots.density_item import Density, DensityItem
from ppworkbench.gui.plots.hover_box import draw_hover_box
from ppworkbench.gui.plots.plot import Plot, Rows
from ppworkbench.gui.plots.share_table import (
    ShareColumn,
    head_looks,
    table_of_cells,
    table_of_values,
)
from ppworkbench.gui.plots.ticks import short_number
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.words import percent

Numbers = NDArray[np.float64]
ROLES = ("original", "distorted", "reconstructed")
MOST_BARS = 20
_CELLS_TOLD = 11


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


class HistogramPlot(Plot):
    """Grouped bars for values, a stepped area and lines for numbers."""

    def __init__(self, themes: ThemeManager, name: str) -> None:
        self._shown = Histogram()
        self._bars = BarsItem()
        self._brushes: dict[str, QBrush] = {}
        self._bottom_ticks: list[tuple[float, str]] | None = None
        self._top = 0.0
        self._densities = DensityItem()
        self._extras: list[pg.GraphicsObject] = []
        self._numeric_axis: tuple[tuple[float, float], str] | None = None
        self._grid: list[pg.InfiniteLine] = []
        self._hover: list[tuple[str, str, str]] = []
        self._hover_title = ""
        self._hover_at: QPointF | None = None
        super().__init__(themes, name)
        self.addItem(self._bars)
        self.addItem(self._densities)
        # Screen readers are told when the picture rests, not on every frame of a drag.
        self._told = QTimer(self)
        self._told.setSingleShot(True)
        self._told.setInterval(300)
        self._told.timeout.connect(lambda: self.setAccessibleDescription(self.summary()))
        self.rows = self._table
        self.hovered.connect(self._on_hovered)
        for side in ("left", "bottom"):
            self.getAxis(side).setStyle(tickTextOffset=6)

    def show_histogram(self, histogram: Histogram) -> None:
        """Show other numbers."""
        self._shown = histogram
        self._redraw()
        self._told.start()

    def retheme(self) -> None:
        """Draw again in the new colours."""
        self._brushes = {}
        self._top = 0.0
        self._numeric_axis = None
        self._redraw()

    def summary(self) -> str:
        """The picture in words, for screen readers."""
        if self._shown.is_numeric:
            heads, *rows = self._table()
            told = [_said(row[0], heads[1:], row[1:]) for row in rows[:_CELLS_TOLD]]
        else:
            columns = self.columns()
            names = [one.name for one in columns]
            told = [
                _said(label, names, [_estimate(one, place) for one in columns])
                for place, label in enumerate(self._shown.labels[:MOST_BARS])
            ]
        return "; ".join(told)

    def _redraw(self) -> None:
        for item in self._extras:
            self.removeItem(item)
        self._extras = []
        numeric = self._shown.is_numeric
        self._bars.setVisible(bool(self._shown.series) and not numeric)
        self._densities.setVisible(bool(self._shown.series) and numeric)
        if not self._shown.series:
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

    # Values

    def _draw_values(self) -> None:
        theme = self.themes.theme
        series = self._shown.series
        k = len(self._shown.labels)
        room = 0.78 / max(len(series), 1)
        drawn = [
            Bars(
                np.arange(k) + (position - (len(series) - 1) / 2) * room,
                shares.share,
                room * 0.86,
                self._brush(shares.role),
                outline_pen(theme, shares.role),
                shares.low,
                shares.high,
            )
            for position, shares in enumerate(series)
        ]
        self._bars.set_series(drawn, QPen(theme.colour("text"), theme.stroke(1.5)))
        self._bars.setVisible(True)
        ticks = self._value_ticks()
        if ticks != self._bottom_ticks:
            self._bottom_ticks = ticks
            self._numeric_axis = None
            self.getAxis("bottom").showLabel(False)
            axis = self.getAxis("bottom")
            axis.setTicks([ticks])
            lines = max((label.count("\n") + 1 for _, label in ticks), default=1)
            axis.setHeight(lines * (self.themes.theme.font("caption").pixelSize() + 5) + 10)
            self.setXRange(-0.5, k - 0.5, padding=0)

    def _brush(self, role: str) -> QBrush:
        if role not in self._brushes:
            self._brushes[role] = role_brush(self.themes.theme, role)
        return self._brushes[role]

    def _value_ticks(self) -> list[tuple[float, str]]:
        labels = self._shown.labels
        k = len(labels)
        every = -(-k // MOST_BARS)
        per_label = max(4, int(self.width() / max(k, 1) / 6.5) * every)
        return _ticks(labels, every, per_label)

    # Numbers

    def _draw_numbers(self) -> None:
        curves = [
            self._area(s) if s.role == "original" else self._curve(s) for s in self._shown.series
        ]
        pen = QPen(self.themes.theme.colour("text3"), 1, Qt.PenStyle.DashLine)
        self._densities.set_curves(curves, self._shown.domain or (), pen)
        edges = [s.edges for s in self._shown.series if s.edges is not None]
        ends = min(e[0] for e in edges), max(e[-1] for e in edges)
        if (ends, self._shown.unit) != self._numeric_axis:
            self._numeric_axis = ends, self._shown.unit
            self._bottom_ticks = None
            self.getAxis("bottom").setTicks(None)
            self.getAxis("bottom").setHeight(None)
            self.label_axes(bottom=self._shown.unit)
            self.setXRange(*ends, padding=0.01)

    def _per_cell(self, shares: Shares) -> Numbers:
        """Shares as if every series had the cells of the first: heights are comparable then."""
        assert shares.edges is not None  # noqa: S101 (numeric series have edges)
        return shares.share * self._cell_width() / np.diff(shares.edges)

    def _cell_width(self) -> float:
        first = self._shown.series[0].edges
        assert first is not None  # noqa: S101 (numeric series have edges)
        return float(np.median(np.diff(first)))

    def _area(self, shares: Shares) -> Density:
        role = self.themes.theme.role("original")
        assert shares.edges is not None  # noqa: S101 (numeric series have edges)
        x = np.repeat(shares.edges, 2)
        y = np.concatenate([[0.0], np.repeat(self._per_cell(shares), 2), [0.0]])
        return Density(x, y, QPen(role.line, self.themes.theme.stroke(1.5)), ground=role.tint)

    def _curve(self, shares: Shares) -> Density:
        theme = self.themes.theme
        assert shares.edges is not None  # noqa: S101 (numeric series have edges)
        x = (shares.edges[:-1] + shares.edges[1:]) / 2
        height = self._per_cell(shares)
        pen = role_pen(theme, shares.role)
        if shares.low is None or shares.high is None:
            return Density(x, height, pen)
        scale = self._cell_width() / np.diff(shares.edges)
        band = QColor(theme.role(shares.role).fill)
        band.setAlpha(60)
        return Density(x, height, pen, None, shares.low * scale, shares.high * scale, band)

    # Axes, hover, table

    def _scale_left(self) -> None:
        top = 0.0
        for shares in self._shown.series:
            height = self._per_cell(shares) if self._shown.is_numeric else shares.share
            top = max(top, float(height.max(initial=0.0)))
            if shares.high is not None and not self._shown.is_numeric:
                top = max(top, float(np.nanmax(shares.high, initial=0.0)))
        top = _round_top(top)
        if top != self._top:
            self._top = top
            self._draw_grid(top)

    def _draw_grid(self, top: float) -> None:
        step = _step(top)
        digits = 0 if step >= 0.01 else 1
        ticks = [(i * step, percent(i * step, digits)) for i in range(int(top / step + 1e-9) + 1)]
        self.getAxis("left").setTicks([ticks])
        self.setYRange(0, top * 1.04, padding=0)
        for item in self._grid:
            self.removeItem(item)
        pen = QPen(self.themes.theme.colour("grid"), 1)
        pen.setCosmetic(True)
        self._grid = [pg.InfiniteLine(value, angle=0, pen=pen) for value, _ in ticks[1:]]
        for item in self._grid:
            item.setZValue(-10)
            self.addItem(item)

    def columns(self) -> list[ShareColumn]:
        """The series as columns of a table."""
        return [
            ShareColumn(
                self._shown.names.get(s.role, s.role), s.role, s.share, s.edges, s.low, s.high
            )
            for s in self._shown.series
        ]

    def head_looks(self) -> tuple[str, ...]:
        """How the columns of the table are drawn here."""
        return head_looks(self.columns())

    def _table(self) -> Rows:
        if self._shown.is_numeric:
            return table_of_cells(self.columns(), self._cell_words, 2)
        return table_of_values(self.columns(), self._shown.labels, 1)

    def _cell_words(self, edges: Numbers, cell: int) -> str:
        return _span(edges[cell], edges[cell + 1])

    def _on_hovered(self, point: QPointF | None) -> None:
        self._hover = [] if point is None else self._values_at(point.x())
        self._hover_at = None
        if point is not None and self._hover:
            position = self.getPlotItem().getViewBox().mapViewToScene(point)
            self._hover_at = QPointF(self.mapFromScene(position))
        self.viewport().update()

    def _values_at(self, x: float) -> list[tuple[str, str, str]]:
        found = []
        for shares in self._shown.series:
            edges = shares.edges
            if self._shown.is_numeric and edges is not None:
                cell = int(np.searchsorted(edges, x, side="right")) - 1
                if not 0 <= cell < len(shares.share):
                    continue
                if shares.role == self._shown.series[0].role:
                    self._hover_title = _span(edges[cell], edges[cell + 1])
                value = self._per_cell(shares)[cell]
            else:
                cell = round(x)
                if not 0 <= cell < len(self._shown.labels):
                    return []
                self._hover_title = self._shown.labels[cell]
                value = shares.share[cell]
            name = self._shown.names.get(shares.role, shares.role)
            found.append((shares.role, name, self._with_interval(shares, cell, float(value))))
        return found

    def _with_interval(self, shares: Shares, cell: int, value: float) -> str:
        text = percent(value, 1)
        if shares.low is None or shares.high is None or self._shown.is_numeric:
            return text
        return f"{text}  ({percent(shares.low[cell], 1)} – {percent(shares.high[cell], 1)})"

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """Draw the plot, and the box of values at the pointer."""
        super().paintEvent(event)
        if self._hover and self._hover_at is not None:
            self._draw_hover_box()

    def _draw_hover_box(self) -> None:
        assert self._hover_at is not None  # noqa: S101 (seen by the caller)
        painter = QPainter(self.viewport())
        draw_hover_box(
            painter, self.themes.theme, self._hover_at, self.viewport().size(),
            self._hover_title, self._hover,
        )  # fmt: skip
        painter.end()


def _said(label: str, names: Sequence[str], values: Sequence[str]) -> str:
    known = (f"{name} {value}" for name, value in zip(names, values, strict=True) if value)
    return f"{label}: {', '.join(known)}"


def _estimate(column: ShareColumn, place: int) -> str:
    """A share for those who hear it, with half of its interval."""
    said = percent(float(column.share[place]), 1)
    if column.low is None or column.high is None:
        return said
    half = (float(column.high[place]) - float(column.low[place])) / 2
    return f"{said} ± {percent(half, 1)}"


def _span(low: float, high: float) -> str:
    return f"{short_number(float(low))} – {short_number(float(high))}"


@lru_cache(maxsize=16)
def _ticks(labels: tuple[str, ...], every: int, per_label: int) -> list[tuple[float, str]]:
    """The labels of bars; asked for in every frame of a drag, but seldom others."""
    return [
        (float(i), _wrapped(label, per_label)) for i, label in enumerate(labels) if i % every == 0
    ]


def _round_top(highest: float) -> float:
    """The end of the axis: the next of a few steps, so that it seldom moves during a drag."""
    for top in (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8):
        if highest <= top:
            return top
    return 1.0


def _step(top: float) -> float:
    """A round step that gives about four lines."""
    for step in (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.25):
        if top / step <= 5:
            return step
    return 0.5


def _wrapped(label: str, width: int) -> str:
    lines = textwrap.wrap(label, max(width, 4), break_long_words=True) or [""]
    if len(lines) > 2:
        lines = [lines[0], lines[1][: max(width - 1, 3)] + "…"]
    return "\n".join(lines)
