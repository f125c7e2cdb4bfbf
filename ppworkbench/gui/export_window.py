"""What windows that write files for others have in common: a checklist, a job, and its end."""

from __future__ import annotations

import os.path
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QDialog, QLayout, QWidget

from ppworkbench.gui.export_checks import CheckList
from ppworkbench.gui.jobs import Job, JobState
from ppworkbench.gui.jobs.job import Work
from ppworkbench.gui.language.text import told, told_error
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.dialog_size import open_at
from ppworkbench.gui.widgets.icon_button import Button
from ppworkbench.gui.widgets.layouts import column, row, scrolled, text
from ppworkbench.gui.widgets.progress_bar import ProgressBar
from ppworkbench.gui.workbench import Workbench

_LEFT = 400


class ExportWindow(QDialog):
    """Settings at the left, what to look at before a release at the right, the job below."""

    changed = Signal()
    """A box was ticked, or a job began or ended."""

    def __init__(self, workbench: Workbench, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.workbench = workbench
        self._job: Job | None = None
        self.list = CheckList(workbench.themes)
        self.settings_area = QWidget()
        self._build_foot()

    def _build_foot(self) -> None:
        themes = self.workbench.themes
        self.bar = ProgressBar(140)
        self.state = text("", "hint", wrap=True)
        self.cancel = Button(themes, self.tr("Cancel"))
        self.cancel.setObjectName("exportCancel")
        self.cancel.clicked.connect(self.reject)
        self.export = Button(themes, self.tr("Export"), "export", look="primary")
        self.export.setObjectName("exportNow")
        self.export.setDefault(True)
        self.foot = QWidget()
        foot = row(self.bar, self.state, self.cancel, self.export, parent=self.foot, spacing=10)
        foot.setStretch(1, 1)
        self.bar.hide()

    def arrange(self, settings: QLayout, note: str, width: int = 800, height: int = 540) -> None:
        """Put the settings beside the checklist, which ends with a note."""
        theme = self.workbench.theme
        left, right = Card(padding=16), Card(self.tr("Before you release it"), padding=16)
        left.setFixedWidth(theme.px(_LEFT))
        if theme.scale > 1.0:
            # In enlarged type there may be more settings than the window is high.
            held = QWidget()
            held.setLayout(settings)
            left.add(scrolled(held), 1)
        else:
            left.body.addLayout(settings)
        right.add(scrolled(self.list), 1)
        said = Card(padding=12)
        said.setProperty("look", "note")
        said.add(text(note, "secondary", wrap=True))
        right.add(said)
        row(left, right, parent=self.settings_area, spacing=12).setStretch(1, 1)
        column(self.settings_area, self.foot, parent=self, margin=16, spacing=12).setStretch(0, 1)
        open_at(self, width, height)

    @property
    def is_running(self) -> bool:
        """Whether something is being written."""
        return self._job is not None

    def tick(self, name: str, label: str, on: bool) -> QCheckBox:
        """A box among the settings."""
        box = QCheckBox(label)
        box.setObjectName(name)
        box.setChecked(on)
        box.toggled.connect(self.changed)
        return box

    def run(self, name: str, work: Work, done: Callable[[Any], None]) -> None:
        """Write in a job, with the settings locked."""
        job = self.workbench.run(name, work, done)
        job.outlives_study = True
        job.progressed.connect(self._on_progressed)
        job.ended.connect(self._on_ended)
        self._job = job
        self.settings_area.setEnabled(False)
        self.bar.show_share(0.0)
        self.bar.show()
        self.state.setText(self.tr("Exporting…"))
        self.changed.emit()

    def end_with(self, said: str, notes: tuple[str, ...]) -> None:
        """Close when all is said; stay open to show notes."""
        self.workbench.toast_requested.emit(said, False)
        if not notes:
            self.accept()
            return
        self.state.setText(" ".join([said, *map(told, notes)]))
        self.cancel.setText(self.tr("Close"))

    def _on_progressed(self, done: float, message: str) -> None:  # noqa: ARG002
        self.bar.show_share(done)

    def _on_ended(self) -> None:
        job, self._job = self._job, None
        self.bar.hide()
        self.settings_area.setEnabled(True)
        if job is not None and job.state is JobState.CANCELLED:
            self.state.setText(self.tr("Stopped. Nothing was written."))
        elif job is not None and job.state is JobState.FAILED:
            self.state.setText(told_error(job.error))
        self.changed.emit()

    def reject(self) -> None:
        """Stop the export that runs; close the dialog if none does."""
        if self._job is not None:
            self._job.cancel()
            return
        super().reject()


def typed_path(typed: str) -> Path:
    """The path that was typed, where ~ is somebody's home if there is such a person."""
    # Path.expanduser() fails where there is none, which a file name may well look like.
    return Path(os.path.expanduser(typed))  # noqa: PTH111
