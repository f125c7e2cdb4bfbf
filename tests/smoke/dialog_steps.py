"""What a person does with a mouse and a keyboard, in a window that has no window manager."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from patience import PATIENCE
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QMainWindow, QWidget

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


def say(*words: object) -> None:
    """Print a line that arrives at once."""
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


def wait_for(ready: Callable[[], object], what: str) -> None:
    """Let the window work until something is so."""
    limit = time.monotonic() + PATIENCE
    while not ready():
        if time.monotonic() > limit:
            raise TimeoutError(what)
        QTest.qWait(10)


def click(widget: QWidget, spot: QPoint | None = None) -> None:
    """Click where a widget is."""
    place = widget.mapTo(widget.window(), spot or widget.rect().center())
    QTest.mouseClick(widget.window().windowHandle(), LEFT, NONE, place)


def bring_to_front(window: QWidget) -> None:
    """Do what a window manager does with a window that opens, as there is none here.

    `qWaitForWindowActive` is content as soon as the window that a dialog belongs to is in front.
    """
    if QApplication.activeWindow() is not window:
        window.activateWindow()
    wait_for(lambda: QApplication.activeWindow() is window, "the window in front")


def press(keys: str) -> None:
    """Press keys in the window that is in front."""
    front = QApplication.activeModalWidget() or QApplication.activeWindow()
    if front is None:
        front = next(w for w in QApplication.topLevelWidgets() if isinstance(w, QMainWindow))
        bring_to_front(front)
    QTest.keySequence(front.windowHandle(), QKeySequence(keys))


def type_into(dialog: QDialog, words: str) -> None:
    """Type where the focus is in a dialog."""
    for letter in words:
        # To the window, as a keyboard does: a list of completions hears it first.
        QTest.keyClick(dialog.windowHandle(), letter)


def dialogs() -> list[QDialog]:
    """The dialogs that are open."""
    return [w for w in QApplication.topLevelWidgets() if isinstance(w, QDialog) and w.isVisible()]
