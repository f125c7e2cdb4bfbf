"""The attributes of the table as rows: kind, values or range, missing answers, why this kind."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.gui.pages.data.changes import Changes
from ppworkbench.gui.pages.data.concerns import find_doubt, short_doubt
from ppworkbench.gui.pages.data.facts import FactKeeper
from ppworkbench.gui.pages.data.number_text import plain
from ppworkbench.gui.pages.data.reasons import reason_words
from ppworkbench.gui.store import Store
from ppworkbench.gui.words import number

Index = QModelIndex | QPersistentModelIndex

KIND = Qt.ItemDataRole.UserRole
IS_CLASS = Qt.ItemDataRole.UserRole + 1
IS_AMBER = Qt.ItemDataRole.UserRole + 2

_SPELLED_OUT = 22


class Field(IntEnum):
    """The columns of the list."""

    NAME = 0
    KIND = 1
    VALUES = 2
    MISSING = 3
    REASON = 4


class AttributeModel(QAbstractTableModel):
    """Reads the study when it is asked; keeps only the names that pass the filter."""

    def __init__(
        self, store: Store, keeper: FactKeeper, changes: Changes, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._store = store
        self._keeper = keeper
        self._changes = changes
        self._filter = ""
        self.names: list[str] = []
        self._rows: dict[str, int] = {}
        self._answers: dict[int, Callable[[Column, Field], Any]] = {
            Qt.ItemDataRole.DisplayRole: self._text,
            Qt.ItemDataRole.ToolTipRole: self._tip,
            Qt.ItemDataRole.TextAlignmentRole: lambda _, which: _alignment(which),
            KIND: lambda column, _: column.attribute.kind.value,
            IS_CLASS: lambda column, _: store.study.table.class_name == column.name,
            IS_AMBER: self._is_amber,
        }
        store.data_changed.connect(self.reload)
        keeper.missing_counted.connect(self._refresh)
        self.reload()

    @property
    def _table(self) -> Table | None:
        return self._store.study.table

    def row_of(self, name: str) -> int | None:
        """Where an attribute stands; None when the filter hides it."""
        return self._rows.get(name)

    def set_filter(self, words: str) -> None:
        """Show only attributes whose name, question or kind holds the words."""
        self._filter = words.casefold().strip()
        self.reload()

    def reload(self) -> None:
        """Read the names again."""
        table = self._table
        if table is not None:
            self._keeper.count_missing(table)
        names = [] if table is None else [a.name for a in table.attributes if self._passes(a)]
        if names == self.names:
            self._refresh()
            return
        self.beginResetModel()
        self.names = names
        self._rows = {name: position for position, name in enumerate(names)}
        self.endResetModel()

    def _passes(self, attribute: Attribute) -> bool:
        if not self._filter:
            return True
        kind = attribute.kind.value
        words = (attribute.name, attribute.label, kind, self.tr(kind))
        return any(self._filter in word.casefold() for word in words)

    def _refresh(self) -> None:
        if self.names:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self.names) - 1, len(Field) - 1))

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802
        """The number of attributes shown."""
        return 0 if parent.isValid() else len(self.names)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802
        """The number of facts about each."""
        return 0 if parent.isValid() else len(Field)

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """The heads of the columns."""
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return {
                Field.NAME: self.tr("Attribute"),
                Field.KIND: self.tr("Kind"),
                Field.VALUES: self.tr("Values or range"),
                Field.MISSING: self.tr("Missing"),
                Field.REASON: self.tr("Why this kind"),
            }[Field(section)]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(Field(section))
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """What the delegate draws and what is read aloud."""
        table = self._table
        if not index.isValid() or table is None:
            return None
        column = table[self.names[index.row()]]
        which = Field(index.column())
        answer = self._answers.get(role)
        return None if answer is None else answer(column, which)

    def _text(self, column: Column, which: Field) -> str:
        attribute = column.attribute
        if which is Field.NAME:
            return attribute.name
        if which is Field.KIND:
            return self.tr(attribute.kind.value)
        if which is Field.VALUES:
            return self._values(attribute)
        if which is Field.MISSING:
            missing = self._keeper.missing(column)
            return "…" if missing is None else number(missing)
        return self._reason(attribute)

    def _values(self, attribute: Attribute) -> str:
        if attribute.domain is not None:
            return self.tr("%s to %s") % (plain(attribute.domain[0]), plain(attribute.domain[1]))
        spelled = ", ".join(attribute.values[:3])
        if attribute.k <= 3 and 0 < len(spelled) <= _SPELLED_OUT:
            return spelled
        if attribute.k < 2:
            return self.tr("1 value") if attribute.k else self.tr("no values")
        if attribute.kind is Kind.ORDINAL:
            return self.tr("%s values in order") % number(attribute.k)
        return self.tr("%s values") % number(attribute.k)

    def _reason(self, attribute: Attribute) -> str:
        if self._store.study.original is None:
            return self.tr("the design says so")
        doubt = find_doubt(attribute)
        if doubt:
            return short_doubt(doubt)
        if attribute.reason:
            return reason_words(attribute.reason).removesuffix(".")
        opened = self._changes.opened
        is_changed = (
            opened is not None
            and attribute.name in opened
            and opened[attribute.name].attribute.kind is not attribute.kind
        )
        return self.tr("set by you") if is_changed else self.tr("set by hand or by a codebook")

    def _tip(self, column: Column, which: Field) -> str | None:
        attribute = column.attribute
        if which is Field.NAME:
            return attribute.label or attribute.name
        if which is Field.VALUES and attribute.values:
            more = "…" if attribute.k > 30 else ""
            return ", ".join(attribute.values[:30]) + more
        if which is Field.REASON:
            return reason_words(attribute.reason) or None
        return None

    def _is_amber(self, column: Column, which: Field) -> bool:
        if which is Field.MISSING:
            return bool(self._keeper.missing(column))
        return which is Field.REASON and bool(find_doubt(column.attribute))


def _alignment(which: Field) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if which is Field.MISSING else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter
