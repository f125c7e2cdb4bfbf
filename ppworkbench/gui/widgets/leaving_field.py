"""A field that is left with Esc, before the window looks at the key."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit


class LeavingField(QLineEdit):
    """Tells when somebody wants to be rid of it."""

    left = Signal()

    def event(self, event: QEvent) -> bool:
        """Take Esc, which would end a job or a view otherwise."""
        if isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            if event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress:
                self.left.emit()
                return True
        return super().event(event)
