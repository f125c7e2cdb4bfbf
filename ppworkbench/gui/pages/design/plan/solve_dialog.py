"""What solving all questions would change, before it does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QWidget

from ppworkbench.analyses.plan import SolvedPlan, SolvedRow
from ppworkbench.gui.dialogs import resize_dialog
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.numbers import number, percent, significant
from ppworkbench.gui.pages.design.plan.questions_card import LIGHTS, needed_text
from ppworkbench.gui.scripts import ScriptButton
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.cells import EDGE, CellDelegate
from ppworkbench.gui.widgets.cells import Column as TableColumn
from ppworkbench.gui.widgets.layout import column, named, row, text
from ppworkbench.gui.widgets.table import ColumnModel, TableHeader, TextTable
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.study import Study

if TYPE_CHECKING:
    from ppworkbench.outputs.scripts.analysis import Analysis


class SolveDialog(QDialog):
    """Every question before and after; accepted, all of them change in one step."""

    solved = Signal(object)
    """The study with the parameters that were found."""

    def __init__(self, workbench: Workbench, found: SolvedPlan, parent: QWidget) -> None:
        super().__init__(parent)
        themes = workbench.themes
        self.setWindowTitle(self.tr("Solve all questions"))
        self._found = found
        self.model = ColumnModel(themes, _columns(found), self)
        self.table = TextTable(themes, "solveRows", self.tr("Questions before and after"))
        head = TableHeader(themes, self.table)
        self.table.setHorizontalHeader(head)
        self.table.setModel(self.model)
        self._delegate = CellDelegate(themes, self.model, line="grid", edge=EDGE, has_focus=False)
        self.table.setItemDelegate(self._delegate)
        self.model.set_rows(found.rows)
        head.setSectionsClickable(False)
        head.setStretchLastSection(True)
        for place, width in enumerate((210, 110, 84, 84, 112, 104, 84, 84)):
            self.table.setColumnWidth(place, themes.theme.px(width))
        card = Card(padding=1)
        card.add(self.table, 1)
        buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Apply | QDialogButtonBox.StandardButton.Cancel
        )
        self.apply = buttons.button(QDialogButtonBox.StandardButton.Apply)
        self.apply.setObjectName("applySolution")
        self.apply.setEnabled(found.is_changed)
        self.apply.setProperty("look", "primary")
        self.apply.setDefault(True)
        self.apply.setFocus()
        self.apply.clicked.connect(self._on_apply)
        buttons.rejected.connect(self.reject)
        self.reasons = named(text(_reasons(found), "secondary", wrap=True), "solveReasons")
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
        from ppworkbench.outputs.scripts.results import solving_analysis

        study = self._found.before.study
        return solving_analysis(study), study

    def _on_apply(self) -> None:
        self.solved.emit(self._found.study)
        self.accept()


def _summary(found: SolvedPlan) -> str:
    changed = sum(row.is_changed for row in found.rows)
    unsolved = sum(row.solution.reason is not None for row in found.rows)
    moved = np.array([_belief_change(row) for row in found.rows])
    said = [
        tr("Each question gets the weakest protection within its privacy limits, which is the most "
           "accurate; devices are rounded to the private side."),
        tr("Questions that change: %s (weaker protection: %s, stronger protection: %s).")
        % (number(changed), number((moved > 0).sum()), number((moved < 0).sum())),
    ]  # fmt: skip
    if unsolved:
        said.append(tr("Without a solution: %s; they keep their parameter.") % number(unsolved))
    before, after = (
        None if view.total is None else view.total.answers for view in (found.before, found.after)
    )
    said.append(tr("n needed: %s before, %s after.") % (needed_text(before), needed_text(after)))
    return " ".join(said)


def _belief_change(row: SolvedRow) -> float:
    before, after = row.before.found.belief, row.after.found.belief
    return 0.0 if before is None or after is None else round(after.after - before.after, 6)


def _reasons(found: SolvedPlan) -> str:
    """What questions without a solution can reach."""
    study = found.before.study
    return "\n".join(
        f"{study.shown(row.before.name)}: {translate(study.titled(row.solution.reason))}."
        for row in found.rows
        if row.solution.reason is not None
    )


def _columns(found: SolvedPlan) -> tuple[TableColumn[SolvedRow], ...]:
    study: Study = found.before.study

    def value(number_: float | None) -> str:
        return "–" if number_ is None else significant(number_, 4)

    def belief(row: SolvedRow, *, after: bool) -> str:
        one = (row.after if after else row.before).found.belief
        return "–" if one is None else percent(one.after, 1)

    def outcome(row: SolvedRow) -> str:
        if row.solution.reason is not None:
            return tr("no solution")
        return translate(row.after.found.words)

    def light(row: SolvedRow) -> tuple[str, str]:
        return LIGHTS["breaks" if row.solution.reason is not None else row.after.found.light]

    return (
        TableColumn(
            tr("Question"), lambda row: study.shown(row.before.name), is_left=True,
            weight=lambda _: "medium",
        ),
        TableColumn(
            tr("Parameter"), lambda row: translate(row.parameter), is_left=True, ink="text2"
        ),
        TableColumn(tr("before"), lambda row: value(row.values[0]), ink="text2"),
        TableColumn(
            tr("after"), lambda row: value(row.values[1]),
            weight=lambda row: "semibold" if row.is_changed else "regular",
        ),
        TableColumn(tr("Belief before"), lambda row: belief(row, after=False), ink="text2"),
        TableColumn(tr("Belief after"), lambda row: belief(row, after=True)),
        TableColumn(
            tr("n before"), lambda row: needed_text(found.before.needed(row.before)),
            ink="text2",
        ),
        TableColumn(tr("n after"), lambda row: needed_text(found.after.needed(row.after))),
        TableColumn(
            tr("Plan"), outcome, is_left=True,
            icon=lambda row: light(row)[0], ink=lambda row: light(row)[1],
        ),
    )  # fmt: skip
