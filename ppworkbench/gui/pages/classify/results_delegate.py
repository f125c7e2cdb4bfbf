"""How the cells of the results table are drawn."""

from __future__ import annotations

import math

from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from ppworkbench.gui.pages.classify.results_model import (
    ACCURACY,
    F1,
    FOLDS,
    HOW,
    NAME,
    ROW,
    Index,
    ResultRow,
)
from ppworkbench.gui.plots.series import draw_marker, look_colour, look_marker
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.theme.icons import icon
from ppworkbench.gui.words import number

HEIGHT = 36
_RIGHT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight


class ResultsDelegate(QStyledItemDelegate):
    """A marker and a name, a mean in front of its deviation, a bar for unfinished folds."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: ARG002, N802
        """Rows of one line with room."""
        return QSize(60, self._themes.theme.px(HEIGHT))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw one cell."""
        theme = self._themes.theme
        row: ResultRow = index.data(ROW)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(option.rect)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(box, theme.colour("accentTint"))
        elif index.row() + 1 < index.model().rowCount():
            painter.setPen(QPen(theme.colour("border"), 1))
            painter.drawLine(box.bottomLeft(), box.bottomRight())
        if getattr(index.model(), "is_stale", False):
            painter.setOpacity(0.55)
        inner = box.adjusted(14 if index.column() == NAME else 6, 0, -10, 0)
        if index.column() == NAME:
            self._draw_name(painter, inner, row)
        elif index.column() == ACCURACY:
            self._draw_accuracy(painter, inner, row)
        elif index.column() == FOLDS:
            self._draw_folds(painter, inner, row, str(index.data() or ""))
        else:
            bold = index.column() == F1 and row.is_best
            painter.setFont(theme.font("body", "semibold" if bold else "regular"))
            painter.setPen(theme.colour("text2" if index.column() == HOW else "text"))
            words = str(index.data() or "")
            flags = _RIGHT if index.column() > HOW else Qt.AlignmentFlag.AlignVCenter
            shown = painter.fontMetrics().elidedText(
                words, Qt.TextElideMode.ElideRight, int(inner.width())
            )
            painter.drawText(inner, flags, shown)
        painter.restore()

    def _draw_name(self, painter: QPainter, box: QRectF, row: ResultRow) -> None:
        theme, middle = self._themes.theme, box.center().y()
        if row.look.startswith("series"):
            spot = QPointF(box.left() + 7, middle)
            draw_marker(painter, look_marker(row.look), spot, 4.5, look_colour(theme, row.look))
        else:
            pen = QPen(theme.colour("text2"), 1.6)
            pen.setDashPattern([1.2, 2.2] if row.look == "dots" else [3.2, 2])
            painter.setPen(pen)
            painter.drawLine(QLineF(box.left(), middle, box.left() + 16, middle))
        words = box.adjusted(26, 0, 0, 0)
        painter.setFont(theme.font("body", "semibold" if row.is_best else "medium"))
        painter.setPen(theme.colour("text"))
        room = words.width() - (18 if row.is_best or row.error else 0)
        shown = painter.fontMetrics().elidedText(row.name, Qt.TextElideMode.ElideRight, int(room))
        painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, shown)
        x = words.left() + painter.fontMetrics().horizontalAdvance(shown) + 4
        spot = QRectF(x, middle - 7.5, 15, 15).toRect()
        if row.error:
            icon("warning", theme.colour("warningText")).paint(painter, spot)
        elif row.is_best:
            icon("star", theme.colour("accentInk")).paint(painter, spot)

    def _draw_accuracy(self, painter: QPainter, box: QRectF, row: ResultRow) -> None:
        theme = self._themes.theme
        painter.setFont(theme.font("caption"))
        painter.setPen(theme.colour("text2"))
        room = painter.fontMetrics().horizontalAdvance("± 0.000") + 6
        if math.isfinite(row.sd):
            painter.drawText(box, _RIGHT, f"± {number(row.sd, 3)}")
        painter.setFont(theme.font("body", "bold" if row.is_best else "regular"))
        painter.setPen(theme.colour("text"))
        painter.drawText(box.adjusted(0, 0, -room, 0), _RIGHT, number(row.mean, 3))

    def _draw_folds(self, painter: QPainter, box: QRectF, row: ResultRow, words: str) -> None:
        theme = self._themes.theme
        running = 0 < row.done + row.failed < row.total
        painter.setFont(theme.font("caption", "medium" if running else "regular"))
        painter.setPen(theme.colour("text" if running else "text3"))
        painter.drawText(box.adjusted(0, 0, 0, -6) if running else box, _RIGHT, words)
        if running:
            bar = QRectF(box.right() - 46, box.center().y() + 8, 46, 3)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour("border"))
            painter.drawRoundedRect(bar, 1.5, 1.5)
            bar.setWidth(46 * (row.done + row.failed) / row.total)
            painter.setBrush(theme.colour("accent"))
            painter.drawRoundedRect(bar, 1.5, 1.5)
