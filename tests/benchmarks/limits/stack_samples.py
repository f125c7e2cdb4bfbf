"""What the thread of the window does while it is deaf: its stack, looked at every now and then."""

from __future__ import annotations

import signal
import sys
import time
from collections import Counter
from types import FrameType

_EVERY = 0.002
"""Seconds between two looks."""
_PROGRAM = "ppworkbench"


class StackSamples:
    """An alarm clock that looks at the main thread; another thread that did so would crash Qt.

    A look has to wait until Qt gives the interpreter back, so each counts for the processor time
    since the look before: a long call is seen once, at its end, with all of its milliseconds.
    """

    def __init__(self) -> None:
        self._worked = time.thread_time()
        self._stacks: Counter[tuple[str, ...]] = Counter()
        self.paused = 0
        """How many times over nobody wants to know."""

    def start(self) -> None:
        """Begin to look."""
        signal.signal(signal.SIGALRM, self._look)
        signal.siginterrupt(signal.SIGALRM, False)
        signal.setitimer(signal.ITIMER_REAL, _EVERY, _EVERY)

    def stop(self) -> None:
        """Look no more."""
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_IGN)

    def begin(self) -> Counter[tuple[str, ...]]:
        """Begin another stretch; gives milliseconds by stack of the last one."""
        last, self._stacks = self._stacks, Counter()
        self._worked = time.thread_time()
        return last

    def pause(self, times: int) -> None:
        """Count what was done until now, and then nothing until it is 0 again."""
        if not self.paused:
            self._look(0, sys._getframe())
        self.paused = times
        self._worked = time.thread_time()

    def _look(self, _signal: int, frame: FrameType | None) -> None:
        if self.paused:
            return
        worked = time.thread_time()
        self._stacks[_stack(frame)] += 1000 * (worked - self._worked)
        # What this look took is nobody's work.
        self._worked = time.thread_time()


def _stack(frame: FrameType | None) -> tuple[str, ...]:
    """The frames of the program, the innermost first, and what they called of others."""
    frames: list[str] = []
    while frame is not None:
        parts = frame.f_code.co_filename.split("/")
        inside = _PROGRAM in parts[:-1] and "site-packages" not in parts
        if inside or (not frames and frame.f_code.co_filename != __file__):
            where = "/".join(parts[-2:])
            frames.append(f"{where}:{frame.f_lineno} {frame.f_code.co_name}")
        frame = frame.f_back
    return tuple(frames)
