"""The legend over rows of marks: what each mark stands for."""

from __future__ import annotations

from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from ppworkbench.gui.plots.interval_item import draw_mark
from ppworkbench.gui.theme import ThemeManager

_WITH_LINE, _ALONE = 22, 14


class MarkLegend(QWidget):
    """Entries of (look, words); the reconstructed mark has its interval."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self.entries: tuple[tuple[str, str], ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        themes.theme_changed.connect(self.updateGeometry)
        themes.theme_changed.connect(self.update)

    def show_entries(self, entries: tuple[tuple[str, str], ...]) -> None:
        """Show other entries."""
        if entries != self.entries:
            self.entries = entries
            self.setAccessibleName(", ".join(words for _, words in entries))
            self.updateGeometry()
            self.update()

    def _room(self, look: str) -> int:
        return _WITH_LINE if look == "reconstructed" else _ALONE

    def sizeHint(self) -> QSize:  # noqa: N802
        """One line."""
        metrics = QFontMetricsF(self._themes.theme.font("caption"))
        width = sum(
            self._room(look) + metrics.horizontalAdvance(words) + 24 for look, words in self.entries
        )
        return QSize(max(round(width) - 18, 0), self._themes.theme.px(20))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        """Draw mark and words one after the other."""
        theme = self._themes.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(theme.font("caption"))
        x, middle = 0.0, self.height() / 2
        for look, words in self.entries:
            room = self._room(look)
            if look == "reconstructed":
                painter.setPen(QPen(theme.role(look).line, 2))
                painter.drawLine(QLineF(x, middle, x + room, middle))
            draw_mark(painter, theme, look, QPointF(x + room / 2, middle), 4.5)
            x += room + 6
            painter.setPen(theme.colour("text2"))
            width = painter.fontMetrics().horizontalAdvance(words)
            box = QRectF(x, 0, width + 4, self.height())
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, words)
            x += width + 18
