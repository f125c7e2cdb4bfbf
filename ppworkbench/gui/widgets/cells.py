"""What table cells paint."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPixmap, QStaticText

from ppworkbench.gui.icons import pixmap
from ppworkbench.gui.theme import ThemeManager


def draw_mini_bars(
    painter: QPainter, area: QRectF, shares: NDArray[np.float64], colour: QColor
) -> None:
    """Draw bars without axes; more than twelve cells are joined to twelve."""
    if len(shares) > 12:
        borders = np.linspace(0, len(shares), 13).astype(int)
        shares = np.add.reduceat(shares, borders[:-1])
    highest = float(shares.max(initial=0.0))
    if highest <= 0:
        return
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    width = min(area.width() / len(shares), 6.0)
    area = area.adjusted(area.width() - width * len(shares), 0, 0, 0)
    for i, share in enumerate(shares.tolist()):
        height = max(1.0, area.height() * share / highest) if share > 0 else 0.0
        left, right = round(area.left() + i * width), round(area.left() + (i + 1) * width)
        top = round(area.bottom() - height)
        painter.drawRect(QRectF(left, top, max(right - left - 1, 1), height))
    painter.restore()


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


class CellPalette(QObject):
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


_MOST = 3000


class TextLayout(QObject):
    """Draws texts of a table; most of them repeat from row to row and from frame to frame."""

    def __init__(self, themes: ThemeManager, inks: CellPalette) -> None:
        super().__init__()
        self._inks = inks
        self._known: dict[tuple[str, int, str], QStaticText] = {}
        themes.theme_changed.connect(self._forget)

    def _forget(self) -> None:
        self._known.clear()

    def draw(
        self,
        painter: QPainter,
        content: str,
        area: QRect,
        *,
        colour: str = "text",
        weight: str = "regular",
        is_right: bool = False,
    ) -> int:
        """Write as much of a line as there is room for; how wide it became."""
        laid = self._lay_out(content, area.width(), weight)
        size = laid.size()
        left = area.right() + 1 - size.width() if is_right else area.left()
        painter.setFont(self._inks.font("body", weight))
        painter.setPen(self._inks.colour(colour))
        top = area.top() + (area.height() - size.height()) // 2
        painter.drawStaticText(QPointF(left, top), laid)
        return int(size.width())

    def _lay_out(self, content: str, room: int, weight: str) -> QStaticText:
        key = (content, room, weight)
        laid = self._known.get(key)
        if laid is None:
            if len(self._known) >= _MOST:
                self._known.clear()
            words = self._inks.metrics("body", weight).elidedText(
                content.replace("\n", " "), Qt.TextElideMode.ElideRight, room
            )
            laid = QStaticText(words)
            laid.setTextFormat(Qt.TextFormat.PlainText)
            laid.prepare(font=self._inks.font("body", weight))
            self._known[key] = laid
        return laid


_MOST_TEXTS = 4_000

Laid = tuple[QStaticText, float, float]
"""A text with its width and height."""


class TextCache(QObject):
    """Most texts of a table are drawn again in the next frame."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._known: dict[tuple[str, str, int], Laid] = {}
        self._metrics: dict[str, QFontMetrics] = {}
        themes.theme_changed.connect(self._forget)

    def draw(
        self, painter: QPainter, words: str, area: QRectF, weight: str, *, is_right: bool
    ) -> None:
        """Write a line in the pen of the painter, with dots where there is no room."""
        text, width, height = self._lay_out(words, weight, int(area.width()))
        left = area.right() - width if is_right else area.left()
        painter.setFont(self._themes.theme.font("body", weight))
        top = area.top() + (area.height() - height) / 2
        painter.drawStaticText(QPointF(round(left), round(top)), text)

    def _lay_out(self, words: str, weight: str, room: int) -> Laid:
        key = words, weight, room
        laid = self._known.get(key)
        if laid is None:
            if len(self._known) >= _MOST_TEXTS:
                self._known.clear()
            font = self._themes.theme.font("body", weight)
            metrics = self._metrics.setdefault(weight, QFontMetrics(font))
            elided = metrics.elidedText(words, Qt.TextElideMode.ElideRight, room)
            text = QStaticText(elided)
            text.setTextFormat(Qt.TextFormat.PlainText)
            text.setPerformanceHint(QStaticText.PerformanceHint.AggressiveCaching)
            text.prepare(font=font)
            laid = text, text.size().width(), text.size().height()
            self._known[key] = laid
        return laid

    def _forget(self) -> None:
        self._known.clear()
        self._metrics.clear()
