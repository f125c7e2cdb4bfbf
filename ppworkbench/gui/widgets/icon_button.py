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
        self.setMinimumSize(24, 24)
        self._size = size
        self.show_icon(themes, icon_name)

    def show_icon(self, themes: ThemeManager, icon_name: str, colour: str = "text2") -> None:
        """Show an icon that follows the theme."""
        _IconOfButton(self, themes, icon_name, colour, self._size)


class Button(QPushButton):
    """A button with a text and perhaps an icon; look is primary, secondary or link."""

    def __init__(
        self, themes: ThemeManager, text: str, icon_name: str = "", look: str = "secondary"
    ) -> None:
        super().__init__(text)
        self.setProperty("look", look)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        if icon_name:
            colour = {"primary": "accentText", "link": "accentInk"}.get(look, "text")
            _IconOfButton(self, themes, icon_name, colour, 16)


class IconLabel(QLabel):
    """An icon that stands beside a text."""

    def __init__(
        self, themes: ThemeManager, icon_name: str, colour: str = "text2", size: int = 18
    ) -> None:
        super().__init__()
        self._themes, self._icon, self._colour, self._size = themes, icon_name, colour, size
        themes.theme_changed.connect(self._draw)
        self._draw()

    def show_icon(self, icon_name: str, colour: str | None = None) -> None:
        """Show another icon."""
        self._icon, self._colour = icon_name, colour or self._colour
        self._draw()

    def _draw(self) -> None:
        theme = self._themes.theme
        size = theme.px(self._size)
        self.setFixedSize(size, size)
        colour = theme.colour(self._colour)
        self.setPixmap(pixmap(self._icon, colour, size, self.devicePixelRatioF()))


class _IconOfButton(QObject):
    """Belongs to its button, so that it hears of no theme after the button is gone."""

    def __init__(
        self,
        button: QAbstractButton,
        themes: ThemeManager,
        icon_name: str,
        colour: str,
        size: int,
    ) -> None:
        super().__init__(button)
        self._button, self._themes, self._icon, self._colour = button, themes, icon_name, colour
        self._size = size
        themes.theme_changed.connect(self._draw)
        self._draw()

    def _draw(self) -> None:
        theme = self._themes.theme
        size = QSize(theme.px(self._size), theme.px(self._size))
        if self._button.iconSize() != size:
            self._button.setIconSize(size)
        self._button.setIcon(
            icon(self._icon, theme.colour(self._colour), theme.colour("textDisabled"))
        )
