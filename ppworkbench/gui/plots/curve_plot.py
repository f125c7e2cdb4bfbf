"""Curves over iterations on a logarithmic scale, with a cursor that all plots share."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QPen

from ppworkbench.gui.plots.hover_box import draw_hover_box
from ppworkbench.gui.plots.plot import Plot, Rows
from ppworkbench.gui.plots.series import look_colour, look_pen
from ppworkbench.gui.plots.ticks import Ticks, decade_ticks, number_ticks
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.words import number

Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Curve:
    """Values after iterations; one that is not iterated is a level line."""

    look: str
    name: str
    iterations: NDArray[np.int64]
    values: Numbers

    def at(self, iteration: int) -> float:
        """The value after that iteration, between kept ones on the logarithmic scale."""
        kept = np.log1p(self.iterations)
        return float(np.interp(math.log1p(iteration), kept, self.values))


@dataclass(frozen=True, eq=False)
class Curves:
    """What the plot shows; the first curve is the one in focus.

    ``note`` marks an iteration of the first curve with words.
    """

    curves: tuple[Curve, ...] = ()
    last: int = 1
    low: float = 0.0
    high: float = 1.0
    note: tuple[int, str] | None = None
    levels: tuple[tuple[str, str, float], ...] = field(default=())
    """Look, name and value of what is not iterated."""


class CurvePlot(Plot):
    """A click or a drag moves the cursor."""

    iteration_chosen = Signal(int)

    def __init__(self, themes: ThemeManager, name: str, words: Callable[[float], str]) -> None:
        self._shown = Curves()
        self._words = words
        self._cursor = 0
        self._items: list[pg.GraphicsObject] = []
        self._note: pg.TextItem | None = None
        self._hover_at: QPointF | None = None
        self._hover_iteration = 0
        super().__init__(themes, name)
        self.rows = self._table
        self.hovered.connect(self._on_hovered)
        for side in ("left", "bottom"):
            self.getAxis(side).setStyle(tickTextOffset=5, hideOverlappingLabels=False)
        self._line = pg.InfiniteLine(0, angle=90)
        self._ring = pg.ScatterPlotItem(size=10)
        self._value = pg.TextItem(anchor=(0, 1))
        for item, z in ((self._line, 8), (self._ring, 10), (self._value, 9)):
            item.setZValue(z)
            self.addItem(item)
        self.retheme()

    def sizeHint(self) -> QSize:  # noqa: N802
        """Small; it takes what room there is."""
        return QSize(220, 130)

    @property
    def cursor(self) -> int:
        """The iteration at the cursor."""
        return self._cursor

    def show_curves(self, curves: Curves) -> None:
        """Show other curves."""
        self._shown = curves
        self._redraw()

    def set_cursor(self, iteration: int) -> None:
        """Move the cursor without announcing it."""
        self._cursor = iteration
        self._move_cursor()

    def retheme(self) -> None:
        """Draw again in the new colours."""
        if hasattr(self, "_line"):
            theme = self.themes.theme
            pen = QPen(theme.colour("accentInk"), 1, Qt.PenStyle.DashLine)
            pen.setCosmetic(True)
            self._line.setPen(pen)
            self._value.setColor(theme.colour("accentInk"))
            self._value.setFont(theme.font("caption", "semibold"))
            self._redraw()

    def _redraw(self) -> None:
        for item in self._items:
            self.removeItem(item)
        self._items, self._note = [], None
        shown = self._shown
        has_curves = bool(shown.curves)
        for item in (self._line, self._ring, self._value):
            item.setVisible(has_curves)
        if not has_curves and not shown.levels:
            return
        # A little room at the end, so that the ring of the cursor is whole there.
        self.setXRange(0.0, 1.025 * self._reach, padding=0.0)
        self.setYRange(shown.low, shown.high, padding=0.0)
        self.getAxis("bottom").setTicks([decade_ticks(shown.last)])
        self.label_axes(bottom=self.tr("iteration (log scale)"))
        self.getAxis("bottom").setHeight(2 * self.themes.theme.font("caption").pixelSize() + 13)
        self._draw_grid(number_ticks(shown.low, shown.high, max(2, self.height() // 42)))
        for look, name, value in shown.levels:
            self._draw_level(look, name, value)
        for curve in reversed(shown.curves):
            self._draw_curve(curve)
        self._draw_note()
        self._move_cursor()
        self.setAccessibleDescription(self._summary())

    def _add(self, item: pg.GraphicsObject, z: int) -> None:
        item.setZValue(z)
        self._items.append(item)
        self.addItem(item)

    def _draw_grid(self, ticks: Ticks) -> None:
        self.getAxis("left").setTicks([ticks])
        pen = QPen(self.themes.theme.colour("grid"), 1)
        pen.setCosmetic(True)
        for value, _ in ticks:
            self._add(pg.InfiniteLine(value, angle=0, pen=pen), -10)

    def _draw_curve(self, curve: Curve) -> None:
        theme = self.themes.theme
        seen = curve.iterations >= 1
        if not seen.any():
            return
        x, y = np.log10(curve.iterations[seen]), curve.values[seen]
        # Something that ends early stays where it ended.
        x, y = np.append(x, max(self._reach, x[-1])), np.append(y, y[-1])
        item = pg.PlotCurveItem(x, y, pen=look_pen(theme, curve.look), antialias=True)
        self._add(item, 5 if curve is self._shown.curves[0] else 3)

    def _draw_level(self, look: str, name: str, value: float) -> None:
        theme = self.themes.theme
        self._add(pg.InfiniteLine(value, angle=0, pen=look_pen(theme, look)), 2)
        below = value > 0.85 * self._shown.high
        words = pg.TextItem(
            f"{name} {self._words(value)}",
            color=look_colour(theme, look),
            anchor=(0, 0 if below else 1),
        )
        words.setFont(theme.font("caption", "medium"))
        words.setPos(0.02, value)
        self._add(words, 7)

    def _draw_note(self) -> None:
        if self._shown.note is None or not self._shown.curves:
            return
        theme = self.themes.theme
        iteration, words = self._shown.note
        curve = self._shown.curves[0]
        x, y = math.log10(max(iteration, 1)), curve.at(iteration)
        ink = theme.role("reconstructed").text
        dot = pg.ScatterPlotItem([x], [y], size=7, pen=None, brush=look_colour(theme, curve.look))
        self._add(dot, 6)
        right = x > 0.55 * self._reach
        span = self._shown.high - self._shown.low
        above = y - self._shown.low < 0.14 * span
        item = pg.TextItem(words, color=ink, anchor=(1 if right else 0, 1 if above else 0))
        item.setFont(theme.font("caption"))
        item.setPos(x, y)
        self._note = item
        self._add(item, 7)

    def _move_cursor(self) -> None:
        if not self._shown.curves:
            return
        x = math.log10(max(self._cursor, 1))
        value = self._shown.curves[0].at(self._cursor)
        self._line.setValue(x)
        y = min(max(value, self._shown.low), self._shown.high)
        theme = self.themes.theme
        pen = pg.mkPen(theme.colour("accentInk"), width=2)
        self._ring.setData([x], [y], symbol="o", pen=pen, brush=theme.colour("surface"))
        self._value.setText(self._words(value))
        self._value.setAnchor(self._free_side(x, y))
        self._value.setPos(x, y)
        if self._note is not None:
            # Two labels in one place cannot be read; the dot stays.
            self._note.setVisible(abs(self._note.pos().x() - x) > 0.24 * self._reach)

    @property
    def _reach(self) -> float:
        return math.log10(max(self._shown.last, 2))

    def _free_side(self, x: float, y: float) -> tuple[float, float]:
        """Where words beside the cursor do not lie on the curve: over its lower side, or under."""
        curve = self._shown.curves[0]
        after, before = (curve.at(round(10**x * f)) for f in (1.25, 0.8))
        rises = after >= before
        span = self._shown.high - self._shown.low
        above, below = -0.02, 1.1
        if y - self._shown.low > 0.86 * span:
            left, vertical = (not rises), above
        else:
            left, vertical = rises, below
        if left and x < 0.2 * self._reach:
            left, vertical = False, (above if rises else below)
        elif not left and x > 0.8 * self._reach:
            left = True
        return (1.12 if left else -0.12), vertical

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
        if not self._shown.curves or not event.buttons() & Qt.MouseButton.LeftButton:
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

    def _summary(self) -> str:
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
        head = [self.tr("iteration"), *(c.name for c in curves), *(n for _, n, _ in self._levels)]
        rows = [
            [str(t), *(f"{c.at(t):.6g}" for c in curves), *(f"{v:.6g}" for _, _, v in self._levels)]
            for t in kept
        ]
        return [head, *rows]

    @property
    def _levels(self) -> tuple[tuple[str, str, float], ...]:
        return self._shown.levels
