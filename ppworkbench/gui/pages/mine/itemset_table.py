"""The table of itemsets or rules: its columns, its picture, and the sorting of its rows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from PySide6.QtCore import (
    QItemSelectionRange,
    QLineF,
    QObject,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from ppworkbench.analyses.mining.tables import (
    CONFIDENCE,
    LIFT,
    NAME,
    RAW,
    SIZE,
    SUPPORT,
    TRUE,
    ItemsetTable,
    RowOrder,
    TableQuery,
    order_rows,
)
from ppworkbench.core.progress import Progress
from ppworkbench.gui.language import tr
from ppworkbench.gui.numbers import number
from ppworkbench.gui.page_task import PageTask
from ppworkbench.gui.pages.mine.texts import points, share
from ppworkbench.gui.theme import Theme, ThemeManager, icon
from ppworkbench.gui.widgets.cells import TextCache
from ppworkbench.gui.widgets.table import EDGE, PAD, Column, ColumnModel, copy_rows
from ppworkbench.gui.workbench import Workbench

AT_ONCE = 20_000
"""So many rows are sorted faster than anybody notices; more of them are a job."""


def itemset_columns(order: RowOrder, confidence: float) -> list[Column[int]]:
    """The columns of a table, told by the number of the row: sorting copies nothing."""
    return [_column(order, name, confidence) for name in order.table.columns]


def _column(order: RowOrder, name: str, confidence: float) -> Column[int]:
    table, places = order.table, order.rows
    title, meaning = _title(table, name, confidence), _meaning(name)
    if name == NAME:
        return Column(title, lambda row: table.name(places[row]), meaning, is_left=True)
    if name == SIZE:
        return Column(title, lambda row: number(int(table.size[places[row]])), meaning, _no_tip)
    values = table.values[name]
    if name == table.bar:

        def tell(row: int) -> str:
            return interval_words(table, places[row], confidence)

        # The head stands over the bars, which begin at the left.
        return Column(title, lambda row: share(values[places[row]]), meaning, tell, is_left=True)
    if name == LIFT:
        return _lift_column(order, title, meaning)
    return Column(title, lambda row: points(values[places[row]]), meaning, _no_tip)


def _lift_column(order: RowOrder, title: str, meaning: str) -> Column[int]:
    table, places = order.table, order.rows
    lift = table.values[LIFT]

    def spoken(row: int) -> str:
        told = number(lift[places[row]], 2)
        return tr("%s, no association") % told if table.is_unrelated[places[row]] else told

    return Column(
        title, lambda row: number(lift[places[row]], 2), meaning,
        lambda row: lift_words(table, places[row]), spoken=spoken,
    )  # fmt: skip


def _no_tip(_: int) -> str:
    return ""


def lift_words(listing: ItemsetTable, place: int) -> str:
    """The interval of a rule's lift, and what it means; empty where there is none."""
    low, high = (float(ends[place]) for ends in listing.lift_ends)
    if np.isnan(low) or np.isnan(high):
        return ""
    if listing.is_unrelated[place]:
        words = tr("Interval %s to %s: no association")
    elif low > 1.0:
        words = tr("Interval %s to %s: together more often than by chance")
    else:
        words = tr("Interval %s to %s: together less often than by chance")
    return words % (number(low, 2), number(high, 2))


def interval_words(listing: ItemsetTable, place: int, confidence: float) -> str:
    """The number that a bar shows with its interval, in words."""
    value, low, high = (
        float(numbers[place])
        for numbers in (listing.values[listing.bar], listing.low, listing.high)
    )
    if np.isnan(low) or np.isnan(high):
        return share(value)
    words = tr("%s, interval %s to %s in %s of 100 surveys")
    return words % (share(value), share(low), share(high), number(100 * confidence))


def _title(listing: ItemsetTable, name: str, confidence: float) -> str:
    if name == listing.bar and bool(np.isfinite(listing.high).any()):
        level = number(100 * confidence)
        if name == SUPPORT:
            return tr("Support ± %s\u202f%%") % level
        return tr("Confidence ± %s\u202f%%") % level
    if name == NAME and listing.heads is not None:
        return tr("If → then")
    names = {
        NAME: tr("Itemset"),
        SIZE: tr("Size", "head"),
        SUPPORT: tr("Support"),
        CONFIDENCE: tr("Confidence"),
        LIFT: tr("Lift"),
        RAW: tr("Uncorrected"),
        TRUE: tr("True"),
    }
    return names[name]


