"""Measures on a scale with levels."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QContextMenuEvent,
    QFont,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from ppworkbench.gui.charts.axes import number_ticks, short_number
from ppworkbench.gui.charts.chart import draw_hover_box
from ppworkbench.gui.charts.chart_export import Rows, picture_menu
from ppworkbench.gui.charts.looks import draw_marker, look_colour, look_marker
from ppworkbench.gui.dialogs import show_menu
from ppworkbench.gui.language import tr
from ppworkbench.gui.numbers import number, percent
from ppworkbench.gui.theme import Theme, ThemeManager, set_fill, set_outline, smooth_painter


@dataclass(frozen=True)
class LevelPoint:
    """A mean with its standard deviation at one level; NaN where there is none."""

    level: float
    mean: float
    sd: float = math.nan


@dataclass(frozen=True)
class LevelLine:
    """One curve; ``look`` is one of the series."""

    key: str
    name: str
    look: str
    points: tuple[LevelPoint, ...]

    def at(self, level: float) -> LevelPoint | None:
        return next((point for point in self.points if point.level == level), None)


@dataclass(frozen=True)
class Reference:
    """A level of comparison that does not depend on privacy."""

    name: str
    value: float
    dotted: bool = False


@dataclass(frozen=True)
class Levels:
    """Everything the plot draws.

    Parameters
    ----------
    levels
        All levels, also those without results yet; none when nothing is swept: then the lines have
        one point each, drawn side by side.
    unfinished
        The first level that has no complete set of points yet; None when all have.
    """

    lines: tuple[LevelLine, ...] = ()
    references: tuple[Reference, ...] = ()
    levels: tuple[float, ...] = ()
    unfinished: float | None = None
    is_stale: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to draw."""
        return not any(line.points for line in self.lines) and not self.references

    @property
    def y_range(self) -> tuple[float, float]:
        """From a bit below everything to a bit above it, in steps of five in a hundred."""
        values = [reference.value for reference in self.references]
        for line in self.lines:
            for point in line.points:
                sd = 0.0 if math.isnan(point.sd) else point.sd
                values += [point.mean - sd, point.mean + sd]
        values = [value for value in values if math.isfinite(value)]
        if not values:
            return 0.0, 1.0
        low = math.floor((min(values) - 0.01) * 20) / 20
        high = math.ceil((max(values) + 0.01) * 20) / 20
        return max(low, 0.0), min(max(high, low + 0.1), 1.0 if max(values) <= 1 else high)


@dataclass(frozen=True)
class PlotArea:
    """The area of the curves; where it is bounded, a whisker ends where the axis does."""

    area: QRectF
    shown: Levels
    is_bounded: bool = False

    def x(self, level: float, place: int = 0) -> float:
        """Where a level lies; without levels, where the line of that place stands."""
        area, levels = self.area, self.shown.levels
        if not levels:
            return area.left() + area.width() * (place + 0.5) / max(len(self.shown.lines), 1)
        span = levels[-1] - levels[0]
        if span <= 0:
            return area.center().x()
        # The marks of the first level stand beside the numbers of the axis, not on them.
        inset = min(_APART * (len(self.shown.lines) - 1) / 2 + _MARK, area.width() / 4)
        return area.left() + inset + (area.width() - 2 * inset) * (level - levels[0]) / span

    def y(self, value: float) -> float:
        """How high a share lies."""
        low, high = self.shown.y_range
        if self.is_bounded:
            value = min(max(value, low), high)
        return self.area.bottom() - self.area.height() * (value - low) / (high - low)

    def at(self, level: float, value: float, place: int = 0) -> QPointF:
        """The spot of a point."""
        return QPointF(self.x(level, place), self.y(value))

    def upright(self, x: float) -> tuple[QPointF, QPointF]:
        """The ends of a line from top to bottom."""
        return QPointF(x, self.area.top()), QPointF(x, self.area.bottom())

    def across(self, y: float) -> tuple[QPointF, QPointF]:
        """The ends of a line from side to side."""
        return QPointF(self.area.left(), y), QPointF(self.area.right(), y)

    def shift(self, place: int) -> float:
        """How far a curve stands beside its levels, so that whiskers and marks lie side by side."""
        levels, count = self.shown.levels, len(self.shown.lines)
        if len(levels) < 2:
            return 0.0
        gap = min(self.x(b) - self.x(a) for a, b in itertools.pairwise(levels))
        step = min(_APART, gap / (2 * count))
        return step * (place - (count - 1) / 2)

    def meeting(self, place: int, first: float, second: float) -> list[int]:
        """The curves, by place, that can hardly be told from one between two of its levels."""
        lines = self.shown.lines
        own = [lines[place].at(level) for level in (first, second)]
        found = []
        for other, line in enumerate(lines):
            pairs = zip(own, (line.at(first), line.at(second)), strict=True)
            if all(
                a is not None and b is not None and abs(self.y(a.mean) - self.y(b.mean)) < _NEAR
                for a, b in pairs
            ):
                found.append(other)
        return found

    def nearest(self, x: float) -> float:
        """The level nearest to a place."""
        return min(self.shown.levels, key=lambda level: abs(self.x(level) - x))

    def end(self, line: LevelLine) -> QPointF | None:
        """Where a line ends; None for one without any point."""
        known = [point for point in line.points if math.isfinite(point.mean)]
        return self.at(known[-1].level, known[-1].mean) if known else None


