"""Walks through the pages with 100,000 rows and prints as JSON how long the window was deaf.

With the word ``first`` every page is made for the first time, else all of them have been seen and
single events are timed, which itself takes time.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

from heartbeat import Heartbeat
from PySide6.QtCore import QEvent, QSettings
from PySide6.QtWidgets import QApplication
from slow_events import TimedApplication

ROWS = 100_000
PAGES = ("data", "design", "explore", "survey", "mine", "classify", "publish")
ATTRIBUTES = ("satisfaction_transport", "income", "age", "fare_evasion", "district")


class Watch:
    """A window under observation."""

    def __init__(self, folder: Path, *, timed: bool) -> None:
        self.app = TimedApplication(["ppworkbench"]) if timed else QApplication(["ppworkbench"])
        from ppworkbench.gui.app import make_ready, make_window

        settings = QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat)
        self.window = make_window(settings, "light", folder)
        self.window.resize(1366, 768)
        self.window.show()
        self.steps: dict[str, dict[str, float]] = {}
        self.step("get ready", lambda: make_ready(self.window))

    def settle(self) -> None:
        """Work until nothing is under way any more."""
        quiet = time.monotonic()
        while time.monotonic() - quiet < 0.25:
            self.app.processEvents()
            self.app.sendPostedEvents(None, QEvent.Type.DeferredDelete)
            if not self.window.workbench.jobs.is_idle or not self.window.is_prepared:
                quiet = time.monotonic()
            time.sleep(0.001)

    def step(self, name: str, action: Callable[[], object]) -> None:
        """Do something and note the longest stretch of work."""
        before = 0
        if isinstance(self.app, TimedApplication):
            self.app.during = name
            before = len(self.app.slow)
        with Heartbeat() as heartbeat:
            began = time.thread_time()
            action()
            direct = 1000 * (time.thread_time() - began)
            self.settle()
        slow = self.app.slow[before:] if isinstance(self.app, TimedApplication) else []
        self.steps[name] = {
            "work": max([direct, *(event.milliseconds for event in slow)]),
            "with painting": heartbeat.largest_work,
            "clock": heartbeat.largest,
        }


def see_first(watch: Watch, study: object) -> None:
    """Every page for the first time."""
    window = watch.window
    watch.step("first data", lambda: window.store.open(study))
    for page in PAGES[1:]:
        watch.step(f"first {page}", lambda page=page: window.show_page(page))


def see_again(watch: Watch) -> None:
    """Every page and some attributes, a drag, and back."""
    from ppworkbench.core.design import Ordinal

    window = watch.window
    for page in PAGES[3:]:
        watch.step(f"{page} again", lambda page=page: window.show_page(page))
        if page in ("survey", "mine"):
            watch.step(f"{page} at work", window.pages[page].primary.trigger)
    for page in PAGES[:3]:
        watch.step(f"{page} again", lambda page=page: window.show_page(page))
        for name in ATTRIBUTES:
            watch.step(f"{page}: {name}", lambda name=name: window.store.select([name]))
    window.show_page("design")
    window.store.select([ATTRIBUTES[0]])
    watch.settle()
    gesture = window.store.new_gesture("drag")
    for step in range(20):
        changed = Ordinal(weights=(0.5 + step / 100, 0.1))
        watch.step(
            f"drag {step}",
            lambda c=changed: window.store.set_perturbation([ATTRIBUTES[0]], c, gesture),
        )
    watch.step("undo", window.store.undo_stack.undo)
    watch.step("start", lambda: window.show_page("start"))


def main(folder: Path, first: bool) -> None:
    """Walk through the pages."""
    watch = Watch(folder, timed=not first)
    from ppworkbench.core.data.samples import load_sample
    from ppworkbench.study.study import Study

    study = Study.of_table(load_sample("city-survey", rows=ROWS), "city")
    see_first(watch, study)
    if not first:
        watch.steps.clear()
        see_again(watch)
    watch.window.store.forget_changes()
    watch.window.close()
    slowest = watch.app.slowest() if isinstance(watch.app, TimedApplication) else []
    document = {
        "platform": watch.app.platformName(),
        "steps": watch.steps,
        "slowest": [str(event) for event in slowest],
    }
    sys.stdout.write(json.dumps(document) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), first="first" in sys.argv)
