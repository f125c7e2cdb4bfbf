"""What holds for the questionnaire as a whole, under the list of attributes."""

from __future__ import annotations

import math
from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from ppworkbench.core.privacy.questionnaire import summarise
from ppworkbench.core.privacy.report import AttributeReport, QuestionnaireReport
from ppworkbench.core.progress import Progress
from ppworkbench.gui.dialogs import show_dialog
from ppworkbench.gui.pages.design.measures_dialog import MeasuresDialog
from ppworkbench.gui.widgets.icon_button import Button
from ppworkbench.gui.widgets.layouts import column, line, text
from ppworkbench.gui.words import number
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.readouts import report_of
from ppworkbench.study.study import Study

_KEPT = 200
"""Reports of more attributes are not kept: looking through them for rubbish would be felt."""


def assess_study(study: Study, progress: Progress) -> QuestionnaireReport:
    """Readouts of all attributes and of the whole."""
    reports: dict[str, AttributeReport] = {}
    names = study.design.names
    for done, name in enumerate(names):
        progress(done / len(names), name)
        reports[name] = report_of(study, name)
    return summarise(study.design, reports)


class QuestionnaireSummary(QWidget):
    """Two sentences, kept up to date by a quiet job."""

    assessed = Signal(object)
    """The badges of all attributes: best guess and information loss."""

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self.workbench = workbench
        self.report: QuestionnaireReport | None = None
        self.guess = text("", wrap=True)
        self.epsilon = text("", wrap=True)
        self.all = Button(workbench.themes, self.tr("Show all measures"), look="link")
        self.all.setObjectName("allMeasures")
        self.all.clicked.connect(self._on_all)
        column(
            line(), text(self.tr("Whole questionnaire"), "strong"), self.guess, self.epsilon,
            self.all, parent=self, spacing=6,
        ).setContentsMargins(14, 0, 14, 10)  # fmt: skip
        for label in (self.guess, self.epsilon):
            label.setProperty("type", "caption")

    def refresh(self) -> None:
        """Work out the whole in the background; the latest wins."""
        self._assess(self._show, "questionnaire", quiet=True)

    def _assess(
        self, done: Callable[[QuestionnaireReport], None], key: str, *, quiet: bool
    ) -> None:
        study = self.workbench.store.study
        if study.design.attributes:
            self.workbench.run(
                self.tr("Whole questionnaire"), lambda progress: assess_study(study, progress),
                done, key=key, quiet=quiet,
            )  # fmt: skip

    def _show(self, report: QuestionnaireReport) -> None:
        self.report = report if len(report.attributes) <= _KEPT else None
        self.assessed.emit(
            {
                one.name: (
                    one.privacy["attack_success"].value,
                    one.utility.information_loss,
                )
                for one in report.attributes
            }
        )
        right = sum(report.right_at_least[1:])
        blind = sum(report.blind_at_least[1:])
        total = len(report.attributes)
        words = self.tr("<b>%s of %s</b> answers guessed right; %s without the survey")
        self.guess.setText(words % (number(right, 1), total, number(blind, 1)))
        values = {reading.name: reading for reading in report.readings}
        epsilon = values.get("epsilon")
        if epsilon is None:
            return
        shown = "∞" if math.isinf(epsilon.value) else number(epsilon.value, 1)
        unbounded = sum(
            1
            for one in report.attributes
            if "epsilon" in one.privacy and math.isinf(one.privacy["epsilon"].value)
        )
        rest = (
            self.tr("in total: %s attributes have no finite bound") % unbounded
            if unbounded
            else self.tr("in total; small is more private")
        )
        self.epsilon.setText(f"<b>ε = {shown}</b> {rest}")

    def _on_all(self) -> None:
        if self.report is not None:
            self._open(self.report)
        else:
            self._assess(self._open, "all measures", quiet=False)

    def _open(self, report: QuestionnaireReport) -> None:
        show_dialog(MeasuresDialog(report, self.window()), self.workbench.themes)
