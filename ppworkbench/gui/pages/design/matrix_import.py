"""Asking how a pasted matrix is to be read."""

from __future__ import annotations

from PySide6.QtWidgets import QDialog, QDialogButtonBox, QRadioButton, QWidget

from ppworkbench.core.design import Custom
from ppworkbench.core.design.import_matrix import Orientation, parse_matrix
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.gui.language.text import told
from ppworkbench.gui.widgets.layouts import column, text


class MatrixImportDialog(QDialog):
    """Rows or columns are the true answers; what does not fit says why."""

    def __init__(self, content: str, values: tuple[str, ...], parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Load a matrix"))
        self.matrix: Custom | None = None
        self._content, self._values = content, values
        self.columns = QRadioButton(self.tr("Columns are true answers and sum to 1"))
        self.rows = QRadioButton(self.tr("Rows are true answers and sum to 1 (the habit of PRAM)"))
        self.problem = text("", "error", wrap=True)
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel
        )
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        question = self.tr("How is this matrix written?")
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
            return None, told(error.message)
        return found, ""

    def _check(self) -> None:
        orientation = (
            Orientation.ROWS_ARE_TRUE if self.rows.isChecked() else Orientation.COLUMNS_ARE_TRUE
        )
        self.matrix, problem = self._parsed(orientation)
        self.problem.setText(problem)
        ok = self.buttons.button(QDialogButtonBox.StandardButton.Ok)
        ok.setEnabled(self.matrix is not None)
