"""Python's search for rubbish, in the thread of the window and nowhere else.

Objects that only hold each other are found and deleted by Python now and then, in whichever thread
and place the next object happens to be made. Qt's are often among them. Qt breaks down over a timer
or an item of a scene that another thread deletes, so that a job which works hard would bring the
window down; and it waits for itself for ever if an object is deleted while it is deleting another.
"""

from __future__ import annotations

import gc
import time

from PySide6.QtCore import QObject, QTimer

_EVERY = 100
"""Milliseconds after which it is looked whether a search is due, by Python's own measure."""
_REST = 100
"""How many times as long as a search through everything took the next one waits at least."""


class Rubbish(QObject):
    """Searches as often as Python would, but where Qt's objects live."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._thorough_after = 0.0
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._search)
        self.start()

    def start(self) -> None:
        """Take the search over."""
        gc.disable()
        self._timer.start(_EVERY)

    def stop(self) -> None:
        """Leave it to Python again."""
        self._timer.stop()
        gc.enable()

    def _search(self) -> None:
        due = [made > most for made, most in zip(gc.get_count(), gc.get_threshold(), strict=True)]
        began = time.monotonic()
        if due[2] and began > self._thorough_after:
            gc.collect()
            ended = time.monotonic()
            self._thorough_after = ended + _REST * (ended - began)
        elif due[1]:
            gc.collect(1)
        elif due[0]:
            gc.collect(0)
