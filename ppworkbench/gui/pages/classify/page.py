"""What accuracy does privacy cost? Compare classifiers that learn from distorted answers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from ppworkbench.analyses.classification import (
    ClassifyRequest,
    ClassifyRun,
    ClassifySettings,
    ResultRow,
)
from ppworkbench.gui.application import single_shot
from ppworkbench.gui.files import FileActions
from ppworkbench.gui.numbers import number
from ppworkbench.gui.pages.classify.curve_card import ConfusionCard, CurveCard
from ppworkbench.gui.pages.classify.results_card import ALL_RUNS, ResultsCard
from ppworkbench.gui.pages.classify.runs import Runs, Trees
from ppworkbench.gui.pages.classify.settings_card import WIDTH, SettingsCard
from ppworkbench.gui.pages.classify.texts import time_words, why_not_run
from ppworkbench.gui.pages.classify.tree_card import TreeCard
from ppworkbench.gui.pages.classify.view import (
    IDLE,
    PAUSED,
    RUNNING,
    ClassifyView,
    Focus,
    Summaries,
    build_view,
)
from ppworkbench.gui.pages.page import Page, add_attribute_keys, add_filter_key
from ppworkbench.gui.widgets.banner import Banner
from ppworkbench.gui.widgets.layout import column, named, scrolled
from ppworkbench.gui.widgets.splitter import are_moved, restore_columns, splitter, three_columns
from ppworkbench.gui.workbench import Workbench

if TYPE_CHECKING:
    from ppworkbench.outputs.scripts.analysis import Analysis
    from ppworkbench.study.study import Study

_RIGHT = 364


class _Card(Protocol):
    """A part of the page."""

    def set_view(self, view: ClassifyView) -> None:
        """Show it."""


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
        self._due = single_shot(self, self.refresh)
        self._room_due = single_shot(self, self._give_room)
        self._results_due = single_shot(self, self._show_results, 150)
        self._make_actions()
        self._make_cards()
        self._arrange()
        self._listen()
        self.choices = ClassifySettings.from_json(self.runs.restore())
        self._on_study_changed()

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
        """The run on the page as a call of the Python interface."""
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
        self.runs.changed.connect(self._on_runs_changed)
        self.runs.progressed.connect(self._on_progressed)
        self.runs.stopped.connect(self._on_stopped)
        self.trees.changed.connect(self._on_tree)
        card.settings_changed.connect(self.choose)
        card.help_requested.connect(self.workbench.help_requested)
        results.level_chosen.connect(self.choose_level)
        results.row_chosen.connect(self._on_row)
        results.run_chosen.connect(self._on_run_chosen)
        results.run_removed.connect(self._on_run_removed)
        self.curve.plot.level_chosen.connect(self.choose_level)
        self.curve.empty.button.clicked.connect(lambda: self.workbench.page_requested.emit("data"))
        add_attribute_keys(self, self.settings_card.target)
        add_filter_key(self)
        self.themes.theme_changed.connect(self._restyle)

    # The study

    @property
    def optional_panels(self) -> tuple[QWidget, ...]:
        """Parts that an audience does without."""
        return (self.settings_card,)

    def kept(self) -> tuple[str, ...]:
        """What was chosen and found here."""
        return ("choices", "focus", "runs.history")

    def shown(self) -> None:
        """Bring everything up to date."""
        super().shown()
        self._due.start(0)

    def _on_opened(self) -> None:
        self.trees.forget()
        self.choices = ClassifySettings.from_json(self.runs.restore())
        self._on_study_changed()

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

    # What is shown

    @property
    def view(self) -> ClassifyView:
        """What there is to show now, with the results as they were read last."""
        return build_view(
            self.store.study, self.choices, self.runs.history, self.runs.state, self.focus,
            self._summaries,
        )  # fmt: skip

    def refresh(self) -> None:
        """Show the study, the choices and the runs of now."""
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
        """Look at another level."""
        if level != self.focus.level:
            self.focus = replace(self.focus, level=level)
            self._show_results()

    def _on_row(self, row: ResultRow) -> None:
        """Look at another setting, perhaps of another run."""
        self.focus = replace(self.focus, key=row.key)
        if row.run is not None and self.focus.all_runs:
            self._focused = row.run
            self.runs.show(row.run)
        self._show(*self._results)

    # What a person does

    def choose(self, choices: ClassifySettings) -> None:
        """Compare in another way from now on."""
        if choices != self.choices:
            self.choices = choices
            self._on_study_changed()

    def request(self) -> ClassifyRequest | None:
        """What would be run now; None where nothing can be."""
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
            self.primary.setToolTip(why_not or self._run_words())
        self.pause_action.setVisible(state == RUNNING)
        self.cancel_action.setVisible(state != IDLE)

    def _run_words(self) -> str:
        request = self.request()
        if request is None:
            return ""
        run = self.runs.matching(request)
        if run is not None and run.done > 0 and not run.is_complete:
            return self.tr("Resume after %s of %s trainings (Ctrl+Enter)") % (
                number(run.done), number(request.total),
            )  # fmt: skip
        return self.tr("Train %s times and compare (Ctrl+Enter)") % number(request.total)

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
        self.workbench.toast_requested.emit(words, False)

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
