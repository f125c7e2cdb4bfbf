"""One row of dots per group, with the mean as a short line."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QTransform

from ppworkbench.core.arrays import Numbers
from ppworkbench.gui.charts.axes import number_ticks
from ppworkbench.gui.charts.chart import PixelItem, Plot, Rows, draw_hover_box
from ppworkbench.gui.numbers import number
from ppworkbench.gui.theme import Theme, ThemeManager

_SPREAD, _MEAN = 0.26, 0.34
"""How far dots and the line of the mean reach up and down from the middle of their row."""
_SIZE = 5


@dataclass(frozen=True, eq=False)
class Strip:
    """A group of numbers under a name."""

    name: str
    values: Numbers


class StripsItem(PixelItem):
    """Draws being taken come several times a second: items of pyqtgraph would be made each time."""

    def __init__(self) -> None:
        super().__init__()
        self._strips: tuple[Strip, ...] = ()
        self._grid: tuple[float, ...] = ()
        self._theme: Theme | None = None
        self._is_stale = False

    def show_strips(
        self, strips: tuple[Strip, ...], grid: tuple[float, ...], right: float, theme: Theme
    ) -> None:
        """Draw other groups up to a number at the right, with lines of a grid."""
        self._strips, self._grid, self._theme = strips, grid, theme
        self.cover(QRectF(-0.01 * right, -0.6, 1.01 * right, len(strips) + 0.2))

    def set_stale(self, stale: bool) -> None:
        """Dim what is drawn, or do not."""
        self._is_stale = stale
        self.update()

    def draw(self, painter: QPainter, to_device: QTransform) -> None:
        theme = self._theme
        if theme is None or not self._strips:
            return
        area = to_device.mapRect(self.boundingRect())
        painter.setPen(QPen(theme.colour("grid"), 1))
        places = (to_device.map(QPointF(value, 0.0)).x() for value in self._grid)
        painter.drawLines([QLineF(x, area.top(), x, area.bottom()) for x in places])
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ink = QColor(theme.colour("text3") if self._is_stale else theme.role("reconstructed").fill)
        ink.setAlpha(120)
        dots = QPen(ink, _SIZE)
        dots.setCapStyle(Qt.PenCapStyle.RoundCap)
        painter.setPen(dots)
        for place, strip in enumerate(self._strips):
            # The golden ratio spreads successive dots evenly.
            shift = (np.arange(len(strip.values)) * 0.618034) % 1.0 - 0.5
            ups = (place + 2 * _SPREAD * shift).tolist()
            for value, up in zip(strip.values.tolist(), ups, strict=True):
                painter.drawPoint(to_device.map(QPointF(value, up)))
        painter.setPen(QPen(theme.colour("text3" if self._is_stale else "text"), 2.5))
        means = [(float(s.values.mean()), i) for i, s in enumerate(self._strips) if len(s.values)]
        ends = [(QPointF(mean, i - _MEAN), QPointF(mean, i + _MEAN)) for mean, i in means]
        painter.drawLines([QLineF(to_device.map(one), to_device.map(other)) for one, other in ends])


class StripPlot(Plot):
    """Dots are shifted up and down by their place, never at random, so that they stay put."""

    def __init__(self, themes: ThemeManager, name: str) -> None:
        self._strips: tuple[Strip, ...] = ()
        self._is_stale = False
        self._axes: tuple[object, ...] = ()
        self._item = StripsItem()
        self._hover: tuple[QPointF, int] | None = None
        super().__init__(themes, name)
        self.addItem(self._item)
        self.rows = self._table
        self.hovered.connect(self._on_hovered)
        self.invertY(True)
        self.getAxis("left").setStyle(tickTextOffset=8)
        self.getAxis("bottom").setStyle(hideOverlappingLabels=False)
        self.getPlotItem().setContentsMargins(0, 0, 8, 0)

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(240, 60 + 28 * max(len(self._strips), 2))

    def show_strips(self, strips: tuple[Strip, ...], *, stale: bool = False) -> None:
        """Show other groups; stale ones are dimmed."""
        same = stale == self._is_stale and _content(strips) == _content(self._strips)
        self._strips, self._is_stale = strips, stale
        if not same:
            self._redraw()

    def retheme(self) -> None:
        self._axes = ()
        self._redraw()

    def _redraw(self) -> None:
        strips = self._strips
        highest = max((float(s.values.max(initial=0.0)) for s in strips), default=0.0)
        right = max(highest * 1.06, 0.01)
        ticks = number_ticks(0.0, right, max(2, self.width() // 60))
        axes = (right, self.width() // 60, *(strip.name for strip in strips))
        if strips and axes != self._axes:
            self._axes = axes
            self.setXRange(-0.01 * right, right, padding=0.0)
            self.setYRange(-0.6, len(strips) - 0.4, padding=0.0)
            self.getAxis("bottom").setTicks([ticks])
            self.getAxis("left").setTicks([[(float(i), s.name) for i, s in enumerate(strips)]])
        self._item.set_stale(self._is_stale)
        self._item.show_strips(strips, tuple(v for v, _ in ticks), right, self.themes.theme)
        self.setAccessibleDescription("; ".join(self._words(s) for s in strips))

    def _words(self, strip: Strip) -> str:
        if not len(strip.values):
            return self.tr("%s: not drawn yet") % strip.name
        parts = (strip.name, number(float(strip.values.mean()), 3), _deviation(strip.values))
        return self.tr("%s: mean %s ± %s") % parts

    def _on_hovered(self, point: QPointF | None) -> None:
        self._hover = None
        if point is not None and self._strips:
            place = round(point.y())
            if 0 <= place < len(self._strips) and len(self._strips[place].values):
                position = self.getPlotItem().getViewBox().mapViewToScene(point)
                self._hover = QPointF(self.mapFromScene(position)), place
        self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """Draw the plot, and the box of values at the pointer."""
        super().paintEvent(event)
        if self._hover is None or self._hover[1] >= len(self._strips):
            return
        at, place = self._hover
        values = self._strips[place].values
        if not len(values):
            return
        entries = [
            (self.tr("mean"), f"{number(float(values.mean()), 3)} ± {_deviation(values)}"),
            (self.tr("lowest"), number(float(values.min()), 3)),
            (self.tr("highest"), number(float(values.max()), 3)),
        ]
        painter = QPainter(self.viewport())
        theme, area = self.themes.theme, self.viewport().size()
        looks = [("reconstructed", name, value) for name, value in entries]
        draw_hover_box(painter, theme, at, area, self._strips[place].name, looks)
        painter.end()

    def _table(self) -> Rows:
        longest = max((len(s.values) for s in self._strips), default=0)
        rows = [
            [str(i + 1), *(f"{s.values[i]:.6g}" if i < len(s.values) else "" for s in self._strips)]
            for i in range(longest)
        ]
        return [[self.tr("draw"), *(s.name for s in self._strips)], *rows]


def _deviation(values: Numbers) -> str:
    return number(float(values.std(ddof=1)), 3) if len(values) > 1 else "–"


def _content(strips: tuple[Strip, ...]) -> tuple[tuple[str, bytes], ...]:
    return tuple((strip.name, strip.values.tobytes()) for strip in strips)
