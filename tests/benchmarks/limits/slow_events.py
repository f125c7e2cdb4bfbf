"""An application that knows how long its thread worked at a stretch, painting apart."""

from __future__ import annotations

import gc
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication, QWidget
from stack_samples import StackSamples

_EVERY = 2
"""Milliseconds between two ticks."""
_WORTH_A_WORD = 20.0
"""Milliseconds from which a stretch is kept with all that is known of it."""
_PAINTING = {QEvent.Type.UpdateRequest, QEvent.Type.Paint}


@dataclass(frozen=True)
class Stretch:
    """Work between two ticks, when nothing that a person does is noticed; in milliseconds."""

    during: str
    work: float
    """Processor time of the thread without painting."""
    painting: float
    rubbish: float
    """Part of the work that went into collecting garbage."""
    stacks: Counter[tuple[str, ...]] = field(default_factory=Counter)
    events: Counter[str] = field(default_factory=Counter)

    def __str__(self) -> str:
        return f"{self.work:.0f} ms of work, {self.painting:.0f} of painting during {self.during}"

    def frames(self, most: int = 4, depth: int = 4) -> list[tuple[float, str]]:
        """The lines of the program that most of the time went into."""
        lines: Counter[str] = Counter()
        for stack, spent in self.stacks.items():
            lines[" < ".join(stack[:depth])] += spent
        return [(spent, line) for line, spent in lines.most_common(most)]


class TimedApplication(QApplication):
    """Measures the processor time of this thread, so that other programs have no share in it."""

    def __init__(self, arguments: list[str]) -> None:
        super().__init__(arguments)
        self.during = "nothing yet"
        self.largest: dict[str, Stretch] = {}
        """The longest stretch by what was done."""
        self.slow: list[Stretch] = []
        self.events: Counter[str] = Counter()
        self._samples: StackSamples | None = None
        self._painted, self._rubbish = 0.0, 0.0
        self._work = time.thread_time()
        self._thread = threading.get_ident()
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(_EVERY)
        self._timer.timeout.connect(self.tick)

    def watch(self, window: QWidget, *, stacks: bool) -> None:
        """Begin; with ``stacks`` it is known afterwards what the time went into."""
        self.time_painting(window)
        gc.callbacks.append(self._on_rubbish)
        if stacks:
            self._samples = StackSamples()
            self._samples.start()
        self._begin()
        self._timer.start()

    def end_watch(self) -> None:
        """Listen no more."""
        self._timer.stop()
        gc.callbacks.remove(self._on_rubbish)
        if self._samples is not None:
            self._samples.stop()

    def time_painting(self, window: QWidget) -> None:
        """Know what a window paints: all that is in it, within one event of its own."""
        plain: Callable[[QWidget, QEvent], bool] = type(window).event

        def event(one: QEvent) -> bool:
            if one.type() not in _PAINTING:
                return plain(window, one)
            began, painted = time.thread_time(), self._painted
            if self._samples is not None:
                self._samples.pause(self._samples.paused + 1)
            try:
                return plain(window, one)
            finally:
                self._painted = painted + 1000 * (time.thread_time() - began)
                if self._samples is not None:
                    self._samples.pause(self._samples.paused - 1)

        # Listening to all events of the application instead would itself take half of the time.
        window.event = event  # type: ignore[method-assign]

    def tick(self) -> None:
        """Note what was done since the last tick."""
        work = 1000 * (time.thread_time() - self._work) - self._painted
        best = self.largest.get(self.during)
        is_largest = best is None or work > best.work
        if is_largest or work > _WORTH_A_WORD:
            stacks = Counter() if self._samples is None else self._samples.begin()
            stretch = Stretch(self.during, work, self._painted, self._rubbish, stacks, +self.events)
            if is_largest:
                self.largest[self.during] = stretch
            if work > _WORTH_A_WORD:
                self.slow.append(stretch)
        self._begin()

    def slowest(self, most: int = 12) -> list[Stretch]:
        """The longest stretches of work."""
        return sorted(self.slow, key=lambda stretch: -stretch.work)[:most]

    def _begin(self) -> None:
        self._painted, self._rubbish = 0.0, 0.0
        self.events.clear()
        if self._samples is not None:
            self._samples.begin()
        self._work = time.thread_time()

    def _on_rubbish(self, phase: str, _info: dict[str, int]) -> None:
        if threading.get_ident() == self._thread:
            now = 1000 * time.thread_time()
            self._rubbish += now if phase == "stop" else -now


class NamedEvents(TimedApplication):
    """Knows the events too. That makes everything slower, so its figures only show proportions."""

    def __init__(self, arguments: list[str]) -> None:
        # First: the application has events before it is made.
        self._inside = [0.0]
        super().__init__(arguments)

    def notify(self, receiver: QObject, event: QEvent) -> bool:
        """Time one event without those that are sent within it."""
        # Afterwards the receiver may be gone.
        name = f"{event.type().name} to {type(receiver).__name__}"
        self._inside.append(0.0)
        began = time.thread_time()
        try:
            return super().notify(receiver, event)
        finally:
            spent = 1000 * (time.thread_time() - began)
            self.events[name] += spent - self._inside.pop()
            self._inside[-1] += spent
