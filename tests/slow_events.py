"""An application that notes which events kept the thread of the window busy for how long."""

from __future__ import annotations

import time
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication

_PAINTING = {QEvent.Type.Paint, QEvent.Type.UpdateRequest, QEvent.Type.Expose}


@dataclass(frozen=True)
class SlowEvent:
    """An event and the milliseconds of work it made, painting and nested events left out."""

    milliseconds: float
    event: str
    receiver: str
    during: str

    def __str__(self) -> str:
        return f"{self.milliseconds:.0f} ms: {self.event} to {self.receiver} during {self.during}"


class TimedApplication(QApplication):
    """Measures the processor time of this thread, so that other programs have no share in it."""

    def __init__(self, arguments: list[str]) -> None:
        super().__init__(arguments)
        self.during = "start"
        self.slow: list[SlowEvent] = []
        self.largest_paint = 0.0
        self._inside = [0.0]

    def notify(self, receiver: QObject, event: QEvent) -> bool:
        """Time one event."""
        kind = event.type()
        # Afterwards the receiver may be gone.
        name = f"{type(receiver).__name__} {receiver.objectName()}".strip()
        self._inside.append(0.0)
        began = time.thread_time()
        try:
            return super().notify(receiver, event)
        finally:
            self._note(kind, name, 1000 * (time.thread_time() - began))

    def _note(self, kind: QEvent.Type, name: str, spent: float) -> None:
        nested = self._inside.pop()
        self._inside[-1] += spent
        own = spent - nested
        if kind in _PAINTING:
            self.largest_paint = max(self.largest_paint, spent)
        elif own > 20:
            self.slow.append(SlowEvent(own, kind.name, name, self.during))

    def slowest(self, most: int = 12) -> list[SlowEvent]:
        """The events that made most work."""
        return sorted(self.slow, key=lambda event: -event.milliseconds)[:most]
