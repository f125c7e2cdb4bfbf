"""Curves over iterations, as a picture with a cursor that is dragged."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QResizeEvent

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.message import Message
from ppworkbench.gui.charts.legend import role_of
from ppworkbench.gui.charts.picture_chart import PictureChart
from ppworkbench.gui.charts.picture_shapes import thin_pen
from ppworkbench.gui.language import tr
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.results.picture import Axis, Mark, Picture, Role, Shape
from ppworkbench.results.sheet import Kind

_CURSOR = "cursor"
_PADDING = 0.025
"""Room at both ends, so that the ring of the cursor is whole there."""
_LINE, _WORDS = 0.14, 0.25
"""The parts of the height and of the width that words beside the cursor take."""


@dataclass(frozen=True, eq=False)
class Curve:
    look: str
    name: str
    iterations: NDArray[np.int64]
    values: Numbers

    def at(self, iterations: Any) -> Any:
        return np.interp(np.log1p(iterations), np.log1p(self.iterations), self.values)


@dataclass(frozen=True, eq=False)
class Curves:
    """What the plot shows; the first curve is the one in focus.

    ``note`` marks an iteration of the first curve with words. ``levels`` are look, name and value
    of what is not iterated. Without a cursor nobody steps through the first curve.
    """

    curves: tuple[Curve, ...] = ()
    last: int = 1
    low: float = 0.0
    high: float = 1.0
    note: tuple[int, str] | None = None
    levels: tuple[tuple[str, str, float], ...] = ()
    has_cursor: bool = True


def curves_picture(title: str, shown: Curves) -> Picture:
    """Curves at everything that any of them keeps: one that ends early stays where it ended."""
    end = math.log10(max(shown.last, 2))
    across = Axis(
        Message(tr("iteration")), tr("log scale"), low=10 ** (-_PADDING * end),
        high=10 ** ((1 + _PADDING) * end), is_log=True, kind=Kind.COUNT,
    )  # fmt: skip
    up = Axis(Message(""), low=shown.low, high=shown.high)
    kept = np.unique(np.concatenate([np.zeros(0), *(one.iterations for one in shown.curves)]))
    marks = [
        _mark(Shape.LINE, one.look, one.name, kept, one.at(kept).astype(np.float64))
        for one in shown.curves
    ]
    nowhere = np.full(1, np.nan)
    marks += [
        _mark(Shape.RULE, look, name, nowhere, np.full(1, value))
        for look, name, value in shown.levels
    ]
    if shown.note is not None and shown.curves:
        focus, at = shown.curves[0], np.full(1, float(shown.note[0]))
        marks.append(_mark(Shape.POINTS, focus.look, "", at, focus.at(at), (shown.note[1],)))
    handles = (_CURSOR,) if shown.has_cursor and shown.curves else ()
    if handles:
        marks.append(Mark(Shape.RULE, Role.REFERENCE, Message(_CURSOR), np.ones(1), nowhere))
    return Picture("curves", Message(title), across, up, tuple(marks), handles=handles)


def _with_heading(picture: Picture) -> Picture:
    """The title names the numbers, as it does above the chart."""
    return replace(picture, y=replace(picture.y, title=picture.title))


def _mark(
    shape: Shape, look: str, name: str, x: Numbers, y: Numbers, words: tuple[str, ...] = ()
) -> Mark:
    role, series = role_of(look)
    return Mark(shape, role, Message(name), x, y, words=words, series=series)


class CurvePlot(PictureChart):
    """A click, a drag or a key moves the cursor, which tells the value of the first curve."""

    iteration_chosen = Signal(int)

    def __init__(self, themes: ThemeManager, name: str, words: Callable[[float], str]) -> None:
        self.shown = Curves()
        self._words = words
        self._cursor = 0
        super().__init__(themes, name, size=(220, 130), least=(120, 80))
        self.on_paper = _with_heading
        self.dragged.connect(self._on_dragged)

    def show_curves(self, curves: Curves) -> None:
        self.shown = curves
        picture = curves_picture(self.accessibleName(), curves)
        self.set_picture(picture if curves.curves or curves.levels else None, self._words)

    def set_cursor(self, iteration: int) -> None:
        self._cursor = iteration
        if not self.handles:
            return
        at, value = max(iteration, 1), float(self.shown.curves[0].at(iteration))
        y = min(max(value, self.shown.low), self.shown.high)
        self.move_handle(_CURSOR, at)
        self._ring.setData([math.log10(at)], [y])
        self._value.setText(self._words(value))
        self._value.setAnchor(self._anchor(math.log10(at), y))
        self._value.setPos(math.log10(at), y)

    def draw_marks(self, picture: Picture, opacity: float) -> None:
        """Draw the cursor as a thin line whose knob is a ring on its curve, with the value."""
        super().draw_marks(picture, opacity)
        if not picture.handles:
            return
        theme, rule = self.themes.theme, self.handles[_CURSOR]
        ink, ground = theme.colour("accentInk"), QColor(theme.colour("surface"))
        rule.clearMarkers()
        rule.setPen(thin_pen(ink, 1.0, Qt.PenStyle.DashLine))
        ring = {"size": 10, "pen": thin_pen(ink, 2.0), "brush": QColor(ground)}
        ground.setAlpha(215)
        self._ring, self._value = pg.ScatterPlotItem(**ring), pg.TextItem("", ink, fill=ground)
        self._value.setFont(theme.font("caption", "semibold"))
        self.put(self._ring, 10)
        self.put(self._value, 11)
        self.set_cursor(self._cursor)

    def _anchor(self, x: float, y: float) -> tuple[float, float]:
        """Where words beside the cursor lie neither on its curve nor on other words."""
        shown, reach = self.shown, math.log10(max(self.shown.last, 2))
        line = _LINE * (shown.high - shown.low)
        before, after = (shown.curves[0].at(f * 10**x) for f in (0.8, 1.25))
        over = [value for *_, value in shown.levels if value >= y]
        is_noted = (
            shown.note is not None and abs(math.log10(shown.note[0] or 1) - x) < _WORDS * reach
        )
        if is_noted and y - shown.low < line:
            # The words about the minimum stand above it, too.
            over.append(y)
        rises, has_room = bool(after >= before), min([*over, shown.high]) - y > line
        left, above = rises == has_room, has_room
        if left and x < 0.2 * reach:
            left, above = False, has_room and not rises
        elif not left and x > 0.8 * reach:
            left = True
        upright = 1.0 if above else 0.5 if y - shown.low < line else 0.0
        return 1.08 if left else -0.08, upright

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Place the names of levels anew for the room that there is."""
        super().resizeEvent(event)
        if event is not None and self.getPlotItem() is not None and self.shown.levels:
            self._redraw()

    def _on_dragged(self, _: str, value: float) -> None:
        iteration, before = max(round(value), 1), self._cursor
        self.set_cursor(iteration)
        if iteration != before:
            self.iteration_chosen.emit(iteration)
