"""The table of itemsets or rules."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from ppworkbench.gui.clipboard import copy_rows
from ppworkbench.gui.pages.mine.listing import (
    CONFIDENCE,
    LIFT,
    NAME,
    RAW,
    SIZE,
    SUPPORT,
    TRUE,
)
from ppworkbench.gui.pages.mine.listing_model import ListingModel
from ppworkbench.gui.pages.mine.listing_rows import EDGE, PAD, Band, Lane, ListingRows
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.theme.icons import icon

ROW_HEIGHT = 29
_WIDTHS = {SIZE: 52, SUPPORT: 70, LIFT: 56, RAW: 62, TRUE: 62, CONFIDENCE: 84}
_BAR, _BAR_MOST, _BAR_GIVES, _NAME_LEAST = 194, 340, 56, 150
MOST_COPIED = 5_000
"""A clipboard with more rows than these stops other programs; there is the export for them."""


class ListingHeader(QHeaderView):
    """Names in the alignment of their columns; a click sorts, an arrow tells by what."""

    def __init__(
        self, themes: ThemeManager, parent: QWidget | None = None, *, lines: int = 1
    ) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._lines = lines
        self._themes = themes
        self._sorted: tuple[int, bool] = (-1, True)
        self.setAccessibleName(self.tr("Names of the columns"))
        self.setHighlightSections(False)
        self.setSectionsClickable(True)
        self.setMinimumSectionSize(36)

    def mark(self, section: int, descending: bool) -> None:
        """Put the arrow on a column."""
        self._sorted = section, descending
        self.viewport().update()

    def sizeHint(self) -> QSize:  # noqa: N802
        """A little lower than a row."""
        return QSize(0, self._themes.theme.px(28 + 12 * (self._lines - 1)))

    def paintSection(self, painter: QPainter, rect: QRect, logicalIndex: int) -> None:  # noqa: N802
        """Draw one name with its arrow."""
        theme, model = self._themes.theme, self.model()
        role = Qt.ItemDataRole
        name = str(model.headerData(logicalIndex, Qt.Orientation.Horizontal, role.DisplayRole))
        side = model.headerData(logicalIndex, Qt.Orientation.Horizontal, role.TextAlignmentRole)
        painter.fillRect(rect, theme.colour("sunken"))
        painter.setFont(theme.font("caption", "semibold"))
        painter.setPen(theme.colour("text2"))
        is_last = logicalIndex == model.columnCount() - 1
        area = rect.adjusted(EDGE if logicalIndex == 0 else PAD, 0, -EDGE if is_last else -PAD, 0)
        section, descending = self._sorted
        is_sorted = section == logicalIndex
        room = area.width() - (16 if is_sorted else 0)
        metrics = painter.fontMetrics()
        words = name
        if self._lines == 1:
            words = metrics.elidedText(name, Qt.TextElideMode.ElideRight, room)
        if is_sorted:
            # The arrow hangs over the edge rather than push a number's name out of its column.
            width = metrics.horizontalAdvance(words)
            is_right = bool(side & Qt.AlignmentFlag.AlignRight)
            left = area.right() - 12 if is_right else area.left() + width + 4
            arrow = QRect(left, area.center().y() - 6, 13, 13)
            name_of = "chevron-down" if descending else "chevron-up"
            icon(name_of, theme.colour("text2")).paint(painter, arrow)
            if is_right:
                area = area.adjusted(0, 0, -15, 0)
        painter.drawText(area, side, words)


class ListingView(QTableView):
    """Scrolls by pixels and knows nothing but its model; Ctrl+C copies what is selected."""

    sort_requested = Signal(str)
    """The head of that column was clicked."""
    current_changed = Signal(int)
    """The place in the listing of the chosen row, -1 for none."""

    def __init__(self, themes: ThemeManager, model: ListingModel, name: str) -> None:
        super().__init__()
        self._themes = themes
        self._model = model
        self.setAccessibleName(name)
        self.head = ListingHeader(themes, self)
        self.setHorizontalHeader(self.head)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setModel(model)
        self.rows = ListingRows(themes, model)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.head.sectionClicked.connect(self._on_head)
        self.selectionModel().currentRowChanged.connect(self._on_current)
        model.modelReset.connect(self.fit_columns)
        themes.theme_changed.connect(self._rescale)
        self._rescale()

    def show_marks(self, minimum: float | None, *, stale: bool) -> None:
        """Draw the line of a minimum; dim what belongs to another design."""
        if (self.rows.minimum, self.rows.is_stale) != (minimum, stale):
            self.rows.minimum, self.rows.is_stale = minimum, stale
            self.viewport().update()

    def show_sorting(self, column: str, descending: bool) -> None:
        """Put the arrow on a column."""
        columns = self._model.columns
        self.head.mark(columns.index(column) if column in columns else -1, descending)

    def select_place(self, place: int) -> None:
        """Choose the row of a place of the listing and scroll there; none for -1."""
        row = None if place < 0 else self._model.row_of(place)
        if row is None:
            self.clearSelection()
            self.setCurrentIndex(self._model.index(-1, -1))
            return
        if self.currentIndex().row() != row or not self.selectionModel().hasSelection():
            self.selectRow(row)
        self.scrollTo(self._model.index(row, 0))

    def _on_head(self, section: int) -> None:
        self.sort_requested.emit(self._model.columns[section])

    def _on_current(self) -> None:
        row = self.currentIndex().row()
        # The mark of the current row is at its beginning, wherever the current cell is.
        self.viewport().update()
        self.current_changed.emit(self._model.place(row) if row >= 0 else -1)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Copy the selection; Esc lets it go."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif event.key() == Qt.Key.Key_Escape and self.selectionModel().hasSelection():
            self.select_place(-1)
        else:
            super().keyPressEvent(event)

    def copied_rows(self) -> list[list[str]]:
        """The head and the selected rows, or all that are shown where none is selected."""
        model = self._model
        found = self.selectionModel().selection()
        rows = sorted({row for part in found for row in range(part.top(), part.bottom() + 1)})
        if not rows:
            rows = list(range(model.rowCount()))
        places = [model.place(row) for row in rows[:MOST_COPIED]]
        head = [
            str(model.headerData(section, Qt.Orientation.Horizontal))
            for section in range(model.columnCount())
        ]
        return [head, *([model.text(place, name) for name in model.columns] for place in places)]

    def copy(self) -> int:
        """Put the rows on the clipboard, as text and as HTML; how many they are."""
        rows = self.copied_rows()
        copy_rows(rows)
        return len(rows) - 1

    def visible_rows(self) -> int:
        """How many rows fit, whole or in part."""
        first, last = self.rowAt(0), self.rowAt(self.viewport().height() - 2)
        if first < 0:
            return 0
        return (self._model.rowCount() - 1 if last < 0 else last) - first + 1

    def row_centre(self, row: int) -> QPoint:
        """Where a row is drawn, for a test that clicks on it."""
        return self.visualRect(self._model.index(row, 0)).center()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """Draw the rows that are seen."""
        painter = QPainter(self.viewport())
        height = self.verticalHeader().defaultSectionSize()
        bands = self._bands(event.rect(), height)
        self.rows.draw(painter, bands, self._lanes(), height)
        row = self.currentIndex().row()
        if row >= 0 and self.hasFocus():
            self.rows.draw_focus(painter, self.rowViewportPosition(row), height)
        painter.end()

    def _bands(self, area: QRect, height: int) -> list[Band]:
        count = self._model.rowCount()
        first = max(self.rowAt(area.top()), 0)
        top = self.rowViewportPosition(first) if count else 0
        last = min(first + (area.bottom() - top) // height, count - 1)
        chosen = {
            row
            for part in self.selectionModel().selection()
            for row in range(max(part.top(), first), min(part.bottom(), last) + 1)
        }
        return [
            Band(row, self._model.place(row), top + (row - first) * height, row in chosen)
            for row in range(first, last + 1)
        ]

    def _lanes(self) -> list[Lane]:
        columns = self._model.columns
        seen = [section for section in range(len(columns)) if not self.isColumnHidden(section)]
        found = []
        for section in seen:
            left = self.columnViewportPosition(section)
            right = left + self.columnWidth(section)
            before = EDGE if section == seen[0] else PAD
            after = EDGE if section == seen[-1] else PAD
            found.append(Lane(columns[section], left + before, right - after))
        return found

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Give the names what room there is."""
        super().resizeEvent(event)
        self.fit_columns()

    def fit_columns(self) -> None:
        """Fixed widths for numbers, the rest for the names."""
        px, columns = self._themes.theme.px, self._model.columns
        bar = self._model.listing.bar
        widths = [0 if name == NAME else px(_BAR if name == bar else _WIDTHS[name])
                  for name in columns]  # fmt: skip
        room = self.viewport().width()
        # A narrow table does without what the picture and the tooltip also tell.
        spare = SUPPORT if bar == CONFIDENCE else RAW
        for section, name in enumerate(columns):
            hidden = name == spare and sum(widths) + px(_NAME_LEAST) - room > px(_BAR_GIVES)
            self.setColumnHidden(section, hidden)
            if hidden:
                widths[section] = 0
        if bar in columns:
            # A wide table has room for longer bars, on which small differences are seen.
            widths[columns.index(bar)] = min(max(px(_BAR), round(0.3 * room)), px(_BAR_MOST))
        short = sum(widths) + px(_NAME_LEAST) - room
        if short > 0 and bar in columns:
            widths[columns.index(bar)] -= min(short, px(_BAR_GIVES))
        for section, width in enumerate(widths):
            if columns[section] == NAME:
                self.setColumnWidth(section, max(room - sum(widths), px(90)))
            elif width:
                self.setColumnWidth(section, width)

    def _rescale(self) -> None:
        self.verticalHeader().setDefaultSectionSize(self._themes.theme.px(ROW_HEIGHT))
        self.fit_columns()
