"""The grid of records: numbers at the left, chips for missing answers, marked columns."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPen
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

from ppworkbench.core.data.table import Column, Table
from ppworkbench.gui.pages.data.number_text import column_decimals
from ppworkbench.gui.pages.data.rows_model import IS_MISSING, Index, RowsModel
from ppworkbench.gui.pages.data.table_header import PAD, HeaderEnd, TableHeader
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.layouts import row, text
from ppworkbench.gui.words import number

ROW_HEIGHT = 24
_NARROWEST, _WIDEST = 64, 190
_LOOK = 60


class RowsDelegate(QStyledItemDelegate):
    """Text or number over a hairline; a missing answer is an amber chip."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self.marked: frozenset[int] = frozenset()

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw one answer."""
        theme = self._themes.theme
        rect = QRectF(option.rect)
        painter.save()
        if index.column() in self.marked:
            painter.fillRect(rect, theme.colour("accentTint"))
        elif option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, theme.colour("hover"))
        painter.setPen(QPen(theme.colour("grid"), 1))
        bottom = int(rect.bottom()) - 1
        painter.drawLine(int(rect.left()), bottom, int(rect.right()), bottom)
        area = rect.adjusted(PAD, 0, -PAD, -1)
        side = Qt.AlignmentFlag(index.data(Qt.ItemDataRole.TextAlignmentRole))
        content = str(index.data())
        if index.data(IS_MISSING):
            self._chip(painter, area, content, side)
        else:
            painter.setFont(theme.font())
            painter.setPen(theme.colour("text"))
            words = painter.fontMetrics().elidedText(
                content.replace("\n", " "), Qt.TextElideMode.ElideRight, int(area.width())
            )
            painter.drawText(area, side, words)
        if option.state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QPen(theme.colour("focus"), 2))
            painter.drawRect(rect.adjusted(1, 1, -1, -2))
        painter.restore()

    def _chip(self, painter: QPainter, area: QRectF, content: str, side: Qt.AlignmentFlag) -> None:
        theme = self._themes.theme
        painter.setFont(theme.font("caption", "medium"))
        width = min(painter.fontMetrics().horizontalAdvance(content) + 12, area.width())
        right = bool(side & Qt.AlignmentFlag.AlignRight)
        left = area.right() - width if right else area.left()
        box = QRectF(left, area.top() + 3, width, area.height() - 6)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("warningBg"))
        painter.drawRoundedRect(box, 4, 4)
        painter.setPen(theme.colour("warningText"))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, content)


class RowNumbers(QHeaderView):
    """Numbers of records in grey, wide enough for the last one."""

    def __init__(self, themes: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Vertical, parent)
        self._themes = themes
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
        theme = self._themes.theme
        painter.save()
        painter.fillRect(rect, theme.colour("surface"))
        painter.setPen(QPen(theme.colour("grid"), 1))
        painter.drawLine(rect.left() + 14, rect.bottom(), rect.right(), rect.bottom())
        painter.setFont(theme.font())
        painter.setPen(theme.colour("text3"))
        flags = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        area = QRectF(rect).adjusted(0, 0, -PAD, -1)
        painter.drawText(area, flags, number(logicalIndex + 1))
        painter.restore()


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
        self._delegate = RowsDelegate(themes)
        self.setItemDelegate(self._delegate)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ContiguousSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self._label_corner()
        themes.theme_changed.connect(self._rescale)
        model.modelReset.connect(self._fit_columns)
        self._rescale()

    def mark(self, columns: frozenset[int]) -> None:
        """Tint some columns and their names."""
        if columns != self._delegate.marked:
            self._delegate.marked = columns
            self.head.mark(columns)
            self.viewport().update()

    def show_column(self, place: int) -> None:
        """Scroll sideways until a column is seen; the rows stay where they are."""
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
        """Widths by one long answer each: exact ones would measure every cell."""
        table = self._rows_model.table
        if table is None:
            return
        names = QFontMetrics(self._themes.theme.font("body", "semibold"))
        cells = QFontMetrics(self._themes.theme.font())
        self.head.blockSignals(True)
        for place, column in enumerate(table):
            name, cell = names.horizontalAdvance(column.name), _longest(column)
            width = max(name, cells.horizontalAdvance(cell)) + 2 * PAD + 4
            self.setColumnWidth(place, min(max(width, _NARROWEST), _WIDEST))
        self.head.blockSignals(False)
        self.updateGeometries()


def _longest(column: Column) -> str:
    """The answer with the most letters among the first ones."""
    if column.is_categorical:
        return max(column.attribute.values[:_LOOK], key=len, default="")
    decimals = column_decimals(column.data)
    numbers = (*(column.attribute.domain or ()), *column.data[:_LOOK].tolist())
    return max((number(one, decimals) for one in numbers), key=len, default="")


def places_of(table: Table | None, names: tuple[str, ...]) -> frozenset[int]:
    """Where some attributes stand in a table."""
    if table is None:
        return frozenset()
    wanted = set(names)
    return frozenset(i for i, column in enumerate(table) if column.name in wanted)
