"""The runs of the page: one under way, and those that the study keeps."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QObject, Signal

from ppworkbench.analyses.mining.runs import (
    MOST_KEPT,
    ItemCache,
    MiningRequest,
    MiningRun,
    PartialResult,
    run_from_json,
    run_mining,
    run_to_json,
    with_tables,
)
from ppworkbench.analyses.mining.tables import ItemsetTable, RowOrder, TableQuery, order_rows
from ppworkbench.core.errors import DataError
from ppworkbench.core.progress import Progress
from ppworkbench.gui.language import translate
from ppworkbench.gui.page_task import PageTask
from ppworkbench.gui.pages.mine.texts import full_name
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.run_history import RunHistory

RESULTS = "mine"
"""The name under which the study keeps the runs."""
AT_ONCE = 20_000
"""So many rows are sorted faster than anybody notices; more of them are a job."""
_Found = tuple[MiningRun, dict[str, Any]]


class MiningRuns(QObject):
    """One run at a time; the runs of the study, one of them shown."""

    runs_changed = Signal()
    """There are other runs, or another one is shown."""

    def __init__(self, workbench: Workbench, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self.history = RunHistory[MiningRun](limit=MOST_KEPT)
        self.tally = PartialResult()
        self._kept: dict[int, Mapping[str, Any]] = {}
        """The runs by number as the study has them; tables are read when they are wanted."""
        self.is_keeping = False
        """Whether it is just telling the study what to keep."""
        self._items = ItemCache()
        self.task: PageTask[_Found] = PageTask(workbench, RESULTS, self)
        self.task.finished.connect(self._on_finished)

    @property
    def current(self) -> MiningRun | None:
        return self.history.shown

    def find(self, number: int) -> MiningRun | None:
        return next((run for run in self.history if run.number == number), None)

    def mine(self, request: MiningRequest, number: int | None = None) -> None:
        """Start a run; with the number of an earlier one it takes its place."""
        if self.task.is_running:
            return
        study, kept = self._workbench.store.study, (self._workbench.answers, self._items)
        tally = self.tally = PartialResult()
        own = number or max((run.number for run in self.history), default=0) + 1

        def work(progress: Progress) -> _Found:
            run = run_mining(study, kept, request, tally, progress, translate)
            run = dataclasses.replace(run, number=own)
            return run, run_to_json(run)

        self.task.start(self.tr("Mining with %s") % full_name(request.method), work)

    def select(self, number: int) -> None:
        """Show an earlier run; one of which only the summary was kept is repeated."""
        run = self.find(number)
        if run is None or self.task.is_running:
            return
        if run.sets is None and number in self._kept:
            try:
                whole = with_tables(run, self._kept[number])
            except DataError as error:
                self._workbench.error_raised.emit(error)
                return
            self.history = self.history.replace(run, whole)
            run = whole
        if run.sets is None:
            self.mine(run.request, number)
            return
        self.history = self.history.select(run)
        self.runs_changed.emit()

    def remove(self, number: int) -> None:
        """Forget a run; the newest of the others whose tables are known is shown."""
        run = self.find(number)
        if run is None:
            return
        was_shown = run is self.current
        self.history = self.history.remove(run)
        self._kept.pop(number, None)
        if was_shown:
            self.history = self.history.select(None)
            others = reversed(self.history.runs)
            known = (one.number for one in others if one.sets is not None or self._is_whole(one))
            newest = next(known, None)
            if newest is not None:
                self.select(newest)
        self._keep()
        self.runs_changed.emit()

    def _is_whole(self, run: MiningRun) -> bool:
        return self._kept.get(run.number, {}).get("sets") is not None

    def forget(self) -> None:
        """Drop everything: another study is shown."""
        self.task.drop()
        self.history, self._kept = RunHistory(limit=MOST_KEPT), {}
        self._items.forget()
        self.runs_changed.emit()

    def restore(self) -> None:
        """Read the runs that the study kept; a damaged one is left out."""
        kept = self._workbench.store.study.results.get(RESULTS)
        listed = kept.get("runs", ()) if isinstance(kept, Mapping) else ()
        runs: dict[int, MiningRun] = {}
        self._kept = {}
        for given in listed if isinstance(listed, list | tuple) else ():
            try:
                run = run_from_json(given)
            except DataError:
                continue
            runs[run.number] = run
            self._kept[run.number] = given
        self.history = RunHistory(tuple(runs.values()), limit=MOST_KEPT)
        newest = self.history.newest
        if newest is not None and self._is_whole(newest):
            self.select(newest.number)
        self.runs_changed.emit()

    def _on_finished(self, found: _Found) -> None:
        run, plain = found
        self._kept[run.number] = plain
        before = self.find(run.number)
        if before is None:
            self.history = self.history.add(run)
        else:
            self.history = self.history.replace(before, run).select(run)
        numbers = {one.number for one in self.history}
        self._kept = {number: kept for number, kept in self._kept.items() if number in numbers}
        self._keep()
        self.runs_changed.emit()

    def _keep(self) -> None:
        """Let the study remember the runs."""
        self.is_keeping = True
        listed = [self._kept[run.number] for run in self.history if run.number in self._kept]
        self._workbench.store.set_results(RESULTS, {"runs": listed} if listed else None)
        self.is_keeping = False


class RowSorter(QObject):
    """Sorts and filters one table. What was asked for last wins; the same is not done again."""

    sorted = Signal()
    """A job has found the order of many rows."""

    def __init__(self, workbench: Workbench, name: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.order: RowOrder | None = None
        """What came of the last query that was worked out."""
        self._asked: tuple[ItemsetTable, TableQuery] | None = None
        self._task: PageTask[RowOrder] = PageTask(workbench, f"mine sort {name}", self, quiet=True)
        self._task.finished.connect(self._on_finished)

    def sort(self, table: ItemsetTable, query: TableQuery) -> None:
        """Work out which rows are shown: at once, or in a job where they are many."""
        if self._asked == (table, query):
            return
        self._asked = table, query
        self._task.drop()
        if table.rows <= AT_ONCE:
            self.order = order_rows(table, query)
            return

        def work(progress: Progress) -> RowOrder:
            progress(0.0)
            return order_rows(table, query)

        self._task.start(self.tr("Sorting"), work)

    def forget(self) -> None:
        """Let go of the last table."""
        self._task.drop()
        self.order = self._asked = None

    def _on_finished(self, order: RowOrder) -> None:
        self.order = order
        self.sorted.emit()
