"""How long tests wait: until the thing has happened, however busy the machine is with others.

Only what never happens is ended by a clock, after minutes. How long something may take is measured
by ``tests/benchmarks/limits``, which ``python3 packaging/dev.py bench`` runs.
"""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE = 300
"""Seconds after which a test gives up."""


def until(condition: Callable[[], object], seconds: float = PATIENCE) -> None:
    """Wait until a condition holds, outside of the thread of a window."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"what the test waits for did not happen in {seconds:.0f} seconds")
        time.sleep(0.01)


def until_stopped(progress: Callable[[float, str], None]) -> None:
    """Work that goes on until somebody stops it."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        progress(0.5, "working")
        time.sleep(0.005)
