"""Takes answers out of the page: to the clipboard and to files."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from ppworkbench.core.progress import Progress
from ppworkbench.core.survey.participants import Participants
from ppworkbench.gui.clipboard import copy_rows
from ppworkbench.gui.dialogs import save_file
from ppworkbench.gui.files import write_filters
from ppworkbench.gui.jobs import Job
from ppworkbench.gui.language.text import told
from ppworkbench.gui.pages.survey.replies import Reply
from ppworkbench.gui.pages.survey.result_rows import result_rows, write_result
from ppworkbench.gui.workbench import Workbench


class Exporter(QObject):
    """Copying happens at once; files are written by a job, whole or not at all."""

    def __init__(self, workbench: Workbench, parent: QWidget) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self._window = parent

    def copy(self, reply: Reply) -> None:
        """Put an answer on the clipboard, as a sentence and as a table."""
        copy_rows(result_rows(reply), told(reply.result.sentence))
        self._workbench.toast_requested.emit(self.tr("The answer is on the clipboard."), False)

    def ask(self, reply: Reply) -> None:
        """Ask for a file and write an answer to it."""
        listed = isinstance(reply.result, Participants)
        kinds = write_filters() if listed else self.tr("CSV (*.csv)")
        suggestion = f"{self._workbench.store.study.title}-{reply.question.statistic}.csv"
        title = self.tr("Export table")
        save_file(self._window, title, suggestion, kinds, lambda path: self.write(reply, path))

    def write(self, reply: Reply, path: Path) -> Job:
        """Write an answer to a file in the background."""

        def work(progress: Progress) -> None:
            write_result(reply, path, progress)

        def done(_: object) -> None:
            self._workbench.toast_requested.emit(self.tr("Saved as %s.") % path.name, False)

        title = self.tr("Writing %s") % path.name
        job = self._workbench.run(title, work, done, key=f"write {path}")
        job.outlives_study = True
        return job
