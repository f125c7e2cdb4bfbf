"""Tests that measure time: they run alone, after all others, and the best of three tries counts.

Whatever else a machine does can only make a test take longer, never shorter: the shortest of some
tries is closest to what the program itself needs. What is too slow is too slow each time.
"""

from __future__ import annotations

import time

import pytest
from _pytest.runner import runtestprotocol

TRIES = 3
USUAL = 0.014
"""Seconds of processor time that ``_calibration`` takes on the machine the limits were set on."""


def slowness() -> float:
    """How many times slower this machine is than the one that time limits were set on; at least 1.

    The processor is meant, not what else runs on it: the least of some tries counts. It is asked
    anew each time, right after what was measured: processors change their speed by the minute.
    """
    return max(1.0, min(_calibration() for _ in range(5)) / USUAL)


def _calibration() -> float:
    began = time.thread_time()
    words: dict[int, str] = {}
    for number in range(60_000):
        words[number % 997] = str(number)
    return time.thread_time() - began


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whoever asks how long the window was deaf measures time; long tests come first."""
    for item in items:
        if "max_block" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.timed)
    # A walk through the whole window that began last would leave the other processes idle.
    items.sort(key=lambda item: ("smoke" not in item.path.parts, item.path.parts))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Try a test that measures time again if it fails."""
    if item.get_closest_marker("timed") is None:
        return None
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for left in reversed(range(TRIES)):
        reports = runtestprotocol(item, nextitem=nextitem, log=False)
        if not left or all(report.passed or report.skipped for report in reports):
            break
        # The fixtures of the try are gone; the next one makes its own.
        item._initrequest()
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True
