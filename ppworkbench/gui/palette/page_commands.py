"""What the pages offer, as commands: their actions, keys and buttons."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtGui import QAction, QKeySequence, QShortcut
from PySide6.QtWidgets import QPushButton, QToolButton, QWidget

from ppworkbench.gui.language.text import tr
from ppworkbench.gui.page_list import PAGES
from ppworkbench.gui.pages.page import Page
from ppworkbench.gui.palette.command import Command, unless_gone
from ppworkbench.gui.palette.menu_commands import (
    keys_of,
    missing_for,
    reason_against,
    reason_in,
    said,
)
from ppworkbench.gui.shortcut_map import shown_keys
from ppworkbench.gui.widgets.clickable import Clickable

if TYPE_CHECKING:
    from ppworkbench.gui.main_window import MainWindow

_PRIMARY = QKeySequence("Ctrl+Enter")
_PRIMARY_KEYS = (_PRIMARY, QKeySequence("Ctrl+Return"))
"""The next step of every page, which has a name of its own on each."""


def front_commands(window: MainWindow) -> Iterator[Command]:
    """All that can be done on the page in front."""
    front = window.front
    page = front.pages.get(front.current)
    # A demonstration that begins has no page for a moment.
    if page is not None:
        yield from _actions(page, page.title)
        yield from _shortcuts(page, page.title)
        yield from _buttons(page)
        yield from _lines(page)
    if window.stage is not None:
        yield from _shortcuts(window.stage.panel, tr("Demonstration"))
    yield from _shortcuts(window, tr("Every page"), deep=False)


def other_commands(window: MainWindow) -> Iterator[Command]:
    """The next steps of the other pages; the page is shown first."""
    front = window.front
    for entry in PAGES:
        page = front.pages.get(entry.name)
        if page is None or entry.name == front.current:
            continue
        missing = missing_for(window, entry.name)
        for command in _actions(page, page.title, at_hand=False):
            run = partial(_go_and_do, window, entry.name, command.run)
            reason = missing or command.reason
            yield replace(command, run=run, reason=reason, is_far=True)


def _go_and_do(window: MainWindow, page: str, do: Callable[[], object]) -> None:
    window.front.rail.page_chosen.emit(page)
    do()


def _actions(page: Page, place: str, *, at_hand: bool = True) -> Iterator[Command]:
    named = [page.primary, *page.secondary]
    for action in named if not at_hand else (*named, *_more_actions(page, named)):
        words = said(action)
        if not words or not action.isVisible():
            continue
        keys = keys_of(action)
        if action is page.primary and at_hand:
            keys = shown_keys(_PRIMARY)
        key = f"{page.name} {action.objectName() or words}"
        run = unless_gone(action, action.trigger)
        yield Command(key, words, place, run, keys, reason_against(action))


def _more_actions(page: Page, named: list[QAction]) -> Iterator[QAction]:
    """Actions that have keys; others belong to menus of single widgets."""
    for action in page.findChildren(QAction):
        if action not in named and not action.shortcut().isEmpty():
            yield action


def _shortcuts(owner: QWidget, place: str, *, deep: bool = True) -> Iterator[Command]:
    seen = set()
    found = owner.findChildren(QShortcut) if deep else owner.children()
    for shortcut in found:
        if not isinstance(shortcut, QShortcut):
            continue
        words = shortcut.whatsThis()
        if words and words not in seen and shortcut.key() not in _PRIMARY_KEYS:
            seen.add(words)
            keys = shown_keys(shortcut.key())
            run = unless_gone(shortcut, shortcut.activated.emit)
            yield Command(f"key {keys}", words, place, run, keys)


def _buttons(page: Page) -> Iterator[Command]:
    """Buttons in sight; one that has no name of its own is told by what its tip says."""
    for kind in (QPushButton, QToolButton):
        for button in page.findChildren(kind):
            if not button.objectName() or not button.isVisible() or button.isCheckable():
                continue
            words = (button.text() or button.accessibleName()).rstrip("…")
            if not words:
                continue
            reason = "" if button.isEnabled() else reason_in(button.toolTip(), words)
            key = f"{page.name} {button.objectName()}"
            run = unless_gone(button, button.click)
            yield Command(key, words, page.title, run, "", reason)


def _lines(page: Page) -> Iterator[Command]:
    """Whole lines and cards that are clicked: samples, recent studies, demonstrations."""
    for one in page.findChildren(Clickable):
        words = one.accessibleName()
        if words and one.isVisible():
            key = f"{page.name} {one.objectName() or words}"
            more = one.accessibleDescription()
            run = unless_gone(one, one.clicked.emit)
            yield Command(key, words, page.title, run, more=more)
