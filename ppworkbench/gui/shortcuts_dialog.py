"""The window that lists all keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QGridLayout, QLineEdit, QWidget

from ppworkbench.gui.shortcut_map import Key, KeyGroup, shortcut_map
from ppworkbench.gui.widgets.dialog_size import open_at
from ppworkbench.gui.widgets.layouts import column, row, scroll_area, text

if TYPE_CHECKING:
    from ppworkbench.gui.main_window import MainWindow


class ShortcutsDialog(QDialog):
    """Two columns of groups, and a field that leaves only what was searched for.

    It is empty until it is filled: as many lines at a stroke would be felt.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.groups: list[_Group] = []
        self.setObjectName("shortcuts")
        self.setWindowTitle(self.tr("Keyboard shortcuts"))
        self.filter = QLineEdit()
        self.filter.setObjectName("shortcutFilter")
        self.filter.setPlaceholderText(self.tr("Filter by what a key does"))
        self.filter.setAccessibleName(self.tr("Filter by what a key does"))
        self.filter.setClearButtonEnabled(True)
        self.filter.textChanged.connect(self._on_filter)
        self.nothing = text(self.tr("No key does anything of that name."), "hint", wrap=True)
        self.nothing.hide()
        self._left, self._right = column(spacing=18), column(spacing=18)
        inside = QWidget()
        self._sides = row(self._left, self._right, parent=inside, spacing=32, margin=4)
        area = scroll_area(inside)
        area.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        area.setAccessibleName(self.tr("Keyboard shortcuts"))
        area.setProperty("look", "reading")
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        close = buttons.button(QDialogButtonBox.StandardButton.Close)
        # Fusion names it in the language of the system, not of the window.
        close.setText(self.tr("Close"))
        column(
            self.filter, self.nothing, area, buttons, parent=self, spacing=12, margin=16
        ).setStretch(2, 1)
        open_at(self, 820, 600)
        self._fill()

    def _fill(self) -> None:
        found = shortcut_map(self._window)
        # They find their places when all of them are there.
        self._sides.setEnabled(False)
        half = sum(_length(group) for group in found) / 2
        so_far = 0.0
        for group in found:
            # Two columns that are about as long as each other.
            side = self._right if so_far + _length(group) / 2 > half else self._left
            so_far += _length(group)
            self.groups.append(_Group(group))
            side.addWidget(self.groups[-1])
        self._left.addStretch(1)
        self._right.addStretch(1)
        self._sides.setEnabled(True)

    def _on_filter(self, wanted: str) -> None:
        words = wanted.casefold().split()
        found = [group.show_only(words) for group in self.groups]
        self.nothing.setVisible(not any(found))


def _length(group: KeyGroup) -> int:
    """How many lines a group takes, with its title."""
    return len(group.keys) + 2


class _Group(QWidget):
    """A title over lines of keys and words."""

    def __init__(self, group: KeyGroup) -> None:
        super().__init__()
        self._title = group.title
        self._lines: list[tuple[Key, QWidget, QWidget]] = []
        grid = QGridLayout()
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(5)
        grid.setColumnStretch(0, 1)
        for place, key in enumerate(group.keys):
            does, keys = text(key.words, wrap=True), text(key.keys, "badge")
            grid.addWidget(does, place, 0)
            grid.addWidget(keys, place, 1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop)
            self._lines.append((key, does, keys))
        column(text(group.title, "subtitle"), grid, parent=self, spacing=8)

    def show_only(self, words: list[str]) -> bool:
        """Hide lines without the words; whether any is left."""
        is_any = False
        for key, does, keys in self._lines:
            said = f"{self._title} {key.words} {key.keys}".casefold()
            is_found = all(word in said for word in words)
            does.setVisible(is_found)
            keys.setVisible(is_found)
            is_any = is_any or is_found
        self.setVisible(is_any)
        return is_any
