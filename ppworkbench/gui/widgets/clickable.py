"""Something of several parts that is clicked as a whole."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, Qt, Signal
from PySide6.QtGui import QEnterEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from ppworkbench.gui.theme import ThemeManager


class Clickable(QWidget):
    """One focus stop; a click, Enter or Space opens it. ``framed`` looks like a card."""

    clicked = Signal()

    def __init__(self, themes: ThemeManager, name: str, line: str, *, framed: bool = False) -> None:
        super().__init__()
        self._themes = themes
        self._framed = framed
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(name)
        self.setAccessibleDescription(line)
        themes.theme_changed.connect(self.update)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Open on a click."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.clicked.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Open with Enter or Space."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.clicked.emit()
        else:
            super().keyPressEvent(event)

    def enterEvent(self, event: QEnterEvent) -> None:  # noqa: ARG002, N802
        """Tint under the pointer."""
        self.update()

    def leaveEvent(self, event: QEvent) -> None:  # noqa: ARG002, N802
        """No tint any more."""
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        """Draw the card, the tint and the focus ring."""
        theme = self._themes.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        inset = 0.5 if self._framed else 1
        box = QRectF(self.rect()).adjusted(inset, inset, -inset, -inset)
        radius = 8 if self._framed else 6
        if self._framed or self.underMouse():
            painter.setPen(QPen(theme.colour("border"), 1) if self._framed else Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour("hover" if self.underMouse() else "surface"))
            painter.drawRoundedRect(box, radius, radius)
        if self.hasFocus():
            painter.setPen(QPen(theme.colour("focus"), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
