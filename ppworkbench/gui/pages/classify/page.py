"""What accuracy does privacy cost? Compare classifiers that learn from distorted answers."""

from __future__ import annotations

from datetime import datetime

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from ppworkbench.gui.columns import are_moved, restore_columns
from ppworkbench.gui.files import FileActions
from ppworkbench.gui.pages.classify.choices import LARGER, Choices
from ppworkbench.gui.pages.classify.confusion_card import ConfusionCard
from ppworkbench.gui.pages.classify.curve_card import CurveCard
from ppworkbench.gui.pages.classify.reasons import why_not_run
from ppworkbench.gui.pages.classify.results_card import ALL_RUNS, ResultsCard
from ppworkbench.gui.pages.classify.run import Request, Run, mark_of
from ppworkbench.gui.pages.classify.runs import IDLE, PAUSED, RUNNING, Runs
from ppworkbench.gui.pages.classify.settings_card import WIDTH, SettingsCard
from ppworkbench.gui.pages.classify.showing import Showing
from ppworkbench.gui.pages.classify.tree_card import TreeCard
from ppworkbench.gui.pages.classify.trees import Trees
from ppworkbench.gui.pages.classify.words import offered
from ppworkbench.gui.pages.page import Page
from ppworkbench.gui.pages.page_keys import add_attribute_keys, add_filter_key
from ppworkbench.gui.single_shot import single_shot
from ppworkbench.gui.widgets.banner import Banner
from ppworkbench.gui.widgets.layouts import column, scrolled, splitter, three_columns
from ppworkbench.gui.words import number
from ppworkbench.gui.workbench import Workbench

_RIGHT = 364


