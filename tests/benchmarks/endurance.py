"""What eight hours of work leave behind: memory, threads and objects of the window.

Run with ``python tests/benchmarks/endurance.py drag`` (100,000 moves of a slider, a thousand drags
on one page after the other), ``reopen`` (50 studies opened, every page shown) or ``windows`` (50
windows made and closed). A number behind the word asks for fewer. Goal: less than 50 MB more than
when the program was warm, and no thread more.
"""

from __future__ import annotations

import gc
import os
import sys
import tempfile
import threading
import time
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import shiboken6
from PySide6.QtCore import QEvent, QSettings
from PySide6.QtWidgets import QApplication, QSlider

from ppworkbench.core.data.samples import load_sample
from ppworkbench.gui.app import make_window
from ppworkbench.gui.application import make_application
from ppworkbench.gui.window.main_window import MainWindow
from ppworkbench.study.study import Study

PAGES = ("data", "design", "collect", "explore", "survey", "mine", "classify", "publish")
GOAL = 50.0
CHANGES, DRAG, WARM = 100_000, 100, 5_000
SLIDER = "weight0Slider"
ATTRIBUTE = "satisfaction_transport"


def memory() -> float:
    """Megabytes that the program has in use now."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def objects() -> int:
    """Objects of Qt that Python knows."""
    return len(shiboken6.getAllValidWrappers())


def settle(app: QApplication, window: MainWindow, quiet: float = 0.1) -> None:
    """Work until nothing is under way any more."""
    since = time.monotonic()
    while time.monotonic() - since < quiet:
        app.processEvents()
        app.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        if not window.workbench.jobs.is_idle:
            since = time.monotonic()
        time.sleep(0.001)


def line(done: int, what: str, before: float) -> None:
    """Print where we stand."""
    now = memory()
    print(
        f"{done:7,} {what}: {now:7.1f} MB, {now - before:+6.1f}; "
        f"{threading.active_count()} threads, {objects():,} objects of Qt",
        flush=True,
    )


def drag(app: QApplication, folder: Path, changes: int) -> float:
    """Move a slider again and again; megabytes more than when warm."""
    window = open_window(folder)
    window.store.open(Study.of_table(load_sample("city-survey"), "city"))
    window.show_page("design")
    window.store.select([ATTRIBUTE])
    settle(app, window)
    warm = min(WARM, changes // 5)
    before = 0.0
    for done in range(0, changes + warm, DRAG):
        if done == warm:
            settle(app, window)
            before = memory()
        one_drag(app, window, done)
        if done % 10_000 == 0:
            line(done, "changes", before)
    settle(app, window)
    line(changes, "changes after warming up", before)
    print(f"{window.store.undo_stack.count():,} undo steps")
    grown = memory() - before
    window.store.forget_changes()
    window.close()
    return grown


def one_drag(app: QApplication, window: MainWindow, start: int) -> None:
    """Press the slider, move it a hundred times, let go."""
    slider = next(s for s in window.findChildren(QSlider, SLIDER) if s.isVisible())
    slider.setSliderDown(True)
    for step in range(DRAG):
        # A prime keeps neighbours apart, so that every move is a change.
        slider.setValue(350 + (start + step) * 37 % 499)
        app.processEvents()
    slider.setSliderDown(False)


def reopen(app: QApplication, folder: Path, times: int) -> float:
    """Open studies of 5,000 rows one after the other and look at every page."""
    window = open_window(folder)
    before = 0.0
    for done in range(times + 5):
        if done == 5:
            before = memory()
        window.store.open(Study.of_table(load_sample("city-survey"), f"city {done}"))
        for page in PAGES:
            window.show_page(page)
            settle(app, window, 0.02)
        if done % 5 == 0:
            line(done, "studies", before)
    line(times, "studies after five", before)
    grown = memory() - before
    window.close()
    return grown


def windows(app: QApplication, folder: Path, times: int) -> float:
    """Make windows, open a study in each and close them."""
    before = 0.0
    for done in range(times + 5):
        if done == 5:
            before = memory()
        window = open_window(folder)
        window.store.open(Study.of_table(load_sample("city-survey"), "city"))
        for page in PAGES:
            window.show_page(page)
        settle(app, window, 0.02)
        window.close()
        workbench = window.workbench
        shiboken6.delete(window)
        shiboken6.delete(workbench)
        del window, workbench
        app.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        if done % 5 == 0:
            line(done, "windows", before)
    line(times, "windows after five", before)
    return memory() - before


def open_window(folder: Path) -> MainWindow:
    """A window in a folder of its own."""
    settings = QSettings(str(folder / "s.ini"), QSettings.Format.IniFormat)
    window = make_window(settings, "light", folder)
    window.resize(1366, 768)
    window.show()
    return window


def main() -> None:
    """Do what the first word says."""
    what = sys.argv[1] if len(sys.argv) > 1 else "drag"
    programs = {"drag": (drag, CHANGES), "reopen": (reopen, 50), "windows": (windows, 50)}
    program, times = programs[what]
    times = int(sys.argv[2]) if len(sys.argv) > 2 else times
    app = make_application()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        grown = program(app, Path(folder), times)
    left = [t.name for t in threading.enumerate() if t is not threading.main_thread()]
    verdict = "met" if grown < GOAL and not left else "MISSED"
    print(
        f"{what}: {grown:+.1f} MB, goal {GOAL:.0f}, threads left {left}: {verdict} "
        f"({time.monotonic() - began:.0f} s)"
    )


if __name__ == "__main__":
    main()
