"""The sub-page Plan of Design: one n for all questions, their limits, and what randomising pays."""

from __future__ import annotations

import dataclasses
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QWidget

from ppworkbench.analyses.designs.goals import Goal
from ppworkbench.analyses.planning.plan import PlanResult
from ppworkbench.analyses.planning.study_plan import (
    PlanBuilder,
    PlanView,
    error_curves,
    parameter_label,
    plan_command,
    plan_of,
    solve_plan,
)
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.progress import Progress
from ppworkbench.gui.dialogs import resize_dialog, show_dialog
from ppworkbench.gui.language import told_error, tr, translate
from ppworkbench.gui.numbers import number
from ppworkbench.gui.page_task import PageTask
from ppworkbench.gui.pages.design.plan.choices import (
    CostsCard,
    LimitsRow,
    PlanFields,
    RespondentsCard,
)
from ppworkbench.gui.pages.design.plan.questions_card import LIGHTS, QuestionsCard, needed_text
from ppworkbench.gui.pages.design.sub_page import SubPage
from ppworkbench.gui.scripts import ScriptButton
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.controls import Segmented
from ppworkbench.gui.widgets.layout import column, named, row, scrolled, text
from ppworkbench.gui.widgets.sheet_table import RowLooks, SheetTable
from ppworkbench.gui.widgets.sizes import is_large_text
from ppworkbench.gui.widgets.splitter import splitter
from ppworkbench.gui.workbench import Workbench
from ppworkbench.results.sheet import Sheet
from ppworkbench.study.study import Study

if TYPE_CHECKING:
    from ppworkbench.outputs.scripts.analysis import Analysis

NARROW = 1180
"""Below this width of the window the questions and the costs are shown one at a time."""


class SolveDialog(QDialog):
    """Every question before and after; accepted, all of them change in one step."""

    def __init__(
        self, workbench: Workbench, study: Study, found: PlanResult, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Solve all questions"))
        self._study = study
        self.table = SheetTable(
            workbench.themes, "solveRows", self.tr("Questions before and after"), sorts=False
        )
        lights = {one.attribute: one.light for one in found.whole.questions}
        shown = [
            LIGHTS["breaks" if one.reason is not None else lights[one.attribute]]
            for one in found.solutions
        ]
        self.table.set_sheet(_shown(study, found), RowLooks(sign=shown.__getitem__))
        card = Card(padding=1)
        card.add(self.table, 1)
        buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Apply | QDialogButtonBox.StandardButton.Cancel
        )
        self.apply = buttons.button(QDialogButtonBox.StandardButton.Apply)
        self.apply.setObjectName("applySolution")
        self.apply.setEnabled(bool(found.changed))
        self.apply.setProperty("look", "primary")
        self.apply.setDefault(True)
        self.apply.setFocus()
        self.apply.clicked.connect(self.accept)
        buttons.rejected.connect(self.reject)
        self.reasons = named(text(_reasons(study, found), "secondary", wrap=True), "solveReasons")
        self.reasons.setVisible(bool(self.reasons.text()))
        self.summary = named(text(_summary(found), "secondary", wrap=True), "solveSummary")
        self.script = ScriptButton(workbench, self._analysis)
        column(
            self.summary, card, self.reasons,
            row(self.script, None, buttons),
            parent=self, margin=14, spacing=10,
        ).setStretch(1, 1)  # fmt: skip
        resize_dialog(self, 1060, 480)

    def _analysis(self) -> tuple[Analysis, Study]:
        from ppworkbench.outputs.scripts.results import plan_analysis

        return plan_analysis(self._study, solve=True), self._study


def _shown(study: Study, found: PlanResult) -> Sheet:
    """What was solved, with the names that people know."""
    sheet = found.sheet("solved")
    words = {
        "attribute": [study.shown(one.attribute) for one in found.solutions],
        "parameter": [
            parameter_label(found.design.question(one.attribute), one.parameter)
            for one in found.solutions
        ],
    }
    columns = (
        replace(one, values=words.get(one.key, one.values), is_detail=one.key == "exact")
        for one in sheet.columns
    )
    return replace(sheet, columns=tuple(columns))


