"""Accuracy against privacy: curves with bands, references, and names at the ends of the lines."""

from __future__ import annotations

import math

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QMenu, QSizePolicy, QWidget

from ppworkbench.gui.dialogs import show_menu
from ppworkbench.gui.plots.hover_box import draw_hover_box
from ppworkbench.gui.plots.level_data import LevelLine, LevelPoint, Levels, Reference
from ppworkbench.gui.plots.level_ground import LevelGround
from ppworkbench.gui.plots.level_ink import LevelInk
from ppworkbench.gui.plots.level_labels import GAP, EndLabel, draw_end_labels
from ppworkbench.gui.plots.picture_files import Rows, add_picture_actions
from ppworkbench.gui.plots.series import look_colour
from ppworkbench.gui.plots.ticks import short_number
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.words import number, percent

__all__ = ["LevelLine", "LevelPlot", "LevelPoint", "Levels", "Reference"]

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

    def _ground(self) -> LevelGround:
        metrics = QFontMetricsF(self.themes.theme.font("caption", "semibold"))
        names = [reference.name for reference in self._shown.references]
        if self._shown.levels:
            names += [line.name for line in self._shown.lines]
        widest = max((metrics.horizontalAdvance(name) for name in names), default=0.0)
        right = min(widest, self.themes.theme.px(_MOST_RIGHT)) + 2 * GAP
        left, bottom = self.themes.theme.px(_LEFT), self.themes.theme.px(_BOTTOM)
        width = max(self.width() - left - right, 40.0)
        area = QRectF(left, _TOP, width, max(self.height() - _TOP - bottom, 40.0))
        return LevelGround(area, self._shown, self.is_bounded)

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        """Draw everything."""
        if self._shown.is_empty:
            return
        painter, theme, ground = QPainter(self), self.themes.theme, self._ground()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._shown.is_stale:
            painter.setOpacity(0.55)
        self._draw(painter, ground)
        painter.setOpacity(1.0)
        if self.hasFocus():
            painter.setPen(QPen(theme.colour("focus"), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 6, 6)
        self._draw_hover(painter, ground)

    def _draw(self, painter: QPainter, ground: LevelGround) -> None:
        theme, shown = self.themes.theme, self._shown
        ink = LevelInk(painter, theme, ground)
        ink.unfinished()
        ink.shares()
        if shown.levels:
            ink.levels(self._chosen, self._tick, self.axis_words)
        else:
            ink.names()
        labels = ink.references()
        ink.cursor(self._cursor)
        for place, line in enumerate(shown.lines):
            focused = line.key == self._focus
            ink.band(line, focused=focused)
            ink.line(line, place, focused=focused)
            end = ground.end(line)
            if end is not None and shown.levels:
                colour = look_colour(theme, line.look)
                labels.append(EndLabel(end, line.name, colour, is_strong=True))
        draw_end_labels(painter, theme, labels, ground.area, self.width())

    def _tick(self, level: float) -> str:
        return f"{number(level, 0 if float(level).is_integer() else 1)}\u202f%"

    def _draw_hover(self, painter: QPainter, ground: LevelGround) -> None:
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
            title = self.tr("the design as it is")
            points = [(line, line.points[0] if line.points else None) for line in self._shown.lines]
        entries = [(line.look, line.name, _words(point)) for line, point in points]
        draw_hover_box(painter, self.themes.theme, at, self.size(), title, entries)

    def _title(self, level: float) -> str:
        return self.level_words % short_number(level)

    # Pointer and keys

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
            self.level_chosen.emit(self._ground().nearest(event.position().x()))

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
        show_menu(menu, event.globalPos())

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
