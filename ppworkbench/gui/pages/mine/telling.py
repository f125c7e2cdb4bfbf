"""What is told of a run while it works."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from ppworkbench.gui.pages.mine.mining import Mining
from ppworkbench.gui.pages.mine.sentences import running_words, stopped_words
from ppworkbench.gui.pages.mine.table_card import TableCard
from ppworkbench.gui.single_shot import single_shot
from ppworkbench.gui.workbench import Workbench

_A_MOMENT = 150
"""Milliseconds before more than its button tells of a run: a shorter one would flicker."""


class Telling(QObject):
    """Shows the progress of a run in the table, once it takes longer than a moment."""

    changed = Signal()
    """A run has begun or ended, or is told of from now on."""

    def __init__(
        self, workbench: Workbench, mining: Mining, table: TableCard, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._workbench, self._mining, self._table = workbench, mining, table
        self.is_telling = False
        self._due = single_shot(self, self._begin, _A_MOMENT)
        mining.running_changed.connect(self._on_running)
        mining.progressed.connect(self._show)
        mining.stopped.connect(self._on_stopped)

    def _on_running(self) -> None:
        if self._mining.is_running:
            self._due.start()
        else:
            self._due.stop()
            self.is_telling = False
            self._table.show_progress("", 0.0)
        self.changed.emit()

    def _begin(self) -> None:
        self.is_telling = True
        self._show()
        self.changed.emit()

    def _show(self) -> None:
        if self.is_telling:
            levels = [(level.length, level.found) for level in self._mining.tally.levels]
            words = running_words(self._mining.message, levels)
            self._table.show_progress(words, self._mining.done)

    def _on_stopped(self) -> None:
        words = stopped_words(len(self._mining.tally.levels))
        self._workbench.toast_requested.emit(words, False)
