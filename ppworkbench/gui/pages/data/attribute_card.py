"""The upper card of the Data page: every attribute with what was understood of it."""

from __future__ import annotations

from PySide6.QtCore import (
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPoint,
    Qt,
    Signal,
)
from PySide6.QtGui import QContextMenuEvent, QFontMetrics, QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QLineEdit, QSizePolicy, QTableView

from ppworkbench.core.data.attribute import Kind
from ppworkbench.gui.pages.data.attribute_delegate import AttributeDelegate
from ppworkbench.gui.pages.data.attribute_model import AttributeModel, Field
from ppworkbench.gui.pages.data.kind_menu import kind_word
from ppworkbench.gui.pages.data.table_header import HeaderEnd, TableHeader
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.icon_button import IconButton
from ppworkbench.gui.widgets.kept_width import keep_width
from ppworkbench.gui.widgets.layouts import row, text
from ppworkbench.gui.widgets.table_copy import let_copy
from ppworkbench.gui.words import number
from ppworkbench.gui.workbench import Workbench

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
        let_copy(self)
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
        keep_width(self.filter, workbench.themes, 210)
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
        ranges = self.view.selectionModel().selection()
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
