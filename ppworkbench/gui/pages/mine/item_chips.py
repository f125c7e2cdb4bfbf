"""The chosen items as chips, a few lines of them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from ppworkbench.gui.theme import ThemeManager, icon, smooth_painter

_LINES = 4
"""More lines than these would push the method out of sight; the rest is behind one chip."""
_PAD, _GAP, _CROSS = 9, 6, 14


class ItemChips(QWidget):
    """One focus stop: arrows walk from chip to chip, Delete takes one away."""

    removed = Signal(int)
    """The chip at that place was taken away."""
    more_requested = Signal()
    """The chip for those that are not shown was pressed."""

    def __init__(self, themes: ThemeManager, name: str) -> None:
        super().__init__()
        self._themes = themes
        self._words: tuple[str, ...] = ()
        self._chips: list[QRectF] = []
        self._shown = 0
        self._current = 0
        self._hover = -1
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        themes.theme_changed.connect(self._lay_out)
        self._lay_out()

    @property
    def hidden(self) -> int:
        """How many chips are behind the last one."""
        return len(self._words) - self._shown

    def show_items(self, words: Sequence[str]) -> None:
        if tuple(words) != self._words:
            self._words = tuple(words)
            self._current = min(self._current, max(len(self._words) - 1, 0))
            self._lay_out()
            self.setAccessibleDescription(", ".join(self._words[:40]))

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(200, self.height())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._lay_out()

    def _height(self) -> float:
        return self._themes.theme.px(22)

    def _lay_out(self) -> None:
        metrics = QFontMetricsF(self._themes.theme.font("caption"))
        height, room = self._height(), max(self.width(), 80)
        digits = 10 ** len(str(len(self._words))) - 1
        more = metrics.horizontalAdvance(self._more(digits)) + 2 * _PAD
        self._chips, self._shown = [], 0
        x, line = 0.0, 0
        for place, words in enumerate(self._words):
            width = min(metrics.horizontalAdvance(words) + 2 * _PAD + 1, room)
            if x > 0 and x + width > room:
                x, line = 0.0, line + 1
            is_last = place + 1 == len(self._words)
            if line == _LINES or (line == _LINES - 1 and not is_last and x + width + more > room):
                if x == 0.0 and line == _LINES:
                    # The line above is full: its last chip makes room.
                    self._make_room(more, room)
                    break
                self._chips.append(QRectF(x, line * (height + _GAP), more, height))
                break
            self._chips.append(QRectF(x, line * (height + _GAP), width, height))
            self._shown += 1
            x += width + _GAP
        lines = round(self._chips[-1].top() / (height + _GAP)) + 1 if self._chips else 1
        self.setFixedHeight(int(lines * (height + _GAP) - _GAP) + 2)
        self.update()

    def _make_room(self, more: float, room: float) -> None:
        last = self._chips[-1]
        if last.right() + _GAP + more > room:
            self._chips.pop()
            self._shown -= 1
            self._chips.append(QRectF(last.left(), last.top(), more, last.height()))
        else:
            self._chips.append(QRectF(last.right() + _GAP, last.top(), more, last.height()))

    def _more(self, count: int) -> str:
        return self.tr("+ %s more") % count

    def _label(self, place: int) -> str:
        return self._words[place] if place < self._shown else self._more(self.hidden)

    def _cross(self, chip: QRectF) -> QRectF:
        return QRectF(chip.right() - _CROSS - 4, chip.center().y() - _CROSS / 2, _CROSS, _CROSS)

    def _at(self, point: QPointF) -> int:
        return next((i for i, chip in enumerate(self._chips) if chip.contains(point)), -1)

    # What a person does

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        place = self._at(event.position())
        if place != self._hover:
            self._hover = place
            is_hand = place >= 0
            self.setCursor(
                Qt.CursorShape.PointingHandCursor if is_hand else Qt.CursorShape.ArrowCursor
            )
            self.update()

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802
        super().leaveEvent(event)
        self._hover = -1
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Take a chip away by its cross; the last one opens the list."""
        place = self._at(event.position())
        if place < 0 or event.button() is not Qt.MouseButton.LeftButton:
            return
        self._current = place
        if place >= self._shown:
            self.more_requested.emit()
        elif self._cross(self._chips[place]).adjusted(-4, -4, 4, 4).contains(event.position()):
            self.removed.emit(place)
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Walk with the arrows; Delete takes the current chip away."""
        key, last = event.key(), len(self._chips) - 1
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(key))
        if step is not None:
            self._current = min(max(self._current + step, 0), max(last, 0))
            self.update()
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and self._current < self._shown:
            self.removed.emit(self._current)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.more_requested.emit()
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        super().focusInEvent(event)
        self.update()

    def event(self, event: QEvent) -> bool:
        """Tell a name that is cut off, and all that are not shown."""
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            place = self._at(QPointF(event.pos()))
            words = "" if place < 0 else self._label(place)
            if place >= self._shown > 0:
                words = ", ".join(self._words[self._shown : self._shown + 40])
            QToolTip.showText(event.globalPos(), words, self)
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        theme = self._themes.theme
        painter = smooth_painter(self)
        painter.setFont(theme.font("caption"))
        metrics = painter.fontMetrics()
        enabled = self.isEnabled()
        for place, chip in enumerate(self._chips):
            is_more = place >= self._shown
            is_current = self.hasFocus() and place == self._current
            edge = theme.colour("focus" if is_current else "border")
            painter.setPen(QPen(edge, 2 if is_current else 1))
            painter.setBrush(theme.colour("surface" if is_more else "sunken"))
            radius = chip.height() / 2
            painter.drawRoundedRect(chip.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
            ink = "accentInk" if is_more else "text"
            painter.setPen(theme.colour(ink if enabled else "textDisabled"))
            shows_cross = place == self._hover and not is_more and enabled
            room = chip.adjusted(_PAD, 0, -(_CROSS + 4) if shows_cross else -_PAD + 2, 0)
            words = metrics.elidedText(
                self._label(place), Qt.TextElideMode.ElideRight, int(room.width()) + 1
            )
            painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, words)
            if shows_cross:
                icon("close", theme.colour("text2")).paint(painter, self._cross(chip).toRect())
