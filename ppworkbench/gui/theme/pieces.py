"""Another theme, a piece at a time."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from ppworkbench.gui.theme.islands import dress_island
from ppworkbench.gui.theme.listeners import Listeners, call, is_in
from ppworkbench.gui.theme.standstill import Standstill

_AT_ONCE = 0.012
"""Seconds of work after which others have their turn."""
_PAUSE = 10
"""Milliseconds between two pieces of what nobody sees."""


class Piece(NamedTuple):
    """Something to be done for an object; ``large`` ones are not done along with others."""

    owner: Any
    do: Callable[[], None]
    large: bool
    kind: tuple[type, str] = (object, "")
    """What else takes about as long."""


class Pieces(QObject):
    """Dresses parts and tells listeners: first all that is seen, then the rest.

    Until all that is seen is done the windows are not painted, so that nobody sees two themes, and
    columns find their places only then.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._seen: deque[Piece] = deque()
        self._unseen: deque[Piece] = deque()
        self._frozen: list[QWidget] = []
        self._afterwards: list[Callable[[], None]] = []
        self._seconds: dict[tuple[type, str], float] = {}
        """How long each kind of piece took the last time."""
        self._standstill = Standstill(self)
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._go_on)

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to do."""
        return not self._timer.isActive()

    def begin(
        self, windows: Iterable[QWidget], parts: Sequence[QWidget], sheet: str, told: Listeners
    ) -> None:
        """Do all of it anew, whatever is left of another time."""
        self._seen.clear()
        self._unseen.clear()
        for part in parts:
            self._add(Piece(part, partial(_dress, part, sheet), large=True))
        for owner, name in told.calls():
            kind = type(owner), name
            large = self._seconds.get(kind, 0.0) > _AT_ONCE
            self._add(Piece(owner, partial(call, owner, name), large, kind))
        for window in {id(one.window()): one.window() for one in windows}.values():
            if window.isVisible() and window.updatesEnabled():
                window.setUpdatesEnabled(False)
                self._frozen.append(window)
        if self._frozen:
            self._standstill.begin(parts)
        self._timer.start(0)

    def afterwards(self, do: Callable[[], None]) -> None:
        """Do something when all is done; call it only while something is left."""
        self._afterwards.append(do)

    def hurry(self, widget: QWidget) -> None:
        """Do at once what concerns a widget and all that is in it."""
        for left in (self._seen, self._unseen):
            for piece in tuple(left):
                if is_in(piece.owner, widget):
                    left.remove(piece)
                    piece.do()

    def drop(self, widget: QWidget) -> None:
        """Do nothing any more for a widget and all that is in it."""
        for left in (self._seen, self._unseen):
            for piece in tuple(left):
                if is_in(piece.owner, widget):
                    left.remove(piece)

    def _add(self, piece: Piece) -> None:
        hidden = isinstance(piece.owner, QWidget) and not piece.owner.isVisible()
        (self._unseen if hidden else self._seen).append(piece)

    def _go_on(self) -> None:
        if self._seen:
            self._do_some(self._seen)
        elif not self._standstill.is_over:
            self._standstill.release()
        elif self._frozen:
            self._thaw()
            self._timer.setInterval(_PAUSE)
        elif self._unseen:
            self._do_some(self._unseen)
        # The pause is one from the end of a piece, however long that took.
        self._timer.start()
        if not (self._seen or self._frozen or self._unseen):
            self._timer.stop()
            due, self._afterwards = self._afterwards, []
            for do in due:
                do()

    def _do_some(self, left: deque[Piece]) -> None:
        began = time.thread_time()
        while left:
            piece, before = left.popleft(), time.thread_time()
            piece.do()
            now = time.thread_time()
            self._seconds[piece.kind] = now - before
            following = left[0].large if left else False
            if piece.large or following or now - began > _AT_ONCE:
                break

    def _thaw(self) -> None:
        for window in self._frozen:
            if isValid(window):
                window.setUpdatesEnabled(True)
        self._frozen.clear()


def _dress(part: QWidget, sheet: str) -> None:
    if isValid(part):
        dress_island(part, sheet)
