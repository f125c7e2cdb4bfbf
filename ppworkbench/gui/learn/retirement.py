"""Letting go of a demonstration whose jobs may need a moment to stop."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QAbstractScrollArea, QWidget
from shiboken6 import isValid

from ppworkbench.gui.single_shot import single_shot
from ppworkbench.gui.theme.islands import islands

if TYPE_CHECKING:
    from ppworkbench.gui.shell import Shell

_PAUSE = 15
"""Milliseconds between two parts that are deleted."""


class Retirement(QObject):
    """Keeps a shell, in the widget around it, until the last of its threads is over.

    Hundreds of widgets are not deleted at a stroke, which could be felt, but part by part.
    """

    def __init__(self, shell: Shell, widget: QWidget, parent: QObject) -> None:
        super().__init__(parent)
        self._workbench, self._widget = shell.workbench, widget
        self._themes = shell.workbench.themes
        self._parts = self._take_apart(list(shell.pages.values()))
        self._timer = single_shot(self, self._look, _PAUSE)
        self._timer.start()
        self._workbench.jobs.close(0.0)

    def finish(self) -> None:
        """Wait for the threads and delete everything: the program ends."""
        if self._timer.isActive():
            self._workbench.jobs.close()
            self._end()

    def _look(self) -> None:
        if self._workbench.jobs.close(0.0):
            part = next(self._parts, None)
            if part is None:
                self._end()
                return
            if isValid(part):
                part.deleteLater()
        self._timer.start()

    def _take_apart(self, pages: list[QWidget]) -> Iterator[QWidget]:
        """The parts of each page, and then the page itself."""
        # A page without its parts must not be asked for anything any more.
        self._themes.forget(self._widget)
        for timer in self._widget.findChildren(QTimer):
            timer.stop()
        for page in pages:
            for part in tuple(islands(page)):
                # The bars of an area belong to it.
                if isValid(part) and not isinstance(part.parent(), QAbstractScrollArea):
                    yield part
            yield page

    def _end(self) -> None:
        self._timer.stop()
        self._widget.deleteLater()
        self._workbench.deleteLater()
        self.deleteLater()
