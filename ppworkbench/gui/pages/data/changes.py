"""Changes of the table: one undo step each, in the background when the table is long."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from ppworkbench.core.data.table import Table
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.progress import Progress
from ppworkbench.gui.jobs import Job, JobState
from ppworkbench.gui.pages.data.facts import AT_ONCE
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.renaming import Renamed, retyped
from ppworkbench.study.study import Study

Edit = Callable[[Table], Table]
Refused = Callable[[WorkbenchError], None]


@dataclass(frozen=True)
class _Change:
    text: str
    edit: Edit
    refused: Refused | None
    done: Callable[[], None] | None
    columns: int
    renamed: Renamed | None


class Changes(QObject):
    """Applies edits one after the other, each to the table that the one before it left."""

    settled = Signal()
    """A change was refused or stopped: controls should show the study again."""

    def __init__(self, workbench: Workbench, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self._store = workbench.store
        self._waiting: deque[_Change] = deque()
        self._is_busy = False
        self._document = 0
        self._opened: Table | None = self._store.study.original
        self._store.study_opened.connect(self._on_opened)

    @property
    def opened(self) -> Table | None:
        """The table as it was understood when it was opened."""
        return self._opened

    def make(
        self,
        text: str,
        edit: Edit,
        refused: Refused | None = None,
        done: Callable[[], None] | None = None,
        columns: int = 1,
        renamed: Renamed | None = None,
    ) -> None:
        """Edit so many columns; a refusal goes to ``refused``, or to the window's banner.

        ``renamed`` tells which attribute the edit calls something else.
        """
        self._waiting.append(_Change(text, edit, refused, done, columns, renamed))
        if not self._is_busy:
            self._next()

    def _on_opened(self) -> None:
        self._waiting.clear()
        self._document += 1
        self._opened = self._store.study.original

    def _next(self) -> None:
        while self._waiting:
            table = self._store.study.original
            if table is None:
                self._waiting.clear()
                break
            change = self._waiting.popleft()
            # A column of few rows takes time all the same.
            if change.columns * max(table.rows, 500) > AT_ONCE:
                self._start(change, table)
                return
            self._finish(change, table, _attempt(change.edit, table))
        self._is_busy = False

    def _start(self, change: _Change, table: Table) -> None:
        self._is_busy = True
        document, study = self._document, self._store.study

        def work(progress: Progress) -> tuple[Table | WorkbenchError, Study | None]:
            progress(0.1)
            result = _attempt(change.edit, table)
            if isinstance(result, WorkbenchError) or result is table:
                return result, None
            progress(0.7)
            # The design follows the table; for very many attributes that takes a while, too.
            return result, retyped(study, result, change.renamed)

        def done(found: tuple[Table | WorkbenchError, Study | None]) -> None:
            if document != self._document:
                return
            if found[1] is not None and self._store.study is study:
                self._store.apply(found[1], change.text, renamed=change.renamed)
                self._tell(change)
            else:
                self._finish(change, table, found[0])

        job = self._workbench.run(change.text, work, done, key="edit")
        job.ended.connect(lambda: self._on_ended(job))

    def _on_ended(self, job: Job) -> None:
        if job.state is not JobState.DONE:
            self.settled.emit()
        self._next()

    def _finish(self, change: _Change, before: Table, result: Table | WorkbenchError) -> None:
        if self._store.study.original is not before:
            # Somebody undid a step meanwhile: what they see now is what has to be edited.
            self._waiting.appendleft(change)
        elif not isinstance(result, WorkbenchError):
            self._store.set_table(result, change.text, change.renamed)
            self._tell(change)
        elif change.refused is not None:
            change.refused(result)
        else:
            self.settled.emit()
            self._workbench.error_raised.emit(result)

    def _tell(self, change: _Change) -> None:
        if change.done is not None:
            change.done()


def _attempt(edit: Edit, table: Table) -> Table | WorkbenchError:
    try:
        return edit(table)
    except WorkbenchError as error:
        return error
