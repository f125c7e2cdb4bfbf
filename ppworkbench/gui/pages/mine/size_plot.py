"""Lines over the size of itemsets: one per measure, or one per run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QLineF, QPointF, QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QResizeEvent

from ppworkbench.gui.plots.estimates_item import EstimatesItem, Marks
from ppworkbench.gui.plots.hover_box import draw_hover_box
from ppworkbench.gui.plots.plot import Plot, Rows
from ppworkbench.gui.plots.ticks import number_ticks
from ppworkbench.gui.theme import Theme, ThemeManager
from ppworkbench.gui.words import number


@dataclass(frozen=True)
class SizeLine:
    """A number for some sizes; NaN where there is none."""

    look: str
    name: str
    sizes: tuple[int, ...]
    values: tuple[float, ...]

    def at(self, size: int) -> float:
        """The number of a size, NaN where there is none."""
        return dict(zip(self.sizes, self.values, strict=True)).get(size, float("nan"))


class GridItem(pg.GraphicsObject):
    """Level hairlines from side to side, as one item."""

    def __init__(self) -> None:
        super().__init__()
        self._levels: tuple[float, ...] = ()
        self._pen = QPen()
        self.setZValue(-10)

    def show_levels(self, levels: tuple[float, ...], theme: Theme) -> None:
        """Draw lines at other heights."""
        self.prepareGeometryChange()
        self._levels = levels
        self._pen = QPen(theme.colour("grid"), 1)
        self._pen.setCosmetic(True)
        self.update()

    def boundingRect(self) -> QRectF:  # noqa: N802
        """All that is seen."""
        return QRectF(self.viewRect()) if self.getViewBox() is not None else QRectF()

    def viewRangeChanged(self) -> None:  # noqa: N802
        """Reach from side to side again."""
        self.prepareGeometryChange()

    def paint(self, painter: QPainter, option: Any, widget: Any = None) -> None:  # noqa: ARG002
        """Draw the lines."""
        area = self.boundingRect()
        painter.setPen(self._pen)
        painter.drawLines(
            [QLineF(area.left(), level, area.right(), level) for level in self._levels]
        )


class SizePlot(Plot):
    """The pointer tells the numbers of the size under it."""

    def __init__(self, themes: ThemeManager, name: str) -> None:
        self._lines: tuple[SizeLine, ...] = ()
        self._words: Callable[[float], str] = number
        self._top = 1.0
        self._scale = 1.0
        self._hover: tuple[QPointF, int] | None = None
        self._item = EstimatesItem()
        self._grid = GridItem()
        super().__init__(themes, name)
        self.addItem(self._grid)
        self.addItem(self._item)
        self.rows = self._table
        self.hovered.connect(self._on_hovered)
        for side in ("left", "bottom"):
            self.getAxis(side).setStyle(tickTextOffset=5, hideOverlappingLabels=False)
        self.getPlotItem().setContentsMargins(0, 6, 12, 0)

    def sizeHint(self) -> QSize:  # noqa: N802
        """Small; it takes what room there is."""
        return QSize(220, 110)

    @property
    def lines(self) -> tuple[SizeLine, ...]:
        """What is shown."""
        return self._lines

    def show_lines(
        self, lines: tuple[SizeLine, ...], words: Callable[[float], str], scale: float = 100.0
    ) -> None:
        """Show other lines; the axis counts in parts of ``scale``, in percent for 100."""
        self._lines, self._words, self._scale, self._hover = lines, words, scale, None
        self._redraw()
        self.setAccessibleDescription(self.summary())

    def retheme(self) -> None:
        """Draw again in the new colours."""
        self.label_axes(bottom=self.tr("items in the set"))
        size = self.themes.theme.font("caption").pixelSize()
        self.getAxis("bottom").setHeight(2 * size + 13)
        self._redraw()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Choose ticks for the new size."""
        super().resizeEvent(event)
        if self._lines:
            self._redraw()

    @property
    def _sizes(self) -> list[int]:
        return sorted({size for line in self._lines for size in line.sizes})

    def _redraw(self) -> None:
        theme = self.themes.theme
        known = [v for line in self._lines for v in line.values if np.isfinite(v)]
        if not known:
            self._item.set_marks((), theme)
            self._grid.show_levels((), theme)
            return
        sizes = self._sizes
        self._top = max(max(known) * 1.08, 0.01)
        self.setXRange(sizes[0] - 0.3, max(sizes[-1], sizes[0] + 1) + 0.3, padding=0.0)
        self.setYRange(0.0, self._top, padding=0.0)
        unit = " %" if self._scale == 100.0 else ""
        ticks = number_ticks(0.0, self._scale * self._top, max(2, self.height() // 44))
        named = [(value / self._scale, f"{words}{unit}") for value, words in ticks]
        self.getAxis("left").setTicks([named])
        self.getAxis("bottom").setTicks([[(float(size), str(size)) for size in sizes]])
        self._grid.show_levels(tuple(value for value, _ in named), theme)
        self._item.set_marks([marks for line in self._lines for marks in _marks(line)], theme)

    def _on_hovered(self, point: QPointF | None) -> None:
        before, self._hover = self._hover, None
        if point is not None and self._lines and round(point.x()) in self._sizes:
            position = self.getPlotItem().getViewBox().mapViewToScene(point)
            self._hover = QPointF(self.mapFromScene(position)), round(point.x())
        if before != self._hover:
            self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """Draw the plot, and the box of values at the pointer."""
        super().paintEvent(event)
        if self._hover is None:
            return
        at, size = self._hover
        painter = QPainter(self.viewport())
        entries = [(line.look, line.name, self._words(line.at(size))) for line in self._lines]
        title = self.tr("%s items") % size if size > 1 else self.tr("1 item")
        area = self.viewport().size()
        draw_hover_box(painter, self.themes.theme, at, area, title, entries)
        painter.end()

    def summary(self) -> str:
        """The picture in words, for screen readers."""
        return "; ".join(
            f"{line.name}: "
            + ", ".join(
                self.tr("size %s %s") % (size, self._words(value))
                for size, value in zip(line.sizes, line.values, strict=True)
            )
            for line in self._lines
        )

    def _table(self) -> Rows:
        head = [self.tr("size"), *(line.name for line in self._lines)]
        rows = [
            [str(size), *(f"{line.at(size):.6g}" for line in self._lines)] for size in self._sizes
        ]
        return [head, *rows]


def _marks(line: SizeLine) -> list[Marks]:
    """The line in pieces: it is broken where a number is not known."""
    x, y = np.array(line.sizes, float), np.array(line.values, float)
    known = np.isfinite(y)
    pieces = np.split(np.arange(len(x)), np.flatnonzero(np.diff(known.astype(int))) + 1)
    return [
        Marks(line.look, x[part], y[part], slice(None), joined=True)
        for part in pieces
        if len(part) and known[part[0]]
    ]
