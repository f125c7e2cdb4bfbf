"""What menus, pages and dropped files do with responses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QDialog, QWidget

from ppworkbench.core.errors import DataError
from ppworkbench.gui.dialogs import show_dialog
from ppworkbench.gui.numbers import number
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.parts.study_parts import why_not_added

if TYPE_CHECKING:
    from ppworkbench.gui.responses.add_dialog import AddDialog
    from ppworkbench.gui.responses.paper_dialog import PaperDialog
    from ppworkbench.study.responses import Responses


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

    def type_answers(self) -> PaperDialog | None:
        """Let somebody type in answers on paper."""
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
        why = why_not_added(self._workbench.store.study.parts)
        if why is not None:
            self._workbench.error_raised.emit(DataError(why))
        return why is not None

    def _add(
        self, responses: Responses, salt: bytes, paths: tuple[Path, ...], *, apart: bool
    ) -> None:
        from ppworkbench.study.responses import add_to_study

        store, rows = self._workbench.store, responses.table.rows
        study = store.study
        if apart:
            bare = study.with_(original=None, distorted=None, results={})
            self.study_made.emit(add_to_study(bare, responses, salt), paths)
            return

        def add() -> None:
            what = self.tr("Add 1 response") if rows == 1 else self.tr("Add %s responses")
            store.apply(
                add_to_study(study, responses, salt), what if rows == 1 else what % number(rows)
            )

        if self._workbench.attempt(add):
            said = self.tr("Added 1 response.") if rows == 1 else self.tr("Added %s responses.")
            self._workbench.toast_requested.emit(said if rows == 1 else said % number(rows), True)
