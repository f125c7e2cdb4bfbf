"""A stepped area and lines over a numeric axis, with bands, as one item."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from pyqtgraph.functions import arrayToQPolygonF
from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen, QPolygonF, QTransform

from ppworkbench.gui.plots.pixel_item import PixelItem

Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Density:
    """One curve: points, a pen, and perhaps a filled ground or a band around it."""

    x: Numbers
    y: Numbers
    pen: QPen
    ground: QColor | None = None
    low: Numbers | None = None
    high: Numbers | None = None
    band: QColor | None = None


class DensityItem(PixelItem):
    """All curves of a plot as one item."""

    def __init__(self) -> None:
        super().__init__()
        self._curves: tuple[Density, ...] = ()
        self._lines: tuple[float, ...] = ()
        self._line_pen = QPen()

    def set_curves(
        self, curves: Sequence[Density], lines: Sequence[float] = (), line_pen: QPen | None = None
    ) -> None:
        """Draw other curves, and vertical lines at the ends of the domain."""
        self._curves, self._lines = tuple(curves), tuple(lines)
        self._line_pen = line_pen or QPen()
        bounds = self._bounds
        if self._curves:
            left = min(float(c.x[0]) for c in self._curves)
            right = max(float(c.x[-1]) for c in self._curves)
            top = max(float(np.max(c.y if c.high is None else c.high)) for c in self._curves)
            bounds = QRectF(left, 0, max(right - left, 1e-12), max(top, 1e-9))
        self.cover(bounds)

    def draw(self, painter: QPainter, to_device: QTransform) -> None:
        """Draw grounds and bands first, then the lines over them."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for curve in self._curves:
            if curve.band is not None and curve.low is not None and curve.high is not None:
                x = np.concatenate([curve.x, curve.x[::-1]])
                y = np.concatenate([curve.high, curve.low[::-1]])
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(QBrush(curve.band))
                painter.drawPolygon(_mapped(to_device, x, y))
        for curve in self._curves:
            points = _mapped(to_device, curve.x, curve.y)
            if curve.ground is not None:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(QBrush(curve.ground))
                painter.drawPolygon(points)
            painter.setPen(curve.pen)
            painter.drawPolyline(points)
        self._draw_lines(painter, to_device)

    def _draw_lines(self, painter: QPainter, to_device: QTransform) -> None:
        if not self._lines:
            return
        box = self.getViewBox().viewRect()
        painter.setPen(self._line_pen)
        for place in self._lines:
            x, top = to_device.map(place, box.bottom())
            _, bottom = to_device.map(place, box.top())
            painter.drawLine(QLineF(x, top, x, bottom))


def _mapped(to_device: QTransform, x: Numbers, y: Numbers) -> QPolygonF:
    across = x * to_device.m11() + to_device.dx()
    down = y * to_device.m22() + to_device.dy()
    return arrayToQPolygonF(across, down)
