"""The monkey at a window that is broken on purpose after a second, to see whether it notices."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable

import monkey_hands
from PySide6.QtCore import QTimer

from ppworkbench.gui import app
from ppworkbench.gui.window.main_window import MainWindow


def raise_error() -> None:
    """Fail in a slot."""
    raise ValueError("a fault in a slot")


def fail_in_job(window: MainWindow) -> None:
    """Fail in another thread."""

    def work(_: object) -> None:
        raise ValueError("a fault in a job")

    window.workbench.run("Failing", work, lambda _: None)


def main(how: str, walk: str) -> int:
    """Break the window of the walk."""
    make_window = app.make_window

    def broken(*given: object) -> MainWindow:
        window = make_window(*given)
        ways: dict[str, Callable[[], object]] = {
            "slot": raise_error,
            "job": lambda: fail_in_job(window),
            "banner": lambda: window.show_error(ValueError("a fault that only the banner tells")),
            "crash": lambda: os.kill(os.getpid(), signal.SIGSEGV),
            "hang": lambda: time.sleep(3600),
        }
        QTimer.singleShot(1000, ways[how])
        return window

    app.make_window = broken
    return monkey_hands.main(json.loads(walk))


if __name__ == "__main__":
    sys.exit(main(os.environ["BROKEN"], sys.argv[1]))
