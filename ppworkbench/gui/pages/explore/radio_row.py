"""A row that is chosen from anywhere on it."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QRadioButton, QWidget

from ppworkbench.gui.theme import ThemeManager


class RadioRow(QWidget):
    """Holds a radio button and whatever else; the chosen row is tinted."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self.radio = QRadioButton()
        themes.theme_changed.connect(self.update)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Choose it as its button would."""
        if event.button() == Qt.MouseButton.LeftButton and self.radio.isEnabled():
            self.radio.clicked.emit()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        """Tint the chosen row."""
        if self.radio.isChecked():
            painter = QPainter(self)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._themes.theme.colour("accentTint"))
            painter.drawRoundedRect(QRectF(self.rect()), 6, 6)
