"""One-line texts of a table, cut and laid out once however often they are drawn."""

from __future__ import annotations

from PySide6.QtCore import QObject, QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QStaticText

from ppworkbench.gui.theme import ThemeManager

_MOST = 4_000

Laid = tuple[QStaticText, float, float]
"""A text with its width and height."""


class StaticTexts(QObject):
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
            if len(self._known) >= _MOST:
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