def _meaning(name: str) -> str:
    meanings = {
        NAME: tr("Sort by item name"),
        SIZE: tr("Number of items in the set"),
        SUPPORT: tr("Share of respondents with all items, in percent"),
        CONFIDENCE: tr("Share of respondents with the left side who also have the right side"),
        LIFT: tr(
            "Frequency of the right side among respondents with the left side, relative "
            "to all; 1 means independent"
        ),
        RAW: tr("Counted in the distorted table, uncorrected, in percent"),
        TRUE: tr("Counted in the original table, in percent"),
    }
    return meanings[name]


_NUMBER = 58
"""The width of a percentage beside its bar."""


@dataclass(frozen=True)
class Lane:
    """A column that is seen, and where it begins and ends without its margins."""

    name: str
    column: Column[int]
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
    """Draws column by column, all rows in one go: cell by cell, as a delegate would, takes three
    times as long.
    """

    def __init__(self, themes: ThemeManager) -> None:
        self._themes = themes
        self._texts = TextCache(themes)
        self.minimum: float | None = None
        """Where the dashed line of the minimum stands."""
        self.is_stale = False
        self.name_lines = 1
        """Lines that names have which are too long for their column."""

    def draw(
        self,
        painter: QPainter,
        order: RowOrder,
        bands: Sequence[Band],
        lanes: Sequence[Lane],
        height: float,
    ) -> None:
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
        # Rules without an association are dimmed like results of another design.
        dim = [self.is_stale or bool(order.table.is_unrelated[band.place]) for band in bands]
        for lane in lanes:
            is_bar = lane.name == order.table.bar
            if is_bar:
                self._draw_bars(painter, order, bands, lane, height, dim)
            self._write(painter, bands, lane, height, dim, is_bar=is_bar)

    def draw_focus(self, painter: QPainter, top: float, height: float) -> None:
        """Mark the row that keys move from."""
        painter.setPen(QPen(self._themes.theme.colour("focus"), 2))
        painter.drawLine(QLineF(1, top + 3, 1, top + height - 3))

    def _write(
        self,
        painter: QPainter,
        bands: Sequence[Band],
        lane: Lane,
        height: float,
        dim: Sequence[bool],
        *,
        is_bar: bool,
    ) -> None:
        theme, say = self._themes.theme, lane.column.text
        ink = theme.colour("text2" if lane.name in (RAW, TRUE) else "text")
        dimmed = theme.colour("text3")
        is_name = lane.name == NAME
        for band, is_dim in zip(bands, dim, strict=True):
            painter.setPen(dimmed if is_dim else ink)
            strong = is_bar or (is_name and band.is_chosen)
            area = QRectF(lane.left, band.top, lane.right - lane.left, height - 1)
            weight = "semibold" if strong else "regular"
            words = say(band.row)
            if is_name and self.name_lines > 1:
                self._write_name(painter, words, area, weight)
            else:
                self._texts.draw(painter, words, area, weight, is_right=not is_name)

    def _write_name(self, painter: QPainter, words: str, area: QRectF, weight: str) -> None:
        """Write a name that may need several lines."""
        metrics = QFontMetricsF(self._themes.theme.font("body", weight))
        lines = break_name(words, area.width(), metrics)
        line = metrics.height()
        top = area.center().y() - len(lines) * line / 2
        for place, part in enumerate(lines):
            box = QRectF(area.left(), top + place * line, area.width(), line)
            self._texts.draw(painter, part, box, weight, is_right=False)

    def _draw_bars(
        self,
        painter: QPainter,
        order: RowOrder,
        bands: Sequence[Band],
        lane: Lane,
        height: float,
        dim: Sequence[bool],
    ) -> None:
        theme, listing, reach = self._themes.theme, order.table, order.reach
        scale = (lane.right - lane.left - theme.px(_NUMBER)) / reach
        half, cap = theme.px(5), theme.px(4)
        places = [band.place for band in bands]
        values = np.minimum(listing.values[listing.bar][places], reach).tolist()
        ends = np.clip(np.stack([listing.low[places], listing.high[places]]), 0.0, reach)
        middles = [band.top + (height - 1) / 2 for band in bands]
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        inks = {is_dim: _bar_inks(theme, is_dim) for is_dim in set(dim)}
        for value, middle, is_dim in zip(values, middles, dim, strict=True):
            line, tint = inks[is_dim]
            painter.setPen(QPen(line, 1.2))
            painter.setBrush(tint)
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


