"""Answers on a line with end stops, or on a ring: what the loop effect does."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent, QPen, QPixmap, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from ppworkbench.gui.pages.design.matrix_ink import short_probability
from ppworkbench.gui.theme import ThemeManager

Matrix = NDArray[np.float64]
_MOST = 12
_MOST_NODES = 400


class LoopDiagram(QWidget):
    """The selected true answer with its arrows; node fill is the probability of landing there."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._matrix: Matrix = np.eye(3)
        self._loop = False
        self._chosen = 0
        self._arrows = QPixmap()
        self._arrows_drawn_for: object = None
        self._nodes: dict[object, QPixmap] = {}
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(self.tr("Picture of the loop effect"))
        themes.theme_changed.connect(self._restyle)

    def _restyle(self) -> None:
        self._nodes.clear()
        self.update()

    def show_matrix(self, matrix: Matrix, loop: bool, chosen: int) -> None:
        """Draw another matrix."""
        self._matrix, self._loop = matrix, loop
        self._chosen = min(chosen, len(matrix) - 1)
        words = self.tr("on: the scale is a ring") if loop else self.tr("off: the scale has ends")
        self.setAccessibleDescription(words)
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        """The room beside the sliders."""
        return QSize(200, 108)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """As small as nodes can be told apart."""
        return QSize(150, 96)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        """Draw the line or the ring."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        k = len(self._matrix)
        if k > _MOST:
            painter.setPen(self._themes.theme.colour("text3"))
            message = self.tr("drawn for up to %s values") % _MOST
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, message)
            return
        places = self._ring(k) if self._loop else self._line(k)
        radius = self._radius(k)
        painter.drawPixmap(0, 0, self._arrows_layer(places, radius))
        for i, place in enumerate(places):
            self._node(painter, place, radius, i)
        self._numbers(painter, places, radius)

    def _arrows_layer(self, places: list[QPointF], radius: float) -> QPixmap:
        """Arrows and end stops; a drag changes only how full the nodes are."""
        theme, ratio, k = self._themes.theme, self.devicePixelRatioF(), len(places)
        moves = tuple((i, j) for i in range(k) for j in self._next_to(i, k) if self._matrix[j, i])
        drawn_for = theme, ratio, self.size(), k, self._loop, self._chosen, moves
        if drawn_for != self._arrows_drawn_for:
            self._arrows_drawn_for = drawn_for
            self._arrows = QPixmap(self.size() * ratio)
            self._arrows.setDevicePixelRatio(ratio)
            self._arrows.fill(Qt.GlobalColor.transparent)
            painter = QPainter(self._arrows)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            for i, j in moves:
                self._arrow(painter, places, i, j, radius)
            if not self._loop:
                self._end_stops(painter, places, radius)
            painter.end()
        return self._arrows

    def _next_to(self, i: int, k: int) -> list[int]:
        around = {(i - 1) % k, (i + 1) % k} if self._loop else {i - 1, i + 1}
        return sorted(j for j in around if 0 <= j < k and j != i)

    def _radius(self, k: int) -> float:
        if self._loop:
            return max(8.0, min(14.0, self.height() / (k + 3)))
        return max(7.0, min(14.0, self.width() / (3.1 * k)))

    def _line(self, k: int) -> list[QPointF]:
        radius = self._radius(k)
        room = self.width() - 2 * radius - 16
        y = self.height() * 0.58
        return [QPointF(radius + 8 + room * i / max(k - 1, 1), y) for i in range(k)]

    def _ring(self, k: int) -> list[QPointF]:
        radius = self._radius(k)
        centre = QPointF(self.width() / 2, self.height() / 2 + 4)
        reach_x = min(self.width() / 2 - radius - 34, self.height() * 0.75)
        reach_y = self.height() / 2 - radius - 8
        return [
            centre
            + QPointF(
                reach_x * math.sin(2 * math.pi * i / k), -reach_y * math.cos(2 * math.pi * i / k)
            )
            for i in range(k)
        ]

    def _node(self, painter: QPainter, place: QPointF, radius: float, i: int) -> None:
        value = round(float(self._matrix[i, self._chosen]), 3)
        chosen = i == self._chosen
        key = self.devicePixelRatioF(), radius, i, chosen, 1.0 if chosen else value
        if key not in self._nodes:
            if len(self._nodes) > _MOST_NODES:
                self._nodes.clear()
            self._nodes[key] = self._drawn_node(value, radius, i)
        reach = radius + 2
        painter.drawPixmap(place - QPointF(reach, reach), self._nodes[key])

    def _drawn_node(self, value: float, radius: float, i: int) -> QPixmap:
        theme, ratio = self._themes.theme, self.devicePixelRatioF()
        side = 2 * radius + 4
        picture = QPixmap(QSize(math.ceil(side * ratio), math.ceil(side * ratio)))
        picture.setDevicePixelRatio(ratio)
        picture.fill(Qt.GlobalColor.transparent)
        chosen = i == self._chosen
        fill = theme.colour("accent") if chosen else theme.heat_colour(value)
        painter = QPainter(picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme.colour("accent" if chosen else "outline"), 1.2))
        painter.setBrush(fill)
        painter.drawEllipse(QPointF(side / 2, side / 2), radius, radius)
        painter.setFont(theme.font("caption", "semibold"))
        dark = QColor(fill).lightnessF() < 0.55
        painter.setPen(QColor("#FFFFFF") if chosen or dark else QColor("#1B1F27"))
        painter.drawText(QRectF(0, 0, side, side), Qt.AlignmentFlag.AlignCenter, str(i + 1))
        painter.end()
        return picture

    def _arrow(
        self, painter: QPainter, places: list[QPointF], i: int, j: int, radius: float
    ) -> None:
        theme = self._themes.theme
        bold = i == self._chosen
        colour = theme.colour("accentInk" if bold else "outline")
        painter.setPen(QPen(colour, 2 if bold else 1.1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        start, end = places[i], places[j]
        along = end - start
        length = math.hypot(along.x(), along.y()) or 1.0
        unit = along / length
        # Arrows there and back bend to different sides.
        side = QPointF(unit.y(), -unit.x())
        bend = side * min(14.0, length * 0.42)
        tail, tip = (
            start + (unit * 0.55 + side * 0.85) * radius,
            end + (unit * -0.55 + side * 0.85) * radius,
        )
        middle = (start + end) / 2 + bend + side * radius * 0.7
        path = QPainterPath(tail)
        path.quadTo(middle, tip)
        painter.drawPath(path)
        direction = tip - middle
        size = math.hypot(direction.x(), direction.y()) or 1.0
        head = direction / size
        across = QPointF(head.y(), -head.x())
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawPolygon(
            QPolygonF([tip, tip - head * 6 + across * 3, tip - head * 6 - across * 3])
        )

    def _end_stops(self, painter: QPainter, places: list[QPointF], radius: float) -> None:
        painter.setPen(QPen(self._themes.theme.colour("text"), 2))
        for place, side in ((places[0], -1), (places[-1], 1)):
            x = place.x() + side * (radius + 5)
            painter.drawLine(QPointF(x, place.y() - radius), QPointF(x, place.y() + radius))

    def _numbers(self, painter: QPainter, places: list[QPointF], radius: float) -> None:
        theme = self._themes.theme
        painter.setFont(theme.font("caption", "semibold"))
        painter.setPen(theme.colour("accentInk"))
        metrics = painter.fontMetrics()
        k = len(places)
        stays = short_probability(self._matrix[self._chosen, self._chosen])
        if not self._loop or k <= 6:
            stays = self.tr("stays %s") % stays
        place = places[self._chosen]
        width = metrics.horizontalAdvance(stays)
        if self._loop:
            middle = QPointF(self.width() / 2 - width / 2, self.height() / 2 + 8)
            # The arrows of the ring pass behind it.
            top = middle.y() - metrics.ascent()
            ground = QRectF(middle.x() - 3, top, width + 6, metrics.height())
            painter.fillRect(ground, theme.colour("surface"))
            painter.drawText(middle, stays)
        else:
            x = min(max(place.x() - width / 2, 2), self.width() - width - 2)
            painter.drawText(QPointF(x, place.y() - radius - 30), stays)
        steps = (
            ((self._chosen + 1) % k, (self._chosen - 1) % k)
            if self._loop
            else (self._chosen + 1, self._chosen - 1)
        )
        for other in steps[:1] if not self._loop else steps:
            if not 0 <= other < k or other == self._chosen:
                continue
            value = float(self._matrix[other, self._chosen])
            if value <= 0:
                continue
            words = short_probability(value)
            if self._loop:
                away = places[other] - QPointF(self.width() / 2, self.height() / 2)
                size = math.hypot(away.x(), away.y()) or 1.0
                spot = places[other] + away / size * (radius + 14)
            else:
                spot = (places[other] + place) / 2 - QPointF(0, radius + 16)
            half = metrics.horizontalAdvance(words) / 2
            x = min(max(spot.x() - half, 0), self.width() - 2 * half)
            painter.drawText(QPointF(x, spot.y() + 4), words)
