"""One row of dots per group, with the mean as a short line."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QSize
from PySide6.QtGui import QPainter, QPaintEvent

from ppworkbench.gui.plots.hover_box import draw_hover_box
from ppworkbench.gui.plots.plot import Plot, Rows
from ppworkbench.gui.plots.strips_item import Numbers, Strip, StripsItem
from ppworkbench.gui.plots.ticks import number_ticks
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.words import number


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

    @property
    def strips(self) -> tuple[Strip, ...]:
        """What is shown."""
        return self._strips

    def sizeHint(self) -> QSize:  # noqa: N802
        """A row per group."""
        return QSize(240, 60 + 28 * max(len(self._strips), 2))

    def show_strips(self, strips: tuple[Strip, ...], *, stale: bool = False) -> None:
        """Show other groups; stale ones are dimmed."""
        same = stale == self._is_stale and _content(strips) == _content(self._strips)
        self._strips, self._is_stale = strips, stale
        if not same:
            self._redraw()

    def retheme(self) -> None:
        """Draw again in the new colours."""
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
