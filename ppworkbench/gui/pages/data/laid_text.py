"""One-line texts for delegates, cut and laid out once however often they are drawn."""

from __future__ import annotations

from PySide6.QtCore import QObject, QPointF, QRect, Qt
from PySide6.QtGui import QPainter, QStaticText

from ppworkbench.gui.pages.data.inks import Inks
from ppworkbench.gui.theme import ThemeManager

_MOST = 3000


class LaidText(QObject):
    """Draws texts of a table; most of them repeat from row to row and from frame to frame."""

    def __init__(self, themes: ThemeManager, inks: Inks) -> None:
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
