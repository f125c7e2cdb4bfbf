"""Distort, reconstruct, and watch how the estimate comes about."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from ppworkbench.analyses.experiments.draws import Draw, ExploredColumn, explored_column
from ppworkbench.analyses.experiments.repeats import DRAWS
from ppworkbench.analyses.experiments.runs import Result, explore, trace_errors
from ppworkbench.core.arrays import Numbers
from ppworkbench.gui.application import single_shot
from ppworkbench.gui.files import FileActions
from ppworkbench.gui.language import told_error
from ppworkbench.gui.page_task import PageTask
from ppworkbench.gui.pages.explore.attack_view import ATTACK, RECONSTRUCT, ViewSwitch
from ppworkbench.gui.pages.explore.draws import RepeatedDraws
from ppworkbench.gui.pages.explore.result_cards import (
    SIDE,
    ArmsCard,
    CurveCard,
    InsightCard,
    PictureCard,
    comparison,
    legend_entries,
    likelihood_curves,
    loss_curves,
)
from ppworkbench.gui.pages.explore.settings_card import WIDTH, SettingsCard
from ppworkbench.gui.pages.explore.view import (
    PageSettings,
    ResultView,
    build_view,
    interpret,
    likelihood_hint,
    loss_hint,
    sets_words,
    stop_marks,
    why_not_distort,
    why_not_explore,
    why_not_repeat,
)
from ppworkbench.gui.pages.page import Page, add_attribute_keys, add_filter_key
from ppworkbench.gui.widgets.layout import column, named, reserve_least, row, scroll_area, stack
from ppworkbench.gui.widgets.number_fields import FieldGesture
from ppworkbench.gui.widgets.splitter import ThreeColumns, restore_columns
from ppworkbench.gui.workbench import Workbench

if TYPE_CHECKING:
    from ppworkbench.gui.pages.explore.attack_view import AttackLab
    from ppworkbench.outputs.scripts.analysis import Analysis
    from ppworkbench.study.study import Study


_LARGEST_SEED = 2**53


class ExplorePage(Page):
    """Settings at the left, the picture with its scrubber in the middle, losses at the right."""

    name = "explore"

    def __init__(self, workbench: Workbench, files: FileActions | None = None) -> None:
        super().__init__(workbench)
        self.files = files
        self.title = self.tr("Explore")
        self.question = self.tr("Try the design on data and see how well it can be recovered")
        self.settings = PageSettings()
        self.result: Result | None = None
        self.lab: AttackLab | None = None
        self._half = RECONSTRUCT
        self._fault = ""
        self._cursor: int | None = None
        """The iteration that somebody chose; None while the stop rule chooses."""
        self._gesture = FieldGesture(self)
        self._make_tasks()
        self._make_actions()
        self._build()
        self._listen()

    def _make_tasks(self) -> None:
        self.explore_task: PageTask[Result] = PageTask(self.workbench, "explore", self, quiet=True)
        self.explore_task.finished.connect(self._on_result)
        self.explore_task.failed.connect(self._on_failed)
        self.explore_task.stopped.connect(self._on_stopped)
        self.intervals_task: PageTask[tuple[Draw, str, Numbers]] = PageTask(
            self.workbench, "explore intervals", self, quiet=True
        )
        self.intervals_task.finished.connect(self._on_intervals)
        self.draws = RepeatedDraws(self.workbench, self)
        for signal in (self.draws.progressed, self.draws.changed):
            signal.connect(lambda: self.draws.show_view(self.view))
        self.draws.changed.connect(self._update_actions)
        # One change of a study comes as several signals, which are answered once.
        self._due = single_shot(self, self._explore)

    def _make_actions(self) -> None:
        self.set_primary("distortAgain", self.tr("Distort again"), "dice", self.distort_again)
        self.repeat_action = self.action(
            "repeatDraws", self.tr("Repeat %s ×") % DRAWS, "refresh", self.repeat
        )
        self.cancel_action = self.action(
            "cancelRepeat", self.tr("Cancel"), "close", self.draws.task.cancel
        )
        self.cancel_action.setVisible(False)
        self.secondary = [self.repeat_action, self.cancel_action]

    def analysis(self) -> tuple[Analysis, Study] | None:
        """The distribution in focus, or the attack, as a call of the Python interface."""
        from ppworkbench.outputs.scripts.results import (
            attack_analysis,
            reconstruction_analysis,
            survey_analysis,
        )

        if self.is_attacking:
            listed = None if self.lab is None else self.lab.listed
            if listed is not None:
                return survey_analysis(listed), listed.study
            asked = None if self.lab is None else self.lab.analysis
            return None if asked is None else (attack_analysis(*asked), asked[1])
        study = self.store.study
        view = build_view(study, self.settings, self.result, self._cursor)
        if view is None:
            return None
        explored, run = view.result.draw.explored, view.run
        stop = view.cursor if run.iterates else None
        found = reconstruction_analysis(
            study, explored.name, view.focus, stop=stop, bins=explored.steps
        )
        return found, study

    def _build(self) -> None:
        themes = self.themes
        self.settings_card = SettingsCard(themes)
        self.picture = PictureCard(themes)
        self.loss = CurveCard(themes, self.tr("Information loss"), "lossPlot", 3)
        self.likelihood = CurveCard(themes, self.tr("Log-likelihood"), "likelihoodPlot", None)
        self.losses, self.spread = self.draws.losses, self.draws.spread
        self.arms = ArmsCard(themes)
        self.insight = InsightCard(themes)
        middle = QWidget()
        self.curves = QWidget()
        curves = row(self.loss, self.likelihood, parent=self.curves, spacing=12)
        column(self.picture, self.curves, parent=middle, spacing=12, stretch={0: 66, 1: 34})
        for place in (0, 1):
            curves.setStretch(place, 1)
        inner = QWidget()
        right_layout = column(
            self.losses, self.arms, self.spread, self.insight, None, parent=inner, spacing=12
        )
        right_layout.setStretch(2, 100)
        # The last card ends where the other columns end.
        right_layout.setStretch(3, 50)
        self.right = scroll_area(inner)
        self.switch = named(ViewSwitch(themes, RECONSTRUCT), "exploreView")
        left = QWidget()
        column(self.switch, self.settings_card, parent=left).setStretch(1, 1)
        reserve_least(self.right, themes, 272)
        self.columns = ThreeColumns(
            themes, "exploreColumns", left, middle, self.right, {1190: (WIDTH, 318)}
        )
        self.explore_task.show_while_slow(self.picture.updating)
        self.halves = stack(self.columns)
        column(self.halves, parent=self, margin=(16, 4, 16, 12))
        restore_columns(self, self.workbench.settings)

    def _listen(self) -> None:
        store, card = self.store, self.settings_card
        store.study_opened.connect(self._on_opened)
        store.data_changed.connect(self._on_study_changed)
        store.design_changed.connect(self._on_design_changed)
        store.settings_changed.connect(self._on_study_changed)
        store.selection_changed.connect(self._on_study_changed)
        card.attribute.chosen.connect(lambda name: store.select([name]))
        card.settings_chosen.connect(self.choose)
        card.seed.valueChanged.connect(
            lambda seed: store.set_settings(self._gesture.of("seed"), seed=int(seed))
        )
        card.help.clicked.connect(lambda: self.workbench.help_requested.emit("stopping-rules"))
        self.picture.scrubber.moved.connect(self.set_cursor)
        for curve in (self.loss, self.likelihood):
            curve.plot.iteration_chosen.connect(self.set_cursor)
        self.picture.arrangement.chosen.connect(
            lambda key: self.choose(replace(self.settings, side_by_side=key == SIDE))
        )
        self.picture.empty.button.clicked.connect(
            lambda: self.workbench.page_requested.emit("design")
        )
        self.switch.chosen.connect(self.show_half)
        add_attribute_keys(self, self.settings_card.attribute)
        add_filter_key(self)

    # The two halves

    @property
    def half(self) -> str:
        return self._half

    @half.setter
    def half(self, half: str) -> None:
        self.show_half(half)

    @property
    def is_attacking(self) -> bool:
        return self._half == ATTACK

    def show_half(self, half: str) -> None:
        """Reconstruct, or attack; the lab is made when it is first asked for."""
        if half == ATTACK and self.lab is None:
            from ppworkbench.gui.pages.explore.attack_view import AttackLab

            self.lab = AttackLab(self.workbench)
            self.lab.view_chosen.connect(self.show_half)
            self.halves.addWidget(self.lab)
        self._half = half
        self._on_study_changed()

    # The study

    @property
    def explored(self) -> ExploredColumn | None:
        """What is explored; None where the current attribute has no answers or no design."""
        name = self.store.current
        steps = None if name is None else self.settings.steps.get(name)
        return explored_column(self.store.study, name, steps)

    @property
    def view(self) -> ResultView | None:
        return build_view(self.store.study, self.settings, self.result, self._cursor)

    @property
    def optional_panels(self) -> tuple[QWidget, ...]:
        attacks = () if self.lab is None else (self.lab.left,)
        return (self.columns.widget(0), self.spread, *attacks)

    def kept(self) -> tuple[str, ...]:
        found = "settings", "draws.found", "_cursor"
        return (*found, "half", "lab.attack", "lab.known") if self.is_attacking else found

    def shown(self) -> None:
        super().shown()
        self._on_study_changed()

    def _on_opened(self) -> None:
        self.settings = replace(self.settings, steps={})
        self.drop_result()
        self.draws.forget()
        self._cursor, self._fault = None, ""
        if self.lab is not None:
            self.lab.forget()

    def _on_design_changed(self, name: str) -> None:
        if self.is_attacking or name in ("", self.store.current):
            self._on_study_changed()

    def _on_study_changed(self) -> None:
        if self._is_front:
            self._due.start()

    def _explore(self) -> None:
        """Ask for what the study and the choices say now."""
        if self.is_attacking and self.lab is not None:
            self.halves.setCurrentWidget(self.lab)
            self._update_actions()
            self.lab.refresh()
            return
        self.halves.setCurrentWidget(self.columns)
        explored, seed = self.explored, self.store.study.settings.seed
        self._show_settings()
        self._update_actions()
        if explored is None or not explored.is_distorted or explored.has_noise_by_arm:
            self.drop_result()
            self._show_results()
            self._update_actions()
            return
        methods, before = self.settings.ticked[explored.cells], self.result
        if before is not None and before.covers(explored, seed, methods):
            # Nothing that is on its way would be newer.
            self.explore_task.drop()
            self._on_result(explore(explored, seed, methods, before))
            return
        self.draws.end_other(explored)
        self.explore_task.start(
            self.tr("Exploring %s") % self.store.study.shown(explored.name),
            lambda progress: explore(explored, seed, methods, before, progress),
            is_listed=explored.source is not None,
        )

    def drop_result(self) -> None:
        """There is nothing to explore; what is on its way does not arrive."""
        self.explore_task.drop()
        self.result = None

    def _on_result(self, result: Result) -> None:
        is_fresh = self.result is None or result.draw is not self.result.draw
        self.result, self._fault = result, ""
        self._show_results(fresh=is_fresh)
        self._update_actions()

    def _on_failed(self, error: BaseException) -> None:
        self.result, self._fault = None, told_error(error, self.store.study)
        self._show_results()

    def _on_stopped(self) -> None:
        self.result = None
        self._fault = self.tr("Stopped. Choose the attribute again to count the parts.")
        self._show_results()

    def _measure_intervals(self, view: ResultView) -> None:
        """Find out in the background how much the estimates of an iteration vary."""
        draw, method, trace = view.result.draw, view.focus, view.run.trace
        if view.run.iterates and trace.deviation is None:
            self.intervals_task.start(
                self.tr("Intervals of %s") % self.store.study.shown(draw.explored.name),
                lambda progress: (draw, method, trace_errors(method, draw, trace, progress)),
            )

    def _on_intervals(self, found: tuple[Draw, str, Numbers]) -> None:
        draw, method, deviation = found
        result = self.result
        if result is None or result.draw is not draw or method not in result.runs:
            return
        run = result.runs[method]
        trace = replace(run.trace, deviation=deviation)
        self.result = result.with_run(replace(run, trace=trace))
        self._show_cursor(fresh=False)

    # What a person does

    def distort_again(self) -> None:
        seed = self.store.study.settings.seed
        self.store.set_settings(seed=(seed + 1) % _LARGEST_SEED)

    def choose(self, settings: PageSettings) -> None:
        """Take other settings; what is known is only shown in another way."""
        before, self.settings = self.settings, settings
        if settings.rules != before.rules:
            self._cursor = None
        if settings.needs_work(before):
            self._on_study_changed()
        elif settings != before:
            self._show_results()

    def set_cursor(self, iteration: int) -> None:
        if self.view is not None:
            self._cursor = iteration
            self._show_cursor(fresh=False)

    def repeat(self) -> None:
        self.draws.repeat(self.result, self.settings)

    # What is shown

    def _show_settings(self) -> None:
        study, current = self.store.study, self.store.current
        self.settings_card.show_study(study, current, self.settings, self.explored, self.result)

    def _show_results(self, *, fresh: bool = False) -> None:
        """Bring everything but the data up to date."""
        view = self.view
        self._show_settings()
        if view is None:
            self._show_nothing()
            return
        self._show_rest(True)
        self._measure_intervals(view)
        self._show_cursor(fresh=fresh)
        self._show_curves(view)
        self.draws.show_view(view)
        self.arms.show_arms(view.result.draw)
        self.insight.say(interpret(view.result, view.focus, self.store.study.sampling))

    def _show_cursor(self, *, fresh: bool) -> None:
        view = self.view
        if view is None:
            return
        draw = view.result.draw
        # The legend below names the distributions.
        shown = self.store.study.shown(draw.explored.name)
        self.picture.title.setText(self.tr("Distribution of %s") % shown)
        for drawn in (self.picture, self.loss, self.likelihood):
            drawn.figure_subject = shown
        self.picture.show_picture(
            comparison(view), legend_entries(view), side=self.settings.side_by_side, fresh=fresh
        )
        reason = ""
        if view.run.freedom is not None:
            reason = self.tr("This algorithm has no iterations to follow.")
        elif view.run.trace.last == 0:
            reason = self.tr("This algorithm needs one step; there are no iterations.")
        self.picture.scrubber.show_trace(view.run.trace, stop_marks(view), reason)
        self.picture.scrubber.set_iteration(view.cursor)
        for card in (self.loss, self.likelihood):
            card.plot.set_cursor(view.cursor)

    def _show_curves(self, view: ResultView) -> None:
        hint = loss_hint(view.result)
        if view.result.draw.original is None:
            self.loss.show_words(
                self.tr("The loss needs true answers, which this study does not have."),
                hint,
            )
        else:
            self.loss.show_curves(loss_curves(view), hint)
        curves = likelihood_curves(view)
        if curves.curves:
            self.likelihood.show_curves(curves, likelihood_hint(view.run))
        else:
            words = self.tr("No selected algorithm iterates; select EM.")
            if view.result.draw.sets:
                words = sets_words()
            self.likelihood.show_words(words)
        for card in (self.loss, self.likelihood):
            card.plot.set_cursor(view.cursor)

    def _show_nothing(self) -> None:
        explored = self.explored
        study, name = self.store.study, self.store.current
        why = why_not_explore(study, name, explored, self.result, self._fault)
        self.picture.title.setText("" if explored is None else study.shown(explored.name))
        self.picture.show_empty(why)
        self._show_rest(False)

    def _show_rest(self, shown: bool) -> None:
        """Empty cards around a sentence would only distract from it."""
        for widget in (self.curves, self.right):
            widget.setVisible(shown)

    def _update_actions(self) -> None:
        running = self.draws.task.is_running
        study, explored, result = self.store.study, self.explored, self.result
        attacking = self.is_attacking and study.original is not None
        why_not = "" if attacking else why_not_distort(study, explored)
        self.primary.setText(self.tr("Running…") if running else self.tr("Distort again"))
        self.primary.setEnabled(not running and not why_not)
        self.primary.setToolTip(why_not or self.tr("New draw (Ctrl+Enter)"))
        why_not = why_not_repeat(study, explored, result)
        self.repeat_action.setVisible(not running and not self.is_attacking)
        self.repeat_action.setEnabled(not why_not)
        self.repeat_action.setToolTip(
            why_not or self.tr("Distort and reconstruct %s times") % DRAWS
        )
        self.cancel_action.setVisible(running)
        locked = self.tr("Locked during the repeats; cancel to change.")
        self.settings_card.set_locked(locked if running else "")
