"""The rows of a table."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from heapq import nlargest

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLocale, QRect, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QHeaderView, QTableView, QWidget

from ppworkbench.core.data.numerals import code_text
from ppworkbench.core.data.table import Column, Table
from ppworkbench.gui.application import single_shot
from ppworkbench.gui.language import own_words, tr, translate
from ppworkbench.gui.numbers import column_decimals, number
from ppworkbench.gui.pages.data.view import DataView
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.attribute_box import attribute_tip
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.cells import PAD, CellDelegate, CellPalette
from ppworkbench.gui.widgets.cells import Column as TableColumn
from ppworkbench.gui.widgets.controls import Segmented
from ppworkbench.gui.widgets.layout import row, text
from ppworkbench.gui.widgets.table import ColumnModel, HeaderEnd, TableHeader, enable_copy
from ppworkbench.study.answer_state import state_words


class AnswerTexts:
    """What is told of the answers of a column: labels, or what the file stores for them."""

    def __init__(
        self, column: Column, shows_codes: bool, not_asked: NDArray[np.bool_] | None = None
    ) -> None:
        self._column, self._not_asked = column, not_asked
        self._codes = column.attribute.codes if shows_codes else ()
        self._missing_codes = column.attribute.missing_codes if shows_codes else ()
        self._decimals: int | None = None

    def text(self, row: int) -> str:
        column = self._column
        if _is_missing(column, row):
            if self._not_asked is not None and self._not_asked[row]:
                return tr("not asked")
            why = 0 if column.why_missing is None else int(column.why_missing[row])
            known = self._missing_codes
            return code_text(known[why - 1].code) if 0 < why <= len(known) else tr("missing")
        answer = column.data[row]
        if column.is_categorical:
            codes, values = self._codes, column.attribute.values
            return code_text(codes[answer]) if codes else values[answer]
        if self._decimals is None:
            self._decimals = column_decimals(column.data)
        return number(float(answer), self._decimals)

    def is_missing(self, row: int) -> bool:
        return _is_missing(self._column, row)

    def tip(self, row: int) -> str:
        column = self._column
        if not _is_missing(column, row):
            if column.is_categorical:
                return column.attribute.values[int(column.data[row])]
            value = float(column.data[row])
            told: str = QLocale().toString(value, "g", 15)  # type: ignore[call-overload]  # stubs: int
            return told
        if self._not_asked is not None and self._not_asked[row]:
            return tr("The arm of this row does not ask the question.")
        why = 0 if column.why_missing is None else int(column.why_missing[row])
        if not 0 < why <= len(column.attribute.missing_codes):
            return tr("The cell is empty.")
        code = column.attribute.missing_codes[why - 1]
        if code.label and code.label != code_text(code.code):
            return tr("The file has %s here: %s.") % (code_text(code.code), code.label)
        return tr("The file has %s here: missing.") % code_text(code.code)


class AnswerColumns(Sequence[TableColumn[int]]):
    """One column per attribute, made when it comes into sight: a table may have thousands.

    Rows are the places of records.
    """

    def __init__(
        self,
        table: Table,
        shows_codes: bool,
        not_asked: Mapping[str, NDArray[np.bool_]] | None = None,
    ) -> None:
        self._table, self._shows_codes = table, shows_codes
        self._not_asked = not_asked or {}
        self._made: dict[int, TableColumn[int]] = {}

    def __len__(self) -> int:
        return len(self._table.columns)

    def __getitem__(self, place: int) -> TableColumn[int]:  # type: ignore[override]  # no slices
        found = self._made.get(place)
        if found is None:
            column = self._table.columns[place]
            texts = AnswerTexts(column, self._shows_codes, self._not_asked.get(column.name))
            shown = own_words(column.attribute.shown)
            found = self._made[place] = TableColumn(
                shown, texts.text, attribute_tip(column.name, column.attribute.label, shown),
                texts.tip, is_left=column.is_categorical, is_chip=texts.is_missing,
                subtitle=_caption(column),
            )  # fmt: skip
        return found


def _caption(column: Column) -> str:
    """The name of the column, and the unit of its numbers, where the head does not tell them."""
    attribute = column.attribute
    name = "" if attribute.shown == attribute.name else attribute.name
    unit = "" if column.is_categorical else own_words(attribute.unit)
    return ", ".join(words for words in (name, unit) if words)


def _is_missing(column: Column, row: int) -> bool:
    answer = column.data[row]
    # NaN is the only number that differs from itself.
    return bool(answer < 0) if column.is_categorical else bool(answer != answer)  # noqa: PLR0124


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


class RowNumbers(QHeaderView):
    """Numbers of records in grey, wide enough for the last one."""

    def __init__(self, themes: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Vertical, parent)
        self._inks = CellPalette(themes)
        self.setAccessibleName(self.tr("Row numbers"))
        self.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setHighlightSections(False)
        self.setMinimumSectionSize(12)

    def sizeHint(self) -> QSize:  # noqa: N802
        model = self.model()
        rows = 0 if model is None else model.rowCount()
        digits = max(len(number(rows)), 3)
        return QSize(self.fontMetrics().horizontalAdvance("0") * digits + 26, 0)

    def paintSection(self, painter: QPainter, rect: QRect, logicalIndex: int) -> None:  # noqa: N802
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

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._table: Table | None = None
        self._shows_codes = False
        self.answers: ColumnModel[int] = ColumnModel(
            themes, parent=self, row_title=lambda row: number(row + 1)
        )
        self.setObjectName("rows")
        self.setAccessibleName(self.tr("Preview"))
        self.head = TableHeader(themes, self)
        self.head.first_pad = PAD
        self.setHorizontalHeader(self.head)
        self.addScrollBarWidget(HeaderEnd(self.head), Qt.AlignmentFlag.AlignTop)
        self.setVerticalHeader(RowNumbers(themes, self))
        self.setModel(self.answers)
        self._marked: frozenset[int] = frozenset()
        self._fitted, self._wanted, self._letter = 0, _NOWHERE, 0
        self._widths: dict[str, int] = {}
        self._not_asked: Mapping[str, NDArray[np.bool_]] = {}
        self._fit_due = single_shot(self, self._fit_some)
        self._inks = CellPalette(themes)
        self._delegate = CellDelegate(themes, self.answers)
        self.setItemDelegate(self._delegate)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ContiguousSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        enable_copy(self)
        self._label_corner()
        themes.theme_changed.connect(self._rescale)
        self.answers.modelReset.connect(self._fit_columns)
        self._rescale()

    def show_table(
        self, table: Table | None, not_asked: Mapping[str, NDArray[np.bool_]] | None = None
    ) -> None:
        """Show another table; one of the same shape keeps the place of the scroll bars.

        ``not_asked`` are cells that are empty because nobody asked.
        """
        self._table, self._not_asked = table, not_asked or {}
        if table is None:
            self.answers.set_rows((), ())
        else:
            columns = AnswerColumns(table, self._shows_codes, self._not_asked)
            self.answers.set_rows(range(table.rows), columns)
            self.head.has_subtitles = any(map(_caption, table.columns))
            self.updateGeometries()

    def name_at(self, place: int) -> str:
        return "" if self._table is None else self._table.columns[place].name

    def show_codes(self, shows_codes: bool) -> None:
        if shows_codes != self._shows_codes:
            self._shows_codes = shows_codes
            self.show_table(self._table, self._not_asked)

    def mark(self, columns: frozenset[int]) -> None:
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
        last = self.answers.rowCount() - 1 if last < 0 else last
        for place in range(max(first, 0), last + 1):
            y = self.rowViewportPosition(place) + self.rowHeight(place) - 1
            painter.drawLine(0, y, right, y)
        painter.end()
        super().paintEvent(event)

    def _seen_columns(self) -> range:
        first, last = self.columnAt(0), self.columnAt(self.viewport().width() - 1)
        last = self.answers.columnCount() - 1 if last < 0 else last
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
        rows = self.answers.rowCount()
        if not rows:
            return 0, 0
        first = max(self.rowAt(0), 0)
        last = self.rowAt(self.viewport().height() - ROW_HEIGHT // 2)
        return first + 1, (rows if last < 0 else last + 1)

    def _label_corner(self) -> None:
        corner: QAbstractButton | None = self.findChild(QAbstractButton)
        if corner is not None:
            sign = text("#", "secondary")
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
        table = self._table
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
        cells, known = [*_longest(column)], self._widths
        if column.name in self._not_asked:
            # A tag has room around its words.
            cells.append(f"{tr('not asked')}  ")
        for cell in cells:
            if cell not in known:
                known[cell] = self._inks.metrics().horizontalAdvance(cell)
        widest = max((known[cell] for cell in cells), default=0)
        width = max(widest + 2 * PAD + 4, _NARROWEST)
        title = own_words(column.attribute.shown)
        if len(title) * self._letter * 1.1 > width - 2 * PAD - 4:
            names = self._inks.metrics("body", "semibold")
            width = max(width, names.horizontalAdvance(title) + 2 * PAD + 4)
        caption = _caption(column)
        if caption:
            width = max(width, self._inks.metrics("caption").horizontalAdvance(caption) + 2 * PAD)
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


class RowsCard(Card):
    """A title that tells which rows are seen, labels or codes, and the grid."""

    name_chosen = Signal(str)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(padding=0)
        self._view = DataView()
        self.heading = text(self.tr("Preview"), "strong")
        self.hint = text("", "captionHint")
        self.shown_as = Segmented(
            themes,
            self.tr("Show answers as"),
            [("labels", self.tr("Labels")), ("codes", self.tr("Codes"))],
        )
        self.shown_as.setObjectName("labelsOrCodes")
        self.view = RowsView(themes)
        self.model = self.view.answers
        self.head.setContentsMargins(14, 8, 14, 8)
        self.head.addWidget(self.heading)
        self.head.addWidget(self.hint)
        self.head.addStretch(1)
        self.head.addWidget(self.shown_as)
        self.body.setContentsMargins(1, 1, 1, 6)
        self.body.setSpacing(0)
        self.body.addLayout(self.head)
        self.body.addWidget(self.view, 1)
        self.shown_as.chosen.connect(lambda key: self.view.show_codes(key == "codes"))
        self.view.head.sectionClicked.connect(
            lambda place: self.name_chosen.emit(self.view.name_at(place))
        )
        self.view.verticalScrollBar().valueChanged.connect(self._tell_rows)
        self.view.verticalScrollBar().rangeChanged.connect(self._tell_rows)

    def set_view(self, view: DataView) -> None:
        """Show a table, and which of its attributes are selected."""
        before, self._view = self._view, view
        table = view.table
        if table is not before.table or view.not_asked is not before.not_asked:
            has_codes = table is not None and any(
                a.codes or a.missing_codes for a in table.attributes
            )
            reason = self.tr("The file has no codes.")
            self.shown_as.set_disabled({} if has_codes else {"codes": reason})
            if not has_codes:
                self.shown_as.set_current("labels")
                self.view.show_codes(False)
            self.view.show_table(table, view.not_asked)
            self.heading.setText(translate(state_words(view.study.state)).capitalize())
            self._tell_rows()
        names = () if table is None else table.names
        known = {name: place for place, name in enumerate(names)}
        places = [known[name] for name in view.selected if name in known]
        self.view.mark(frozenset(places))
        if places and (view.selected[:1] != before.selected[:1] or table is not before.table):
            self.view.show_column(places[0])

    def _tell_rows(self) -> None:
        first, last = self.view.visible_rows()
        rows = self.model.rowCount()
        if not rows:
            self.hint.setText(self.tr("there are no records"))
        elif (first, last) == (1, rows):
            self.hint.setText(self.tr("all %s rows") % number(rows))
        else:
            parts = (number(first), number(last), number(rows))
            self.hint.setText(self.tr("rows %s–%s of %s; scroll for the rest") % parts)
