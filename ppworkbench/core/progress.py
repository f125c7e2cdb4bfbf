"""Progress reports that are also the place where a stop takes effect.

Long functions take ``progress=silent`` and call it between chunks of work. The callable
receives the share done in [0, 1] and a short message; it raises :class:`Cancelled` when
somebody asked the work to stop.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Protocol


class Cancelled(Exception):  # noqa: N818 (an answer, not a fault)
    """The work was asked to stop; nothing it began to write remains."""


class Progress(Protocol):
    """What a long function calls to report and to learn whether to go on."""

    def __call__(self, done: float, message: str = "") -> None:
        """Report that the share ``done`` of the work is finished."""


def silent(done: float, message: str = "") -> None:
    """Report to nobody and never cancel."""


def part(progress: Progress, start: float, stop: float, words: str = "") -> Progress:
    """Map the progress of one step, 0 to 1, onto its share of the whole work.

    A step that nobody knows the length of starts where it stops: it tells only that work goes on.
    ``words`` are told instead of the step's own.

    >>> seen = []
    >>> part(lambda done, message="": seen.append(done), 0.5, 1.0)(0.5)
    >>> seen
    [0.75]
    """

    def report(done: float, message: str = "") -> None:
        progress(start + (stop - start) * done, words or message)

    return report


class StoppableProgress:
    """Progress with a switch that another thread may throw.

    Reports never fall: chunks may finish out of order, a bar that runs back looks broken.
    """

    def __init__(self, report: Callable[[float, str], None] | None = None) -> None:
        self._report = report
        self._stop = threading.Event()
        self._highest = 0.0

    @property
    def stopped(self) -> bool:
        """Whether a stop was asked for."""
        return self._stop.is_set()

    def stop(self) -> None:
        """Ask the work to stop at its next report."""
        self._stop.set()

    def __call__(self, done: float, message: str = "") -> None:
        """Report, or raise :class:`Cancelled` when a stop was asked for."""
        if self._stop.is_set():
            raise Cancelled
        self._highest = max(self._highest, min(done, 1.0))
        if self._report is not None:
            self._report(self._highest, message)
