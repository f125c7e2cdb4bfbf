"""All that the menus offer, one after another."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QMenuBar


def menu_actions(bar: QMenuBar) -> Iterator[tuple[str, QAction]]:
    """Every action of a menu bar with the title of its menu, submenus included."""
    for entry in bar.actions():
        menu = entry.menu()
        if isinstance(menu, QMenu):
            title = plain_text(menu.title())
            for action in _inside(menu):
                yield title, action


def _inside(menu: QMenu) -> Iterator[QAction]:
    for action in menu.actions():
        below = action.menu()
        if isinstance(below, QMenu):
            yield from _inside(below)
        elif not action.isSeparator():
            yield action


def plain_text(words: str) -> str:
    """What a menu says, without the mark of the letter that opens it."""
    return words.replace("&&", "\0").replace("&", "").replace("\0", "&")
