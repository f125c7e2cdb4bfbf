"""Undoable changes of the study."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QUndoCommand

from ppworkbench.study.renaming import Renamed
from ppworkbench.study.study import Study

if TYPE_CHECKING:
    from ppworkbench.gui.store import Store


class ReplaceStudy(QUndoCommand):
    """One step from a state of the study to the next.

    ``gesture`` names the drag it belongs to, ``renamed`` the attribute that it calls something
    else.
    """

    def __init__(
        self,
        store: Store,
        after: Study,
        text: str,
        gesture: str | None,
        renamed: Renamed | None = None,
    ) -> None:
        super().__init__(text)
        self._store = store
        self._before = store.study
        self._after = after
        self.gesture = gesture
        self._renamed = renamed

    def go_on_to(self, after: Study) -> None:
        """Let the same step end at a later state, as the next move of a drag does.

        Qt could merge commands itself, but PySide never frees those that were merged.
        """
        self._after = after
        self._store.show(after)

    def redo(self) -> None:
        """Go to the state after the step."""
        self._store.show(self._after, self._renamed)

    def undo(self) -> None:
        """Go back to the state before the step."""
        self._store.show(self._before, self._renamed and self._renamed[::-1])
