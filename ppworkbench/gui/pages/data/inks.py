"""Colours and fonts for delegates, looked up once per theme instead of once per cell."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtGui import QColor, QFont, QFontMetrics

from ppworkbench.gui.theme import ThemeManager


class Inks(QObject):
    """Remembers what it was asked for until the theme changes."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._colours: dict[str, QColor] = {}
        self._fonts: dict[tuple[str, str], QFont] = {}
        self._metrics: dict[tuple[str, str], QFontMetrics] = {}
        themes.theme_changed.connect(self._forget)

    def colour(self, name: str) -> QColor:
        """A colour of the theme."""
        if name not in self._colours:
            self._colours[name] = self._themes.theme.colour(name)
        return self._colours[name]

    def font(self, style: str = "body", weight: str = "regular") -> QFont:
        """A font of the theme."""
        key = (style, weight)
        if key not in self._fonts:
            self._fonts[key] = self._themes.theme.font(style, weight)
        return self._fonts[key]

    def metrics(self, style: str = "body", weight: str = "regular") -> QFontMetrics:
        """The measures of a font of the theme."""
        key = (style, weight)
        if key not in self._metrics:
            self._metrics[key] = QFontMetrics(self.font(style, weight))
        return self._metrics[key]

    def _forget(self) -> None:
        self._colours.clear()
        self._fonts.clear()
        self._metrics.clear()
