"""Which keys do what, collected from the window itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtGui import QAction, QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget

from ppworkbench.gui.language.text import tr
from ppworkbench.gui.menu_actions import menu_actions, plain_text

if TYPE_CHECKING:
    from ppworkbench.gui.main_window import MainWindow


@dataclass(frozen=True)
class Key:
    """Keys and what they do."""

    keys: str
    words: str


@dataclass(frozen=True)
class KeyGroup:
    """Keys that belong together: those of a menu, of a page, or of a kind of control."""

    title: str
    keys: tuple[Key, ...]


def shortcut_map(window: MainWindow) -> list[KeyGroup]:
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
    return [*groups, *_inside()]


def page_keys(page: QWidget, without: set[QAction]) -> list[Key]:
    """The keys that work while a page is in front, but for those of some actions."""
    return [key for key, by in _found(page) if by not in without]


def _found(page: QWidget) -> list[tuple[Key, QAction | None]]:
    """The keys of a page, and the action that has them if there is one."""
    found: list[tuple[Key, QAction | None]] = [(k, None) for k in _of_shortcuts(page, deep=True)]
    for action in page.findChildren(QAction):
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


def shown_keys(keys: QKeySequence) -> str:
    """Keys as they stand on the keyboard of this system."""
    return keys.toString(QKeySequence.SequenceFormat.NativeText)


def _inside() -> Iterator[KeyGroup]:
    """Keys of single controls, which have no shortcut because the control takes them itself."""
    yield KeyGroup(
        tr("Controls"),
        (
            Key("Tab, Shift+Tab", tr("Next control, control before")),
            Key("← →", tr("Other choice of a row of choices; smaller or larger number")),
            Key("Page ↑ ↓, Home, End", tr("Large steps of a slider; its ends")),
            Key(tr("Space, Enter"), tr("Tick, open, or press")),
            Key("Ctrl+C", tr("Copy a table, or its chosen rows")),
            Key("Esc", tr("Leave a field or a list that was opened")),
        ),
    )
    yield KeyGroup(
        tr("Probability matrix"),
        (
            Key("← ↑ → ↓", tr("Other cell")),
            Key("Enter", tr("Type a probability")),
            Key("L", tr("Lock the cell, or unlock it")),
            Key(tr("Delete"), tr("Set the cell to 0")),
            Key("Ctrl+C", tr("Copy the matrix")),
            Key("Ctrl+V", tr("Paste a matrix")),
        ),
    )
    yield KeyGroup(
        tr("Other parts of pages"),
        (
            Key("Alt+Shift+↑ ↓", tr("Move a value of an ordinal attribute")),
            Key("Alt+Shift+← →", tr("Move a condition")),
            Key("← →, Page ↑ ↓", tr("Narrow or widen the noise")),
            Key("← →, ↑ ↓, Enter", tr("Drawn answers: another bar, its height, a percentage")),
            Key(tr("Space"), tr("Play the iterations, or stop")),
            Key(tr("Delete"), tr("Remove a condition, an item, a pin or a row of a list")),
            Key("← ↑ → ↓, +, −", tr("Walk through a tree; zoom")),
        ),
    )
