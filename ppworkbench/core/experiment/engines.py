"""Where the tasks of an experiment are carried out, from the beginning or where it stopped."""

from __future__ import annotations

import logging
import os
import pickle
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import wait
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.classify import Classifier
from ppworkbench.core.classify.randomised_accuracy import estimate_accuracy
from ppworkbench.core.data.missing import fill_missing, find_fills
from ppworkbench.core.data.table import Table
from ppworkbench.core.design import Design
from ppworkbench.core.design.distort import distort
from ppworkbench.core.engines import cluster_result, connect, count_threads, submit
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.experiment.experiment import Experiment
from ppworkbench.core.experiment.results import ResultsTable, Task, TaskResult, confusion
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Cancelled, Progress, silent
from ppworkbench.core.rng import SeededStreams

log = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class TrainedTask:
    """The classifier of one task with what it learnt from and is tested on.

    ``test_rows`` are the positions of the tested records in the experiment's table.
    """

    classifier: Classifier[Any]
    design: Design | None
    training: Table
    test: Table
    test_rows: NDArray[np.intp]
    train_seconds: float


def train(experiment: Experiment, task: Task, progress: Progress = silent) -> TrainedTask:
    """Distort the training records of a task and let its classifier learn from them.

    What stands for missing answers is taken from the training records, before the distortion.
    All random numbers come from streams named by repeat and fold: all settings learn from the same
    distorted records, and no result depends on where or when a task is done.
    """
    setting = experiment.setting(task.setting)
    dealt = experiment.folds(task.repeat)
    training = experiment.table.take(dealt != task.fold)
    test_rows = np.flatnonzero(dealt == task.fold)
    test = experiment.table.take(test_rows)
    fills = find_fills(training)
    training, test = fill_missing(training, fills), fill_missing(test, fills)
    design = None
    if not setting.undistorted:
        design = experiment.design_at(task.level)
        training = distort(training, design, _streams(experiment, task, "training"))
        if experiment.plan.test_on != "original":
            test = distort(test, design, _streams(experiment, task, "test"))
    progress(0.0)
    classifier = setting.make(design=design, random_state=_seed(experiment, task, "classifier"))
    start = time.perf_counter()
    classifier.fit(training, progress=progress)
    seconds = time.perf_counter() - start
    return TrainedTask(classifier, design, training, test, test_rows, seconds)


def run_task(experiment: Experiment, task: Task, progress: Progress = silent) -> TaskResult:
    """Train and test; what goes wrong with one task is its result, not the end of the others."""
    try:
        return _run(experiment, task, progress)
    except Cancelled:
        raise
    except WorkbenchError as error:
        return TaskResult(task, error=error.message)
    except Exception as error:
        log.exception("the task %s failed", task)
        what = f"{type(error).__name__}: {error}".rstrip(": ")
        return TaskResult(
            task, error=Message("Internal error ({what}); report it with the log.", what=what)
        )


def _run(experiment: Experiment, task: Task, progress: Progress) -> TaskResult:
    trained = train(experiment, task, progress)
    progress(0.0)
    start = time.perf_counter()
    if experiment.plan.test_on == "estimated" and trained.design is not None:
        seed = _seed(experiment, task, "estimate")
        found = estimate_accuracy(trained.classifier, trained.test, trained.design, seed=seed)
        seconds = time.perf_counter() - start
        return TaskResult(task, (), trained.train_seconds, seconds, estimate=found.accuracy)
    is_distorted = experiment.plan.test_on == "distorted" and trained.design is not None
    predicted = trained.classifier.predict(trained.test, distorted=is_distorted, progress=progress)
    seconds = time.perf_counter() - start
    place = {value: code for code, value in enumerate(experiment.class_values)}
    predicted = np.array([place[str(value)] for value in predicted], np.intp)
    # The truth is the original class, even where the design distorts the class too.
    true = experiment.classes[trained.test_rows]
    matrix = confusion(true, predicted, len(place))
    counts = tuple(tuple(int(count) for count in row) for row in matrix)
    return TaskResult(task, counts, trained.train_seconds, seconds)


