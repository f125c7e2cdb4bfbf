"""The list of attributes and their kinds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import IntEnum
from typing import cast

import numpy as np
from PySide6.QtCore import (
    QItemSelection,
    QItemSelectionModel,
    QItemSelectionRange,
    QModelIndex,
    QPoint,
    Qt,
    Signal,
)
from PySide6.QtGui import QContextMenuEvent, QFontMetrics, QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QMenu,
    QSizePolicy,
    QTableView,
    QWidget,
)

from ppworkbench.core.data.attribute import QUESTION_KINDS, Attribute, Kind
from ppworkbench.core.data.table import Column
from ppworkbench.gui.language import own_words, tr
from ppworkbench.gui.numbers import in_unit, number, plain
from ppworkbench.gui.pages.data.view import DataView, kind_word, reason_words, short_doubt
from ppworkbench.gui.theme import ThemeManager, icon
from ppworkbench.gui.widgets.attribute_box import attribute_tip
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.cells import EDGE, CellDelegate
from ppworkbench.gui.widgets.cells import Column as TableColumn
from ppworkbench.gui.widgets.controls import IconButton, filter_field, open_search
from ppworkbench.gui.widgets.labels import role_word
from ppworkbench.gui.widgets.layout import reserve_width, row, text
from ppworkbench.gui.widgets.table import (
    ColumnModel,
    show_as_rows,
)
from ppworkbench.study.data_checks import find_warning

_SPELLED_OUT = 22


class Field(IntEnum):
    """The columns of the list."""

    NAME = 0
    KIND = 1
    VALUES = 2
    MISSING = 3
    REASON = 4


def attribute_columns(view: DataView) -> tuple[TableColumn[Column], ...]:
    """Name, kind, values, missing answers, and why it has this kind."""
    shown = view.study.shown
    return (
        TableColumn(
            tr("Attribute"), lambda column: shown(column.name), is_left=True,
            tip=lambda column: attribute_tip(
                column.name, column.attribute.label, shown(column.name)
            ),
            caption=lambda column: "" if shown(column.name) == column.name else column.name,
            weight=lambda _: "medium",
            badge=lambda column: _badge(view, column.name),
        ),
        TableColumn(
            tr("Kind"), lambda column: kind_word(column.attribute.kind), is_left=True,
            tip=lambda _: "",
            icon=lambda column: f"kind-{column.attribute.kind.value}", icon_ink="text2",
            has_menu=view.study.original is not None,
        ),
        TableColumn(tr("Values or range"), _values, tip=_all_values, is_left=True),
        TableColumn(
            tr("Missing"), lambda column: _missing(view, column),
            tip=lambda column: _not_asked(view, column),
            ink=lambda column: "warningText" if view.missing(column) else "text3",
            weight=lambda column: "semibold" if view.missing(column) else "regular",
            icon=lambda column: "warning" if view.missing(column) else "",
        ),
        TableColumn(
            tr("Reason"), lambda column: _reason(view, column.attribute), is_left=True,
            tip=lambda column: reason_words(column.attribute.reason),
            ink=lambda column: "warningText" if find_warning(column.attribute) else "text3",
            icon=lambda column: "warning" if find_warning(column.attribute) else "",
        ),
    )  # fmt: skip


def _badge(view: DataView, name: str) -> str:
    """What the column is besides an answer: of the sampling, the arms, the class; or not asked."""
    table, role = view.table, view.study.design.role_of(name)
    if role:
        return role_word(role)
    if name in view.study.design.versions.columns:
        return tr("arm")
    silent = view.not_asked.get(name)
    if silent is not None:
        return tr("%s not asked") % number(int(np.count_nonzero(silent)))
    return tr("class") if table is not None and table.class_name == name else ""


def _values(column: Column) -> str:
    attribute = column.attribute
    if attribute.domain is not None:
        words = tr("%s to %s") % (plain(attribute.domain[0]), plain(attribute.domain[1]))
        return in_unit(words, own_words(attribute.unit))
    spelled = ", ".join(attribute.values[:3])
    if attribute.k <= 3 and 0 < len(spelled) <= _SPELLED_OUT:
        return spelled
    if attribute.k < 2:
        return tr("1 value") if attribute.k else tr("no values")
    if attribute.kind is Kind.ORDINAL:
        return tr("%s values in order") % number(attribute.k)
    return tr("%s values") % number(attribute.k)


def _all_values(column: Column) -> str:
    attribute = column.attribute
    return ", ".join(attribute.values[:30]) + ("…" if attribute.k > 30 else "")


def _missing(view: DataView, column: Column) -> str:
    missing = view.missing(column)
    return "…" if missing is None else number(missing)


def _not_asked(view: DataView, column: Column) -> str:
    silent = view.not_asked.get(column.name)
    if silent is None:
        return ""
    words = tr("%s people have an arm that does not ask this; that is no missing answer.")
    return words % number(int(np.count_nonzero(silent)))


def _reason(view: DataView, attribute: Attribute) -> str:
    if view.study.original is None:
        return tr("from the design")
    doubt = find_warning(attribute)
    if doubt:
        return short_doubt(doubt)
    if attribute.reason:
        return reason_words(attribute.reason).removesuffix(".")
    opened = view.opened
    is_changed = (
        opened is not None
        and attribute.name in opened
        and opened[attribute.name].attribute.kind is not attribute.kind
    )
    return tr("set manually") if is_changed else tr("set manually or by codebook")


class KindMenu(QMenu):
    """Kinds that are not possible are grey and say why."""

    def __init__(
        self,
        themes: ThemeManager,
        current: Kind | None,
        impossible: Mapping[Kind, str],
        chosen: Callable[[Kind], None],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("kindMenu")
        self.setAccessibleName(self.tr("Kind"))
        self.setToolTipsVisible(True)
        theme = themes.theme
        for kind in QUESTION_KINDS:
            picture = icon(
                f"kind-{kind.value}", theme.colour("text2"), theme.colour("textDisabled")
            )
            action = self.addAction(picture, kind_word(kind))
            action.setObjectName(f"kind-{kind.value}")
            action.setEnabled(kind not in impossible)
            action.setToolTip(impossible.get(kind, ""))
            action.triggered.connect(lambda _=False, kind=kind: chosen(kind))
            if kind is current:
                self.setDefaultAction(action)
                self.setActiveAction(action)


_ROW = 29
_WIDTHS = {Field.KIND: 130, Field.MISSING: 78}
_SHARES = {Field.NAME: 0.36, Field.VALUES: 0.29}
"""Of what the columns of fixed width leave; the reason takes the rest."""


class AttributeView(QTableView):
    """Rows of attributes; the kind is changed in its own cell."""

    kind_requested = Signal(QPoint)
    """The kinds should be offered at this place of the screen."""

    def __init__(self, themes: ThemeManager, model: ColumnModel[Column]) -> None:
        super().__init__()
        self._themes = themes
        self.setObjectName("attributes")
        self.setAccessibleName(self.tr("Attributes"))
        self._delegate = CellDelegate(themes, model, line="grid", edge=EDGE, has_focus=False)
        show_as_rows(self, themes, model, self._delegate).setStretchLastSection(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        themes.follow(self._rescale)

    def _rescale(self) -> None:
        self.verticalHeader().setDefaultSectionSize(self._themes.theme.px(_ROW))
        self._share_width()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._share_width()

    def _share_width(self) -> None:
        widths = {which: self._least_width(which) for which in _WIDTHS}
        left = max(self.viewport().width() - sum(widths.values()), 0)
        for which, share in _SHARES.items():
            widths[which] = round(left * share)
        for which, width in widths.items():
            self.setColumnWidth(which, width)

    def _least_width(self, which: Field) -> int:
        """Room for the longest kind, or for the head of a column, in any language."""
        theme = self._themes.theme
        if which is Field.KIND:
            words = QFontMetrics(theme.font("body"))
            room = max(words.horizontalAdvance(kind_word(kind)) for kind in Kind) + theme.px(64)
        else:
            head = self.model().headerData(which, Qt.Orientation.Horizontal)
            words = QFontMetrics(theme.font("body", "semibold"))
            room = words.horizontalAdvance(str(head)) + theme.px(24)
        return max(theme.px(_WIDTHS[which]), room)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        super().mouseReleaseEvent(event)
        index = self.indexAt(event.position().toPoint())
        plain = event.modifiers() == Qt.KeyboardModifier.NoModifier
        if index.column() == Field.KIND and plain and event.button() == Qt.MouseButton.LeftButton:
            self.kind_requested.emit(self._below(index))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        keys = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_F2, Qt.Key.Key_Space)
        plain = event.modifiers() == Qt.KeyboardModifier.NoModifier
        if event.key() in keys and plain and self.currentIndex().isValid():
            self.kind_requested.emit(self._below(self.currentIndex()))
            return
        super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802
        """Offer the kinds with the right button or the menu key."""
        index = self.currentIndex()
        if event.reason() is QContextMenuEvent.Reason.Mouse:
            self.kind_requested.emit(event.globalPos())
        elif index.isValid():
            self.kind_requested.emit(self._below(index))

    def _below(self, index: QModelIndex) -> QPoint:
        cell = self.visualRect(index.siblingAtColumn(Field.KIND))
        return self.viewport().mapToGlobal(cell.bottomLeft())


class AttributeCard(Card):
    """Several attributes can be selected and changed together."""

    kind_requested = Signal(QPoint)
    names_chosen = Signal(tuple)
    """Attributes were selected, the current one first."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(padding=0)
        self._view = DataView()
        self._is_following = False
        self.model = ColumnModel(themes, attribute_columns(self._view), self)
        self.count = text("", "badge")
        self.count.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._advice = self.tr("select several with Shift or Ctrl")
        self.hint = text(self._advice, "captionHint")
        self.search_button = IconButton(themes, "search", self.tr("Filter (Ctrl+F)"), 16)
        self.search_button.setObjectName("filterAttributes")
        self.search_button.setCheckable(True)
        self.filter = filter_field(
            "attributeFilter", self.tr("Name, question or kind"), self.tr("Filter attributes")
        )
        reserve_width(self.filter, themes, 210)
        self.filter.hide()
        self.view = AttributeView(themes, self.model)
        self.nothing = text(self.tr("No attribute matches."), "hint")
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.nothing.hide()
        title = text(self.tr("Attributes"), "strong")
        line = row(title, self.count, self.hint, None, self.filter, self.search_button, spacing=10)
        line.setContentsMargins(14, 6, 12, 6)
        self.body.setContentsMargins(1, 1, 1, 6)
        self.body.setSpacing(0)
        self.body.addLayout(line)
        self.body.addWidget(self.view, 1)
        self.body.addWidget(self.nothing, 1)
        self.search_button.toggled.connect(self._on_search)
        self.filter.textChanged.connect(self._fill)
        self.filter.textChanged.connect(lambda words: open_search(self.search_button, words))
        self.view.kind_requested.connect(self.kind_requested)
        self.view.selectionModel().selectionChanged.connect(self._on_selected)

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.model.rows]

    def set_view(self, view: DataView) -> None:
        self._view = view
        self.hint.setText("" if view.is_distorted else self._advice)
        self._fill()

    def _fill(self) -> None:
        table, typed = self._view.table, self.filter.text().casefold().strip()
        columns = () if table is None else table.columns
        shown = [column for column in columns if _passes(column.attribute, typed)]
        self._is_following = True
        self.model.set_rows(shown, attribute_columns(self._view))
        self._is_following = False
        some = self.tr("%s of %s") % (number(len(shown)), number(len(columns)))
        self.count.setText(number(len(columns)) if len(shown) == len(columns) else some)
        self.view.setVisible(bool(shown) or not columns)
        self.nothing.setVisible(not shown and bool(columns))
        self._show_selection()

    def start_search(self) -> None:
        self.search_button.setChecked(True)
        self.filter.setFocus()
        self.filter.selectAll()

    def move_selection(self, step: int) -> None:
        names, current = self.names, self._view.selected[:1]
        if names:
            place = names.index(current[0]) if current and current[0] in names else -1
            self.names_chosen.emit((names[min(max(place + step, 0), len(names) - 1)],))

    def _show_selection(self) -> None:
        places = {name: place for place, name in enumerate(self.names)}
        rows = [places[name] for name in self._view.selected if name in places]
        if self._chosen_rows() == sorted(rows):
            return
        flags = QItemSelectionModel.SelectionFlag
        self._is_following = True
        chooser = self.view.selectionModel()
        chooser.select(self._selection(sorted(rows)), flags.ClearAndSelect)
        if rows:
            current = self.model.index(rows[0], 0)
            chooser.setCurrentIndex(current, flags.NoUpdate)
            self.view.scrollTo(current)
        self._is_following = False

    def _selection(self, rows: list[int]) -> QItemSelection:
        """Rows in order as a selection; neighbours make one range."""
        selection = QItemSelection()
        start = 0
        for place in range(1, len(rows) + 1):
            if place == len(rows) or rows[place] != rows[place - 1] + 1:
                last = self.model.index(rows[place - 1], len(Field) - 1)
                selection.select(self.model.index(rows[start], 0), last)
                start = place
        return selection

    def _chosen_rows(self) -> list[int]:
        ranges = cast(Iterable[QItemSelectionRange], self.view.selectionModel().selection())
        return sorted({row for one in ranges for row in range(one.top(), one.bottom() + 1)})

    def _on_search(self, shown: bool) -> None:
        self.filter.setVisible(shown)
        self.hint.setVisible(not shown)
        if shown:
            self.filter.setFocus()
        else:
            self.filter.clear()
            self.view.setFocus()

    def _on_selected(self) -> None:
        if self._is_following:
            return
        columns = self.model.rows
        names = [columns[row].name for row in self._chosen_rows()]
        current = self.view.currentIndex()
        if current.isValid() and current.row() < len(columns):
            first = columns[current.row()].name
            if first in names:
                names.remove(first)
                names.insert(0, first)
        if names:
            self.names_chosen.emit(tuple(names))


def _passes(attribute: Attribute, typed: str) -> bool:
    if not typed:
        return True
    words = (
        attribute.name, own_words(attribute.title), attribute.label, attribute.kind.value,
        kind_word(attribute.kind),
    )  # fmt: skip
    return any(typed in word.casefold() for word in words)
