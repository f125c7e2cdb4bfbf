"""The list of jobs that opens from the status bar."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from ppworkbench.core.errors import WorkbenchError
from ppworkbench.gui.jobs import Job, JobState
from ppworkbench.gui.language.text import told, told_error
from ppworkbench.gui.widgets.icon_button import IconButton, IconLabel
from ppworkbench.gui.widgets.layouts import line, row, text
from ppworkbench.gui.widgets.progress_bar import ProgressBar
from ppworkbench.gui.words import duration
from ppworkbench.gui.workbench import Workbench

_ICONS = {
    JobState.QUEUED: ("clock", "text3"),
    JobState.RUNNING: ("refresh", "accentInk"),
    JobState.DONE: ("check", "good"),
    JobState.FAILED: ("error", "bad"),
    JobState.CANCELLED: ("close", "text3"),
}
_SHOWN = 12


class JobList(QFrame):
    """A popup over the status bar: running jobs with cancel, and what became of the others."""

    def __init__(self, workbench: Workbench, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self._workbench = workbench
        self.setProperty("look", "card")
        self.setObjectName("jobList")
        self.setAccessibleName(self.tr("List of jobs"))
        self._rows = QVBoxLayout(self)
        self._rows.setContentsMargins(14, 12, 14, 12)
        self.setMinimumWidth(420)
        workbench.jobs.jobs_changed.connect(self._follow)

    def open_above(self, widget: QWidget) -> None:
        """Show the list with its lower right corner over a widget."""
        self._fill()
        self.adjustSize()
        corner = widget.mapToGlobal(QPoint(widget.width(), 0))
        self.move(corner - QPoint(self.width(), self.height() + 6))
        self.show()

    def _follow(self) -> None:
        if self.isVisible():
            self._fill()

    def _fill(self) -> None:
        while self._rows.count():
            item = self._rows.takeAt(0)
            widget = item.widget() if item is not None else None
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        self._rows.addWidget(text(self.tr("Jobs"), "strong"))
        jobs = self._workbench.jobs.jobs[::-1][:_SHOWN]
        if not jobs:
            self._rows.addWidget(text(self.tr("Nothing has run yet."), "hint"))
        for position, job in enumerate(jobs):
            if position:
                self._rows.addWidget(line())
            self._rows.addWidget(self._job_row(job))

    def _job_row(self, job: Job) -> QWidget:
        holder = QWidget()
        icon, colour = _ICONS[job.state]
        parts: list[QWidget | int | None] = [
            IconLabel(self._workbench.themes, icon, colour, 16),
            text(job.name, "label"),
            None,
        ]
        if job.state.is_over:
            parts.append(text(self._outcome(job), "hint"))
        else:
            bar = ProgressBar(90)
            bar.show_share(job.done)
            cancel = IconButton(self._workbench.themes, "close", self.tr("Cancel"), 12)
            cancel.clicked.connect(job.cancel)
            parts += [bar, text(told(job.message), "hint"), cancel]
        row(*parts, parent=holder)
        return holder

    def _outcome(self, job: Job) -> str:
        if job.state is JobState.DONE:
            return self.tr("done in %s") % duration(job.seconds)
        if job.state is JobState.CANCELLED:
            return self.tr("stopped")
        known = isinstance(job.error, WorkbenchError)
        reason = told_error(job.error) if known else self.tr("an error in the program")
        return self.tr("failed: %s") % (reason if len(reason) <= 60 else reason[:57] + "…")
