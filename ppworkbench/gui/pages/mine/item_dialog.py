"""The window in which items are chosen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QEvent, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from ppworkbench.analyses.mining.runs import AvailableItems, ItemOption
from ppworkbench.gui.numbers import number
from ppworkbench.gui.theme import ThemeManager, icon, set_outline
from ppworkbench.gui.widgets.controls import Button, filter_field
from ppworkbench.gui.widgets.layout import column, named, row, text
from ppworkbench.gui.widgets.table import ROW, Column, ColumnModel, Index


@dataclass(frozen=True)
class Row:
    """A heading (``item`` is None) or an item; ``items`` are all that it ticks."""

    words: str
    items: tuple[ItemOption, ...]
    is_heading: bool = False
    is_under: bool = False


class ItemListModel(ColumnModel[Row]):
    """Attributes with one item are one row; others have a heading that ticks all below it."""

    ticked_changed = Signal()

    def __init__(self, themes: ThemeManager, items: Sequence[ItemOption]) -> None:
        super().__init__(themes, [Column("", lambda row: row.words, tip=lambda _: "")])
        self._all = tuple(items)
        self.ticked: set[ItemOption] = set()
        self.set_filter("")

    def set_filter(self, text: str) -> None:
        """Show only what holds all words."""
        words = text.lower().split()
        by_attribute: dict[str, list[ItemOption]] = {}
        for item in self._all:
            if all(word in f"{item.attribute} {item.words}".lower() for word in words):
                by_attribute.setdefault(item.attribute, []).append(item)
        rows = []
        for items in by_attribute.values():
            if len(items) == 1:
                rows.append(Row(items[0].words, tuple(items)))
                continue
            rows.append(Row(items[0].title, tuple(items), is_heading=True))
            rows += [Row(item.value, (item,), is_under=True) for item in items]
        self.set_rows(rows)

    @property
    def chosen(self) -> tuple[ItemOption, ...]:
        """The ticked items in their own order."""
        return tuple(item for item in self._all if item in self.ticked)

    @property
    def shown(self) -> tuple[ItemOption, ...]:
        """The items that pass the filter."""
        return tuple(item for row in self.rows if not row.is_heading for item in row.items)

    def tick(self, items: Sequence[ItemOption], on: bool) -> None:
        """Tick or untick some items."""
        self.tick_only(self.ticked.union(items) if on else self.ticked.difference(items))

    def tick_only(self, items: Iterable[ItemOption]) -> None:
        self.ticked = set(items)
        if self.rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self.rows) - 1, 0))
        self.ticked_changed.emit()

    def state(self, row: Row) -> Qt.CheckState:
        """Whether all, some or none of a row's items are ticked."""
        count = sum(item in self.ticked for item in row.items)
        if count == 0:
            return Qt.CheckState.Unchecked
        is_all = count == len(row.items)
        return Qt.CheckState.Checked if is_all else Qt.CheckState.PartiallyChecked

    def count_words(self, row: Row) -> str:
        """How many items of a heading are ticked."""
        ticked = sum(item in self.ticked for item in row.items)
        return self.tr("%s of %s") % (number(ticked), number(len(row.items)))

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = super().data(index, ROW)
        if row is not None and role == Qt.ItemDataRole.CheckStateRole:
            return self.state(row)
        if row is not None and role == Qt.ItemDataRole.AccessibleTextRole and row.is_heading:
            return f"{row.words}, {self.count_words(row)}"
        return super().data(index, role)

    def setData(  # noqa: N802
        self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole
    ) -> bool:
        if role != Qt.ItemDataRole.CheckStateRole or not index.isValid():
            return False
        self.tick(self.rows[index.row()].items, Qt.CheckState(value) == Qt.CheckState.Checked)
        return True

    def flags(self, index: Index) -> Qt.ItemFlag:
        found = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return found | Qt.ItemFlag.ItemIsUserCheckable if index.isValid() else found


