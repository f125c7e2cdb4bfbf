"""Letting go of a demonstration whose jobs may need a moment to stop."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication, QWidget

from ppworkbench.gui.workbench import Workbench

_EVERY = 20


class _Retirement(QObject):
    """Keeps workbench and widget until the last thread is over: threads report to both."""

    def __init__(self, workbench: Workbench, widget: QWidget) -> None:
        super().__init__(QApplication.instance())
        self._workbench, self._widget = workbench, widget
        widget.setParent(None)
        self._timer = QTimer(self)
        self._timer.setInterval(_EVERY)
        self._timer.timeout.connect(self._look)
        self._timer.start()
        self._look()

    def _look(self) -> None:
        if self._workbench.jobs.close(0.0):
            self._timer.stop()
            self._widget.deleteLater()
            self._workbench.deleteLater()
            self.deleteLater()


def retire(workbench: Workbench, widget: QWidget) -> None:
    """Cancel all jobs of a workbench, and delete it with its widget when they have stopped."""
    _Retirement(workbench, widget)
