"""Likely members of a group, read when a row is looked at."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt

from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.survey.participants import Participants
from ppworkbench.gui.language.text import tr
from ppworkbench.gui.plots.ticks import short_number
from ppworkbench.gui.widgets.text_table import Index
from ppworkbench.gui.words import number, percent

POSTERIOR = Qt.ItemDataRole.UserRole
_SOME = 5
"""Attributes that are shown where no condition names any."""
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class ParticipantsModel(QAbstractTableModel):
    """Record, the reported answers to what the condition asks, and the posterior."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._found: Participants | None = None
        self._columns: tuple[Column, ...] = ()
        self._truly: NDArray[np.bool_] | None = None

    def show_list(
        self, found: Participants | None, table: Table | None, truly: NDArray[np.bool_] | None
    ) -> None:
        """Show another list."""
        self.beginResetModel()
        self._found, self._truly, self._columns = found, truly, ()
        if found is not None and table is not None:
            asked = found.condition.attributes or table.names[:_SOME]
            self._columns = tuple(table[name] for name in asked)
        self.endResetModel()

    @property
    def knows_truth(self) -> bool:
        """Whether the last column tells who really belongs."""
        return self._truly is not None

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802
        """The number of listed records."""
        return 0 if parent.isValid() or self._found is None else len(self._found.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802
        """Record, answers, perhaps the truth, posterior."""
        if parent.isValid() or self._found is None:
            return 0
        return len(self._columns) + 2 + self.knows_truth

    @property
    def posterior_column(self) -> int:
        """Where the posterior stands."""
        return self.columnCount() - 1

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """The names of the columns."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._side(section)
        if role == Qt.ItemDataRole.ToolTipRole:
            is_answer = 0 < section <= len(self._columns)
            more = (tr("reported answer"),) if is_answer else ()
            return "\n".join((self._head(section), *more))
        return self._head(section) if role == Qt.ItemDataRole.DisplayRole else None

    def _head(self, section: int) -> str:
        if section == 0:
            return tr("Record")
        if section <= len(self._columns):
            return self._columns[section - 1].name
        return tr("Posterior") if section == self.posterior_column else tr("Truly meets it")

    def _side(self, section: int) -> Qt.AlignmentFlag:
        if section == 0:
            return _RIGHT
        if section <= len(self._columns):
            return _LEFT if self._columns[section - 1].is_categorical else _RIGHT
        return _LEFT

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """One cell."""
        if self._found is None or not index.isValid():
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._side(index.column())
        place, section = index.row(), index.column()
        if role == POSTERIOR:
            last = section == self.posterior_column
            return float(self._found.posterior[place]) if last else None
        is_told = role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole)
        return self._words(place, section) if is_told else None

    def _words(self, place: int, section: int) -> str:
        assert self._found is not None  # noqa: S101 (there is a cell)
        record = int(self._found.rows[place])
        if section == 0:
            return number(record + 1)
        if section <= len(self._columns):
            return answer_text(self._columns[section - 1], record)
        if section == self.posterior_column:
            return percent(float(self._found.posterior[place]), 1)
        assert self._truly is not None  # noqa: S101 (there is such a column)
        return tr("yes") if self._truly[place] else tr("no")


def answer_text(column: Column, row: int) -> str:
    """One reported answer as people read it."""
    answer = column.data[row]
    if column.is_categorical:
        return column.attribute.values[answer] if answer >= 0 else tr("missing")
    return short_number(float(answer)) if answer == answer else tr("missing")  # noqa: PLR0124
