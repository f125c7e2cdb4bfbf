"""Distort, reconstruct, and watch how the estimate comes about."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QStackedWidget, QWidget

from ppworkbench.analyses.explore.draws import Draw, ExploredColumn, explored_column
from ppworkbench.analyses.explore.iterations import FIXED
from ppworkbench.analyses.explore.repeats import DRAWS, PartialResult, repeat
from ppworkbench.analyses.explore.runs import Result, explore, trace_errors
from ppworkbench.core.arrays import Numbers
from ppworkbench.gui.application import single_shot
from ppworkbench.gui.files import FileActions
from ppworkbench.gui.language import told_error
from ppworkbench.gui.numbers import number
from ppworkbench.gui.page_task import PageTask
from ppworkbench.gui.pages.explore.attack_view import ATTACK, RECONSTRUCT, ViewSwitch
from ppworkbench.gui.pages.explore.loss_table import LossCard, loss_rows, losses_of
from ppworkbench.gui.pages.explore.result_cards import (
    SIDE,
    ArmsCard,
    CurveCard,
    InsightCard,
    PictureCard,
    SpreadCard,
    comparison,
    legend_entries,
    likelihood_curves,
    loss_curves,
)
from ppworkbench.gui.pages.explore.settings_card import WIDTH, SettingsCard
from ppworkbench.gui.pages.explore.texts import (
    interpret,
    likelihood_hint,
    loss_hint,
    sets_words,
    why_no_loss,
    why_not_distort,
    why_not_explore,
    why_not_repeat,
)
from ppworkbench.gui.pages.explore.view import (
    PageSettings,
    ResultView,
    build_settings_view,
    build_view,
    stop_marks,
)
from ppworkbench.gui.pages.page import Page, add_attribute_keys, add_filter_key
from ppworkbench.gui.scripts import ScriptButton
from ppworkbench.gui.widgets.layout import column, named, row, scroll_area
from ppworkbench.gui.widgets.splitter import are_moved, restore_columns, three_columns
from ppworkbench.gui.workbench import Workbench

if TYPE_CHECKING:
    from ppworkbench.gui.pages.explore.attack_view import AttackLab
    from ppworkbench.outputs.scripts.analysis import Analysis
    from ppworkbench.study.study import Study


_LARGEST_SEED = 2**53
_DRAWN_EVERY = 0.25
"""Seconds between two pictures of draws while they are repeated."""


class ExplorePage(Page):
    """Settings at the left, the picture with its scrubber in the middle, losses at the right."""

    name = "explore"

    def __init__(self, workbench: Workbench, files: FileActions | None = None) -> None:
        super().__init__(workbench)
        self.files = files
        self.title = self.tr("Explore")
        self.question = self.tr("Distort, reconstruct, follow the iterations")
        self.settings = PageSettings()
        self.result: Result | None = None
        self.repeats: dict[str, PartialResult] = {}
        """The repeated draws, by attribute; one thread adds to them while they are repeated."""
        self.lab: AttackLab | None = None
        self._half = RECONSTRUCT
        self._fault = ""
        self._cursor: int | None = None
        """The iteration that somebody chose; None while the stop rule chooses."""
        self._gesture = self.store.new_gesture("seed")
        self._make_tasks()
        self._make_actions()
        self._build()
        self._listen()

    def _make_tasks(self) -> None:
        self.explore_task: PageTask[Result] = PageTask(self.workbench, "explore", self, quiet=True)
        self.explore_task.finished.connect(self._on_result)
        self.explore_task.failed.connect(self._on_failed)
        self.explore_task.stopped.connect(self._on_stopped)
        self.explore_task.changed.connect(self._on_busy)
        self.intervals_task: PageTask[tuple[Draw, str, Numbers]] = PageTask(
            self.workbench, "explore intervals", self, quiet=True
        )
        self.intervals_task.finished.connect(self._on_intervals)
        self.repeats_task: PageTask[PartialResult] = PageTask(
            self.workbench, "explore repeats", self
        )
        self.repeats_task.progressed.connect(self._on_repeats_progressed)
        self.repeats_task.finished.connect(self._name_repeats)
        self.repeats_task.failed.connect(self._on_repeats_stopped)
        self.repeats_task.stopped.connect(self._on_repeats_stopped)
        self.repeats_task.changed.connect(self._on_repeats_changed)
        # One change of a study comes as several signals, which are answered once.
        self._due = single_shot(self, self._explore)
        self._slow = single_shot(self, self._show_busy, milliseconds=200)
        self._drawn_at = 0.0
        self._repeated: PartialResult | None = None
        """What is being repeated."""
        self._counted = 0

    def _make_actions(self) -> None:
        self.set_primary("distortAgain", self.tr("Distort again"), "dice", self.distort_again)
        self.repeat_action = self.action(
            "repeatDraws", self.tr("Repeat %s ×") % DRAWS, "refresh", self.repeat
        )
        self.cancel_action = self.action(
            "cancelRepeat", self.tr("Cancel"), "close", self.repeats_task.cancel
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
            outcome = None if self.lab is None else self.lab.outcome
            if outcome is None or outcome.found is None:
                return None
            return attack_analysis(outcome.request), outcome.request.study
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

    def _repeats_analysis(self) -> tuple[Analysis, Study] | None:
        """The draws on the page as a call of the Python interface."""
        from ppworkbench.outputs.scripts.results import repeats_analysis

        found, stale = self._shown_repeats()
        if found is None or stale or not found.done or found is self._repeated:
            return None
        return repeats_analysis(self.store.study, found), self.store.study

    def _build(self) -> None:
        themes = self.themes
        self.settings_card = SettingsCard(themes)
        self.picture = PictureCard(themes)
        self.loss = CurveCard(themes, self.tr("Information loss"), "lossPlot", 3)
        self.likelihood = CurveCard(themes, self.tr("Log-likelihood"), "likelihoodPlot", None)
        self.losses = LossCard(themes)
        self.spread = SpreadCard(themes)
        self.spread_script = ScriptButton(self.workbench, self._repeats_analysis, short=True)
        self._offer_spread_script(is_there=False)
        self.spread.top.addWidget(self.spread_script)
        self.arms = ArmsCard(themes)
        self.insight = InsightCard(themes)
        middle = QWidget()
        self.curves = QWidget()
        curves = row(self.loss, self.likelihood, parent=self.curves, spacing=12)
        middle_layout = column(self.picture, self.curves, parent=middle, spacing=12)
        middle_layout.setStretch(0, 66)
        middle_layout.setStretch(1, 34)
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
        self.columns = three_columns("exploreColumns", left, middle, self.right)
        self._restyle()
        self.halves = QStackedWidget()
        self.halves.addWidget(self.columns)
        layout = column(self.halves, parent=self)
        layout.setContentsMargins(16, 4, 16, 12)
        restore_columns(self, self.workbench.settings)

    def _restyle(self) -> None:
        self.right.setMinimumWidth(self.themes.theme.px(272))

    def _listen(self) -> None:
        store, card = self.store, self.settings_card
        store.study_opened.connect(self._on_opened)
        store.data_changed.connect(self._on_study_changed)
        store.design_changed.connect(self._on_design_changed)
        store.settings_changed.connect(self._on_study_changed)
        store.selection_changed.connect(self._on_study_changed)
        card.attribute_chosen.connect(lambda name: store.select([name]))
        card.methods.ticked.connect(self._on_ticked)
        card.methods.focused.connect(self._on_focused)
        card.rule_chosen.connect(self._on_rule)
        card.fixed_chosen.connect(lambda count: self.choose(replace(self.settings, fixed=count)))
        card.steps_chosen.connect(self._on_steps)
        card.seed_chosen.connect(self._on_seed)
        card.seed.editingFinished.connect(self._new_gesture)
        card.help_requested.connect(self.workbench.help_requested)
        self.picture.scrubber.moved.connect(self.set_cursor)
        self.loss.iteration_chosen.connect(self.set_cursor)
        self.likelihood.iteration_chosen.connect(self.set_cursor)
        self.picture.layout_chosen.connect(self._on_layout)
        self.picture.action_requested.connect(lambda: self.workbench.page_requested.emit("design"))
        self.switch.chosen.connect(self.show_half)
        add_attribute_keys(self, self.settings_card.attribute)
        add_filter_key(self)
        self.themes.theme_changed.connect(self._restyle)

    # The two halves

    @property
    def half(self) -> str:
        """Which of the halves is in front."""
        return self._half

    @half.setter
    def half(self, half: str) -> None:
        self.show_half(half)

    @property
    def is_attacking(self) -> bool:
        """Whether the attack lab is in front."""
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
        """Parts that an audience does without."""
        attacks = () if self.lab is None else (self.lab.left,)
        return (self.columns.widget(0), self.spread, *attacks)

    def kept(self) -> tuple[str, ...]:
        """What was chosen and repeated here; draws and attacks come back by themselves."""
        found = "settings", "repeats", "_cursor"
        return (*found, "half", "lab.attack", "lab.known") if self.is_attacking else found

    def shown(self) -> None:
        """Bring everything up to date."""
        super().shown()
        self._on_study_changed()

    def _on_opened(self) -> None:
        self.settings = replace(self.settings, steps={})
        self.drop_result()
        self._end_repeats()
        self.repeats.clear()
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
        repeated = None if self._repeated is None else self._repeated.explored
        if repeated is not None and repeated.name == explored.name and repeated != explored:
            self._end_repeats()
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
        """Somebody stopped the counting of parts."""
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
        """Take the next draw."""
        seed = self.store.study.settings.seed
        self.store.set_settings(seed=(seed + 1) % _LARGEST_SEED)

    def choose(self, settings: PageSettings) -> None:
        """Take other settings; what is known is only shown in another way."""
        before, self.settings = self.settings, settings
        if settings.needs_work(before):
            self._on_study_changed()
        elif settings != before:
            self._show_results()

    def set_cursor(self, iteration: int) -> None:
        """Show another iteration."""
        if self.view is not None:
            self._cursor = iteration
            self._show_cursor(fresh=False)

    def _on_ticked(self, method: str, on: bool) -> None:
        explored = self.explored
        if explored is not None:
            self.choose(self.settings.with_tick(explored.cells, method, on))

    def _on_focused(self, method: str) -> None:
        explored = self.explored
        if explored is not None:
            self.choose(self.settings.with_focus(explored.cells, method))

    def _on_rule(self, rule: str) -> None:
        explored = self.explored
        if explored is not None:
            self._cursor = None
            self.choose(self.settings.with_rule(explored.cells, rule))

    def _on_steps(self, steps: int) -> None:
        if self.store.current is not None:
            self.choose(self.settings.with_steps(self.store.current, steps))

    def _on_layout(self, key: str) -> None:
        self.choose(replace(self.settings, side_by_side=key == SIDE))

    def _on_seed(self, seed: int) -> None:
        self.store.set_settings(gesture=self._gesture, seed=seed)

    def _new_gesture(self) -> None:
        self._gesture = self.store.new_gesture("seed")

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Give the picture what room there is, unless somebody moved the columns."""
        super().resizeEvent(event)
        if not are_moved(self.columns):
            px = self.themes.theme.px
            left, right = (WIDTH, 318) if self.width() >= px(1190) else (0, 0)
            self.columns.setSizes([px(left), self.width(), px(right)])

    # Many draws

    def repeat(self) -> None:
        """Take a hundred draws in the background; the partial result fills up meanwhile."""
        result = self.result
        if result is None or self.repeats_task.is_running:
            return
        draw, fixed = result.draw, self.settings.fixed
        methods = self.settings.ticked[draw.explored.cells]
        found = PartialResult(draw.explored, DRAWS, fixed)
        self.repeats[draw.explored.name] = self._repeated = found
        self._counted = 0
        self.repeats_task.start(
            self._repeats_name(found),
            lambda progress: repeat(draw, methods, fixed, found, progress),
        )

    def _end_repeats(self) -> None:
        if self.repeats_task.is_running:
            self._name_repeats()
            self.repeats_task.drop()

    def _repeats_name(self, found: PartialResult) -> str:
        return self.tr("Repeating, %s of %s") % (found.done, found.wanted)

    def _name_repeats(self) -> None:
        found = self._repeated
        if found is not None:
            shown = self.store.study.shown(found.explored.name)
            words = self.tr("Repeated %s × for %s") % (found.done, shown)
            self.repeats_task.set_name(words)

    def _on_repeats_progressed(self) -> None:
        found = self._repeated
        if found is None or found.done == self._counted:
            return
        self._counted = found.done
        self.repeats_task.set_name(self._repeats_name(found))
        # Reports come far more often than a picture can be drawn, and somebody may want to do
        # something else meanwhile.
        now = time.monotonic()
        if now - self._drawn_at >= _DRAWN_EVERY:
            self._drawn_at = now
            self._show_draws()

    def _on_repeats_stopped(self) -> None:
        self._name_repeats()
        found = self._repeated
        if found is not None and found.done < found.wanted:
            words = self.tr("Stopped after %s of %s; partial results are shown.")
            words %= (found.done, found.wanted)
            self.workbench.toast_requested.emit(words, False)

    def _on_repeats_changed(self) -> None:
        if not self.repeats_task.is_running:
            self._repeated = None
        self._show_draws()
        self._update_actions()

    # What is shown

    def _show_settings(self) -> None:
        study, current = self.store.study, self.store.current
        self.settings_card.show_view(
            build_settings_view(study, current, self.settings, self.explored, self.result)
        )

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
        self._show_draws()
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
            if view.result.draw.sets is not None:
                words = sets_words()
            self.likelihood.show_words(words)
        for card in (self.loss, self.likelihood):
            card.plot.set_cursor(view.cursor)

    def _show_draws(self) -> None:
        """Bring the table and the spread up to date."""
        view = self.view
        if view is None:
            return
        found, stale = self._shown_repeats()
        draws = DRAWS if found is None or not found.done else found.done
        is_partial = found is not None and found is self._repeated
        tag = self.tr("partial") if is_partial else ""
        why = why_no_loss(self.store.study)
        note = why or (self.tr("The draws are older than the last change.") if stale else "")
        self.losses.show_rows(loss_rows(view, found), draws, stale=stale, tag=tag, note=note)
        shown = () if found is None else losses_of(view, found)
        self._offer_spread_script(is_there=bool(shown) and self._repeats_analysis() is not None)
        if shown:
            self.spread.show_losses(shown, draws, stale=stale, hint="")
        else:
            self.spread.show_words(self._spread_words(is_partial, why), DRAWS)

    def _offer_spread_script(self, *, is_there: bool) -> None:
        self.spread_script.setEnabled(is_there)
        self.spread_script.setVisible(is_there)

    def _shown_repeats(self) -> tuple[PartialResult | None, bool]:
        """The repeated draws of the attribute, and whether something has changed since."""
        view = self.view
        if view is None:
            return None, False
        explored = view.result.draw.explored
        found = self.repeats.get(explored.name)
        if found is None or found.explored.column is not explored.column:
            return None, False
        is_other = view.rule == FIXED and found.fixed != view.fixed
        return found, is_other or found.explored != explored

    def _spread_words(self, is_partial: bool, why: str) -> str:
        if is_partial:
            return self.tr("Computing the first draws…")
        if why:
            return why
        return self.tr("One draw can mislead. “Repeat %s ×” shows the average loss.") % number(
            DRAWS
        )

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

    def _on_busy(self) -> None:
        if self.explore_task.is_running:
            if not self._slow.isActive():
                self._slow.start()
        else:
            self._slow.stop()
            self.picture.updating.hide()

    def _show_busy(self) -> None:
        self.picture.updating.setVisible(self.explore_task.is_running)

    def _update_actions(self) -> None:
        running = self.repeats_task.is_running
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
