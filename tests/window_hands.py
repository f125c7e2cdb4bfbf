"""What a person does to the main window."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def press(window, key, modifier=Qt.KeyboardModifier.NoModifier):
    """Press a key."""
    QTest.keyClick(window, key, modifier)
    QApplication.processEvents()


def modify(window):
    """Change the study, so that it is not saved."""
    window.store.set_settings(seed=window.store.study.settings.seed + 1)
