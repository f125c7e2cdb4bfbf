"""The real program before and after it is killed; prints what it does, a line at a time.

``change`` opens a sample, changes its design and then only waits for its end. ``restore`` looks
whether the start screen offers that study, takes the offer and ends as a person would end it.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from patience import PATIENCE
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from ppworkbench.core.design import Uniform
from ppworkbench.gui import app, files
from ppworkbench.gui.window.main_window import MainWindow

ATTRIBUTE, CHANGED = "district", Uniform(keep=0.4321)


def say(*words: object) -> None:
    """Print a line that arrives at once."""
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


def when(ready: Callable[[], bool], act: Callable[[], None]) -> None:
    """Act as soon as something is so."""
    limit = time.monotonic() + PATIENCE

    def look() -> None:
        if ready():
            timer.stop()
            act()
        elif time.monotonic() > limit:
            say("in vain")
            QApplication.exit(1)

    timer = QTimer(QApplication.instance())
    timer.timeout.connect(look)
    timer.start(20)


def change(window: MainWindow) -> None:
    """Open a sample and change it."""

    def opened() -> None:
        window.store.set_perturbation([ATTRIBUTE], CHANGED)
        say("changed")

    window.files.open_sample("city-survey")
    when(lambda: window.store.study.rows > 0, opened)


def restore(window: MainWindow) -> None:
    """Take the offer of the start screen."""
    banner = window.pages["start"].banner
    say("offered", banner.isVisible(), banner.label.text())

    def restored() -> None:
        kept = window.store.study.design[ATTRIBUTE].perturbation
        say("restored", kept == CHANGED, window.store.study.rows, window.store.is_modified)
        window.store.forget_changes()
        window.close()

    banner.button.click()
    when(lambda: window.store.study.rows > 0 and window.workbench.jobs.is_idle, restored)


def main(what: str) -> int:
    """Run the program as its command does, with a hand on its controls."""
    files.AUTOSAVE_EVERY = 200
    make_window = app.make_window

    def watched(*given: object) -> MainWindow:
        window = make_window(*given)
        act = change if what == "change" else restore
        when(window.isVisible, lambda: act(window))
        return window

    app.make_window = watched
    return app.run()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
