"""One task after the other, here."""

from __future__ import annotations

import time
from collections.abc import Sequence

from ppworkbench.core.experiment.engines.base import Check, Deliver
from ppworkbench.core.experiment.experiment import Experiment
from ppworkbench.core.experiment.results import Task
from ppworkbench.core.experiment.task_run import run_task


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
