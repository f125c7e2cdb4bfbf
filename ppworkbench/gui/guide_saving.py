"""Saving the user guide, which is the help as one file."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from ppworkbench.core.progress import Progress
from ppworkbench.gui.dialogs import save_file
from ppworkbench.gui.language.text import tongue, tr
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.help.guide import write_guide


def save_guide(workbench: Workbench, parent: QWidget) -> None:
    """Ask for a file and write the guide to it."""
    folder = Path(str(workbench.settings.value("files/folder", "") or Path.home()))
    start = folder / f"{QCoreApplication.applicationName() or 'ppworkbench'}-guide.html"
    title, kinds = tr("Save the user guide"), tr("Web pages (*.html)")
    save_file(parent, title, str(start), kinds, lambda path: _save(workbench, path))


def _save(workbench: Workbench, path: Path) -> None:
    language = tongue()

    def work(progress: Progress) -> Path:
        progress(0.0)
        write_guide(path, language)
        return path

    def done(written: Path) -> None:
        workbench.toast_requested.emit(tr("The user guide is in %s.") % written.name, False)

    workbench.run(tr("Saving the user guide"), work, done)
