"""Names at the left and notes at the right of rows, in two lines where there is a caption."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

from ppworkbench.gui.plots.quiet_axis import QuietAxis
from ppworkbench.gui.theme import ThemeManager

Line = tuple[str, str, bool]
"""Words, a caption below them, and whether they are bold."""

_WIDEST = 190


class _WordsAxis(QuietAxis):
    """An axis that writes words beside every row instead of ticks."""

    side = "left"
    ink = "text"
    gap = 14

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(self.side)
        self._themes = themes
        self._lines: tuple[Line, ...] = ()
        self.setStyle(tickLength=0)
        self.setWidth(0)

    def show_rows(self, lines: Sequence[Line]) -> None:
        """Write other words."""
        self._lines = tuple(lines)
        theme = self._themes.theme
        weights = [QFontMetricsF(theme.font("body", w)) for w in ("regular", "semibold")]
        small = QFontMetricsF(theme.font("caption"))
        widths = [
            max(
                weights[bold or bool(caption)].horizontalAdvance(words),
                small.horizontalAdvance(caption),
            )
            for words, caption, bold in self._lines
        ]
        widest = max(widths, default=0.0)
        self.setWidth(min(widest, theme.px(_WIDEST)) + self.gap if widest else 4)
        self.picture = None
        self.update()

    def paint(self, painter: QPainter, option: Any, widget: Any = None) -> None:  # noqa: ARG002
        """Write every row at its height."""
        if not self._lines:
            return
        theme = self._themes.theme
        painter.save()
        box = self.boundingRect()
        height = self.geometry().height() / len(self._lines)
        width = self.geometry().width() - self.gap
        left = 0.0 if self.side == "left" else float(self.gap)
        for place, (words, caption, bold) in enumerate(self._lines):
            line = QRectF(left, box.top() * 0 + place * height, width, height)
            strong = bold or bool(caption)
            painter.setFont(theme.font("body", "semibold" if strong else "regular"))
            painter.setPen(theme.colour("text" if bold or self.side == "left" else "text2"))
            metrics = painter.fontMetrics()
            shown = metrics.elidedText(words, Qt.TextElideMode.ElideRight, int(width) + 1)
            if caption and height >= 2 * metrics.height() - 4:
                half = metrics.height()
                upper = QRectF(left, line.center().y() - half, width, half)
                painter.drawText(upper, self._flags(), shown)
                painter.setFont(theme.font("caption"))
                painter.setPen(theme.colour("text3"))
                lower = QRectF(left, line.center().y() - 1, width, half)
                painter.drawText(lower, self._flags(), caption)
            else:
                painter.drawText(line, self._flags(), shown)
        painter.restore()

    def _flags(self) -> Qt.AlignmentFlag:
        side = Qt.AlignmentFlag.AlignLeft if self.side == "left" else Qt.AlignmentFlag.AlignRight
        return side | Qt.AlignmentFlag.AlignVCenter


class NamesAxis(_WordsAxis):
    """What the rows are called."""


class NotesAxis(_WordsAxis):
    """What the rows come to."""

    side = "right"
