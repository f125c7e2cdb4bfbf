"""Making pages before anybody asks for them, in pieces too short to be noticed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSize, QTimer, Signal
from PySide6.QtWidgets import QWidget

if TYPE_CHECKING:
    from ppworkbench.gui.shell import Shell

_PAUSE = 15
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
            self.ended.emit()

    def stop(self) -> None:
        """Leave the rest unmade."""
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
