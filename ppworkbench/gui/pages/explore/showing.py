"""Brings results and choices onto the widgets of the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from ppworkbench.gui.pages.explore.em_path import AUTO, CONVERGED, FIXED, PUBLISHED
from ppworkbench.gui.pages.explore.insight import likelihood_hint, loss_hint, what_to_see
from ppworkbench.gui.pages.explore.methods import methods_of
from ppworkbench.gui.pages.explore.pictures import (
    View,
    comparison,
    legend_entries,
    likelihood_curves,
    loss_curves,
)
from ppworkbench.gui.pages.explore.reasons import absence, why_no_loss
from ppworkbench.gui.pages.explore.repeats import DRAWS
from ppworkbench.gui.pages.explore.runs import Reading, Run
from ppworkbench.gui.pages.explore.showing_settings import SettingsShowing
from ppworkbench.gui.pages.explore.stop_marks import Mark
from ppworkbench.gui.pages.explore.table_rows import loss_rows, rule_words, strips
from ppworkbench.gui.single_shot import single_shot
from ppworkbench.gui.words import number

if TYPE_CHECKING:
    from ppworkbench.gui.pages.explore.page import ExplorePage

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
        cells = result.draw.subject.cells
        places = {m.name: i for i, m in enumerate(methods_of(cells))}
        places |= {
            name: len(places) + i for i, name in enumerate(result.runs) if name not in places
        }
        focus = page.choices.focus(cells, result.runs)
        question = page.store.study.label(result.draw.subject.name)
        if len(question) > _LONGEST_QUESTION:
            question = result.draw.subject.name
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
            self._page.insight.say(what_to_see(view.result, view.focus))

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
        cells, runs = view.result.draw.subject.cells, view.result.runs
        rule, fixed, focus = page.choices.rule(cells), page.choices.fixed, runs[view.focus]
        if self._follows:
            self._cursor = focus.stop(rule, fixed)
            readings = {name: run.at(run.stop(rule, fixed)) for name, run in runs.items()}
        else:
            readings = {name: self._at_cursor(run) for name, run in runs.items()}
        name = view.result.draw.subject.name
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
        return run.at(self._cursor if run.path.last > 0 else run.path.last)

    def _show_scrubber(self, run: Run, rule: str, fixed: int) -> None:
        scrubber = self._page.picture.scrubber
        reason = ""
        if run.path.last == 0:
            reason = self.tr("This algorithm solves in one step; there is nothing to step through.")
        marks: tuple[Mark, ...] = ()
        if run.iterates:
            rules = (PUBLISHED, AUTO, CONVERGED) + ((FIXED,) if rule == FIXED else ())
            marks = tuple(
                Mark(self._mark_words(one, run, fixed), run.stop(one, fixed), one == rule)
                for one in rules
            )
        scrubber.show_path(run.path, marks, reason)
        scrubber.set_iteration(self._cursor)

    def _mark_words(self, rule: str, run: Run, fixed: int) -> str:
        if rule == CONVERGED:
            return rule_words(rule) if run.path.finished else self.tr("still moving")
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
        subject = view.result.draw.subject
        rule, fixed = page.choices.rule(subject.cells), page.choices.fixed
        tally, stale = page.explorer.tally(subject)
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
        page, subject = self._page, self._page.subject
        store, result = page.store, page.explorer.result
        why = absence(store.study, store.current, subject, result, self._fault)
        page.picture.title.setText(subject.name if subject is not None else "")
        page.picture.show_words(why.missing, why.advice, why.action)
        self._show_rest(False)

    def _show_rest(self, shown: bool) -> None:
        """Empty cards around a sentence would only distract from it."""
        for widget in (self._page.curves, self._page.right):
            widget.setVisible(shown)
