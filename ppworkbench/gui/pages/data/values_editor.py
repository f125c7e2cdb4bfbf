"""The values of an attribute and their order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import (
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPoint,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLineEdit,
    QMenu,
    QSizePolicy,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from ppworkbench.core.data.attribute import FROM_DATA, Kind
from ppworkbench.gui.charts.looks import outline_pen, role_brush
from ppworkbench.gui.dialogs import show_menu
from ppworkbench.gui.numbers import number
from ppworkbench.gui.pages.data import edits as data_edits
from ppworkbench.gui.pages.data.row_drag import DraggedRows
from ppworkbench.gui.pages.data.view import Selection, SelectionEditor
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.cells import PAD, CellDelegate, Column, Index
from ppworkbench.gui.widgets.controls import Button, IconLabel
from ppworkbench.gui.widgets.layout import WrappingRow, column, named, row, show_words, text
from ppworkbench.gui.widgets.table import ColumnModel, show_as_rows
from ppworkbench.study.data_checks import alike_values, show_spaces

POSITION, COUNT = 1, 2
"""Columns behind that of the values, of which the first is shown before it."""


class ValuesModel(ColumnModel[int]):
    """Values in order, by their places; asks others to rename one."""

    rename_requested = Signal(str, str)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(themes)
        self.values: tuple[str, ...] = ()
        self._counts: NDArray[np.int64] | None = None
        self.top = 1
        """The largest count."""
        self._is_editable = True

    def show_values(
        self,
        values: tuple[str, ...],
        counts: NDArray[np.int64] | None,
        is_editable: bool,
        can_move: bool = True,
    ) -> None:
        self.values, self._counts, self._is_editable = values, counts, is_editable
        self.top = 1 if counts is None else max(int(counts.max(initial=0)), 1)
        columns: list[Column[int]] = [
            Column("", lambda row: show_spaces(values[row]), spoken=self._read_out, is_left=True),
            Column(
                "", lambda row: str(row + 1), ink="text2", icon_ink="text3",
                icon=lambda _: "grip" if can_move else "",
            ),
            Column("", self._count_text, ink="text2"),
        ]  # fmt: skip
        self.set_rows(range(len(values)), columns)

    def moved(self, rows: Sequence[int], target: int) -> list[str]:
        taken = [self.values[row] for row in rows]
        rest_before = [v for i, v in enumerate(self.values[:target]) if i not in rows]
        rest_after = [v for i, v in enumerate(self.values[target:], target) if i not in rows]
        return [*rest_before, *taken, *rest_after]

    def count(self, row: int) -> int | None:
        """How many answers are this value; None while they are being counted."""
        return None if self._counts is None else int(self._counts[row])

    def _count_text(self, row: int) -> str:
        count = self.count(row)
        return "…" if count is None else number(count)

    def share(self, row: int) -> float:
        """The count beside the largest one, for the length of the bar."""
        return (self.count(row) or 0) / self.top

    def _read_out(self, row: int) -> str:
        count = self.count(row)
        if count is None:
            return self.values[row]
        return self.tr("%s, %s answers") % (self.values[row], number(count))

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Every value can be selected, and renamed unless the table is only shown."""
        found = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        is_name = index.column() == 0 and self._is_editable
        return found | Qt.ItemFlag.ItemIsEditable if is_name else found

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The field for a new name begins with the old one."""
        if role == Qt.ItemDataRole.EditRole:
            return self.values[index.row()]
        return super().data(index, role)

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:  # noqa: N802
        """Ask for a new name; the list shows it when the study has it."""
        old, new = self.values[index.row()], str(value).strip()
        if role == Qt.ItemDataRole.EditRole and new and new != old:
            self.rename_requested.emit(old, new)
            return True
        return False


ROW = 28
_FEW = 8
_GAP = 8


class ValuesDelegate(CellDelegate[int]):
    """Draws a bar before every count, and lets a new name have the room of the bars."""

    def __init__(self, themes: ThemeManager, model: ValuesModel) -> None:
        super().__init__(themes, model, has_focus=False)
        self._values = model
        self.role = "original"

    def draw_content(
        self, painter: QPainter, area: QRect, column: Column[int], row: int, *, is_marked: bool
    ) -> None:
        super().draw_content(painter, area, column, row, is_marked=is_marked)
        if column is not self._values.columns[COUNT]:
            return
        widest = self._inks.metrics().horizontalAdvance(number(self._values.top))
        length = (area.width() - widest - _GAP) * self._values.share(row)
        if length > 0:
            theme = self._themes.theme
            painter.setPen(outline_pen(theme, self.role))
            painter.setBrush(role_brush(theme, self.role))
            painter.drawRect(QRect(area.left(), area.center().y() - 5, max(round(length), 1), 11))

    def createEditor(  # noqa: N802
        self,
        parent: QWidget,
        option: QStyleOptionViewItem,  # noqa: ARG002
        index: Index,  # noqa: ARG002
    ) -> QWidget:
        return named(QLineEdit(parent), "valueName", self.tr("New value name"))

    def updateEditorGeometry(  # noqa: N802
        self,
        editor: QWidget,
        option: QStyleOptionViewItem,
        index: Index,  # noqa: ARG002
    ) -> None:
        cell: QRect = option.rect  # type: ignore[attr-defined]  # not in the stubs
        cell.setRight(editor.parentWidget().width() - 4)
        editor.setGeometry(cell)


class ValuesView(DraggedRows, QTableView):
    """Rows are dragged, or moved by Alt+Shift with the arrows."""

    move_requested = Signal(list, int)
    """Rows, and the place before which they should stand."""

    def __init__(self, themes: ThemeManager, model: ValuesModel) -> None:
        super().__init__()
        self._themes, self._values = themes, model
        self.begin_drags(themes)
        named(self, "values", self.tr("Values in order"))
        self.delegate = ValuesDelegate(themes, model)
        head = show_as_rows(self, themes, model, self.delegate)
        head.setStretchLastSection(True)
        head.hide()
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.doubleClicked.connect(lambda index: self.edit_row(index.row()))

    def fit_columns(self) -> None:
        theme, model = self._themes.theme, self._values
        metrics = QFontMetrics(theme.font())
        self.verticalHeader().setDefaultSectionSize(theme.px(ROW))
        if self.horizontalHeader().visualIndex(POSITION) != 0:
            self.horizontalHeader().moveSection(POSITION, 0)
        digits = metrics.horizontalAdvance("0") * len(str(model.rowCount()))
        self.setColumnWidth(POSITION, digits + 21 + 2 * PAD)
        longest = max((metrics.horizontalAdvance(one) for one in model.values[:100]), default=0)
        self.setColumnWidth(0, min(max(longest + 2 * PAD + 4, 56), int(self.width() * 0.42)))

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self.fit_columns()

    def sizeHint(self) -> QSize:  # noqa: N802
        rows = min(max(self.model().rowCount(), 1), _FEW)
        return QSize(200, self._themes.theme.px(ROW) * rows + 4)

    @property
    def full_height(self) -> int:
        return self._themes.theme.px(ROW) * max(self.model().rowCount(), 1) + 4

    def chosen_rows(self) -> list[int]:
        return sorted({index.row() for index in self.selectedIndexes()})

    def drop(self, row: int, gap: int) -> None:
        self.move_requested.emit([row], gap)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        both = Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.ShiftModifier
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()))
        if step is not None and event.modifiers() & both == both:
            self._move_chosen(step)
        elif event.key() == Qt.Key.Key_F2 and self.currentIndex().isValid():
            self.edit_row(self.currentIndex().row())
        else:
            super().keyPressEvent(event)

    def _move_chosen(self, step: int) -> None:
        rows = self.chosen_rows()
        if not rows or not self.can_move:
            return
        if step < 0 and rows[0] > 0:
            self.move_requested.emit(rows, rows[0] - 1)
        elif step > 0 and rows[-1] < self.model().rowCount() - 1:
            self.move_requested.emit(rows, rows[-1] + 2)

    def edit_row(self, row: int) -> None:
        index = self.model().index(row, 0)
        if index.flags() & Qt.ItemFlag.ItemIsEditable:
            self.setCurrentIndex(index)
            self.edit(QModelIndex(index))


class ValuesSection(SelectionEditor):
    """Drag, or Alt+Shift with the arrows, changes the order."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._to_select: list[str] = []
        self.heading = text("", "strong")
        self.hint = text(self.tr("drag to reorder"), "captionHint")
        self.hint.setToolTip(self.tr("Or press Alt+Shift+Up and Alt+Shift+Down"))
        self.model = ValuesModel(themes)
        self.view = ValuesView(themes, self.model)
        self.problem = text("", "error", wrap=True)
        self.alike = self._alike_line()
        self.merge_button = self._link("mergeValues", self.tr("Merge"), self._on_merge)
        self.rename_button = self._link("renameValue", self.tr("Rename"), self._on_rename)
        self.reverse_button = self._link(
            "reverseValues",
            self.tr("Reverse order"),
            lambda: self._reorder(self.model.values[::-1]),
        )
        self.missing_button = self._link(
            "markMissing", self.tr("Mark as missing"), self._on_mark_missing
        )
        self.confirm_button = self._link(
            "confirmValues", self.tr("Confirm as public"),
            lambda: self.ask(lambda view: data_edits.confirm_values(view.name)),
        )  # fmt: skip
        self.confirm_button.setToolTip(
            self.tr("This list is known without the answers and may be published")
        )
        links = WrappingRow(
            self.merge_button,
            self.rename_button,
            self.reverse_button,
            self.missing_button,
            self.confirm_button,
            spacing=10,
        )
        column(
            row(self.heading, None, self.hint), self.alike, self.view, self.problem, links,
            parent=self, spacing=6,
        )  # fmt: skip
        self.view.setAccessibleDescription(self.hint.toolTip())
        self.view.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.view.customContextMenuRequested.connect(self._on_menu)
        self.view.move_requested.connect(self._on_move)
        self.view.selectionModel().selectionChanged.connect(self._follow_selection)
        self.model.rename_requested.connect(self._on_renamed)
        themes.theme_changed.connect(self._fit)
        self.show_problem("")

    def _link(self, object_name: str, words: str, slot: object) -> Button:
        button = named(Button(self._themes, words, look="link"), object_name)
        button.clicked.connect(lambda *_: slot())  # type: ignore[operator]
        return button

    def _alike_line(self) -> QWidget:
        line = QWidget()
        self.alike_words = text("", "warning", wrap=True)
        self.alike_button = self._link("selectAlike", self.tr("Select"), self._on_alike)
        row(
            IconLabel(self._themes, "warning", "warningText", 16), self.alike_words,
            self.alike_button, parent=line, stretch=1,
        )  # fmt: skip
        return line

    def set_view(self, view: Selection) -> None:
        before, self._view = self._view, view
        is_other = before is None or before.name != view.name
        if before is None or before.column is not view.column:
            self.show_problem("")
        attribute = view.attribute
        is_ordinal = attribute.kind is Kind.ORDINAL
        self.heading.setText(self.tr("Order of the answers") if is_ordinal else self.tr("Answers"))
        can_edit = not view.reason_against
        can_move = can_edit and attribute.k > 1
        self.hint.setText(self.tr("drag to reorder") if can_move else "")
        self.confirm_button.setVisible(can_edit and attribute.domain_source == FROM_DATA)
        self.view.delegate.role, self.view.can_move = view.role, can_move
        counts = None if view.summary is None else view.summary.counts
        kept = self._to_select or ([] if is_other else self._chosen_values())
        self.model.show_values(attribute.values, counts, can_edit, can_move)
        self._fit()
        self._select(kept)
        self._to_select = []
        self._show_alike(can_edit)
        self._limit()
        self._follow_selection()

    def show_problem(self, sentence: str) -> None:
        """Say why a change was refused; an empty sentence takes it away."""
        show_words(self.problem, sentence)
        self._limit()

    def resizeEvent(self, event: object) -> None:  # noqa: N802
        super().resizeEvent(event)  # type: ignore[arg-type]
        self._limit()

    def _fit(self) -> None:
        self.view.setMinimumHeight(self.view.sizeHint().height())
        self.view.setMaximumHeight(self.view.full_height)
        self.view.updateGeometry()
        self._limit()
        self.view.fit_columns()
        self.view.viewport().update()

    def _limit(self) -> None:
        """Be no higher than all values need, so that no gap opens below them."""
        more = self.view.full_height - self.view.sizeHint().height()
        layout = self.layout()
        if layout is not None and self.width() > 0:
            self.setMaximumHeight(layout.totalHeightForWidth(self.width()) + more)

    def _show_alike(self, can_edit: bool) -> None:
        groups = alike_values(self.model.values) if can_edit else ()
        self.alike.setVisible(bool(groups))
        if groups:
            shown = ", ".join(self.tr("“%s”") % show_spaces(value) for value in groups[0][:4])
            self.alike_words.setText(self.tr("%s are similar.") % shown)

    def _chosen_values(self) -> list[str]:
        return [self.model.values[i] for i in self.view.chosen_rows() if i < len(self.model.values)]

    def _select(self, values: list[str]) -> None:
        places = {value: place for place, value in enumerate(self.model.values)}
        rows = [places[value] for value in values if value in places]
        if rows == self.view.chosen_rows():
            return
        selection = QItemSelection()
        for place in rows:
            index = self.model.index(place, 0)
            selection.select(index, index)
        flags = QItemSelectionModel.SelectionFlag
        self.view.selectionModel().select(selection, flags.ClearAndSelect | flags.Rows)
        if rows:
            first = self.model.index(rows[0], 0)
            self.view.selectionModel().setCurrentIndex(first, flags.NoUpdate)
            self.view.scrollTo(first)

    def _follow_selection(self) -> None:
        if self._view is None:
            return
        chosen, against = len(self._chosen_values()), self._view.reason_against
        one = self.tr("Select a value first.")
        several = self.tr("Select 2 or more values with Shift or Ctrl first.")
        k = self.model.rowCount()
        _allow(self.merge_button, against or ("" if chosen > 1 else several))
        _allow(self.rename_button, against or ("" if chosen == 1 else one))
        _allow(self.missing_button, against or ("" if chosen else one))
        _allow(self.reverse_button, against or ("" if k > 1 else self.tr("There is only 1 value.")))

    def _on_move(self, rows: list[int], target: int) -> None:
        self._to_select = [self.model.values[row] for row in rows]
        self._reorder(self.model.moved(rows, target))

    def _reorder(self, order: Sequence[str]) -> None:
        self.ask(lambda view: data_edits.reorder(view.name, order))

    def _on_merge(self) -> None:
        chosen = self._chosen_values()
        if len(chosen) > 1:
            self._to_select = chosen[:1]
            self.ask(lambda view: data_edits.merge(view.name, chosen, chosen[0]))

    def _on_mark_missing(self) -> None:
        chosen = self._chosen_values()
        if chosen:
            self.ask(lambda view: data_edits.mark_missing(view.name, chosen))

    def _on_rename(self) -> None:
        rows = self.view.chosen_rows()
        if rows:
            self.view.edit_row(rows[0])

    def _on_renamed(self, old: str, new: str) -> None:
        self._to_select = [new]
        self.ask(lambda view: data_edits.rename_value(view.name, old, new, self._refuse))

    def _refuse(self, why: str) -> None:
        self._to_select = []
        self.show_problem(why)

    def _on_alike(self) -> None:
        groups = alike_values(self.model.values)
        if groups:
            self._select(list(groups[0]))
            self.view.setFocus()

    def make_menu(self) -> QMenu:
        menu = QMenu(self)
        menu.setToolTipsVisible(True)
        for button in (
            self.merge_button, self.rename_button, self.reverse_button, self.missing_button,
        ):  # fmt: skip
            action = menu.addAction(button.text())
            action.triggered.connect(button.click)
            action.setEnabled(button.isEnabled())
            action.setToolTip(button.toolTip())
        return menu

    def _on_menu(self, place: QPoint) -> None:
        show_menu(self.make_menu(), self.view.viewport().mapToGlobal(place))


def _allow(button: Button, reason_against: str) -> None:
    button.setEnabled(not reason_against)
    button.setToolTip(reason_against)
