"""The monkey at a window that is broken on purpose after some steps: does it notice?"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable

import monkey_hands
from PySide6.QtCore import QTimer, Slot

from ppworkbench.gui.window.main_window import MainWindow

STEPS = 3


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

    class Breaker(monkey_hands.Monkey):
        """Break the window after the first steps, however long these take."""

        is_broken = False

        @Slot()
        def tick(self) -> None:
            super().tick()
            if self.number >= STEPS and not self.is_broken:
                self.is_broken = True
                QTimer.singleShot(0, ways(self.window)[how])

    monkey_hands.Monkey = Breaker
    return monkey_hands.main(json.loads(walk))


def ways(window: MainWindow) -> dict[str, Callable[[], object]]:
    """How it can be broken."""
    return {
        "slot": raise_error,
        "job": lambda: fail_in_job(window),
        "banner": lambda: window.show_error(ValueError("a fault that only the banner tells")),
        "crash": lambda: os.kill(os.getpid(), signal.SIGSEGV),
        "hang": lambda: time.sleep(3600),
    }


if __name__ == "__main__":
    sys.exit(main(os.environ["BROKEN"], sys.argv[1]))
