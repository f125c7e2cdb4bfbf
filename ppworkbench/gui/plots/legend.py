"""The legend over a histogram: a swatch and a word for each role."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ppworkbench.gui.plots.brushes import outline_pen, role_brush, role_pen
from ppworkbench.gui.theme import ThemeManager


class Legend(QWidget):
    """Entries in role order; ``lines`` shows strokes instead of swatches."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._entries: tuple[tuple[str, str], ...] = ()
        self._lines = False
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        themes.theme_changed.connect(self.update)

    def show_entries(self, entries: tuple[tuple[str, str], ...], lines: bool = False) -> None:
        """Show (role, word) pairs."""
        if (entries, lines) == (self._entries, self._lines):
            return
        self._entries, self._lines = entries, lines
        self.setAccessibleName(", ".join(word for _, word in entries))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        """One line."""
        metrics = self.fontMetrics()
        width = sum(metrics.horizontalAdvance(word) + 44 for _, word in self._entries)
        return QSize(width, self._themes.theme.px(20))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        """Draw swatch and word one after the other."""
        theme = self._themes.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(theme.font("caption"))
        metrics = painter.fontMetrics()
        x, middle = 0.0, self.height() / 2
        for role, word in self._entries:
            if self._lines and role != "original":
                painter.setPen(role_pen(theme, role))
                painter.drawLine(int(x), int(middle), int(x) + 20, int(middle))
                x += 26
            else:
                painter.setPen(outline_pen(theme, role))
                area = theme.role(role).tint if self._lines else role_brush(theme, role)
                painter.setBrush(area)
                painter.drawRect(QRectF(x + 1, middle - 5, 11, 10))
                x += 18
            painter.setPen(theme.colour("text2"))
            width = metrics.horizontalAdvance(word)
            painter.drawText(
                QRectF(x, 0, width + 4, self.height()), Qt.AlignmentFlag.AlignVCenter, word
            )
            x += width + 18
