"""The computers of a Dask cluster."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from ppworkbench.core.engines import cluster_result, connect, count_threads, submit
from ppworkbench.core.experiment.engines.in_process import Check, Deliver
from ppworkbench.core.experiment.experiment import Experiment
from ppworkbench.core.experiment.results import Task, TaskResult
from ppworkbench.core.experiment.task_run import run_task

_WAIT = 0.02
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
        """Carry out the tasks on the cluster."""
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
                    time.sleep(_WAIT)
                for future in finished:
                    deliver(cluster_result(self._address, future))
        finally:
            client.cancel(list(waiting))


def _work(experiment: Experiment, task: Task) -> TaskResult:
    return run_task(experiment, task)
