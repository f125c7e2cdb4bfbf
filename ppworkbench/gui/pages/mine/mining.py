"""Runs the miner in the background and keeps what it found."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QObject, Signal

from ppworkbench.core.errors import DataError
from ppworkbench.core.progress import Progress
from ppworkbench.gui.jobs import Job, JobState
from ppworkbench.gui.pages.mine.methods import full_name
from ppworkbench.gui.pages.mine.request import Request
from ppworkbench.gui.pages.mine.run import MOST_KEPT, Run
from ppworkbench.gui.pages.mine.run_json import run_from_json, run_to_json, with_tables
from ppworkbench.gui.pages.mine.sources import SourceKeeper
from ppworkbench.gui.pages.mine.work import Tally, carry_out
from ppworkbench.gui.single_shot import single_shot
from ppworkbench.gui.workbench import Workbench

RESULTS = "mine"
"""The name under which the study keeps the runs."""
_PATIENCE = 350
"""Milliseconds after which the page goes on although a cancelled run still ends."""


class Mining(QObject):
    """One run at a time; the runs of the study, one of them in front."""

    runs_changed = Signal()
    """There are other runs, or another one is in front."""
    running_changed = Signal()
    progressed = Signal()
    stopped = Signal()
    """The run was cancelled."""

    def __init__(self, workbench: Workbench, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self.runs: tuple[Run, ...] = ()
        self.current: Run | None = None
        self.tally = Tally()
        self._kept: dict[int, Mapping[str, Any]] = {}
        self._job: Job | None = None
        self._is_own = False
        self._sources = SourceKeeper()
        self._patience = single_shot(self, self._let_go, _PATIENCE)

    @property
    def is_running(self) -> bool:
        """Whether a run is under way."""
        return self._job is not None

    @property
    def done(self) -> float:
        """The share of the run that is done."""
        return 0.0 if self._job is None else self._job.done

    @property
    def message(self) -> str:
        """What the run is doing."""
        return "" if self._job is None else self._job.message

    def mine(self, request: Request, number: int | None = None) -> None:
        """Start a run; with the number of an earlier one it takes its place."""
        if self._job is not None:
            return
        study, kept = self._workbench.store.study, (self._workbench.answers, self._sources)
        tally = self.tally = Tally()
        own = number or max((run.number for run in self.runs), default=0) + 1

        def work(progress: Progress) -> tuple[Run, dict[str, Any]]:
            run = carry_out(study, kept, request, tally, progress)
            run = dataclasses.replace(run, number=own)
            return run, run_to_json(run)

        name = self.tr("Mining with %s") % full_name(request.method)
        job = self._workbench.run(name, work, self._on_finished, key="mine")
        job.progressed.connect(lambda *_: self.progressed.emit())
        job.ended.connect(lambda: self._on_ended(job))
        self._job = job
        self.running_changed.emit()

    def cancel(self) -> None:
        """Stop the run; what was found before stays."""
        if self._job is not None:
            self._job.cancel()
            self._patience.start()

    def _let_go(self) -> None:
        """Wait no longer for a run that is slow to stop; whatever it finds does not arrive."""
        if self._job is not None and self._job.progress.stopped:
            job, self._job = self._job, None
            job.disown()
            self.running_changed.emit()
            self.stopped.emit()

    def bring_back(self, number: int) -> None:
        """Show an earlier run; one of which only the summary was kept is repeated."""
        run = next((one for one in self.runs if one.number == number), None)
        if run is None or self.is_running:
            return
        if run.sets is None and number in self._kept:
            try:
                run = with_tables(run, self._kept[number])
            except DataError as error:
                self._workbench.error_raised.emit(error)
                return
            self.runs = tuple(run if one.number == number else one for one in self.runs)
        if run.sets is None:
            self.mine(run.request, number)
            return
        self.current = run
        self.runs_changed.emit()

    def remove(self, number: int) -> None:
        """Forget a run; the newest of the others comes to the front."""
        self.runs = tuple(run for run in self.runs if run.number != number)
        self._kept.pop(number, None)
        if self.current is not None and self.current.number == number:
            self.current = None
            for run in reversed(self.runs):
                if run.sets is not None or self._kept.get(run.number, {}).get("sets") is not None:
                    self.bring_back(run.number)
                    break
        self._keep()
        self.runs_changed.emit()

    def forget(self) -> None:
        """Drop everything: another study is shown."""
        if self._job is not None:
            self._job.disown()
            self._job = None
            self._patience.stop()
            self.running_changed.emit()
        self.runs, self.current, self._kept = (), None, {}
        self._sources.forget()
        self.runs_changed.emit()

    @property
    def is_keeping(self) -> bool:
        """Whether it is just telling the study what to keep."""
        return self._is_own

    def restore(self) -> None:
        """Read the runs that the study kept; a damaged one is left out."""
        kept = self._workbench.store.study.results.get(RESULTS)
        listed = kept.get("runs", ()) if isinstance(kept, Mapping) else ()
        runs: dict[int, Run] = {}
        self._kept = {}
        for given in listed if isinstance(listed, list | tuple) else ():
            try:
                run = run_from_json(given)
            except DataError:
                continue
            runs[run.number] = run
            self._kept[run.number] = given
        self.runs, self.current = tuple(runs.values()), None
        if self.runs and self._kept[self.runs[-1].number].get("sets") is not None:
            self.bring_back(self.runs[-1].number)
        self.runs_changed.emit()

    def _on_finished(self, found: tuple[Run, dict[str, Any]]) -> None:
        run, plain = found
        self._kept[run.number] = plain
        others = tuple(one for one in self.runs if one.number != run.number)
        runs = tuple(sorted((*others, run), key=lambda one: one.number))
        for gone in runs[:-MOST_KEPT]:
            self._kept.pop(gone.number, None)
        self.runs, self.current = runs[-MOST_KEPT:], run
        self._keep()
        self.runs_changed.emit()

    def _keep(self) -> None:
        """Let the study remember the runs."""
        self._is_own = True
        listed = [self._kept[run.number] for run in self.runs if run.number in self._kept]
        self._workbench.store.set_results(RESULTS, {"runs": listed} if listed else None)
        self._is_own = False

    def _on_ended(self, job: Job) -> None:
        if job is not self._job:
            return
        self._job = None
        self._patience.stop()
        self.running_changed.emit()
        if job.state is JobState.CANCELLED:
            self.stopped.emit()
