"""The table of results: a sheet as it is, sorted, with its intervals drawn, and copied."""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QMimeData, QModelIndex, QPoint, QPointF, QRect, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFontMetrics,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QMenu, QTableView, QWidget

from ppworkbench.core.message import Message
from ppworkbench.gui.language import tongue, tr, translate
from ppworkbench.gui.numbers import MINUS, THIN, number, percent, plain, with_unit
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets import cells
from ppworkbench.gui.widgets.cells import EDGE, PAD, WIDEST_SHARE, CellDelegate, unbroken
from ppworkbench.gui.widgets.provenance import invented_words
from ppworkbench.gui.widgets.table import (
    ColumnModel,
    add_script_menu,
    copy_tables,
    show_as_rows,
)
from ppworkbench.results.files import TABLES, TableKind
from ppworkbench.results.sheet import Column, JoinedTexts, Kind, Sheet

NOTHING = "–"
MOST_COPIED = 5_000
"""A clipboard with more rows than these stops other programs; there is the export for them."""
_SAMPLE, _NAMES, _MEASURED = 120, 2_000, 40
"""Rows whose numbers and whose names are looked at for the widths, and names that are measured."""
_ROW, _TALL, _NEXT_LINE, _MOST_LINES = 29, 44, 16, 4
"""The height of a row, of one with two kinds of words, and what another line of a name adds."""
_NAME, _WORDS = 140, 260
"""The least width of the first column, and the most that words of another one take."""
_GIVING = 52
"""The least width to which words give way where a table is too narrow for its columns."""
_BAR, _BAR_MOST = 56, 260
"""How long bars are at least and at most."""
_DECIMALS = {Kind.COUNT: 0, Kind.SHARE: 1, Kind.PERCENT: 1}


def cell_text(column: Column, row: int) -> str:
    """One value as the language of the window writes it; a dash where there is none."""
    value = column.values[row]
    if value is None:
        return NOTHING
    if isinstance(value, str):
        return translate(value) if isinstance(value, Message) else value
    return _number(column, float(value))


def _number(column: Column, value: float) -> str:
    if math.isnan(value):
        return NOTHING
    digits = _DECIMALS.get(column.kind) if column.decimals is None else column.decimals
    if column.kind is Kind.SHARE:
        return percent(value, 1 if digits is None else digits)
    if column.kind is Kind.PERCENT:
        return f"{number(value, 1 if digits is None else digits)}{THIN}%"
    if column.kind is Kind.P and value < 0.001:
        return f"< {number(0.001, 3)}"
    return plain(value) if digits is None else number(value, digits)


def head_text(column: Column) -> str:
    """What stands above a column: its name with the unit and the confidence of its interval."""
    words = with_unit(translate(column.head), translate(column.unit))
    return words if column.level is None else tr("%s ± %s") % (words, percent(column.level))


@dataclass(frozen=True, eq=False)
class RowLooks:
    """What a table shows of rows beside their values; rows are those of the sheet.

    Parameters
    ----------
    rule
        Where a dashed line stands across the bars.
    reach
        Where the bars end, where the rows that are shown do not tell.
    is_stale
        Whether all rows belong to an earlier state of the study.
    pale, chosen
        Rows that are paler than others, and those with the ground of a selection.
    mark
        Draws something before the first column.
    sign
        The icon behind the first column, and its colour.
    words
        What is said of a row beside its cells, to the pointer and to screen readers.
    """

    rule: float | None = None
    reach: float | None = None
    is_stale: bool = False
    pale: Callable[[int], bool] | None = None
    chosen: Container[int] = ()
    mark: Callable[[QPainter, int, QPointF], None] | None = None
    sign: Callable[[int], tuple[str, str]] | None = None
    words: Callable[[int], str] | None = None


