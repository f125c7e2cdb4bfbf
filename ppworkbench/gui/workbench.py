"""What every page is given: the study, the jobs, the theme, and ways to speak to the window."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QSettings, QUrl, Signal
from PySide6.QtGui import QDesktopServices

from ppworkbench.core.errors import DataError, WorkbenchError
from ppworkbench.core.progress import Progress
from ppworkbench.gui.jobs import Job, JobRunner, Work
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.store import Store
from ppworkbench.gui.theme import Theme, ThemeManager
from ppworkbench.study.distorted_cache import DistortedCache


class Workbench(QObject):
    """The shared parts of one window. A page alone in a test gets one of its own."""

    page_requested = Signal(str)
    """Show the page of that name, or a page within it: ``design/arms``."""
    error_raised = Signal(object)
    """An exception for the banner; a WorkbenchError is shown as its sentence."""
    toast_requested = Signal(str, bool)
    """A quiet message, and whether "Undo" belongs beside it."""
    help_requested = Signal(str)
    """Open a help topic, such as ``information-loss``."""
    action_requested = Signal(str)
    """Do what the table of actions has under that name, such as ``addResponses``."""
    demonstration_requested = Signal(object)
    """Start a demonstration over the pages; the study of this workbench is set aside."""

    def __init__(
        self,
        settings: QSettings,
        themes: ThemeManager | None = None,
        folder: Path | None = None,
    ) -> None:
        super().__init__()
        self.settings = settings
        self.folder = folder
        """Where this window remembers things between starts; None for the user's own folder."""
        self.themes = themes or ThemeManager("light")
        self.store = Store(self, translate)
        self.store.design_refused.connect(self.show_toast)
        self.answers = DistortedCache()
        """The distorted answers of the study, the same for all pages; ask for them in a job."""
        self.jobs = JobRunner(self)
        self.jobs.job_failed.connect(self._on_job_failed)

    @property
    def theme(self) -> Theme:
        return self.themes.theme

    @property
    def last_folder(self) -> Path:
        """The folder of the file that was read or written last; at first that of the user."""
        return Path(str(self.settings.value("files/folder", "") or Path.home()))

    def remember_folder(self, file: Path) -> None:
        """Begin with the folder of a file where the next one is asked for."""
        self.settings.setValue("files/folder", str(file.parent))

    def run(
        self,
        name: str,
        work: Work,
        done: Callable[[Any], None],
        *,
        key: str | None = None,
        quiet: bool = False,
    ) -> Job:
        """Start a job and hand its result to ``done`` in the window's thread."""
        job = self.jobs.start(name, work, key=key, quiet=quiet)
        job.finished.connect(done)
        return job

    def save(
        self, path: Path, write: Callable[[], object], said: str = "", title: str = ""
    ) -> None:
        """Write a file in a job, and say that it is there; the next one is asked for beside it."""

        def work(progress: Progress) -> None:
            progress(0.0)
            write()

        def done(_: object) -> None:
            self.remember_folder(path)
            self.show_toast(said or tr("Saved %s.") % path.name)

        self.run(title or tr("Saving %s") % path.name, work, done, key=f"save {path}")

    def show_toast(self, words: str, *, can_undo: bool = False) -> None:
        """Say something quietly, perhaps with "Undo" beside it."""
        self.toast_requested.emit(words, can_undo)

    def attempt(self, action: Callable[[], Any]) -> bool:
        """Do something at once; an error becomes a banner. Whether it went well."""
        try:
            action()
        except WorkbenchError as error:
            self.error_raised.emit(error)
            return False
        return True

    def show_question(self, name: str) -> None:
        """Show Design with a question in front; the one of now where none is named."""
        if name:
            self.store.select([name])
        self.page_requested.emit("design")

    def open_outside(self, address: QUrl) -> None:
        """Open a web page or file in the system's program for it; say where none starts."""
        if not QDesktopServices.openUrl(address):
            words = tr("No program could be started for %s. Copy the address into a browser.")
            self.error_raised.emit(DataError(words % address.toString()))

    def _on_job_failed(self, job: Job) -> None:
        # What nobody foresaw is always told by the window, which has the details.
        if not (job.tells_refusal and isinstance(job.error, WorkbenchError)):
            self.error_raised.emit(job.error)
