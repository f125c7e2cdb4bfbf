"""P-matrices from files and the clipboard, and to it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication

from ppworkbench.core.special_files import check_file
from ppworkbench.gui.dialogs import choose_file, show_dialog
from ppworkbench.gui.pages.design.matrix_clipboard import LARGEST, copy_matrix, without_names
from ppworkbench.gui.pages.design.matrix_grid import MatrixGrid
from ppworkbench.gui.pages.design.matrix_import import MatrixImportDialog
from ppworkbench.gui.workbench import Workbench

_LARGEST_FILE = 64 * 2**20


class MatrixExchange(QObject):
    """Copies the matrix that is shown, and reads others for the current attribute."""

    read = Signal(object)
    """An attribute, and the matrix that was read for it."""
    refused = Signal(str)
    """Why there is no matrix, in one sentence."""

    def __init__(self, workbench: Workbench, grid: MatrixGrid) -> None:
        super().__init__(grid)
        self._workbench = workbench
        self._grid = grid
        grid.copy_requested.connect(self.copy)
        grid.paste_requested.connect(self.paste)

    def copy(self) -> None:
        """Put the matrix on the clipboard."""
        copy_matrix(self._grid.matrix, self._grid.values)
        self._workbench.toast_requested.emit(self.tr("Matrix copied."), False)

    def paste(self) -> None:
        """Take the matrix from the clipboard."""
        content = QGuiApplication.clipboard().text()
        if len(content) > LARGEST:
            self.refused.emit(self.tr("What is on the clipboard is too large for a matrix."))
            return
        self._take(content)

    def load(self) -> None:
        """Ask for a file and read the matrix in it."""
        choose_file(
            self._grid,
            self.tr("Load a matrix"),
            "",
            "*.csv *.tsv *.txt",
            lambda paths, _: self._workbench.attempt(lambda: self._read_file(paths[0])),
        )

    def _read_file(self, path: Path) -> None:
        from ppworkbench.core.data.files import sentences

        check_file(path)
        with sentences(path, "read"):
            fits = 0 < path.stat().st_size <= _LARGEST_FILE
            content = path.read_text(encoding="utf-8-sig") if fits else ""
        if content:
            self._take(content)
        else:
            self.refused.emit(self.tr("%s is empty, or too large for a matrix.") % path.name)

    def _take(self, content: str) -> None:
        store = self._workbench.store
        name = store.current
        if name is None:
            return
        values = store.study.design[name].attribute.values
        dialog = MatrixImportDialog(without_names(content, values), values, self._grid.window())
        if dialog.matrix is None:
            # It fits neither way, so there is nothing to ask.
            self.refused.emit(dialog.problem.text())
            dialog.deleteLater()
            return
        dialog.accepted.connect(lambda: self.read.emit(dialog.matrix))
        show_dialog(dialog, self._workbench.themes)
