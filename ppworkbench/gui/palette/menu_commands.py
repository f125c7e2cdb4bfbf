"""What the menus offer, as commands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from ppworkbench.gui.language.text import later, tr
from ppworkbench.gui.menu_actions import plain_text
from ppworkbench.gui.page_list import PAGES
from ppworkbench.gui.palette.command import Command, unless_gone
from ppworkbench.gui.shortcut_map import shown_keys

if TYPE_CHECKING:
    from ppworkbench.gui.main_window import MainWindow

OWN = "palette"
"""The action that opens the palette, which it need not offer itself."""
_NOTHING_THERE = {
    "undo": later("There is nothing to undo."),
    "redo": later("There is nothing to redo."),
}


def menu_commands(window: MainWindow) -> Iterator[Command]:
    """Every action of the menus, those of submenus with the way that leads there."""
    for entry in window.menuBar().actions():
        menu = entry.menu()
        if isinstance(menu, QMenu):
            yield from _inside(window, menu, plain_text(menu.title()))


def _inside(window: MainWindow, menu: QMenu, place: str) -> Iterator[Command]:
    for action in menu.actions():
        below = action.menu()
        if isinstance(below, QMenu):
            yield from _inside(window, below, f"{place} › {plain_text(below.title())}")
        elif not action.isSeparator() and action.objectName() != OWN:
            yield _command(window, action, place)


def _command(window: MainWindow, action: QAction, place: str) -> Command:
    name = action.objectName()
    page = name.removeprefix("page-")
    words, reason, more = said(action), reason_against(action), ""
    if not action.isEnabled() and name in _NOTHING_THERE:
        reason = tr(_NOTHING_THERE[name])
    if page != name:
        words, more = tr("Go to %s") % words, words
        reason = missing_for(window, page)
    if action.isCheckable() and action.isChecked():
        more = f"{more} {tr('on')}"
    run = unless_gone(action, action.trigger)
    return Command(f"menu {name or words}", words, place, run, keys_of(action), reason, more)


def said(action: QAction) -> str:
    """The name of an action, without what menus need."""
    return plain_text(action.text()).rstrip("…")


def keys_of(action: QAction) -> str:
    """The first of an action's keys."""
    return shown_keys(action.shortcut())


def reason_against(action: QAction) -> str:
    """Why an action cannot be used; empty if it can."""
    if action.isEnabled():
        return ""
    return reason_in(plain_text(action.toolTip()), said(action), plain_text(action.text()))


def reason_in(tip: str, *names: str) -> str:
    """What a tip says against a control; one that only repeats its name says nothing."""
    says_nothing = tip.rstrip("….") in ("", *names)
    return tr("This cannot be done now.") if says_nothing else tip


def missing_for(window: MainWindow, page: str) -> str:
    """Why a page cannot be used yet; empty if it can."""
    study = window.front.store.study
    missing = next(entry for entry in PAGES if entry.name == page).missing(study)
    return tr(missing) if missing else ""
