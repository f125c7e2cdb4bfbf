"""A field that is left with Esc, and whose keys nobody else looks at."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit

_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class LeavingField(QLineEdit):
    """Tells when somebody wants to be rid of it."""

    left = Signal()

    def event(self, event: QEvent) -> bool:
        """Take Esc, which would end a job or a view otherwise, and let nobody else see Enter."""
        if isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            if event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress:
                self.left.emit()
                return True
        taken = super().event(event)
        is_enter = isinstance(event, QKeyEvent) and event.key() in _ENTER
        if is_enter and event.type() == QEvent.Type.KeyPress:
            event.accept()
        return taken
