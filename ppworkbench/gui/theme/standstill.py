"""What holds parts stands still while these are given another look one by one.

With every part it would measure all of them again, those that are dressed and those that are not,
and put them elsewhere each time.
"""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

_ASKING = {QEvent.Type.LayoutRequest, QEvent.Type.Resize}


class Standstill(QObject):
    """Keeps holders from laying out what is in them, and lets them do it afterwards."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._held: dict[QWidget, int] = {}
        """How deep in its window each holder is."""
        self._asked: set[QWidget] = set()

    def begin(self, parts: Iterable[QWidget]) -> None:
        """Hold everything around parts that are seen."""
        for part in parts:
            if part.isVisible():
                self._hold(part.parentWidget())

    def _hold(self, holder: QWidget | None) -> int:
        if holder is None:
            return 0
        if holder not in self._held:
            around = None if holder.isWindow() else holder.parentWidget()
            self._held[holder] = self._hold(around) + 1
            # A layout hears of events before any filter does, and a splitter has none.
            _let_lay_out(holder, False)
            holder.installEventFilter(self)
        return self._held[holder]

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Put the layout of a holder off."""
        if event.type() not in _ASKING or watched not in self._held:
            return False
        self._asked.add(watched)
        return event.type() == QEvent.Type.LayoutRequest

    @property
    def is_over(self) -> bool:
        """Whether nobody is held any more."""
        return not self._held

    def release(self) -> None:
        """Let the innermost holders lay out what is in them; those around them come afterwards."""
        innermost = max(self._held.values())
        for holder in [one for one, depth in self._held.items() if depth == innermost]:
            del self._held[holder]
            if not isValid(holder):
                continue
            holder.removeEventFilter(self)
            _let_lay_out(holder, True)
            if holder in self._asked:
                _ask(holder)
            self._asked.discard(holder)


def _let_lay_out(holder: QWidget, may: bool) -> None:
    layout = holder.layout()
    if layout is not None:
        layout.setEnabled(may)


def _ask(holder: QWidget) -> None:
    layout = holder.layout()
    if layout is not None:
        # It may not know that it has another size.
        layout.update()
    QApplication.postEvent(holder, QEvent(QEvent.Type.LayoutRequest))
