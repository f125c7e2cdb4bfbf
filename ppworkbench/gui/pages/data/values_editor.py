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
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QLineEdit,
    QListView,
    QMenu,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from ppworkbench.core.data.attribute import FROM_DATA, Kind
from ppworkbench.gui.charts.looks import outline_pen, role_brush
from ppworkbench.gui.dialogs import show_menu
from ppworkbench.gui.numbers import number
from ppworkbench.gui.pages.data import edits as data_edits
from ppworkbench.gui.pages.data.view import Selection
from ppworkbench.gui.theme import ThemeManager, set_fill, set_outline
from ppworkbench.gui.widgets.cells import CellPalette, Column, IconPainter, Index
from ppworkbench.gui.widgets.controls import Button, IconLabel
from ppworkbench.gui.widgets.layout import WrappingRow, column, named, row, show_words, text
from ppworkbench.gui.widgets.table import ColumnModel
from ppworkbench.study.data_checks import alike_values, show_spaces


class ValuesModel(ColumnModel[int]):
    """Values in order, by their places; asks others to rename one."""

    rename_requested = Signal(str, str)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(themes)
        self.values: tuple[str, ...] = ()
        self._counts: NDArray[np.int64] | None = None
        self._top = 1
        self._is_editable = True

    def show_values(
        self, values: tuple[str, ...], counts: NDArray[np.int64] | None, is_editable: bool
    ) -> None:
        self.values, self._counts, self._is_editable = values, counts, is_editable
        self._top = 1 if counts is None else max(int(counts.max(initial=0)), 1)
        column: Column[int] = Column("", values.__getitem__, spoken=self._read_out, is_left=True)
        self.set_rows(range(len(values)), [column])

    def moved(self, rows: Sequence[int], target: int) -> list[str]:
        """The values in the order that a move would give."""
        taken = [self.values[row] for row in rows]
        rest_before = [v for i, v in enumerate(self.values[:target]) if i not in rows]
        rest_after = [v for i, v in enumerate(self.values[target:], target) if i not in rows]
        return [*rest_before, *taken, *rest_after]

    def count(self, row: int) -> int | None:
        """How many answers are this value; None while they are being counted."""
        return None if self._counts is None else int(self._counts[row])

    def share(self, row: int) -> float:
        """The count beside the largest one, for the length of the bar."""
        return (self.count(row) or 0) / self._top

    def _read_out(self, row: int) -> str:
        count = self.count(row)
        if count is None:
            return self.values[row]
        return self.tr("%s, %s answers") % (self.values[row], number(count))

    def flags(self, index: Index) -> Qt.ItemFlag:  # noqa: ARG002
        """Every value can be selected, and renamed unless the table is only shown."""
        found = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return found | Qt.ItemFlag.ItemIsEditable if self._is_editable else found

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The field for a new name begins with the old one."""
        is_edited = role == Qt.ItemDataRole.EditRole
        return super().data(index, Qt.ItemDataRole.DisplayRole if is_edited else role)

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:  # noqa: N802
        """Ask for a new name; the list shows it when the study has it."""
        old, new = self.values[index.row()], str(value).strip()
        if role == Qt.ItemDataRole.EditRole and new and new != old:
            self.rename_requested.emit(old, new)
            return True
        return False


ROW = 28
_FEW = 8
_GRIP, _GAP = 18, 8


class ValuesDelegate(QStyledItemDelegate):
    """Grip, position, value, bar and count in columns that do not move.

    Not the delegate of other tables: a row is dragged and renamed as a whole, so it is one cell.
    """

    def __init__(self, themes: ThemeManager, model: ValuesModel) -> None:
        super().__init__()
        self._model = model
        self._themes = themes
        self._icons = IconPainter(themes)
        self._inks = CellPalette(themes)
        self.role = "original"
        self.can_move = True
        self.position_width = 20
        self.label_width = 100
        self.count_width = 50

    def measure(self, width: int) -> None:
        """Set the columns by what they have to hold."""
        metrics, model = self._inks.metrics(), self._model
        digits = len(str(model.rowCount()))
        self.position_width = metrics.horizontalAdvance("0") * digits + 6
        longest = max((metrics.horizontalAdvance(v) for v in model.values[:100]), default=0)
        self.label_width = min(max(longest + 10, 56), int(width * 0.42))
        counts = [number(model.count(i) or 0) for i in model.rows[:100]]
        self.count_width = max((metrics.horizontalAdvance(c) for c in counts), default=0) + 8

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: ARG002, N802
        return QSize(120, self._themes.theme.px(ROW))

    def label_rect(self, rect: QRect) -> QRect:
        """Where the value stands in a row."""
        left = rect.left() + _GRIP + self.position_width + _GAP
        return QRect(left, rect.top(), self.label_width, rect.height())

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme = self._themes.theme
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        place: QRect = option.rect  # type: ignore[attr-defined]  # not in the stubs
        rect = QRectF(place)
        self._ground(painter, option, rect)
        if self.can_move:
            self._icons.draw(painter, "grip", "text3", rect.left() + 3, rect.center().y(), 14)
        painter.setFont(theme.font())
        painter.setPen(theme.colour("text2"))
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        position = QRectF(rect.left() + _GRIP, rect.top(), self.position_width, rect.height())
        painter.drawText(position, right, str(index.row() + 1))
        painter.setPen(theme.colour("text"))
        label = QRectF(self.label_rect(place))
        words = painter.fontMetrics().elidedText(
            show_spaces(str(index.data())), Qt.TextElideMode.ElideRight, int(label.width()) - 4
        )
        painter.drawText(label, Qt.AlignmentFlag.AlignVCenter, words)
        count = self._model.count(index.row())
        area = rect.adjusted(0, 0, -6, 0)
        painter.setPen(theme.colour("text2"))
        painter.drawText(area, right, "…" if count is None else number(count))
        room = area.right() - self.count_width - label.right() - _GAP
        length = room * self._model.share(index.row())
        if length > 0:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            painter.setPen(outline_pen(theme, self.role))
            painter.setBrush(role_brush(theme, self.role))
            top = round(rect.center().y() - 6)
            painter.drawRect(QRectF(round(label.right()), top, max(round(length), 1), 11))
        painter.restore()

    def _ground(self, painter: QPainter, option: QStyleOptionViewItem, rect: QRectF) -> None:
        theme = self._themes.theme
        box = rect.adjusted(1.5, 1, -1.5, -1)
        state: QStyle.StateFlag = option.state  # type: ignore[attr-defined]  # not in the stubs
        if state & QStyle.StateFlag.State_Selected:
            painter.setPen(QPen(theme.colour("accentLine"), 1))
            painter.setBrush(theme.colour("accentTint"))
            painter.drawRoundedRect(box, 6, 6)
        elif state & QStyle.StateFlag.State_MouseOver:
            set_fill(painter, theme.colour("hover"))
            painter.drawRoundedRect(box, 6, 6)
        if state & QStyle.StateFlag.State_HasFocus:
            set_outline(painter, QPen(theme.colour("focus"), 2))
            painter.drawRoundedRect(box, 6, 6)

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
        """Put the field over the value and what is right of it."""
        cell: QRect = option.rect  # type: ignore[attr-defined]  # not in the stubs
        place = self.label_rect(cell)
        place.setLeft(place.left() - 8)
        place.setRight(cell.right() - 4)
        editor.setGeometry(place)


class ValuesView(QListView):
    """Dragging a row shows a line where it would go; letting go moves it there."""

    move_requested = Signal(list, int)
    """Rows, and the place before which they should stand."""

    def __init__(self, themes: ThemeManager, model: ValuesModel) -> None:
        super().__init__()
        self._themes = themes
        self._pressed: tuple[QPoint, int] | None = None
        self._target: int | None = None
        self.setObjectName("values")
        self.setAccessibleName(self.tr("Values in order"))
        self.setModel(model)
        self.delegate = ValuesDelegate(themes, model)
        self.setItemDelegate(self.delegate)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        triggers = QAbstractItemView.EditTrigger
        self.setEditTriggers(triggers.DoubleClicked | triggers.EditKeyPressed)

    def sizeHint(self) -> QSize:  # noqa: N802
        rows = min(max(self.model().rowCount(), 1), _FEW)
        return QSize(200, self._themes.theme.px(ROW) * rows + 4)

    @property
    def full_height(self) -> int:
        """As high as all rows."""
        return self._themes.theme.px(ROW) * max(self.model().rowCount(), 1) + 4

    def chosen_rows(self) -> list[int]:
        """The selected rows from top to bottom."""
        return sorted(index.row() for index in self.selectionModel().selectedRows())

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        index = self.indexAt(event.position().toPoint())
        plain = event.modifiers() == Qt.KeyboardModifier.NoModifier
        self._pressed = None
        if event.button() == Qt.MouseButton.LeftButton and index.isValid() and plain:
            self._pressed = (event.position().toPoint(), index.row())
        super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        if self._pressed is None or not self.delegate.can_move:
            super().mouseMoveEvent(event)
            return
        here = event.position().toPoint()
        far = (here - self._pressed[0]).manhattanLength() >= QApplication.startDragDistance()
        if self._target is None and not far:
            return
        self.setCursor(Qt.CursorShape.ClosedHandCursor)
        self._scroll_along(here.y())
        self._target = self._gap_at(here.y())
        self.viewport().update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        pressed, target = self._pressed, self._target
        self._pressed, self._target = None, None
        self.unsetCursor()
        self.viewport().update()
        super().mouseReleaseEvent(event)
        if (
            pressed is not None
            and target is not None
            and target not in (pressed[1], pressed[1] + 1)
        ):
            self.move_requested.emit([pressed[1]], target)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        both = Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.ShiftModifier
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()))
        if step is not None and event.modifiers() & both == both:
            self._move_chosen(step)
            return
        if event.key() == Qt.Key.Key_Escape and self._target is not None:
            self._pressed, self._target = None, None
            self.unsetCursor()
            self.viewport().update()
            return
        super().keyPressEvent(event)

    def _move_chosen(self, step: int) -> None:
        rows = self.chosen_rows()
        if not rows or not self.delegate.can_move:
            return
        if step < 0 and rows[0] > 0:
            self.move_requested.emit(rows, rows[0] - 1)
        elif step > 0 and rows[-1] < self.model().rowCount() - 1:
            self.move_requested.emit(rows, rows[-1] + 2)

    def _gap_at(self, y: int) -> int:
        """The place before which a row stands that is let go at this height."""
        index = self.indexAt(QPoint(4, min(max(y, 1), self.viewport().height() - 2)))
        if not index.isValid():
            return self.model().rowCount()
        box = self.visualRect(index)
        return index.row() + (1 if y > box.center().y() else 0)

    def _scroll_along(self, y: int) -> None:
        bar = self.verticalScrollBar()
        if y < 12:
            bar.setValue(bar.value() - self._themes.theme.px(ROW) // 2)
        elif y > self.viewport().height() - 12:
            bar.setValue(bar.value() + self._themes.theme.px(ROW) // 2)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        super().paintEvent(event)
        if self._target is None:
            return
        rows = self.model().rowCount()
        last = self._target >= rows
        box = self.visualRect(self.model().index(min(self._target, rows - 1), 0))
        y = box.bottom() if last else box.top()
        painter = QPainter(self.viewport())
        painter.setPen(QPen(self._themes.theme.colour("accent"), 3))
        painter.drawLine(4, y, self.viewport().width() - 4, y)
        painter.end()

    def edit_row(self, row: int) -> None:
        """Open the field for a new name."""
        index = self.model().index(row, 0)
        self.setCurrentIndex(index)
        self.edit(QModelIndex(index))


class ValuesSection(QWidget):
    """Drag, or Alt+Shift with the arrows, changes the order."""

    edit_requested = Signal(object)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._view: Selection | None = None
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
            "reverseValues", self.tr("Reverse order"), self._on_reverse
        )
        self.missing_button = self._link(
            "markMissing", self.tr("Mark as missing"), self._on_mark_missing
        )
        self.confirm_button = self._link(
            "confirmValues", self.tr("Confirm as public"), self._on_confirm
        )
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
        layout = row(
            IconLabel(self._themes, "warning", "warningText", 16), self.alike_words,
            self.alike_button, parent=line,
        )  # fmt: skip
        layout.setStretch(1, 1)
        return line

    def set_view(self, view: Selection) -> None:
        """Show the values of another attribute, or the same ones after a change."""
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
        delegate = self.view.delegate
        delegate.role, delegate.can_move = view.role, can_move
        counts = None if view.summary is None else view.summary.counts
        kept = self._to_select or ([] if is_other else self._chosen_values())
        self.model.show_values(attribute.values, counts, can_edit)
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
        self.view.delegate.measure(self.view.width())
        self._limit()

    def _fit(self) -> None:
        self.view.setMinimumHeight(self.view.sizeHint().height())
        self.view.setMaximumHeight(self.view.full_height)
        self.view.updateGeometry()
        self._limit()
        self.view.delegate.measure(self.view.width())
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
        self.view.selectionModel().select(selection, flags.ClearAndSelect)
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
        if self._view is not None:
            self._to_select = [self.model.values[row] for row in rows]
            order = self.model.moved(rows, target)
            self.edit_requested.emit(data_edits.reorder(self._view.name, order))

    def _on_reverse(self) -> None:
        if self._view is not None:
            self.edit_requested.emit(data_edits.reorder(self._view.name, self.model.values[::-1]))

    def _on_merge(self) -> None:
        chosen = self._chosen_values()
        if self._view is not None and len(chosen) > 1:
            self._to_select = chosen[:1]
            self.edit_requested.emit(data_edits.merge(self._view.name, chosen, chosen[0]))

    def _on_mark_missing(self) -> None:
        chosen = self._chosen_values()
        if self._view is not None and chosen:
            self.edit_requested.emit(data_edits.mark_missing(self._view.name, chosen))

    def _on_confirm(self) -> None:
        if self._view is not None:
            self.edit_requested.emit(data_edits.confirm_values(self._view.name))

    def _on_rename(self) -> None:
        rows = self.view.chosen_rows()
        if rows:
            self.view.edit_row(rows[0])

    def _on_renamed(self, old: str, new: str) -> None:
        if self._view is not None:
            self._to_select = [new]
            name = self._view.name
            self.edit_requested.emit(data_edits.rename_value(name, old, new, self._refuse))

    def _refuse(self, why: str) -> None:
        self._to_select = []
        self.show_problem(why)

    def _on_alike(self) -> None:
        groups = alike_values(self.model.values)
        if groups:
            self._select(list(groups[0]))
            self.view.setFocus()

    def make_menu(self) -> QMenu:
        """The links as a menu, for the right button."""
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
