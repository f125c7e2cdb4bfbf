"""Opening a dialog in pieces: made, dressed and shown at a stroke it would be felt."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication, QDialog, QWidget
from shiboken6 import isValid

from ppworkbench.gui.theme import ThemeManager

_AT_ONCE = 25
"""Widgets that Qt looks up in the style sheet at a time."""


def get_ready(dialog: QDialog, themes: ThemeManager) -> bool:
    """Do what showing would do, with pauses for whatever a person does; False if it is gone."""
    QApplication.processEvents()
    for _ in themes.dress_parts(dialog):
        QApplication.processEvents()
    widgets = dialog.findChildren(QWidget)
    for first in range(0, len(widgets), _AT_ONCE):
        for widget in widgets[first : first + _AT_ONCE]:
            if isValid(widget):
                widget.ensurePolished()
        QApplication.processEvents()
    layout = dialog.layout() if isValid(dialog) else None
    if layout is not None:
        layout.activate()
        QApplication.processEvents()
    return isValid(dialog)


def exec_gently(dialog: QDialog, themes: ThemeManager) -> int:
    """Show a modal dialog and wait for it, as ``exec`` does."""
    return dialog.exec() if get_ready(dialog, themes) else 0