def _summary(found: PlanResult) -> str:
    sheet = found.sheet("solved")
    moved = np.subtract(
        *(np.array(sheet[key].values, np.float64) for key in ("belief_after", "belief_before"))
    ).round(6)
    said = [
        tr("Each question gets the weakest protection within its privacy limits, which is the most "
           "accurate; devices are rounded to the private side."),
        tr("Questions that change: %s (weaker protection: %s, stronger protection: %s).")
        % (number(len(found.changed)), number((moved > 0).sum()), number((moved < 0).sum())),
    ]  # fmt: skip
    unsolved = sum(one.reason is not None for one in found.solutions)
    if unsolved:
        said.append(tr("Without a solution: %s; they keep their parameter.") % number(unsolved))
    totals = (None if found.before is None else found.before[1], found.total)
    before, after = (None if one is None else one.answers for one in totals)
    said.append(tr("n needed: %s before, %s after.") % (needed_text(before), needed_text(after)))
    return " ".join(said)


def _reasons(study: Study, found: PlanResult) -> str:
    return "\n".join(
        f"{study.shown(one.attribute)}: {translate(study.titled(one.reason))}."
        for one in found.solutions
        if one.reason is not None
    )


class PlanPage(SubPage):
    """Shows the plan of the study, and changes the study as its cards ask for."""

    key = "plan"

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(workbench)
        self.view: PlanView | None = None
        self._builder = PlanBuilder()
        self._listed: str | None = None
        """The shown question behind a list; no column has it, so that nothing else selects it."""
        self._solving: PageTask[tuple[Study, PlanResult] | WorkbenchError] = PageTask(
            workbench, "solve plan", self
        )
        themes = self.themes
        self.fields = PlanFields(themes, self)
        self.people = RespondentsCard(themes, self.fields)
        self.limits = LimitsRow(themes, self.fields)
        self.questions = QuestionsCard(themes, self.limits)
        self.costs = CostsCard(themes, self.fields)
        self.columns = splitter(
            Qt.Orientation.Horizontal, "planColumns", self.questions, scrolled(self.costs)
        )
        self.columns.setSizes([836, 410])
        self.columns.setStretchFactor(0, 2)
        self.columns.setStretchFactor(1, 1)
        self.parts = Segmented(
            themes, self.tr("Part of the plan"),
            [("questions", self.tr("Questions")), ("costs", self.tr("Direct or randomised?"))],
        )  # fmt: skip
        self.parts.setObjectName("planParts")
        self.parts.chosen.connect(lambda _: self._fit())
        switch = row(self.parts, None)
        column(self.people, switch, self.columns, parent=self, spacing=8).setStretch(2, 1)
        self.people.respondents_chosen.connect(self._on_respondents)
        self.people.solve.clicked.connect(self._on_solve)
        self.people.command.clicked.connect(self.copy_command)
        self.fields.chosen.connect(self._change)
        self.questions.limit_chosen.connect(self._on_limit)
        self.questions.limit_reset.connect(self._on_reset)
        self.questions.refused.connect(self.workbench.show_toast)
        self.questions.question_chosen.connect(self._on_question)
        self.questions.question_opened.connect(lambda name: self.question_requested.emit(name, ""))
        self._solving.finished.connect(self._on_solved)
        self._solving.changed.connect(self._on_solving)

    @classmethod
    def title(cls) -> str:
        return tr("Plan")

    @classmethod
    def hint(cls) -> str:
        return tr("How many people to ask, and which limits each question keeps")

    def set_view(self, study: Study) -> None:
        view = self._builder.build(study)
        self.view = view
        current = self.workbench.store.current or self._listed
        name = current if current is not None and view.row(current) is not None else None
        if name is None and view.rows:
            name = view.rows[0].name
        self.fields.set_view(view)
        self.people.set_view(view)
        self.limits.set_view(view)
        self.questions.set_view(view, name)
        curves = None if name is None else error_curves(view, name)
        self.costs.set_view(view, name, curves)

    def copy_command(self) -> None:
        """Put the command line that plans the same on the clipboard."""
        study = self.workbench.store.study
        QGuiApplication.clipboard().setText(plan_command(study, self.workbench.store.current or ""))
        self.workbench.show_toast(self.tr("The command line is on the clipboard."))

    def _on_question(self, name: str) -> None:
        store = self.workbench.store
        self._listed = None if name in store.study.design else name
        store.select([name])
        if self._listed is not None:
            self.set_view(store.study)

    # Changing the study

    def _change(self, changes: dict[str, Any], gesture: str) -> None:
        """Change goals and choices by their names."""
        study = self.workbench.store.study
        kept = Goal.from_json(study.goals).to_json()
        goals = {name: changes[name] for name in changes if name in vars(Goal())}
        try:
            changed = study.with_(
                plan=study.plan.with_(**{name: changes[name] for name in changes.keys() - goals})
            )
            if goals:
                set_now = {n: v for n, v in (kept | goals).items() if v is not None}
                changed = changed.with_(goals=MappingProxyType(set_now))
            # Refuses what no plan can be made of, as a power below the level of its test.
            plan_of(changed).settings(changed.design)
        except WorkbenchError as error:
            self.workbench.show_toast(told_error(error, study))
            self.set_view(study)
            return
        self._apply(changed, self.tr("Change the plan"), gesture)

    def _apply(self, changed: Study, words: str, gesture: str = "") -> None:
        study = self.workbench.store.study
        if (changed.plan, dict(changed.goals)) != (study.plan, dict(study.goals)):
            self.edited.emit(changed, words, gesture)

    def _on_respondents(self, respondents: int, gesture: str) -> None:
        study = self.workbench.store.study
        if respondents != study.settings.respondents:
            settings = dataclasses.replace(study.settings, respondents=respondents)
            words = self.tr("Change the respondents")
            self.edited.emit(study.with_(settings=settings), words, gesture)

    def _on_limit(self, name: str, limit: str, value: float | None) -> None:
        study = self.workbench.store.study
        words = self.tr("Change a limit of %s") % study.shown(name)
        self._apply(study.with_(plan=study.plan.with_limit(name, limit, value)), words)

    def _on_reset(self, name: str, limit: str) -> None:
        study = self.workbench.store.study
        words = self.tr("Reset the limits of %s") % study.shown(name)
        self._apply(study.with_(plan=study.plan.without_limit(name, limit or None)), words)

    # Solving

    def _on_solve(self) -> None:
        study = self.workbench.store.study

        def solved(progress: Progress) -> tuple[Study, PlanResult] | WorkbenchError:
            try:
                return study, solve_plan(study, progress)
            except WorkbenchError as error:
                # It is no failure that there is nothing to solve.
                return error

        self._solving.start(self.tr("Solving all questions"), solved)

    def _on_solving(self) -> None:
        self.people.solve.setEnabled(not self._solving.is_running)

    def _on_solved(self, found: tuple[Study, PlanResult] | WorkbenchError) -> None:
        study = self.workbench.store.study
        if isinstance(found, WorkbenchError):
            self.workbench.show_toast(told_error(found, study))
            return
        if found[0] is not study:
            # Somebody went on working; what was found is of the past.
            return
        dialog = SolveDialog(self.workbench, *found, self.window())
        dialog.accepted.connect(lambda: self._on_accepted(found[1]))
        show_dialog(dialog, self.themes)

    def _on_accepted(self, found: PlanResult) -> None:
        study = self.workbench.store.study
        words = self.tr("Solve all questions")
        self.edited.emit(study.with_(design=found.design), words, "")

    # Room

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Show one column at a time in a narrow window."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        is_narrow = self.window().width() < NARROW or is_large_text(self)
        self.parts.setVisible(is_narrow)
        for place, key in enumerate(self.parts.keys):
            self.columns.widget(place).setVisible(not is_narrow or key == self.parts.current)

    def reveal(self, part: QWidget) -> None:
        for place, key in enumerate(self.parts.keys):
            if self.columns.widget(place).isAncestorOf(part):
                self.parts.choose(key)
