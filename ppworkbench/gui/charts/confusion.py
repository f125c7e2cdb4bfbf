"""A confusion matrix as a heat map with its numbers."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QContextMenuEvent, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from ppworkbench.core.arrays import Numbers
from ppworkbench.gui.charts.chart_export import Rows, picture_menu
from ppworkbench.gui.dialogs import show_menu
from ppworkbench.gui.numbers import for_people, number, percent
from ppworkbench.gui.theme import ThemeManager, contrast, set_outline, smooth_painter

_MOST = 8
"""Classes that are shown by themselves; rarer ones are drawn together."""
_GAP = 3.0


class ConfusionGrid(QWidget):
    """Rows are true classes, columns what they were taken for; the shade is the share of the row.

    A class without records has empty cells.
    """

    def __init__(self, themes: ThemeManager, name: str) -> None:
        super().__init__()
        self.themes = themes
        self.names: tuple[str, ...] = ()
        self.counts: Numbers = np.zeros((0, 0))
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        themes.theme_changed.connect(self.update)

    def sizeHint(self) -> QSize:  # noqa: N802
        px = self.themes.theme.px
        return QSize(300, px(24) + max(len(self.names), 2) * px(self._line()))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        px = self.themes.theme.px
        return QSize(200, px(24) + max(len(self.names), 2) * px(38 if len(self.names) < 4 else 24))

    def _line(self) -> int:
        return 48 if len(self.names) <= 3 else 34

    def show_matrix(self, names: tuple[str, ...], counts: Numbers) -> None:
        """Show other counts, the rarest of many classes together."""
        self.names, self.counts = _merged(names, np.asarray(counts, np.float64), self.tr("others"))
        self.setAccessibleDescription(
            "; ".join(" ".join(map(for_people, row)) for row in self.rows()[1:])
        )
        self.updateGeometry()
        self.update()

    @property
    def shares(self) -> Numbers:
        """The share of every row that lies in each column; NaN where a row is empty."""
        totals = self.counts.sum(axis=1, keepdims=True)
        shares: Numbers = np.divide(
            self.counts, totals, out=np.full_like(self.counts, np.nan), where=totals > 0
        )
        return shares

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        k, theme = len(self.names), self.themes.theme
        if not k:
            return
        painter = smooth_painter(self)
        caption = theme.font("caption")
        metrics = QFontMetricsF(caption)
        wanted = max(metrics.horizontalAdvance(self.tr("true %s") % name) for name in self.names)
        left = min(wanted + 10, self.width() * 0.36)
        top = float(theme.px(20))
        width, height = (self.width() - left) / k, min((self.height() - top) / k, theme.px(64))
        painter.setFont(caption)
        painter.setPen(theme.colour("text2"))
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        for place, name in enumerate(self.names):
            head = QRectF(left + place * width, 0, width, top)
            words = self._column_words(metrics, name, width - 4)
            painter.drawText(head, Qt.AlignmentFlag.AlignCenter, words)
            side = QRectF(0, top + place * height, left - 8, height)
            words = metrics.elidedText(
                self.tr("true %s") % name, Qt.TextElideMode.ElideRight, side.width()
            )
            painter.drawText(side, right, words)
        for i in range(k):
            for j in range(k):
                box = QRectF(left + j * width, top + i * height, width, height)
                self._draw_cell(painter, box.adjusted(0, 0, -_GAP, -_GAP), i, j)
        if self.hasFocus():
            set_outline(painter, QPen(theme.colour("focus"), 2))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 6, 6)

    def _column_words(self, metrics: QFontMetricsF, name: str, room: float) -> str:
        whole = self.tr("predicted %s") % name
        if metrics.horizontalAdvance(whole) <= room:
            return whole
        return metrics.elidedText(name, Qt.TextElideMode.ElideRight, room)

    def _draw_cell(self, painter: QPainter, box: QRectF, i: int, j: int) -> None:
        theme, share, count = self.themes.theme, self.shares[i, j], self.counts[i, j]
        empty = not share > 0
        fill = theme.heat_colour(0.0 if empty else float(share))
        painter.setPen(QPen(theme.colour("border"), 1) if empty else Qt.PenStyle.NoPen)
        painter.setBrush(fill)
        painter.drawRoundedRect(box, 4, 4)
        painter.setPen(theme.colour("text3") if empty else QColor(contrast(fill)))
        both = box.height() >= theme.px(36) and box.width() >= theme.px(64)
        font = theme.font("body" if box.width() >= theme.px(44) else "caption", "semibold")
        painter.setFont(font)
        digits = 0 if count >= 10 or float(count).is_integer() else 1
        upper = box.adjusted(0, 4, 0, -box.height() / 2) if both else box
        painter.drawText(upper, Qt.AlignmentFlag.AlignCenter, number(count, digits))
        if both:
            painter.setFont(theme.font("caption"))
            words = "–" if np.isnan(share) else percent(float(share))
            if box.width() >= theme.px(96):
                words = self.tr("%s of the row") % words
            lower = box.adjusted(0, box.height() / 2 - 2, 0, -3)
            painter.drawText(lower, Qt.AlignmentFlag.AlignCenter, words)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802
        """Offer to copy or save the picture and its numbers."""
        show_menu(picture_menu(self, self.rows), event.globalPos())

    def rows(self) -> Rows:
        """The numbers as a table."""
        head = ["", *(self.tr("predicted %s") % name for name in self.names)]
        return [
            head,
            *(
                [self.tr("true %s") % name, *(f"{count:.6g}" for count in row)]
                for name, row in zip(self.names, self.counts.tolist(), strict=True)
            ),
        ]


def _merged(
    names: tuple[str, ...], counts: Numbers, others: str
) -> tuple[tuple[str, ...], Numbers]:
    if len(names) <= _MOST:
        return names, counts
    frequent = np.sort(np.argsort(-counts.sum(axis=1), kind="stable")[: _MOST - 1])
    place = np.full(len(names), _MOST - 1)
    place[frequent] = np.arange(_MOST - 1)
    merged = np.zeros((_MOST, _MOST))
    np.add.at(merged, (place[:, None], place[None, :]), counts)
    return (*(names[i] for i in frequent), others), merged
