"""Timers that fire once, some time after they were last started."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer


def single_shot(
    parent: QObject, slot: Callable[[], object] | None = None, milliseconds: int = 0
) -> QTimer:
    """A timer that has to be started; starting it anew puts it off."""
    timer = QTimer(parent)
    timer.setSingleShot(True)
    timer.setInterval(milliseconds)
    if slot is not None:
        timer.timeout.connect(slot)
    return timer
