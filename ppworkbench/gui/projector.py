"""The projector view: large type and strong lines, and nothing around them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QSplitter, QWidget
from shiboken6 import isValid

from ppworkbench.gui.menu_actions import menu_actions

if TYPE_CHECKING:
    from ppworkbench.gui.main_window import MainWindow
    from ppworkbench.gui.shell import Shell

_EVERY, _TRIES = 40, 25
"""Milliseconds between two looks at the window's size, and how often it is looked at."""


class Projector(QObject):
    """Takes away menus, rail, status bar and what a page can do without; gives all of it back.

    The menus stay reachable by their keys. A demonstration decides itself which columns it needs,
    so that its pages keep theirs.
    """

    switched = Signal(bool)

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._themes = window.workbench.themes
        self._state, self._size = Qt.WindowState.WindowNoState, window.size()
        self._tries = 0
        self._columns: list[tuple[QSplitter, list[int]]] = []
        self._aside: list[QWidget] = []
        self._actions: list[QAction] = []

    @property
    def is_on(self) -> bool:
        """Whether the window shows itself to an audience."""
        return self._themes.is_projected

    def watch(self, shell: Shell) -> None:
        """Also take away what is left out of the pages of a shell, and what is around them."""
        shell.page_shown.connect(lambda _: self.follow())
        self.follow()

    def toggle(self) -> None:
        """Begin or end."""
        if self.is_on:
            self.leave()
        else:
            self.enter()

    def enter(self) -> None:
        """Fill the screen with the page alone."""
        if self.is_on:
            return
        window = self._window
        self._state, self._size = window.windowState(), window.size()
        self._columns = [
            (splitter, splitter.sizes()) for splitter in window.shell.findChildren(QSplitter)
        ]
        # Keys of a menu that is out of sight reach nothing unless the window has its actions too.
        self._actions = [action for _, action in menu_actions(window.menuBar())]
        window.addActions(self._actions)
        window.menuBar().hide()
        self._themes.project(True)
        window.setWindowState(self._state | Qt.WindowState.WindowFullScreen)
        self.follow()
        words = self.tr("Projector view. Esc or Shift+F11 leaves it, Ctrl+1 to Ctrl+8 turn pages.")
        window.front.workbench.toast_requested.emit(words, False)
        self.switched.emit(True)

    def leave(self) -> None:
        """Show everything where it was."""
        if not self.is_on:
            return
        window = self._window
        for action in self._actions:
            window.removeAction(action)
        # What is seen changes its theme first.
        for part in self._aside:
            if isValid(part):
                part.show()
        window.menuBar().show()
        window.setWindowState(self._state)
        self._themes.project(False)
        self._aside, self._actions = [], []
        self._tries = _TRIES
        self._wait_for_size()
        self.switched.emit(False)

    def _wait_for_size(self) -> None:
        """Window systems take their time to leave the full screen, and layouts to follow."""
        QTimer.singleShot(_EVERY, self, self._restore_columns)

    def _restore_columns(self) -> None:
        self._tries -= 1
        if self._window.size() != self._size and self._tries > 0:
            self._wait_for_size()
            return
        columns, self._columns = self._columns, []
        for splitter, sizes in columns:
            if isValid(splitter):
                splitter.setSizes(sizes)

    def follow(self) -> None:
        """Take away what belongs to the shells and pages that there are now."""
        if not self.is_on:
            return
        window = self._window
        shells = [window.shell] if window.stage is None else [window.shell, window.stage.shell]
        parts: list[QWidget] = []
        for shell in shells:
            parts += [shell.rail, shell.status]
        parts += window.shell.pages[window.shell.current].asides
        for part in parts:
            # What a page hid itself is its own affair.
            if not part.isHidden():
                part.hide()
                self._aside.append(part)
