"""Opening a dialog in pieces: made, dressed and shown at a stroke it would be felt."""

from __future__ import annotations

from PySide6.QtCore import QEventLoop
from PySide6.QtWidgets import QApplication, QDialog, QWidget
from shiboken6 import isValid

from ppworkbench.gui.theme import ThemeManager

_AT_ONCE = 25
"""Widgets that Qt looks up in the style sheet at a time."""


def _breathe() -> None:
    """Let the window paint; what a person does waits, or it could open the same dialog twice."""
    QApplication.processEvents(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)


def get_ready(dialog: QDialog, themes: ThemeManager) -> bool:
    """Do what showing would do, with pauses in which the window paints; False if it is gone."""
    _breathe()
    for _ in themes.dress_parts(dialog):
        _breathe()
    widgets = dialog.findChildren(QWidget)
    for first in range(0, len(widgets), _AT_ONCE):
        for widget in widgets[first : first + _AT_ONCE]:
            if isValid(widget):
                widget.ensurePolished()
        _breathe()
    layout = dialog.layout() if isValid(dialog) else None
    if layout is not None:
        layout.activate()
        _breathe()
    return isValid(dialog)


def exec_gently(dialog: QDialog, themes: ThemeManager) -> int:
    """Show a modal dialog and wait for it, as ``exec`` does."""
    return dialog.exec() if get_ready(dialog, themes) else 0
