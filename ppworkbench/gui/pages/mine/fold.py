"""A part of a column that can be folded away under its title."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.theme.icons import icon
from ppworkbench.gui.widgets.layouts import column


class Fold(QWidget):
    """Closed at first; grey with a reason where it does not apply."""

    toggled = Signal(bool)

    def __init__(self, themes: ThemeManager, title: str, name: str) -> None:
        super().__init__()
        self._themes = themes
        self.button = QPushButton(title)
        self.button.setObjectName(name)
        self.button.setProperty("look", "link")
        self.button.setCheckable(True)
        self.button.setIconSize(QSize(14, 14))
        self.button.setCursor(Qt.CursorShape.PointingHandCursor)
        self.button.setStyleSheet("text-align: left; padding: 0;")
        self.content = QWidget()
        self.body: QVBoxLayout = column(parent=self.content, spacing=8)
        self.content.hide()
        column(self.button, self.content, parent=self, spacing=6)
        self.button.toggled.connect(self._on_toggled)
        themes.theme_changed.connect(self._draw)
        self._draw()

    @property
    def is_open(self) -> bool:
        """Whether the content is seen."""
        return self.button.isChecked()

    def set_reason(self, reason: str) -> None:
        """Grey out and fold away what does not apply; empty brings it back."""
        if reason:
            self.button.setChecked(False)
        self.button.setEnabled(not reason)
        self.button.setToolTip(reason)
        self._draw()

    def _on_toggled(self, is_open: bool) -> None:
        self.content.setVisible(is_open)
        self._draw()
        self.toggled.emit(is_open)

    def _draw(self) -> None:
        theme = self._themes.theme
        name = "chevron-down" if self.is_open else "chevron-right"
        ink = theme.colour("accentInk")
        self.button.setIcon(icon(name, ink, theme.colour("textDisabled")))
