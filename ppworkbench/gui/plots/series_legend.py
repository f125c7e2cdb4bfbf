"""A legend for roles and algorithms; it takes as many lines as it needs."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ppworkbench.gui.plots.series import draw_line_sample, draw_swatch, is_series
from ppworkbench.gui.theme import ThemeManager

_GAP = 20
_SAMPLE, _SWATCH = 22, 12


class SeriesLegend(QWidget):
    """Entries of (look, words); ``lines`` draws strokes where the plot has curves."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self.entries: tuple[tuple[str, str], ...] = ()
        self._lines = False
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        themes.theme_changed.connect(self._resize)
        self._resize()

    def show_entries(self, entries: tuple[tuple[str, str], ...], lines: bool) -> None:
        """Show other entries."""
        if (entries, lines) != (self.entries, self._lines):
            self.entries, self._lines = entries, lines
            self.setAccessibleName(", ".join(words for _, words in entries))
            self._resize()

    def sizeHint(self) -> QSize:  # noqa: N802
        """One line, or more where the words do not fit."""
        return QSize(200, self.height())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Take another line when it gets narrow."""
        super().resizeEvent(event)
        self._resize()

    def _line_height(self) -> int:
        return self._themes.theme.px(20)

    def _resize(self) -> None:
        lines = 1 + max((line for line, *_ in self._places()), default=0)
        self.setFixedHeight(lines * self._line_height())
        self.update()

    def _places(self) -> list[tuple[int, float, float]]:
        """Line, left end and width of the words of every entry."""
        theme = self._themes.theme
        metrics = QFontMetricsF(theme.font("caption"))
        found, line, x = [], 0, 0.0
        for look, words in self.entries:
            width = self._mark(look) + 6 + metrics.horizontalAdvance(words)
            if x > 0 and x + width > self.width():
                line, x = line + 1, 0.0
            found.append((line, x, width))
            x += width + _GAP
        return found

    def _mark(self, look: str) -> int:
        stroke = self._lines and look != "original"
        return _SAMPLE if stroke or is_series(look) else _SWATCH

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        """Draw sample and words one after the other."""
        theme = self._themes.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(theme.font("caption"))
        height = self._line_height()
        for (look, words), (line, x, width) in zip(self.entries, self._places(), strict=True):
            middle, mark = line * height + height / 2, self._mark(look)
            if mark == _SAMPLE:
                draw_line_sample(painter, theme, look, QRectF(x, middle - 5, mark, 10))
            else:
                box = QRectF(x + 0.5, middle - 4.5, mark - 1, 9)
                draw_swatch(painter, theme, look, box, as_area=self._lines)
            painter.setPen(theme.colour("text2"))
            box = QRectF(x + mark + 6, line * height, width, height)
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, words)
