"""What lies behind "Details" of an unexpected error."""

from __future__ import annotations

import os
import traceback

from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QPlainTextEdit, QWidget

from ppworkbench.gui.log import log_path
from ppworkbench.gui.widgets.dialog_size import open_at
from ppworkbench.gui.widgets.layouts import column, text


class ErrorDetails(QDialog):
    """The trace of an error, to copy into a report, and where the log lies."""

    def __init__(self, error: object, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Details of the error"))
        trace = str(error)
        if isinstance(error, BaseException):
            trace = "".join(traceback.format_exception(error))
        box = QPlainTextEdit(trace)
        box.setObjectName("trace")
        box.setReadOnly(True)
        box.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        box.setAccessibleName(self.tr("Trace of the error"))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        # A long path goes on in the next line after one of its folders.
        path = str(log_path()).replace(os.sep, f"{os.sep}\u200b")
        where = text(self.tr("The log file is %s") % path, "hint", wrap=True)
        column(where, box, buttons, parent=self, margin=16)
        open_at(self, 760, 420)
