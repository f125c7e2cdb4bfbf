"""Sentences for screen readers."""

from __future__ import annotations

from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QWidget


def is_heard() -> bool:
    """Whether a screen reader listens."""
    return QAccessible.isActive()


def announce(widget: QWidget, sentence: str) -> None:
    """Let a screen reader say a sentence, if there is one that listens."""
    if sentence and is_heard():
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(widget, sentence))
