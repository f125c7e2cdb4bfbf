"""The tables of the page: cells are typed into or pressed, the study changes, and then the cell."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLineEdit,
    QMenu,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from ppworkbench.gui.dialogs import show_menu
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.cells import EDGE, CellDelegate, Column
from ppworkbench.gui.widgets.layout import named
from ppworkbench.gui.widgets.table import ColumnModel, show_as_rows

Index = QModelIndex | QPersistentModelIndex
Row = TypeVar("Row")
NOTHING = "–"
_ROW = 29
ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class CellModel(ColumnModel[Row]):
    """Tells what was typed into those cells that ``is_typed`` names."""

    typed = Signal(QModelIndex, str)

    def __init__(
        self,
        themes: ThemeManager,
        parent: QObject,
        columns: Sequence[Column[Row]] = (),
        is_typed: Callable[[Index], bool] = lambda _: False,
    ) -> None:
        super().__init__(themes, columns, parent)
        self._is_typed = is_typed

    def flags(self, index: Index) -> Qt.ItemFlag:
        found = super().flags(index)
        return found | Qt.ItemFlag.ItemIsEditable if self._is_typed(index) else found

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """One cell; a field begins with what the cell says."""
        if role == Qt.ItemDataRole.EditRole:
            shown = str(super().data(index))
            return "" if shown == NOTHING else shown
        return super().data(index, role)

    def setData(  # noqa: N802
        self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole
    ) -> bool:
        if role != Qt.ItemDataRole.EditRole or not self._is_typed(index):
            return False
        self.typed.emit(self.index(index.row(), index.column()), str(value))
        return True


class _Delegate(CellDelegate[Row]):
    """Draws cells, and puts a field over the one that is typed into."""

    field = ""

    def createEditor(  # noqa: N802
        self,
        parent: QWidget,
        option: QStyleOptionViewItem,  # noqa: ARG002
        index: Index,
    ) -> QWidget:
        across = Qt.Orientation.Horizontal
        title = str(index.model().headerData(index.column(), across))
        field = named(QLineEdit(parent), self.field, title)
        field.setAlignment(Qt.AlignmentFlag.AlignRight)
        return field

    def updateEditorGeometry(  # noqa: N802
        self,
        editor: QWidget,
        option: QStyleOptionViewItem,
        index: Index,  # noqa: ARG002
    ) -> None:
        cell: QRect = option.rect  # type: ignore[attr-defined]  # not in the stubs
        editor.setGeometry(cell.adjusted(1, 1, -1, -2))


class CellTable(QTableView):
    """Rows that are selected as a whole; F2, typing or a double click changes a cell.

    Parameters
    ----------
    widths
        How wide the columns are in so much room; 0 leaves one out.
    keys
        What a plain key does at the current cell, and whether it did anything.
    menu
        What is offered at a cell; None where nothing is.
    field
        What the fields are called that cells are typed in.
    """

    def __init__(  # noqa: PLR0913 (keywords)
        self,
        themes: ThemeManager,
        model: CellModel[Row],
        name: str,
        words: str,
        *,
        widths: Callable[[int], Sequence[int]],
        keys: Mapping[Qt.Key, Callable[[QModelIndex], bool]],
        menu: Callable[[QModelIndex], QMenu | None] | None = None,
        field: str = "",
    ) -> None:
        super().__init__()
        self._themes, self._widths, self._keys, self._menu = themes, widths, keys, menu
        self.setObjectName(name)
        self.setAccessibleName(words)
        self._delegate = _Delegate(themes, model, line="grid", edge=EDGE)
        self._delegate.field = field
        head = show_as_rows(self, themes, model, self._delegate)
        head.setStretchLastSection(False)
        head.setMinimumSectionSize(20)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        if field:
            by = QAbstractItemView.EditTrigger
            self.setEditTriggers(by.EditKeyPressed | by.AnyKeyPressed | by.DoubleClicked)
        themes.follow(self.fit)

    def fit(self) -> None:
        """Give rows and columns the room that they need now."""
        self.verticalHeader().setDefaultSectionSize(self._themes.theme.px(_ROW))
        for place, width in enumerate(self._widths(self.viewport().width())):
            self.setColumnHidden(place, not width)
            if width:
                self.setColumnWidth(place, width)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self.fit()
        if self.currentIndex().isValid():
            # It was selected before there were rows to scroll to.
            self.scrollTo(self.currentIndex())

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        index, act = self.currentIndex(), self._keys.get(Qt.Key(event.key()))
        is_plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        is_free = index.isValid() and self.state() != self.State.EditingState
        if act is None or not (is_plain and is_free and act(index)):
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802
        by_mouse = event.reason() is QContextMenuEvent.Reason.Mouse
        index = self.indexAt(event.pos()) if by_mouse else self.currentIndex()
        self.open_menu(index, event.globalPos() if by_mouse else None)

    def open_menu(self, index: QModelIndex, place: QPoint | None = None) -> bool:
        """Offer what can be done with a cell, below it or at a place of the screen."""
        menu = self._menu(index) if self._menu is not None and index.isValid() else None
        if menu is not None:
            below = self.viewport().mapToGlobal(self.visualRect(index).bottomLeft())
            show_menu(menu, below if place is None else place)
        return menu is not None
