"""Jobs and the threads that run them."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections import deque
from collections.abc import Callable
from enum import StrEnum
from typing import Any

from PySide6.QtCore import QEventLoop, QObject, Qt, QTimer, Signal

from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.progress import Cancelled, Progress, StoppableProgress
from ppworkbench.gui.application import keep_modules, single_shot

Work = Callable[[Progress], Any]


def _nothing(progress: Progress) -> None:
    """Work that is over."""


class JobState(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_over(self) -> bool:
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
        self.begins_again = False
        """Whether its page begins it by itself whenever it is shown: nobody waits for it."""
        self.tells_refusal = False
        """Whether whoever started it says why it failed, so that the window need not."""
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
        return (self.ended_at or time.monotonic()) - self.started_at

    @property
    def seconds_left(self) -> float | None:
        """An estimate from the share that is done; None while it is too early to say."""
        if self.done < 0.02 or self.state is not JobState.RUNNING:
            return None
        return self.seconds * (1 - self.done) / self.done


log = logging.getLogger(__name__)

_WORKERS = 3
_HISTORY = 50
_REPORT_EVERY = 0.05
"""Seconds between two progress reports that reach the window."""


class JobRunner(QObject):
    """Runs jobs in a few threads and brings their results back to the window.

    Starting a job with the ``key`` of an earlier one disowns the earlier: its result never lands,
    so that a stale number cannot overwrite a fresh one.
    """

    jobs_changed = Signal()
    """A job was started, has ended or moved on."""
    job_failed = Signal(object)
    """A job that ended with an error."""

    _reported = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs: list[Job] = []
        self._queue: queue.Queue[Job | None] = queue.Queue()
        self._threads: list[threading.Thread] = []
        self._closed = False
        self._is_held = False
        self._reported.connect(self._on_reported, Qt.ConnectionType.QueuedConnection)
        self._arrived: deque[tuple[Job, JobState, Any]] = deque()
        # Of results that arrive together one is shown at a time; then others have their turn, such
        # as whoever clicks, and timers that a result has started.
        self._is_others_turn = False
        self._turn = single_shot(self)
        self._turn.timeout.connect(self._on_turn_over, Qt.ConnectionType.QueuedConnection)
        self._clock = QTimer(self)
        self._clock.setInterval(250)
        self._clock.timeout.connect(self.jobs_changed)

    @property
    def jobs(self) -> tuple[Job, ...]:
        return tuple(job for job in self._jobs if not job.quiet)

    @property
    def running(self) -> tuple[Job, ...]:
        return tuple(job for job in self.jobs if not job.state.is_over)

    @property
    def is_idle(self) -> bool:
        """Whether no job, shown or not, is under way or has to wait."""
        return not self._is_held and all(job.state.is_over for job in self._jobs)

    def start(self, name: str, work: Work, *, key: str | None = None, quiet: bool = False) -> Job:
        """Start a job; connect to its signals at once, nothing arrives before the event loop."""
        if key is not None:
            for earlier in self._jobs:
                if earlier.key == key and not earlier.state.is_over:
                    earlier.disown()
        job = Job(name, work, key=key, quiet=quiet)
        self._jobs.append(job)
        self._forget_old()
        if self._closed:
            job.disown()
            self._end(job, JobState.CANCELLED)
            return job
        self._queue.put(job)
        self._add_thread()
        self._clock.start()
        self.jobs_changed.emit()
        return job

    def hold(self) -> None:
        """Let jobs wait until the program has been loaded."""
        self._is_held = True

    def release(self) -> None:
        self._is_held = False
        for _ in range(self._queue.qsize()):
            self._add_thread()

    def disown_all(self) -> None:
        """Stop every job that belongs to the study in front; none of their results arrives."""
        for job in self._jobs:
            if not job.state.is_over and not job.outlives_study:
                job.disown()

    def close(self, seconds: float = 5.0) -> bool:
        """Cancel all jobs and end the threads; False if one did not end in time."""
        self._closed = True
        for job in self._jobs:
            if not job.state.is_over:
                job.disown()
        for _ in self._threads:
            self._queue.put(None)
        limit = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, limit - time.monotonic()))
        self._clock.stop()
        return not any(thread.is_alive() for thread in self._threads)

    def _add_thread(self) -> None:
        if not self._is_held and len(self._threads) < _WORKERS:
            name = f"job thread {len(self._threads) + 1}"
            thread = threading.Thread(target=self._work_off, name=name, daemon=True)
            self._threads.append(thread)
            thread.start()

    def _work_off(self) -> None:
        # It brings the thread what the timers of a document that is printed here ask for.
        QEventLoop()
        while (job := self._queue.get()) is not None:
            self._run(job)
            # While this thread waits it must not keep the job alive, nor the study that it saw.
            del job

    def _run(self, job: Job) -> None:
        last = 0.0

        def report(done: float, message: str) -> None:
            nonlocal last
            job.done, job.message = done, message
            now = time.monotonic()
            if now - last >= _REPORT_EVERY:
                last = now
                self._reported.emit((job, JobState.RUNNING, None))

        job.progress._report = report  # noqa: SLF001 (the job's own progress)
        result: Any = None
        try:
            job.progress(0.0)
            job.state = JobState.RUNNING
            job.started_at = time.monotonic()
            result = job.work(job.progress)
            state = JobState.DONE
        except Cancelled:
            state = JobState.CANCELLED
        except WorkbenchError as error:
            state, result = JobState.FAILED, error
        except Exception as error:
            log.exception("the job %s failed", job.name)
            state, result = JobState.FAILED, error
        self._reported.emit((job, state, result))

    def _on_reported(self, report: tuple[Job, JobState, Any]) -> None:
        job, state, _ = report
        if state.is_over:
            self._arrived.append(report)
            if not self._is_others_turn:
                self._take_next()
        elif not job.disowned and not job.state.is_over:
            job.progressed.emit(job.done, job.message)

    def _take_next(self) -> None:
        self._is_others_turn = True
        self._turn.start()
        self._land(*self._arrived.popleft())

    def _on_turn_over(self) -> None:
        self._is_others_turn = False
        if self._arrived:
            self._take_next()

    def _land(self, job: Job, state: JobState, result: Any) -> None:
        if job.state.is_over:
            return
        if job.disowned:
            self._end(job, JobState.CANCELLED)
        elif state is JobState.DONE:
            job.done = 1.0
            self._end(job, state)
            job.finished.emit(result)
        elif state is JobState.FAILED:
            job.error = result
            self._end(job, state)
            job.failed.emit(result)
            self.job_failed.emit(job)
        else:
            self._end(job, state)
        job.ended.emit()

    def _end(self, job: Job, state: JobState) -> None:
        job.state = state
        job.ended_at = time.monotonic()
        job.forget_work()
        # Jobs are what loads large libraries.
        keep_modules()
        if self.is_idle:
            self._clock.stop()
        self.jobs_changed.emit()

    def _forget_old(self) -> None:
        over = [job for job in self._jobs if job.state.is_over]
        quiet = [job for job in over if job.quiet]
        for job in (*quiet, *[job for job in over if not job.quiet][:-_HISTORY]):
            self._jobs.remove(job)