def _bar_inks(theme: Theme, is_dim: bool) -> tuple[QColor, QColor]:
    if is_dim:
        return theme.colour("outline"), theme.colour("sunken")
    role = theme.role("reconstructed")
    return role.line, role.tint


_BETWEEN_ITEMS = re.compile(r" (?=[+→] )")


def break_name(words: str, room: float, metrics: QFontMetricsF) -> tuple[str, ...]:
    """A name in one line, or in up to three where it is too long: between items if it can be."""
    if metrics.horizontalAdvance(words) <= room:
        return (words,)
    by_word = _fill_lines(words.split(" "), room, metrics)
    by_item = _fill_lines(_BETWEEN_ITEMS.split(words), room, metrics)
    # A break between items must not cost a line, nor leave an item that has no room.
    is_whole = all(metrics.horizontalAdvance(line) <= room for line in by_item)
    lines = by_item if is_whole and len(by_item) <= len(by_word) else by_word
    return (*lines[: _MOST_LINES - 1], " ".join(lines[_MOST_LINES - 1 :]))[: len(lines)]


def _fill_lines(parts: Sequence[str], room: float, metrics: QFontMetricsF) -> list[str]:
    """Put as many parts into each line as fit, and at least one."""
    lines: list[str] = []
    for part in parts:
        longer = f"{lines[-1]} {part}" if lines else ""
        if lines and metrics.horizontalAdvance(longer) <= room:
            lines[-1] = longer
        else:
            lines.append(part)
    return lines


def longest_names(order: RowOrder, metrics: QFontMetricsF) -> tuple[float, tuple[str, ...]]:
    """How much room the longest name of a listing takes, and those that take about as much."""
    table, rows = order.table, order.rows[:AT_ONCE]
    # The last width belongs to the -1 of places that are empty.
    widths = np.array([*(metrics.horizontalAdvance(word) for word in table.words), 0.0])
    plus, arrow = metrics.horizontalAdvance(" + "), metrics.horizontalAdvance(" → ")
    found = np.full(len(rows), 0.0 if table.heads is None else arrow)
    for side in (table.members, table.heads):
        if side is not None:
            places = side[rows]
            found += widths[places].sum(axis=1) + plus * ((places >= 0).sum(axis=1) - 1)
    longest = np.argsort(found)[: -_MEASURED - 1 : -1]
    names = tuple(table.name(int(place)) for place in rows[longest])
    return float(found.max(initial=0.0)), names


ROW_HEIGHT, _NEXT_LINE, _MOST_LINES = 29, 16, 3
"""The height of a row, what it grows by for every further line, and how many it may have."""
_MEASURED = 40
"""So many of the longest names tell how many lines all of them need."""
_WIDTHS = {SIZE: 52, SUPPORT: 70, LIFT: 56, RAW: 86, TRUE: 62, CONFIDENCE: 84}
_BAR, _BAR_MOST, _BAR_GIVES, _NAME_LEAST = 194, 340, 84, 180
MOST_COPIED = 5_000
"""A clipboard with more rows than these stops other programs; there is the export for them."""


