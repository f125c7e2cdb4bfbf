"""The attributes that groups may be split on, each with a tick."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QListView, QSizePolicy, QWidget

from ppworkbench.gui.pages.publish.split_model import SplitModel
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
        self.model = SplitModel(self)
        self.view = QListView()
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
        self.model.ticked.connect(self.ticked)
        self.all.clicked.connect(lambda: self.all_ticked.emit(True))
        self.none.clicked.connect(lambda: self.all_ticked.emit(False))
        themes.theme_changed.connect(self._resize)

    def show_features(self, features: Sequence[tuple[str, str]], excluded: frozenset[str]) -> None:
        """Show (name, question) pairs with their ticks."""
        self.model.show_features(features, excluded)
        kept = sum(name not in excluded for name, _ in features)
        self.count.setText(self.tr("%s of %s") % (number(kept), number(len(features))))
        self._resize()

    def tick(self, name: str, on: bool) -> None:
        """Tick as a person would."""
        if name in self.model.stringList():
            state = Qt.CheckState.Checked if on else Qt.CheckState.Unchecked
            index = self.model.index(self.model.stringList().index(name))
            self.model.setData(index, state, Qt.ItemDataRole.CheckStateRole)

    def _resize(self) -> None:
        plain = self.view.sizeHintForIndex(self.model.index(0)).height()
        height = self.model.set_height(max(plain, self._themes.theme.px(24)))
        rows = min(max(self.model.rowCount(), 1), _ROWS)
        self.view.setFixedHeight(rows * height + 4)
