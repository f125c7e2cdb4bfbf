"""The attributes that groups may be split on, each with a tick."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QAbstractItemView, QListView, QSizePolicy, QWidget

from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.icon_button import Button
from ppworkbench.gui.widgets.layouts import column, row, text
from ppworkbench.gui.words import number

_ROWS = 7


class SplitList(QWidget):
    """A list that scrolls beyond some rows; "all" and "none" stand beside its head."""

    ticked = Signal(str, bool)
    all_ticked = Signal(bool)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self.model = QStandardItemModel(self)
        self.view = QListView()
        self.view.setObjectName("mayplitOn")
        self.view.setObjectName("maySplitOn")
        self.view.setAccessibleName(self.tr("May split on"))
        self.view.setModel(self.model)
        self.view.setUniformItemSizes(True)
        self.view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.view.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.view.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.count = text("", "captionHint")
        self.all = Button(themes, self.tr("all"), look="link")
        self.none = Button(themes, self.tr("none"), look="link")
        self.all.setObjectName("splitAll")
        self.none.setObjectName("splitNone")
        self.all.setAccessibleName(self.tr("Allow all splits"))
        self.none.setAccessibleName(self.tr("Allow no splits"))
        head = row(
            text(self.tr("May split on"), "strong"),
            None,
            self.all,
            self.none,
            self.count,
            spacing=8,
        )
        column(head, self.view, parent=self, spacing=4)
        self.model.itemChanged.connect(self._on_changed)
        self.all.clicked.connect(lambda: self.all_ticked.emit(True))
        self.none.clicked.connect(lambda: self.all_ticked.emit(False))
        themes.theme_changed.connect(self._resize)

    def show_features(self, features: Sequence[tuple[str, str]], excluded: frozenset[str]) -> None:
        """Show (name, question) pairs with their ticks."""
        names = [name for name, _ in features]
        shown = [self.model.item(i).data() for i in range(self.model.rowCount())]
        with QSignalBlocker(self.model):
            if shown != names:
                self.model.clear()
                for name, question in features:
                    item = QStandardItem(name)
                    item.setData(name)
                    item.setCheckable(True)
                    item.setToolTip(question)
                    self.model.appendRow(item)
            for place, name in enumerate(names):
                state = Qt.CheckState.Unchecked if name in excluded else Qt.CheckState.Checked
                self.model.item(place).setCheckState(state)
        if shown != names:
            # The view was not told while the signals were blocked.
            self.model.layoutChanged.emit()
        kept = sum(name not in excluded for name in names)
        self.count.setText(self.tr("%s of %s") % (number(kept), number(len(names))))
        self.view.viewport().update()
        self._resize()

    def tick(self, name: str, on: bool) -> None:
        """Tick as a person would."""
        for place in range(self.model.rowCount()):
            item = self.model.item(place)
            if item.data() == name:
                item.setCheckState(Qt.CheckState.Checked if on else Qt.CheckState.Unchecked)

    def _on_changed(self, item: QStandardItem) -> None:
        self.ticked.emit(item.data(), item.checkState() == Qt.CheckState.Checked)

    def _resize(self) -> None:
        height = self.view.sizeHintForIndex(self.model.index(0, 0, QModelIndex())).height()
        height = max(height, self._themes.theme.px(24))
        for place in range(self.model.rowCount()):
            if self.model.item(place).sizeHint().height() != height:
                with QSignalBlocker(self.model):
                    self.model.item(place).setSizeHint(QSize(10, height))
        rows = min(max(self.model.rowCount(), 1), _ROWS)
        self.view.setFixedHeight(rows * height + 4)
