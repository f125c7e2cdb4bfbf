"""The histogram of the three roles with the estimates of more algorithms beside them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QResizeEvent

from ppworkbench.core.arrays import Numbers
from ppworkbench.gui.charts.axes import (
    MORE_TOPS,
    number_ticks,
    round_top,
    short_number,
    shortened,
    value_ticks,
)
from ppworkbench.gui.charts.histogram import Density, DensityItem, HistogramPlot
from ppworkbench.gui.charts.looks import is_series, look_marker, look_pen, series_of
from ppworkbench.gui.charts.shares import WIDEST
from ppworkbench.gui.numbers import number
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.results.picture import Shares

_MARKERS = 8
_GROUP, _SLOT = 0.8, 0.6
"""How much of a value's room its bars and markers take, and a marker compared with a bar."""
_MUCH_LOWER = 0.7
_WIDE = 380
_LABEL = 40
"""Pixels that a label of a value takes at least."""


class ComparisonPlot(HistogramPlot):
    """Bars with markers for values, an area with lines for numbers.

    The top of the axis shrinks only by much, or after :meth:`forget_scale`, so that stepping
    through iterations does not make the axis jump.
    """

    decimals = 2

    def __init__(self, themes: ThemeManager, name: str) -> None:
        self._least_top = 0.0
        self._may_shrink = True
        self._estimates = DensityItem()
        self._domain_words = pg.TextItem(anchor=(1, 0))
        self._pointer = pg.InfiniteLine()
        self._pointer.hide()
        self._axis: tuple[object, ...] = ()
        self.x_range: tuple[float, float] | None = None
        """The range of the bottom axis where several plots share one."""
        self.cell_width: float | None = None
        """The width of a cell for which heights are drawn, where several plots share a scale."""
        super().__init__(themes, name)
        self._estimates.setZValue(5)
        self.addItem(self._estimates)
        self.addItem(self._domain_words)
        self.addItem(self._pointer)
        self.getPlotItem().setContentsMargins(0, 0, 16, 0)

    @property
    def _others(self) -> list[Shares]:
        return [one for one in self._shown.series if is_series(one.role)]

    def forget_scale(self, least: float = 0.0) -> None:
        """Let the axis shrink again, to this top at least."""
        self._least_top, self._may_shrink = least, True

    @property
    def top(self) -> float:
        return self._top

    def sizeHint(self) -> QSize:  # noqa: N802
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
        series, extras = self._roles, self._others
        slots = len(series) + _SLOT * len(extras)
        room, start = _GROUP / max(slots, 1), -_GROUP / 2
        k = np.arange(len(self._shown.labels), dtype=np.float64)
        if extras:
            places = [start + (place + 0.5) * room for place in range(len(series))]
            self._set_bars(places, room * 0.88)
        self._estimates.set_curves([
            self._estimate(
                one, k + start + (len(series) + _SLOT * (place + 0.5)) * room, one.share,
                low=one.low, high=one.high, joined=False,
            )
            for place, one in enumerate(extras)
        ])  # fmt: skip

    def _estimate(self, one: Shares, x: Numbers, y: Numbers, **how: Any) -> Density:
        return Density(
            x, y, look_pen(self.themes.theme, one.role), marker=look_marker(one.role), **how
        )

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
        for one in self._others:
            assert one.edges is not None  # noqa: S101 (numeric estimates have edges)
            x = (one.edges[:-1] + one.edges[1:]) / 2
            step = max(1, len(x) // _MARKERS)
            # Algorithms begin at different places: markers on one line do not hide each other.
            some = slice(series_of(one.role) * step // 3 % step, None, step)
            marks.append(self._estimate(one, x, self._scaled(one.share, one.edges), marked=some))
        self._estimates.set_curves(marks)
        self._label_bottom()

    def _label_bottom(self) -> None:
        """Name the bottom axis, if anything about it changed since the last time."""
        values, unit, domain = self._shown.values, self._shown.unit, self._shown.domain
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

    def _cell_width(self) -> float:
        return self.cell_width or super()._cell_width()

    # Scale, hover, table

    def _scale_left(self) -> None:
        top, bands = self._least_top, [0.0]
        for one in self._shown.series:
            top = max(top, float(self._scaled(one.share, one.edges).max(initial=0.0)))
            if one.high is not None and not is_series(one.role):
                bands.append(float(np.nanmax(self._scaled(one.high, one.edges), initial=0.0)))
        # A very wide band may leave the picture: what it belongs to must stay readable.
        top = max(top, min(max(bands), WIDEST * top))
        top = round_top(top, MORE_TOPS)
        if self._top > 0 and not self._may_shrink and _MUCH_LOWER * self._top <= top < self._top:
            top = self._top
        self._may_shrink = False
        if top != self._top:
            self._top = top
            self._draw_grid(top)
        if self._shown.domain is not None:
            self._domain_words.setPos(self._shown.domain[1], self._top * 1.04)

    def _on_hovered(self, point: QPointF | None) -> None:
        super()._on_hovered(point)
        self._pointer.setVisible(point is not None and self._shown.is_numeric)
        if point is not None:
            self._pointer.setPen(self.themes.theme.colour("text2"), style=Qt.PenStyle.DotLine)
            self._pointer.setValue(point.x())

    def _cell_words(self, edges: Numbers, cell: int) -> str:
        if self._shown.values:
            return self._shown.values[cell]
        low, high = float(edges[cell]), float(edges[cell + 1])
        if low % 1 == 0.5 and high - low == 1:
            return number(low + 0.5)
        return self.tr("%s to %s") % (short_number(low), short_number(high))
