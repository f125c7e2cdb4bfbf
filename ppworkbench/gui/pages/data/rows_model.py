"""The records of a table, read when a cell is looked at: a million rows cost what ten do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QLocale,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
)

from ppworkbench.core.data.table import Column, Table
from ppworkbench.gui.pages.data.facts import code_text
from ppworkbench.gui.pages.data.number_text import column_decimals
from ppworkbench.gui.words import number

Index = QModelIndex | QPersistentModelIndex

IS_MISSING = Qt.ItemDataRole.UserRole
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class RowsModel(QAbstractTableModel):
    """Shows labels, or what the file stores for them."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._table: Table | None = None
        self._places: dict[str, int] = {}
        self._shows_codes = False
        self._decimals: dict[int, int] = {}

    @property
    def table(self) -> Table | None:
        """The table that is shown."""
        return self._table

    def show_table(self, table: Table | None) -> None:
        """Show another table; one of the same shape keeps the place of the scroll bars."""
        before = self._table
        same_shape = (
            before is not None
            and table is not None
            and before.rows == table.rows
            and len(before.columns) == len(table.columns)
        )
        if not same_shape:
            self.beginResetModel()
        self._table = table
        self._places = {} if table is None else {n: i for i, n in enumerate(table.names)}
        self._decimals = {}
        if not same_shape:
            self.endResetModel()
        else:
            self._refresh()

    def places(self, names: Sequence[str]) -> frozenset[int]:
        """Where some attributes stand."""
        return frozenset(self._places[name] for name in names if name in self._places)

    def show_codes(self, shows_codes: bool) -> None:
        """Show what the file stores, or what people read."""
        if shows_codes != self._shows_codes:
            self._shows_codes = shows_codes
            self._refresh()

    def _refresh(self) -> None:
        if self.rowCount() and self.columnCount():
            last = self.index(self.rowCount() - 1, self.columnCount() - 1)
            self.dataChanged.emit(self.index(0, 0), last)
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, self.columnCount() - 1)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802
        """The number of records."""
        return 0 if parent.isValid() or self._table is None else self._table.rows

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802
        """The number of attributes."""
        return 0 if parent.isValid() or self._table is None else len(self._table.columns)

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Names across the top, numbers of records at the left."""
        if self._table is None:
            return None
        if orientation is Qt.Orientation.Vertical:
            return number(section + 1) if role == Qt.ItemDataRole.DisplayRole else None
        column = self._table.columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return column.name
        if role == Qt.ItemDataRole.ToolTipRole:
            label = column.attribute.label
            return f"{column.name}: {label}" if label else column.name
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _LEFT if column.is_categorical else _RIGHT
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """One answer."""
        if self._table is None or not index.isValid():
            return None
        column = self._table.columns[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(column, index.row(), index.column())
        if role == IS_MISSING:
            return _is_missing(column, index.row())
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _LEFT if column.is_categorical else _RIGHT
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._tip(column, index.row())
        return None

    def cell(self, row: int, place: int) -> tuple[str, bool, bool]:
        """The text of an answer, whether it is missing, and whether it is a number."""
        assert self._table is not None  # noqa: S101 (there is a cell)
        column = self._table.columns[place]
        text = self._text(column, row, place)
        return text, _is_missing(column, row), not column.is_categorical

    def _text(self, column: Column, row: int, place: int) -> str:
        if _is_missing(column, row):
            return self._missing_text(column, row)
        answer = column.data[row]
        if column.is_categorical:
            codes = column.attribute.codes if self._shows_codes else ()
            return code_text(codes[answer]) if codes else column.attribute.values[answer]
        if place not in self._decimals:
            self._decimals[place] = column_decimals(column.data)
        return number(float(answer), self._decimals[place])

    def _missing_text(self, column: Column, row: int) -> str:
        why = 0 if column.why_missing is None else int(column.why_missing[row])
        if self._shows_codes and 0 < why <= len(column.attribute.missing_codes):
            return code_text(column.attribute.missing_codes[why - 1].code)
        return self.tr("missing")

    def _tip(self, column: Column, row: int) -> str | None:
        if not _is_missing(column, row):
            if column.is_categorical:
                return column.attribute.values[column.data[row]]
            return QLocale().toString(float(column.data[row]), "g", 15)
        why = 0 if column.why_missing is None else int(column.why_missing[row])
        if not 0 < why <= len(column.attribute.missing_codes):
            return self.tr("The cell is empty.")
        code = column.attribute.missing_codes[why - 1]
        if code.label and code.label != code_text(code.code):
            return self.tr("The file holds %s here: %s.") % (code_text(code.code), code.label)
        return self.tr("The file holds %s here, which means no answer.") % code_text(code.code)


def _is_missing(column: Column, row: int) -> bool:
    answer = column.data[row]
    # NaN is the only number that differs from itself.
    return bool(answer < 0) if column.is_categorical else bool(answer != answer)  # noqa: PLR0124
