"""The real program off screen, started by tests that end it from outside.

Does what the words on the command line say, one after the other, then prints "ready" and waits:
``sample`` opens a sample, ``change`` changes its design, ``work`` starts a job that never ends,
``ask`` opens the question about unsaved changes, ``save PATH`` saves, ``quit`` closes the window.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QTimer

from ppworkbench.core.design import Uniform
from ppworkbench.core.progress import Progress
from ppworkbench.gui import app
from ppworkbench.gui.window.main_window import MainWindow


def _when(is_true: Callable[[], bool], then: Callable[[], None]) -> None:
    if is_true():
        then()
    else:
        QTimer.singleShot(20, lambda: _when(is_true, then))


def _work(progress: Progress) -> None:
    while True:
        progress(0.5)
        time.sleep(0.001)


def act(window: MainWindow, words: list[str]) -> None:
    """Do the next thing, and the others after it."""
    if not words or words == ["quit"]:
        sys.stdout.write("ready\n")
        sys.stdout.flush()
    if not words:
        return
    word, *others = words
    if word == "quit":
        # Nothing comes after it: the program may take a while to end, and is ready only once.
        window.store.forget_changes()
        window.close()
        return
    if word == "sample":
        window.files.open_sample("city-survey")
        _when(lambda: window.store.study.rows > 0, lambda: act(window, others))
        return
    if word == "change":
        window.store.set_perturbation(["district"], Uniform(keep=0.4))
    elif word == "work":
        window.workbench.run("Working on", _work, lambda _: None)
    elif word == "ask":
        window.files.close_study()
    elif word == "save":
        window.files._save_to(Path(others.pop(0)), None, None)
        _when(lambda: not window.store.is_modified, lambda: act(window, others))
        return
    QTimer.singleShot(200, lambda: act(window, others))


def main(words: list[str]) -> int:
    """Run the program as its command does, with a hand on its controls."""
    make_window = app.make_window

    def watched(*given: object) -> MainWindow:
        window = make_window(*given)
        _when(window.isVisible, lambda: act(window, words))
        return window

    app.make_window = watched
    return app.run()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
