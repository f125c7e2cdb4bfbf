"""Telling screen readers what changed once it rests, not on every frame of a drag."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from ppworkbench.gui.announce import announce, is_heard

REST = 300
"""Milliseconds without a change after which it is told."""


class Spoken(QTimer):
    """One sentence about a widget, after the last of many changes."""

    def __init__(self, widget: QWidget, sentence: Callable[[], str]) -> None:
        super().__init__(widget)
        self._widget, self._sentence = widget, sentence
        self.setSingleShot(True)
        self.setInterval(REST)
        self.timeout.connect(self._tell)

    def changed(self) -> None:
        """Tell soon, if anybody listens."""
        if is_heard() and self._widget.isVisible():
            self.start()

    def _tell(self) -> None:
        if self._widget.isVisible():
            announce(self._widget, self._sentence())
