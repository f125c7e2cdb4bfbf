"""How one row of the attribute list is drawn."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from ppworkbench.gui.pages.data.attribute_model import IS_AMBER, IS_CLASS, KIND, Field, Index
from ppworkbench.gui.pages.data.icon_painter import IconPainter
from ppworkbench.gui.pages.data.inks import Inks
from ppworkbench.gui.pages.data.laid_text import LaidText
from ppworkbench.gui.pages.data.table_header import EDGE, PAD
from ppworkbench.gui.theme import ThemeManager

_ICON = 16


class AttributeDelegate(QStyledItemDelegate):
    """A hairline under each row, the selection as a tint, amber for what needs a look."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._inks = Inks(themes)
        self._texts = LaidText(themes, self._inks)
        self._icons = IconPainter(themes)
        self.is_read_only = False

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw one cell."""
        rect: QRect = option.rect
        which = index.column()
        is_selected = bool(option.state & QStyle.StateFlag.State_Selected)
        if is_selected:
            painter.fillRect(rect, self._inks.colour("accentTint"))
        elif option.state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(rect, self._inks.colour("hover"))
        else:
            start = rect.left() + (EDGE if which == Field.NAME else 0)
            stop = rect.right() - (EDGE if which == Field.REASON else 0)
            painter.setPen(self._inks.colour("grid"))
            painter.drawLine(start, rect.bottom(), stop, rect.bottom())
        area = rect.adjusted(EDGE if which == Field.NAME else PAD, 0, -PAD, 0)
        if which == Field.NAME:
            self._name(painter, area, index, is_selected)
        elif which == Field.KIND:
            self._kind(painter, area, index)
        elif which == Field.MISSING:
            self._missing(painter, area, index)
        elif which == Field.REASON:
            self._reason(painter, area, index, is_selected)
        else:
            self._texts.draw(painter, index.data(), area)

    def _name(self, painter: QPainter, area: QRect, index: Index, is_selected: bool) -> None:
        weight = "semibold" if is_selected else "medium"
        if not index.data(IS_CLASS):
            self._texts.draw(painter, index.data(), area, weight=weight)
            return
        badge = self.tr("class")
        wide = self._inks.metrics("caption", "medium").horizontalAdvance(badge) + 14
        room = area.adjusted(0, 0, -wide - 8, 0)
        used = self._texts.draw(painter, index.data(), room, weight=weight)
        box = QRectF(area.left() + used + 8, area.center().y() - 8, wide, 18)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._inks.colour("surface" if is_selected else "accentTint"))
        painter.drawRoundedRect(box, 6, 6)
        painter.setPen(self._inks.colour("accentInk"))
        painter.setFont(self._inks.font("caption", "medium"))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, badge)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)

    def _kind(self, painter: QPainter, area: QRect, index: Index) -> None:
        middle = area.center().y() + 0.5
        self._icons.draw(painter, f"kind-{index.data(KIND)}", "text2", area.left(), middle)
        self._texts.draw(painter, index.data(), area.adjusted(_ICON + PAD, 0, -18, 0))
        if not self.is_read_only:
            self._icons.draw(painter, "chevron-down", "text2", area.right() - 14, middle, 12)

    def _missing(self, painter: QPainter, area: QRect, index: Index) -> None:
        if not index.data(IS_AMBER):
            self._texts.draw(painter, index.data(), area, colour="text3", is_right=True)
            return
        used = self._texts.draw(
            painter, index.data(), area, colour="warningText", weight="semibold", is_right=True
        )
        left = area.right() - used - _ICON - 5
        self._icons.draw(painter, "warning", "warningText", left, area.center().y() + 0.5)

    def _reason(self, painter: QPainter, area: QRect, index: Index, is_selected: bool) -> None:
        # Grey of the third rank is too pale on the tint of a selection.
        colour = "text2" if is_selected else "text3"
        if index.data(IS_AMBER):
            colour = "warningText"
            self._icons.draw(painter, "warning", colour, area.left(), area.center().y() + 0.5)
            area = area.adjusted(_ICON + 6, 0, 0, 0)
        self._texts.draw(painter, index.data(), area, colour=colour)
