"""A quiet message that goes away by itself."""

from __future__ import annotations

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from ppworkbench.gui.theme import set_rules
from ppworkbench.gui.widgets.layouts import row, text

_SHOWN_FOR = 6_000


class Toast(QFrame):
    """One sentence over the lower edge of the page, with "Undo" where it can be undone."""

    undo_requested = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("toast")
        self.label = text("")
        self.button = QPushButton(self.tr("Undo"))
        self.button.setProperty("look", "link")
        self.button.clicked.connect(self._on_undo)
        row(self.label, self.button, parent=self, spacing=14).setContentsMargins(14, 6, 14, 6)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_SHOWN_FOR)
        self._timer.timeout.connect(self.hide)
        self.hide()

    def say(self, message: str, undoable: bool, text_colour: str, background: str) -> None:
        """Show a message for a few seconds."""
        set_rules(
            self,
            f"#toast {{ background: {text_colour}; border-radius: 8px; }}"
            f"#toast QLabel, #toast QPushButton {{ color: {background}; }}",
        )
        self.label.setText(message)
        self.button.setVisible(undoable)
        self.adjustSize()
        self.place()
        self.show()
        self.raise_()
        self._timer.start()

    def place(self) -> None:
        """Stand in the middle above the lower edge of the parent."""
        parent = self.parentWidget()
        if parent is not None:
            x = (parent.width() - self.width()) // 2
            self.move(x, parent.height() - self.height() - 16)

    def _on_undo(self) -> None:
        self.hide()
        self.undo_requested.emit()
