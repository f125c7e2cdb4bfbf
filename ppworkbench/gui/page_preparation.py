"""Making pages before anybody asks for them, in pieces too short to be noticed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QWidget

from ppworkbench.gui.page_list import PAGES

if TYPE_CHECKING:
    from ppworkbench.gui.main_window import MainWindow

_PAUSE = 15
"""Milliseconds between two pieces, for whatever the user does."""
_WIDGETS_AT_ONCE = 25


class PagePreparation(QObject):
    """Makes the pages in the order of the work, then lets the style sheet look at them.

    Who opens a page sooner gets it at once: the window then makes what is missing in one go.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._pieces = self._make()
        self._timer = QTimer(self)
        self._timer.setInterval(_PAUSE)
        self._timer.timeout.connect(self._go_on)

    @property
    def is_over(self) -> bool:
        """Whether every page has been made."""
        return not self._timer.isActive()

    def start(self) -> None:
        """Begin with the first page."""
        self._timer.start()

    def _go_on(self) -> None:
        if next(self._pieces, self) is self:
            self._timer.stop()

    def _make(self) -> Iterator[None]:
        window = self._window
        for entry in PAGES:
            if entry.name in window.pages:
                continue
            page = window.begin_page(entry.name)
            yield
            while page.make_part():
                yield
            window.page(entry.name)
            yield from self._polish(page)

    def _polish(self, page: QWidget) -> Iterator[None]:
        """What would be done for all widgets at once when the page is shown."""
        widgets = page.findChildren(QWidget)
        for first in range(0, len(widgets), _WIDGETS_AT_ONCE):
            yield
            for widget in widgets[first : first + _WIDGETS_AT_ONCE]:
                widget.ensurePolished()
        yield
        page.resize(self._window.stack.size())
        layout = page.layout()
        if layout is not None:
            layout.activate()
