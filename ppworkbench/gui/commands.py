"""Undoable changes of the study."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QUndoCommand

from ppworkbench.study.study import Study

if TYPE_CHECKING:
    from ppworkbench.gui.store import Store


class ReplaceStudy(QUndoCommand):
    """One step from a state of the study to the next.

    Steps of one gesture (a drag of a slider) merge into one.
    """

    def __init__(self, store: Store, after: Study, text: str, gesture: str | None) -> None:
        super().__init__(text)
        self._store = store
        self._before = store.study
        self._after = after
        self._gesture = gesture

    def id(self) -> int:
        """The same number for all commands that may merge; -1 for none."""
        return -1 if self._gesture is None else 1

    def mergeWith(self, other: QUndoCommand) -> bool:  # noqa: N802 (Qt's name)
        """Take over a later step of the same gesture."""
        if not isinstance(other, ReplaceStudy) or other._gesture != self._gesture:  # noqa: SLF001
            return False
        self._after = other._after  # noqa: SLF001
        return True

    def redo(self) -> None:
        """Go to the state after the step."""
        self._store.show(self._after)

    def undo(self) -> None:
        """Go back to the state before the step."""
        self._store.show(self._before)
