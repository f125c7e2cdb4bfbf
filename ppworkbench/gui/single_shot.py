"""Timers that fire once, some time after they were last started."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer


def single_shot(
    parent: QObject, slot: Callable[[], object] | None = None, milliseconds: int = 0
) -> QTimer:
    """A timer that has to be started; starting it anew puts it off.

    Without milliseconds it answers several signals of one change once, after the last of them, or
    goes on with long work when the window has been painted. With some, what takes a blink is not
    shown to be running, and what somebody types is looked at when they pause. Whatever can be shown
    at once needs no timer.
    """
    timer = QTimer(parent)
    timer.setSingleShot(True)
    timer.setInterval(milliseconds)
    if slot is not None:
        timer.timeout.connect(slot)
    return timer
