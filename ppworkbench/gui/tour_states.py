"""The stops of the tour at which the window is busy or has something to say."""

from __future__ import annotations

import threading

from PySide6.QtWidgets import QApplication

from ppworkbench.core.atomic import temporary_folder
from ppworkbench.core.progress import Progress
from ppworkbench.gui.main_window import MainWindow

_gate = threading.Event()


def run_job(window: MainWindow) -> None:
    """A job in the middle of its work, until it is ended."""
    _gate.clear()

    def work(progress: Progress) -> None:
        while not _gate.wait(0.02):
            progress(0.62, "62 of 100")

    window.workbench.run(window.tr("Privacy sweep"), work, lambda _: None)


def end_job(window: MainWindow) -> None:
    """Let the job go."""
    _gate.set()
    for job in window.workbench.jobs.running:
        job.cancel()


def fail(window: MainWindow) -> None:
    """Open a file with a record that is too long."""
    lines = ["age,sex,town", *["30,F,Riverside"] * 416, "31,M,Hillcrest,extra"]
    with temporary_folder() as folder:
        path = folder / "survey.csv"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        # Nobody is there to be asked about unsaved changes.
        window.store.forget_changes()
        window.files.open_paths([str(path)])
        while not window.workbench.jobs.is_idle:
            QApplication.processEvents()


def close_banner(window: MainWindow) -> None:
    """Take the message away."""
    window.banner.hide()
