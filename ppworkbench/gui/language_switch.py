"""Another language: everything that is seen is made anew, a piece at a time."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from ppworkbench.gui.language.speech import speech
from ppworkbench.gui.menus import Menus
from ppworkbench.gui.page_preparation import make_gently
from ppworkbench.gui.single_shot import single_shot

if TYPE_CHECKING:
    from ppworkbench.gui.main_window import MainWindow
    from ppworkbench.gui.shell import Shell

_PAUSE = 15
"""Milliseconds between two pages that are deleted."""
_PATIENCE = 100
"""So many pauses at most are added for jobs of the page in front."""


def switch_language(window: MainWindow, language: str) -> Iterator[None]:
    """Make the page in front in another language and show it, up to each ``yield`` a piece of it.

    What was there in the old language stays until then. The other pages are made afterwards, while
    nothing else is done, or when somebody asks for one.
    """
    window.workbench.settings.setValue("view/language", language)
    speech.choose(language)
    window.end_demonstration()
    window.projector.leave()
    yield
    name, old, menus = window.current, window.shell, window.menus
    old.save_columns()
    old.close_down()
    window.workbench.jobs.disown_all()
    yield
    shell = window.make_shell(dressed=False)
    yield
    yield from shell.dress_parts()
    # The first page of a stack is shown at once, made or not.
    blank = QWidget()
    shell.stack.addWidget(blank)
    yield
    yield from make_gently(shell, name, old.stack.size())
    yield
    window.setUpdatesEnabled(False)
    try:
        yield from _swap(window, shell, name)
    finally:
        window.setUpdatesEnabled(True)
    shell.stack.removeWidget(blank)
    for gone in (blank, menus):
        gone.deleteLater()
    leaving = Dismissal(old, window)
    # All at once would be felt.
    leaving.ended.connect(lambda: _do_the_rest(window))


def _do_the_rest(window: MainWindow) -> None:
    """Let a help window that is open speak the language, too, and make the other pages."""
    from ppworkbench.gui.help_viewer import follow_language

    follow_language(window.workbench, window)
    window.prepare_pages()


def _swap(window: MainWindow, shell: Shell, name: str) -> Iterator[None]:
    """Put another shell in the place of the one in front, and a page of it to the front."""
    old = window.shell
    window.use_shell(shell)
    for action in window.menuBar().actions():
        action.menu().deleteLater()
    window.menuBar().clear()
    window.menus = Menus(window)
    window.name_keys()
    yield
    window.layers.setCurrentWidget(shell)
    window.layers.removeWidget(old)
    yield
    shell.bring(name)
    yield
    shell.wake()
    yield


class Dismissal(QObject):
    """Deletes a shell that another one has replaced, a page at a time.

    All of it at a stroke would be felt, and parts of a page would be missed by the rest of it.
    """

    ended = Signal()

    def __init__(self, shell: Shell, parent: QObject) -> None:
        super().__init__(parent)
        self._shell = shell
        self._is_clear = True
        self._patience = _PATIENCE
        # A page that takes longer than the pause to delete is not followed by another at once.
        self._timer = single_shot(self, self._go_on, _PAUSE)
        self._timer.start()

    def finish(self) -> None:
        """Delete all that is left: the program ends."""
        self._timer.stop()
        self._shell.deleteLater()
        self.deleteLater()

    def _go_on(self) -> None:
        if self._patience and not self._shell.workbench.jobs.is_idle:
            # What is about to be seen comes first.
            self._patience -= 1
        elif not self._is_clear:
            # The Python side of hundreds of widgets would else pile up until it takes long.
            gc.collect()
            self._is_clear = True
        elif self._shell.pages:
            self._shell.pages.popitem()[1].deleteLater()
            self._is_clear = False
        else:
            self.finish()
            self.ended.emit()
            return
        self._timer.start()
