"""Distort, reconstruct, and watch how the estimate comes about."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QStackedWidget, QWidget

from ppworkbench.core.reconstruct.channel import NUMBERS, VALUES
from ppworkbench.gui.charts.looks import series_look
from ppworkbench.gui.files import FileActions
from ppworkbench.gui.numbers import number
from ppworkbench.gui.pages.explore.attack_view import ATTACK, RECONSTRUCT, ViewSwitch
from ppworkbench.gui.pages.explore.exploration import Explorer
from ppworkbench.gui.pages.explore.loss_table import LossCard, loss_rows, strips
from ppworkbench.gui.pages.explore.result_cards import (
    SIDE,
    CurveCard,
    InsightCard,
    PictureCard,
    SpreadCard,
    View,
    comparison,
    legend_entries,
    likelihood_curves,
    loss_curves,
)
from ppworkbench.gui.pages.explore.scrubber import Mark
from ppworkbench.gui.pages.explore.settings_card import (
    WIDTH,
    SettingsCard,
    first_focus,
    first_rule,
    first_ticked,
    methods_of,
)
from ppworkbench.gui.pages.explore.texts import (
    absence,
    distortion_words,
    interpret,
    iteration_words,
    likelihood_hint,
    loss_hint,
    rule_words,
    why_no_loss,
    why_not_distort,
    why_not_repeat,
)
from ppworkbench.gui.pages.page import Page, add_attribute_keys, add_filter_key
from ppworkbench.gui.single_shot import single_shot
from ppworkbench.gui.widgets.layout import (
    are_moved,
    column,
    restore_columns,
    row,
    scroll_area,
    three_columns,
)
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.analyses.explore import (
    DRAWS,
    ExploredColumn,
    Reading,
    Run,
    explored_column,
    most_steps,
)
from ppworkbench.study.analyses.iterations import AUTO, CONVERGED, FIXED, PUBLISHED

if TYPE_CHECKING:
    from ppworkbench.gui.pages.explore.attack_view import AttackLab


class SettingsShowing(QObject):
    """Reads the page's study, choices and newest result."""

    def __init__(self, page: ExplorePage) -> None:
        super().__init__(page)
        self._page = page

    def show(self) -> None:
        """Bring the left column up to date."""
        page, study = self._page, self._page.store.study
        card, table = page.settings_card, study.table
        names = [n for n in study.design.names if table is not None and n in table]
        offered = [(n, study.design[n].attribute.kind.value, study.label(n)) for n in names]
        card.attribute.offer(offered, page.store.current)
        known = study.original is not None
        why = "" if known else self.tr("These answers came distorted; nothing is drawn here.")
        card.show_seed(study.settings.seed, why)
        explored = page.explored
        if explored is None:
            card.show_steps(None, 1, "")
            card.summary.setText("")
            return
        most = most_steps(explored.attribute)
        reason = ""
        if explored.steps is None:
            reason = self.tr("Values are not cut into steps.")
        elif most < 2:
            reason = self.tr("There is only one number to answer.")
        card.show_steps(None if reason else explored.steps, most, reason)
        idle = "" if explored.is_distorted else self.tr("This attribute is not distorted.")
        card.set_idle(idle)
        card.summary.setText(self._summary(explored))
        self._show_methods(explored)

    def _summary(self, explored: ExploredColumn) -> str:
        result = self._page.explorer.result
        same = result is not None and result.draw.explored == explored
        answers = result.draw.counted.rows if same and result else len(explored.column)
        words = distortion_words(explored)
        if answers == 1:
            return self.tr("1 answer, %s") % words
        return self.tr("%s answers, %s") % (number(answers), words)

    def _show_methods(self, explored: ExploredColumn) -> None:
        page = self._page
        result, cells = page.explorer.result, explored.cells
        draw = result.draw if result is not None and result.draw.explored == explored else None
        methods = methods_of(cells, draw)
        can = [m.name for m in methods if not m.reason and m.name in page.choices.ticked(cells)]
        focus = page.choices.focus(cells, can)
        looks = {m.name: series_look(i) for i, m in enumerate(methods_of(cells))}
        looks = {m.name: looks.get(m.name, series_look(5)) for m in methods}
        looks[focus] = "reconstructed"
        page.settings_card.methods.show_methods(methods, page.choices.ticked(cells), focus, looks)
        self._show_rule(explored, focus)

    def _show_rule(self, explored: ExploredColumn, focus: str) -> None:
        page = self._page
        rule, fixed = page.choices.rule(explored.cells), page.choices.fixed
        ticked = page.choices.ticked(explored.cells)
        iterated = {m.name for m in methods_of(explored.cells) if m.iterates}
        applies = any(name in iterated for name in ticked)
        reason = self.tr("None of the ticked algorithms iterates.")
        run = None
        result = page.explorer.result
        if result is not None and result.draw.explored == explored:
            shown = [focus, *ticked]
            run = next((result.runs[n] for n in shown if n in iterated and n in result.runs), None)
        hint = self._rule_hint(rule, run) if applies else reason
        page.settings_card.show_rule(rule, fixed, hint, applies=applies, reason=reason)

    def _rule_hint(self, rule: str, run: Run | None) -> str:
        words = {
            AUTO: self.tr("stops where held-out answers are predicted best"),
            PUBLISHED: self.tr("stops when a step changes next to nothing for this many people"),
            CONVERGED: self.tr("goes on until nothing moves"),
            FIXED: self.tr("stops after the same number every time"),
        }
        if run is None or rule == FIXED:
            return words[rule]
        at = run.trace.stops[rule]
        if rule == CONVERGED and not run.trace.finished:
            return self.tr("goes on until nothing moves: not yet after %s iterations") % number(at)
        return f"{words[rule]}: {iteration_words(run, rule, at)}"


