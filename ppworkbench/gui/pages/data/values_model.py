"""The values of one attribute with their counts, as a Qt list."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt, Signal

from ppworkbench.gui.words import number

Index = QModelIndex | QPersistentModelIndex

COUNT = Qt.ItemDataRole.UserRole
SHARE = Qt.ItemDataRole.UserRole + 1
"""The count beside the largest one, for the length of the bar."""


class ValuesModel(QAbstractListModel):
    """Shows values in order; asks others to rename one."""

    rename_requested = Signal(str, str)

    def __init__(self) -> None:
        super().__init__()
        self._values: tuple[str, ...] = ()
        self._counts: NDArray[np.int64] | None = None
        self._top = 1
        self._is_editable = True

    @property
    def values(self) -> tuple[str, ...]:
        """The values in order."""
        return self._values

    def show_values(
        self, values: tuple[str, ...], counts: NDArray[np.int64] | None, is_editable: bool
    ) -> bool:
        """Show other values or counts; whether the list of values is another one."""
        is_other = values != self._values
        if is_other:
            self.beginResetModel()
        self._values, self._counts, self._is_editable = values, counts, is_editable
        self._top = 1 if counts is None else max(int(counts.max(initial=0)), 1)
        if is_other:
            self.endResetModel()
        elif values:
            self.dataChanged.emit(self.index(0), self.index(len(values) - 1))
        return is_other

    def moved(self, rows: Sequence[int], target: int) -> list[str]:
        """The values in the order that a move would give."""
        taken = [self._values[row] for row in rows]
        rest_before = [v for i, v in enumerate(self._values[:target]) if i not in rows]
        rest_after = [v for i, v in enumerate(self._values[target:], target) if i not in rows]
        return [*rest_before, *taken, *rest_after]

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802
        """The number of values."""
        return 0 if parent.isValid() else len(self._values)

    def flags(self, index: Index) -> Qt.ItemFlag:  # noqa: ARG002
        """Every value can be selected, and renamed unless the table is only shown."""
        found = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return found | Qt.ItemFlag.ItemIsEditable if self._is_editable else found

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """What the delegate draws and what is read aloud."""
        if not index.isValid():
            return None
        answers: dict[int, Callable[[int], Any]] = {
            Qt.ItemDataRole.DisplayRole: self._values.__getitem__,
            Qt.ItemDataRole.EditRole: self._values.__getitem__,
            Qt.ItemDataRole.ToolTipRole: self._values.__getitem__,
            Qt.ItemDataRole.AccessibleTextRole: self._read_out,
            COUNT: self._count,
            SHARE: lambda row: (self._count(row) or 0) / self._top,
        }
        answer = answers.get(role)
        return None if answer is None else answer(index.row())

    def _count(self, row: int) -> int | None:
        return None if self._counts is None else int(self._counts[row])

    def _read_out(self, row: int) -> str:
        count = self._count(row)
        if count is None:
            return self._values[row]
        return self.tr("%s, %s answers") % (self._values[row], number(count))

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:  # noqa: N802
        """Ask for a new name; the list shows it when the study has it."""
        old, new = self._values[index.row()], str(value).strip()
        if role == Qt.ItemDataRole.EditRole and new and new != old:
            self.rename_requested.emit(old, new)
            return True
        return False
