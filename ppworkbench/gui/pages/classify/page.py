"""What accuracy does privacy cost? Compare classifiers that learn from distorted answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from ppworkbench.analyses.experiments.classification import (
    ClassifyRequest,
    ClassifyRun,
    ClassifySettings,
    ResultRow,
    TrainedTree,
    run_request,
    train_tree,
)
from ppworkbench.core.errors import DataError
from ppworkbench.core.experiment import Experiment
from ppworkbench.core.experiment.engines import Engine
from ppworkbench.core.progress import Progress
from ppworkbench.gui.application import single_shot
from ppworkbench.gui.files import FileActions
from ppworkbench.gui.language import told_error
from ppworkbench.gui.numbers import number
from ppworkbench.gui.page_task import PageTask
from ppworkbench.gui.pages.classify.result_cards import (
    ALL_RUNS,
    ConfusionCard,
    CurveCard,
    ResultsCard,
)
from ppworkbench.gui.pages.classify.settings_card import WIDTH, SettingsCard
from ppworkbench.gui.pages.classify.tree_card import TreeCard
from ppworkbench.gui.pages.classify.view import (
    IDLE,
    PAUSED,
    RUNNING,
    ClassifyView,
    Focus,
    Summaries,
    build_view,
    run_hint,
    time_words,
    why_not_run,
)
from ppworkbench.gui.pages.page import Page, add_attribute_keys, add_filter_key
from ppworkbench.gui.widgets.banner import Banner
from ppworkbench.gui.widgets.layout import column, named, reserve_least, scrolled
from ppworkbench.gui.widgets.splitter import ThreeColumns, are_moved, restore_columns, splitter
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.run_history import RunHistory
from ppworkbench.study.study import Study

if TYPE_CHECKING:
    from ppworkbench.outputs.scripts.analysis import Analysis
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
        if run is not self.running:
            self.history = self.history.remove(run)
            self.keep()
            self.changed.emit()

    # The study

    def keep(self, choices: Mapping[str, object] | None = None) -> None:
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


_RIGHT = 364


class _Card(Protocol):
    """A part of the page."""

    def set_view(self, view: ClassifyView) -> None: ...


class ClassifyPage(Page):
    """Settings at the left, curve and table in the middle, right and wrong and the tree right."""

    name = "classify"

    def __init__(self, workbench: Workbench, files: FileActions | None = None) -> None:
        super().__init__(workbench)
        self.files = files
        self.title = self.tr("Classify")
        self.question = self.tr("Predict a class from distorted answers")
        self.choices = ClassifySettings()
        self.runs = Runs(workbench, self)
        self.trees = Trees(workbench, self)
        self.focus = Focus()
        """What of the runs is looked at."""
        self._focused: ClassifyRun | None = None
        """The run that the focus belongs to."""
        self._summaries: dict[ClassifyRun, Summaries] = {}
        self._room_due = single_shot(self, self._give_room)
        self._results_due = single_shot(self, self._show_results, 150)
        self._make_actions()
        self._make_cards()
        self._arrange()
        self._listen()
        self.choices = ClassifySettings.from_json(self.runs.restore())
        self.refresh_soon()

    def _make_actions(self) -> None:
        self.set_primary("runExperiment", self.tr("Run", "verb"), "play", self.run)
        self.pause_action = self.action(
            "pauseExperiment", self.tr("Pause"), "pause", self.runs.pause
        )
        self.cancel_action = self.action(
            "cancelExperiment", self.tr("Cancel"), "close", self.runs.cancel
        )
        self.secondary = [self.pause_action, self.cancel_action]
        for action in self.secondary:
            action.setVisible(False)

    def analysis(self) -> tuple[Analysis, Study] | None:
        from ppworkbench.outputs.scripts.results import classification_analysis
        from ppworkbench.study.fingerprint import fingerprint

        run, study = self.runs.current, self.store.study
        if run is None or run.request.mark != fingerprint(study):
            return None
        return classification_analysis(study, run.request), study

    def _make_cards(self) -> None:
        themes = self.themes
        self.settings_card = SettingsCard(themes)
        self.curve = CurveCard(themes)
        self.results = ResultsCard(themes)
        self.confusion = ConfusionCard(themes)
        self.tree = TreeCard(themes)
        self.banner = named(Banner(themes), "classifyStale")
        self._results: tuple[_Card, ...] = (self.curve, self.results, self.confusion, self.tree)

    def _arrange(self) -> None:
        down = Qt.Orientation.Vertical
        middle = splitter(down, "classifyMiddle", self.curve, self.results)
        self.pile = splitter(down, "classifyRight", self.confusion, self.tree)
        right = scrolled(self.pile)
        reserve_least(right, self.themes, 280)
        # Below these heights the column scrolls.
        reserve_least(self.curve, self.themes, height=216)
        reserve_least(self.tree, self.themes, height=346)
        self.columns = ThreeColumns(
            self.themes, "classifyColumns", self.settings_card, scrolled(middle), right
        )
        middle.setStretchFactor(0, 55)
        middle.setStretchFactor(1, 45)
        self.pile.setStretchFactor(0, 35)
        self.pile.setStretchFactor(1, 65)
        column(self.banner, self.columns, parent=self, spacing=8, margin=(16, 4, 16, 12), stretch=1)
        restore_columns(self, self.workbench.settings)

    def _listen(self) -> None:
        store, card, results = self.store, self.settings_card, self.results
        store.study_opened.connect(self._on_opened)
        self.follow(store.data_changed, store.design_changed, store.settings_changed)
        self.runs.changed.connect(self._on_runs_changed)
        self.runs.progressed.connect(self._on_progressed)
        self.runs.stopped.connect(self._on_stopped)
        self.trees.changed.connect(self._on_tree)
        card.settings_changed.connect(self.choose)
        card.help_requested.connect(self.workbench.help_requested)
        results.level_chosen.connect(self.choose_level)
        results.row_chosen.connect(self._on_row)
        results.run_chosen.connect(self._on_run_chosen)
        results.remove.clicked.connect(self._on_run_removed)
        self.curve.level_chosen.connect(self.choose_level)
        self.curve.empty.button.clicked.connect(lambda: self.workbench.page_requested.emit("data"))
        add_attribute_keys(self, self.settings_card.target)
        add_filter_key(self)

    # The study

    @property
    def optional_panels(self) -> tuple[QWidget, ...]:
        return (self.settings_card,)

    def kept(self) -> tuple[str, ...]:
        return ("choices", "focus", "runs.history")

    def _on_opened(self) -> None:
        self.trees.forget()
        self.choices = ClassifySettings.from_json(self.runs.restore())
        self.refresh_soon()

    def _on_runs_changed(self) -> None:
        self._update_actions()
        self.refresh_soon()

    def _on_progressed(self) -> None:
        if self._is_front and not self._results_due.isActive():
            self._results_due.start()

    # What is shown

    @property
    def view(self) -> ClassifyView:
        return build_view(
            self.store.study, self.choices, self.runs.history, self.runs.state, self.focus,
            self._summaries,
        )  # fmt: skip

    def refresh(self) -> None:
        self._show_results()
        self._show(self.settings_card)
        self._update_actions()
        self._show_stale()

    def _show_results(self) -> None:
        run, runs = self.runs.current, self.runs.history
        if run is not self._focused:
            self._focused, self.focus = run, self.focus.on_run(run)
        read = runs if self.focus.all_runs else [one for one in runs if one is run]
        self._summaries = {one: one.summaries() for one in read}
        self._show(*self._results)

    def _show(self, *cards: _Card) -> None:
        view = self._with_tree(self.view)
        for card in cards:
            card.set_view(view)

    def _with_tree(self, view: ClassifyView) -> ClassifyView:
        """The view with its tree; one that is not known yet is trained meanwhile."""
        run, setting = view.run, view.tree_setting
        # A run that has just begun makes its experiment itself.
        waits = run is not None and run.experiment is None and (view.is_stale or view.is_running)
        if run is None or setting is None or waits:
            self.trees.drop()
            return view
        tree = self.trees.find(view.study, run, setting.key, view.level(setting))
        return replace(view, tree=tree, tree_problem=self.trees.problem)

    def _on_tree(self) -> None:
        if self._is_front:
            self._show(self.tree)

    def choose_level(self, level: float | None) -> None:
        if level != self.focus.level:
            self.focus = replace(self.focus, level=level)
            self._show_results()

    def _on_row(self, row: ResultRow) -> None:
        self.focus = replace(self.focus, key=row.key)
        if row.run is not None and self.focus.all_runs:
            self._focused = row.run
            self.runs.show(row.run)
        self._show(*self._results)

    # What a person does

    def choose(self, choices: ClassifySettings) -> None:
        if choices != self.choices:
            self.choices = choices
            self.refresh_soon()

    def request(self) -> ClassifyRequest | None:
        study = self.store.study
        if why_not_run(study, self.choices):
            return None
        return self.choices.request(study)

    def run(self) -> None:
        """Begin, or go on with what is paused."""
        if self.runs.state == PAUSED:
            self.runs.go_on(self.store.study)
            return
        request = self.request()
        if request is not None and self.runs.state == IDLE:
            self.focus = replace(self.focus, all_runs=False)
            self.runs.start(self.store.study, request)
            self.runs.keep(self.choices.to_json())

    def _on_run_chosen(self, place: object) -> None:
        self.focus = replace(self.focus, all_runs=place == ALL_RUNS)
        if isinstance(place, int):
            self.runs.show(self.runs.history.runs[place])
        self.refresh()

    def _on_run_removed(self) -> None:
        if self.runs.current is not None:
            self.focus = replace(self.focus, all_runs=False)
            self.runs.remove(self.runs.current)

    # States

    def _update_actions(self) -> None:
        state = self.runs.state
        why_not = why_not_run(self.store.study, self.choices)
        words = {RUNNING: self.tr("Running…"), PAUSED: self.tr("Continue")}
        self.primary.setText(words.get(state, self.tr("Run", "verb")))
        if state == PAUSED:
            self.primary.setEnabled(not self.runs.is_stopping)
            self.primary.setToolTip(self.tr("Resume (Ctrl+Enter)"))
        else:
            self.primary.setEnabled(state == IDLE and not why_not)
            request = self.request()
            begun = None if request is None else self.runs.matching(request)
            self.primary.setToolTip(why_not or run_hint(request, begun))
        self.pause_action.setVisible(state == RUNNING)
        self.cancel_action.setVisible(state != IDLE)

    def _show_stale(self) -> None:
        view = self.view
        run = view.run
        if run is None or not run.done or not view.is_stale:
            self.banner.hide()
            return
        can_run = not view.why_not_run and view.state == IDLE
        self.banner.say(
            "info",
            self.tr("Results are for the design at %s.") % time_words(run),
            self.tr("Data, design or seed have changed."),
            (self.tr("Run again"), self.run) if can_run else None,
            closable=False,
        )

    def _on_stopped(self, done: int, total: int) -> None:
        words = self.tr("Stopped. There are no results yet.")
        if done:
            words = self.tr("Stopped after %s of %s; partial results are shown.")
            words %= number(done), number(total)
        self.workbench.show_toast(words)

    # Room

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Give the curve what room there is, unless somebody moved the columns."""
        super().resizeEvent(event)
        self._give_room()
        # The settings may need less once all of them have their look.
        self._room_due.start(0)

    def _give_room(self) -> None:
        if are_moved(self.columns):
            return
        px = self.themes.theme.px
        wide = self.width() >= px(1190)
        left, right = px(WIDTH), px(_RIGHT if wide else 288)
        right = max(right, round(0.29 * self.width()) if wide else 0)
        self.columns.setSizes([left, self.width() - left - right, right])
        self.pile.setSizes([px(208), max(self.height() - px(220), 1)])