class SheetTable(QTableView):
    """Shows a sheet; a click on a head sorts, Ctrl+C copies what is chosen, else all of it.

    Parameters
    ----------
    spare
        Keys of the columns that a narrow table leaves out, the first one first.
    chooses
        Whether rows can be chosen.
    hugs
        Whether the table ends with its last row; so many rows are seen without scrolling.
    pad
        The distance of numbers from their neighbours.
    wraps
        Whether names of rows go on in other lines where they are too long.
    sorts
        Whether a click on a head sorts it.
    """

    row_chosen = Signal(int)
    """The row of the sheet that is the current one now, -1 for none."""
    row_activated = Signal(int)
    """A row was clicked, or taken with Enter."""
    row_removed = Signal(int)
    """Delete was pressed on a row."""

    def __init__(  # noqa: PLR0913 (keywords with defaults)
        self,
        themes: ThemeManager,
        name: str,
        words: str,
        *,
        spare: Sequence[str] = (),
        chooses: bool = True,
        hugs: int = 0,
        pad: int = PAD,
        wraps: bool = False,
        sorts: bool = True,
    ) -> None:
        super().__init__()
        self._themes, self._spare, self._hugs = themes, spare, hugs
        self._pad, self._wraps, self._sorts = pad, wraps, sorts
        self.sheet: Sheet | None = None
        self.drawn: tuple[Column, ...] = ()
        self.looks = RowLooks()
        self._rows: NDArray[np.intp] = np.empty(0, np.intp)
        self._sorted: tuple[str, bool] = ("", True)
        self._kept: NDArray[np.bool_] | None = None
        self._details: frozenset[str] = frozenset()
        self._widths: tuple[int, ...] = ()
        self._longest: tuple[str, ...] = ()
        self._longer: dict[str, int] = {}
        """What words are wider than they are at first; they get it where names leave room."""
        self.sheet_model: ColumnModel[int] = ColumnModel(themes, parent=self)
        self._delegate = CellDelegate(
            themes, self.sheet_model, line="border", pad=pad, edge=EDGE, has_focus=chooses,
            is_marked=None if chooses else lambda row: row in self.looks.chosen,
        )  # fmt: skip
        self._delegate.last_pad = EDGE
        self.setObjectName(name)
        self.setAccessibleName(words)
        self.head = show_as_rows(self, themes, self.sheet_model, self._delegate)
        self.head.is_small, self.head.pad, self.head.last_pad = True, pad, EDGE
        self.head.setMinimumSectionSize(30)
        self.head.setSectionsClickable(sorts or chooses)
        mode = QAbstractItemView.SelectionMode
        self.setSelectionMode(mode.ExtendedSelection if chooses else mode.NoSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.head.sectionClicked.connect(self._on_head)
        self.selectionModel().currentRowChanged.connect(lambda *_: self.row_chosen.emit(self.place))
        self.clicked.connect(lambda index: self.row_activated.emit(self.sheet_row(index)))
        themes.follow(self._restyle)

    # What is shown

    def set_sheet(
        self,
        sheet: Sheet,
        looks: RowLooks | None = None,
        *,
        kept: NDArray[np.bool_] | None = None,
    ) -> None:
        """Show another sheet, or the rows of it that are kept.

        The order that somebody chose stays, else it is that of the sheet. A row of the same sheet
        stays chosen.
        """
        place = self.place if sheet is self.sheet else -1
        known = {one.key for one in sheet.columns}
        self.sheet, self.looks = sheet, RowLooks() if looks is None else looks
        if self._sorted[0] not in known:
            self._sorted = sheet.sort, True
        self._kept = kept
        self._rows = self._order(*self._sorted)
        self._fill(place)

    @property
    def sorting(self) -> tuple[str, bool]:
        """The column by which somebody sorted it, and whether the largest stands first."""
        return self._sorted

    @sorting.setter
    def sorting(self, sorting: tuple[str, bool]) -> None:
        self._sorted = sorting

    def _fill(self, place: int = -1) -> None:
        sheet = self.sheet
        if sheet is None:
            return
        self.drawn = sheet.drawn(self._details)
        self.selectionModel().reset()
        self.sheet_model.set_rows(
            self._rows.tolist(), tuple(self._columns(sheet)), stale=self.looks.is_stale
        )
        keys = [one.key for one in self.drawn]
        key, falls = self._sorted
        self.head.mark_sorted(keys.index(key) if key in keys else -1, falls=falls)
        self.head.lines = 1 + max((head_text(one).count("\n") for one in self.drawn), default=0)
        self._measure()
        self.fit()
        if place >= 0:
            self.select_place(place)

    def _columns(self, sheet: Sheet) -> Iterator[cells.Column[int]]:
        looks, main = self.looks, self._main(sheet)
        pale = looks.pale
        if looks.is_stale:
            pale = _always
        for place, one in enumerate(self.drawn):
            is_first = place == 0
            interval, scale = None, (0.0, 1.0)
            if one.key == main:
                interval, scale = self._interval(sheet, one)
            spread = None if not one.spread else _spread(sheet[one.spread])
            yield cells.Column(
                head_text(one), _text(one), translate(one.meaning),
                tip=self._tip(sheet, one, said=looks.words if is_first else None),
                spoken=self._spoken(sheet, one, looks.words if is_first else None),
                is_left=is_first or one.is_text or interval is not None,
                weight=_weight(one, interval is not None),
                interval=interval, scale=scale, rule=looks.rule if interval else None,
                spread=spread,
                widest_spread="" if spread is None else max(
                    (spread(row) for row in self._some()), key=len, default=""
                ),
                below=_text(sheet[one.note]) if one.note else None,
                mark=looks.mark if is_first else None,
                sign=(looks.sign or _star(one)) if is_first else None,
                is_pale=pale, wraps=is_first and self._wraps,
            )  # fmt: skip

    def _main(self, sheet: Sheet) -> str:
        """The column whose intervals are drawn; others tell theirs where the pointer rests."""
        able = [one.key for one in self.drawn if one.low]
        return sheet.sort if sheet.sort in able else next(iter(able), "")

    def _interval(
        self, sheet: Sheet, column: Column
    ) -> tuple[Callable[[int], tuple[float, float, float]], tuple[float, float]]:
        numbers = [
            np.asarray(sheet[key].values, np.float64)
            for key in (column.key, column.low, column.high)
        ]
        shown = [found[self._rows] for found in numbers]
        most = max(float(np.nanmax(found, initial=0.0)) for found in shown)
        least = min(float(np.nanmin(found, initial=0.0)) for found in shown)
        if column.kind is Kind.SHARE:
            most, least = min(most, 1.0), max(least, 0.0)
        most = max(most if self.looks.reach is None else self.looks.reach, least + 1e-6)
        value, low, high = (found.tolist() for found in numbers)
        return lambda row: (value[row], low[row], high[row]), (least, most)

    @staticmethod
    def _tip(
        sheet: Sheet, column: Column, said: Callable[[int], str] | None
    ) -> Callable[[int], str]:
        """All of a cell, and its interval where it has one."""

        def tip(row: int) -> str:
            parts = [f"{cell_text(column, row)}{interval_words(sheet, column, row)}"]
            if column.note:
                parts.append(cell_text(sheet[column.note], row))
            if said is not None:
                parts.append(said(row))
            return "\n".join(filter(None, parts))

        return tip

    @staticmethod
    def _spoken(
        sheet: Sheet, column: Column, said: Callable[[int], str] | None
    ) -> Callable[[int], str]:
        def spoken(row: int) -> str:
            words = cell_text(column, row)
            if row in column.best:
                words = tr("%s, best") % words
            words += interval_words(sheet, column, row)
            more = "" if said is None else said(row)
            return ", ".join(filter(None, (words, more)))

        return spoken

    # Rows

    @property
    def rows(self) -> NDArray[np.intp]:
        return self._rows

    @property
    def place(self) -> int:
        """The row of the sheet that is the current one, -1 for none."""
        return self.sheet_row(self.currentIndex())

    def sheet_row(self, index: QModelIndex) -> int:
        """The row of the sheet at a place of the table, -1 for none."""
        rows = self.sheet_model.rows
        return rows[index.row()] if index.isValid() and index.row() < len(rows) else -1

    def select_place(self, place: int) -> None:
        """Choose a row of the sheet and scroll there; none for -1 or one that is not shown."""
        found = np.flatnonzero(self._rows == place).tolist()
        if not found:
            self.clearSelection()
            self.setCurrentIndex(self.sheet_model.index(-1, -1))
            return
        row = found[0]
        if self.currentIndex().row() != row or not self.selectionModel().hasSelection():
            self.selectRow(row)
        self.scrollTo(self.sheet_model.index(row, 0))

    def sort_by(self, key: str, *, falls: bool) -> None:
        """Put the rows into the order of a column; what is not known stands last."""
        if self.sheet is not None:
            place = self.place
            self._sorted = key, falls
            self._rows = self._order(key, falls)
            self._fill(place)

    def _order(self, key: str, falls: bool) -> NDArray[np.intp]:
        order = self._whole_order(key, falls)
        return order if self._kept is None else order[self._kept[order]]

    def _whole_order(self, key: str, falls: bool) -> NDArray[np.intp]:
        sheet = self.sheet
        if sheet is None or not key:
            return np.arange(0 if sheet is None else sheet.rows)
        column = sheet[key]
        if isinstance(column.values, JoinedTexts):
            rank = column.values.rank
            return np.argsort(-rank if falls else rank)
        if column.is_text:
            names = [cell_text(column, row).casefold() for row in range(sheet.rows)]
            order = sorted(range(sheet.rows), key=names.__getitem__, reverse=falls)
            return np.array(order, np.intp)
        keys = np.asarray(column.values, np.float64)
        return np.lexsort((-keys if falls else keys, np.isnan(keys)))

    def _on_head(self, section: int) -> None:
        column = self.drawn[section]
        if self._sorts:
            key, falls = self._sorted
            down = not falls if key == column.key else not column.is_text
            self.sort_by(column.key, falls=down)

    # What a person takes away

    def copy(self) -> int:
        """Put the chosen rows on the clipboard, or all where none is; how many they are.

        Spreadsheets get the ends of intervals in columns of their own, documents in brackets.
        """
        chosen, taken = self._chosen(), self._taken()
        if taken is not None:
            copy_tables(self._cells(taken.shown(), chosen), [taken])
        return len(chosen)

    def copy_as(self, kind: TableKind) -> int:
        """Put the chosen rows, or all, on the clipboard as the text of such a file."""
        taken = self._taken()
        if taken is None:
            return 0
        copy_tables_as(kind, [taken])
        return taken.rows

    def _chosen(self) -> Sequence[int]:
        ranges: Any = self.selectionModel().selection()  # a list, which the stubs do not say
        found = sorted({row for one in ranges for row in range(one.top(), one.bottom() + 1)})
        rows = self.sheet_model.rows
        return ([rows[place] for place in found] if found else rows)[:MOST_COPIED]

    def _taken(self) -> Sheet | None:
        """The chosen rows with the columns that are shown, in their order."""
        if self.sheet is None:
            return None
        rows, shown = self.sheet.take(list(self._chosen())), {one.key for one in self.drawn}
        columns = tuple(
            replace(one, is_detail=False) if one.key in shown else one for one in rows.columns
        )
        return replace(rows, columns=columns, sort="")

    def texts(self, rows: Sequence[int] | None = None) -> list[list[str]]:
        """Heads and rows as they are read; all rows that are shown if none are named."""
        rows = self.sheet_model.rows if rows is None else rows
        return self._cells(self.drawn, rows)

    def _cells(self, columns: Sequence[Column], rows: Sequence[int]) -> list[list[str]]:
        sheet, told = self.sheet, [[head_text(one).replace("\n", " ") for one in columns]]
        if sheet is not None:
            known = [sheet[one.key] for one in columns]
            told += [[_whole(sheet, one, row) for one in known] for row in rows]
        return told

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        place = self.place
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif event.key() == Qt.Key.Key_Escape and self.selectionModel().hasSelection():
            self.select_place(-1)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and place >= 0:
            self.row_activated.emit(place)
        elif event.key() == Qt.Key.Key_Delete and place >= 0:
            self.row_removed.emit(place)
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802
        """Offer to copy the table, its further columns, and the script of the result."""
        self.make_menu(event.globalPos())

    def make_menu(self, at: QPoint) -> QMenu:
        menu = QMenu(self)
        menu.addActions(self.actions())
        menu.addAction(self.tr("Copy table"), self.copy)
        menu.addMenu(copy_menu(menu, self.copy_as))
        details = () if self.sheet is None else [one for one in self.sheet.columns if one.is_detail]
        if details:
            listed = menu.addMenu(self.tr("Columns"))
            for one in details:
                action = listed.addAction(head_text(one).replace("\n", " "))
                action.setCheckable(True)
                action.setChecked(one.key in self._details)
                action.triggered.connect(lambda _, key=one.key: self.turn_detail(key))
        add_script_menu(menu, self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(at)
        return menu

    def turn_detail(self, key: str) -> None:
        """Show a column that is for files otherwise, or hide it again."""
        self._details = self._details ^ {key}
        self._fill(self.place)

    # Room

    def _some(self) -> Sequence[int]:
        """Rows spread over the table, by which columns are measured."""
        found: list[int] = self._rows[:: max(len(self._rows) // _SAMPLE, 1)].tolist()
        return found

    def _measure(self) -> None:
        theme, sheet = self._themes.theme, self.sheet
        if sheet is None or not self.drawn:
            self._widths = ()
            return
        bold = QFontMetrics(theme.font("body", "semibold"))
        small = QFontMetrics(theme.font("caption"))
        self._longer.clear()
        widths = []
        for one, cell in zip(self.drawn, self.sheet_model.columns, strict=True):
            needed = max(
                (bold.horizontalAdvance(cell.text(row)) for row in self._some()), default=0
            )
            if cell.below is not None:
                needed = (
                    max(needed, *(small.horizontalAdvance(cell.below(row)) for row in self._some()))
                    if len(self._some())
                    else needed
                )
            if cell.interval is not None:
                needed = bold.horizontalAdvance(WIDEST_SHARE) + PAD + theme.px(_BAR)
            if cell.spread is not None:
                needed += small.horizontalAdvance(cell.widest_spread) + 6
            needed = max(needed, self.head.name_width(cell.title.partition(" ±")[0]))
            if one.is_text and needed > theme.px(_WORDS):
                self._longer[one.key] = needed - theme.px(_WORDS)
                needed = theme.px(_WORDS)
            widths.append(needed + 2 * self._pad + 2)
        self._widths = tuple(widths)
        self._longest = self._long_names(self.sheet_model.columns[0])

    def _long_names(self, column: cells.Column[int]) -> tuple[str, ...]:
        rows = self.sheet_model.rows
        names = [column.text(row) for row in rows[:: max(len(rows) // _NAMES, 1)]]
        return tuple(sorted(names, key=len)[-_MEASURED:])

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self.fit()

    def fit(self) -> None:
        """Give numbers what they need, bars more, and names the rest."""
        if not self._widths:
            return
        px, room = self._themes.theme.px, self.viewport().width()
        widths = {one.key: width for one, width in zip(self.drawn, self._widths, strict=True)}
        keys = list(widths)
        first = self.drawn[0]
        names = self._names_width()
        widths[first.key] = min(names, px(_NAME)) if first.is_text else names
        for key in self._spare:
            if sum(widths.values()) + EDGE - self._pad > room and key in widths:
                del widths[key]
        seen = list(widths)
        widths[seen[-1]] += EDGE - self._pad
        self._narrow_words(widths, sum(widths.values()) - room)
        for section, key in enumerate(keys):
            self.setColumnHidden(section, key not in widths)
        self._delegate.last_section = keys.index(seen[-1])
        spare = max(room - sum(widths.values()), 0)
        if first.is_text:
            wanted = names - widths[first.key]
            spare -= self._lengthen_bars(widths, spare, wanted)
            for key in self._longer.keys() & {*seen[1:]}:
                more = max(min(spare - wanted, self._longer[key]), 0)
                widths[key], spare = widths[key] + more, spare - more
            widths[first.key] += spare
        else:
            for place, key in enumerate(seen):
                widths[key] += (place + 1) * spare // len(seen) - place * spare // len(seen)
        for section, key in enumerate(keys):
            if key in widths:
                self.setColumnWidth(section, widths[key])
        self._fit_height(widths[first.key] - EDGE - self._pad)

    def _narrow_words(self, widths: dict[str, int], missing: int) -> None:
        """Let the widest words behind the first column end in dots, until all columns fit."""
        least = self._themes.theme.px(_GIVING)
        words = [
            one.key for one in self.drawn[1:] if one.is_text and widths.get(one.key, 0) > least
        ]
        while missing > 0 and words:
            widest = max(words, key=widths.__getitem__)
            if widths[widest] <= least:
                break
            widths[widest] -= 1
            missing -= 1

    def _lengthen_bars(self, widths: dict[str, int], spare: int, wanted: int) -> int:
        """Give bars some of the room that is left; how much, where names want so much of it."""
        px, columns = self._themes.theme.px, self.sheet_model.columns
        pairs = zip(self.drawn, columns, strict=True)
        cell = next((cell for one, cell in pairs if cell.interval and one.key in widths), None)
        if cell is None:
            return 0
        key = self.drawn[list(columns).index(cell)].key
        more = max(min(spare - wanted, px(_BAR_MOST - _BAR)), 0)
        widths[key] += more
        return more

    def _names_width(self) -> int:
        column = self.sheet_model.columns[0]
        bold = QFontMetrics(self._themes.theme.font("body", "semibold"))
        wide = max((bold.horizontalAdvance(name) for name in self._longest), default=0)
        if column.below is not None:
            wide = max(wide, self._widths[0] - 2 * self._pad)
        wide += 18 * (column.mark is not None) + 19 * (column.sign is not None)
        return max(wide, self.head.name_width(column.title)) + EDGE + self._pad + 2

    def _fit_height(self, room: int) -> None:
        """Make all rows higher where a name needs more lines, and the table as high as its rows."""
        px, lines = self._themes.theme.px, 1
        if self._wraps:
            lines = min(
                max((self._lines(name, room) for name in self._longest), default=1), _MOST_LINES
            )
        is_tall = any(one.note for one in self.drawn)
        height = px(_TALL if is_tall else _ROW) + (lines - 1) * px(_NEXT_LINE)
        if self.verticalHeader().defaultSectionSize() != height:
            self.verticalHeader().setDefaultSectionSize(height)
        if self._hugs:
            count, head = max(len(self._rows), 1), self.head.sizeHint().height()
            self.setMinimumHeight(head + min(count, self._hugs) * height + 2)
            self.setMaximumHeight(head + count * height + 2)

    def _lines(self, name: str, room: int) -> int:
        metrics = QFontMetrics(self._themes.theme.font("body", "semibold"))
        if metrics.horizontalAdvance(name) <= room:
            return 1
        area = QRect(0, 0, room, 10_000)
        box = metrics.boundingRect(area, int(Qt.TextFlag.TextWordWrap), unbroken(name))
        return max(round(box.height() / metrics.height()), 1)

    def _restyle(self) -> None:
        self._measure()
        self.fit()


def copy_menu(parent: QWidget, copy_as: Callable[[TableKind], object]) -> QMenu:
    """Offer every kind of text that a table is copied as."""
    menu = QMenu(tr("Copy as"), parent)
    for kind in TABLES:
        menu.addAction(translate(kind.name), lambda kind=kind: copy_as(kind))
    return menu


def copy_tables_as(kind: TableKind, tables: Sequence[Sheet]) -> None:
    """Put tables on the clipboard as the text of such a file; documents get HTML as a table."""
    words, data = kind.text(tables, tongue().say, invented_words()), QMimeData()
    data.setText(words)
    if kind.suffix == ".html":
        data.setHtml(words)
    QGuiApplication.clipboard().setMimeData(data)


def interval_words(sheet: Sheet, column: Column, row: int) -> str:
    """The interval of a cell behind its number; empty where there is none."""
    if not column.low:
        return ""
    ends = [sheet[key].values[row] for key in (column.low, column.high)]
    if any(end is None or math.isnan(end) for end in ends):
        return ""
    low, high = (_number(column, float(end)) for end in ends)
    words = tr(", interval %s to %s") % (low, high)
    if column.level is not None:
        words += tr(" in %s of 100 surveys") % number(100 * column.level)
    return words


def _whole(sheet: Sheet, column: Column, row: int) -> str:
    """A cell with what stands beside its number."""
    words = cell_text(column, row)
    return f"{words} {_spread(sheet[column.spread])(row)}".strip() if column.spread else words


def _text(column: Column) -> Callable[[int], str]:
    return lambda row: cell_text(column, row)


def _spread(column: Column) -> Callable[[int], str]:
    def words(row: int) -> str:
        said = cell_text(column, row)
        return "" if said == NOTHING else f"± {said.removeprefix(MINUS)}"

    return words


def _weight(column: Column, is_main: bool) -> Callable[[int], str] | None:
    if is_main:
        return lambda _: "semibold"
    if column.best == ():
        return None
    return lambda row: "semibold" if row in column.best else "regular"


def _star(column: Column) -> Callable[[int], tuple[str, str]] | None:
    if column.best == ():
        return None
    return lambda row: ("star", "accentInk") if row in column.best else ("", "")


def _always(_: int) -> bool:
    return True