_LONGEST_QUESTION = 80


class Showing(QObject):
    """Where the cursor is, and everything that follows from it.

    While nobody has moved the cursor it follows the stop rule, and every algorithm is shown where
    its own rule stops; after that all are shown at the cursor's iteration.
    """

    def __init__(self, page: ExplorePage) -> None:
        super().__init__(page)
        self._page = page
        self._settings = SettingsShowing(page)
        self._follows = True
        self._cursor = 0
        self._fault = ""
        self._is_fresh = False
        self._first = single_shot(self, self._show_first)
        self._around = single_shot(self, self._show_around, 1)
        self._last = single_shot(self, self._show_insight)
        page.picture.scrubber.moved.connect(self.set_cursor)
        page.loss.iteration_chosen.connect(self.set_cursor)
        page.likelihood.iteration_chosen.connect(self.set_cursor)

    # Where things are

    @property
    def cursor(self) -> int:
        """The iteration that is shown."""
        return self._cursor

    @property
    def view(self) -> View | None:
        """The results that are shown; None where there are none."""
        result, page = self._page.explorer.result, self._page
        if result is None or not result.runs:
            return None
        cells = result.draw.explored.cells
        places = {m.name: i for i, m in enumerate(methods_of(cells))}
        places |= {
            name: len(places) + i for i, name in enumerate(result.runs) if name not in places
        }
        focus = page.choices.focus(cells, result.runs)
        question = page.store.study.label(result.draw.explored.name)
        if len(question) > _LONGEST_QUESTION:
            question = result.draw.explored.name
        return View(result, focus, places, question)

    def forget(self) -> None:
        """Another study is shown."""
        self._follows, self._cursor, self._fault = True, 0, ""

    def follow_stop(self) -> None:
        """Let the cursor stand where the stop rule is."""
        self._follows = True

    def set_cursor(self, iteration: int) -> None:
        """Show another iteration."""
        view = self.view
        if view is None:
            return
        self._follows = False
        self._cursor = iteration
        self._show_cursor(view, fresh=False)

    def show_settings(self) -> None:
        """Bring the left column up to date."""
        self._settings.show()

    # Results

    def on_result(self, fresh: bool) -> None:
        """Show a new result; a fresh one is another draw."""
        self._fault = ""
        self.show_anew(fresh=fresh)

    def show_anew(self, *, fresh: bool = False) -> None:
        """Show the picture, and the rest in a moment: all of it at a stroke would be felt.

        Where there was no result before, what stands around it takes its room first.
        """
        if self.view is not None and self._page.curves.isHidden():
            self._show_rest(True)
            self._is_fresh = fresh
            self._first.start()
        elif self._show_picture(fresh=fresh) is not None:
            self._around.start()

    def _show_first(self) -> None:
        self.show_anew(fresh=self._is_fresh)

    @property
    def is_due(self) -> bool:
        """Whether a part of a result is still to be shown."""
        return any(due.isActive() for due in (self._first, self._around, self._last))

    def _show_around(self) -> None:
        """Show the newest result around its picture."""
        view = self.view
        if view is not None:
            self._show_curves(view)
            self.show_draws()
            # What it says needs other room, for which everything is laid out once more.
            self._last.start()

    def _show_insight(self) -> None:
        view = self.view
        if view is not None:
            self._page.insight.say(interpret(view.result, view.focus))

    def on_failed(self, sentence: str) -> None:
        """Say why there is no result."""
        self._fault = sentence
        self.show_results()

    def show_results(self, fresh: bool = False) -> None:
        """Bring everything but the data up to date."""
        self._first.stop()
        self._around.stop()
        if self._show_picture(fresh=fresh) is not None:
            self._show_around()
            self._last.stop()
            self._show_insight()

    def _show_picture(self, *, fresh: bool) -> View | None:
        page, view = self._page, self.view
        self._settings.show()
        if view is None:
            self._show_nothing()
            return None
        self._show_rest(True)
        page.explorer.measure_deviation(view.focus)
        self._show_cursor(view, fresh=fresh)
        return view

    def show_intervals(self) -> None:
        """Draw the intervals that have become known."""
        view = self.view
        if view is not None:
            self._show_cursor(view, fresh=False)

    def _show_cursor(self, view: View, *, fresh: bool) -> None:
        page = self._page
        cells, runs = view.result.draw.explored.cells, view.result.runs
        rule, fixed, focus = page.choices.rule(cells), page.choices.fixed, runs[view.focus]
        if self._follows:
            self._cursor = focus.stop(rule, fixed)
            readings = {name: run.at(run.stop(rule, fixed)) for name, run in runs.items()}
        else:
            readings = {name: self._at_cursor(run) for name, run in runs.items()}
        name = view.result.draw.explored.name
        known = view.result.draw.original is not None
        title = (
            self.tr("%s: original, distorted, reconstructed")
            if known
            else self.tr("%s: distorted, reconstructed")
        )
        page.picture.title.setText(title % name)
        whole = comparison(view, readings)
        entries, side = legend_entries(view, readings), page.choices.side_by_side
        page.picture.show_picture(whole, entries, side=side, fresh=fresh)
        self._show_scrubber(focus, rule, fixed)
        for card in (page.loss, page.likelihood):
            card.plot.set_cursor(self._cursor)

    def _at_cursor(self, run: Run) -> Reading:
        return run.at(self._cursor if run.trace.last > 0 else run.trace.last)

    def _show_scrubber(self, run: Run, rule: str, fixed: int) -> None:
        scrubber = self._page.picture.scrubber
        reason = ""
        if run.trace.last == 0:
            reason = self.tr("This algorithm solves in one step; there is nothing to step through.")
        marks: tuple[Mark, ...] = ()
        if run.iterates:
            rules = (PUBLISHED, AUTO, CONVERGED) + ((FIXED,) if rule == FIXED else ())
            marks = tuple(
                Mark(self._mark_words(one, run, fixed), run.stop(one, fixed), one == rule)
                for one in rules
            )
        scrubber.show_trace(run.trace, marks, reason)
        scrubber.set_iteration(self._cursor)

    def _mark_words(self, rule: str, run: Run, fixed: int) -> str:
        if rule == CONVERGED:
            return rule_words(rule) if run.trace.finished else self.tr("still moving")
        return f"{rule_words(rule)} {number(run.stop(rule, fixed))}"

    def _show_curves(self, view: View) -> None:
        page, result = self._page, view.result
        run = result.runs[view.focus]
        hint = loss_hint(result)
        if result.draw.original is None:
            page.loss.show_words(
                self.tr("The loss compares with the true answers, which this study does not have."),
                hint,
            )
        else:
            page.loss.show_curves(loss_curves(view), hint)
        curves = likelihood_curves(view)
        if curves.curves:
            page.likelihood.show_curves(curves, likelihood_hint(run))
        else:
            words = self.tr("None of the ticked algorithms iterates; tick EM to see it climb.")
            page.likelihood.show_words(words)
        for card in (page.loss, page.likelihood):
            card.plot.set_cursor(self._cursor)

    def show_draws(self) -> None:
        """Bring the table and the spread up to date."""
        page, view = self._page, self.view
        if view is None:
            return
        explored = view.result.draw.explored
        rule, fixed = page.choices.rule(explored.cells), page.choices.fixed
        tally, stale = page.explorer.tally(explored)
        if tally is not None and (tally.fixed != fixed and rule == FIXED):
            stale = True
        running = page.explorer.is_repeating
        wanted = DRAWS if tally is None or not tally.done else tally.done
        tag = self.tr("partial") if running else ""
        why = why_no_loss(page.store.study)
        note = why or (self.tr("The draws are from before the last change.") if stale else "")
        rows = loss_rows(view, rule, fixed, tally)
        page.losses.show_rows(rows, wanted, stale=stale, tag=tag, note=note)
        found = () if tally is None else strips(view, rule, tally)
        if found:
            page.spread.show_strips(found, wanted, stale=stale, hint="")
        else:
            page.spread.show_words(self._spread_words(running), DRAWS)

    def _spread_words(self, running: bool) -> str:
        if running:
            return self.tr("The first draws are on their way.")
        why = why_no_loss(self._page.store.study)
        if why:
            return why
        return self.tr(
            "One draw is luck. “Repeat %s ×” distorts the same answers again and again and shows "
            "how much each algorithm loses on the average."
        ) % number(DRAWS)

    def _show_nothing(self) -> None:
        page, explored = self._page, self._page.explored
        store, result = page.store, page.explorer.result
        why = absence(store.study, store.current, explored, result, self._fault)
        page.picture.title.setText(explored.name if explored is not None else "")
        page.picture.show_words(why.missing, why.advice, why.action)
        self._show_rest(False)

    def _show_rest(self, shown: bool) -> None:
        """Empty cards around a sentence would only distract from it."""
        for widget in (self._page.curves, self._page.right):
            widget.setVisible(shown)


