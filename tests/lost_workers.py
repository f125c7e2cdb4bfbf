"""Workers of a Dask cluster that end in the middle of their work."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

WITHIN = 300
"""Seconds within which a worker must have got something to do."""


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
