"""Curves."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyqtgraph.functions import arrayToQPolygonF
from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent, QTransform

from ppworkbench.core.arrays import Numbers
from ppworkbench.gui.charts.axes import decade_ticks, number_ticks
from ppworkbench.gui.charts.chart import PixelItem, Plot, Rows, draw_hover_box
from ppworkbench.gui.charts.looks import draw_marker, is_series, look_colour, look_marker, look_pen
from ppworkbench.gui.numbers import number
from ppworkbench.gui.theme import Theme, ThemeManager, set_fill

_GROUND = 215
"""How much of a line still shines through the ground of words."""
_BETWEEN_MARKS = 16
"""Points of a curve from one mark to the next."""
_PADDING = 0.025
"""Room at both ends, so that the ring of the cursor is whole there."""


@dataclass(frozen=True, eq=False)
class Curve:
    """Values after iterations."""

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

    ``note`` marks an iteration of the first curve with words. ``levels`` are look, name and value
    of what is not iterated. Without a cursor nobody steps through the first curve. Other whole
    numbers than iterations, from ``first`` on, have a ``name``; ``height`` names the values. Such
    curves are marked, so that their legend can be read without colours.
    """

    curves: tuple[Curve, ...] = ()
    last: int = 1
    low: float = 0.0
    high: float = 1.0
    note: tuple[int, str] | None = None
    levels: tuple[tuple[str, str, float], ...] = ()
    has_cursor: bool = True
    first: int = 1
    name: str = ""
    height: str = ""

    @property
    def start(self) -> float:
        """The logarithm of the first iteration."""
        return math.log10(max(self.first, 1))

    @property
    def reach(self) -> float:
        """The logarithm of the last iteration."""
        return math.log10(max(self.last, 2))

    @property
    def x_range(self) -> tuple[float, float]:
        """The ends of the bottom axis."""
        room = _PADDING * (self.reach - self.start)
        return self.start - room, self.reach + room


