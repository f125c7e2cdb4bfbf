"""Draws the parts of a plot of accuracy against privacy."""

from __future__ import annotations

import math
from collections.abc import Callable

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen, QPolygonF

from ppworkbench.gui.language.text import tr
from ppworkbench.gui.plots.level_data import LevelLine
from ppworkbench.gui.plots.level_ground import LevelGround
from ppworkbench.gui.plots.level_labels import EndLabel
from ppworkbench.gui.plots.series import draw_marker, look_colour, look_marker
from ppworkbench.gui.plots.ticks import number_ticks
from ppworkbench.gui.theme import Theme
from ppworkbench.gui.words import percent


class LevelInk:
    """One painting of a plot; what is painted later lies over what was painted before."""

    def __init__(self, painter: QPainter, theme: Theme, ground: LevelGround) -> None:
        self._painter = painter
        self._theme = theme
        self._ground = ground
        self._shown = ground.shown

    def unfinished(self) -> None:
        """Hatch the levels that are still worked on."""
        painter, theme, area = self._painter, self._theme, self._ground.area
        levels, first = self._shown.levels, self._shown.unfinished
        if first is None or len(levels) < 2:
            return
        place = levels.index(first) if first in levels else 0
        start = self._ground.x(first)
        if place:
            start = (start + self._ground.x(levels[place - 1])) / 2
        box = QRectF(start, area.top(), area.right() - start, area.height())
        painter.fillRect(box, theme.colour("window"))
        painter.fillRect(box, QBrush(theme.colour("border"), Qt.BrushStyle.BDiagPattern))
        words = tr("still running")
        painter.setFont(theme.font("caption"))
        width = painter.fontMetrics().horizontalAdvance(words) + 14
        if box.width() > width:
            spot = QRectF(box.center().x() - width / 2, box.top() + box.height() * 0.68, width, 18)
            painter.fillRect(spot, theme.colour("surface"))
            painter.setPen(theme.colour("text2"))
            painter.drawText(spot, Qt.AlignmentFlag.AlignCenter, words)

    def shares(self) -> None:
        """The axis on the left with its lines, and the ground line."""
        painter, theme, area = self._painter, self._theme, self._ground.area
        painter.setFont(theme.font("caption"))
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        low, high = self._shown.y_range
        most = max(2, int(area.height() // theme.px(46)))
        for value, _ in number_ticks(100 * low, 100 * high, most):
            y = self._ground.y(value / 100)
            painter.setPen(QPen(theme.colour("grid"), 1))
            painter.drawLine(*self._ground.across(y))
            painter.setPen(theme.colour("axis"))
            painter.drawText(QRectF(0, y - 9, area.left() - 7, 18), right, percent(value / 100))
        painter.setPen(QPen(theme.colour("axis"), 1))
        painter.drawLine(area.bottomLeft(), area.bottomRight())

    def levels(self, chosen: float | None, words_of: Callable[[float], str], axis: str) -> None:
        """The bottom axis: levels as far as they have room, and what they are."""
        painter, theme, area = self._painter, self._theme, self._ground.area
        free = -math.inf
        for level in self._shown.levels:
            x, words = self._ground.x(level), words_of(level)
            width = painter.fontMetrics().horizontalAdvance(words) + 8
            if level == chosen:
                painter.setPen(QPen(theme.colour("outline"), 1, Qt.PenStyle.DotLine))
                painter.drawLine(*self._ground.upright(x))
            if x - width / 2 < free:
                continue
            free = x + width / 2
            painter.setFont(theme.font("caption", "semibold" if level == chosen else "regular"))
            painter.setPen(theme.colour("text" if level == chosen else "axis"))
            box = QRectF(x - width / 2 - 4, area.bottom() + 4, width + 8, theme.px(16))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, words)
        painter.setFont(theme.font("caption"))
        painter.setPen(theme.colour("text3"))
        below = QRectF(0, area.bottom() + theme.px(21), 2 * area.center().x(), theme.px(18))
        painter.drawText(below, Qt.AlignmentFlag.AlignCenter, axis)

    def names(self) -> None:
        """The names of lines that stand side by side, each over its own."""
        area, lines = self._ground.area, self._shown.lines
        self._painter.setPen(self._theme.colour("text2"))
        room = area.width() / max(len(lines), 1) - 6
        flags = Qt.AlignmentFlag.AlignHCenter | Qt.TextFlag.TextWordWrap
        for place, line in enumerate(lines):
            x = self._ground.x(0.0, place)
            box = QRectF(x - room / 2, area.bottom() + 4, room, self._theme.px(32))
            self._painter.drawText(box, int(flags), line.name)

    def references(self) -> list[EndLabel]:
        """Levels of comparison, dashed or dotted; gives their names."""
        ink, labels = self._theme.colour("text2"), []
        for reference in self._shown.references:
            ends = self._ground.across(self._ground.y(reference.value))
            pen = QPen(ink, 1.4)
            pen.setDashPattern([1.2, 2.6] if reference.dotted else [4.5, 3])
            self._painter.setPen(pen)
            self._painter.drawLine(*ends)
            labels.append(EndLabel(ends[1], reference.name, ink))
        return labels

    def cursor(self, level: float | None) -> None:
        """A dashed line at a level between the others."""
        levels = self._shown.levels
        if level is not None and levels and levels[0] <= level <= levels[-1]:
            self._painter.setPen(QPen(self._theme.colour("accentInk"), 1.2, Qt.PenStyle.DashLine))
            self._painter.drawLine(*self._ground.upright(self._ground.x(level)))

    def band(self, line: LevelLine, *, focused: bool) -> None:
        """One standard deviation around a curve."""
        known = [p for p in line.points if math.isfinite(p.mean) and math.isfinite(p.sd)]
        if len(known) < 2 or not self._shown.levels:
            return
        upper = [self._ground.at(p.level, p.mean + p.sd) for p in known]
        lower = [self._ground.at(p.level, p.mean - p.sd) for p in known]
        tint = QColor(look_colour(self._theme, line.look))
        tint.setAlpha(38 if focused else 20)
        painter = self._painter
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(tint)
        painter.save()
        painter.setClipRect(self._ground.area)
        painter.drawPolygon(QPolygonF([*upper, *reversed(lower)]))
        painter.restore()

    def line(self, line: LevelLine, place: int, *, focused: bool) -> None:
        """A curve with its whiskers and marks."""
        painter, ink = self._painter, look_colour(self._theme, line.look)
        spots = []
        for point in line.points:
            if not math.isfinite(point.mean):
                continue
            spot = self._ground.at(point.level, point.mean, place)
            spots.append(spot)
            if math.isfinite(point.sd):
                painter.setPen(QPen(ink, 1.2))
                ends = (self._ground.y(point.mean + sign * point.sd) for sign in (1, -1))
                painter.drawLine(*(QPointF(spot.x(), y) for y in ends))
        if self._shown.levels and len(spots) > 1:
            painter.setPen(QPen(ink, 2.4 if focused else 1.8))
            painter.drawPolyline(QPolygonF(spots))
        for spot in spots:
            draw_marker(painter, look_marker(line.look), spot, 5.0 if focused else 4.2, ink)