class ListingHeader(QHeaderView):
    """Names in the alignment of their columns; a click sorts, an arrow tells by what."""

    def __init__(
        self,
        themes: ThemeManager,
        parent: QWidget | None = None,
        *,
        lines: int = 1,
        pad: int = PAD,
    ) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._lines, self._pad = lines, pad
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
        return QSize(0, self._themes.theme.px(28 + 12 * (self._lines - 1)))

    def paintSection(self, painter: QPainter, rect: QRect, logicalIndex: int) -> None:  # noqa: N802
        theme, model = self._themes.theme, self.model()
        role = Qt.ItemDataRole
        name = str(model.headerData(logicalIndex, Qt.Orientation.Horizontal, role.DisplayRole))
        side = model.headerData(logicalIndex, Qt.Orientation.Horizontal, role.TextAlignmentRole)
        painter.fillRect(rect, theme.colour("sunken"))
        painter.setFont(theme.font("caption", "semibold"))
        painter.setPen(theme.colour("text2"))
        is_last = logicalIndex == model.columnCount() - 1
        pad = self._pad
        area = rect.adjusted(EDGE if logicalIndex == 0 else pad, 0, -EDGE if is_last else -pad, 0)
        section, descending = self._sorted
        is_sorted = section == logicalIndex
        room = area.width() - (16 if is_sorted else 0)
        metrics = painter.fontMetrics()
        words = name
        if self._lines == 1:
            if metrics.horizontalAdvance(name) > room:
                # The confidence of intervals is also told by the tooltips of the bars.
                words = name.partition(" ±")[0]
            words = metrics.elidedText(words, Qt.TextElideMode.ElideRight, room)
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
    """Scrolls by pixels; Ctrl+C copies what is selected."""

    sort_requested = Signal(str)
    """The head of that column was clicked."""
    current_changed = Signal(int)
    """The place in the listing of the chosen row, -1 for none."""

    def __init__(self, themes: ThemeManager, name: str) -> None:
        super().__init__()
        self._themes = themes
        self._model: ColumnModel[int] = ColumnModel(themes, parent=self)
        self.order: RowOrder | None = None
        self._widest = 0.0
        """The room that the longest name takes."""
        self._longest: tuple[str, ...] = ()
        self.setAccessibleName(name)
        self.head = ListingHeader(themes, self)
        self.setHorizontalHeader(self.head)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setModel(self._model)
        self.rows = ListingRows(themes)
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
        themes.theme_changed.connect(self._rescale)
        self._rescale()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return () if self.order is None else self.order.table.columns

    @property
    def place(self) -> int:
        """The place in the listing of the current row, -1 for none."""
        row = self.currentIndex().row()
        return -1 if row < 0 or self.order is None else int(self.order.rows[row])

    def show_order(self, order: RowOrder, confidence: float) -> None:
        """Show another listing, or other rows of the same; nothing is chosen then."""
        self.selectionModel().reset()
        self.order = order
        self._model.set_rows(range(len(order.rows)), itemset_columns(order, confidence))
        self._measure()
        self.fit_columns()
        query = order.query
        section = self.names.index(query.column) if query.column in self.names else -1
        self.head.mark(section, query.descending)

    def show_marks(self, minimum: float | None, *, stale: bool) -> None:
        """Draw the line of a minimum; dim what belongs to another design."""
        if (self.rows.minimum, self.rows.is_stale) != (minimum, stale):
            self.rows.minimum, self.rows.is_stale = minimum, stale
            self.viewport().update()

    def select_place(self, place: int) -> None:
        """Choose the row of a place of the listing and scroll there; none for -1."""
        found = [] if self.order is None else np.flatnonzero(self.order.rows == place).tolist()
        if not found:
            self.clearSelection()
            self.setCurrentIndex(self._model.index(-1, -1))
            return
        row = found[0]
        if self.currentIndex().row() != row or not self.selectionModel().hasSelection():
            self.selectRow(row)
        self.scrollTo(self._model.index(row, 0))

    def _on_head(self, section: int) -> None:
        self.sort_requested.emit(self.names[section])

    def _on_current(self) -> None:
        # The mark of the current row is at its beginning, wherever the current cell is.
        self.viewport().update()
        self.current_changed.emit(self.place)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif event.key() == Qt.Key.Key_Escape and self.selectionModel().hasSelection():
            self.select_place(-1)
        else:
            super().keyPressEvent(event)

    def copy(self) -> int:
        """Put the selected rows on the clipboard, or all where none is; how many they are."""
        found = cast(Sequence[QItemSelectionRange], self.selectionModel().selection())
        rows = sorted({row for part in found for row in range(part.top(), part.bottom() + 1)})
        if not rows:
            rows = list(range(self._model.rowCount()))
        columns = self._model.columns
        told = [[column.text(row) for column in columns] for row in rows[:MOST_COPIED]]
        copy_rows([[column.title for column in columns], *told])
        return len(told)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        if self.order is None:
            return
        painter = QPainter(self.viewport())
        height = self.verticalHeader().defaultSectionSize()
        bands = self._bands(self.order, event.rect(), height)
        self.rows.draw(painter, self.order, bands, self._lanes(), height)
        row = self.currentIndex().row()
        if row >= 0 and self.hasFocus():
            self.rows.draw_focus(painter, self.rowViewportPosition(row), height)
        painter.end()

    def _bands(self, order: RowOrder, area: QRect, height: int) -> list[Band]:
        count = len(order.rows)
        first = max(self.rowAt(area.top()), 0)
        top = self.rowViewportPosition(first) if count else 0
        last = min(first + (area.bottom() - top) // height, count - 1)
        found = cast(Sequence[QItemSelectionRange], self.selectionModel().selection())
        chosen = {
            row
            for part in found
            for row in range(max(part.top(), first), min(part.bottom(), last) + 1)
        }
        places = order.rows[first : last + 1].tolist()
        return [
            Band(row, place, top + (row - first) * height, row in chosen)
            for row, place in enumerate(places, first)
        ]

    def _lanes(self) -> list[Lane]:
        names, columns = self.names, self._model.columns
        seen = [section for section in range(len(names)) if not self.isColumnHidden(section)]
        found = []
        for section in seen:
            left = self.columnViewportPosition(section)
            right = left + self.columnWidth(section)
            before = EDGE if section == seen[0] else PAD
            after = EDGE if section == seen[-1] else PAD
            found.append(Lane(names[section], columns[section], left + before, right - after))
        return found

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self.fit_columns()

    def fit_columns(self) -> None:
        """Fixed widths for numbers, the rest for the names; bars give way to long names."""
        if self.order is None:
            return
        px, names, bar = self._themes.theme.px, self.names, self.order.table.bar
        widths = {name: 0 if name == NAME else px(_BAR if name == bar else _WIDTHS[name])
                  for name in names}  # fmt: skip
        room = self.viewport().width()
        # A narrow table does without what the picture and the tooltip also tell.
        spare = SUPPORT if bar == CONFIDENCE else RAW
        is_narrow = sum(widths.values()) + px(_NAME_LEAST) - room > px(_BAR_GIVES)
        for section, name in enumerate(names):
            self.setColumnHidden(section, is_narrow and name == spare)
        if is_narrow and spare in widths:
            widths[spare] = 0
        # A wide table has room for longer bars, on which small differences are seen.
        widths[bar] = min(max(px(_BAR), round(0.3 * room)), px(_BAR_MOST))
        wanted = max(px(_NAME_LEAST), round(self._widest) + EDGE + PAD + 1)
        short = sum(widths.values()) + wanted - room
        if short > 0:
            # Names go on in another line before the heading above the bars is cut.
            heading = self.horizontalHeader().sectionSizeHint(names.index(bar))
            widths[bar] = max(widths[bar] - short, px(_BAR - _BAR_GIVES), heading)
        widths[NAME] = max(room - sum(widths.values()), px(90))
        for section, name in enumerate(names):
            if widths[name]:
                self.setColumnWidth(section, widths[name])
        self._set_lines(widths[NAME] - EDGE - PAD)

    def _set_lines(self, room: int) -> None:
        """Make all rows higher where a name needs more lines."""
        lines = 1
        if room < round(self._widest):
            metrics = QFontMetricsF(self._themes.theme.font("body", "semibold"))
            lines = max(len(break_name(name, room, metrics)) for name in self._longest)
        height = self._themes.theme.px(ROW_HEIGHT + (lines - 1) * _NEXT_LINE)
        self.rows.name_lines = lines
        if self.verticalHeader().defaultSectionSize() != height:
            self.verticalHeader().setDefaultSectionSize(height)

    def _measure(self) -> None:
        # A chosen name is bold.
        metrics = QFontMetricsF(self._themes.theme.font("body", "semibold"))
        self._widest, self._longest = 0.0, ()
        if self.order is not None:
            self._widest, self._longest = longest_names(self.order, metrics)

    def _rescale(self) -> None:
        self.verticalHeader().setDefaultSectionSize(self._themes.theme.px(ROW_HEIGHT))
        self._measure()
        self.fit_columns()


class RowSorter(QObject):
    """Sorts and filters one table. What was asked for last wins; the same is not done again."""

    sorted = Signal()
    """A job has found the order of many rows."""

    def __init__(self, workbench: Workbench, name: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.order: RowOrder | None = None
        """What came of the last query that was worked out."""
        self._asked: tuple[ItemsetTable, TableQuery] | None = None
        self._task: PageTask[RowOrder] = PageTask(workbench, f"mine sort {name}", self, quiet=True)
        self._task.finished.connect(self._on_finished)

    def sort(self, table: ItemsetTable, query: TableQuery) -> None:
        """Work out which rows are shown: at once, or in a job where they are many."""
        if self._asked == (table, query):
            return
        self._asked = table, query
        self._task.drop()
        if table.rows <= AT_ONCE:
            self.order = order_rows(table, query)
            return

        def work(progress: Progress) -> RowOrder:
            progress(0.0)
            return order_rows(table, query)

        self._task.start(self.tr("Sorting"), work)

    def forget(self) -> None:
        """Let go of the last table."""
        self._task.drop()
        self.order = self._asked = None

    def _on_finished(self, order: RowOrder) -> None:
        self.order = order
        self.sorted.emit()