_APART, _NEAR = 6.0, 3.0
"""Pixels from the mark of one curve to that of the next, and below which two curves look as one."""
_MARK = 6.0
"""Pixels from the middle of a mark to its rim, and a little more."""
_DASH = 9.0
GAP = 9.0
"""What lies between a line and its name."""


@dataclass(frozen=True)
class EndLabel:
    """A name at the end of a line."""

    end: QPointF
    name: str
    ink: QColor
    is_strong: bool = False


def draw_end_labels(
    painter: QPainter,
    theme: Theme,
    labels: Sequence[EndLabel],
    area: QRectF,
    width: float,
    gap: float = GAP,
) -> None:
    """Write the names right of an area, in a picture of that width."""
    for label, box in end_label_boxes(theme, labels, area, width, gap):
        font = _label_font(theme, label)
        painter.setFont(font)
        painter.setPen(label.ink)
        elide = Qt.TextElideMode.ElideRight
        words = QFontMetricsF(font).elidedText(label.name, elide, box.width())
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, words)


def end_label_boxes(
    theme: Theme, labels: Sequence[EndLabel], area: QRectF, width: float, gap: float = GAP
) -> list[tuple[EndLabel, QRectF]]:
    """Where each name is written; no two of them lie over each other."""
    height = QFontMetricsF(theme.font("caption")).height() + 1
    boxes = []
    for label in sorted(labels, key=lambda one: one.end.x()):
        room = max(width - label.end.x() - gap - 2, 20.0)
        wanted = QFontMetricsF(_label_font(theme, label)).horizontalAdvance(label.name) + 1
        boxes.append((label, QRectF(label.end.x() + gap, 0.0, min(wanted, room), height)))
    # A curve may end a little before the lines of comparison: names that share some of their
    # width share the height as well.
    columns: list[list[tuple[EndLabel, QRectF]]] = []
    for label, box in boxes:
        if not columns or box.left() > max(other.right() for _, other in columns[-1]):
            columns.append([])
        columns[-1].append((label, box))
    for found in columns:
        found.sort(key=lambda one: one[0].end.y())
        wanted_rows = [label.end.y() for label, _ in found]
        rows = spread(wanted_rows, height, area.top(), area.bottom())
        for y, (_, box) in zip(rows, found, strict=True):
            box.moveTop(y - height / 2)
    return [one for found in columns for one in found]


def _label_font(theme: Theme, label: EndLabel) -> QFont:
    return theme.font("caption", "semibold" if label.is_strong else "regular")


