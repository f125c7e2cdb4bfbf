"""The table of itemsets: its rows, their order and their picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import (
    QAbstractTableModel,
    QItemSelectionRange,
    QLineF,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QKeyEvent, QKeySequence, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from ppworkbench.core.progress import Progress
from ppworkbench.gui.icons import icon
from ppworkbench.gui.jobs import Job
from ppworkbench.gui.numbers import number
from ppworkbench.gui.pages.mine.texts import points, share
from ppworkbench.gui.theme import Theme, ThemeManager
from ppworkbench.gui.widgets.cells import TextCache
from ppworkbench.gui.widgets.table import copy_rows
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.analyses.mining_tables import (
    CONFIDENCE,
    LIFT,
    NAME,
    RAW,
    SIZE,
    SUPPORT,
    TRUE,
    ItemsetTable,
    Order,
    Places,
    empty_table,
)

AT_ONCE = 20_000
"""So many rows are arranged faster than anybody notices; more of them are a job."""


@dataclass(frozen=True)
class TableQuery:
    """What a person asked to see.

    ``least`` and ``most`` bound the number of items; a ``most`` of 0 is no bound. Every word of
    ``text`` has to occur in the name of an item of the row.
    """

    text: str = ""
    least: int = 1
    most: int = 0
    column: str = ""
    descending: bool = True


@dataclass(frozen=True, eq=False)
class RowOrder:
    """The rows that are shown, in order, and where the scale of their bars ends.

    The scale follows the sizes but not the words of the filter: it stays while somebody types.
    """

    order: Order
    reach: float


def arrange(listing: ItemsetTable, wish: TableQuery) -> RowOrder:
    """Filter and sort."""
    return RowOrder(_sorted(listing, wish), listing.reach(wish.least))


def _sorted(listing: ItemsetTable, wish: TableQuery) -> Order:
    rows = np.flatnonzero(_wanted(listing, wish))
    if wish.column == NAME:
        key = listing.name_rank[rows]
    elif wish.column:
        key = listing.numbers(wish.column)[rows]
    else:
        return rows
    # Rows that are not known stand last in either direction; ties keep the order they came in.
    known = ~np.isnan(key)
    order = np.argsort(-key[known] if wish.descending else key[known], kind="stable")
    return np.concatenate([rows[known][order], rows[~known]])


def _wanted(listing: ItemsetTable, wish: TableQuery) -> NDArray[np.bool_]:
    wanted = np.ones(listing.rows, bool)
    if wish.least > 1:
        wanted &= listing.size >= wish.least
    if wish.most:
        wanted &= listing.size <= wish.most
    for word in wish.text.lower().split():
        # One more place than items, so that the -1 of an empty place means "not in here".
        holds = np.array([word in name.lower() for name in listing.words] + [False])
        wanted &= _any(holds, listing.members) | _any(holds, listing.heads)
    return wanted


def _any(holds: NDArray[np.bool_], places: Places | None) -> NDArray[np.bool_] | np.bool_ | bool:
    return False if places is None else holds[places].any(axis=1)


Index = QModelIndex | QPersistentModelIndex

_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class ListingModel(QAbstractTableModel):
    """A listing through an order: sorting and filtering exchange the order, nothing is copied."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.listing: ItemsetTable = empty_table()
        self.order: Order = np.empty(0, np.intp)
        self.columns: tuple[str, ...] = self.listing.columns
        self.confidence = 0.95
        self.reach = 1.0

    def show(self, listing: ItemsetTable, arranged: RowOrder, confidence: float) -> None:
        """Show another listing, or other rows of the same."""
        self.beginResetModel()
        self.listing, self.order, self.confidence = listing, arranged.order, confidence
        self.reach = arranged.reach
        self.columns = listing.columns
        self.endResetModel()

    def place(self, row: int) -> int:
        """The place in the listing of a row that is shown."""
        return int(self.order[row])

    def row_of(self, place: int) -> int | None:
        """The row that shows a place of the listing; None where it is filtered out."""
        found = np.flatnonzero(self.order == place)
        return int(found[0]) if len(found) else None

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802
        """The number of rows that are shown."""
        return 0 if parent.isValid() else len(self.order)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802
        """The number of columns that are known."""
        return 0 if parent.isValid() else len(self.columns)

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Names and what they mean."""
        if orientation is Qt.Orientation.Vertical or not 0 <= section < len(self.columns):
            return None
        name = self.columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return self._title(name)
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"{self._title(name)}: {self._meaning(name)}"
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _LEFT if name in (NAME, self.listing.bar) else _RIGHT
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """One cell."""
        if not index.isValid():
            return None
        name = self.columns[index.column()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return self.text(self.place(index.row()), name)
        if role == Qt.ItemDataRole.ToolTipRole:
            if name == NAME:
                return self.listing.name(self.place(index.row()))
            return self.interval_words(self.place(index.row())) if name == self.listing.bar else ""
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _LEFT if name == NAME else _RIGHT
        return None

    def text(self, place: int, column: str) -> str:
        """What a cell says."""
        listing = self.listing
        if column == NAME:
            return listing.name(place)
        if column == SIZE:
            return number(int(listing.size[place]))
        value = float(listing.values[column][place])
        if column == LIFT:
            return number(value, 2)
        if column == listing.bar:
            return share(value)
        return points(value)

    def interval_words(self, place: int) -> str:
        """The estimate of a row with its interval, in words."""
        listing = self.listing
        value, low, high = (
            float(numbers[place])
            for numbers in (listing.values[listing.bar], listing.low, listing.high)
        )
        if np.isnan(low) or np.isnan(high):
            return share(value)
        words = self.tr("%s, between %s and %s in %s of 100 surveys")
        return words % (share(value), share(low), share(high), number(100 * self.confidence))

    def _title(self, name: str) -> str:
        level = number(100 * self.confidence)
        if name == self.listing.bar:
            has_interval = bool(np.isfinite(self.listing.high).any())
            if name == SUPPORT:
                if has_interval:
                    return self.tr("Estimated support ± %s %%") % level
                return self.tr("Support")
            return self.tr("Confidence ± %s %%") % level if has_interval else self.tr("Confidence")
        names = {
            NAME: self.tr("Items that occur together"),
            SIZE: self.tr("Size", "head"),
            SUPPORT: self.tr("Support"),
            CONFIDENCE: self.tr("Confidence"),
            LIFT: self.tr("Lift"),
            RAW: self.tr("Raw"),
            TRUE: self.tr("True"),
        }
        if name == NAME and self.listing.heads is not None:
            return self.tr("Who has these → also has")
        return names[name]

    def _meaning(self, name: str) -> str:
        meanings = {
            NAME: self.tr("Sort by the names of the items"),
            SIZE: self.tr("How many items the set has"),
            SUPPORT: self.tr("Share of all people who have all of the items, in percent"),
            CONFIDENCE: self.tr(
                "Share of those with the items before the arrow who also have those behind it"
            ),
            LIFT: self.tr(
                "How many times more frequent the items behind the arrow are among those who have "
                "the items before it; 1 means that the two have nothing to do with each other"
            ),
            RAW: self.tr("Counted in the distorted table, uncorrected, in percent"),
            TRUE: self.tr("Counted in the original table, in percent"),
        }
        return meanings[name]


EDGE, PAD = 14, 8
"""The first and last column keep the distance of the card's own title."""

