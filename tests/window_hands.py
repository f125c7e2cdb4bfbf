"""What a person does to the window, and what is seen then."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

LEFT = Qt.MouseButton.LeftButton
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def press(window, key, modifier=Qt.KeyboardModifier.NoModifier):
    """Press a key."""
    QTest.keyClick(window, key, modifier)
    QApplication.processEvents()


def modify(window):
    """Change the study, so that it is not saved."""
    window.store.set_settings(seed=window.store.study.settings.seed + 1)


def picture(widget: QWidget) -> QImage:
    """A widget as it looks now."""
    return widget.grab().toImage()
