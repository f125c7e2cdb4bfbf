"""What accuracy does privacy cost? Compare classifiers that learn from distorted answers."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from datetime import datetime

from PySide6.QtCore import QObject, Qt, QTime
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from ppworkbench.gui.files import FileActions
from ppworkbench.gui.language import translate
from ppworkbench.gui.numbers import number
from ppworkbench.gui.pages.classify.curve_card import ConfusionCard, CurveCard, Summaries, levels_of
from ppworkbench.gui.pages.classify.results_card import (
    ALL_RUNS,
    ResultRow,
    ResultsCard,
    best_mean,
    rows_of,
)
from ppworkbench.gui.pages.classify.runs import IDLE, PAUSED, RUNNING, Runs
from ppworkbench.gui.pages.classify.settings_card import WIDTH, SettingsCard
from ppworkbench.gui.pages.classify.texts import (
    class_hint,
    level_words,
    no_original,
    setting_name,
    short_name,
    why_not_run,
)
from ppworkbench.gui.pages.classify.tree_card import TrainedTree, TreeCard, Trees
from ppworkbench.gui.pages.page import Page, add_attribute_keys, add_filter_key
from ppworkbench.gui.single_shot import single_shot
from ppworkbench.gui.widgets.banner import Banner
from ppworkbench.gui.widgets.layout import (
    are_moved,
    column,
    restore_columns,
    scrolled,
    splitter,
    three_columns,
)
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.analyses.classification import (
    ClassifyRequest,
    ClassifyRun,
    ClassifySettings,
    class_names,
    offered,
)
from ppworkbench.study.fingerprint import belongs_to

_USUAL = 100.0
"""The level that is looked at first, or the nearest to it."""


class Showing(QObject):
    """What of a run is in sight: a level, a setting, its tree."""

    def __init__(self, page: ClassifyPage) -> None:
        super().__init__(page)
        self._page = page
        self._run: ClassifyRun | None = None
        self._summaries: Summaries = {}
        self.level: float | None = None
        self.key: str | None = None
        self.all_runs = False
        self._drawn: tuple[str, float | None] | None = None
        page.trees.drawn.connect(self._on_drawn)
        page.trees.failed.connect(page.tree.show_nothing)

    # Settings

    def show_settings(self) -> None:
        """Show what was chosen."""
        page, study = self._page, self._page.store.study
        card, choices = page.settings_card, page.choices
        targets = [(name, str(study.attribute(name).kind)) for name in class_names(study)]
        current = choices.class_of(study)
        card.show_targets(targets, current)
        card.target.setEnabled(bool(targets))
        card.show_target_hint(class_hint(study, current))
        card.show_choices(choices, self._sweep_hint())

    def _sweep_hint(self) -> str:
        choices = self._page.choices
        if not choices.sweeps:
            return self.tr("off: with the design as it is")
        words = self.tr("range privacy; what the design distorts is brought to %s levels")
        return words % number(len(choices.levels))

    # Results

    def show_results(self) -> None:
        """Show the run in front, or why there is none."""
        page = self._page
        run = page.runs.current
        if run is not self._run:
            self._run = run
            self.level, self.key = self._first_level(run), None
        if run is None:
            self._show_empty()
            return
        self._summaries = run.summaries()
        running = page.runs.running is run
        words = self.tr("larger class")
        levels = levels_of(
            run, self._summaries, words, is_running=running, is_stale=page.is_stale(run)
        )
        if not run.done and not running:
            self._show_empty()
            return
        badge = "" if run.is_complete else self.tr("partial result")
        page.curve.show_levels(levels, badge)
        self._show_table(run)
        self.show_choice()

    def _first_level(self, run: ClassifyRun | None) -> float | None:
        levels = () if run is None else run.request.sweep.levels
        return min(levels, key=lambda level: abs(level - _USUAL)) if levels else None

    def _show_empty(self) -> None:
        page, study = self._page, self._page.store.study
        if study.original is None:
            page.curve.show_empty(self.tr("There are no original answers"), no_original(study), "")
        elif page.choices.class_of(study) is None:
            page.curve.show_empty(
                self.tr("What is to be foretold?"),
                self.tr("Choose an attribute under “Predict”, or mark the class on the Data page."),
                self.tr("Choose the class on the Data page"),
            )
        else:
            why_not = why_not_run(study, page.choices)
            page.curve.show_empty(
                self.tr("Nothing has been compared yet"),
                why_not
                or self.tr(
                    "Every training fold is distorted and learnt from; the fold left out is "
                    "classified as it is. Press Run."
                ),
                "",
            )
        page.results.show_levels([], None)
        page.results.show_runs([], None)
        page.results.show_rows([], self.tr("Results appear here fold by fold."), stale=False)
        page.confusion.show_nothing(self.tr("Appears with the first results."))
        page.tree.show_nothing(self.tr("The tree of the first fold is drawn here."))
        page.trees.nothing()
        self._drawn = None

    def _show_table(self, run: ClassifyRun) -> None:
        page = self._page
        levels = run.request.sweep.levels or (None,)
        page.results.show_levels([(level, level_words(level)) for level in levels], self.level)
        runs: list[tuple[object, str]] = [
            (place, self._run_words(one)) for place, one in enumerate(page.runs.history)
        ]
        if len(runs) > 1:
            runs.append((ALL_RUNS, self.tr("all runs")))
        current = ALL_RUNS if self.all_runs else page.runs.history.runs.index(run)
        page.results.show_runs(runs, current)
        rows = self._rows(run)
        page.results.show_rows(rows, self._note(run), stale=page.is_stale(run))

    def _rows(self, run: ClassifyRun) -> list[ResultRow]:
        words = self.tr("Larger class")
        if not self.all_runs:
            return rows_of(run, self._summaries, self.level, words)
        rows = []
        for one in self._page.runs.history:
            if one.request.class_name != run.request.class_name:
                continue
            summaries = self._summaries if one is run else one.summaries()
            level = self.level if self.level in one.request.levels else None
            if level is None and one.request.sweep.levels:
                continue
            for row in rows_of(one, summaries, level, words):
                words = f"{self._run_words(one)}: {row.how}"
                rows.append(dataclasses.replace(row, how=words, is_best=False))
        best = best_mean(rows)
        return [dataclasses.replace(r, is_best=r.may_be_best and r.mean == best) for r in rows]

    def _run_words(self, run: ClassifyRun) -> str:
        when = datetime.fromtimestamp(run.when).astimezone()
        place = self._page.runs.history.runs.index(run) + 1
        return self.tr("run %s, %s") % (place, QTime(when.hour, when.minute).toString("HH:mm"))

    def _note(self, run: ClassifyRun) -> str:
        plan = run.request.plan
        parts = [
            self.tr("%s folds × %s repeats; best result on distorted data in bold; test records "
                    "are original.") % (number(plan.folds), number(plan.repeats))
        ]  # fmt: skip
        problems = {s.setting: s for s in self._summaries.values() if s.error}
        for setting in run.request.settings:
            found = problems.get(setting.key)
            if found is not None:
                words = self.tr("%s: %s of its folds have no result. %s")
                parts.append(
                    words % (setting_name(setting), number(found.failed), translate(found.error))
                )
        return " ".join([*parts, *(translate(note) for note in run.notes[:2])])

    # The chosen level and setting

    def choose_level(self, level: float | None) -> None:
        """Look at another level."""
        if level != self.level:
            self.level = level
            self.show_results()

    def choose_row(self, place: int) -> None:
        """Look at another setting."""
        rows = self._page.results.model.rows
        if 0 <= place < len(rows):
            row = rows[place]
            self.key = row.key
            if row.run is not None and row.run is not self._run and self.all_runs:
                self._run = row.run
                self._page.runs.show(row.run)
            self.show_choice()

    def show_choice(self) -> None:
        """Bring marks, confusion matrix and tree up to the chosen setting."""
        page, run = self._page, self._run
        if run is None:
            return
        rows = page.results.model.rows
        key = self.key if self.key is not None else _best(rows)
        place = next((i for i, r in enumerate(rows) if r.key == key and r.run is run), None)
        if place is not None:
            page.results.select(place)
        page.curve.plot.choose(self.level, key)
        setting = next((s for s in run.request.settings if s.key == key), None)
        at = None if setting is None or setting.undistorted else self.level
        found = self._summaries.get((key or "", at))
        if setting is None or found is None or not found.done:
            page.confusion.show_nothing(self._no_matrix(setting is None))
        elif not len(found.confusion):
            page.confusion.show_nothing(self.tr("The accuracy is estimated; nothing was counted."))
        else:
            page.confusion.show_summary(setting_name(setting), run.class_values, found)
        self._ask_for_tree(run, key)

    def _no_matrix(self, is_larger: bool) -> str:
        if is_larger:
            return self.tr("Always foretelling the larger class is right for all of its records.")
        return self.tr("No fold of this setting is finished yet.")

    # The tree

    def _ask_for_tree(self, run: ClassifyRun, key: str | None) -> None:
        page = self._page
        trees = [s for s in run.request.settings if s.classifier == "tree"]
        chosen = next((s for s in trees if s.key == key), trees[0] if trees else None)
        if chosen is None:
            page.trees.nothing()
            page.tree.show_nothing(self.tr("Tick “%s” to see it drawn here.") % short_name("tree"))
            return
        level = None if chosen.undistorted else self.level
        self._drawn = chosen.key, level
        if run.experiment is None and page.is_stale(run):
            page.trees.nothing()
            page.tree.show_nothing(self.tr("Run again to see the tree: the study has changed."))
            return
        if run.experiment is None and not page.runs.prepare(run):
            page.tree.show_waiting()
            return
        page.tree.show_waiting()
        page.trees.draw(run, chosen.key, level)

    def _on_drawn(self, tree: TrainedTree | None) -> None:
        run, drawn = self._run, self._drawn
        if run is None or drawn is None:
            return
        if tree is None:
            self._page.tree.show_nothing(self.tr("Run again to see the tree."))
            return
        setting = next((s for s in run.request.settings if s.key == drawn[0]), None)
        if setting is not None:
            hint = (
                self.tr("splits chosen from the answers as they are")
                if setting.undistorted
                else self.tr("splits chosen from reconstructed counts; %s") % level_words(drawn[1])
            )
            self._page.tree.show_tree(tree, setting_name(setting), hint)


def _best(rows: Sequence[ResultRow]) -> str | None:
    best = next((row.key for row in rows if row.is_best), None)
    known = (row.key for row in rows if math.isfinite(row.mean))
    return best or next(known, None)


_RIGHT = 364


class ClassifyPage(Page):
    """Settings at the left, curve and table in the middle, right and wrong and the tree right."""

    name = "classify"

    def __init__(self, workbench: Workbench, files: FileActions | None = None) -> None:
        super().__init__(workbench)
        self.files = files
        self.title = self.tr("Classify")
        self.question = self.tr("How well can the class be learned from distorted answers?")
        self.choices = ClassifySettings()
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
        self.choices = ClassifySettings.from_json(self.runs.restore())
        self._on_study_changed()

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
        self.runs.changed.connect(self._on_runs_changed)
        self.runs.progressed.connect(self._on_progressed)
        self.runs.stopped.connect(self._on_stopped)
        card.class_chosen.connect(lambda name: self.choose(self.choices.with_(class_name=name)))
        card.ticked.connect(lambda name, on: self.choose(self.choices.with_classifier(name, on)))
        card.params_edited.connect(
            lambda name, params: self.choose(self.choices.with_params(name, params))
        )
        card.referred.connect(lambda name, on: self.choose(self.choices.with_reference(name, on)))
        card.folding_chosen.connect(
            lambda folds, repeats: self.choose(self.choices.with_(folds=folds, repeats=repeats))
        )
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

    def refresh(self) -> None:
        """Show the study, the choices and the runs of now."""
        self.showing.show_settings()
        self.showing.show_results()
        self._update_actions()
        self._show_stale()

    def is_stale(self, run: ClassifyRun) -> bool:
        """Whether a run belongs to another state of the study."""
        return not belongs_to(self.store.study, run.request.mark)

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
            self.showing.all_runs = False
            self.runs.start(self.store.study, request)
            self.runs.keep(self.choices.to_json())

    def _on_sweep(self, on: bool, low: float, high: float, steps: int) -> None:
        highest = max(high, low + 1)
        self.choose(self.choices.with_(sweeps=on, low=low, high=highest, steps=steps))

    def _on_run_chosen(self, place: object) -> None:
        self.showing.all_runs = place == ALL_RUNS
        if isinstance(place, int):
            self.runs.show(self.runs.history.runs[place])
        self.refresh()

    def _on_run_removed(self) -> None:
        if self.runs.current is not None:
            self.showing.all_runs = False
            self.runs.remove(self.runs.current)

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
