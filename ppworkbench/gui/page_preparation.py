"""Making pages before anybody asks for them, in pieces too short to be noticed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSize, Signal
from PySide6.QtWidgets import QWidget

from ppworkbench.gui.single_shot import single_shot

if TYPE_CHECKING:
    from ppworkbench.gui.shell import Shell

_PAUSE = 5
"""Milliseconds between two pieces, for whatever the user does."""
_WIDGETS_AT_ONCE = 25


class PagePreparation(QObject):
    """Makes pages one after the other, then lets the style sheet look at them.

    Who opens a page sooner gets it at once: the window then makes what is missing in one go.
    """

    ended = Signal()

    def __init__(self, shell: Shell, names: Sequence[str], *, extras: bool) -> None:
        super().__init__(shell)
        self._with_extras = extras
        self._shell = shell
        self._names = names
        self._pieces = self._make()
        self.is_over = True
        """Whether nothing is being made: every page has been, or nobody has asked for it."""
        # One that fires by itself would make up for lost time, and leave no pause after a long
        # piece.
        self._timer = single_shot(self, self._go_on, _PAUSE)

    def start(self) -> None:
        """Begin with the first page."""
        self.is_over = False
        self._timer.start()

    def _go_on(self) -> None:
        try:
            if next(self._pieces, self) is self:
                self.stop()
                self.ended.emit()
        finally:
            if not self.is_over:
                self._timer.start()

    def stop(self) -> None:
        """Leave the rest unmade."""
        self.is_over = True
        self._timer.stop()

    def _make(self) -> Iterator[None]:
        shell = self._shell
        for name in self._names:
            if name not in shell.pages:
                yield from make_gently(shell, name, shell.stack.size())
        for page in tuple(shell.pages.values()) if self._with_extras else ():
            yield from page.extras()


def make_gently(shell: Shell, name: str, size: QSize) -> Iterator[None]:
    """Make one page for a room of some size, up to each ``yield`` a piece of it."""
    page = shell.begin_page(name)
    yield
    while page.make_part():
        yield
    for _ in shell.workbench.themes.dress_parts(page):
        yield
    shell.page(name)
    yield from _polish(page, size)


def _polish(page: QWidget, size: QSize) -> Iterator[None]:
    """What would be done for all widgets at once when the page is shown."""
    widgets = page.findChildren(QWidget)
    for first in range(0, len(widgets), _WIDGETS_AT_ONCE):
        yield
        for widget in widgets[first : first + _WIDGETS_AT_ONCE]:
            widget.ensurePolished()
    yield
    page.resize(size)
    layout = page.layout()
    if layout is not None:
        layout.activate()
