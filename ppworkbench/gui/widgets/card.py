"""A white area with a border that holds one thing."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QFrame, QLayout, QWidget

from ppworkbench.gui.widgets.box_layouts import Column, Row
from ppworkbench.gui.widgets.elided_label import ElidedLabel
from ppworkbench.gui.widgets.layouts import column


class Card(QFrame):
    """Title and hint on top, actions at the right of them, content below."""

    def __init__(
        self, title: str = "", hint: str = "", *, padding: int = 14, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._least = 0
        self.setProperty("look", "card")
        self.body = Column(self)
        upper = max(padding - 2, 0)
        self.body.setContentsMargins(padding, upper, padding, upper)
        self.body.setSpacing(8)
        self.title_label = ElidedLabel("strong", title, hugs=True)
        self.hint_label = ElidedLabel("hint", hint, hugs=True)
        self.head = Row()
        self.head.setSpacing(10)
        if title:
            self.head.addWidget(self.title_label)
            self.head.addWidget(self.hint_label)
            self.head.addStretch(1)
            self.body.addLayout(self.head)

    def add(self, item: QWidget, stretch: int = 0) -> None:
        """Put a widget below the others."""
        self.body.addWidget(item, stretch)

    def keep_at_least(self, width: int) -> None:
        """Never become narrower than this, nor than what the card holds."""
        self._least = width
        self.updateGeometry()

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """What the card holds, or the width that is kept."""
        return super().minimumSizeHint().expandedTo(QSize(self._least, 0))


def card_part(*items: QWidget | QLayout | int | None, spacing: int) -> QWidget:
    """A part of a card: one thing below the other."""
    part = QWidget()
    column(*items, parent=part, spacing=spacing)
    return part
