"""Timers that fire once, some time after they were last started."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer


def single_shot(
    parent: QObject, slot: Callable[[], object] | None = None, milliseconds: int = 0
) -> QTimer:
    """A timer that has to be started; starting it anew puts it off.

    It belongs to its parent: nothing fires when that is gone, as it would with
    ``QTimer.singleShot``. Without milliseconds many signals of one change are answered once, after
    the last of them; with some, what takes a blink is not shown to be running, and what somebody
    types is looked at when they pause. To show something an event later is no reason.
    """
    timer = QTimer(parent)
    timer.setSingleShot(True)
    timer.setInterval(milliseconds)
    if slot is not None:
        timer.timeout.connect(slot)
    return timer
