"""What menus, pages and dropped files do with responses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QDialog, QWidget

from ppworkbench.core.errors import DataError
from ppworkbench.gui.dialogs import ButtonRole, Choice, ask, choose_file, show_dialog
from ppworkbench.gui.language import translate
from ppworkbench.gui.numbers import counted
from ppworkbench.gui.workbench import Workbench

if TYPE_CHECKING:
    from ppworkbench.fieldwork.responses.add import Responses
    from ppworkbench.gui.responses.add_dialog import AddDialog
    from ppworkbench.gui.responses.paper_dialog import PaperDialog


class ResponseActions(QObject):
    """Adds responses to the study that is open, as one step that can be undone."""

    study_made = Signal(object, tuple)
    """Answers that cannot be mixed with those of the open study make another one, of files."""

    def __init__(self, workbench: Workbench, window: QWidget | None = None) -> None:
        super().__init__(window)
        self._workbench = workbench
        self._window = window

    def add_dialog(self) -> AddDialog | None:
        """Ask for files or a folder and add them: for menus and pages."""
        return None if self._is_refused() else self.add_paths(())

    def add_paths(
        self, paths: Sequence[Path], open_instead: Callable[[], object] | None = None
    ) -> AddDialog:
        """Show what some files would bring; ``open_instead`` opens them as another study."""
        # The formats come with libraries that the window need not wait for.
        from ppworkbench.gui.responses.add_dialog import AddDialog

        dialog = AddDialog(
            self._workbench, paths, can_open=open_instead is not None, parent=self._window
        )
        if open_instead is not None:
            dialog.open_requested.connect(lambda *_: open_instead())

        def on_finished(result: int) -> None:
            if result == QDialog.DialogCode.Accepted and dialog.responses is not None:
                self._add(dialog.responses, dialog.salt, dialog.paths, apart=dialog.is_apart)

        show_dialog(dialog, self._workbench.themes, on_finished)
        return dialog

    def ask_about_export(
        self,
        paths: tuple[Path, ...],
        platform: str,
        open_and_add: Callable[[Path, tuple[Path, ...]], object],
        open_data: Callable[[], object],
        *,
        can_add: bool,
    ) -> None:
        """Lead the export of a platform to the study that asked for its answers.

        A design that was chosen with it is that study; ``can_add`` offers the one that is open.
        """
        from ppworkbench.fieldwork.responses.platforms import platform_label

        designs = [path for path in paths if path.suffix.lower() == ".json"]
        exports = tuple(path for path in paths if path not in designs)

        def choose_study() -> None:
            choose_file(
                self._window, self.tr("Choose the study of these answers"),
                str(exports[0].parent), self.tr("Studies, questionnaires and designs (%s)")
                % "*.ppw *.json", lambda chosen, _: open_and_add(chosen[0], exports),
            )  # fmt: skip

        def on_answer(answer: str) -> None:
            if answer == "open":
                self.add_paths(exports)
            elif answer == "design":
                open_and_add(designs[0], exports)
            elif answer == "study":
                choose_study()
            elif answer == "data":
                open_data()

        ways = [Choice("study", self.tr("Choose its study…"), ButtonRole.AcceptRole)]
        if designs:
            ways = [Choice("design", self.tr("Add to this design"), ButtonRole.AcceptRole)]
        elif can_add:
            add = Choice("open", self.tr("Add to the open study"), ButtonRole.AcceptRole)
            ways = [add, ways[0]._replace(role=ButtonRole.ActionRole)]
        words = self.tr(
            "%s looks like an export of %s: answers that people gave. They belong to the study, "
            "questionnaire or design that asked the questions; opened as plain data, every row "
            "counts as true answers."
        )
        ask(
            self._window, self._workbench.themes, self.tr("Answers of a platform"),
            words % (exports[0].name, translate(platform_label(platform))),
            (*ways, Choice("data", self.tr("Open as plain data"))), on_answer,
        )  # fmt: skip

    def type_answers(self) -> PaperDialog | None:
        if self._is_refused():
            return None
        from ppworkbench.gui.responses.paper_dialog import PaperDialog

        dialog = PaperDialog(self._workbench, self._window)

        def on_finished(result: int) -> None:
            if result == QDialog.DialogCode.Accepted and dialog.responses is not None:
                self._add(dialog.responses, b"", (), apart=dialog.is_apart)

        show_dialog(dialog, self._workbench.themes, on_finished)
        return dialog

    def _is_refused(self) -> bool:
        """Say why the study takes no answers; whether there is a reason."""
        why = self._workbench.store.study.all_rows.why_not_added
        if why is not None:
            self._workbench.error_raised.emit(DataError(why))
        return why is not None

    def _add(
        self, responses: Responses, salt: bytes, paths: tuple[Path, ...], *, apart: bool
    ) -> None:
        from ppworkbench.fieldwork.responses.add import add_to_study

        store, rows = self._workbench.store, responses.table.rows
        study = store.study
        if apart:
            bare = study.with_(original=None, distorted=None, results={})
            self.study_made.emit(add_to_study(bare, responses, salt), paths)
            return

        def add() -> None:
            what = counted(rows, self.tr("Add 1 response"), self.tr("Add %s responses"))
            store.apply(add_to_study(study, responses, salt), what)

        if self._workbench.attempt(add):
            said = counted(rows, self.tr("Added 1 response."), self.tr("Added %s responses."))
            self._workbench.show_toast(said, can_undo=True)
