"""Estimates of several algorithms as thin lines or as markers with whiskers, in one item."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from pyqtgraph.functions import arrayToQPolygonF
from PySide6.QtCore import QLineF, QPointF, QRectF
from PySide6.QtGui import QPainter, QPen, QTransform

from ppworkbench.gui.plots.pixel_item import PixelItem
from ppworkbench.gui.plots.series import draw_marker, look_colour, look_marker, look_pen
from ppworkbench.gui.theme import Theme

Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Marks:
    """Points of one algorithm; joined by a line, or with intervals where those are known.

    ``marked`` says which of the points carry the marker.
    """

    look: str
    x: Numbers
    y: Numbers
    marked: slice
    joined: bool
    low: Numbers | None = None
    high: Numbers | None = None


class EstimatesItem(PixelItem):
    """The estimates of all algorithms as one item."""

    def __init__(self) -> None:
        super().__init__()
        self._marks: tuple[Marks, ...] = ()
        self._theme: Theme | None = None
        self.setZValue(5)

    def set_marks(self, marks: Sequence[Marks], theme: Theme) -> None:
        """Draw other estimates."""
        self._marks, self._theme = tuple(marks), theme
        bounds = self._bounds
        if self._marks:
            left = min(float(m.x.min()) for m in self._marks) - 1
            right = max(float(m.x.max()) for m in self._marks) + 1
            top = max(float(np.max(m.y if m.high is None else m.high)) for m in self._marks)
            bounds = QRectF(left, 0, right - left, max(top, 1e-9))
        self.cover(bounds)

    def draw(self, painter: QPainter, to_device: QTransform) -> None:
        """Draw lines and whiskers first, then the markers over them."""
        if self._theme is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for marks in self._marks:
            x = marks.x * to_device.m11() + to_device.dx()
            y = marks.y * to_device.m22() + to_device.dy()
            if marks.joined:
                painter.setPen(look_pen(self._theme, marks.look))
                painter.drawPolyline(arrayToQPolygonF(x, y))
            elif marks.low is not None and marks.high is not None:
                low = marks.low * to_device.m22() + to_device.dy()
                high = marks.high * to_device.m22() + to_device.dy()
                self._draw_whiskers(painter, marks.look, x, low, high)
            ink, marker = look_colour(self._theme, marks.look), look_marker(marks.look)
            for place, height in zip(x[marks.marked], y[marks.marked], strict=True):
                draw_marker(painter, marker, QPointF(place, height), 3.6, ink)

    def _draw_whiskers(
        self, painter: QPainter, look: str, x: Numbers, low: Numbers, high: Numbers
    ) -> None:
        assert self._theme is not None  # noqa: S101 (seen by the caller)
        painter.setPen(QPen(look_colour(self._theme, look), self._theme.stroke(1.5)))
        lines = []
        for middle, bottom, top in zip(x.tolist(), low.tolist(), high.tolist(), strict=True):
            lines.append(QLineF(middle, top, middle, bottom))
            lines += [QLineF(middle - 3.5, end, middle + 3.5, end) for end in (top, bottom)]
        painter.drawLines(lines)
