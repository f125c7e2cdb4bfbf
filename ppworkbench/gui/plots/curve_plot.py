"""Curves over iterations on a logarithmic scale, with a cursor that all plots share."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPointF, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QResizeEvent

from ppworkbench.gui.plots.curves_item import Curve, Curves, CurvesItem
from ppworkbench.gui.plots.hover_box import draw_hover_box
from ppworkbench.gui.plots.plot import Plot, Rows
from ppworkbench.gui.plots.ticks import decade_ticks, number_ticks
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.words import number

__all__ = ["Curve", "CurvePlot", "Curves"]


class CurvePlot(Plot):
    """A click or a drag moves the cursor."""

    iteration_chosen = Signal(int)

    def __init__(self, themes: ThemeManager, name: str, words: Callable[[float], str]) -> None:
        self._shown = Curves()
        self._words = words
        self._cursor = 0
        self._item = CurvesItem(words)
        self._axes: tuple[object, ...] = ()
        self._hover_at: QPointF | None = None
        self._hover_iteration = 0
        super().__init__(themes, name)
        self.addItem(self._item)
        self.rows = self._table
        self.hovered.connect(self._on_hovered)
        for side in ("left", "bottom"):
            self.getAxis(side).setStyle(tickTextOffset=5, hideOverlappingLabels=False)
        self.getPlotItem().setContentsMargins(0, 0, 10, 0)

    def sizeHint(self) -> QSize:  # noqa: N802
        """Small; it takes what room there is."""
        return QSize(220, 130)

    @property
    def cursor_at(self) -> int:
        """The iteration at the cursor."""
        return self._cursor

    @property
    def shown(self) -> Curves:
        """What is drawn."""
        return self._shown

    def show_curves(self, curves: Curves) -> None:
        """Show other curves."""
        self._shown = curves
        self._redraw()
        self.tell_at_rest()

    def set_cursor(self, iteration: int) -> None:
        """Move the cursor without announcing it."""
        self._cursor = iteration
        self._item.set_cursor(iteration)

    def retheme(self) -> None:
        """Draw again in the new colours."""
        self._axes = ()
        self._redraw()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Choose ticks for the new size."""
        super().resizeEvent(event)
        if (self._shown.curves or self._shown.levels) and self._wanted_axes != self._axes:
            self._redraw()

    @property
    def _wanted_axes(self) -> tuple[float, ...]:
        """The ends of the axes, and how many ticks there is room for."""
        shown = self._shown
        return shown.last, shown.low, shown.high, max(2, self.height() // 42)

    def _redraw(self) -> None:
        shown, axes = self._shown, self._wanted_axes
        ticks = number_ticks(shown.low, shown.high, int(axes[-1]))
        if axes != self._axes:
            self._axes = axes
            self.setXRange(*shown.x_range, padding=0.0)
            self.setYRange(shown.low, shown.high, padding=0.0)
            self.getAxis("left").setTicks([ticks])
            self.getAxis("bottom").setTicks([decade_ticks(shown.last)])
            self.label_axes(bottom=self.tr("iteration (log scale)"))
            size = self.themes.theme.font("caption").pixelSize()
            self.getAxis("bottom").setHeight(2 * size + 13)
        self._item.show_curves(shown, tuple(value for value, _ in ticks), self.themes.theme)

    # Pointer

    def _iteration_at(self, point: QPointF) -> int:
        return min(max(round(10 ** point.x()), 1), self._shown.last)

    def _on_hovered(self, point: QPointF | None) -> None:
        self._hover_at = None
        if point is not None and self._shown.curves:
            self._hover_iteration = self._iteration_at(point)
            position = self.getPlotItem().getViewBox().mapViewToScene(point)
            self._hover_at = QPointF(self.mapFromScene(position))
        self.viewport().update()

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Bring the cursor to the pointer."""
        super().mousePressEvent(event)
        self._choose(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Drag the cursor."""
        super().mouseMoveEvent(event)
        self._choose(event)

    def _choose(self, event: QMouseEvent) -> None:
        if not self._shown.has_cursor or not event.buttons() & Qt.MouseButton.LeftButton:
            return
        box = self.getPlotItem().getViewBox()
        point = box.mapSceneToView(self.mapToScene(event.position().toPoint()))
        iteration = self._iteration_at(point)
        if iteration != self._cursor:
            self.iteration_chosen.emit(iteration)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """Draw the plot, and the box of values at the pointer."""
        super().paintEvent(event)
        if self._hover_at is None:
            return
        painter = QPainter(self.viewport())
        at = self._hover_iteration
        entries = [(c.look, c.name, self._words(c.at(at))) for c in self._shown.curves]
        entries += [(look, name, self._words(v)) for look, name, v in self._shown.levels]
        title = self.tr("iteration %s") % number(at)
        draw_hover_box(
            painter, self.themes.theme, self._hover_at, self.viewport().size(), title, entries
        )
        painter.end()

    # Words

    def summary(self) -> str:
        """The picture in words, for screen readers."""
        if not self._shown.curves:
            return ""
        curve = self._shown.curves[0]
        points = [t for t in (1, 10, 100, 1000, 10_000) if t < self._shown.last]
        return ", ".join(
            self.tr("iteration %s: %s") % (number(t), self._words(curve.at(t)))
            for t in (*points, self._shown.last)
        )

    def _table(self) -> Rows:
        curves = self._shown.curves
        kept = sorted({int(t) for curve in curves for t in curve.iterations})
        levels = self._shown.levels
        head = [self.tr("iteration"), *(c.name for c in curves), *(name for _, name, _ in levels)]
        rows = [
            [str(t), *(f"{c.at(t):.6g}" for c in curves), *(f"{v:.6g}" for _, _, v in levels)]
            for t in kept
        ]
        return [head, *rows]