class CurvesItem(PixelItem):
    """All curves of a plot as one item; a moved cursor only repaints."""

    def __init__(self, words: Callable[[float], str]) -> None:
        super().__init__()
        self._words = words
        self._shown = Curves()
        self._cursor = 0
        self._grid: tuple[float, ...] = ()
        self._theme: Theme | None = None
        self._to_device = QTransform()
        self._lines: list[tuple[Numbers, Numbers]] = []
        """Curves as they were drawn, in pixels."""

    def show_curves(self, curves: Curves, grid: tuple[float, ...], theme: Theme) -> None:
        """Draw other curves."""
        self._shown, self._grid, self._theme = curves, grid, theme
        left, right = curves.x_range
        self.cover(QRectF(left, curves.low, right - left, curves.high - curves.low))

    def set_cursor(self, iteration: int) -> None:
        """Draw the cursor elsewhere."""
        self._cursor = iteration
        self.update()

    def draw(self, painter: QPainter, to_device: QTransform) -> None:
        """Draw grid, levels and curves, then the cursor and the words."""
        theme, shown = self._theme, self._shown
        if theme is None or not (shown.curves or shown.levels):
            return
        self._to_device = to_device
        painter.setPen(QPen(theme.colour("grid"), 1))
        for value in self._grid:
            painter.drawLine(self._level(value))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for look, _, value in shown.levels:
            painter.setPen(look_pen(theme, look))
            painter.drawLine(self._level(value))
        self._lines = []
        for place, curve in reversed(tuple(enumerate(shown.curves))):
            self._draw_curve(painter, theme, curve)
            if shown.name:
                self._draw_marks(painter, theme, curve, place)
        if shown.curves and shown.has_cursor:
            painter.setPen(QPen(theme.colour("accentInk"), 1, Qt.PenStyle.DashLine))
            x = self._at(math.log10(max(self._cursor, 1)), 0).x()
            top, bottom = (self._at(0, y).y() for y in (shown.high, shown.low))
            painter.drawLine(QLineF(x, top, x, bottom))
        self._draw_words(painter, theme)

    def _at(self, x: float, y: float) -> QPointF:
        place: Any = self._to_device.map(float(x), float(y))  # a pair, which the stubs do not say
        return QPointF(*place)

    def _level(self, value: float) -> QLineF:
        left, right = (self._at(x, value) for x in (self._bounds.left(), self._bounds.right()))
        y = round(left.y()) + 0.5
        return QLineF(left.x(), y, right.x(), y)

    def _draw_curve(self, painter: QPainter, theme: Theme, curve: Curve) -> None:
        seen = curve.iterations >= 1
        if not seen.any():
            return
        x, y = np.log10(curve.iterations[seen]), curve.values[seen]
        # Something that ends early stays where it ended.
        x, y = np.append(x, max(self._shown.reach, x[-1])), np.append(y, y[-1])
        step = self._to_device
        across = x * step.m11() + step.dx()
        # Far below the plot a line needs no exact place, but numbers must stay drawable.
        down = np.clip(y * step.m22() + step.dy(), -1e5, 1e5)
        painter.setPen(look_pen(theme, curve.look))
        painter.drawPolyline(arrayToQPolygonF(across, down))
        self._lines.append((across, down))

    def _draw_marks(self, painter: QPainter, theme: Theme, curve: Curve, place: int) -> None:
        """Mark some points, of every curve others."""
        if not is_series(curve.look) or not self._lines:
            return
        across, down = self._lines[-1]
        ink, marker = look_colour(theme, curve.look), look_marker(curve.look)
        for point in range(2 + 2 * place, len(across) - 1, _BETWEEN_MARKS):
            at = QPointF(float(across[point]), float(down[point]))
            draw_marker(painter, marker, at, theme.stroke(3.5), ink)
        painter.setBrush(Qt.BrushStyle.NoBrush)

    # Words

    def _draw_words(self, painter: QPainter, theme: Theme) -> None:
        """Draw what is most important first; what would lie on other words is left out."""
        taken: list[QRectF] = []
        if self._shown.curves and self._shown.has_cursor:
            taken.append(self._draw_cursor(painter, theme))
        painter.setFont(theme.font("caption", "medium"))
        for look, name, value in self._shown.levels:
            painter.setPen(look_colour(theme, look))
            words = f"{name} {self._words(value)}"
            above = value < 0.85 * self._shown.high
            right = self._bounds.right()
            boxes = [
                self._box(painter, words, self._at(at, value), left=left, above=over)
                for over in ((above, not above) if above else (above,))
                for at, left in (
                    (self._shown.start, False),
                    (right, True),
                    (0.5 * right, True),
                    (0.5 * right, False),
                )
            ]
            # Colour still tells whose words they are where a curve runs along the line.
            boxes += [boxes[-1].translated(0, step) for step in (12, 24, 36)]
            self._write(painter, boxes, words, taken)
        self._draw_note(painter, theme, taken)

    def _draw_cursor(self, painter: QPainter, theme: Theme) -> QRectF:
        shown = self._shown
        value = shown.curves[0].at(self._cursor)
        x, y = math.log10(max(self._cursor, 1)), min(max(value, shown.low), shown.high)
        at = self._at(x, y)
        painter.setPen(QPen(theme.colour("accentInk"), 2))
        painter.setBrush(theme.colour("surface"))
        painter.drawEllipse(at, 4.5, 4.5)
        painter.setFont(theme.font("caption", "semibold"))
        left, above = self._free_side(x, y)
        words, taken = self._words(value), list[QRectF]()
        self._write(painter, self._boxes(painter, words, at, left=left, above=above), words, taken)
        return taken[0]

    def _free_side(self, x: float, y: float) -> tuple[bool, bool]:
        """Where words beside the cursor do not lie on its curve: left or right, over or under."""
        shown = self._shown
        after, before = (shown.curves[0].at(round(10**x * f)) for f in (1.25, 0.8))
        rises = after >= before
        above = y - shown.low < 0.86 * (shown.high - shown.low)
        left = rises == above
        if left and x < 0.2 * shown.reach:
            left, above = False, not rises
        elif not left and x > 0.8 * shown.reach:
            left = True
        return left, above

    def _draw_note(self, painter: QPainter, theme: Theme, taken: list[QRectF]) -> None:
        shown = self._shown
        if shown.note is None or not shown.curves:
            return
        iteration, words = shown.note
        x, y = math.log10(max(iteration, 1)), shown.curves[0].at(iteration)
        at = self._at(x, y)
        set_fill(painter, look_colour(theme, shown.curves[0].look))
        if iteration != self._cursor or not shown.has_cursor:
            painter.drawEllipse(at, 3.5, 3.5)
        painter.setFont(theme.font("caption"))
        painter.setPen(theme.role("reconstructed").text if not shown.name else theme.colour("text"))
        room_below = self._at(0, shown.low).y() - at.y()
        height = painter.fontMetrics().height() + 6
        left = x > shown.start + 0.6 * (shown.reach - shown.start)
        above = room_below < height
        self._write(painter, self._boxes(painter, words, at, left=left, above=above), words, taken)

    def _boxes(
        self, painter: QPainter, words: str, at: QPointF, *, left: bool, above: bool
    ) -> list[QRectF]:
        """Places for words about a point, the best first."""
        first = self._box(painter, words, at, left=left, above=above)
        other = self._box(painter, words, at, left=not left, above=above)
        over = self._box(painter, words, at - QPointF(0, 8), left=False, above=True)
        over.moveCenter(QPointF(at.x(), over.center().y()))
        higher = [over.translated(0, -step) for step in (0, 10, 20)]
        higher += [box.translated(0, -step) for step in (10, 20, 30) for box in (first, other)]
        below = [self._box(painter, words, at, left=side, above=False) for side in (left, not left)]
        corner = self._at(self._shown.start, self._shown.high)
        end = self._at(self._bounds.right(), self._shown.low)
        # Words below the axis would lie on its numbers.
        plot = QRectF(corner, end)
        return [first] + [box for box in (other, *higher, *below) if plot.contains(box)]

    def _box(
        self, painter: QPainter, words: str, at: QPointF, *, left: bool, above: bool
    ) -> QRectF:
        metrics = painter.fontMetrics()
        width, height = metrics.horizontalAdvance(words) + 4, metrics.height()
        x = at.x() - width - 5 if left else at.x() + 5
        y = at.y() - height - 4 if above else at.y() + 4
        corner = self._at(self._shown.start, self._shown.high)
        last = self._at(self._bounds.right(), 0).x() - width
        return QRectF(min(max(x, corner.x()), last), max(y, corner.y()), width, height)

    def _write(
        self, painter: QPainter, boxes: list[QRectF], words: str, taken: list[QRectF]
    ) -> None:
        """Write where no curve runs, else at the first place without words, if there is one."""
        open_ = [box for box in boxes if not any(box.intersects(other) for other in taken)]
        if not open_:
            return
        box = next(
            (box for box in open_ if not any(_runs(box, *line) for line in self._lines)), open_[0]
        )
        taken.append(box)
        self._put(painter, box, words)

    def _put(self, painter: QPainter, box: QRectF, words: str) -> None:
        """Write on a ground of its own, so that no line strikes the words out."""
        assert self._theme is not None  # noqa: S101 (nothing is drawn without one)
        ground = QColor(self._theme.colour("surface"))
        ground.setAlpha(_GROUND)
        painter.fillRect(box.adjusted(0, 1, 0, -1), ground)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, words)


