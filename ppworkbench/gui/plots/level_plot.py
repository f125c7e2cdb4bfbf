"""Accuracy against privacy: curves with bands, references, and names at the ends of the lines."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QContextMenuEvent,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
)
from PySide6.QtWidgets import QMenu, QSizePolicy, QWidget

from ppworkbench.gui.plots.hover_box import draw_hover_box
from ppworkbench.gui.plots.level_data import LevelLine, LevelPoint, Levels, Reference
from ppworkbench.gui.plots.picture_files import Rows, add_picture_actions
from ppworkbench.gui.plots.series import draw_marker, look_colour, look_marker
from ppworkbench.gui.plots.ticks import number_ticks, short_number
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.words import number, percent

__all__ = ["LevelLine", "LevelPlot", "LevelPoint", "Levels", "Reference"]

_LEFT, _TOP, _BOTTOM = 46.0, 10.0, 44.0
_LABEL = 9.0
_MOST_RIGHT = 150.0


class LevelPlot(QWidget):
    """A click or the arrow keys choose a level."""

    level_chosen = Signal(float)

    def __init__(self, themes: ThemeManager, name: str) -> None:
        super().__init__()
        self.themes = themes
        self._shown = Levels()
        self._chosen: float | None = None
        self._focus: str | None = None
        self._hover: QPointF | None = None
        self._cursor: float | None = None
        self.axis_words = self.tr("range privacy: more private to the right")
        self.level_words = self.tr("range privacy %s\u202f%%")
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumHeight(150)
        themes.theme_changed.connect(self.update)

    def sizeHint(self) -> QSize:  # noqa: N802
        """As in the picture; it takes what room there is."""
        return QSize(560, 280)

    @property
    def shown(self) -> Levels:
        """What is drawn."""
        return self._shown

    def show_levels(self, levels: Levels) -> None:
        """Show other curves."""
        self._shown = levels
        self.setAccessibleDescription(self.summary())
        self.update()

    def choose(self, level: float | None, focus: str | None) -> None:
        """Mark the level and the line that tables speak of, without announcing it."""
        self._chosen, self._focus = level, focus
        self.update()

    def set_cursor(self, level: float | None) -> None:
        """Draw a dashed line at a level between the others; None for none."""
        if level != self._cursor:
            self._cursor = level
            self.update()

    # Geometry

    def _area(self) -> QRectF:
        metrics = QFontMetricsF(self.themes.theme.font("caption", "semibold"))
        names = [reference.name for reference in self._shown.references]
        if self._shown.levels:
            names += [line.name for line in self._shown.lines]
        widest = max((metrics.horizontalAdvance(name) for name in names), default=0.0)
        right = min(widest, self.themes.theme.px(_MOST_RIGHT)) + 2 * _LABEL
        left, bottom = self.themes.theme.px(_LEFT), self.themes.theme.px(_BOTTOM)
        width = max(self.width() - left - right, 40.0)
        return QRectF(left, _TOP, width, max(self.height() - _TOP - bottom, 40.0))

    def _x(self, area: QRectF, level: float, place: int = 0) -> float:
        levels = self._shown.levels
        if not levels:
            return area.left() + area.width() * (place + 0.5) / max(len(self._shown.lines), 1)
        span = levels[-1] - levels[0]
        if span <= 0:
            return area.center().x()
        return area.left() + area.width() * (level - levels[0]) / span

    def _y(self, area: QRectF, value: float) -> float:
        low, high = self._shown.y_range
        return area.bottom() - area.height() * (value - low) / (high - low)

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        """Draw everything."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._shown.is_empty:
            return
        if self._shown.is_stale:
            painter.setOpacity(0.55)
        area = self._area()
        self._draw_unfinished(painter, area)
        self._draw_axes(painter, area)
        labels = self._draw_references(painter, area)
        self._draw_cursor(painter, area)
        for place, line in enumerate(self._shown.lines):
            self._draw_band(painter, area, line)
            self._draw_line(painter, area, line, place)
            end = self._end(area, line)
            if end is not None and self._shown.levels:
                ink = look_colour(self.themes.theme, line.look)
                labels.append((end, line.name, ink, True))
        self._draw_labels(painter, area, labels)
        painter.setOpacity(1.0)
        if self.hasFocus():
            painter.setPen(QPen(self.themes.theme.colour("focus"), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 6, 6)
        self._draw_hover(painter, area)

    def _draw_unfinished(self, painter: QPainter, area: QRectF) -> None:
        levels, first = self._shown.levels, self._shown.unfinished
        if first is None or len(levels) < 2:
            return
        place = levels.index(first) if first in levels else 0
        start = self._x(area, first)
        if place:
            start = (start + self._x(area, levels[place - 1])) / 2
        box = QRectF(start, area.top(), area.right() - start, area.height())
        theme = self.themes.theme
        painter.fillRect(box, theme.colour("window"))
        brush = QBrush(theme.colour("border"), Qt.BrushStyle.BDiagPattern)
        painter.fillRect(box, brush)
        words = self.tr("still running")
        painter.setFont(theme.font("caption"))
        width = painter.fontMetrics().horizontalAdvance(words) + 14
        if box.width() > width:
            spot = QRectF(box.center().x() - width / 2, box.top() + box.height() * 0.68, width, 18)
            painter.fillRect(spot, theme.colour("surface"))
            painter.setPen(theme.colour("text2"))
            painter.drawText(spot, Qt.AlignmentFlag.AlignCenter, words)

    def _draw_axes(self, painter: QPainter, area: QRectF) -> None:
        theme = self.themes.theme
        painter.setFont(theme.font("caption"))
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        low, high = self._shown.y_range
        most = max(2, int(area.height() // theme.px(46)))
        for value, _ in number_ticks(100 * low, 100 * high, most):
            y = self._y(area, value / 100)
            painter.setPen(QPen(theme.colour("grid"), 1))
            painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
            painter.setPen(theme.colour("axis"))
            box = QRectF(0, y - 9, area.left() - 7, 18)
            painter.drawText(box, right, percent(value / 100))
        painter.setPen(QPen(theme.colour("axis"), 1))
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        words = self.axis_words
        if self._shown.levels:
            self._draw_level_ticks(painter, area)
        else:
            self._draw_names(painter, area)
            words = ""
        painter.setPen(theme.colour("text3"))
        below = QRectF(0, area.bottom() + theme.px(21), 2 * area.center().x(), theme.px(18))
        painter.drawText(below, Qt.AlignmentFlag.AlignCenter, words)

    def _draw_cursor(self, painter: QPainter, area: QRectF) -> None:
        levels, at = self._shown.levels, self._cursor
        if at is None or not levels or not levels[0] <= at <= levels[-1]:
            return
        x = self._x(area, at)
        pen = QPen(self.themes.theme.colour("accentInk"), 1.2, Qt.PenStyle.DashLine)
        painter.setPen(pen)
        painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))

    def _draw_level_ticks(self, painter: QPainter, area: QRectF) -> None:
        theme, free = self.themes.theme, -math.inf
        for level in self._shown.levels:
            x = self._x(area, level)
            words = f"{number(level, 0 if float(level).is_integer() else 1)}\u202f%"
            width = painter.fontMetrics().horizontalAdvance(words) + 8
            chosen = level == self._chosen
            if chosen:
                pen = QPen(theme.colour("outline"), 1, Qt.PenStyle.DotLine)
                painter.setPen(pen)
                painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
            if x - width / 2 < free:
                continue
            free = x + width / 2
            painter.setFont(theme.font("caption", "semibold" if chosen else "regular"))
            painter.setPen(theme.colour("text" if chosen else "axis"))
            box = QRectF(x - width / 2 - 4, area.bottom() + 4, width + 8, theme.px(16))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, words)
        painter.setFont(theme.font("caption"))

    def _draw_names(self, painter: QPainter, area: QRectF) -> None:
        theme = self.themes.theme
        painter.setPen(theme.colour("text2"))
        room = area.width() / max(len(self._shown.lines), 1) - 6
        for place, line in enumerate(self._shown.lines):
            x = self._x(area, 0.0, place)
            box = QRectF(x - room / 2, area.bottom() + 4, room, theme.px(32))
            flags = Qt.AlignmentFlag.AlignHCenter | Qt.TextFlag.TextWordWrap
            painter.drawText(box, int(flags), line.name)

    def _draw_references(
        self, painter: QPainter, area: QRectF
    ) -> list[tuple[QPointF, str, QColor, bool]]:
        theme, labels = self.themes.theme, []
        for reference in self._shown.references:
            y = self._y(area, reference.value)
            pen = QPen(theme.colour("text2"), 1.4)
            pen.setDashPattern([1.2, 2.6] if reference.dotted else [4.5, 3])
            painter.setPen(pen)
            painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
            labels.append((QPointF(area.right(), y), reference.name, theme.colour("text2"), False))
        return labels

    def _draw_band(self, painter: QPainter, area: QRectF, line: LevelLine) -> None:
        known = [p for p in line.points if math.isfinite(p.mean) and math.isfinite(p.sd)]
        if len(known) < 2 or not self._shown.levels:
            return
        upper = [QPointF(self._x(area, p.level), self._y(area, p.mean + p.sd)) for p in known]
        lower = [QPointF(self._x(area, p.level), self._y(area, p.mean - p.sd)) for p in known]
        tint = QColor(look_colour(self.themes.theme, line.look))
        tint.setAlpha(38 if line.key == self._focus else 20)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(tint)
        painter.save()
        painter.setClipRect(area)
        painter.drawPolygon(QPolygonF([*upper, *reversed(lower)]))
        painter.restore()

    def _draw_line(self, painter: QPainter, area: QRectF, line: LevelLine, place: int) -> None:
        ink = look_colour(self.themes.theme, line.look)
        focused = line.key == self._focus
        spots = []
        for point in line.points:
            if not math.isfinite(point.mean):
                continue
            spot = QPointF(self._x(area, point.level, place), self._y(area, point.mean))
            spots.append(spot)
            if math.isfinite(point.sd):
                painter.setPen(QPen(ink, 1.2))
                top, bottom = (self._y(area, point.mean + s * point.sd) for s in (1, -1))
                painter.drawLine(QPointF(spot.x(), top), QPointF(spot.x(), bottom))
        if self._shown.levels and len(spots) > 1:
            painter.setPen(QPen(ink, 2.4 if focused else 1.8))
            painter.drawPolyline(QPolygonF(spots))
        for spot in spots:
            draw_marker(painter, look_marker(line.look), spot, 5.0 if focused else 4.2, ink)

    def _end(self, area: QRectF, line: LevelLine) -> QPointF | None:
        known = [p for p in line.points if math.isfinite(p.mean)]
        if not known:
            return None
        return QPointF(self._x(area, known[-1].level), self._y(area, known[-1].mean))

    def _draw_labels(
        self,
        painter: QPainter,
        area: QRectF,
        labels: Sequence[tuple[QPointF, str, QColor, bool]],
    ) -> None:
        """Write names beside the ends of lines; those that would overlap move apart."""
        theme = self.themes.theme
        height = QFontMetricsF(theme.font("caption")).height() + 1
        columns: dict[float, list[tuple[float, str, QColor, bool]]] = {}
        for end, name, ink, strong in labels:
            columns.setdefault(round(end.x(), 1), []).append((end.y(), name, ink, strong))
        for x, found in columns.items():
            found.sort(key=lambda one: one[0])
            rows = _spread([y for y, _, _, _ in found], height, area.top(), area.bottom())
            for y, (_, name, ink, strong) in zip(rows, found, strict=True):
                font = theme.font("caption", "semibold" if strong else "regular")
                painter.setFont(font)
                painter.setPen(ink)
                room = max(self.width() - x - _LABEL - 2, 20.0)
                words = QFontMetricsF(font).elidedText(name, Qt.TextElideMode.ElideRight, room)
                box = QRectF(x + _LABEL, y - height / 2, room, height)
                painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, words)

    def _draw_hover(self, painter: QPainter, area: QRectF) -> None:
        at = self._hover
        if at is None or not area.adjusted(-10, -6, 10, 6).contains(at) or not self._shown.lines:
            return
        if self._shown.levels:
            level = self._nearest(area, at.x())
            title = self._title(level)
            points = [(line, line.at(level)) for line in self._shown.lines]
        else:
            title = self.tr("the design as it is")
            points = [(line, line.points[0] if line.points else None) for line in self._shown.lines]
        entries = [(line.look, line.name, _words(point)) for line, point in points]
        draw_hover_box(painter, self.themes.theme, at, self.size(), title, entries)

    def _title(self, level: float) -> str:
        return self.level_words % short_number(level)

    # Pointer and keys

    def _nearest(self, area: QRectF, x: float) -> float:
        return min(self._shown.levels, key=lambda level: abs(self._x(area, level) - x))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Show the values at the pointer."""
        self._hover = event.position()
        self.update()

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802
        """Forget the pointer."""
        super().leaveEvent(event)
        self._hover = None
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Choose the level under the pointer."""
        super().mousePressEvent(event)
        if event.button() == Qt.MouseButton.LeftButton and self._shown.levels:
            self.level_chosen.emit(self._nearest(self._area(), event.position().x()))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Go to the next or the last level."""
        levels = self._shown.levels
        steps = {Qt.Key.Key_Right: 1, Qt.Key.Key_Left: -1}
        if levels and event.key() in steps:
            place = levels.index(self._chosen) if self._chosen in levels else 0
            place = min(max(place + steps[Qt.Key(event.key())], 0), len(levels) - 1)
            self.level_chosen.emit(levels[place])
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802
        """Offer to copy or save the picture and its numbers."""
        menu = QMenu(self)
        add_picture_actions(menu, self, self.rows)
        menu.exec(event.globalPos())

    # Words

    def rows(self) -> Rows:
        """The numbers as a table."""
        levels = self._shown.levels or (None,)
        head = [self.tr("level"), self.tr("classifier"), self.tr("mean"), self.tr("sd")]
        rows = [
            ["" if level is None else f"{level:g}", line.name, f"{p.mean:.6g}", f"{p.sd:.6g}"]
            for level in levels
            for line in self._shown.lines
            for p in line.points
            if level is None or p.level == level
        ]
        rows += [["", one.name, f"{one.value:.6g}", ""] for one in self._shown.references]
        return [head, *rows]

    def summary(self) -> str:
        """The picture in words, for screen readers."""
        told = []
        for line in self._shown.lines:
            parts = [f"{short_number(p.level)}\u202f%: {_words(p)}" for p in line.points]
            told.append(f"{line.name}: {', '.join(parts)}")
        told += [f"{one.name}: {percent(one.value, 1)}" for one in self._shown.references]
        return "; ".join(told)


def _words(point: LevelPoint | None) -> str:
    if point is None or not math.isfinite(point.mean):
        return "–"
    spread = f" ± {number(100 * point.sd, 1)}" if math.isfinite(point.sd) else ""
    return f"{number(100 * point.mean, 1)}{spread}\u202f%"


def _spread(rows: Sequence[float], height: float, top: float, bottom: float) -> list[float]:
    """Places in their order, each at least one line from the next, as near as can be.

    >>> _spread([10.0, 12.0], 10.0, 0.0, 100.0)
    [6.0, 16.0]
    """
    groups: list[list[float]] = []
    for y in rows:
        groups.append([y, y, 1.0])
        # Each group is its middle, the sum of what its members wanted, and how many it has.
        while len(groups) > 1 and _overlap(groups[-2], groups[-1], height):
            last, before = groups.pop(), groups.pop()
            total, count = before[1] + last[1], before[2] + last[2]
            groups.append([total / count, total, count])
    found = []
    for middle, _, count in groups:
        half = (count - 1) * height / 2
        centre = min(max(middle, top + half), max(bottom - half, top + half))
        found += [centre - half + i * height for i in range(int(count))]
    return found


def _overlap(upper: Sequence[float], lower: Sequence[float], height: float) -> bool:
    return lower[0] - upper[0] < (upper[2] + lower[2]) / 2 * height
