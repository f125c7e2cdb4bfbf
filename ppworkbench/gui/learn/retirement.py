"""Letting go of a demonstration whose jobs may need a moment to stop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QWidget

if TYPE_CHECKING:
    from ppworkbench.gui.shell import Shell

_EVERY = 20


class Retirement(QObject):
    """Keeps a shell, in the widget around it, until the last of its threads is over.

    Hundreds of widgets are not deleted at a stroke, which could be felt, but page by page.
    """

    def __init__(self, shell: Shell, widget: QWidget, parent: QObject) -> None:
        super().__init__(parent)
        self._workbench, self._widget = shell.workbench, widget
        self._pages: list[QWidget] = list(shell.pages.values())
        self._timer = QTimer(self)
        self._timer.setInterval(_EVERY)
        self._timer.timeout.connect(self._look)
        self._timer.start()
        self._workbench.jobs.close(0.0)

    def finish(self) -> None:
        """Wait for the threads and delete everything: the program ends."""
        if self._timer.isActive():
            self._workbench.jobs.close()
            self._pages.clear()
            self._look()

    def _look(self) -> None:
        if not self._workbench.jobs.close(0.0):
            return
        if self._pages:
            self._pages.pop().deleteLater()
            return
        self._timer.stop()
        self._widget.deleteLater()
        self._workbench.deleteLater()
        self.deleteLater()