_NUMBER = 58
"""The width of a percentage beside its bar."""


@dataclass(frozen=True)
class Lane:
    """A column that is seen: its name, and where it begins and ends without its margins."""

    name: str
    left: float
    right: float


@dataclass(frozen=True)
class Band:
    """A row that is seen, its place in the listing, and where it begins."""

    row: int
    place: int
    top: float
    is_chosen: bool


class ListingRows:
    """Draws column by column, all rows in one go: cell by cell takes three times as long."""

    def __init__(self, themes: ThemeManager, model: ListingModel) -> None:
        self._themes = themes
        self._model = model
        self._texts = TextCache(themes)
        self.minimum: float | None = None
        """Where the dashed line of the minimum stands."""
        self.is_stale = False

    def draw(
        self, painter: QPainter, bands: Sequence[Band], lanes: Sequence[Lane], height: float
    ) -> None:
        """Draw some rows of one height."""
        if not bands or not lanes:
            return
        theme = self._themes.theme
        left, right = lanes[0].left, lanes[-1].right
        for band in bands:
            if band.is_chosen:
                whole = QRectF(left - EDGE, band.top, right - left + 2 * EDGE, height)
                painter.fillRect(whole, theme.colour("accentTint"))
        painter.setPen(QPen(theme.colour("border"), 1))
        bottoms = [band.top + height - 0.5 for band in bands]
        painter.drawLines([QLineF(left, bottom, right, bottom) for bottom in bottoms])
        bar = self._model.listing.bar
        for lane in lanes:
            if lane.name == bar:
                self._draw_bars(painter, bands, lane, height)
            self._write(painter, bands, lane, height)

    def draw_focus(self, painter: QPainter, top: float, height: float) -> None:
        """Mark the row that keys move from."""
        painter.setPen(QPen(self._themes.theme.colour("focus"), 2))
        painter.drawLine(QLineF(1, top + 3, 1, top + height - 3))

    def _write(self, painter: QPainter, bands: Sequence[Band], lane: Lane, height: float) -> None:
        theme, model = self._themes.theme, self._model
        ink = "text2" if lane.name in (RAW, TRUE) else "text"
        painter.setPen(theme.colour("text3" if self.is_stale else ink))
        is_name, is_bar = lane.name == NAME, lane.name == model.listing.bar
        for band in bands:
            strong = is_bar or (is_name and band.is_chosen)
            area = QRectF(lane.left, band.top, lane.right - lane.left, height - 1)
            words = model.text(band.place, lane.name)
            weight = "semibold" if strong else "regular"
            self._texts.draw(painter, words, area, weight, is_right=not is_name)

    def _draw_bars(
        self, painter: QPainter, bands: Sequence[Band], lane: Lane, height: float
    ) -> None:
        theme, listing, reach = self._themes.theme, self._model.listing, self._model.reach
        scale = (lane.right - lane.left - theme.px(_NUMBER)) / reach
        half, cap = theme.px(5), theme.px(4)
        places = [band.place for band in bands]
        values = np.minimum(listing.values[listing.bar][places], reach).tolist()
        ends = np.clip(np.stack([listing.low[places], listing.high[places]]), 0.0, reach)
        middles = [band.top + (height - 1) / 2 for band in bands]
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        line, tint = _bar_inks(theme, self.is_stale)
        painter.setPen(QPen(line, 1.2))
        painter.setBrush(tint)
        for value, middle in zip(values, middles, strict=True):
            bar = QRectF(lane.left, middle - half, value * scale, 2 * half)
            painter.drawRoundedRect(bar.adjusted(0.6, 0.6, -0.6, -0.6), 1.5, 1.5)
        if self.minimum is not None and self.minimum <= reach:
            self._draw_minimum(painter, lane.left + self.minimum * scale, bands, height)
        painter.setPen(QPen(theme.colour("text3" if self.is_stale else "text"), 1.4))
        whiskers: list[QLineF] = []
        for low, high, middle in zip(*(lane.left + ends * scale).tolist(), middles, strict=True):
            # Where there is no interval both are no numbers.
            if low <= high:
                whiskers.append(QLineF(low, middle, high, middle))
                whiskers.append(QLineF(low, middle - cap, low, middle + cap))
                whiskers.append(QLineF(high, middle - cap, high, middle + cap))
        painter.drawLines(whiskers)
        painter.restore()

    def _draw_minimum(
        self, painter: QPainter, x: float, bands: Sequence[Band], height: float
    ) -> None:
        pen = QPen(self._themes.theme.colour("text2"), 1)
        pen.setDashPattern([3, 2])
        # The dashes belong to the rows: some may be drawn again, and all of them may be moved.
        pen.setDashOffset(bands[0].row * height % 5)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        pen.setCosmetic(True)
        painter.setPen(pen)
        painter.drawLine(
            QLineF(round(x) + 0.5, bands[0].top, round(x) + 0.5, bands[-1].top + height)
        )


