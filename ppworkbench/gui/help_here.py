"""The help for what has the keyboard focus."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QAbstractButton, QWidget


def show_help_here(widget: QWidget | None, show: Callable[[str], None], otherwise: str) -> None:
    """Show the topic of a widget, or of the nearest thing around it that has one.

    A card with a "?" of its own is asked by pressing it, since it knows what is chosen in it.
    """
    while widget is not None:
        topic = getattr(widget, "topic", None) or widget.property("helpTopic")
        if isinstance(topic, str) and topic:
            show(topic)
            return
        button = getattr(widget, "help", None)
        if isinstance(button, QAbstractButton):
            button.click()
            return
        widget = widget.parentWidget()
    show(otherwise)
