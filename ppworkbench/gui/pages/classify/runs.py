"""The runs of the page: one under way, perhaps paused, those that the study keeps, their trees."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QObject, Signal

from ppworkbench.analyses.classification import (
    ClassifyRequest,
    ClassifyRun,
    TrainedTree,
    run_request,
    train_tree,
)
from ppworkbench.core.errors import DataError
from ppworkbench.core.experiment import Experiment
from ppworkbench.core.experiment.engines import Engine
from ppworkbench.core.progress import Progress
from ppworkbench.gui.language import told_error
from ppworkbench.gui.numbers import number
from ppworkbench.gui.page_task import PageTask
from ppworkbench.gui.pages.classify.view import IDLE, PAUSED, RUNNING
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.run_history import RunHistory
from ppworkbench.study.study import Study

PAGE = "classify"
_KEPT = 8
_KEPT_TREES = 12


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

    @property
    def current(self) -> ClassifyRun | None:
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
        self._task.drop()
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


class Trees(QObject):
    """One tree at a time; what was asked for last wins."""

    changed = Signal()
    """The tree that was asked for is there, or cannot be had."""

    def __init__(self, workbench: Workbench, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = workbench.store
        self.problem = ""
        """Why the tree that was asked for last cannot be had; empty if it can."""
        self._known: dict[_TreeKey, TrainedTree] = {}
        self._wanted: _TreeKey | None = None
        self._task: PageTask[tuple[Experiment, TrainedTree] | None] = PageTask(
            workbench, "classify tree", self, quiet=True
        )
        self._task.finished.connect(self._on_trained)
        self._task.failed.connect(self._on_failed)

    def find(
        self, study: Study, run: ClassifyRun, key: str, level: float | None
    ) -> TrainedTree | None:
        """The tree of a setting; one that is not known yet is trained, and announced then."""
        wanted = run, key, level
        if wanted != self._wanted:
            self.drop()
            self._wanted = wanted
            if wanted not in self._known:
                self._train(study, run, key, level)
        return self._known.get(wanted)

    def _train(self, study: Study, run: ClassifyRun, key: str, level: float | None) -> None:
        known, original, table = run.experiment, study.original, run.table

        def work(progress: Progress) -> tuple[Experiment, TrainedTree] | None:
            experiment = known
            if experiment is None and original is not None and table is not None:
                # A run of another session: its experiment is made again.
                experiment = run.request.experiment(original, study.design)
                if experiment.fingerprint != table.fingerprint:
                    return None
            if experiment is None:
                return None
            return experiment, train_tree(experiment, key, level, progress)

        self._task.start(self.tr("Drawing the tree"), work)

    def drop(self) -> None:
        """There is no tree to be drawn; one that is on its way is not needed any more."""
        self._wanted, self.problem = None, ""
        self._task.drop()

    def forget(self) -> None:
        """Drop all trees: another study is shown."""
        self._known.clear()
        self.drop()

    def _on_trained(self, found: tuple[Experiment, TrainedTree] | None) -> None:
        if self._wanted is None:
            return
        if found is None:
            self.problem = self.tr("Run again to see the tree.")
        else:
            self._wanted[0].experiment, self._known[self._wanted] = found
            while len(self._known) > _KEPT_TREES:
                self._known.pop(next(iter(self._known)))
        self.changed.emit()

    def _on_failed(self, error: BaseException) -> None:
        if self._wanted is not None:
            self.problem = told_error(error, self._store.study)
            self.changed.emit()


_TreeKey = tuple[ClassifyRun, str, float | None]
"""A run, a setting and a level."""
