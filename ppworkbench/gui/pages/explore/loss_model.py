"""The rows of the table of losses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from ppworkbench.gui.words import number

Numbers = NDArray[np.float64]
Index = QModelIndex | QPersistentModelIndex

ROW = Qt.ItemDataRole.UserRole


@dataclass(frozen=True, eq=False)
class LossRow:
    """One algorithm with one stop rule.

    ``draws`` are the losses of the repetitions, empty before there are any.
    """

    title: str
    iterations: str
    loss: float | None
    draws: Numbers
    is_best: bool = False
    is_focus: bool = False

    @property
    def mean(self) -> float | None:
        """The mean loss over the repetitions."""
        return float(self.draws.mean()) if len(self.draws) else None

    @property
    def deviation(self) -> float | None:
        """The standard deviation over the repetitions."""
        return float(self.draws.std(ddof=1)) if len(self.draws) > 1 else None


class LossModel(QAbstractTableModel):
    """Algorithm and stop, this draw, all draws."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: tuple[LossRow, ...] = ()
        self.draws = 100
        self.is_stale = False

    def show_rows(self, rows: tuple[LossRow, ...], draws: int, *, stale: bool) -> None:
        """Show other rows."""
        same = len(rows) == len(self.rows)
        if not same:
            self.beginResetModel()
        self.rows, self.draws, self.is_stale = rows, draws, stale
        if not same:
            self.endResetModel()
        elif rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, 2))
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, 2)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802
        """The number of algorithms with their rules."""
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802
        """Algorithm, this draw, all draws."""
        return 0 if parent.isValid() else 3

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """The names of the columns."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignLeft if section == 0 else Qt.AlignmentFlag.AlignRight
            return side | Qt.AlignmentFlag.AlignVCenter
        if role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return None
        draws = self.tr("%s draws") % number(self.draws)
        return (self.tr("Algorithm, stop"), self.tr("this draw"), draws)[section]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Words for people, screen readers and the clipboard; the row itself for the delegate."""
        if not index.isValid() or index.row() >= len(self.rows):
            return None
        row = self.rows[index.row()]
        if role == ROW:
            return row
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return self.words(row, index.column())
        if role == Qt.ItemDataRole.ToolTipRole and index.column() == 0:
            return f"{row.title}\n{row.iterations}"
        return None

    def words(self, row: LossRow, column: int) -> str:
        """A cell as text."""
        if column == 0:
            best = self.tr(", best") if row.is_best else ""
            return f"{row.title}, {row.iterations}{best}"
        if column == 1:
            return "–" if row.loss is None else number(row.loss, 3)
        if row.mean is None:
            return "–"
        spread = "" if row.deviation is None else f" ± {number(row.deviation, 3)}"
        return f"{number(row.mean, 3)}{spread}"
