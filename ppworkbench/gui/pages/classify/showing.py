"""Brings the page up to date with its runs."""

from __future__ import annotations

import dataclasses
import math
from datetime import datetime
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTime

from ppworkbench.gui.language.text import told
from ppworkbench.gui.pages.classify.choices import class_names
from ppworkbench.gui.pages.classify.curves import Summaries, levels_of
from ppworkbench.gui.pages.classify.reasons import class_hint, no_original, why_not_run
from ppworkbench.gui.pages.classify.results_card import ALL_RUNS
from ppworkbench.gui.pages.classify.results_model import ResultRow, best_mean, rows_of
from ppworkbench.gui.pages.classify.run import Run
from ppworkbench.gui.pages.classify.trees import DrawnTree
from ppworkbench.gui.pages.classify.words import level_words, setting_name, short_name
from ppworkbench.gui.words import number

if TYPE_CHECKING:
    from ppworkbench.gui.pages.classify.page import ClassifyPage

_USUAL = 100.0
"""The level that is looked at first, or the nearest to it."""


class Showing(QObject):
    """What of a run is in sight: a level, a setting, its tree."""

    def __init__(self, page: ClassifyPage) -> None:
        super().__init__(page)
        self._page = page
        self._run: Run | None = None
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

    def _first_level(self, run: Run | None) -> float | None:
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

    def _show_table(self, run: Run) -> None:
        page = self._page
        levels = run.request.sweep.levels or (None,)
        page.results.show_levels([(level, level_words(level)) for level in levels], self.level)
        runs = [(place, self._run_words(one)) for place, one in enumerate(page.runs.runs)]
        if len(runs) > 1:
            runs.append((ALL_RUNS, self.tr("all runs")))
        current = ALL_RUNS if self.all_runs else page.runs.runs.index(run)
        page.results.show_runs(runs, current)
        rows = self._rows(run)
        page.results.show_rows(rows, self._note(run), stale=page.is_stale(run))

    def _rows(self, run: Run) -> list[ResultRow]:
        words = self.tr("Larger class")
        if not self.all_runs:
            return rows_of(run, self._summaries, self.level, words)
        rows = []
        for one in self._page.runs.runs:
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

    def _run_words(self, run: Run) -> str:
        when = datetime.fromtimestamp(run.when).astimezone()
        place = self._page.runs.runs.index(run) + 1
        return self.tr("run %s, %s") % (place, QTime(when.hour, when.minute).toString("HH:mm"))

    def _note(self, run: Run) -> str:
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
                    words % (setting_name(setting), number(found.failed), told(found.error))
                )
        return " ".join([*parts, *(told(note) for note in run.notes[:2])])

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

    def _ask_for_tree(self, run: Run, key: str | None) -> None:
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

    def _on_drawn(self, tree: DrawnTree | None) -> None:
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


def _best(rows: list[ResultRow]) -> str | None:
    best = next((row.key for row in rows if row.is_best), None)
    known = (row.key for row in rows if math.isfinite(row.mean))
    return best or next(known, None)
