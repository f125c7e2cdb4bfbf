"""Buttons that Qt makes itself look as all others do."""

from __future__ import annotations

from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QMessageBox

_NEXT = (QDialogButtonBox.StandardButton.Ok, QDialogButtonBox.StandardButton.Save)
"""What leads on, and is filled for it."""


def tidy_buttons(dialog: QDialog) -> None:
    """Take the system's little pictures away from a dialog, before it has its style sheet.

    That sheet forbids them too, but is looked up after the buttons were made.
    """
    if isinstance(dialog, QMessageBox):
        dialog.setIcon(QMessageBox.Icon.NoIcon)
    for box in dialog.findChildren(QDialogButtonBox):
        for button in box.buttons():
            kind = box.standardButton(button)
            if kind == QDialogButtonBox.StandardButton.NoButton:
                continue
            button.setIcon(QIcon())
            if kind in _NEXT:
                button.setProperty("look", "primary")
