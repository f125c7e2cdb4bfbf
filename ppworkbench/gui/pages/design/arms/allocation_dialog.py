"""The best shares of the arms for what the survey shall tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QLabel,
    QLayout,
    QWidget,
)

from ppworkbench.analyses.design_arms import (
    behaviours_of,
    expected_class,
    question_names,
)
from ppworkbench.core.compliance.classes import Behaviour
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.planning.allocation import (
    COMPLIANCE,
    DIFFERENCE,
    PREVALENCE,
    Aim,
    Allocation,
    allocate,
)
from ppworkbench.core.privacy.belief import listed, meant_places
from ppworkbench.gui.language import told_error, translate
from ppworkbench.gui.numbers import number, percent
from ppworkbench.gui.scripts import ScriptButton
from ppworkbench.gui.widgets.layout import column, named, row, text
from ppworkbench.gui.widgets.number_fields import NumberBox
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.study import Study

if TYPE_CHECKING:
    from ppworkbench.outputs.scripts.analysis import Analysis

_DEAREST = 1e6


class AllocationDialog(QDialog):
    """What the shares serve, what interviews cost, and the shares that follow from it."""

    shares_chosen = Signal(object)
    """The best shares by arm."""

    def __init__(self, workbench: Workbench, study: Study, current: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Best shares"))
        self._study = study
        self._found: Allocation | None = None
        self._arms = study.design.versions
        self._behaviours: tuple[Behaviour, ...] = ()
        self._make_fields(current)
        grid = self._make_costs()
        self.words = named(text("", "body", wrap=True), "allocationWords")
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel
        )
        self.buttons.button(QDialogButtonBox.StandardButton.Ok).setText(self.tr("Use shares"))
        self.buttons.accepted.connect(self._on_accept)
        self.buttons.rejected.connect(self.reject)
        self.script = ScriptButton(workbench, self._analysis)
        foot = row(self.script, None, self.buttons)
        advice = self.tr(
            "The shares that estimate one number most precisely for what the interviews cost."
        )
        layout = column(
            text(advice, "secondary", wrap=True), self._choices, grid, self.words, foot,
            parent=self, margin=16, spacing=12,
        )  # fmt: skip
        layout.addStrut(workbench.themes.theme.px(500))
        # On a small screen Qt would grant less width, and the height of lines that are longer.
        layout.setSizeConstraint(QLayout.SizeConstraint.SetFixedSize)
        self._fill_behaviours()
        self._listen()
        self._follow()

    def _make_fields(self, current: str) -> None:
        self.question = named(QComboBox(), "allocationQuestion", self.tr("Question"))
        for name in question_names(self._study):
            attribute = self._study.design[name].attribute
            asking = [arm for arm in self._arms.members if name not in arm.omit]
            if attribute.kind.is_categorical and attribute.k > 1 and len(asking) > 1:
                self.question.addItem(self._study.shown(name), name)
        self.question.setCurrentIndex(max(self.question.findData(current), 0))
        self.serves = named(QComboBox(), "allocationServes", self.tr("Estimate"))
        self.serves.addItem("", PREVALENCE)
        self.serves.addItem(self.tr("share not following the device"), COMPLIANCE)
        self.serves.addItem(self.tr("difference of two arms"), DIFFERENCE)
        self.behaviour = named(QComboBox(), "allocationBehaviour", self.tr("Not following"))
        self.ignoring = NumberBox(is_share=True)
        self.ignoring.setRange(0.0, 0.9)
        self.ignoring.setDecimals(2)
        self.ignoring.setSingleStep(0.01)
        self.ignoring.setValue(expected_class(self._study))
        named(self.ignoring, "allocationIgnoring", self.tr("Share not following"))
        self.first = named(QComboBox(), "allocationFirst", self.tr("First arm"))
        self.second = named(QComboBox(), "allocationSecond", self.tr("Second arm"))
        for box in (self.first, self.second):
            box.addItems(list(self._arms.names))
        self.second.setCurrentIndex(min(1, len(self._arms.names) - 1))
        self._behaving, self._between = QWidget(), QWidget()
        behaving = row(self.behaviour, self.ignoring, parent=self._behaving)
        behaving.setStretch(0, 1)
        row(self.first, text("–"), self.second, None, parent=self._between)
        self._choices = QGridLayout()
        self._choices.setHorizontalSpacing(12)
        self._choices.setVerticalSpacing(8)
        self._choices.setColumnStretch(1, 1)
        self._titles: list[QLabel] = []
        fields = (
            (self.tr("Question"), self.question), (self.tr("Estimate"), self.serves),
            (self.tr("Not following"), self._behaving), (self.tr("Arms"), self._between),
        )  # fmt: skip
        for place, (title, field) in enumerate(fields):
            self._titles.append(text(title, "label"))
            self._choices.addWidget(self._titles[-1], place, 0)
            self._choices.addWidget(field, place, 1)

    def _make_costs(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(6)
        heads = (
            self.tr("Arm"), self.tr("Cost of an interview"), self.tr("Share now"),
            self.tr("Best share"),
        )  # fmt: skip
        for place, head in enumerate(heads):
            grid.addWidget(text(head, "captionHint"), 0, place)
        self.costs: dict[str, NumberBox] = {}
        self.best: dict[str, QLabel] = {}
        for place, arm in enumerate(self._arms.members, 1):
            cost = named(NumberBox(), f"allocationCost{place - 1}")
            cost.setAccessibleName(self.tr("Cost of an interview in %s") % arm.name)
            cost.setRange(0.01, _DEAREST)
            cost.setValue(1.0)
            self.costs[arm.name] = cost
            self.best[arm.name] = text("", "strong")
            grid.addWidget(text(arm.name), place, 0)
            grid.addWidget(cost, place, 1)
            grid.addWidget(text(percent(arm.share, 1)), place, 2)
            grid.addWidget(self.best[arm.name], place, 3)
        grid.setColumnStretch(0, 1)
        return grid

    def _listen(self) -> None:
        self.question.currentIndexChanged.connect(self._fill_behaviours)
        for box in (self.question, self.serves, self.behaviour, self.first, self.second):
            box.currentIndexChanged.connect(self._follow)
        for field in (self.ignoring, *self.costs.values()):
            field.valueChanged.connect(self._follow)

    @property
    def _name(self) -> str:
        return str(self.question.currentData() or "")

    def _fill_behaviours(self) -> None:
        """Offer what people may do with this question who do not follow."""
        if not self._name:
            return
        attribute = self._study.design[self._name].attribute
        shares = self._study.prior(self._name).probabilities
        meant = tuple(attribute.values[place] for place in meant_places(attribute, shares))
        self.serves.setItemText(0, self.tr("share of %s") % translate(listed(meant)))
        self._behaviours = behaviours_of(attribute, shares)
        self.behaviour.blockSignals(True)
        self.behaviour.clear()
        self.behaviour.addItem(self.tr("nobody: all follow the device"))
        for one in self._behaviours:
            self.behaviour.addItem(translate(one.name(attribute.values)))
        self.behaviour.setCurrentIndex(1 if self._study.settings.noncompliance else 0)
        self.behaviour.blockSignals(False)

    def _aim(self) -> Aim:
        serves = str(self.serves.currentData())
        if serves == DIFFERENCE:
            return Aim(serves, between=(self.first.currentText(), self.second.currentText()))
        chosen = self.behaviour.currentIndex()
        behaviour = self._behaviours[chosen - 1] if chosen > 0 else None
        return Aim(serves, behaviour, self.ignoring.value())

    def _follow(self, *_: object) -> None:
        """Work out the best shares and say what they are worth."""
        is_difference = self.serves.currentData() == DIFFERENCE
        for part in (self._titles[2], self._behaving):
            part.setVisible(not is_difference)
        for part in (self._titles[3], self._between):
            part.setVisible(is_difference)
        self.ignoring.setEnabled(self.behaviour.currentIndex() > 0)
        self._found, problem = None, ""
        n = self._study.settings.respondents
        costs = self._costs()
        if not self._name:
            problem = self.tr("No question with categories is asked by two arms.")
        else:
            try:
                prior = self._study.prior(self._name)
                aim = self._aim()
                self._found = allocate(self._study.design, self._name, prior, aim, n, costs)
            except WorkbenchError as error:
                problem = told_error(error, self._study)
        shares = {} if self._found is None else self._found.shares
        for arm, label in self.best.items():
            label.setText(percent(shares[arm], 1) if arm in shares else "–")
        self.words.setText(problem or self._sentence())
        # Shares of nobody are no shares: then an arm is to be deleted, which somebody decides.
        can_apply = self._found is not None and self._found.only is None
        self.buttons.button(QDialogButtonBox.StandardButton.Ok).setEnabled(can_apply)
        self.script.setEnabled(self._found is not None)

    def _costs(self) -> dict[str, float]:
        return {arm: box.value() for arm, box in self.costs.items()}

    def _analysis(self) -> tuple[Analysis, Study] | None:
        """The best shares as a call of the Python interface."""
        from ppworkbench.outputs.scripts.results import allocation_analysis

        if self._found is None:
            return None
        asked = allocation_analysis(self._study, self._name, self._aim(), self._costs())
        return asked, self._study

    def _sentence(self) -> str:
        found = self._found
        if found is None:
            return ""
        gain = self.tr("Standard error %s points instead of %s, at the same cost.") % (
            number(100 * found.standard_error, 2), number(100 * found.before, 2)
        )  # fmt: skip
        if found.only is not None:
            only = self.tr("The whole sample belongs in “%s”: other arms add nothing to this.")
            return f"{only % found.only} {gain}"
        if min(found.shares.values()) < 0.01:
            least = self.tr("An arm that adds nothing keeps 1 %.")
            return f"{gain} {least}"
        return gain

    def _on_accept(self) -> None:
        if self._found is not None:
            self.shares_chosen.emit(dict(self._found.shares))
            self.accept()
