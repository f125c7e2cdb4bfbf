"""Copying and saving the script that gives the result of a page again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QWidget

from ppworkbench.gui.dialogs import FileMode, choose_file
from ppworkbench.gui.language import tongue, tr
from ppworkbench.gui.theme import set_rules
from ppworkbench.gui.widgets.controls import Button
from ppworkbench.gui.widgets.table import SCRIPT_BUTTON
from ppworkbench.gui.workbench import Workbench
from ppworkbench.outputs.scripts import SCRIPT_NAMES
from ppworkbench.study.bundle_target import file_stem

if TYPE_CHECKING:
    from ppworkbench.core.progress import Progress
    from ppworkbench.outputs.scripts.analysis import Analysis
    from ppworkbench.study.study import Study


class ScriptButton(Button):
    """Copies or saves the script of a result that a dialog or a card of a page has by itself.

    ``short`` is for narrow cards; the tooltip then has the whole words.
    """

    def __init__(
        self,
        workbench: Workbench,
        find: Callable[[], tuple[Analysis, Study] | None],
        *,
        short: bool = False,
    ) -> None:
        words = tr("Copy as script")
        super().__init__(workbench.themes, tr("Script") if short else words, look="link")
        if short:
            self.setToolTip(words)
            self.setAccessibleName(words)
        self.setObjectName(SCRIPT_BUTTON)
        self.setAutoDefault(False)
        menu = QMenu(tr("Copy as &script"), self)
        fill_script_menu(menu, workbench, self, find)
        self.setMenu(menu)
        # Qt puts the arrow below the line of the words.
        arrow = "subcontrol-origin: padding; subcontrol-position: center right;"
        set_rules(self, f"QPushButton::menu-indicator {{ {arrow} }}")


def fill_script_menu(
    menu: QMenu,
    workbench: Workbench,
    widget: QWidget,
    find: Callable[[], tuple[Analysis, Study] | None],
) -> None:
    """Offer the script of a result that is not the one of the whole page.

    ``find`` is asked when somebody chooses; folders are asked for in the window of ``widget``.
    """

    def copy(language: str) -> None:
        found = find()
        if found is not None:
            copy_script(workbench, found, language)

    def save(language: str) -> None:
        found = find()
        if found is not None:
            save_script(workbench, widget.window(), found, language)

    for words, name, take in (
        (tr("Copy as script: %s"), "script", copy),
        (tr("Save %s script with data…"), "scriptFolder", save),
    ):
        if menu.actions():
            menu.addSeparator()
        for language, called in SCRIPT_NAMES.items():
            action = menu.addAction(words % called)
            action.setObjectName(f"{name}-{language}")
            # Qt would hand over the action's checked state.
            action.triggered.connect(lambda _=False, one=language, do=take: do(one))


def copy_script(workbench: Workbench, found: tuple[Analysis, Study], language: str) -> None:
    from ppworkbench.outputs.scripts.folder import origin_of, write_script

    analysis, study = found
    origin = origin_of(analysis, study, tongue().say)
    text = write_script(language, analysis, study.design, origin)
    QGuiApplication.clipboard().setText(text)
    said = tr("The %s script is on the clipboard.") % SCRIPT_NAMES[language]
    workbench.show_toast(said)


def save_script(
    workbench: Workbench, parent: QWidget, found: tuple[Analysis, Study], language: str
) -> None:
    """Ask for a folder, and write the script with its table and its design into a new one there."""
    analysis, study = found
    start = str(workbench.settings.value("files/folder", "") or Path.home())

    def take(paths: object, _: str) -> None:
        assert isinstance(paths, list)  # noqa: S101 (the dialog gives a list)
        _write(workbench, paths[0], analysis, study, language)

    title = tr("Choose where the folder with script and data goes")
    choose_file(parent, title, start, "", take, FileMode.FOLDER)


def _write(
    workbench: Workbench, where: Path, analysis: Analysis, study: Study, language: str
) -> None:
    from ppworkbench.outputs.scripts.folder import script_stem, write_script_folder

    folder = _free_folder(where, f"{file_stem(study.title)}-{script_stem(analysis)}")
    say, answers = tongue().say, workbench.answers

    def work(progress: Progress) -> Path:
        return write_script_folder(
            folder, language, analysis, study, answers, say=say, progress=progress
        )

    def done(script: Path) -> None:
        said = tr("Saved as %s.") % f"{script.parent.name}/{script.name}"
        workbench.show_toast(said)

    job = workbench.run(tr("Writing %s") % folder.name, work, done, key=f"write {folder}")
    job.outlives_study = True


def _free_folder(where: Path, name: str) -> Path:
    folder, number = where / name, 2
    while folder.exists():
        folder, number = where / f"{name}-{number}", number + 1
    return folder
