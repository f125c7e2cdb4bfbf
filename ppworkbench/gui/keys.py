"""Keys that do something, with words for what they do."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget


def add_key(owner: QWidget, keys: str, words: str, slot: Callable[[], object]) -> QShortcut:
    """Let keys do something while the owner is seen; the list of shortcuts tells the words."""
    shortcut = QShortcut(QKeySequence(keys), owner, slot)
    shortcut.setWhatsThis(words)
    return shortcut
