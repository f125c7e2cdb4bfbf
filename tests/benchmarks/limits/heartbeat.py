"""How long the thread of the window was deaf: the largest gap of a timer that should tick."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Self

from PySide6.QtCore import Qt, QTimer

INTERVAL = 2
"""Milliseconds between two ticks."""


class Heartbeat:
    """Ticks while it is entered; ``largest`` is the longest time without a tick in milliseconds.

    ``largest_work`` counts only the time in which the thread itself was working, so that other
    programs of a busy machine have no share in it.
    """

    def __init__(self) -> None:
        self._timer = QTimer()
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(INTERVAL)
        self._timer.timeout.connect(self.tick)
        self.beats = 0
        self.largest = 0.0
        self.largest_work = 0.0

    def __enter__(self) -> Self:
        self._clock, self._work = time.perf_counter(), time.thread_time()
        self._timer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.tick()
        self._timer.stop()

    def tick(self) -> None:
        """Note how long the last tick was ago."""
        clock, work = time.perf_counter(), time.thread_time()
        self.beats += 1
        self.largest = max(self.largest, 1000 * (clock - self._clock) - INTERVAL)
        self.largest_work = max(self.largest_work, 1000 * (work - self._work))
        self._clock, self._work = clock, work
