"""A slider over iterations on a logarithmic scale."""

from __future__ import annotations

import math

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QSlider

_STEPS = 1000
HANDLE = 9
"""Half of the handle's width: how far its middle stays from the ends."""


class IterationSlider(QSlider):
    """From 0, the start, to the last iteration. Arrows go from one iteration to the next."""

    moved = Signal(int)
    stepped = Signal(int)
    """Go so many kept iterations on."""
    jumped = Signal(bool)
    """Go to the end (True) or to the start."""
    play_requested = Signal()

    def __init__(self) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._last = 1
        self.setRange(0, _STEPS)
        self.valueChanged.connect(self._on_changed)

    def set_last(self, last: int) -> None:
        """Show a path of that many iterations."""
        self._last = max(last, 1)

    def set_iteration(self, iteration: int) -> None:
        """Show an iteration without announcing it."""
        if not self.isSliderDown():
            with QSignalBlocker(self):
                self.setValue(round(self.share_of(iteration) * _STEPS))
            self.update()

    def share_of(self, iteration: int) -> float:
        """How far from the start an iteration lies, between 0 and 1."""
        return min(math.log1p(max(iteration, 0)) / math.log1p(self._last), 1.0)

    def x_of(self, iteration: int) -> float:
        """Where an iteration lies in pixels."""
        return HANDLE + self.share_of(iteration) * (self.width() - 2 * HANDLE)

    def _iteration_at(self, share: float) -> int:
        return round(math.expm1(share * math.log1p(self._last)))

    def _on_changed(self, position: int) -> None:
        self.moved.emit(self._iteration_at(position / _STEPS))

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Bring the handle to the pointer, then drag it."""
        if event.button() == Qt.MouseButton.LeftButton and self.isEnabled():
            room = max(self.width() - 2 * HANDLE, 1)
            share = (event.position().x() - HANDLE) / room
            self.setValue(round(min(max(share, 0.0), 1.0) * _STEPS))
        super().mousePressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802
        """Go from one iteration to the next."""
        delta = event.angleDelta().y()
        if delta:
            self.stepped.emit(1 if delta > 0 else -1)
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Arrows step, Page goes further, Home and End go to the ends, Space plays."""
        if not self.take_key(event):
            super().keyPressEvent(event)

    def take_key(self, event: QKeyEvent) -> bool:
        """Do what a key says; False if it says nothing here."""
        steps = {
            Qt.Key.Key_Left: -1,
            Qt.Key.Key_Down: -1,
            Qt.Key.Key_Right: 1,
            Qt.Key.Key_Up: 1,
            Qt.Key.Key_PageDown: -10,
            Qt.Key.Key_PageUp: 10,
        }
        key = Qt.Key(event.key())
        if key in steps:
            self.stepped.emit(steps[key])
        elif key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            self.jumped.emit(key == Qt.Key.Key_End)
        elif key == Qt.Key.Key_Space:
            self.play_requested.emit()
        else:
            return False
        return True
