"""A test as a chip that reads as a phrase."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QApplication, QMenu, QSizePolicy, QWidget

from ppworkbench.core.survey.conditions import Test
from ppworkbench.gui.pages.survey.phrases import phrase, plain
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.theme.icons import icon

_HEIGHT = 30
_WIDEST = 420


class ConditionChip(QWidget):
    """Click edits, × and Delete remove, dragging and Alt+Shift with the arrows reorder."""

    edit_requested = Signal()
    remove_requested = Signal()
    move_requested = Signal(int)
    """By how many places."""
    walk_requested = Signal(int)
    """The keyboard goes to a neighbour."""
    dragged = Signal(QPointF)
    """The pointer moves with the chip, in the coordinates of its parent."""
    dropped = Signal(QPointF)
    drag_ended = Signal()

    def __init__(self, themes: ThemeManager, test: Test) -> None:
        super().__init__()
        self._themes = themes
        self.test = test
        self._kind = ""
        self._laid: list[tuple[str, str, float]] | None = None
        self._pressed: QPointF | None = None
        self.is_dragged = False
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setMouseTracking(True)
        self.setAccessibleDescription(
            self.tr("Enter edits, Delete removes, Alt+Shift+Left and Right change the order.")
        )
        themes.theme_changed.connect(self._relay)

    def show_test(self, test: Test, kind: str, question: str) -> None:
        """Say another test."""
        self.test, self._kind = test, kind
        self.setToolTip(question)
        self.setAccessibleName(self.tr("Condition: %s") % plain(test))
        self._relay()

    def _relay(self) -> None:
        self._laid = None
        self.updateGeometry()
        self.update()

    def _parts(self) -> list[tuple[str, str, float]]:
        """Words, weight and width of every part, measured once: layouts ask very often."""
        if self._laid is None:
            self._laid = self._measured()
        return self._laid

    def _measured(self) -> list[tuple[str, str, float]]:
        """The last part ends with dots where a phrase is long."""
        theme = self._themes.theme
        room = float(theme.px(_WIDEST))
        found = []
        for words, strong in phrase(self.test):
            weight = "semibold" if strong else "regular"
            metrics = QFontMetricsF(theme.font("body", weight))
            width = metrics.horizontalAdvance(words)
            if width > room:
                cut = metrics.elidedText(words, Qt.TextElideMode.ElideRight, max(room, 0.0))
                found.append((cut, weight, metrics.horizontalAdvance(cut)))
                break
            found.append((words, weight, width))
            room -= width
        return found

    def sizeHint(self) -> QSize:  # noqa: N802
        """As wide as its words."""
        theme = self._themes.theme
        words = sum(width for *_, width in self._parts())
        return QSize(round(words) + theme.px(32) + theme.px(30), theme.px(_HEIGHT))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """The same: a chip is whole or in the next line."""
        return self.sizeHint()

    def _cross(self) -> QRectF:
        theme = self._themes.theme
        side = theme.px(24)
        return QRectF(self.width() - side - 4, (self.height() - side) / 2, side, side)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        """Draw the pill, the icon of the kind, the phrase and the cross."""
        theme = self._themes.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.is_dragged:
            painter.setOpacity(0.55)
        focus = self.hasFocus()
        edge = 1.0 if focus else 0.5
        box = QRectF(self.rect()).adjusted(edge, edge, -edge, -edge)
        painter.setPen(QPen(theme.colour("focus" if focus else "accentLine"), 2 if focus else 1))
        painter.setBrush(theme.colour("accentTint"))
        painter.drawRoundedRect(box, box.height() / 2, box.height() / 2)
        size = theme.px(16)
        spot = QRectF(theme.px(10), (self.height() - size) / 2, size, size)
        icon(f"kind-{self._kind}", theme.colour("accentInk")).paint(painter, spot.toRect())
        x = float(theme.px(32))
        for words, weight, width in self._parts():
            painter.setFont(theme.font("body", weight))
            painter.setPen(theme.colour("text"))
            painter.drawText(
                QRectF(x, 0, width + 4, self.height()), Qt.AlignmentFlag.AlignVCenter, words
            )
            x += width
        mark = self._cross().adjusted(5, 5, -5, -5)
        icon("close", theme.colour("text2")).paint(painter, mark.toRect())

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Remove from the cross, else wait whether it is a click or a drag."""
        if event.button() != Qt.MouseButton.LeftButton:
            return
        if self._cross().contains(event.position()):
            self.remove_requested.emit()
            return
        self._pressed = event.position()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Take the chip along."""
        if self._pressed is None:
            return
        way = (event.position() - self._pressed).manhattanLength()
        if self.is_dragged or way >= QApplication.startDragDistance():
            self.is_dragged = True
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
            self.dragged.emit(self.mapToParent(event.position()))
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Edit after a click, put the chip down after a drag."""
        pressed, self._pressed = self._pressed, None
        if self.is_dragged:
            self.end_drag()
            self.dropped.emit(self.mapToParent(event.position()))
        elif pressed is not None and self.rect().contains(event.position().toPoint()):
            self.edit_requested.emit()

    def end_drag(self) -> None:
        """Let go of the chip."""
        if self.is_dragged:
            self.is_dragged = False
            self._pressed = None
            self.setCursor(Qt.CursorShape.PointingHandCursor)
            self.update()
            self.drag_ended.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Edit, remove, walk and reorder by keys."""
        key = Qt.Key(event.key())
        back = key in (Qt.Key.Key_Left, Qt.Key.Key_Up)
        both = Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.ShiftModifier
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space, Qt.Key.Key_F2):
            if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
                event.ignore()
            else:
                self.edit_requested.emit()
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.remove_requested.emit()
        elif key == Qt.Key.Key_Escape and self.is_dragged:
            self.end_drag()
        elif back or key in (Qt.Key.Key_Right, Qt.Key.Key_Down):
            step = -1 if back else 1
            moves = event.modifiers() & both == both
            (self.move_requested if moves else self.walk_requested).emit(step)
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802
        """The same by a menu."""
        menu = QMenu(self)
        menu.addAction(self.tr("Edit…"), self.edit_requested.emit)
        menu.addAction(self.tr("Move left"), lambda: self.move_requested.emit(-1))
        menu.addAction(self.tr("Move right"), lambda: self.move_requested.emit(1))
        menu.addSeparator()
        menu.addAction(self.tr("Remove"), self.remove_requested.emit)
        menu.popup(event.globalPos())
