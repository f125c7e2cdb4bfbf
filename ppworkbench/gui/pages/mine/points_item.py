"""Two clouds of points with the line on which they ought to lie, as one item of a plot."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPixmap, QTransform

from ppworkbench.gui.plots.pixel_item import PixelItem
from ppworkbench.gui.theme import Theme

Numbers = NDArray[np.float64]

_GRAIN = 3.0
"""Points nearer to each other than so many pixels are drawn as one: a picture of a hundred thousand
itemsets takes no longer than one of a thousand."""
_RADIUS = 3.4
_FEW = 600
"""So many marks are drawn in a moment."""


class PointsItem(PixelItem):
    """All points of a plot as one item."""

    def __init__(self) -> None:
        super().__init__()
        self._theme: Theme | None = None
        self._x, self._y, self._raw = np.empty(0), np.empty(0), np.empty(0)
        self._reach = 1.0
        self._bounds = QRectF(0, 0, 1, 1)
        self._grid: tuple[float, ...] = ()
        self._chosen: tuple[tuple[float, float, float, float], ...] = ()
        self._picture: tuple[tuple[Any, ...], QPixmap] | None = None
        self.is_stale = False

    def show_points(
        self, x: Numbers, y: Numbers, raw: Numbers, reach: float, grid: tuple[float, ...]
    ) -> None:
        """Draw other points; ``raw`` may be empty."""
        self._x, self._y, self._raw = x, y, raw
        self._reach, self._grid = reach, grid
        self._picture = None
        self.cover(QRectF(0, 0, reach, reach))

    def choose(self, chosen: tuple[tuple[float, float, float, float], ...]) -> None:
        """Bring some points to the front, each as x, y and the ends of its interval."""
        self._chosen = chosen
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self._theme = theme
        self._picture = None
        self.update()

    def draw(self, painter: QPainter, to_device: QTransform) -> None:
        """Grid and line first, then raw rings, then the estimates."""
        if self._theme is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._draw_lines(painter, to_device)
        self._draw_cloud(painter, to_device)
        for one in self._chosen:
            self._draw_chosen(painter, to_device, one)

    def _draw_cloud(self, painter: QPainter, device: QTransform) -> None:
        """All points; many of them are drawn once and kept as a picture."""
        if len(self._x) < _FEW:
            self._draw_raw(painter, device)
            self._draw_estimates(painter, device)
            return
        ratio = painter.device().devicePixelRatioF()
        area = device.mapRect(self.boundingRect()).adjusted(-8, -8, 8, 8).toAlignedRect()
        key = (device.m11(), device.m22(), device.dx(), device.dy(), ratio, self.is_stale)
        if self._picture is None or self._picture[0] != key:
            picture = QPixmap(area.size() * ratio)
            picture.setDevicePixelRatio(ratio)
            picture.fill(Qt.GlobalColor.transparent)
            inner = QPainter(picture)
            inner.setRenderHint(QPainter.RenderHint.Antialiasing)
            inner.translate(-area.topLeft())
            self._draw_raw(inner, device)
            self._draw_estimates(inner, device)
            inner.end()
            self._picture = key, picture
        painter.drawPixmap(area.topLeft(), self._picture[1])

    def draw_mark(self, painter: QPainter, role: str, at: QPointF, *, rimmed: bool = False) -> None:
        """Draw one mark of a role; a rim of the ground keeps neighbours apart."""
        assert self._theme is not None  # noqa: S101 (there are marks)
        if role == "distorted":
            painter.setPen(QPen(self._ink(role), 1.4))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(at, _RADIUS - 0.6, _RADIUS - 0.6)
            return
        rim = QPen(self._theme.colour("surface"), 0.8)
        painter.setPen(rim if rimmed else Qt.PenStyle.NoPen)
        painter.setBrush(self._ink(role))
        painter.drawEllipse(at, _RADIUS + 0.2, _RADIUS + 0.2)

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
        if len(self._raw):
            self._draw_marks(painter, "distorted", thinned(self._x, self._raw, device))

    def _draw_estimates(self, painter: QPainter, device: QTransform) -> None:
        self._draw_marks(painter, "reconstructed", thinned(self._x, self._y, device))

    def _draw_marks(self, painter: QPainter, role: str, points: Numbers) -> None:
        if len(points) < _FEW:
            for x, y in points.tolist():
                self.draw_mark(painter, role, QPointF(x, y), rimmed=True)
            return
        # A picture of a mark is put down ten times faster than a circle is drawn.
        ratio = painter.device().devicePixelRatioF()
        side = 2 * _RADIUS + 4
        stamp = QPixmap(round(side * ratio), round(side * ratio))
        stamp.setDevicePixelRatio(ratio)
        stamp.fill(Qt.GlobalColor.transparent)
        inner = QPainter(stamp)
        inner.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.draw_mark(inner, role, QPointF(side / 2, side / 2), rimmed=True)
        inner.end()
        for x, y in (points - side / 2).tolist():
            painter.drawPixmap(QPointF(x, y), stamp)

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
    if len(x) >= _FEW:
        # Cells are marked on a grid, which is ten times faster than to sort the points.
        columns = np.round((across - across.min()) / _GRAIN).astype(np.intp)
        rows = np.round((down - down.min()) / _GRAIN).astype(np.intp)
        wide = int(columns.max()) + 1
        marked = np.zeros((int(rows.max()) + 1) * wide, bool)
        marked[rows * wide + columns] = True
        cells = np.flatnonzero(marked)
        across = across.min() + _GRAIN * (cells % wide)
        down = down.min() + _GRAIN * (cells // wide)
    return np.column_stack([across, down])
