"""The help for what has the keyboard focus."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QAbstractButton, QWidget


def show_help_here(widget: QWidget | None, show: Callable[[str], None], otherwise: str) -> None:
    """Show the topic of a widget, or of the nearest thing around it that has one.

    What shows several things knows which of them is chosen: it is asked for help itself, by its
    method or by its "?".
    """
    while widget is not None:
        topic = getattr(widget, "topic", None) or widget.property("helpTopic")
        if isinstance(topic, str) and topic:
            show(topic)
            return
        ask = getattr(widget, "ask_for_help", None)
        if ask is not None:
            ask()
            return
        button = getattr(widget, "help", None)
        if isinstance(button, QAbstractButton):
            button.click()
            return
        widget = widget.parentWidget()
    show(otherwise)
