"""The P-matrix as a table for screen readers: the heat map is only painted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtWidgets import QTableView

from ppworkbench.gui.words import number

if TYPE_CHECKING:
    from ppworkbench.gui.pages.design.matrix_grid import MatrixGrid

Index = QModelIndex | QPersistentModelIndex


class MatrixCells(QAbstractTableModel):
    """Reads the grid whenever somebody asks, so that a drag costs nothing."""

    def __init__(self, grid: MatrixGrid) -> None:
        super().__init__(grid)
        self._grid = grid

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802
        """What answers become."""
        return 0 if parent.isValid() else self._grid.k

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802
        """True answers."""
        return 0 if parent.isValid() else self._grid.k

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """The answer of a column or a row."""
        if role != Qt.ItemDataRole.DisplayRole or section >= self._grid.k:
            return None
        value = self._grid.values[section]
        if orientation == Qt.Orientation.Horizontal:
            return self.tr("True answer %s") % value
        return self.tr("becomes %s") % value

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """One probability."""
        if not index.isValid() or role != Qt.ItemDataRole.DisplayRole:
            return None
        said = number(float(self._grid.matrix[index.row(), index.column()]), 3)
        is_locked = (index.row(), index.column()) in self._grid.locked
        return self.tr("%s, locked") % said if is_locked else said

    def forget(self) -> None:
        """Other answers: other rows and columns."""
        self.beginResetModel()
        self.endResetModel()


class MatrixTable(QTableView):
    """A table of one pixel behind the heat map; nobody sees it and it takes no keys."""

    def __init__(self, grid: MatrixGrid) -> None:
        super().__init__(grid)
        self.cells = MatrixCells(grid)
        self.setObjectName("matrixTable")
        self.setAccessibleName(grid.accessibleName())
        self.setModel(self.cells)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFrameShape(self.Shape.NoFrame)
        self.setFixedSize(1, 1)
        self.lower()
        self.show()
