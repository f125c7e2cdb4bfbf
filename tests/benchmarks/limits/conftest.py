"""Times beside their limits: ``python3 packaging/dev.py bench`` runs what is in this folder.

The suite has no limits of time, because whatever else a machine does makes things take longer. Here
every figure is printed with its limit, and a limit that is missed ends with 1. Limits grow with the
slowness of the processor, and the best of three tries counts: whatever else a machine does can only
make something take longer, never shorter. Run it while the machine has nothing else to do.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol
from _pytest.terminal import TerminalReporter
from PySide6.QtWidgets import QApplication

sys.path.insert(0, str(Path(__file__).resolve().parent))

from heartbeat import Heartbeat
from slowness import slowness

# What tests of the window share.
pytest_plugins = ["gui.conftest", "smoke.conftest"]

TRIES = 3
_figures: dict[tuple[str, str], tuple[float, float]] = {}
"""The least milliseconds and the limit of what was measured, by test and what it was."""

Within = Callable[[dict[str, float], float], None]


@pytest.fixture
def within(request: pytest.FixtureRequest) -> Within:
    """``within({"cancel": 120.0}, 500)`` notes milliseconds beside their limit, and holds them."""

    def hold(figures: dict[str, float], most: float) -> None:
        limit = most * slowness()
        missed = []
        for what, measured in figures.items():
            key = (request.node.name, what)
            least = min(measured, _figures.get(key, (measured, limit))[0])
            _figures[key] = (least, limit)
            if least > limit:
                missed.append(f"{what}: {least:.0f} ms instead of {limit:.0f}")
        assert not missed, "; ".join(missed)

    return hold


@pytest.fixture
def max_block(
    qapp: QApplication, within: Within
) -> Callable[[float], AbstractContextManager[Heartbeat]]:
    """``with max_block(100):`` holds the thread of the window to 100 ms of work at a stretch.

    Only its own work is counted; the machine may be busy with other things. What other tests left
    in memory is set aside first, as the program does with what it has loaded: going through it for
    rubbish takes longer than anything that is measured here.
    """
    times = 0

    @contextmanager
    def measure(most: float) -> Iterator[Heartbeat]:
        nonlocal times
        # Painting counts, also that of pages which other tests paint at their end only.
        for window in qapp.topLevelWidgets():
            window.setUpdatesEnabled(True)
        qapp.processEvents()
        gc.collect()
        gc.freeze()
        try:
            with Heartbeat() as heartbeat:
                yield heartbeat
                qapp.processEvents()
        finally:
            gc.unfreeze()
        times += 1
        within({f"longest stretch {times}": heartbeat.largest_work}, most)

    return measure


@pytest.fixture(autouse=True)
def _quick_frontier() -> None:
    """Here the frontier of a design is searched as a whole, which the suite spares itself."""


@pytest.fixture(autouse=True)
def _window_is_patient() -> None:
    """Here the window has no more patience than in the program."""


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool:
    """Try again what missed its limit."""
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


def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    """Print the figures beside their limits."""
    terminalreporter.section("milliseconds, limit")
    for (test, what), (measured, limit) in _figures.items():
        mark = "MISSED" if measured > limit else ""
        name = test.removeprefix("test_that_").replace("_", " ")
        terminalreporter.write_line(f"{measured:8.1f} {limit:6.0f} {mark:6} {name}: {what}")
