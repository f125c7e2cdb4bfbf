"""Buttons and labels with an icon of the set, recoloured when the theme changes."""

from __future__ import annotations

from PySide6.QtCore import QObject, QSize, Qt
from PySide6.QtWidgets import QAbstractButton, QLabel, QPushButton, QToolButton

from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.theme.icons import icon, pixmap


class IconButton(QToolButton):
    """A small button that shows only an icon; its name is the tooltip."""

    def __init__(self, themes: ThemeManager, icon_name: str, name: str, size: int = 18) -> None:
        super().__init__()
        self.setToolTip(name)
        self.setAccessibleName(name)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setIconSize(QSize(size, size))
        self.setMinimumSize(24, 24)
        set_icon(self, themes, icon_name)


class Button(QPushButton):
    """A button with a text and perhaps an icon; look is primary, secondary or link."""

    def __init__(
        self, themes: ThemeManager, text: str, icon_name: str = "", look: str = "secondary"
    ) -> None:
        super().__init__(text)
        self.setProperty("look", look)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setIconSize(QSize(16, 16))
        if icon_name:
            colour = {"primary": "accentText", "link": "accentInk"}.get(look, "text")
            set_icon(self, themes, icon_name, colour)


class IconLabel(QLabel):
    """An icon that stands beside a text."""

    def __init__(
        self, themes: ThemeManager, icon_name: str, colour: str = "text2", size: int = 18
    ) -> None:
        super().__init__()
        self._themes, self._icon, self._colour, self._size = themes, icon_name, colour, size
        self.setFixedSize(size, size)
        themes.theme_changed.connect(self._draw)
        self._draw()

    def show_icon(self, icon_name: str, colour: str | None = None) -> None:
        """Show another icon."""
        self._icon, self._colour = icon_name, colour or self._colour
        self._draw()

    def _draw(self) -> None:
        colour = self._themes.theme.colour(self._colour)
        self.setPixmap(pixmap(self._icon, colour, self._size, self.devicePixelRatioF()))


def set_icon(
    button: QAbstractButton, themes: ThemeManager, icon_name: str, colour: str = "text2"
) -> None:
    """Give a button an icon that follows the theme."""
    _IconOfButton(button, themes, icon_name, colour)


class _IconOfButton(QObject):
    """Belongs to its button, so that it hears of no theme after the button is gone."""

    def __init__(
        self, button: QAbstractButton, themes: ThemeManager, icon_name: str, colour: str
    ) -> None:
        super().__init__(button)
        self._button, self._themes, self._icon, self._colour = button, themes, icon_name, colour
        themes.theme_changed.connect(self._draw)
        self._draw()

    def _draw(self) -> None:
        theme = self._themes.theme
        self._button.setIcon(
            icon(self._icon, theme.colour(self._colour), theme.colour("textDisabled"))
        )
