"""Opening a dialog in pieces: made, dressed and shown at a stroke it would be felt."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator

from PySide6.QtCore import QEventLoop
from PySide6.QtWidgets import QApplication, QDialog, QWidget
from shiboken6 import isValid

from ppworkbench.gui.theme import ThemeManager

_AT_ONCE = 25
"""Widgets that Qt looks up in the style sheet at a time."""
_SECONDS = 0.012
"""Work after which the window paints."""


def breathe() -> None:
    """Let the window paint; what a person does waits, or it could be begun twice."""
    QApplication.processEvents(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)


def gently(parts: Iterable[None]) -> Iterator[None]:
    """Parts of some work, with a ``yield`` as often as the window should paint."""
    began = time.thread_time()
    for _ in parts:
        if time.thread_time() - began > _SECONDS:
            yield
            began = time.thread_time()


def get_ready(dialog: QDialog, themes: ThemeManager, parts: Iterable[None] = ()) -> bool:
    """Do what showing would do, with pauses in which the window paints; False if it is gone.

    ``parts`` puts things into the dialog that it is shown with.
    """
    breathe()
    for _ in themes.dress_parts(dialog):
        breathe()
    for _ in gently(parts):
        breathe()
    widgets = dialog.findChildren(QWidget)
    for first in range(0, len(widgets), _AT_ONCE):
        for widget in widgets[first : first + _AT_ONCE]:
            if isValid(widget):
                widget.ensurePolished()
        breathe()
    layout = dialog.layout() if isValid(dialog) else None
    if layout is not None:
        layout.activate()
        breathe()
    return isValid(dialog)


def exec_gently(dialog: QDialog, themes: ThemeManager, parts: Iterable[None] = ()) -> int:
    """Show a modal dialog and wait for it, as ``exec`` does; afterwards it is deleted."""
    answer = dialog.exec() if get_ready(dialog, themes, parts) else 0
    if isValid(dialog):
        # Else it would be given every theme to come.
        themes.forget(dialog)
        dialog.deleteLater()
    return answer
