"""Progress of a command on standard error, and the way Ctrl-C and the system stop it."""

from __future__ import annotations

import shutil
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import TextIO

from ppworkbench.core.progress import Cancelled, StoppableProgress
from ppworkbench.results.text import columns, cut, harmless

FIRST_DRAWN_AFTER = 0.3
"""Seconds; a bar that flashes up and goes is only a flicker."""

DRAWN_EVERY = 0.1
"""Seconds between two drawings."""


TERMINATIONS = tuple(
    getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)
)


class Terminated(BaseException):
    """The system asked the program to end; temporary files are removed on the way out."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@contextmanager
def catch_termination(progress: StoppableProgress | None = None) -> Iterator[None]:
    """Raise :class:`Terminated` when the system asks the program to end.

    Qt drops exceptions that are raised in its callbacks; then ``progress`` stops the work.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # Python hands signals to the main thread only.
        return
    # What runs in the background of a terminal may have been told to ignore them.
    caught = [one for one in TERMINATIONS if signal.getsignal(one) is not signal.SIG_IGN]
    before = {one: signal.getsignal(one) for one in caught}
    received = []

    def on_termination(number: int, _frame: FrameType | None) -> None:
        received.append(number)
        for one in caught:
            signal.signal(one, signal.SIG_IGN)
        if progress is not None:
            progress.stop()
        raise Terminated(number)

    for one in caught:
        signal.signal(one, on_termination)
    try:
        with _no_traceback():
            yield
    except Cancelled:
        if received:
            raise Terminated(received[0]) from None
        raise
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


@contextmanager
def _no_traceback() -> Iterator[None]:
    hook = sys.excepthook

    def tell(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if not issubclass(kind, Terminated):
            hook(kind, error, trace)

    sys.excepthook = tell
    try:
        yield
    finally:
        sys.excepthook = hook


@contextmanager
def progress_bar(
    stream: TextIO | None = None, *, keeps_partial: bool = False
) -> Iterator[StoppableProgress]:
    """Give a progress to long work; draw it when the stream is a terminal.

    The first Ctrl-C asks the work to stop at its next report, so that it can clean up after
    itself; a second one interrupts it at once.

    Parameters
    ----------
    keeps_partial
        Whether work that comes to its end after it was asked to stop has a result to show.

    Raises
    ------
    Cancelled
        When the work was asked to stop, even if it came to its end before it noticed.
    """
    target = sys.stderr if stream is None else stream
    bar = Bar(target) if target.isatty() else None
    progress = StoppableProgress(bar.draw if bar else None)
    try:
        with catch_termination(progress), _first_interrupt_stops(progress):
            yield progress
    finally:
        if bar:
            bar.clear()
    if progress.stopped and not keeps_partial:
        raise Cancelled


@contextmanager
def _first_interrupt_stops(progress: StoppableProgress) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield  # Python hands signals to the main thread only.
        return
    before = signal.getsignal(signal.SIGINT)

    def on_interrupt(_number: int, _frame: FrameType | None) -> None:
        if progress.stopped:
            raise KeyboardInterrupt
        progress.stop()

    signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


class Bar:
    """One line of a terminal that shows a share and a message."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._began = time.monotonic()
        self._drawn_at = -1.0
        self._taken = 0

    def draw(self, done: float, message: str) -> None:
        """Show the share done, unless it was shown a moment ago."""
        now = time.monotonic()
        if now - self._began < FIRST_DRAWN_AFTER or now - self._drawn_at < DRAWN_EVERY:
            return
        self._drawn_at = now
        width = shutil.get_terminal_size().columns - 1
        line = cut(bar_line(done, harmless(message)), width)
        gap = " " * max(0, self._taken - columns(line))
        self._taken = columns(line)
        self._stream.write(f"\r{line}{gap}")
        self._stream.flush()

    def clear(self) -> None:
        """Take the bar off the terminal."""
        if self._taken:
            self._stream.write("\r" + " " * self._taken + "\r")
            self._stream.flush()


def bar_line(done: float, message: str, length: int = 24) -> str:
    """The bar as text, in letters that every terminal has.

    >>> bar_line(0.5, "reading", length=4)
    '[##..]  50 % reading'
    """
    full = round(done * length)
    return f"[{'#' * full}{'.' * (length - full)}] {100 * done:3.0f} % {message}".rstrip()
