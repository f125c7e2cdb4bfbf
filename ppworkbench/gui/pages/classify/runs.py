"""Carries out experiments as jobs and keeps them in the study."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QObject, Signal

from ppworkbench.core.errors import DataError
from ppworkbench.core.experiment import Experiment, run_experiment
from ppworkbench.core.experiment.engines import Engine
from ppworkbench.core.progress import Progress
from ppworkbench.gui.jobs import Job
from ppworkbench.gui.pages.classify.run import Request, Run
from ppworkbench.gui.words import number
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.study import Study

PAGE = "classify"
_KEPT = 8
IDLE, RUNNING, PAUSED = "idle", "running", "paused"


class Runs(QObject):
    """All kept runs, the one that is shown, and the one under way."""

    changed = Signal()
    """Another run is shown, or one began, paused or ended."""
    progressed = Signal()
    """The run under way has more results."""
    stopped = Signal(int, int)
    """A run was cancelled after so many of so many trainings."""
    failed = Signal(object)

    def __init__(self, workbench: Workbench, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self.engine: Engine | None = None
        """Where trainings are done; None for the usual place."""
        self.runs: list[Run] = []
        self.current: Run | None = None
        self.state = IDLE
        self._job: Job | None = None
        self._told = -1
        self._preparing: Run | None = None

    @property
    def running(self) -> Run | None:
        """The run that is under way or paused."""
        return None if self.state == IDLE else self.runs[-1]

    def matching(self, request: Request) -> Run | None:
        """An earlier run of the same request."""
        return next((run for run in reversed(self.runs) if run.request == request), None)

    def show(self, run: Run) -> None:
        """Show an earlier run."""
        if run is not self.current:
            self.current = run
            self.changed.emit()

    # A run

    def start(self, study: Study, request: Request) -> None:
        """Begin a run, or go on with an unfinished one of the same request."""
        run = self.matching(request)
        if run is not None and not run.is_complete:
            self.runs.remove(run)
        else:
            run = Run(request)
        self.runs = [*self.runs, run][-_KEPT:]
        self.current = run
        self._carry_out(study, run)

    def pause(self) -> None:
        """Stop for now; the settings stay as they are."""
        if self._job is not None and self.state == RUNNING:
            self.state = PAUSED
            self._job.cancel()
            self.changed.emit()

    def go_on(self, study: Study) -> None:
        """Go on with the paused run."""
        run = self.running
        if self.state == PAUSED and run is not None and self._job is None:
            self._carry_out(study, run)

    def cancel(self) -> None:
        """Stop; what is finished stays."""
        if self._job is not None:
            self.state = RUNNING
            self._job.cancel()
        elif self.state == PAUSED:
            self._come_to_rest(self.runs[-1])

    def _carry_out(self, study: Study, run: Run) -> None:
        table, design = study.original, study.design
        if table is None:
            raise DataError("There are no original answers to distort.")
        engine = self.engine
        earlier = [one.table for one in self.runs if one.table is not None and one is not run]

        def work(progress: Progress) -> None:
            experiment = run.experiment
            if experiment is None:
                experiment = run.request.experiment(table, design)
            results = run.begin(experiment, earlier)
            run_experiment(experiment, results, engine=engine, progress=progress)

        self.state = RUNNING
        self._told = -1
        job = self._workbench.run(self._words(run), work, lambda _: None, key="classify")
        self._job = job
        job.progressed.connect(lambda *_: self._on_progressed(job, run))
        job.failed.connect(self.failed)
        job.ended.connect(lambda: self._on_ended(job, run))
        self.changed.emit()

    def _words(self, run: Run) -> str:
        done, total = number(run.done), number(run.request.total)
        if run.request.sweep.levels:
            return self.tr("Privacy sweep: %s of %s trainings") % (done, total)
        return self.tr("Comparison: %s of %s trainings") % (done, total)

    def _on_progressed(self, job: Job, run: Run) -> None:
        if job is self._job and run.done != self._told:
            self._told = run.done
            job.name = self._words(run)
            self.progressed.emit()

    def _on_ended(self, job: Job, run: Run) -> None:
        job.name = self._words(run)
        if job is not self._job:
            return
        self._job = None
        if self.state == PAUSED and not run.is_complete:
            self.keep()
            self.changed.emit()
            return
        self._come_to_rest(run)

    def _come_to_rest(self, run: Run) -> None:
        self.state = IDLE
        self.keep()
        if not run.is_complete:
            self.stopped.emit(run.done, run.request.total)
        self.changed.emit()

    @property
    def is_stopping(self) -> bool:
        """Whether a paused run is still on its way to a halt."""
        return self.state == PAUSED and self._job is not None

    def forget_run(self, run: Run) -> None:
        """Remove a kept run."""
        if run in self.runs and run is not self.running:
            self.runs.remove(run)
            if self.current is run:
                self.current = self.runs[-1] if self.runs else None
            self.keep()
            self.changed.emit()

    def prepare(self, run: Run) -> bool:
        """Whether a run of another session knows its experiment; if not, it is made meanwhile."""
        if run.experiment is not None:
            return True
        table, design = self._workbench.store.study.original, self._workbench.store.study.design
        if table is None or self._preparing is run:
            return False
        self._preparing = run

        def work(_: Progress) -> Experiment:
            return run.request.experiment(table, design)

        def done(experiment: Experiment) -> None:
            self._preparing = None
            if run.table is not None and experiment.fingerprint == run.table.fingerprint:
                run.experiment = experiment
                self.changed.emit()

        self._workbench.run(
            self.tr("Preparing the tree"), work, done, key="classify prepare", quiet=True
        )
        return False

    # The study

    def keep(self, choices: Mapping[str, object] | None = None) -> None:
        """Put the runs that have results into the study."""
        before = self._workbench.store.study.results.get(PAGE)
        known = before.get("choices") if isinstance(before, Mapping) else None
        kept = {
            "choices": known if choices is None else dict(choices),
            "runs": [run.to_json() for run in self.runs if run.done],
        }
        self._workbench.store.set_results(PAGE, kept)

    def restore(self) -> object:
        """Read the runs of the study that was opened; gives back its saved choices."""
        self._leave()
        given = self._workbench.store.study.results.get(PAGE)
        self.runs, choices = [], None
        if isinstance(given, Mapping):
            choices = given.get("choices")
            listed = given.get("runs")
            for one in listed if isinstance(listed, list) else ():
                try:
                    self.runs.append(Run.from_json(one))
                except DataError as error:
                    self._workbench.error_raised.emit(error)
        self.current = self.runs[-1] if self.runs else None
        self.changed.emit()
        return choices

    def _leave(self) -> None:
        if self._job is not None:
            self._job.disown()
            self._job = None
        self._preparing = None
        self.state = IDLE
