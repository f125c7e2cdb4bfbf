"""A table of texts that can be copied."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
)
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from ppworkbench.gui.theme import ThemeManager, set_rules
from ppworkbench.gui.widgets.table_copy import copy_chosen

Index = QModelIndex | QPersistentModelIndex
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class TextModel(QAbstractTableModel):
    """Heads and rows; the first column is at the left, others at the right."""

    def __init__(self, themes: ThemeManager, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._themes = themes
        self.heads: tuple[str, ...] = ()
        self.rows: tuple[tuple[str, ...], ...] = ()
        self.left: frozenset[int] = frozenset({0})
        self.strong: frozenset[int] = frozenset()
        self.grey: frozenset[int] = frozenset()

    def show_rows(self, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Show another table."""
        self.beginResetModel()
        self.heads, self.rows = tuple(heads), tuple(tuple(row) for row in rows)
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802
        """The number of rows."""
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802
        """The number of columns."""
        return 0 if parent.isValid() else len(self.heads)

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """The names of the columns."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return LEFT if section in self.left else RIGHT
        is_told = role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole)
        return self.heads[section] if is_told else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """One cell."""
        if not index.isValid():
            return None
        column = index.column()
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return self.rows[index.row()][column]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return LEFT if column in self.left else RIGHT
        if role == Qt.ItemDataRole.FontRole and column in self.strong:
            return self._themes.theme.font("body", "semibold")
        if role == Qt.ItemDataRole.ForegroundRole and column in self.grey:
            return self._themes.theme.colour("text2")
        return None


class TextTable(QTableView):
    """Ctrl+C copies the chosen rows, or all of them where none is chosen."""

    def __init__(self, themes: ThemeManager, name: str, words: str) -> None:
        super().__init__()
        self._themes = themes
        self.setObjectName(name)
        self.setAccessibleName(words)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().hide()
        head = self.horizontalHeader()
        head.setHighlightSections(False)
        head.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.addAction(self.tr("Copy")).triggered.connect(self.copy)
        themes.theme_changed.connect(self.restyle)
        self.restyle()

    def restyle(self) -> None:
        """Sizes that follow the theme."""
        theme = self._themes.theme
        self.verticalHeader().setDefaultSectionSize(theme.px(26))
        size = theme.font("caption").pixelSize()
        set_rules(
            self.horizontalHeader(),
            f"QHeaderView::section {{ font-size: {size}px; padding: 5px 9px; }}",
        )

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Copy."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        else:
            super().keyPressEvent(event)

    def copy(self) -> None:
        """Put the chosen rows on the clipboard, all of them where none is chosen."""
        copy_chosen(self)
