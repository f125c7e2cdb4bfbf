"""The runs of the page: one under way, perhaps paused, and those that the study keeps."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QObject, Signal

from ppworkbench.core.errors import DataError
from ppworkbench.core.experiment import Experiment
from ppworkbench.core.experiment.engines import Engine
from ppworkbench.core.progress import Progress
from ppworkbench.gui.numbers import number
from ppworkbench.gui.page_task import PageTask
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.analyses.classification import ClassifyRequest, ClassifyRun, run_request
from ppworkbench.study.run_history import RunHistory
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

    def __init__(self, workbench: Workbench, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self.engine: Engine | None = None
        """Where trainings are done; None for the usual place."""
        self.history = RunHistory[ClassifyRun](limit=_KEPT)
        self.state = IDLE
        self._told = -1
        self._task: PageTask[None] = PageTask(workbench, PAGE, self)
        self._task.progressed.connect(self._on_progressed)
        self._task.changed.connect(self._on_task_changed)
        self._preparing: ClassifyRun | None = None
        self._preparation: PageTask[Experiment] = PageTask(
            workbench, "classify prepare", self, quiet=True
        )
        self._preparation.finished.connect(self._on_prepared)

    @property
    def current(self) -> ClassifyRun | None:
        """The run that is shown."""
        return self.history.shown

    @property
    def running(self) -> ClassifyRun | None:
        """The run that is under way or paused."""
        return None if self.state == IDLE else self.history.newest

    @property
    def is_stopping(self) -> bool:
        """Whether a paused run is still on its way to a halt."""
        return self.state == PAUSED and self._task.is_running

    def matching(self, request: ClassifyRequest) -> ClassifyRun | None:
        """An earlier run of the same request."""
        runs = reversed(self.history.runs)
        return next((run for run in runs if run.request == request), None)

    def show(self, run: ClassifyRun) -> None:
        """Show an earlier run."""
        if run is not self.current:
            self.history = self.history.select(run)
            self.changed.emit()

    # A run

    def start(self, study: Study, request: ClassifyRequest) -> None:
        """Begin a run, or go on with an unfinished one of the same request."""
        run = self.matching(request)
        if run is None or run.is_complete:
            run = ClassifyRun(request)
        self.history = self.history.add(run)
        self._train(study, run)

    def pause(self) -> None:
        """Stop for now; the settings stay as they are."""
        if self.state == RUNNING and self._task.is_running:
            self.state = PAUSED
            self._task.cancel()
            self.changed.emit()

    def go_on(self, study: Study) -> None:
        """Go on with the paused run."""
        run = self.running
        if self.state == PAUSED and run is not None and not self._task.is_running:
            self._train(study, run)

    def cancel(self) -> None:
        """Stop; what is finished stays."""
        if self._task.is_running:
            self.state = RUNNING
            self._task.cancel()
        elif self.state == PAUSED:
            self._rest()

    def _train(self, study: Study, run: ClassifyRun) -> None:
        engine = self.engine
        tables = [one.table for one in self.history if one is not run]
        earlier = [table for table in tables if table is not None]

        def work(progress: Progress) -> None:
            run_request(run, study, earlier, engine, progress)

        self.state = RUNNING
        self._told = -1
        self._task.start(self._words(run), work)
        self.changed.emit()

    def _words(self, run: ClassifyRun) -> str:
        done, total = number(run.done), number(run.request.total)
        if run.request.sweep.levels:
            return self.tr("Privacy sweep: %s of %s trainings") % (done, total)
        return self.tr("Comparison: %s of %s trainings") % (done, total)

    def _on_progressed(self) -> None:
        run = self.running
        if run is not None and run.done != self._told:
            self._told = run.done
            self._task.set_name(self._words(run))
            self.progressed.emit()

    def _on_task_changed(self) -> None:
        run = self.running
        if self._task.is_running or run is None:
            return
        if self.state == PAUSED and not run.is_complete:
            self.keep()
            self.changed.emit()
        else:
            self._rest()

    def _rest(self) -> None:
        run = self.running
        self.state = IDLE
        self.keep()
        if run is not None and not run.is_complete:
            self.stopped.emit(run.done, run.request.total)
        self.changed.emit()

    def remove(self, run: ClassifyRun) -> None:
        """Remove a kept run."""
        if run is not self.running:
            self.history = self.history.remove(run)
            self.keep()
            self.changed.emit()

    def prepare(self, run: ClassifyRun) -> bool:
        """Whether a run of another session knows its experiment; if not, it is made meanwhile."""
        if run.experiment is not None:
            return True
        table, design = self._workbench.store.study.original, self._workbench.store.study.design
        if table is None or self._preparing is run:
            return False
        self._preparing = run

        def work(_: Progress) -> Experiment:
            return run.request.experiment(table, design)

        self._preparation.start(self.tr("Preparing the tree"), work)
        return False

    def _on_prepared(self, experiment: Experiment) -> None:
        run, self._preparing = self._preparing, None
        if run is None or run.table is None:
            return
        if experiment.fingerprint == run.table.fingerprint:
            run.experiment = experiment
            self.changed.emit()

    # The study

    def keep(self, choices: Mapping[str, object] | None = None) -> None:
        """Put the runs that have results into the study."""
        before = self._workbench.store.study.results.get(PAGE)
        known = before.get("choices") if isinstance(before, Mapping) else None
        kept = {
            "choices": known if choices is None else dict(choices),
            "runs": [run.to_json() for run in self.history if run.done],
        }
        self._workbench.store.set_results(PAGE, kept)

    def restore(self) -> object:
        """Read the runs of the study that was opened; gives back its saved choices."""
        self.state = IDLE
        self._preparing = None
        self._task.drop()
        self._preparation.drop()
        self.history = RunHistory(limit=_KEPT)
        given = self._workbench.store.study.results.get(PAGE)
        choices = None
        if isinstance(given, Mapping):
            choices = given.get("choices")
            listed = given.get("runs")
            for one in listed if isinstance(listed, list) else ():
                try:
                    self.history = self.history.add(ClassifyRun.from_json(one))
                except DataError as error:
                    self._workbench.error_raised.emit(error)
        self.changed.emit()
        return choices
