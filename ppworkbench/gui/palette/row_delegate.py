"""How a command looks in the list: its name, where else it is, its keys, and why it rests."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from ppworkbench.gui.palette.matches import FOUND, Found, Index
from ppworkbench.gui.theme import ThemeManager

ROW = 34
_TWO_LINES = 46
_PAD = 12
_GAP = 10
_KEYS = 88
"""Room for the keys, so that what stands left of them begins at one line."""


class RowDelegate(QStyledItemDelegate):
    """Typed letters stand out; a command that cannot be used is grey with its reason below.

    Words are drawn at a point: within a box Qt would lay each of them out as a paragraph.
    """

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._metrics: dict[tuple[str, str], QFontMetrics] = {}
        themes.theme_changed.connect(self._forget)

    def _forget(self) -> None:
        self._metrics.clear()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: ARG002, N802
        """A line, or two where there is a reason."""
        found: Found = index.data(FOUND)
        return QSize(120, self._themes.theme.px(ROW if found.command.can_run else _TWO_LINES))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw one command."""
        found: Found = index.data(FOUND)
        theme, state = self._themes.theme, option.state
        chosen = bool(state & QStyle.StateFlag.State_Selected)
        box = QRectF(option.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if chosen or state & QStyle.StateFlag.State_MouseOver:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour("accentTint" if chosen else "hover"))
            painter.drawRoundedRect(box.adjusted(4, 1, -4, -1), 6, 6)
        inside = box.adjusted(_PAD, 0, -_PAD, 0)
        line = QRectF(inside)
        if not found.command.can_run:
            line.setHeight(theme.px(26))
            line.translate(0, theme.px(2))
        line.setRight(self._draw_keys(painter, line, found.command.keys))
        line.setRight(self._draw_place(painter, line, found))
        self._draw_name(painter, line, found, chosen)
        if not found.command.can_run:
            self._draw_reason(painter, inside, found.command.reason)
        painter.restore()

    def _measure(self, style: str, weight: str = "regular") -> QFontMetrics:
        key = style, weight
        if key not in self._metrics:
            self._metrics[key] = QFontMetrics(self._themes.theme.font(style, weight))
        return self._metrics[key]

    def _write(
        self, painter: QPainter, left: float, line: QRectF, words: str, ink: QColor, *font: str
    ) -> None:
        """Write words in the middle of a line."""
        metrics = self._measure(*font)
        base = line.center().y() + (metrics.ascent() - metrics.descent()) / 2
        painter.setFont(self._themes.theme.font(*font))
        painter.setPen(ink)
        painter.drawText(QPointF(left, base), words)

    def _draw_keys(self, painter: QPainter, line: QRectF, keys: str) -> float:
        """Draw the keys at the right end, where room is kept for them; where it begins."""
        theme = self._themes.theme
        edge = line.right() - theme.px(_KEYS) - _GAP
        if not keys:
            return edge
        width = self._measure("caption", "medium").horizontalAdvance(keys) + 14
        height = theme.px(19)
        badge = QRectF(line.right() - width, line.center().y() - height / 2, width, height)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("sunken"))
        painter.drawRoundedRect(badge, 6, 6)
        ink = theme.colour("text2")
        self._write(painter, badge.left() + 7, badge, keys, ink, "caption", "medium")
        return min(edge, badge.left() - _GAP)

    def _draw_place(self, painter: QPainter, line: QRectF, found: Found) -> float:
        """Draw where else the command is; where it begins."""
        name = self._measure("body", "semibold").horizontalAdvance(found.command.words)
        most = max(line.width() - name - _GAP, line.width() / 4)
        words, width = self._cut(found.command.place, most, "caption")
        left = line.right() - width
        self._write(painter, left, line, words, self._themes.theme.colour("text2"), "caption")
        return left - _GAP

    def _draw_name(self, painter: QPainter, line: QRectF, found: Found, chosen: bool) -> None:
        theme = self._themes.theme
        ink = theme.colour("text" if found.command.can_run else "text3")
        marked = theme.colour("accentInk") if found.command.can_run or chosen else ink
        words, _ = self._cut(found.command.words, line.width(), "body", "semibold")
        x = line.left()
        for piece, is_typed in pieces(words, found.places):
            font = ("body", "semibold" if is_typed else "regular")
            self._write(painter, x, line, piece, marked if is_typed else ink, *font)
            x += self._measure(*font).horizontalAdvance(piece)

    def _draw_reason(self, painter: QPainter, inside: QRectF, reason: str) -> None:
        theme = self._themes.theme
        height = theme.px(18)
        line = QRectF(inside.left(), inside.bottom() - height - theme.px(3), inside.width(), height)
        words, _ = self._cut(reason, line.width(), "caption")
        self._write(painter, line.left(), line, words, theme.colour("text2"), "caption")

    def _cut(self, words: str, room: float, *font: str) -> tuple[str, int]:
        """As many words as there is room for, and how wide they are."""
        metrics = self._measure(*font)
        width = metrics.horizontalAdvance(words)
        if width <= room:
            return words, width
        words = metrics.elidedText(words, Qt.TextElideMode.ElideRight, int(room))
        return words, metrics.horizontalAdvance(words)


def pieces(words: str, places: tuple[int, ...]) -> list[tuple[str, bool]]:
    """A name cut where typed letters begin and end.

    >>> pieces("Export", (0, 1))
    [('Ex', True), ('port', False)]
    """
    typed = set(places)
    cut: list[tuple[str, bool]] = []
    for place, letter in enumerate(words):
        is_typed = place in typed
        if cut and cut[-1][1] == is_typed:
            cut[-1] = (cut[-1][0] + letter, is_typed)
        else:
            cut.append((letter, is_typed))
    return cut
