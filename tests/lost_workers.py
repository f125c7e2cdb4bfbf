"""Dask clusters on this machine, and workers that end in the middle of their work."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from patience import PATIENCE


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
def mortal_cluster(folder: Path) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """A scheduler that can be ended from outside and its address; it has one worker."""
    distributed = pytest.importorskip("distributed", reason="ppworkbench[cluster] is not installed")
    place = folder / "scheduler.json"
    scheduler = _quiet_process(
        "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0",
        "--dashboard-address", "127.0.0.1:0", "--scheduler-file", str(place),
    )  # fmt: skip
    worker = _quiet_process(
        "distributed.cli.dask_worker", "--scheduler-file", str(place),
        "--nthreads", "1", "--no-nanny", "--local-directory", str(folder),
    )  # fmt: skip
    try:
        with distributed.Client(scheduler_file=str(place), timeout=PATIENCE) as client:
            client.wait_for_workers(1, timeout=PATIENCE)
            address = client.scheduler.address
        yield scheduler, address
    finally:
        for process in (worker, scheduler):
            process.kill()
            process.wait()


def _quiet_process(*words: str) -> subprocess.Popen[bytes]:
    nothing = subprocess.DEVNULL
    return subprocess.Popen([sys.executable, "-m", *words], stdout=nothing, stderr=nothing)


@contextmanager
def losing_a_worker(cluster: Any) -> Iterator[None]:
    """Kill the process of a worker that is in the middle of a task, after a few have been begun."""
    lost: list[str] = []

    def kill() -> None:
        begun: set[str] = set()
        end = time.monotonic() + PATIENCE
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