FIRST_FIXED = 100


class Choices(QObject):
    """Algorithms, focus and stop rule, separately for values and for numbers."""

    work_changed = Signal()
    """Something must be worked out anew."""
    view_changed = Signal()
    """The same results are shown in another way."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        families = (VALUES, NUMBERS)
        self._ticked = {cells: first_ticked(cells) for cells in families}
        self._focus = {cells: first_focus(cells) for cells in families}
        self._rule = {cells: first_rule(cells) for cells in families}
        self._steps: dict[str, int] = {}
        self.fixed = FIRST_FIXED
        self.side_by_side = False

    def ticked(self, cells: str) -> tuple[str, ...]:
        """The algorithms that are shown."""
        return self._ticked[cells]

    def focus(self, cells: str, can: Iterable[str] | None = None) -> str:
        """The algorithm in focus; another ticked one where that cannot be had."""
        wanted = self._focus[cells]
        possible = list(self._ticked[cells] if can is None else can)
        return wanted if wanted in possible or not possible else possible[0]

    def rule(self, cells: str) -> str:
        """The stop rule."""
        return self._rule[cells]

    def steps(self, name: str) -> int | None:
        """How many steps the scale of an attribute has; None for the usual number."""
        return self._steps.get(name)

    def tick(self, cells: str, method: str, on: bool) -> None:
        """Show or hide an algorithm; the last one stays."""
        now = self._ticked[cells]
        if on == (method in now) or (not on and len(now) == 1):
            return
        rest = tuple(name for name in now if name != method)
        self._ticked[cells] = (*now, method) if on else rest
        if not on and self._focus[cells] == method:
            self._focus[cells] = rest[0]
        self.work_changed.emit()

    def set_focus(self, cells: str, method: str) -> None:
        """Bring an algorithm to the front, ticked if it is not."""
        if method == self._focus[cells]:
            return
        self._focus[cells] = method
        if method in self._ticked[cells]:
            self.view_changed.emit()
        else:
            self._ticked[cells] = (*self._ticked[cells], method)
            self.work_changed.emit()

    def set_rule(self, cells: str, rule: str) -> None:
        """Choose when iterations stop."""
        if rule != self._rule[cells]:
            self._rule[cells] = rule
            self.view_changed.emit()

    def set_fixed(self, iterations: int) -> None:
        """Choose the number of iterations of the fixed rule."""
        if iterations != self.fixed:
            self.fixed = iterations
            self.view_changed.emit()

    def set_steps(self, name: str, steps: int) -> None:
        """Cut the scale of an attribute into so many steps."""
        if steps != self._steps.get(name):
            self._steps[name] = steps
            self.work_changed.emit()

    def set_side_by_side(self, apart: bool) -> None:
        """Show the three distributions side by side, or one over the other."""
        if apart != self.side_by_side:
            self.side_by_side = apart
            self.view_changed.emit()

    def forget_steps(self) -> None:
        """Begin with the usual numbers of steps again; another study is shown."""
        self._steps.clear()


_LARGEST_SEED = 2**53


class ExplorePage(Page):
    """Settings at the left, the picture with its scrubber in the middle, losses at the right."""

    name = "explore"

    def __init__(self, workbench: Workbench, files: FileActions | None = None) -> None:
        super().__init__(workbench)
        self.files = files
        self.title = self.tr("Explore")
        self.question = self.tr("Distort, reconstruct, and watch how it gets there")
        self.choices = Choices(self)
        self.explorer = Explorer(workbench, self)
        self.lab: AttackLab | None = None
        self._half = RECONSTRUCT
        self._gesture = self.store.new_gesture("seed")
        self._due = single_shot(self, self._explore)
        self._slow = single_shot(self, milliseconds=200)
        self._make_actions()
        self._make_parts()

    def _make_parts(self) -> None:
        self._build()
        self.showing = Showing(self)
        self._listen()

    def _make_actions(self) -> None:
        self.name_primary("distortAgain", self.tr("Distort again"), "dice", self.distort_again)
        self.repeat_action = self.action(
            "repeatDraws", self.tr("Repeat %s ×") % DRAWS, "refresh", self.repeat
        )
        self.cancel_action = self.action(
            "cancelRepeat", self.tr("Cancel"), "close", self.explorer.cancel_repeat
        )
        self.cancel_action.setVisible(False)
        self.secondary = [self.repeat_action, self.cancel_action]

    def _build(self) -> None:
        themes = self.themes
        self.settings_card = SettingsCard(themes)
        self.picture = PictureCard(themes)
        self.loss = CurveCard(themes, self.tr("Information loss"), "lossPlot", 3)
        self.likelihood = CurveCard(themes, self.tr("Log-likelihood"), "likelihoodPlot", None)
        self.losses = LossCard(themes)
        self.spread = SpreadCard(themes)
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
            self.losses, self.spread, self.insight, None, parent=inner, spacing=12
        )
        right_layout.setStretch(1, 100)
        # The last card ends where the other columns end.
        right_layout.setStretch(2, 50)
        self.right = scroll_area(inner)
        self.switch = ViewSwitch(themes, RECONSTRUCT)
        self.switch.setObjectName("exploreView")
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
        store, settings = self.store, self.settings_card
        store.study_opened.connect(self._on_opened)
        store.data_changed.connect(self._on_study_changed)
        store.design_changed.connect(self._on_design_changed)
        store.settings_changed.connect(self._on_study_changed)
        store.selection_changed.connect(self._on_study_changed)
        self.choices.work_changed.connect(self._on_study_changed)
        self.choices.view_changed.connect(self.showing.show_anew)
        self.explorer.result_changed.connect(self.showing.on_result)
        self.explorer.intervals_changed.connect(self.showing.show_intervals)
        self.explorer.failed.connect(self.showing.on_failed)
        # Draws that begin, go on and end at once are shown once.
        self._draws = single_shot(self, self.showing.show_draws)
        self.explorer.draws_changed.connect(self._draws.start)
        self.explorer.draws_changed.connect(self._update_actions)
        self.explorer.result_changed.connect(self._update_actions)
        self.explorer.busy_changed.connect(self._on_busy)
        self.explorer.stopped.connect(self._on_stopped)
        self._slow.timeout.connect(self._show_busy)
        settings.attribute_chosen.connect(lambda name: store.select([name]))
        settings.methods.ticked.connect(self._on_ticked)
        settings.methods.focused.connect(self._on_focused)
        settings.rule_chosen.connect(self._on_rule)
        settings.fixed_chosen.connect(self.choices.set_fixed)
        settings.steps_chosen.connect(self._on_steps)
        settings.seed_chosen.connect(self._on_seed)
        settings.seed.editingFinished.connect(self._new_gesture)
        settings.help_requested.connect(self.workbench.help_requested)
        self.picture.layout_chosen.connect(lambda key: self.choices.set_side_by_side(key == SIDE))
        self.picture.action_requested.connect(lambda: self.workbench.page_requested.emit("design"))
        self.switch.chosen.connect(self.show_half)
        add_attribute_keys(self, self.settings_card.attribute)
        add_filter_key(self)
        self.themes.theme_changed.connect(self._restyle)

    # The two halves

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
        steps = None if name is None else self.choices.steps(name)
        return explored_column(self.store.study, name, steps)

    @property
    def asides(self) -> tuple[QWidget, ...]:
        """Parts that an audience does without."""
        attacks = () if self.lab is None else (self.lab.left,)
        return (self.columns.widget(0), self.spread, *attacks)

    def shown(self) -> None:
        """Bring everything up to date."""
        super().shown()
        self._on_study_changed()

    def _on_opened(self) -> None:
        self.choices.forget_steps()
        self.explorer.forget()
        self.showing.forget()
        if self.lab is not None:
            self.lab.forget()

    def _on_design_changed(self, name: str) -> None:
        if self.is_attacking or name in ("", self.store.current):
            self._on_study_changed()

    def _on_study_changed(self) -> None:
        if self._is_front:
            self._due.start(0)

    def _explore(self) -> None:
        """Ask for what the study and the choices say now."""
        if self.is_attacking and self.lab is not None:
            self.halves.setCurrentWidget(self.lab)
            self._update_actions()
            self.lab.refresh()
            return
        self.halves.setCurrentWidget(self.columns)
        explored = self.explored
        self.showing.show_settings()
        self._update_actions()
        if explored is None or not explored.is_distorted:
            self.explorer.drop_result()
            self.showing.show_results()
            self._update_actions()
            return
        methods = self.choices.ticked(explored.cells)
        self.explorer.explore(explored, self.store.study.settings.seed, methods)

    # What a person does

    def distort_again(self) -> None:
        """Take the next draw."""
        seed = self.store.study.settings.seed
        self.store.set_settings(seed=(seed + 1) % _LARGEST_SEED)

    def repeat(self) -> None:
        """Take a hundred draws."""
        result = self.explorer.result
        if result is not None:
            methods = self.choices.ticked(result.draw.explored.cells)
            self.explorer.repeat(methods, self.choices.fixed, DRAWS)

    def _on_ticked(self, method: str, on: bool) -> None:
        explored = self.explored
        if explored is not None:
            self.choices.tick(explored.cells, method, on)

    def _on_focused(self, method: str) -> None:
        explored = self.explored
        if explored is not None:
            self.choices.set_focus(explored.cells, method)

    def _on_rule(self, rule: str) -> None:
        explored = self.explored
        if explored is not None:
            self.showing.follow_stop()
            self.choices.set_rule(explored.cells, rule)

    def _on_steps(self, steps: int) -> None:
        if self.store.current is not None:
            self.choices.set_steps(self.store.current, steps)

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

    # States

    def _on_busy(self) -> None:
        if self.explorer.is_busy:
            if not self._slow.isActive():
                self._slow.start()
        else:
            self._slow.stop()
            self.picture.updating.hide()

    def _show_busy(self) -> None:
        self.picture.updating.setVisible(self.explorer.is_busy)

    def _on_stopped(self, done: int, wanted: int) -> None:
        words = self.tr("Stopped after %s of %s. The finished part is shown.") % (done, wanted)
        self.workbench.toast_requested.emit(words, False)

    def _update_actions(self) -> None:
        running = self.explorer.is_repeating
        study, explored, result = self.store.study, self.explored, self.explorer.result
        attacking = self.is_attacking and study.original is not None
        why_not = "" if attacking else why_not_distort(study, explored)
        self.primary.setText(self.tr("Running…") if running else self.tr("Distort again"))
        self.primary.setEnabled(not running and not why_not)
        self.primary.setToolTip(why_not or self.tr("Take another draw (Ctrl+Enter)"))
        why_not = why_not_repeat(study, explored, result)
        self.repeat_action.setVisible(not running and not self.is_attacking)
        self.repeat_action.setEnabled(not why_not)
        self.repeat_action.setToolTip(
            why_not or self.tr("Distort and reconstruct %s times") % DRAWS
        )
        self.cancel_action.setVisible(running)
        locked = self.tr("Locked while the draws are repeated; cancel to change.")
        self.settings_card.set_locked(locked if running else "")
