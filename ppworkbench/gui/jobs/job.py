"""One piece of work and what became of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from enum import StrEnum
from typing import Any

from PySide6.QtCore import QObject, Signal

from ppworkbench.core.progress import Progress, StoppableProgress

Work = Callable[[Progress], Any]


def _nothing(progress: Progress) -> None:
    """Work that is over."""


class JobState(StrEnum):
    """The life of a job."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_over(self) -> bool:
        """Whether nothing more will happen."""
        return self in (JobState.DONE, JobState.FAILED, JobState.CANCELLED)


class Job(QObject):
    """Work with a name. All signals arrive in the thread of the window."""

    progressed = Signal(float, str)
    finished = Signal(object)
    """The result, only while nobody disowned the job."""
    failed = Signal(object)
    """The exception."""
    ended = Signal()
    """However it ended; the last signal."""

    def __init__(self, name: str, work: Work, *, key: str | None, quiet: bool) -> None:
        super().__init__()
        self.name = name
        self.key = key
        self.quiet = quiet
        """Live work of a few milliseconds that the job list does not show."""
        self.work = work
        self.state = JobState.QUEUED
        self.done = 0.0
        self.message = ""
        self.error: BaseException | None = None
        self.started_at = time.monotonic()
        self.ended_at: float | None = None
        self.disowned = False
        self.outlives_study = False
        """Whether the job goes on when another study is opened, as saving does."""
        self.progress = StoppableProgress()

    def cancel(self) -> None:
        """Ask the work to stop; it does at its next report."""
        self.progress.stop()

    def disown(self) -> None:
        """Cancel, and never deliver a result."""
        self.disowned = True
        self.cancel()

    def forget_work(self) -> None:
        """Let go of what the work holds, such as a whole table; the job list keeps the name."""
        self.work = _nothing

    @property
    def seconds(self) -> float:
        """How long the job has run."""
        return (self.ended_at or time.monotonic()) - self.started_at

    @property
    def seconds_left(self) -> float | None:
        """An estimate from the share that is done; None while it is too early to say."""
        if self.done < 0.02 or self.state is not JobState.RUNNING:
            return None
        return self.seconds * (1 - self.done) / self.done
