"""Doing one thing after the other to the pages, each as soon as the window is ready for it."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject, QTimer, Signal

from ppworkbench.core.errors import WorkbenchError
from ppworkbench.gui.jobs import JobRunner

_EVERY = 20
"""Milliseconds between two looks; timers of the pages have run in between."""
_LOOKS = 2
"""Looks between two tasks."""
_MOST_WAITING = 4.0
"""Seconds that a job may keep a patient task waiting."""
_MOST_TRYING = 10.0


@dataclass(frozen=True)
class Task:
    """Something to do; ``act`` gives False if it cannot be done yet.

    ``refusal`` is the sentence if it cannot be done at all. A ``patient`` task lets jobs end first.
    """

    act: Callable[[], bool]
    refusal: str = ""
    patient: bool = False


class Arrangement(QObject):
    """A queue of tasks. Pages make widgets and results when they get to it, so a task is tried
    until it can be done.
    """

    ended = Signal()
    failed = Signal(object)
    """The error of a task, or the sentence that it would have needed more time."""

    def __init__(self, jobs: JobRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._tasks: deque[Task] = deque()
        self._looks = 0
        self._since = 0.0
        self._timer = QTimer(self)
        self._timer.setInterval(_EVERY)
        self._timer.timeout.connect(self._go_on)

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to do."""
        return not self._timer.isActive()

    def begin(self, tasks: Sequence[Task]) -> None:
        """Do these instead of what was left to do."""
        self._tasks = deque(tasks)
        self._rest()
        self._timer.start()

    def stop(self) -> None:
        """Do nothing more."""
        self._tasks.clear()
        self._timer.stop()

    def _rest(self) -> None:
        self._looks, self._since = 0, time.monotonic()

    def _go_on(self) -> None:
        self._looks += 1
        if self._looks < _LOOKS:
            return
        if not self._tasks:
            self._timer.stop()
            self.ended.emit()
            return
        task, waited = self._tasks[0], time.monotonic() - self._since
        if task.patient and not self._jobs.is_idle and waited < _MOST_WAITING:
            return
        try:
            done = task.act()
        except WorkbenchError as error:
            self._give_up(error)
            return
        if done:
            # A task may have begun something else in the meantime.
            if self._tasks and self._tasks[0] is task:
                self._tasks.popleft()
            self._rest()
        elif waited > _MOST_TRYING:
            self._give_up(WorkbenchError(task.refusal))

    def _give_up(self, error: WorkbenchError) -> None:
        self.stop()
        self.failed.emit(error)
