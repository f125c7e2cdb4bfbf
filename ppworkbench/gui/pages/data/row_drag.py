"""Rows of a list that are dragged to another place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractItemView, QApplication

from ppworkbench.gui.theme import ThemeManager

if TYPE_CHECKING:
    _Base = QAbstractItemView
else:
    _Base = object

_EDGE, _STEP = 12, 14
"""Pixels from an end of the list where it scrolls, and how far at once."""


class DraggedRows(_Base):
    """Dragging a row shows a line where it would go; letting go moves it there."""

    def begin_drags(self, themes: ThemeManager) -> None:
        """Prepare; called when the view is made."""
        self._drag_themes = themes
        self._pressed: tuple[QPoint, int] | None = None
        self._target: int | None = None
        self.can_move = True

    def drop(self, row: int, gap: int) -> None:
        """Move a row before another one, or behind the last."""
        raise NotImplementedError

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        here = event.position().toPoint()
        index = self.indexAt(here)
        plain = event.modifiers() == Qt.KeyboardModifier.NoModifier
        is_left = event.button() == Qt.MouseButton.LeftButton
        self._pressed = (here, index.row()) if is_left and plain and index.isValid() else None
        super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        if self._pressed is None or not self.can_move:
            super().mouseMoveEvent(event)
            return
        here = event.position().toPoint()
        far = (here - self._pressed[0]).manhattanLength() >= QApplication.startDragDistance()
        if self._target is None and not far:
            return
        self.setCursor(Qt.CursorShape.ClosedHandCursor)
        bar, step = self.verticalScrollBar(), self._drag_themes.theme.px(_STEP)
        below = here.y() > self.viewport().height() - _EDGE
        bar.setValue(bar.value() + step * (below - (here.y() < _EDGE)))
        self._target = self._gap_at(here.y())
        self.viewport().update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        pressed, target = self._pressed, self._target
        self._end_drag()
        super().mouseReleaseEvent(event)
        if pressed is not None and target not in (None, pressed[1], pressed[1] + 1):
            assert target is not None  # noqa: S101 (seen above)
            self.drop(pressed[1], target)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() == Qt.Key.Key_Escape and self._target is not None:
            self._end_drag()
        else:
            super().keyPressEvent(event)

    def _end_drag(self) -> None:
        self._pressed, self._target = None, None
        self.unsetCursor()
        self.viewport().update()

    def _gap_at(self, y: int) -> int:
        """The place before which a row stands that is let go at this height."""
        index = self.indexAt(QPoint(4, min(max(y, 1), self.viewport().height() - 2)))
        if not index.isValid():
            return self.model().rowCount()
        return index.row() + (y > self.visualRect(index).center().y())

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """Draw the rows, and the line where a dragged one would go."""
        super().paintEvent(event)
        if self._target is None:
            return
        last = self.model().rowCount() - 1
        box = self.visualRect(self.model().index(min(self._target, last), 0))
        y = max(box.bottom() if self._target > last else box.top(), 1)
        painter = QPainter(self.viewport())
        painter.setPen(QPen(self._drag_themes.theme.colour("accent"), 3))
        painter.drawLine(4, y, self.viewport().width() - 4, y)
        painter.end()
