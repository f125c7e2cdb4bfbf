"""How the boxes and branches of a tree are drawn."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QPen

from ppworkbench.gui.plots.tree_layout import ABOVE, BAR, PADDING, Placed, TreeFonts
from ppworkbench.gui.plots.tree_node import TreeNode
from ppworkbench.gui.theme import Theme

_BORDERS = {"": "outline", "accent": "accentInk", "warning": "warningLine"}


class TreeInk:
    """Draws in the colours and the type of one theme."""

    def __init__(self, theme: Theme, fonts: TreeFonts) -> None:
        self._theme = theme
        self._fonts = fonts

    def branch(self, painter: QPainter, parent: Placed, child: Placed, *, strong: bool) -> None:
        """A curve from a box to one below it."""
        start, end = parent.bottom, child.top
        path = QPainterPath(start)
        middle = (start.y() + end.y()) / 2
        path.cubicTo(QPointF(start.x(), middle + 8), QPointF(end.x(), middle - 8), end)
        colour = self._theme.colour("accentInk" if strong else "outline")
        painter.setPen(QPen(colour, 2.4 if strong else 1.2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(path)

    def edge(self, painter: QPainter, parent: Placed, child: Placed, *, strong: bool) -> None:
        """The words on a branch, beside its lower end."""
        words = child.node.edge
        if not words:
            return
        font = self._fonts.strong if strong else self._fonts.caption
        metrics = QFontMetricsF(font)
        words = metrics.elidedText(words, Qt.TextElideMode.ElideRight, 120)
        width = metrics.horizontalAdvance(words)
        right = child.top.x() >= parent.bottom.x()
        x = child.top.x() + 6 if right else child.top.x() - 6 - width
        box = QRectF(x, child.top.y() - metrics.height() - 5, width, metrics.height())
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.colour("surface"))
        painter.drawRect(box.adjusted(-2, 0, 2, 0))
        self._text(painter, box, words, font, "accentInk" if strong else "text2")

    def badge(self, painter: QPainter, placed: Placed) -> None:
        """The pill below a box."""
        if not placed.node.badge:
            return
        metrics = QFontMetricsF(self._fonts.strong)
        width, height = metrics.horizontalAdvance(placed.node.badge) + 16, metrics.height() + 4
        at = placed.bottom
        pill = QRectF(at.x() - width / 2, at.y() + 10, width, height)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.colour("accentTint"))
        painter.drawRoundedRect(pill, height / 2, height / 2)
        self._text(painter, pill, placed.node.badge, self._fonts.strong, "accentInk")

    def box(self, painter: QPainter, placed: Placed, *, chosen: bool, on_path: bool) -> None:
        """A box with all that stands in it."""
        node, theme = placed.node, self._theme
        border = theme.colour(_BORDERS[node.border])
        width = 2.0 if node.border else 1.0
        if chosen or on_path:
            border, width = theme.colour("accentInk"), 2.0
        fill = "accentTint" if on_path else "sunken" if node.is_leaf else "surface"
        painter.setPen(QPen(border, width))
        painter.setBrush(theme.colour(fill))
        painter.drawRoundedRect(placed.box, 6, 6)
        if chosen and on_path:
            painter.setPen(QPen(theme.colour("focus"), 1.5, Qt.PenStyle.DotLine))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(placed.box.adjusted(-3.5, -3.5, 3.5, 3.5), 8, 8)
        self._content(painter, placed, on_path=on_path)

    def _content(self, painter: QPainter, placed: Placed, *, on_path: bool) -> None:
        node, fonts = placed.node, self._fonts
        # Weaker ink would not stand out from the tint of a path.
        caption = "text2" if on_path or node.is_leaf else "text3"
        box = placed.box.adjusted(PADDING, ABOVE, -PADDING, -ABOVE)
        top = self._line(painter, box, box.top(), node.title, fonts.title, "text")
        for line in node.lines:
            top = self._line(painter, box, top, line, fonts.caption, caption)
        if node.headline:
            top = self._line(painter, box, top + 1, node.headline, fonts.headline, "text") + 1
        if node.share is not None:
            top = self._bar(painter, box, top, node)
        if node.note:
            warns = node.border == "warning"
            font = fonts.strong if warns else fonts.caption
            self._line(painter, box, top, node.note, font, "warningText" if warns else caption)

    def _line(
        self, painter: QPainter, box: QRectF, top: float, words: str, font: QFont, ink: str
    ) -> float:
        metrics = QFontMetricsF(font)
        shown = metrics.elidedText(words, Qt.TextElideMode.ElideRight, box.width() + 1)
        area = QRectF(box.left() - 4, top, box.width() + 8, metrics.height())
        self._text(painter, area, shown, font, ink)
        return top + metrics.height()

    def _bar(self, painter: QPainter, box: QRectF, top: float, node: TreeNode) -> float:
        theme, fonts = self._theme, self._fonts
        if node.share_label or node.share_text:
            height = QFontMetricsF(fonts.caption).height()
            area = QRectF(box.left(), top, box.width(), height)
            left, right = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight
            self._text(painter, area, node.share_label, fonts.caption, "text2", left)
            self._text(painter, area, node.share_text, fonts.strong, "text", right)
            top += height
        bar = QRectF(box.left(), top + 3, box.width(), BAR)
        share = min(max(node.share or 0.0, 0.0), 1.0)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("border"))
        painter.drawRoundedRect(bar, 3, 3)
        if share > 0:
            full = QRectF(bar.left(), bar.top(), max(bar.width() * share, 3.0), bar.height())
            painter.setBrush(_mixed(theme.colour("accent"), theme.colour("accentLine"), 0.6))
            painter.drawRoundedRect(full, 3, 3)
        if node.mark is not None:
            x = bar.left() + bar.width() * min(max(node.mark, 0.0), 1.0)
            painter.setPen(QPen(theme.colour("text"), 2))
            painter.drawLine(QPointF(x, bar.top() - 3), QPointF(x, bar.bottom() + 3))
        return top + BAR + 6

    def _text(
        self,
        painter: QPainter,
        area: QRectF,
        words: str,
        font: QFont,
        ink: str,
        align: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignHCenter,
    ) -> None:
        painter.setFont(font)
        painter.setPen(self._theme.colour(ink))
        painter.drawText(area, align | Qt.AlignmentFlag.AlignVCenter, words)


def _mixed(first: QColor, second: QColor, share: float) -> QColor:
    parts = [
        round(a + (b - a) * share)
        for a, b in zip(first.getRgb()[:3], second.getRgb()[:3], strict=True)
    ]
    return QColor(*parts)