def _runs(box: QRectF, across: Numbers, down: Numbers) -> bool:
    """Whether a line goes through a box."""
    ends = np.interp((box.left(), box.center().x(), box.right()), across, down)
    inside = down[(across >= box.left()) & (across <= box.right())]
    y = np.concatenate([ends, inside])
    return bool(y.max() >= box.top() and y.min() <= box.bottom())


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
        return QSize(220, 130)

    @property
    def shown(self) -> Curves:
        """What is drawn."""
        return self._shown

    def show_curves(self, curves: Curves) -> None:
        self._shown = curves
        self._redraw()
        self.tell_at_rest()

    def set_cursor(self, iteration: int) -> None:
        """Move the cursor without announcing it."""
        self._cursor = iteration
        self._item.set_cursor(iteration)

    def retheme(self) -> None:
        self._axes = ()
        self._redraw()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        if (self._shown.curves or self._shown.levels) and self._wanted_axes != self._axes:
            self._redraw()

    @property
    def _wanted_axes(self) -> tuple[float, ...]:
        """The ends of the axes, and how many ticks there is room for."""
        shown = self._shown
        lines = max(2, self.height() // 42)
        return shown.first, shown.last, shown.low, shown.high, len(shown.name), lines

    def _redraw(self) -> None:
        shown, axes = self._shown, self._wanted_axes
        ticks = number_ticks(shown.low, shown.high, int(axes[-1]))
        if axes != self._axes:
            self._axes = axes
            self.setXRange(*shown.x_range, padding=0.0)
            self.setYRange(shown.low, shown.high, padding=0.0)
            self.getAxis("left").setTicks([ticks])
            ticks_below = [one for one in decade_ticks(shown.last) if one[0] >= shown.start]
            self.getAxis("bottom").setTicks([ticks_below])
            self.label_axes(shown.name or self.tr("iteration (log scale)"), shown.height)
            size = self.themes.theme.font("caption").pixelSize()
            self.getAxis("bottom").setHeight(2 * size + 13)
        self._item.show_curves(shown, tuple(value for value, _ in ticks), self.themes.theme)

    # Pointer

    def _iteration_at(self, point: QPointF) -> int:
        return min(max(round(10 ** point.x()), self._shown.first), self._shown.last)

    def _on_hovered(self, point: QPointF | None) -> None:
        self._hover_at = None
        if point is not None and self._shown.curves:
            self._hover_iteration = self._iteration_at(point)
            position = self.getPlotItem().getViewBox().mapViewToScene(point)
            self._hover_at = QPointF(self.mapFromScene(position))
        self.viewport().update()

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        super().mousePressEvent(event)
        self._choose(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
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
        if self._shown.name:
            title = f"{self._shown.name}: {number(at)}"
        draw_hover_box(
            painter, self.themes.theme, self._hover_at, self.viewport().size(), title, entries
        )
        painter.end()

    # Words

    def summary(self) -> str:
        told = [f"{name} {self._words(value)}" for _, name, value in self._shown.levels]
        if self._shown.curves:
            curve = self._shown.curves[0]
            decades = (1, 10, 100, 1000, 10_000)
            points = [t for t in decades if self._shown.first <= t < self._shown.last]
            words = self.tr("iteration %s: %s")
            if self._shown.name:
                words = f"{self._shown.name.replace('%', '%%')} %s: %s"
            told[:0] = [
                words % (number(t), self._words(curve.at(t))) for t in (*points, self._shown.last)
            ]
        return ", ".join(told)

    def _table(self) -> Rows:
        curves = self._shown.curves
        kept = sorted({int(t) for curve in curves for t in curve.iterations})
        levels = self._shown.levels
        head = [
            self._shown.name or self.tr("iteration"),
            *(c.name for c in curves),
            *(name for _, name, _ in levels),
        ]
        rows = [
            [str(t), *(f"{c.at(t):.6g}" for c in curves), *(f"{v:.6g}" for _, _, v in levels)]
            for t in kept
        ]
        return [head, *rows]
