"""Dask clusters on this machine, and workers that end in the middle of their work."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

WITHIN = 300
"""Seconds within which a worker must have got something to do."""


@contextmanager
def local_cluster(workers: int) -> Iterator[Any]:
    """A cluster of processes; tests that need one are skipped where Dask is not installed."""
    distributed = pytest.importorskip("distributed", reason="ppworkbench[cluster] is not installed")
    with distributed.LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        processes=True,
        dashboard_address="127.0.0.1:0",
        host="127.0.0.1",
    ) as made:
        yield made


@contextmanager
def losing_a_worker(cluster: Any) -> Iterator[None]:
    """Kill the process of a worker that is in the middle of a task, after a few have been begun."""
    lost: list[str] = []

    def kill() -> None:
        begun: set[str] = set()
        end = time.monotonic() + WITHIN
        while time.monotonic() < end:
            for worker in list(cluster.scheduler.workers.values()):
                tasks = [task.key for task in list(worker.processing)]
                begun.update(tasks)
                if tasks and len(begun) > 3:
                    nannies = list(cluster.workers.values())
                    pid = next(n.pid for n in nannies if n.worker_address == worker.address)
                    os.kill(pid, signal.SIGKILL)
                    lost.append(tasks[0])
                    return
            time.sleep(0.002)

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        yield
    finally:
        thread.join()
    assert len(lost) == 1
