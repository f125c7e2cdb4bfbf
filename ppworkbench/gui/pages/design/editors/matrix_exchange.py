"""Pasting and loading a matrix."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QRadioButton, QWidget

from ppworkbench.core.design import Custom
from ppworkbench.core.design.matrices.custom import Orientation, parse_matrix
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.files import check_file
from ppworkbench.gui.charts.matrix import LARGEST, MatrixGrid, copy_matrix, without_names
from ppworkbench.gui.dialogs import choose_file, show_dialog
from ppworkbench.gui.language import translate
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.layout import column, text


class MatrixImportDialog(QDialog):
    """Rows or columns are the true answers; what does not fit says why."""

    def __init__(self, content: str, values: tuple[str, ...], parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Load matrix"))
        self.matrix: Custom | None = None
        self._content, self._values = content, values
        self.columns = QRadioButton(self.tr("Columns are true answers and sum to 1"))
        self.rows = QRadioButton(self.tr("Rows are true answers and sum to 1 (PRAM convention)"))
        self.problem = text("", "error", wrap=True)
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel
        )
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        question = self.tr("Orientation of the matrix")
        layout = column(
            text(question, "strong"), self.columns, self.rows, self.problem, self.buttons,
            parent=self, margin=16, spacing=10,
        )  # fmt: skip
        for button in (self.columns, self.rows):
            button.toggled.connect(self._check)
        fits_rows = self._parsed(Orientation.ROWS_ARE_TRUE)[0] is not None
        fits_columns = self._parsed(Orientation.COLUMNS_ARE_TRUE)[0] is not None
        (self.rows if fits_rows and not fits_columns else self.columns).setChecked(True)
        layout.addStrut(388)

    def _parsed(self, orientation: Orientation) -> tuple[Custom | None, str]:
        try:
            found = parse_matrix(self._content, orientation, None)
            found.check_k(len(self._values))
        except WorkbenchError as error:
            return None, translate(error.message)
        return found, ""

    def _check(self) -> None:
        orientation = (
            Orientation.ROWS_ARE_TRUE if self.rows.isChecked() else Orientation.COLUMNS_ARE_TRUE
        )
        self.matrix, problem = self._parsed(orientation)
        self.problem.setText(problem)
        ok = self.buttons.button(QDialogButtonBox.StandardButton.Ok)
        ok.setEnabled(self.matrix is not None)


_LARGEST_FILE = 64 * 2**20


class MatrixExchange(QObject):
    """Copies the matrix that is shown, and reads others for the current attribute."""

    copied = Signal()
    """The matrix is on the clipboard."""
    read = Signal(object)
    """The matrix that was read."""
    refused = Signal(str)
    """Why there is no matrix, in one sentence."""
    failed = Signal(object)
    """The exception of a file that cannot be read."""

    def __init__(self, themes: ThemeManager, grid: MatrixGrid) -> None:
        super().__init__(grid)
        self._themes = themes
        self._grid = grid
        grid.copy_requested.connect(self.copy)
        grid.paste_requested.connect(self.paste)

    def copy(self) -> None:
        """Put the matrix on the clipboard."""
        copy_matrix(self._grid.matrix, self._grid.values)
        self.copied.emit()

    def paste(self) -> None:
        """Take the matrix from the clipboard."""
        content = QGuiApplication.clipboard().text()
        if len(content) > LARGEST:
            self.refused.emit(self.tr("The clipboard content is too large for a matrix."))
            return
        self._take(content)

    def load(self) -> None:
        """Ask for a file and read the matrix in it."""
        choose_file(
            self._grid,
            self.tr("Load matrix"),
            "",
            "*.csv *.tsv *.txt",
            lambda paths, _: self._on_file(paths[0]),
        )

    def _on_file(self, path: Path) -> None:
        try:
            self._read_file(path)
        except WorkbenchError as error:
            self.failed.emit(error)

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
        values = self._grid.values
        dialog = MatrixImportDialog(without_names(content, values), values, self._grid.window())
        if dialog.matrix is None:
            # It fits neither way, so there is nothing to ask.
            self.refused.emit(dialog.problem.text())
            dialog.deleteLater()
            return
        dialog.accepted.connect(lambda: self.read.emit(dialog.matrix))
        show_dialog(dialog, self._themes)
