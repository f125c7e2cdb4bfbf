"""Two clouds of points with the line on which they ought to lie, as one item of a plot."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from pyqtgraph.functions import arrayToQPolygonF
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QTransform

from ppworkbench.gui.theme import Theme

Numbers = NDArray[np.float64]

_GRAIN = 2.0
"""Points nearer to each other than so many pixels are drawn as one: a picture of a hundred thousand
itemsets takes no longer than one of a thousand."""
_RADIUS = 3.4


class PointsItem(pg.GraphicsObject):
    """Draws in device coordinates, so that marks keep their shape."""

    def __init__(self) -> None:
        super().__init__()
        self._theme: Theme | None = None
        self._x, self._y, self._raw = np.empty(0), np.empty(0), np.empty(0)
        self._reach = 1.0
        self._grid: tuple[float, ...] = ()
        self._chosen: tuple[tuple[float, float, float, float], ...] = ()
        self.is_stale = False

    def show_points(
        self, x: Numbers, y: Numbers, raw: Numbers, reach: float, grid: tuple[float, ...]
    ) -> None:
        """Draw other points; ``raw`` may be empty."""
        self.prepareGeometryChange()
        self._x, self._y, self._raw = x, y, raw
        self._reach, self._grid = reach, grid
        self.update()

    def choose(self, chosen: tuple[tuple[float, float, float, float], ...]) -> None:
        """Bring some points to the front, each as x, y and the ends of its interval."""
        self._chosen = chosen
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self._theme = theme
        self.update()

    def boundingRect(self) -> QRectF:  # noqa: N802
        """The whole square."""
        return QRectF(0, 0, self._reach, self._reach)

    def paint(self, painter: QPainter, option: Any, widget: Any = None) -> None:  # noqa: ARG002
        """Grid and line first, then raw rings, then the estimates."""
        if self._theme is None:
            return
        device = painter.worldTransform()
        painter.save()
        painter.setWorldTransform(QTransform())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._draw_lines(painter, device)
        self._draw_raw(painter, device)
        self._draw_estimates(painter, device)
        for one in self._chosen:
            self._draw_chosen(painter, device, one)
        painter.restore()

    def draw_mark(self, painter: QPainter, role: str, at: QPointF) -> None:
        """Draw one mark of a role, for a legend."""
        is_ring = role == "distorted"
        painter.setPen(QPen(self._ink(role), 1.4) if is_ring else Qt.PenStyle.NoPen)
        painter.setBrush(Qt.BrushStyle.NoBrush if is_ring else self._ink(role))
        radius = _RADIUS - 0.6 if is_ring else _RADIUS
        painter.drawEllipse(at, radius, radius)

    def _ink(self, role: str) -> QColor:
        assert self._theme is not None  # noqa: S101 (seen by paint)
        return self._theme.colour("outline") if self.is_stale else self._theme.role(role).fill

    def _draw_lines(self, painter: QPainter, device: QTransform) -> None:
        assert self._theme is not None  # noqa: S101 (seen by paint)
        painter.setPen(QPen(self._theme.colour("grid"), 1))
        reach = self._reach
        for value in self._grid:
            for start, end in (((value, 0.0), (value, reach)), ((0.0, value), (reach, value))):
                painter.drawLine(QLineF(device.map(QPointF(*start)), device.map(QPointF(*end))))
        painter.setPen(QPen(self._theme.colour("outline"), 1.2))
        painter.drawLine(QLineF(device.map(QPointF(0, 0)), device.map(QPointF(reach, reach))))

    def _draw_raw(self, painter: QPainter, device: QTransform) -> None:
        if not len(self._raw):
            return
        painter.setPen(QPen(self._ink("distorted"), 1.4))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for x, y in thinned(self._x, self._raw, device).tolist():
            painter.drawEllipse(QPointF(x, y), _RADIUS - 0.6, _RADIUS - 0.6)

    def _draw_estimates(self, painter: QPainter, device: QTransform) -> None:
        assert self._theme is not None  # noqa: S101 (seen by paint)
        points = thinned(self._x, self._y, device)
        if not len(points):
            return
        shape = arrayToQPolygonF(points[:, 0], points[:, 1])
        # A rim of the ground keeps neighbours apart.
        for ink, width in ((self._theme.colour("surface"), 1.6), (self._ink("reconstructed"), 0.0)):
            pen = QPen(ink, 2 * _RADIUS + width)
            pen.setCapStyle(Qt.PenCapStyle.RoundCap)
            painter.setPen(pen)
            painter.drawPoints(shape)

    def _draw_chosen(
        self, painter: QPainter, device: QTransform, one: tuple[float, float, float, float]
    ) -> None:
        assert self._theme is not None  # noqa: S101 (seen by paint)
        x, y, low, high = one
        at = device.map(QPointF(x, y))
        painter.setPen(QPen(self._theme.colour("text"), 1.5))
        if np.isfinite(low) and np.isfinite(high):
            ends = [device.map(QPointF(x, min(max(v, 0.0), self._reach))).y() for v in (low, high)]
            painter.drawLine(QLineF(at.x(), ends[0], at.x(), ends[1]))
            for end in ends:
                painter.drawLine(QLineF(at.x() - 4, end, at.x() + 4, end))
        painter.setBrush(self._ink("reconstructed"))
        painter.drawEllipse(at, _RADIUS + 1.6, _RADIUS + 1.6)


def thinned(x: Numbers, y: Numbers, device: QTransform) -> Numbers:
    """Points in pixels, one of those that share a grain."""
    if not len(x):
        return np.empty((0, 2))
    across = x * device.m11() + device.dx()
    down = y * device.m22() + device.dy()
    if len(x) > 500:
        # Two whole numbers in one, since that is sorted ten times faster than pairs.
        key = np.round(across / _GRAIN).astype(np.int64) << 32
        key += np.round(down / _GRAIN).astype(np.int64)
        kept = np.unique(key, return_index=True)[1]
        across, down = across[kept], down[kept]
    return np.column_stack([across, down])
