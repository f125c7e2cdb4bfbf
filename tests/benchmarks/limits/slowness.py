"""How fast this machine is, so that one limit holds on slow and on fast ones."""

from __future__ import annotations

import time
from collections.abc import Callable

USUAL = 0.014
"""Seconds of processor time that ``_calibration`` takes on the machine the limits were set on."""


def slowness() -> float:
    """How many times slower this machine is than the one that limits were set on; at least 1.

    The processor is meant, not what else runs on it: the least of some tries counts. It is asked
    anew each time, right after what was measured: processors change their speed by the minute.
    """
    return max(1.0, min(_calibration() for _ in range(5)) / USUAL)


def _calibration() -> float:
    began = time.thread_time()
    words: dict[int, str] = {}
    for number in range(60_000):
        words[number % 997] = str(number)
    return time.thread_time() - began


def milliseconds_of_work(act: Callable[..., object], *given: object) -> float:
    """The processor time of this thread for something, in milliseconds."""
    began = time.thread_time()
    act(*given)
    return 1000 * (time.thread_time() - began)


class Stopwatch:
    """Milliseconds since it was made, by the clock on the wall."""

    def __init__(self) -> None:
        self._began = time.monotonic()

    @property
    def milliseconds(self) -> float:
        """How many have passed."""
        return 1000 * (time.monotonic() - self._began)
