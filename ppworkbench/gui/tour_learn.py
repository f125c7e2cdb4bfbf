"""What the tour shows of Learn: the list, and a demonstration in the middle of its way."""

from __future__ import annotations

import time

from PySide6.QtWidgets import QApplication

from ppworkbench.gui.language.speech import speech
from ppworkbench.gui.learn.opening import open_demonstration
from ppworkbench.gui.main_window import MainWindow
from ppworkbench.study.demonstrations.heads import shipped_files

_AT_MOST = 60.0


def show_list(window: MainWindow) -> None:
    """The demonstrations to choose from."""
    window.show_page("learn")


def show_step(window: MainWindow) -> None:
    """The early stop of EM/AS, with badges on the live page."""
    shipped = shipped_files(speech.language)
    path = next(path for path in shipped if path.stem == "3-early-stop")
    open_demonstration(window.workbench, path)
    limit = time.monotonic() + _AT_MOST
    while window.stage is None and time.monotonic() < limit:
        QApplication.processEvents()
    stage = window.stage
    assert stage is not None  # noqa: S101 (a shipped file is without mistakes)
    stage.go(2)
    while time.monotonic() < limit and not (
        stage.arrangement.is_over and stage.workbench.jobs.is_idle and not stage.numbers.is_busy
    ):
        QApplication.processEvents()
    stage.badges.follow()
