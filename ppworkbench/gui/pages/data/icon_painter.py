"""Icons for delegates, rendered once per colour and scale."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtGui import QPainter, QPixmap

from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.theme.icons import pixmap


class IconPainter(QObject):
    """Draws icons of the set at a place; forgets them when the theme changes."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._made: dict[tuple[str, str, int, float], QPixmap] = {}
        themes.theme_changed.connect(self._forget)

    def _forget(self) -> None:
        self._made.clear()

    def draw(
        self,
        painter: QPainter,
        name: str,
        colour: str,
        left: float,
        middle: float,
        size: int = 16,
    ) -> None:
        """Draw an icon whose left edge and vertical middle are given."""
        key = (name, colour, size, painter.device().devicePixelRatioF())
        if key not in self._made:
            self._made[key] = pixmap(name, self._themes.theme.colour(colour), size, key[3])
        painter.drawPixmap(round(left), round(middle - size / 2), self._made[key])
