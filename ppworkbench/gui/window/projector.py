"""The view for an audience: a page alone on the screen."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QSplitter, QWidget
from shiboken6 import isValid

from ppworkbench.gui.application import single_shot
from ppworkbench.gui.keys import menu_actions
from ppworkbench.gui.window.layered_window import LayeredWindow
from ppworkbench.gui.window.shell import Shell

_EVERY, _TRIES, _STABLE = 40, 25, 5
"""Milliseconds between two looks at the window's size, how often it is looked at, and in how many
looks in a row it has to be the old one."""


class Projector(QObject):
    """Takes away menus, rail, status bar and what a page can do without; gives all of it back.

    The menus stay reachable by their keys. A demonstration decides itself which columns it needs,
    so that its pages keep theirs.
    """

    switched = Signal(bool)

    def __init__(self, window: LayeredWindow) -> None:
        super().__init__(window)
        self._window = window
        self._themes = window.workbench.themes
        self._state, self._size = Qt.WindowState.WindowNoState, window.size()
        self._tries = self._stable = 0
        # Window systems take their time to leave the full screen, and layouts to follow.
        self._restoring = single_shot(self, self._restore_columns, _EVERY)
        self._said = ""
        self._columns: list[tuple[QSplitter, list[int]]] = []
        self._aside: list[QWidget] = []
        self._actions: list[QAction] = []

    @property
    def is_on(self) -> bool:
        return self._themes.is_projected

    def watch(self, shell: Shell) -> None:
        """Also take away what is left out of the pages of a shell, and what is around them."""
        shell.page_shown.connect(lambda _: self.follow())
        self.follow()

    def toggle(self) -> None:
        if self.is_on:
            self.leave()
        else:
            self.enter()

    def enter(self) -> None:
        if self.is_on:
            return
        window = self._window
        if not self._columns:
            # Else it has not got back yet what it had before the last time.
            self._state, self._size = window.windowState(), window.size()
            splitters: Iterable[QSplitter] = window.shell.findChildren(QSplitter)
            self._columns = [(splitter, splitter.sizes()) for splitter in splitters]
        # Keys of a menu that is out of sight reach nothing unless the window has its actions too.
        self._actions = [action for _, action in menu_actions(window.menuBar())]
        window.addActions(self._actions)
        window.menuBar().hide()
        self._themes.project(True)
        window.setWindowState(self._state | Qt.WindowState.WindowFullScreen)
        self.follow()
        self._said = self.tr(
            "Projector view. Esc or Shift+F11 leaves it, Ctrl+1 to Ctrl+9 change pages."
        )
        window.front.workbench.show_toast(self._said)
        self.switched.emit(True)

    def leave(self) -> None:
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
        self._tries, self._stable = _TRIES, 0
        toast = window.front.toast
        if toast.label.text() == self._said:
            # It tells how to leave what was just left.
            toast.hide()
        self._restoring.start()
        self.switched.emit(False)

    def _restore_columns(self) -> None:
        """Put columns where they were, until the window keeps its old size.

        Whoever leaves at once finds it there before the window system has filled the screen.
        """
        if self.is_on:
            return
        self._tries -= 1
        self._stable = self._stable + 1 if self._window.size() == self._size else 0
        if self._stable or not self._tries:
            for splitter, sizes in self._columns:
                if isValid(splitter) and splitter.sizes() != sizes:
                    splitter.setSizes(sizes)
        if self._stable < _STABLE and self._tries:
            self._restoring.start()
        else:
            self._columns = []

    def follow(self) -> None:
        """Take away what belongs to the shells and pages that there are now."""
        if not self.is_on:
            return
        window = self._window
        shells = [window.shell] if window.stage is None else [window.shell, window.stage.shell]
        parts: list[QWidget] = []
        for shell in shells:
            parts += [shell.rail, shell.status]
        page = window.shell.front_page
        parts += () if page is None else page.optional_panels
        for part in parts:
            # What a page hid itself is its own affair.
            if not part.isHidden():
                part.hide()
                self._aside.append(part)
