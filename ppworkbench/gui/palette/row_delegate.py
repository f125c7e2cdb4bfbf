"""How a command looks in the list: its name, where else it is, its keys, and why it rests."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from ppworkbench.gui.palette.matches import FOUND, Found, Index
from ppworkbench.gui.theme import ThemeManager

ROW = 34
_TWO_LINES = 46
_PAD = 12
_GAP = 10
_KEYS = 88
"""Room for the keys, so that what stands left of them begins at one line."""
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class RowDelegate(QStyledItemDelegate):
    """Typed letters stand out; a command that cannot be used is grey with its reason below."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: ARG002, N802
        """A line, or two where there is a reason."""
        found: Found = index.data(FOUND)
        return QSize(120, self._themes.theme.px(ROW if found.command.can_run else _TWO_LINES))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw one command."""
        found: Found = index.data(FOUND)
        theme = self._themes.theme
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        box = QRectF(option.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if chosen or option.state & QStyle.StateFlag.State_MouseOver:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour("accentTint" if chosen else "hover"))
            painter.drawRoundedRect(box.adjusted(4, 1, -4, -1), 6, 6)
        inside = box.adjusted(_PAD, 0, -_PAD, 0)
        line = QRectF(inside)
        if not found.command.can_run:
            line.setHeight(theme.px(26))
            line.translate(0, theme.px(2))
        end = self._draw_keys(painter, line, found.command.keys)
        end = self._draw_place(painter, QRectF(line.left(), line.top(), end, line.height()), found)
        self._draw_name(painter, QRectF(line.left(), line.top(), end, line.height()), found, chosen)
        if not found.command.can_run:
            self._draw_reason(painter, inside, found.command.reason)
        painter.restore()

    def _draw_keys(self, painter: QPainter, line: QRectF, keys: str) -> float:
        """Draw the keys at the right end, where room is kept for them; how much width is left."""
        theme = self._themes.theme
        left = line.width() - theme.px(_KEYS) - _GAP
        if not keys:
            return left
        font = theme.font("caption", "medium")
        width = QFontMetrics(font).horizontalAdvance(keys) + 14
        height = theme.px(19)
        badge = QRectF(line.right() - width, line.center().y() - height / 2, width, height)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("sunken"))
        painter.drawRoundedRect(badge, 6, 6)
        painter.setFont(font)
        painter.setPen(theme.colour("text2"))
        painter.drawText(badge, Qt.AlignmentFlag.AlignCenter, keys)
        return min(left, line.width() - width - _GAP)

    def _draw_place(self, painter: QPainter, line: QRectF, found: Found) -> float:
        """Draw where else the command is; how much width is left for its name."""
        theme = self._themes.theme
        painter.setFont(theme.font("caption"))
        painter.setPen(theme.colour("text2"))
        words = found.command.place
        room = QFontMetrics(theme.font("body", "semibold")).horizontalAdvance(found.command.words)
        most = max(line.width() - room - _GAP, line.width() / 4)
        metrics = painter.fontMetrics()
        words = metrics.elidedText(words, Qt.TextElideMode.ElideRight, int(most))
        flags = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(line, flags, words)
        return line.width() - metrics.horizontalAdvance(words) - _GAP

    def _draw_name(self, painter: QPainter, line: QRectF, found: Found, chosen: bool) -> None:
        theme = self._themes.theme
        plain, strong = theme.font("body"), theme.font("body", "semibold")
        ink = theme.colour("text" if found.command.can_run else "text3")
        marked = theme.colour("accentInk") if found.command.can_run or chosen else ink
        words = QFontMetrics(strong).elidedText(
            found.command.words, Qt.TextElideMode.ElideRight, int(line.width())
        )
        x = line.left()
        for piece, is_typed in pieces(words, found.places):
            font: QFont = strong if is_typed else plain
            painter.setFont(font)
            painter.setPen(marked if is_typed else ink)
            painter.drawText(
                QRectF(x, line.top(), line.right() - x + 2, line.height()), _LEFT, piece
            )
            x += QFontMetrics(font).horizontalAdvance(piece)

    def _draw_reason(self, painter: QPainter, inside: QRectF, reason: str) -> None:
        theme = self._themes.theme
        painter.setFont(theme.font("caption"))
        painter.setPen(theme.colour("text2"))
        height = theme.px(18)
        line = QRectF(inside.left(), inside.bottom() - height - theme.px(3), inside.width(), height)
        words = painter.fontMetrics().elidedText(
            reason, Qt.TextElideMode.ElideRight, int(line.width())
        )
        painter.drawText(line, _LEFT, words)


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