def _bar_inks(theme: Theme, is_stale: bool) -> tuple[QColor, QColor]:
    if is_stale:
        return theme.colour("outline"), theme.colour("sunken")
    role = theme.role("reconstructed")
    return role.line, role.tint


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
        found = cast(Sequence[QItemSelectionRange], self.selectionModel().selection())
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
        found = cast(Sequence[QItemSelectionRange], self.selectionModel().selection())
        chosen = {
            row
            for part in found
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


class Arranger(QObject):
    """One per table. What was asked for last wins; the same is not done again."""

    arranged = Signal(object, object, object)
    """The listing, the wish, and what came of it."""

    def __init__(self, workbench: Workbench, name: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self._name = name
        self._job: Job | None = None
        self._last: tuple[ItemsetTable, TableQuery] | None = None

    def arrange(self, listing: ItemsetTable, wish: TableQuery) -> None:
        """Work out which rows are shown."""
        if self._last is not None and self._last[0] is listing and self._last[1] == wish:
            return
        self._last = listing, wish
        self._drop()
        if listing.rows <= AT_ONCE:
            self.arranged.emit(listing, wish, arrange(listing, wish))
            return

        def work(progress: Progress) -> RowOrder:
            progress(0.0)
            return arrange(listing, wish)

        def done(found: RowOrder) -> None:
            self._job = None
            self.arranged.emit(listing, wish, found)

        self._job = self._workbench.run(
            self.tr("Sorting"), work, done, key=f"mine arrange {self._name}", quiet=True
        )

    def forget(self) -> None:
        """Let go of the last table."""
        self._drop()
        self._last = None

    def _drop(self) -> None:
        if self._job is not None:
            self._job.disown()
            self._job = None
