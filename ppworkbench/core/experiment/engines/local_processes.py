"""Several processes of this computer."""

from __future__ import annotations

import os
import pickle
import threading
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing.connection import wait
from typing import Any

from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.experiment.engines.in_process import Check, Deliver, InProcess
from ppworkbench.core.experiment.experiment import Experiment
from ppworkbench.core.experiment.results import Task, TaskResult
from ppworkbench.core.experiment.task_run import run_task

_WAIT = 0.1
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
    """Hands tasks to processes that are started with joblib's; each gets the experiment once.

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
        workers = [_Worker() for _ in range(min(self._workers, len(tasks)))]
        sender = _hand_over(experiment, workers)
        try:
            _feed(workers, list(tasks), deliver, check)
        finally:
            for worker in workers:
                worker.end()
            # With nobody left to read, it is over at once.
            sender.join()
            for worker in workers:
                worker.line.close()


class _Worker:
    """A process that works off tasks, and the line to it.

    It is started the way joblib starts its own: without running the main program again. A pool of
    joblib's would not stop before all of its processes have started.
    """

    def __init__(self) -> None:
        from joblib.externals.loky.backend import get_context

        context = get_context("loky")
        self.line, far_end = context.Pipe()
        self._process = context.Process(
            target=_serve, args=(far_end,), daemon=True, env=_ONE_THREAD
        )
        self._process.start()
        far_end.close()

    def end(self) -> None:
        """End the process in the middle of whatever it does."""
        self._process.terminate()
        self._process.join()


def _hand_over(experiment: Experiment, workers: Sequence[_Worker]) -> threading.Thread:
    """Send the experiment to all, in a thread: a process takes seconds before it reads."""
    pickled = pickle.dumps(experiment)

    def send() -> None:
        for worker in workers:
            # A process that was ended meanwhile reads nothing any more.
            with suppress(OSError):
                worker.line.send_bytes(pickled)

    thread = threading.Thread(target=send, name="experiment sender", daemon=True)
    thread.start()
    return thread


def _feed(workers: Sequence[_Worker], tasks: list[Task], deliver: Deliver, check: Check) -> None:
    """Give every process a task whenever it asks, and look often whether to stop."""
    lines: list[Any] = [worker.line for worker in workers]
    left = len(tasks)
    tasks.reverse()
    while left:
        check()
        ready: list[Any] = wait(lines, _WAIT)
        for line in ready:
            found = _received(line)
            if found is not None:
                deliver(found)
                left -= 1
            if tasks:
                line.send(tasks.pop())


def _received(line: Any) -> TaskResult | None:
    """A result; None from a process that is only ready for its first task."""
    try:
        found: TaskResult | None = line.recv()
    except (EOFError, OSError) as error:
        raise WorkbenchError(
            "A process ended unexpectedly, perhaps for lack of memory; the results so "
            "far are kept. Resume with fewer processes."
        ) from error
    return found


def _serve(line: Any) -> None:
    """What a process does: read the experiment, then carry out task after task."""
    from ppworkbench.core.kernels import warm_up

    with suppress(EOFError, OSError):
        experiment = pickle.loads(line.recv_bytes())  # noqa: S301 (from the process that started this one)
        warm_up()
        line.send(None)
        while True:
            line.send(run_task(experiment, line.recv()))
