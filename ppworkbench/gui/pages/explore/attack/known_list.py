"""The attributes that an attacker is taken to know, each with a tick."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QListWidget, QListWidgetItem, QWidget

from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.layouts import column, row, text
from ppworkbench.gui.words import number


class KnownList(QWidget):
    """Known attributes in the order of the questionnaire."""

    ticked = Signal(str, bool)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self.count = text("", "captionHint")
        self.view = QListWidget()
        self.view.setObjectName("knownAttributes")
        self.view.setAccessibleName(self.tr("What the attacker knows"))
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.view.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.view.setMinimumHeight(themes.theme.px(96))
        self._themes = themes
        themes.theme_changed.connect(self._resize)
        head = row(text(self.tr("The attacker knows"), "strong"), None, self.count)
        layout = column(head, self.view, parent=self, spacing=4)
        layout.setStretch(1, 1)
        self.view.itemChanged.connect(self._on_changed)

    def show_names(self, names: Sequence[str], known: Sequence[str]) -> None:
        """Show all attributes with their ticks."""
        with QSignalBlocker(self.view):
            if [self.view.item(i).text() for i in range(self.view.count())] != list(names):
                self.view.clear()
                for name in names:
                    item = QListWidgetItem(name)
                    item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsUserCheckable)
                    self.view.addItem(item)
                self._resize()
            for place, name in enumerate(names):
                state = Qt.CheckState.Checked if name in known else Qt.CheckState.Unchecked
                self.view.item(place).setCheckState(state)
        self.count.setText(self.tr("%s of %s") % (number(len(known)), number(len(names))))
        self.view.viewport().update()

    def tick(self, name: str, on: bool) -> None:
        """Tick as a person would."""
        for item in self.view.findItems(name, Qt.MatchFlag.MatchExactly):
            item.setCheckState(Qt.CheckState.Checked if on else Qt.CheckState.Unchecked)

    def _resize(self) -> None:
        size = QSize(10, self._themes.theme.px(24))
        with QSignalBlocker(self.view):
            for place in range(self.view.count()):
                self.view.item(place).setSizeHint(size)

    def _on_changed(self, item: QListWidgetItem) -> None:
        self.ticked.emit(item.text(), item.checkState() == Qt.CheckState.Checked)