class ItemDelegate(QStyledItemDelegate):
    """A box, the words, and the count of a heading; a click anywhere in the row ticks."""

    def __init__(self, themes: ThemeManager, model: ItemListModel) -> None:
        super().__init__()
        self._themes = themes
        self._model = model

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: ARG002, N802
        return QSize(200, self._themes.theme.px(28))

    def editorEvent(  # noqa: N802
        self,
        event: QEvent,
        model: QAbstractItemModel,
        option: QStyleOptionViewItem,
        index: Index,
    ) -> bool:
        del option
        is_click = (
            isinstance(event, QMouseEvent)
            and event.type() is QEvent.Type.MouseButtonRelease
            and event.button() is Qt.MouseButton.LeftButton
        )
        is_key = (
            isinstance(event, QKeyEvent)
            and event.type() is QEvent.Type.KeyPress
            and event.key() in (Qt.Key.Key_Space, Qt.Key.Key_Select)
        )
        if not (is_click or is_key):
            return False
        row = index.data(ROW)
        is_on = self._model.state(row) is Qt.CheckState.Checked
        wanted = Qt.CheckState.Unchecked if is_on else Qt.CheckState.Checked
        return model.setData(index, wanted, Qt.ItemDataRole.CheckStateRole)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme, row = self._themes.theme, index.data(ROW)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        cell: QRect = option.rect  # type: ignore[attr-defined]  # not in the stubs
        rect = QRectF(cell)
        state: QStyle.StateFlag = option.state  # type: ignore[attr-defined]  # not in the stubs
        if state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(cell, theme.colour("hover"))
        left = rect.left() + (30 if row.is_under else 8)
        box = QRectF(left, rect.center().y() - 8, 16, 16)
        self._draw_box(painter, box, self._model.state(row))
        if state & QStyle.StateFlag.State_HasFocus:
            set_outline(painter, QPen(theme.colour("focus"), 2))
            painter.drawRoundedRect(rect.adjusted(2, 2, -2, -2), 4, 4)
        painter.setPen(theme.colour("text"))
        painter.setFont(theme.font("body", "semibold" if row.is_heading else "regular"))
        area = rect.adjusted(left - rect.left() + 24, 0, -60 if row.is_heading else -8, 0)
        words = painter.fontMetrics().elidedText(
            row.words, Qt.TextElideMode.ElideRight, int(area.width())
        )
        painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, words)
        if row.is_heading:
            painter.setFont(theme.font("caption"))
            painter.setPen(theme.colour("text3"))
            flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
            painter.drawText(rect.adjusted(0, 0, -10, 0), flags, self._model.count_words(row))
        painter.restore()

    def _draw_box(self, painter: QPainter, box: QRectF, state: Qt.CheckState) -> None:
        theme = self._themes.theme
        is_off = state is Qt.CheckState.Unchecked
        painter.setPen(QPen(theme.colour("outline" if is_off else "accent"), 1))
        painter.setBrush(theme.colour("surface" if is_off else "accent"))
        painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        if not is_off:
            name = "check" if state is Qt.CheckState.Checked else "minus"
            icon(name, theme.colour("accentText")).paint(
                painter, box.adjusted(2, 2, -2, -2).toRect()
            )


class ItemDialog(QDialog):
    """A filter, the list, and buttons that tick what the filter shows."""

    def __init__(
        self,
        themes: ThemeManager,
        offer: AvailableItems,
        chosen: Sequence[ItemOption],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Choose items"))
        self.setObjectName("chooseItems")
        self._total = len(offer.items)
        self.field = filter_field(
            "itemFilter", self.tr("Filter, e.g. district"), self.tr("Filter the items")
        )
        self.model = ItemListModel(themes, offer.items)
        self.model.setParent(self)
        self.list = named(QListView(), "itemList", self.tr("Items"))
        self.list.setModel(self.model)
        self._delegate = ItemDelegate(themes, self.model)
        self.list.setItemDelegate(self._delegate)
        self.list.setUniformItemSizes(True)
        self.list.setMouseTracking(True)
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.list.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.all_button = self._link(themes, self.tr("Select all"), "tickAll")
        self.none_button = self._link(themes, self.tr("Clear all"), "tickNone")
        self.usual_button = self._link(themes, self.tr("Suggested"), "tickUsual")
        self.usual_button.setToolTip(
            self.tr("Some binary and nominal attributes, without the class")
        )
        self.count = text("", "hint")
        self.use = named(Button(themes, self.tr("Use these items"), look="primary"), "useItems")
        self.use.setDefault(True)
        self.leave = named(Button(themes, self.tr("Cancel")), "leaveItems")
        self.leave.setAutoDefault(False)
        self.refusal = named(text(self._refusal(offer), "captionHint", wrap=True), "refusedItems")
        self.refusal.setVisible(bool(offer.refused))
        self.all_button.clicked.connect(lambda: self.model.tick(self.model.shown, True))
        self.none_button.clicked.connect(lambda: self.model.tick(self.model.shown, False))
        self.usual_button.clicked.connect(lambda: self.model.tick_only(offer.usual))
        self.field.textChanged.connect(self.model.set_filter)
        self.model.ticked_changed.connect(self._on_ticked)
        self.use.clicked.connect(self.accept)
        self.leave.clicked.connect(self.reject)
        links = row(self.all_button, self.none_button, self.usual_button, None, spacing=14)
        foot = row(self.count, None, self.leave, self.use)
        layout = column(
            self.field, links, self.list, self.refusal, foot, parent=self, spacing=8, margin=14
        )
        layout.setStretch(2, 1)
        self.model.tick_only(chosen)
        self.resize(self.sizeHint())
        self.field.setFocus()

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(430, 560)

    @property
    def chosen(self) -> tuple[ItemOption, ...]:
        """The ticked items."""
        return self.model.chosen

    def _link(self, themes: ThemeManager, words: str, name: str) -> Button:
        button = named(Button(themes, words, look="link"), name)
        button.setAutoDefault(False)
        return button

    def _refusal(self, offer: AvailableItems) -> str:
        by_reason: dict[str, list[str]] = {}
        for name, why in offer.refused:
            by_reason.setdefault(why, []).append(name)
        told = []
        for why, names in by_reason.items():
            listed = ", ".join(names[:6])
            if len(names) > 6:
                listed = self.tr("%s and %s more") % (listed, number(len(names) - 6))
            told.append(f"{listed} ({why})")
        return self.tr("Cannot be mined: %s.") % "; ".join(told)

    def _on_ticked(self) -> None:
        ticked = len(self.model.ticked)
        self.count.setText(self.tr("%s of %s items") % (number(ticked), number(self._total)))
        self.use.setEnabled(ticked >= 1)
        self.use.setToolTip("" if ticked else self.tr("Select at least 1 item."))