def _streams(experiment: Experiment, task: Task, what: str) -> SeededStreams:
    return SeededStreams(_seed(experiment, task, what))


def _seed(experiment: Experiment, task: Task, what: str) -> int:
    name = ("experiment", what, str(task.repeat), str(task.fold))
    return int(SeededStreams(experiment.plan.seed).generator(*name).integers(2**31))


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
        def inside(done: float, message: str = "") -> None:  # noqa: ARG001 (of a single task)
            check()

        start = time.monotonic()
        for task in tasks:
            check()
            if self._seconds is not None and time.monotonic() - start > self._seconds:
                return
            deliver(run_task(experiment, task, inside))


_SHORT_WAIT = 0.02
_AHEAD = 4
"""Tasks handed out per thread of the cluster."""


class DaskCluster:
    """Hands tasks to a cluster; the experiment is sent to its workers once.

    A stop takes back all that was handed out; what a worker is in the middle of comes to its end
    there and is thrown away.

    Parameters
    ----------
    address
        Where the scheduler listens, such as ``tcp://10.0.0.5:8786``. The workers need ppworkbench
        installed, in the same version.
    """

    def __init__(self, address: str) -> None:
        self._address = address

    def run(
        self, experiment: Experiment, tasks: Sequence[Task], deliver: Deliver, check: Check
    ) -> None:
        with connect(self._address) as client:
            threads = count_threads(client, self._address)
            sent = client.scatter(experiment, broadcast=True, hash=False)
            self._feed(client, sent, list(tasks), threads * _AHEAD, deliver, check)

    def _feed(
        self,
        client: Any,
        sent: Any,
        tasks: list[Task],
        most: int,
        deliver: Deliver,
        check: Check,
    ) -> None:
        waiting: set[Any] = set()
        tasks.reverse()
        try:
            while tasks or waiting:
                while tasks and len(waiting) < most:
                    waiting.add(submit(client, self._address, _work, sent, tasks.pop()))
                check()
                finished = {future for future in waiting if future.done()}
                waiting -= finished
                if not finished:
                    time.sleep(_SHORT_WAIT)
                for future in finished:
                    deliver(cluster_result(self._address, future))
        finally:
            client.cancel(list(waiting))


def _work(experiment: Experiment, task: Task) -> TaskResult:
    return run_task(experiment, task)


_WAIT = 0.1
_ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1",
}


def default_workers() -> int:
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


ALONE = 2.0
"""Seconds before processes are started for an experiment that is not over by then."""


def run_experiment(
    experiment: Experiment,
    table: ResultsTable | None = None,
    *,
    engine: Engine | None = None,
    progress: Progress = silent,
) -> ResultsTable:
    """Carry out all tasks that have no result yet.

    Parameters
    ----------
    table
        Results of an earlier run, which are not done again; new ones are added to it as they come,
        so that it holds what was finished even when the run is cancelled. Results that came of
        errors are tried again. A table of another experiment is refused.
    engine
        Where the work is done; by default here for two seconds, then in processes of this computer.

    Returns
    -------
    ResultsTable
        ``table`` with all results, or a new one.
    """
    if table is None:
        table = ResultsTable(experiment.fingerprint)
    if table.fingerprint != experiment.fingerprint:
        raise ValueError("the results are of another experiment; begin a new table")
    good = {row.task for row in table if not row.error}
    left = [task for task in experiment.tasks if task not in good]
    total = len(experiment.tasks)
    done = total - len(left)
    told = table

    def tell() -> None:
        # Shares of what was left to do, so that the time left can be foreseen from them.
        progress(
            1 - (total - done) / max(len(left), 1),
            Message("{done} of {total} trainings", done=done, total=total),
        )

    def deliver(result: TaskResult) -> None:
        nonlocal done
        told.add(result)
        done += 1
        tell()

    tell()
    (engine or LocalProcesses(alone=ALONE)).run(experiment, left, deliver, tell)
    return table
