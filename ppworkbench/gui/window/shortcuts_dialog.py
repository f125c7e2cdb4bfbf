"""Keyboard shortcuts: what the window and its pages offer, and the dialog that lists them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QShortcut
from PySide6.QtWidgets import QDialog, QGridLayout, QWidget

from ppworkbench.gui.dialogs import close_buttons, resize_dialog
from ppworkbench.gui.keys import menu_actions, plain_text, shown_keys
from ppworkbench.gui.language import tr
from ppworkbench.gui.widgets.controls import filter_field
from ppworkbench.gui.widgets.layout import column, row, scroll_area, text

if TYPE_CHECKING:
    from ppworkbench.gui.window.layered_window import LayeredWindow


@dataclass(frozen=True)
class Key:
    keys: str
    words: str


@dataclass(frozen=True)
class KeyGroup:
    """Keys that belong together: those of a menu, of a page, or of a kind of control."""

    title: str
    keys: tuple[Key, ...]


def shortcut_map(window: LayeredWindow) -> list[KeyGroup]:
    """The keys of the menus, of the window, of every page that was made, and inside of pages."""
    menus: dict[str, list[Key]] = {}
    offered: set[QAction] = set()
    for title, action in menu_actions(window.menuBar()):
        offered.add(action)
        menus.setdefault(title, []).extend(_of_action(action))
    groups = [KeyGroup(title, tuple(keys)) for title, keys in menus.items() if keys]
    found = [(page.title, _found(page)) for page in window.shell.pages.values()]
    common = _common([{key for key, _ in keys} for _, keys in found])
    groups.append(KeyGroup(tr("Every page"), (*_of_shortcuts(window), *common)))
    told = {key.keys for key in groups[-1].keys}
    for title, keys in found:
        own = [key for key, by in keys if by not in offered and key.keys not in told]
        if own:
            groups.append(KeyGroup(title, tuple(own)))
    return [*groups, *_keys_inside()]


def _found(page: QWidget) -> list[tuple[Key, QAction | None]]:
    """The keys of a page, and the action that has them if there is one."""
    found: list[tuple[Key, QAction | None]] = [(k, None) for k in _of_shortcuts(page, deep=True)]
    actions: Iterable[QAction] = page.findChildren(QAction)
    for action in actions:
        found += [(key, action) for key in _of_action(action)]
    return found


def _common(told: list[set[Key]]) -> list[Key]:
    """Keys that all pages have, told once."""
    return sorted(set.intersection(*told), key=lambda key: key.keys) if told else []


def _of_action(action: QAction) -> list[Key]:
    keys = ", ".join(shown_keys(key) for key in action.shortcuts())
    return [Key(keys, plain_text(action.text()).rstrip("…"))] if keys else []


def _of_shortcuts(owner: QWidget, *, deep: bool = False) -> Iterator[Key]:
    """The keys of a widget; two that do the same are told together."""
    found: dict[str, list[str]] = {}
    for child in owner.findChildren(QShortcut) if deep else owner.children():
        if isinstance(child, QShortcut) and child.whatsThis():
            found.setdefault(child.whatsThis(), []).append(shown_keys(child.key()))
    for words, keys in found.items():
        yield Key(", ".join(dict.fromkeys(keys)), words)


def _keys_inside() -> Iterator[KeyGroup]:
    """Keys of single controls, which have no shortcut because the control takes them itself."""
    yield KeyGroup(
        tr("Controls"),
        (
            Key("Tab, Shift+Tab", tr("Next control, previous control")),
            Key("← →", tr("Next choice in a row; smaller or larger number")),
            Key("Page ↑ ↓, Home, End", tr("Large steps of a slider; its ends")),
            Key(tr("Space, Enter"), tr("Select, open or press")),
            Key("Ctrl+C", tr("Copy a table or its selected rows")),
            Key("Esc", tr("Leave an open field or list")),
        ),
    )
    yield KeyGroup(
        tr("Transition matrix"),
        (
            Key("← ↑ → ↓", tr("Next cell")),
            Key("Enter", tr("Type a probability")),
            Key("L", tr("Lock or unlock the cell")),
            Key(tr("Delete"), tr("Set the cell to 0")),
            Key("Ctrl+C", tr("Copy matrix")),
            Key("Ctrl+V", tr("Paste a matrix")),
        ),
    )
    yield KeyGroup(
        tr("Other parts of pages"),
        (
            Key("Alt+Shift+↑ ↓", tr("Move a value of an ordinal attribute")),
            Key("Alt+Shift+← →", tr("Move a condition")),
            Key("← →, Page ↑ ↓", tr("Narrow or widen the noise")),
            Key("← →, ↑ ↓, Enter", tr("Expected answers: next bar, height, percentage")),
            Key(tr("Space"), tr("Play or pause the iterations")),
            Key(tr("Delete"), tr("Remove a condition, an item, a pin or a row of a list")),
            Key("← ↑ → ↓, +, −", tr("Navigate a tree; zoom")),
        ),
    )


class ShortcutsDialog(QDialog):
    """Two columns of groups, and a field that leaves only what was searched for.

    It is empty until it is filled: as many lines at a stroke would be felt.
    """

    def __init__(self, window: LayeredWindow) -> None:
        super().__init__(window)
        self._window = window
        self.groups: list[_Group] = []
        self.setObjectName("shortcuts")
        self.setWindowTitle(self.tr("Keyboard shortcuts"))
        self.filter = filter_field("shortcutFilter", self.tr("Filter by action"))
        self.filter.textChanged.connect(self._on_filter)
        self.nothing = text(self.tr("No shortcut found."), "hint", wrap=True, hidden=True)
        self._left, self._right = column(spacing=18), column(spacing=18)
        inside = QWidget()
        self._sides = row(self._left, self._right, parent=inside, spacing=32, margin=4)
        area = scroll_area(inside)
        area.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        area.setAccessibleName(self.tr("Keyboard shortcuts"))
        area.setProperty("look", "reading")
        column(
            self.filter, self.nothing, area, close_buttons(self), parent=self, spacing=12, margin=16
        ).setStretch(2, 1)
        resize_dialog(self, 820, 600)
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
    return len(group.keys) + 2


class _Group(QWidget):
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
