"""Several processes of this computer."""

from __future__ import annotations

import os
import pickle
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.experiment.engines.base import Check, Deliver
from ppworkbench.core.experiment.engines.in_process import InProcess
from ppworkbench.core.experiment.experiment import Experiment
from ppworkbench.core.experiment.results import Task, TaskResult
from ppworkbench.core.experiment.task_run import run_task

_WAIT = 0.1
_AHEAD = 3
"""Tasks handed out per process: enough that none waits, few enough that little is lost."""
_ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1",
}


def default_workers() -> int:
    """As many processes as this program may use processors."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class LocalProcesses:
    """Hands tasks to processes that joblib's executor starts; the experiment is sent to each once.

    A stop ends the processes at once, in the middle of whatever they do.

    Parameters
    ----------
    workers
        Number of processes; by default one per processor.
    alone
        Seconds to work without them first: starting processes takes seconds, and a small experiment
        is over before they are ready.
    """

    def __init__(self, workers: int | None = None, alone: float = 0.0) -> None:
        self._workers = workers or default_workers()
        self._alone = alone

    def run(
        self, experiment: Experiment, tasks: Sequence[Task], deliver: Deliver, check: Check
    ) -> None:
        """Carry out the tasks, several at a time."""
        left = list(tasks)
        if self._alone > 0:
            done: set[Task] = set()

            def note(result: TaskResult) -> None:
                done.add(result.task)
                deliver(result)

            InProcess(self._alone).run(experiment, left, note, check)
            left = [task for task in left if task not in done]
        if left:
            self._run_in_processes(experiment, left, deliver, check)

    def _run_in_processes(
        self, experiment: Experiment, tasks: Sequence[Task], deliver: Deliver, check: Check
    ) -> None:
        from joblib.externals.loky import ProcessPoolExecutor

        executor = ProcessPoolExecutor(
            max_workers=min(self._workers, len(tasks)),
            initializer=_receive,
            initargs=(pickle.dumps(experiment),),
            env=_ONE_THREAD,
        )
        try:
            _feed(executor, list(tasks), self._workers * _AHEAD, deliver, check)
        except BrokenProcessPool as error:
            raise WorkbenchError(
                "A process of the experiment ended unexpectedly, perhaps for lack of memory; the "
                "results so far are kept. Start it again to go on, with fewer processes."
            ) from error
        finally:
            executor.shutdown(wait=True, kill_workers=True)


def _feed(executor: Any, tasks: list[Task], most: int, deliver: Deliver, check: Check) -> None:
    """Keep so many tasks handed out, and look several times a second whether to stop."""
    waiting: set[Future[TaskResult]] = set()
    tasks.reverse()
    while tasks or waiting:
        while tasks and len(waiting) < most:
            waiting.add(executor.submit(_work, tasks.pop()))
        check()
        finished, waiting = wait(waiting, _WAIT, FIRST_COMPLETED)
        for future in finished:
            deliver(future.result())


_experiment: Experiment | None = None
"""What this process works on; only set in the processes that were started for it."""


def _receive(pickled: bytes) -> None:
    global _experiment  # noqa: PLW0603 (a process of its own, with one purpose)
    from ppworkbench.core.kernels import warm_up

    _experiment = pickle.loads(pickled)  # noqa: S301 (from the process that started this one)
    warm_up()


def _work(task: Task) -> TaskResult:
    assert _experiment is not None  # noqa: S101 (received before any task)
    return run_task(_experiment, task)
