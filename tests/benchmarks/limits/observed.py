"""A window under observation: what is done to it, and how long it was deaf meanwhile."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEventLoop, QObject, QSettings, QTimer
from PySide6.QtWidgets import QApplication, QDialog
from slow_events import NamedEvents, Stretch, TimedApplication

_QUIET = 0.25
"""Seconds without work after which a step is over."""
_AT_MOST = 120.0


class Observed:
    """Does one thing after the other and waits until nothing moves any more."""

    def __init__(self, folder: Path, *, stacks: bool = False, events: bool = False) -> None:
        self.app = (NamedEvents if events else TimedApplication)(["ppworkbench"])
        from ppworkbench.gui.app import make_window
        from ppworkbench.gui.application import GuiCollector

        GuiCollector(self.app)
        settings = QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat)
        self.window = make_window(settings, "light", folder)
        self.window.resize(1366, 768)
        self.window.show()
        for _ in range(20):
            # The window system shows it when it gets to it.
            self.app.processEvents()
            time.sleep(0.01)
        self.steps: dict[str, Stretch] = {}
        self.only = ""
        """How the names begin of what is to be seen, where there is a choice."""
        self.app.watch(self.window, stacks=stacks)

    @property
    def is_idle(self) -> bool:
        """Whether nothing is under way: no job, no step of a demonstration."""
        window, stage = self.window, self.window.stage
        if stage is not None and not (
            stage.arrangement.is_over
            and stage.workbench.jobs.is_idle
            and not stage.calculator.is_busy
        ):
            return False
        return window.workbench.jobs.is_idle

    def settle(self, action: Callable[[], object] | None = None, *, busy: bool = False) -> None:
        """Let the window work in a loop of its own, as it does when it is used."""
        loop = QEventLoop()
        quiet, limit = time.monotonic(), time.monotonic() + _AT_MOST
        waiting = action is not None

        def act() -> None:
            nonlocal waiting, quiet
            try:
                if action is not None:
                    action()
            finally:
                waiting, quiet = False, time.monotonic()

        def look() -> None:
            nonlocal quiet
            dialog = QApplication.activeModalWidget()
            if dialog is None and (waiting or not (busy or self.is_idle)):
                quiet = time.monotonic()
            if time.monotonic() > limit:
                sys.stderr.write(f"not over in time: {self.app.during}\n")
                loop.quit()
            if time.monotonic() - quiet > _QUIET:
                if isinstance(dialog, QDialog):
                    # Who opened it waits for it.
                    quiet = time.monotonic()
                    dialog.reject()
                else:
                    loop.quit()

        owner = QObject()
        QTimer.singleShot(0, owner, act)
        clock = QTimer(owner)
        clock.timeout.connect(look)
        clock.start(10)
        loop.exec()
        clock.stop()

    def one_by_one(self, action: Callable[..., object]) -> Callable[..., None]:
        """A way to do something that lets the window get over it before anything else is done."""

        def act(*words: object, **named: object) -> None:
            action(*words, **named)
            self.settle()

        return act

    def step(self, name: str, action: Callable[[], object], *, busy: bool = False) -> None:
        """Do something and note the longest stretch of work."""
        self.app.tick()
        self.app.during = name
        self.settle(action, busy=busy)
        self.app.tick()
        self.steps[name] = self.app.largest[name]
        self.app.during = f"after {name}"

    def end(self) -> None:
        """Close the window without a question."""
        self.window.end_demonstration()
        self.settle()
        self.app.end_watch()
        self.window.store.forget_changes()
        self.window.close()
