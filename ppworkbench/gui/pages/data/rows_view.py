"""The grid of records: numbers at the left, chips for missing answers, marked columns."""

from __future__ import annotations

import re
import sys
from heapq import nlargest

import numpy as np
from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QHeaderView,
    QLabel,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from ppworkbench.core.data.table import Column
from ppworkbench.gui.pages.data.inks import Inks
from ppworkbench.gui.pages.data.laid_text import LaidText
from ppworkbench.gui.pages.data.number_text import column_decimals
from ppworkbench.gui.pages.data.rows_model import Index, RowsModel
from ppworkbench.gui.pages.data.table_header import PAD, HeaderEnd, TableHeader
from ppworkbench.gui.single_shot import single_shot
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.layouts import row, text
from ppworkbench.gui.widgets.table_copy import let_copy
from ppworkbench.gui.words import number

ROW_HEIGHT = 24
_NARROWEST, _WIDEST = 64, 190
_LOOK = 60
_MOST_VALUES = 500
_COMPARED = 4
"""Words of as many letters are not as wide as each other."""
_AT_FIRST, _AT_ONCE = 30, 120
"""So many columns are fitted along with the table, about as many as are seen, and so many in each
moment after that.
"""
_NOWHERE = sys.maxsize


class RowsDelegate(QStyledItemDelegate):
    """Text or number; a missing answer is an amber chip.

    It is called for every cell of every frame while somebody scrolls, so it asks the model
    directly.
    """

    def __init__(self, themes: ThemeManager, model: RowsModel) -> None:
        super().__init__()
        self._model = model
        self._inks = Inks(themes)
        self._texts = LaidText(themes, self._inks)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw one answer."""
        rect = option.rect
        content, is_missing, is_number = self._model.cell(index.row(), index.column())
        if is_missing:
            self._chip(painter, rect, content, is_number)
        else:
            area = rect.adjusted(PAD, 0, -PAD, 0)
            self._texts.draw(painter, content, area, is_right=is_number)
        if option.state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QPen(self._inks.colour("focus"), 2))
            painter.drawRect(QRectF(rect).adjusted(1, 1, -1, -2))

    def _chip(self, painter: QPainter, rect: QRect, content: str, is_right: bool) -> None:
        painter.setFont(self._inks.font("caption", "medium"))
        wide = self._inks.metrics("caption", "medium").horizontalAdvance(content) + 12
        width = min(wide, rect.width() - 2 * PAD)
        left = rect.right() - PAD - width if is_right else rect.left() + PAD
        box = QRectF(left, rect.top() + 3, width, rect.height() - 7)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._inks.colour("warningBg"))
        painter.drawRoundedRect(box, 4, 4)
        painter.setPen(self._inks.colour("warningText"))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, content)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setBrush(Qt.BrushStyle.NoBrush)


class RowNumbers(QHeaderView):
    """Numbers of records in grey, wide enough for the last one."""

    def __init__(self, themes: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Vertical, parent)
        self._inks = Inks(themes)
        self.setAccessibleName(self.tr("Numbers of the rows"))
        self.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setHighlightSections(False)
        self.setMinimumSectionSize(12)

    def sizeHint(self) -> QSize:  # noqa: N802
        """As wide as the last number."""
        model = self.model()
        rows = 0 if model is None else model.rowCount()
        digits = max(len(number(rows)), 3)
        return QSize(self.fontMetrics().horizontalAdvance("0") * digits + 26, 0)

    def paintSection(self, painter: QPainter, rect: QRect, logicalIndex: int) -> None:  # noqa: N802
        """Draw one number."""
        inks = self._inks
        painter.fillRect(rect, inks.colour("surface"))
        painter.setPen(inks.colour("grid"))
        painter.drawLine(rect.left() + 14, rect.bottom(), rect.right(), rect.bottom())
        painter.setFont(inks.font())
        painter.setPen(inks.colour("text3"))
        flags = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(rect.adjusted(0, 0, -PAD, -1), flags, number(logicalIndex + 1))


class RowsView(QTableView):
    """Scrolls by pixels; a click on a name is a choice of the attribute."""

    def __init__(self, themes: ThemeManager, model: RowsModel) -> None:
        super().__init__()
        self._themes = themes
        self._rows_model = model
        self.setObjectName("rows")
        self.setAccessibleName(self.tr("First rows"))
        self.head = TableHeader(themes, self)
        self.head.first_pad = PAD
        self.setHorizontalHeader(self.head)
        self.addScrollBarWidget(HeaderEnd(self.head), Qt.AlignmentFlag.AlignTop)
        self.setVerticalHeader(RowNumbers(themes, self))
        self.setModel(model)
        self._marked: frozenset[int] = frozenset()
        self._fitted, self._wanted, self._letter = 0, _NOWHERE, 0
        self._widths: dict[str, int] = {}
        self._fit_due = single_shot(self, self._fit_some)
        self._inks = Inks(themes)
        self._delegate = RowsDelegate(themes, model)
        self.setItemDelegate(self._delegate)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ContiguousSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        let_copy(self)
        self._label_corner()
        themes.theme_changed.connect(self._rescale)
        model.modelReset.connect(self._fit_columns)
        self._rescale()

    def mark(self, columns: frozenset[int]) -> None:
        """Tint some columns and their names."""
        changed, self._marked = self._marked ^ columns, columns
        self.head.mark(columns)
        for place in self._seen_columns():
            if place in changed:
                left, width = self.columnViewportPosition(place), self.columnWidth(place)
                self.viewport().update(left, 0, width, self.viewport().height())

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """Draw what lies under the answers: the tint of marked columns and hairlines."""
        painter = QPainter(self.viewport())
        right = self.head.length() - self.head.offset()
        rows = self.verticalHeader()
        height = min(rows.length() - rows.offset(), self.viewport().height())
        for place in self._seen_columns():
            if place in self._marked:
                left, width = self.columnViewportPosition(place), self.columnWidth(place)
                painter.fillRect(left, 0, width, height, self._inks.colour("accentTint"))
        painter.setPen(self._inks.colour("grid"))
        first, last = self.rowAt(0), self.rowAt(self.viewport().height() - 1)
        last = self._rows_model.rowCount() - 1 if last < 0 else last
        for place in range(max(first, 0), last + 1):
            y = self.rowViewportPosition(place) + self.rowHeight(place) - 1
            painter.drawLine(0, y, right, y)
        painter.end()
        super().paintEvent(event)

    def _seen_columns(self) -> range:
        first, last = self.columnAt(0), self.columnAt(self.viewport().width() - 1)
        last = self._rows_model.columnCount() - 1 if last < 0 else last
        return range(max(first, 0), last + 1)

    def show_column(self, place: int) -> None:
        """Scroll sideways until a column is seen; the rows stay where they are."""
        self._wanted = place if place >= self._fitted else _NOWHERE
        left, width = self.columnViewportPosition(place), self.columnWidth(place)
        room = self.viewport().width()
        if left >= 0 and left + width <= room:
            return
        # The view begins with a whole column, the first one from which this one still fits.
        first = place
        while first > 0 and left + width - self.columnViewportPosition(first - 1) <= room:
            first -= 1
        self.horizontalScrollBar().setValue(self.head.sectionPosition(first))

    def visible_rows(self) -> tuple[int, int]:
        """The first and last record that are seen, from 1; (0, 0) when there are none."""
        rows = self._rows_model.rowCount()
        if not rows:
            return 0, 0
        first = max(self.rowAt(0), 0)
        last = self.rowAt(self.viewport().height() - ROW_HEIGHT // 2)
        return first + 1, (rows if last < 0 else last + 1)

    def _label_corner(self) -> None:
        corner = self.findChild(QAbstractButton)
        if isinstance(corner, QAbstractButton):
            sign: QLabel = text("#", "secondary")
            sign.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            row(sign, parent=corner).setContentsMargins(0, 0, PAD, 0)

    def _rescale(self) -> None:
        self.verticalHeader().setDefaultSectionSize(self._themes.theme.px(ROW_HEIGHT))
        self._fit_columns()

    def _fit_columns(self) -> None:
        """Widths by a few long answers each: exact ones would measure every cell."""
        self._fitted, self._widths = 0, {}
        self._letter = self._inks.metrics("body", "semibold").horizontalAdvance("n")
        self._fit_some()

    def _fit_some(self) -> None:
        """Fit some columns and leave those that are out of sight for later."""
        table = self._rows_model.table
        if table is None:
            return
        many = _AT_ONCE if self._fitted else _AT_FIRST
        some = table.columns[self._fitted : self._fitted + many]
        self.head.blockSignals(True)
        for place, column in enumerate(some, self._fitted):
            self.setColumnWidth(place, self._width_of(column))
        self.head.blockSignals(False)
        self._fitted += len(some)
        if self._fitted < len(table.columns):
            self._fit_due.start()
        self.updateGeometries()
        if self._wanted < self._fitted:
            place, self._wanted = self._wanted, _NOWHERE
            self.show_column(place)

    def _width_of(self, column: Column) -> int:
        cells, known = _longest(column), self._widths
        for cell in cells:
            if cell not in known:
                known[cell] = self._inks.metrics().horizontalAdvance(cell)
        widest = max((known[cell] for cell in cells), default=0)
        width = max(widest + 2 * PAD + 4, _NARROWEST)
        if len(column.name) * self._letter * 1.1 > width - 2 * PAD - 4:
            names = self._inks.metrics("body", "semibold")
            width = max(width, names.horizontalAdvance(column.name) + 2 * PAD + 4)
        return min(width, _WIDEST)


_DIGIT = re.compile(r"\d")


def _longest(column: Column) -> list[str]:
    """Answers with the most letters among the first ones, of which one is the widest."""
    if column.is_categorical:
        return nlargest(_COMPARED, column.attribute.values[:_MOST_VALUES], key=len)
    decimals = column_decimals(column.data)
    head = column.data[:_LOOK]
    head = head[np.isfinite(head)]
    ends = (*(column.attribute.domain or ()), *((head.min(), head.max()) if len(head) else ()))
    # All digits are as wide as a zero, and separators about as wide as a comma.
    widest = max((f"{float(end):,.{decimals}f}" for end in ends), key=len, default="")
    return [_DIGIT.sub("0", widest)]
