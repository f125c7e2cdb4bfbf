"""Brings the study and the choices onto the settings card."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from ppworkbench.gui.pages.explore.em_path import AUTO, CONVERGED, FIXED, PUBLISHED
from ppworkbench.gui.pages.explore.methods import methods_of
from ppworkbench.gui.pages.explore.reasons import distortion_words
from ppworkbench.gui.pages.explore.runs import Run
from ppworkbench.gui.pages.explore.subject import Subject, most_steps
from ppworkbench.gui.pages.explore.table_rows import iteration_words
from ppworkbench.gui.plots.series import series_look
from ppworkbench.gui.words import number

if TYPE_CHECKING:
    from ppworkbench.gui.pages.explore.page import ExplorePage


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
        subject = page.subject
        if subject is None:
            card.show_steps(None, 1, "")
            card.summary.setText("")
            return
        most = most_steps(subject.attribute)
        reason = ""
        if subject.steps is None:
            reason = self.tr("Values are not cut into steps.")
        elif most < 2:
            reason = self.tr("There is only one number to answer.")
        card.show_steps(None if reason else subject.steps, most, reason)
        idle = "" if subject.is_distorted else self.tr("This attribute is not distorted.")
        card.set_idle(idle)
        card.summary.setText(self._summary(subject))
        self._show_methods(subject)

    def _summary(self, subject: Subject) -> str:
        result = self._page.explorer.result
        same = result is not None and result.draw.subject == subject
        answers = result.draw.counted.rows if same and result else len(subject.column)
        words = distortion_words(subject)
        if answers == 1:
            return self.tr("1 answer, %s") % words
        return self.tr("%s answers, %s") % (number(answers), words)

    def _show_methods(self, subject: Subject) -> None:
        page = self._page
        result, cells = page.explorer.result, subject.cells
        draw = result.draw if result is not None and result.draw.subject == subject else None
        methods = methods_of(cells, draw)
        can = [m.name for m in methods if not m.reason and m.name in page.choices.ticked(cells)]
        focus = page.choices.focus(cells, can)
        looks = {m.name: series_look(i) for i, m in enumerate(methods_of(cells))}
        looks = {m.name: looks.get(m.name, series_look(5)) for m in methods}
        looks[focus] = "reconstructed"
        page.settings_card.methods.show_methods(methods, page.choices.ticked(cells), focus, looks)
        self._show_rule(subject, focus)

    def _show_rule(self, subject: Subject, focus: str) -> None:
        page = self._page
        rule, fixed = page.choices.rule(subject.cells), page.choices.fixed
        ticked = page.choices.ticked(subject.cells)
        iterated = {m.name for m in methods_of(subject.cells) if m.iterates}
        applies = any(name in iterated for name in ticked)
        reason = self.tr("None of the ticked algorithms iterates.")
        run = None
        result = page.explorer.result
        if result is not None and result.draw.subject == subject:
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
        at = run.path.stops[rule]
        if rule == CONVERGED and not run.path.finished:
            return self.tr("goes on until nothing moves: not yet after %s iterations") % number(at)
        return f"{words[rule]}: {iteration_words(run, rule, at)}"
