"""How one row of the attribute list is drawn."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from ppworkbench.gui.pages.data.attribute_model import IS_AMBER, IS_CLASS, KIND, Field, Index
from ppworkbench.gui.pages.data.icon_painter import IconPainter
from ppworkbench.gui.pages.data.table_header import EDGE, PAD
from ppworkbench.gui.theme import Theme, ThemeManager

_ICON = 16


class AttributeDelegate(QStyledItemDelegate):
    """A hairline under each row, the selection as a tint, amber for what needs a look."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._icons = IconPainter(themes)
        self.is_read_only = False

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw one cell."""
        theme = self._themes.theme
        painter.save()
        rect = QRectF(option.rect)
        is_selected = bool(option.state & QStyle.StateFlag.State_Selected)
        if is_selected:
            painter.fillRect(rect, theme.colour("accentTint"))
        elif option.state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(rect, theme.colour("hover"))
        else:
            self._rule(painter, rect, index)
        which = Field(index.column())
        left = EDGE if which is Field.NAME else PAD
        area = rect.adjusted(left, 0, -PAD, 0)
        painter.setFont(theme.font())
        if which is Field.NAME:
            self._name(painter, area, index, theme, is_selected)
        elif which is Field.KIND:
            self._kind(painter, area, index, theme)
        elif which is Field.MISSING:
            self._missing(painter, area, index, theme)
        else:
            self._words(painter, area, index, theme, is_selected)
        painter.restore()

    def _rule(self, painter: QPainter, rect: QRectF, index: Index) -> None:
        start = EDGE if index.column() == Field.NAME else 0
        stop = EDGE if index.column() == Field.REASON else 0
        painter.setPen(QPen(self._themes.theme.colour("grid"), 1))
        y = rect.bottom() - 0.5
        painter.drawLine(int(rect.left() + start), int(y), int(rect.right() - stop), int(y))

    def _name(
        self, painter: QPainter, area: QRectF, index: Index, theme: Theme, is_selected: bool
    ) -> None:
        painter.setPen(theme.colour("text"))
        painter.setFont(theme.font("body", "semibold" if is_selected else "medium"))
        room = area.width()
        badge = self.tr("class") if index.data(IS_CLASS) else ""
        caption = theme.font("caption", "medium")
        if badge:
            painter.setFont(caption)
            wide = painter.fontMetrics().horizontalAdvance(badge) + 14
            painter.setFont(theme.font("body", "semibold" if is_selected else "medium"))
            room -= wide + 8
        used = _elided(painter, area, index.data(), room)
        if badge:
            box = QRectF(area.left() + used + 8, area.center().y() - 9, wide, 18)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour("surface" if is_selected else "accentTint"))
            painter.drawRoundedRect(box, 6, 6)
            painter.setPen(theme.colour("accentInk"))
            painter.setFont(caption)
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, badge)

    def _kind(self, painter: QPainter, area: QRectF, index: Index, theme: Theme) -> None:
        middle = area.center().y()
        self._icons.draw(painter, f"kind-{index.data(KIND)}", "text2", area.left(), middle)
        painter.setPen(theme.colour("text"))
        words = area.adjusted(_ICON + PAD, 0, -18, 0)
        _elided(painter, words, index.data(), words.width())
        if not self.is_read_only:
            self._icons.draw(painter, "chevron-down", "text2", area.right() - 14, middle, 12)

    def _missing(self, painter: QPainter, area: QRectF, index: Index, theme: Theme) -> None:
        is_amber = index.data(IS_AMBER)
        painter.setPen(theme.colour("warningText" if is_amber else "text3"))
        if is_amber:
            painter.setFont(theme.font("body", "semibold"))
        flags = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        text = str(index.data())
        painter.drawText(area, flags, text)
        if is_amber:
            used = painter.fontMetrics().horizontalAdvance(text)
            left = area.right() - used - _ICON - 6
            self._icons.draw(painter, "warning", "warningText", left, area.center().y())

    def _words(
        self, painter: QPainter, area: QRectF, index: Index, theme: Theme, is_selected: bool
    ) -> None:
        colour = "text"
        if index.column() == Field.REASON:
            # Grey of the third rank is too pale on the tint of a selection.
            colour = "text2" if is_selected else "text3"
            if index.data(IS_AMBER):
                colour = "warningText"
                self._icons.draw(painter, "warning", colour, area.left(), area.center().y())
                area = area.adjusted(_ICON + 6, 0, 0, 0)
        painter.setPen(theme.colour(colour))
        _elided(painter, area, index.data(), area.width())


def _elided(painter: QPainter, area: QRectF, content: str, room: float) -> int:
    """Write as much of a line as there is room for; how wide it became."""
    metrics = painter.fontMetrics()
    words = metrics.elidedText(content, Qt.TextElideMode.ElideRight, int(room))
    painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, words)
    return metrics.horizontalAdvance(words)
