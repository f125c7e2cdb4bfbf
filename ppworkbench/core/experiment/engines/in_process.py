"""One task after the other, here."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Protocol

from ppworkbench.core.experiment.experiment import Experiment
from ppworkbench.core.experiment.results import Task, TaskResult
from ppworkbench.core.experiment.task_run import run_task

Deliver = Callable[[TaskResult], None]
Check = Callable[[], None]


class Engine(Protocol):
    """Carries out tasks in any order; their results do not depend on it."""

    def run(
        self, experiment: Experiment, tasks: Sequence[Task], deliver: Deliver, check: Check
    ) -> None:
        """Carry out all tasks, calling ``deliver`` in the caller's thread with every result.

        ``check`` is to be called several times a second; it raises
        :class:`~ppworkbench.core.progress.Cancelled` when the work is to stop. Then no further task
        may begin anywhere.
        """


class InProcess:
    """Works off the tasks in the calling thread, all of them or for some seconds.

    Parameters
    ----------
    seconds
        No task is begun after this time; None for no limit.
    """

    def __init__(self, seconds: float | None = None) -> None:
        self._seconds = seconds

    def run(
        self, experiment: Experiment, tasks: Sequence[Task], deliver: Deliver, check: Check
    ) -> None:
        """Carry out the tasks in order."""

        def inside(done: float, message: str = "") -> None:  # noqa: ARG001 (of a single task)
            check()

        start = time.monotonic()
        for task in tasks:
            check()
            if self._seconds is not None and time.monotonic() - start > self._seconds:
                return
            deliver(run_task(experiment, task, inside))
