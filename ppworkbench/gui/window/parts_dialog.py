"""Opening a folder of parts that is too large to load: a sample to look at, an engine for the rest.

What is found in the folder is looked up in the background whenever the address changes, and said
before anything is read.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QDialog, QLabel, QLineEdit, QRadioButton, QWidget

from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.progress import Progress
from ppworkbench.gui.application import single_shot
from ppworkbench.gui.dialogs import FileMode, choose_file, resize_dialog
from ppworkbench.gui.language import told_error, tr, translate
from ppworkbench.gui.page_task import PageTask
from ppworkbench.gui.widgets.controls import Button, ProgressBar
from ppworkbench.gui.widgets.layout import column, line, named, row, set_type, text
from ppworkbench.gui.widgets.number_fields import CountBox
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.parts.study_parts import SAMPLE_ROWS
from ppworkbench.study.study import Study

if TYPE_CHECKING:
    from ppworkbench.fieldwork.parts_opening import PartsFolder

_REST = 300
"""Milliseconds after the last letter until the folder is looked at."""
_MOST_SAMPLE = 10_000_000
_MOST_PROCESSES = 64
_MANY_ROWS = 2_000_000
"""Rows above which starting a process for each core pays."""


class PartsDialog(QDialog):
    """The folder and what is in it, the size of the sample, and who estimates."""

    opened = Signal(object)
    """The study of the sample."""

    def __init__(
        self,
        workbench: Workbench,
        address: str = "",
        design: Path | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self._design = design
        self._folder: PartsFolder | None = None
        self._has_chosen_processes = False
        self.setWindowTitle(self.tr("Open folder of parts"))
        self.setObjectName("partsDialog")
        self._looking: PageTask[PartsFolder | WorkbenchError] = PageTask(
            workbench, "look at parts", self, quiet=True
        )
        self._looking.finished.connect(self._on_looked)
        self._opening: PageTask[Study | WorkbenchError] = PageTask(workbench, "open parts", self)
        self._opening.finished.connect(self._on_opened)
        self._opening.stopped.connect(self._on_stopped)
        self._opening.failed.connect(self._on_failed)
        self._opening.progressed.connect(lambda: self.bar.show_share(self._opening.done))
        self._opening.changed.connect(self._follow)
        self._rest = single_shot(self, self._look, _REST)
        self._build(address)
        self._on_engine()
        if address:
            self._look()
        else:
            self._follow()

    def _build(self, address: str) -> None:
        themes = self._workbench.themes
        self.address = named(QLineEdit(address), "partsAddress", self.tr("Folder or address"))
        self.address.setPlaceholderText(
            self.tr("folder, or an address such as s3://bucket/answers")
        )
        self.address.textChanged.connect(self._on_address)
        self.choose = named(Button(themes, self.tr("Choose…"), "open"), "partsChoose")
        self.choose.clicked.connect(self._on_choose)
        self.found = named(text("", "secondary", wrap=True), "partsFound")
        self.choose_design = named(
            Button(themes, self.tr("They are reported answers; choose their design…"), look="link"),
            "partsDesign",
        )
        self.choose_design.clicked.connect(self._on_choose_design)
        self.rows = CountBox("partsSample", self.tr("Rows of the sample"), 1, _MOST_SAMPLE)
        self.rows.setGroupSeparatorShown(True)
        self.rows.setValue(SAMPLE_ROWS)
        self.local = named(QRadioButton(self.tr("This computer, processes:")), "partsLocal")
        self.cluster = named(QRadioButton(self.tr("Dask cluster at:")), "partsCluster")
        self.processes = CountBox("partsProcesses", self.tr("Processes"), 1, _MOST_PROCESSES)
        self.processes.valueChanged.connect(self._on_processes)
        self.host = named(QLineEdit(), "partsHost", self.tr("Address of the Dask scheduler"))
        self.host.setPlaceholderText("host:8786")
        self.host.textChanged.connect(self._follow)
        self._engines = QButtonGroup(self)
        for button in (self.local, self.cluster):
            self._engines.addButton(button)
        self.local.setChecked(True)
        self.local.toggled.connect(self._on_engine)
        self.bar = ProgressBar(140)
        self.bar.hide()
        self.state = named(text("", "hint", wrap=True), "partsState")
        self.cancel = named(Button(themes, tr("Cancel")), "partsCancel")
        self.cancel.clicked.connect(self.reject)
        self.open_button = named(Button(themes, self.tr("Open"), look="primary"), "partsOpen")
        self.open_button.setDefault(True)
        self.open_button.clicked.connect(self._on_open)
        self._arrange()

    def _arrange(self) -> None:
        place = row(self.address, self.choose, stretch=0)
        host = row(self.cluster, self.host, stretch=1)
        self._settings = QWidget()
        column(
            text(self.tr("Folder of Parquet parts"), "strong"), place, self.found,
            row(self.choose_design, None), line(),
            row(text(self.tr("Rows of the sample"), "strong"), None, self.rows),
            text(
                self.tr(
                    "Drawn at random over all parts, the same rows every time. Tables, privacy and "
                    "design use the sample."
                ),
                "captionHint", wrap=True,
            ),
            line(), text(self.tr("Who estimates from all rows"), "strong"),
            row(self.local, self.processes, None), host, None,
            parent=self._settings, spacing=8,
        )  # fmt: skip
        foot = row(self.bar, self.state, self.cancel, self.open_button, spacing=10, stretch=1)
        column(self._settings, foot, parent=self, margin=16, spacing=12).setStretch(0, 1)
        resize_dialog(self, 560, 420)

    # The folder

    def _on_address(self) -> None:
        self._folder = None
        self._looking.drop()
        self._rest.start()
        self._follow()

    def _on_choose(self) -> None:
        start = str(self._workbench.settings.value("files/folder", ""))
        choose_file(
            self, self.tr("Folder of Parquet parts"), start, "",
            lambda paths, _: self.address.setText(str(paths[0])), FileMode.FOLDER,
        )  # fmt: skip

    def _on_choose_design(self) -> None:
        start = str(self._workbench.settings.value("files/folder", ""))
        kinds = self.tr("Designs (*.json)")
        choose_file(self, self.tr("Design of the answers"), start, kinds, self._on_design)

    def _on_design(self, paths: Sequence[Path], _: str) -> None:
        self._design = paths[0]
        self._look()

    def _look(self) -> None:
        """Find out in the background what lies there."""
        self._rest.stop()
        address, design = self.address.text().strip(), self._design
        self._folder = None
        if not address:
            self._follow()
            return

        def work(progress: Progress) -> PartsFolder | WorkbenchError:
            from ppworkbench.fieldwork.parts_opening import look_at_folder

            progress(0.0)
            try:
                return look_at_folder(os.path.expanduser(address), design)  # noqa: PTH111
            except WorkbenchError as error:
                # A sentence beside the field, not a banner for every letter.
                return error

        self._looking.start(self.tr("Looking at %s") % address, work)
        self._follow()

    def _on_looked(self, found: PartsFolder | WorkbenchError) -> None:
        if isinstance(found, WorkbenchError):
            self._say(self.found, told_error(found, Study()), "error")
            self._follow()
            return
        self._folder = found
        self._say(self.found, translate(found.sentence), "secondary")
        if not self._has_chosen_processes:
            cores = os.cpu_count() or 1
            self.processes.setValue(cores if found.parts.rows > _MANY_ROWS else 1)
            self._has_chosen_processes = False
        self._follow()

    # The engine

    def _on_processes(self) -> None:
        self._has_chosen_processes = True

    def _on_engine(self) -> None:
        self.processes.setEnabled(self.local.isChecked())
        self.host.setEnabled(self.cluster.isChecked())
        self._follow()

    @property
    def engine(self) -> str:
        """Who estimates, as the command line writes it."""
        if self.cluster.isChecked():
            host = self.host.text().strip()
            return host if "://" in host else f"dask://{host}"
        processes = self.processes.value()
        return "local" if processes == 1 else f"local:{processes}"

    # Opening

    def _follow(self) -> None:
        is_busy = self._opening.is_running
        has_engine = self.local.isChecked() or bool(self.host.text().strip())
        self._settings.setEnabled(not is_busy)
        self.open_button.setEnabled(self._folder is not None and has_engine and not is_busy)
        folder = self._folder
        self.choose_design.setVisible(folder is not None and folder.design is None)
        self.bar.setVisible(is_busy)
        if self._looking.is_running or self._rest.isActive():
            self._say(self.found, self.tr("Looking at the parts…"), "secondary")
        elif not self.address.text().strip():
            self._say(self.found, "", "secondary")

    def _on_open(self) -> None:
        from ppworkbench.core.engines import engine_of

        folder, rows, engine = self._folder, self.rows.value(), self.engine
        if folder is None:
            return
        try:
            engine_of(engine)
        except WorkbenchError as error:
            self._say(self.state, told_error(error, Study()), "error")
            return

        def work(progress: Progress) -> Study | WorkbenchError:
            from ppworkbench.fieldwork.parts_opening import open_folder

            try:
                return open_folder(folder, rows, engine, progress)
            except WorkbenchError as error:
                return error

        self._say(self.state, self.tr("Drawing the sample…"), "hint")
        self.bar.show_share(0.0)
        self._opening.start(self.tr("Opening %s") % folder.title, work)

    def _on_opened(self, found: Study | WorkbenchError) -> None:
        if isinstance(found, WorkbenchError):
            self._say(self.state, told_error(found, Study()), "error")
            return
        self.opened.emit(found)
        self.accept()

    def _on_stopped(self) -> None:
        self._say(self.state, self.tr("Stopped. Nothing was opened."), "hint")

    def _on_failed(self) -> None:
        # The window has told what went wrong.
        self._say(self.state, "", "hint")

    def _say(self, label: QLabel, words: str, look: str) -> None:
        label.setText(words)
        set_type(label, look)

    def reject(self) -> None:
        """Stop the work that runs; close the dialog if none does."""
        if self._opening.is_running:
            self._opening.cancel()
            return
        self._rest.stop()
        self._looking.drop()
        super().reject()
