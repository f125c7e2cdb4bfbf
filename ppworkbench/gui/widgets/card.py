"""A white area with a border that holds one thing."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from ppworkbench.gui.widgets.elided_label import ElidedLabel
from ppworkbench.gui.widgets.layouts import text


class Card(QFrame):
    """Title and hint on top, actions at the right of them, content below."""

    def __init__(
        self, title: str = "", hint: str = "", *, padding: int = 14, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setProperty("look", "card")
        self.body = QVBoxLayout(self)
        upper = max(padding - 2, 0)
        self.body.setContentsMargins(padding, upper, padding, upper)
        self.body.setSpacing(8)
        self.title_label: QLabel = text(title, "strong")
        self.hint_label = ElidedLabel("hint", hint, hugs=True)
        self.head = QHBoxLayout()
        self.head.setSpacing(10)
        if title:
            self.head.addWidget(self.title_label)
            self.head.addWidget(self.hint_label)
            self.head.addStretch(1)
            self.body.addLayout(self.head)

    def add(self, item: QWidget, stretch: int = 0) -> None:
        """Put a widget below the others."""
        self.body.addWidget(item, stretch)