class ClassifyPage(Page):
    """Settings at the left, curve and table in the middle, right and wrong and the tree right."""

    name = "classify"

    def __init__(self, workbench: Workbench, files: FileActions | None = None) -> None:
        super().__init__(workbench)
        self.files = files
        self.title = self.tr("Classify")
        self.question = self.tr("How well can the class be learned from distorted answers?")
        self.choices = Choices(self)
        self.runs = Runs(workbench, self)
        self.trees = Trees(workbench, self)
        self._due = single_shot(self, self.refresh)
        self._room_due = single_shot(self, self._give_room)
        self._results_due = single_shot(self, milliseconds=150)
        self._make_actions()
        self._make_parts()

    def _make_parts(self) -> None:
        self._make_cards()
        self._arrange()
        self.showing = Showing(self)
        self._results_due.timeout.connect(self.showing.show_results)
        self._listen()
        self.choices.restore(self.runs.restore())

    def _make_actions(self) -> None:
        self.name_primary("runExperiment", self.tr("Run", "verb"), "play", self.run)
        self.pause_action = self.action(
            "pauseExperiment", self.tr("Pause"), "pause", self.runs.pause
        )
        self.cancel_action = self.action(
            "cancelExperiment", self.tr("Cancel"), "close", self.runs.cancel
        )
        self.secondary = [self.pause_action, self.cancel_action]
        for action in self.secondary:
            action.setVisible(False)

    def _make_cards(self) -> None:
        themes = self.themes
        self.settings_card = SettingsCard(themes)
        for name in offered():
            self.settings_card.add_classifier(name)
        self.curve = CurveCard(themes)
        self.results = ResultsCard(themes)
        self.confusion = ConfusionCard(themes)
        self.tree = TreeCard(themes)
        self.banner = Banner(themes)
        self.banner.setObjectName("classifyStale")

    def _arrange(self) -> None:
        down = Qt.Orientation.Vertical
        middle = splitter(down, "classifyMiddle", self.curve, self.results)
        self.pile = splitter(down, "classifyRight", self.confusion, self.tree)
        self.right = scrolled(self.pile)
        self.columns = three_columns(
            "classifyColumns", self.settings_card, scrolled(middle), self.right
        )
        middle.setStretchFactor(0, 55)
        middle.setStretchFactor(1, 45)
        self.pile.setStretchFactor(0, 35)
        self.pile.setStretchFactor(1, 65)
        layout = column(self.banner, self.columns, parent=self, spacing=8)
        layout.setContentsMargins(16, 4, 16, 12)
        layout.setStretch(1, 1)
        restore_columns(self, self.workbench.settings)
        self._restyle()

    def _listen(self) -> None:
        store, card, results = self.store, self.settings_card, self.results
        store.study_opened.connect(self._on_opened)
        for signal in (store.data_changed, store.design_changed, store.settings_changed):
            signal.connect(self._on_study_changed)
        self.choices.changed.connect(self._on_study_changed)
        self.runs.changed.connect(self._on_runs_changed)
        self.runs.progressed.connect(self._on_progressed)
        self.runs.stopped.connect(self._on_stopped)
        card.class_chosen.connect(lambda name: self.choices.set(class_name=name))
        card.ticked.connect(self.choices.tick)
        card.params_edited.connect(self.choices.set_params)
        card.referred.connect(self.choices.refer)
        card.folding_chosen.connect(lambda f, r: self.choices.set(folds=f, repeats=r))
        card.sweep_chosen.connect(self._on_sweep)
        card.help_requested.connect(self.workbench.help_requested)
        results.level_chosen.connect(self.showing.choose_level)
        results.row_chosen.connect(self.showing.choose_row)
        results.run_chosen.connect(self._on_run_chosen)
        results.run_removed.connect(self._on_run_removed)
        self.curve.plot.level_chosen.connect(self.showing.choose_level)
        self.curve.empty.button.clicked.connect(lambda: self.workbench.page_requested.emit("data"))
        add_attribute_keys(self, self.settings_card.target)
        add_filter_key(self)
        self.themes.theme_changed.connect(self._restyle)

    # The study

    @property
    def asides(self) -> tuple[QWidget, ...]:
        """Parts that an audience does without."""
        return (self.settings_card,)

    def shown(self) -> None:
        """Bring everything up to date."""
        super().shown()
        self._due.start(0)

    def _on_opened(self) -> None:
        self.trees.forget()
        self.choices.restore(self.runs.restore())

    def _on_study_changed(self, *_: object) -> None:
        if self._is_front:
            self._due.start(0)

    def _on_runs_changed(self) -> None:
        self._update_actions()
        if self._is_front:
            self._due.start(0)

    def _on_progressed(self) -> None:
        if self._is_front and not self._results_due.isActive():
            self._results_due.start()

    def refresh(self) -> None:
        """Show the study, the choices and the runs of now."""
        self.showing.show_settings()
        self.showing.show_results()
        self._update_actions()
        self._show_stale()

    def is_stale(self, run: Run) -> bool:
        """Whether a run belongs to another state of the study."""
        return run.request.mark != mark_of(self.store.study)

    # What a person does

    def request(self) -> Request | None:
        """What would be run now; None where nothing can be."""
        study = self.store.study
        if why_not_run(study, self.choices):
            return None
        name = self.choices.class_of(study)
        assert name is not None  # noqa: S101 (else there is a reason not to)
        return Request(
            name,
            self.choices.settings,
            self.choices.plan(study.settings.seed),
            self.choices.sweep,
            mark_of(study),
            LARGER in self.choices.references,
        )

    def run(self) -> None:
        """Begin, or go on with what is paused."""
        if self.runs.state == PAUSED:
            self.runs.go_on(self.store.study)
            return
        request = self.request()
        if request is not None and self.runs.state == IDLE:
            self.showing.all_runs = False
            self.runs.start(self.store.study, request)
            self.runs.keep(self.choices.to_json())

    def _on_sweep(self, on: bool, low: float, high: float, steps: int) -> None:
        self.choices.set(sweeps=on, low=low, high=max(high, low + 1), steps=steps)

    def _on_run_chosen(self, place: object) -> None:
        self.showing.all_runs = place == ALL_RUNS
        if isinstance(place, int):
            self.runs.show(self.runs.runs[place])
        self.refresh()

    def _on_run_removed(self) -> None:
        if self.runs.current is not None:
            self.showing.all_runs = False
            self.runs.forget_run(self.runs.current)

    # States

    def _update_actions(self) -> None:
        state = self.runs.state
        why_not = why_not_run(self.store.study, self.choices)
        words = {RUNNING: self.tr("Running…"), PAUSED: self.tr("Continue")}
        self.primary.setText(words.get(state, self.tr("Run", "verb")))
        if state == PAUSED:
            self.primary.setEnabled(not self.runs.is_stopping)
            self.primary.setToolTip(self.tr("Go on where it was paused (Ctrl+Enter)"))
        else:
            self.primary.setEnabled(state == IDLE and not why_not)
            self.primary.setToolTip(why_not or self._run_words())
        self.pause_action.setVisible(state == RUNNING)
        self.cancel_action.setVisible(state != IDLE)
        locked = {
            RUNNING: self.tr("settings are fixed while it runs"),
            PAUSED: self.tr("paused; cancel to change the settings"),
        }
        self.settings_card.set_locked(locked.get(state, ""))
        busy = state != IDLE
        self.results.run.setEnabled(not busy and self.results.run.count() > 1)
        self.results.remove.setEnabled(not busy)

    def _run_words(self) -> str:
        request = self.request()
        if request is None:
            return ""
        run = self.runs.matching(request)
        if run is not None and run.done > 0 and not run.is_complete:
            return self.tr("Go on after %s of %s trainings (Ctrl+Enter)") % (
                number(run.done), number(request.total),
            )  # fmt: skip
        return self.tr("Train %s times and compare (Ctrl+Enter)") % number(request.total)

    def _show_stale(self) -> None:
        run = self.runs.current
        if run is None or not run.done or not self.is_stale(run):
            self.banner.hide()
            return
        when = datetime.fromtimestamp(run.when).astimezone().strftime("%H:%M")
        why_not = why_not_run(self.store.study, self.choices)
        again = None if why_not or self.runs.state != IDLE else (self.tr("Run again"), self.run)
        self.banner.say(
            "info",
            self.tr("Results are for the design of %s.") % when,
            self.tr("Data, design or seed have changed since."),
            again,
            closable=False,
        )

    def _on_stopped(self, done: int, total: int) -> None:
        words = self.tr("Stopped after %s of %s. The finished part is shown.")
        self.workbench.toast_requested.emit(words % (number(done), number(total)), False)

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

    def _restyle(self) -> None:
        px = self.themes.theme.px
        self.right.setMinimumWidth(px(280))
        # Below these heights the column scrolls.
        self.curve.setMinimumHeight(px(216))
        self.tree.setMinimumHeight(px(346))