def spread(rows: Sequence[float], height: float, top: float, bottom: float) -> list[float]:
    """Places in their order, each at least one line from the next, as near as can be.

    >>> spread([10.0, 12.0], 10.0, 0.0, 100.0)
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


class LevelPainter:
    """One painting of a plot; what is painted later lies over what was painted before."""

    def __init__(self, painter: QPainter, theme: Theme, ground: PlotArea) -> None:
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
        set_fill(painter, tint)
        painter.save()
        painter.setClipRect(self._ground.area)
        painter.drawPolygon(QPolygonF([*upper, *reversed(lower)]))
        painter.restore()

    def line(self, line: LevelLine, place: int, *, focused: bool) -> None:
        """A curve with its whiskers; where it meets others they take turns in dashes."""
        painter, ink = self._painter, look_colour(self._theme, line.look)
        known = [point for point in line.points if math.isfinite(point.mean)]
        for point in known:
            if math.isfinite(point.sd):
                painter.setPen(QPen(ink, 1.2))
                x = self._spot(point, place).x()
                ends = (self._ground.y(point.mean + sign * point.sd) for sign in (1, -1))
                painter.drawLine(*(QPointF(x, y) for y in ends))
        if not self._shown.levels:
            return
        width = 2.4 if focused else 1.8
        for first, second in itertools.pairwise(known):
            meeting = self._ground.meeting(place, first.level, second.level)
            painter.setPen(_shared_pen(ink, width, meeting.index(place), len(meeting)))
            painter.drawLine(self._spot(first, place), self._spot(second, place))

    def marks(self, line: LevelLine, place: int, *, focused: bool) -> None:
        """The marks of a curve, which no other curve may cover."""
        ink, radius = look_colour(self._theme, line.look), 5.0 if focused else 4.2
        for point in line.points:
            if math.isfinite(point.mean):
                spot = self._spot(point, place)
                draw_marker(self._painter, look_marker(line.look), spot, radius, ink)

    def _spot(self, point: LevelPoint, place: int) -> QPointF:
        shift = QPointF(self._ground.shift(place), 0.0)
        return self._ground.at(point.level, point.mean, place) + shift


def _shared_pen(ink: QColor, width: float, turn: int, count: int) -> QPen:
    """The pen of one of several curves at the same place; solid where there is but one."""
    pen = QPen(ink, width)
    if count > 1:
        dash = _DASH / width
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        pen.setDashPattern([dash, dash * (count - 1)])
        pen.setDashOffset(dash * (count - turn))
    return pen


_LEFT, _TOP, _BOTTOM = 46.0, 10.0, 44.0
_MOST_RIGHT = 150.0


class LevelPlot(QWidget):
    """A click or the arrow keys choose a level."""

    level_chosen = Signal(float)
    is_bounded = False
    """Whether a whisker ends where the axis does."""

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

    def _ground(self) -> PlotArea:
        metrics = QFontMetricsF(self.themes.theme.font("caption", "semibold"))
        names = [reference.name for reference in self._shown.references]
        if self._shown.levels:
            names += [line.name for line in self._shown.lines]
        widest = max((metrics.horizontalAdvance(name) for name in names), default=0.0)
        right = min(widest, self.themes.theme.px(_MOST_RIGHT)) + 2 * GAP
        if len(self._shown.levels) > 1:
            right += _APART * max(len(self._shown.lines) - 1, 0) / 2
        left, bottom = self.themes.theme.px(_LEFT), self.themes.theme.px(_BOTTOM)
        width = max(self.width() - left - right, 40.0)
        area = QRectF(left, _TOP, width, max(self.height() - _TOP - bottom, 40.0))
        return PlotArea(area, self._shown, self.is_bounded)

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        if self._shown.is_empty:
            return
        painter, theme, ground = smooth_painter(self), self.themes.theme, self._ground()
        if self._shown.is_stale:
            painter.setOpacity(0.55)
        self._draw(painter, ground)
        painter.setOpacity(1.0)
        if self.hasFocus():
            set_outline(painter, QPen(theme.colour("focus"), 2))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 6, 6)
        self._draw_hover(painter, ground)

    def _draw(self, painter: QPainter, ground: PlotArea) -> None:
        theme, shown = self.themes.theme, self._shown
        ink = LevelPainter(painter, theme, ground)
        ink.unfinished()
        ink.shares()
        if shown.levels:
            ink.levels(self._chosen, self._tick, self.axis_words)
        else:
            ink.names()
        labels = ink.references()
        ink.cursor(self._cursor)
        for line in shown.lines:
            ink.band(line, focused=line.key == self._focus)
        for place, line in enumerate(shown.lines):
            ink.line(line, place, focused=line.key == self._focus)
            end = ground.end(line)
            if end is not None and shown.levels:
                colour = look_colour(theme, line.look)
                labels.append(EndLabel(end, line.name, colour, is_strong=True))
        for place, line in enumerate(shown.lines):
            ink.marks(line, place, focused=line.key == self._focus)
        # Marks beside their level leave the names their room.
        gap = GAP + max(ground.shift(len(shown.lines) - 1), 0.0)
        draw_end_labels(painter, theme, labels, ground.area, self.width(), gap)

    def _tick(self, level: float) -> str:
        return f"{number(level, 0 if float(level).is_integer() else 1)}\u202f%"

    def _draw_hover(self, painter: QPainter, ground: PlotArea) -> None:
        at = self._hover
        if (
            at is None
            or not ground.area.adjusted(-10, -6, 10, 6).contains(at)
            or not self._shown.lines
        ):
            return
        if self._shown.levels:
            level = ground.nearest(at.x())
            title = self._title(level)
            points = [(line, line.at(level)) for line in self._shown.lines]
        else:
            title = self.tr("current design")
            points = [(line, line.points[0] if line.points else None) for line in self._shown.lines]
        entries = [(line.look, line.name, _words(point)) for line, point in points]
        draw_hover_box(painter, self.themes.theme, at, self.size(), title, entries)

    def _title(self, level: float) -> str:
        return self.level_words % short_number(level)

    # Pointer and keys

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        self._hover = event.position()
        self.update()

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802
        super().leaveEvent(event)
        self._hover = None
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        super().mousePressEvent(event)
        if event.button() == Qt.MouseButton.LeftButton and self._shown.levels:
            self.level_chosen.emit(self._ground().nearest(event.position().x()))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
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
        show_menu(picture_menu(self, self.rows), event.globalPos())

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
