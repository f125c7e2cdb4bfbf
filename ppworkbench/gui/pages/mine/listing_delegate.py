"""Cells of a listing: names, numbers, and the bar with its interval."""

from __future__ import annotations

import math

from PySide6.QtCore import QLineF, QRectF, QSize
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from ppworkbench.gui.pages.mine.listing import NAME, RAW, TRUE
from ppworkbench.gui.pages.mine.listing_model import Index, ListingModel
from ppworkbench.gui.pages.mine.static_texts import StaticTexts
from ppworkbench.gui.theme import Theme, ThemeManager

EDGE, PAD = 14, 8
"""The first and last column keep the distance of the card's own title."""

_NUMBER = 58
"""The width of a percentage beside its bar."""


class ListingDelegate(QStyledItemDelegate):
    """Called for every cell of every frame while somebody scrolls: it asks the model directly."""

    def __init__(self, themes: ThemeManager, model: ListingModel) -> None:
        super().__init__()
        self._themes = themes
        self._model = model
        self._texts = StaticTexts(themes)
        self.minimum: float | None = None
        """Where the dashed line of the minimum stands."""
        self.is_stale = False

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: ARG002, N802
        """The view decides."""
        return QSize(40, self._themes.theme.px(29))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw one cell."""
        theme, model = self._themes.theme, self._model
        box = QRectF(option.rect)
        column = model.columns[index.column()]
        place = model.place(index.row())
        is_chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        if is_chosen:
            painter.fillRect(option.rect, theme.colour("accentTint"))
        is_first = index.column() == 0
        is_last = index.column() == len(model.columns) - 1
        self._rule(painter, box, is_first, is_last)
        area = box.adjusted(EDGE if is_first else PAD, 0, -EDGE if is_last else -PAD, -1)
        if column == model.listing.bar:
            self._bar(painter, area, place)
            return
        ink = "text2" if column in (RAW, TRUE) else "text"
        painter.setPen(theme.colour("text3" if self.is_stale else ink))
        weight = "semibold" if is_chosen and column == NAME else "regular"
        self._texts.draw(painter, model.text(place, column), area, weight, is_right=column != NAME)
        if option.state & QStyle.StateFlag.State_HasFocus and is_first:
            painter.setPen(QPen(theme.colour("focus"), 2))
            painter.drawLine(
                QLineF(box.left() + 1, box.top() + 3, box.left() + 1, box.bottom() - 3)
            )

    def _rule(self, painter: QPainter, box: QRectF, is_first: bool, is_last: bool) -> None:
        painter.setPen(QPen(self._themes.theme.colour("border"), 1))
        left = box.left() + (EDGE if is_first else 0)
        right = box.right() - (EDGE if is_last else 0)
        painter.drawLine(QLineF(left, box.bottom() - 0.5, right, box.bottom() - 0.5))

    def _bar(self, painter: QPainter, area: QRectF, place: int) -> None:
        theme, listing = self._themes.theme, self._model.listing
        value = float(listing.values[listing.bar][place])
        low, high = float(listing.low[place]), float(listing.high[place])
        room = QRectF(area.left(), area.top(), area.width() - theme.px(_NUMBER), area.height())
        reach = self._model.reach
        scale = room.width() / reach
        middle = area.center().y()
        half = theme.px(5)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._fill(painter, QRectF(room.left(), middle - half, min(value, reach) * scale, 2 * half))
        if self.minimum is not None and self.minimum <= reach:
            self._minimum(painter, room.left() + self.minimum * scale, area)
        if math.isfinite(low) and math.isfinite(high):
            left = room.left() + min(max(low, 0.0), reach) * scale
            right = room.left() + min(max(high, 0.0), reach) * scale
            self._whisker(painter, left, right, middle)
        painter.restore()
        painter.setPen(theme.colour("text3" if self.is_stale else "text"))
        words = self._model.text(place, listing.bar)
        self._texts.draw(painter, words, area, "semibold", is_right=True)

    def _fill(self, painter: QPainter, bar: QRectF) -> None:
        line, tint = _bar_inks(self._themes.theme, self.is_stale)
        painter.setPen(QPen(line, 1.2))
        painter.setBrush(tint)
        painter.drawRoundedRect(bar.adjusted(0.6, 0.6, -0.6, -0.6), 1.5, 1.5)

    def _minimum(self, painter: QPainter, x: float, area: QRectF) -> None:
        pen = QPen(self._themes.theme.colour("text2"), 1)
        pen.setDashPattern([3, 2])
        pen.setCosmetic(True)
        painter.setPen(pen)
        # Over the hairline too, so that it is one line from the first row to the last.
        painter.drawLine(QLineF(round(x) + 0.5, area.top(), round(x) + 0.5, area.bottom() + 1))

    def _whisker(self, painter: QPainter, left: float, right: float, middle: float) -> None:
        theme = self._themes.theme
        painter.setPen(QPen(theme.colour("text3" if self.is_stale else "text"), 1.4))
        cap = theme.px(4)
        painter.drawLines(
            [
                QLineF(left, middle, right, middle),
                QLineF(left, middle - cap, left, middle + cap),
                QLineF(right, middle - cap, right, middle + cap),
            ]
        )


def _bar_inks(theme: Theme, is_stale: bool) -> tuple[QColor, QColor]:
    if is_stale:
        return theme.colour("outline"), theme.colour("sunken")
    role = theme.role("reconstructed")
    return role.line, role.tint
