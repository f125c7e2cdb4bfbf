"""The list of attributes and their kinds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import IntEnum
from typing import Any, cast

from PySide6.QtCore import (
    QAbstractTableModel,
    QItemSelection,
    QItemSelectionModel,
    QItemSelectionRange,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QRectF,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QContextMenuEvent,
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QLineEdit,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
)

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.gui.numbers import number, plain
from ppworkbench.gui.pages.data.edits import Changes, SummaryCache, kind_word
from ppworkbench.gui.pages.data.texts import reason_words, short_doubt
from ppworkbench.gui.store import Store
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.cells import CellPalette, IconPainter, TextLayout
from ppworkbench.gui.widgets.controls import IconButton
from ppworkbench.gui.widgets.layout import reserve_width, row, text
from ppworkbench.gui.widgets.table import EDGE, PAD, HeaderEnd, TableHeader, enable_copy
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.data_checks import find_warning

Index = QModelIndex | QPersistentModelIndex

KIND = Qt.ItemDataRole.UserRole
IS_CLASS = Qt.ItemDataRole.UserRole + 1
IS_AMBER = Qt.ItemDataRole.UserRole + 2

_SPELLED_OUT = 22


class Field(IntEnum):
    """The columns of the list."""

    NAME = 0
    KIND = 1
    VALUES = 2
    MISSING = 3
    REASON = 4


class AttributeModel(QAbstractTableModel):
    """Reads the study when it is asked; keeps only the names that pass the filter."""

    def __init__(
        self, store: Store, keeper: SummaryCache, changes: Changes, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._store = store
        self._keeper = keeper
        self._changes = changes
        self._filter = ""
        self.names: list[str] = []
        self._rows: dict[str, int] = {}
        self._answers: dict[int, Callable[[Column, Field], Any]] = {
            Qt.ItemDataRole.DisplayRole: self._text,
            Qt.ItemDataRole.ToolTipRole: self._tip,
            Qt.ItemDataRole.TextAlignmentRole: lambda _, which: _alignment(which),
            KIND: lambda column, _: column.attribute.kind.value,
            IS_CLASS: self._is_class,
            IS_AMBER: self._is_amber,
        }
        store.data_changed.connect(self.reload)
        keeper.missing_counted.connect(self._refresh)
        self.reload()

    @property
    def _table(self) -> Table | None:
        return self._store.study.table

    def _is_class(self, column: Column, _: Field) -> bool:
        table = self._table
        return table is not None and table.class_name == column.name

    def row_of(self, name: str) -> int | None:
        """Where an attribute stands; None when the filter hides it."""
        return self._rows.get(name)

    def set_filter(self, words: str) -> None:
        """Show only attributes whose name, question or kind holds the words."""
        self._filter = words.casefold().strip()
        self.reload()

    def reload(self) -> None:
        """Read the names again."""
        table = self._table
        if table is not None:
            self._keeper.count_missing(table)
        names = [] if table is None else [a.name for a in table.attributes if self._passes(a)]
        if names == self.names:
            self._refresh()
            return
        self.beginResetModel()
        self.names = names
        self._rows = {name: position for position, name in enumerate(names)}
        self.endResetModel()

    def _passes(self, attribute: Attribute) -> bool:
        if not self._filter:
            return True
        kind = attribute.kind.value
        words = (attribute.name, attribute.label, kind, self.tr(kind))
        return any(self._filter in word.casefold() for word in words)

    def _refresh(self) -> None:
        if self.names:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self.names) - 1, len(Field) - 1))

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802
        """The number of attributes shown."""
        return 0 if parent.isValid() else len(self.names)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802
        """The number of facts about each."""
        return 0 if parent.isValid() else len(Field)

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """The heads of the columns."""
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return {
                Field.NAME: self.tr("Attribute"),
                Field.KIND: self.tr("Kind"),
                Field.VALUES: self.tr("Values or range"),
                Field.MISSING: self.tr("Missing"),
                Field.REASON: self.tr("Why this kind"),
            }[Field(section)]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(Field(section))
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """What the delegate draws and what is read aloud."""
        table = self._table
        if not index.isValid() or table is None:
            return None
        column = table[self.names[index.row()]]
        which = Field(index.column())
        answer = self._answers.get(role)
        return None if answer is None else answer(column, which)

    def _text(self, column: Column, which: Field) -> str:
        attribute = column.attribute
        if which is Field.NAME:
            return attribute.name
        if which is Field.KIND:
            return self.tr(attribute.kind.value)
        if which is Field.VALUES:
            return self._values(attribute)
        if which is Field.MISSING:
            missing = self._keeper.missing(column)
            return "…" if missing is None else number(missing)
        return self._reason(attribute)

    def _values(self, attribute: Attribute) -> str:
        if attribute.domain is not None:
            return self.tr("%s to %s") % (plain(attribute.domain[0]), plain(attribute.domain[1]))
        spelled = ", ".join(attribute.values[:3])
        if attribute.k <= 3 and 0 < len(spelled) <= _SPELLED_OUT:
            return spelled
        if attribute.k < 2:
            return self.tr("1 value") if attribute.k else self.tr("no values")
        if attribute.kind is Kind.ORDINAL:
            return self.tr("%s values in order") % number(attribute.k)
        return self.tr("%s values") % number(attribute.k)

    def _reason(self, attribute: Attribute) -> str:
        if self._store.study.original is None:
            return self.tr("the design says so")
        doubt = find_warning(attribute)
        if doubt:
            return short_doubt(doubt)
        if attribute.reason:
            return reason_words(attribute.reason).removesuffix(".")
        opened = self._changes.opened
        is_changed = (
            opened is not None
            and attribute.name in opened
            and opened[attribute.name].attribute.kind is not attribute.kind
        )
        return self.tr("set by you") if is_changed else self.tr("set by hand or by a codebook")

    def _tip(self, column: Column, which: Field) -> str | None:
        attribute = column.attribute
        if which is Field.NAME:
            return attribute.label or attribute.name
        if which is Field.VALUES and attribute.values:
            more = "…" if attribute.k > 30 else ""
            return ", ".join(attribute.values[:30]) + more
        if which is Field.REASON:
            return reason_words(attribute.reason) or None
        return None

    def _is_amber(self, column: Column, which: Field) -> bool:
        if which is Field.MISSING:
            return bool(self._keeper.missing(column))
        return which is Field.REASON and bool(find_warning(column.attribute))


def _alignment(which: Field) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if which is Field.MISSING else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter


_ICON = 16


class AttributeDelegate(QStyledItemDelegate):
    """A hairline under each row, the selection as a tint, amber for what needs a look."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._inks = CellPalette(themes)
        self._texts = TextLayout(themes, self._inks)
        self._icons = IconPainter(themes)
        self.is_read_only = False

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw one cell."""
        rect: QRect = option.rect  # type: ignore[attr-defined]  # not in the stubs
        state: QStyle.StateFlag = option.state  # type: ignore[attr-defined]  # not in the stubs
        which = index.column()
        is_selected = bool(state & QStyle.StateFlag.State_Selected)
        if is_selected:
            painter.fillRect(rect, self._inks.colour("accentTint"))
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(rect, self._inks.colour("hover"))
        else:
            start = rect.left() + (EDGE if which == Field.NAME else 0)
            stop = rect.right() - (EDGE if which == Field.REASON else 0)
            painter.setPen(self._inks.colour("grid"))
            painter.drawLine(start, rect.bottom(), stop, rect.bottom())
        area = rect.adjusted(EDGE if which == Field.NAME else PAD, 0, -PAD, 0)
        if which == Field.NAME:
            self._name(painter, area, index, is_selected)
        elif which == Field.KIND:
            self._kind(painter, area, index)
        elif which == Field.MISSING:
            self._missing(painter, area, index)
        elif which == Field.REASON:
            self._reason(painter, area, index, is_selected)
        else:
            self._texts.draw(painter, index.data(), area)

    def _name(self, painter: QPainter, area: QRect, index: Index, is_selected: bool) -> None:
        weight = "semibold" if is_selected else "medium"
        if not index.data(IS_CLASS):
            self._texts.draw(painter, index.data(), area, weight=weight)
            return
        badge = self.tr("class")
        wide = self._inks.metrics("caption", "medium").horizontalAdvance(badge) + 14
        room = area.adjusted(0, 0, -wide - 8, 0)
        used = self._texts.draw(painter, index.data(), room, weight=weight)
        box = QRectF(area.left() + used + 8, area.center().y() - 8, wide, 18)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._inks.colour("surface" if is_selected else "accentTint"))
        painter.drawRoundedRect(box, 6, 6)
        painter.setPen(self._inks.colour("accentInk"))
        painter.setFont(self._inks.font("caption", "medium"))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, badge)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)

    def _kind(self, painter: QPainter, area: QRect, index: Index) -> None:
        middle = area.center().y() + 0.5
        self._icons.draw(painter, f"kind-{index.data(KIND)}", "text2", area.left(), middle)
        self._texts.draw(painter, index.data(), area.adjusted(_ICON + PAD, 0, -18, 0))
        if not self.is_read_only:
            self._icons.draw(painter, "chevron-down", "text2", area.right() - 14, middle, 12)

    def _missing(self, painter: QPainter, area: QRect, index: Index) -> None:
        if not index.data(IS_AMBER):
            self._texts.draw(painter, index.data(), area, colour="text3", is_right=True)
            return
        used = self._texts.draw(
            painter, index.data(), area, colour="warningText", weight="semibold", is_right=True
        )
        left = area.right() - used - _ICON - 5
        self._icons.draw(painter, "warning", "warningText", left, area.center().y() + 0.5)

    def _reason(self, painter: QPainter, area: QRect, index: Index, is_selected: bool) -> None:
        # Grey of the third rank is too pale on the tint of a selection.
        colour = "text2" if is_selected else "text3"
        if index.data(IS_AMBER):
            colour = "warningText"
            self._icons.draw(painter, "warning", colour, area.left(), area.center().y() + 0.5)
            area = area.adjusted(_ICON + 6, 0, 0, 0)
        self._texts.draw(painter, index.data(), area, colour=colour)


_ROW = 29
_WIDTHS = {Field.KIND: 130, Field.MISSING: 78}
_SHARES = {Field.NAME: 0.36, Field.VALUES: 0.29}
"""Of what the columns of fixed width leave; the reason takes the rest."""


class AttributeView(QTableView):
    """Rows of attributes; the kind is changed in its own cell."""

    kind_requested = Signal(QPoint)
    """The kinds should be offered at this place of the screen."""

    def __init__(self, themes: ThemeManager, model: AttributeModel) -> None:
        super().__init__()
        self._themes = themes
        self.setObjectName("attributes")
        self.setAccessibleName(self.tr("Attributes"))
        head = TableHeader(themes, self)
        self.setHorizontalHeader(head)
        self.addScrollBarWidget(HeaderEnd(head), Qt.AlignmentFlag.AlignTop)
        self.setModel(model)
        self.delegate = AttributeDelegate(themes)
        self.setItemDelegate(self.delegate)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.horizontalHeader().setStretchLastSection(True)
        self.horizontalHeader().setSectionsClickable(False)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setMouseTracking(True)
        self.setTabKeyNavigation(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        enable_copy(self)
        themes.theme_changed.connect(self._rescale)
        self._rescale()

    def _rescale(self) -> None:
        self.verticalHeader().setDefaultSectionSize(self._themes.theme.px(_ROW))
        self._share_width()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Share the width between the columns."""
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
        """Offer the kinds after a plain click on one."""
        super().mouseReleaseEvent(event)
        index = self.indexAt(event.position().toPoint())
        plain = event.modifiers() == Qt.KeyboardModifier.NoModifier
        if index.column() == Field.KIND and plain and event.button() == Qt.MouseButton.LeftButton:
            self.kind_requested.emit(self._below(index))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Offer the kinds with Enter, F2 or Space."""
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

    def __init__(self, workbench: Workbench, model: AttributeModel) -> None:
        super().__init__(padding=0)
        self._store = workbench.store
        self._is_following = False
        self.model = model
        self.count = text("", "badge")
        self.count.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._advice = self.tr("select several with Shift or Ctrl to change them together")
        self.hint = text(self._advice, "captionHint")
        self.search_button = IconButton(workbench.themes, "search", self.tr("Filter (Ctrl+F)"), 16)
        self.search_button.setObjectName("filterAttributes")
        self.search_button.setCheckable(True)
        self.filter = QLineEdit()
        self.filter.setObjectName("attributeFilter")
        self.filter.setPlaceholderText(self.tr("Name, question or kind"))
        self.filter.setAccessibleName(self.tr("Filter attributes"))
        self.filter.setClearButtonEnabled(True)
        reserve_width(self.filter, workbench.themes, 210)
        self.filter.hide()
        self.view = AttributeView(workbench.themes, model)
        self.nothing = text(self.tr("No attribute holds these words."), "hint")
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
        self.filter.textChanged.connect(model.set_filter)
        self.view.kind_requested.connect(self.kind_requested)
        self.view.selectionModel().selectionChanged.connect(self._on_selected)
        self._store.selection_changed.connect(self.follow)
        model.modelReset.connect(self.follow)
        self.follow()

    def set_read_only(self, is_read_only: bool) -> None:
        """Offer no changes where none are possible."""
        self.view.delegate.is_read_only = is_read_only
        self.hint.setText("" if is_read_only else self._advice)

    def start_search(self) -> None:
        """Open the filter and put the cursor into it."""
        self.search_button.setChecked(True)
        self.filter.setFocus()
        self.filter.selectAll()

    def move_selection(self, step: int) -> None:
        """Select the attribute above or below the current one."""
        names = self.model.names
        if names:
            place = self.model.row_of(self._store.current or "")
            place = -1 if place is None else place
            self._store.select([names[min(max(place + step, 0), len(names) - 1)]])

    def follow(self) -> None:
        """Show the store's selection and how many attributes there are."""
        table = self._store.study.table
        everything = 0 if table is None else len(table.columns)
        shown = len(self.model.names)
        some = self.tr("%s of %s") % (number(shown), number(everything))
        self.count.setText(number(everything) if shown == everything else some)
        self.view.setVisible(shown > 0 or everything == 0)
        self.nothing.setVisible(shown == 0 < everything)
        self._show_selection()

    def _show_selection(self) -> None:
        places = [self.model.row_of(name) for name in self._store.selected]
        rows = [place for place in places if place is not None]
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
        names = [self.model.names[row] for row in self._chosen_rows()]
        current = self.view.currentIndex()
        if current.isValid() and current.row() < len(self.model.names):
            first = self.model.names[current.row()]
            if first in names:
                names.remove(first)
                names.insert(0, first)
        if names:
            self._store.select(names)
