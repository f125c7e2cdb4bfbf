"""The best shares of the arms for what the survey shall tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QGridLayout,
    QLabel,
    QLayout,
    QWidget,
)

from ppworkbench.analyses.designs.arms import behaviours_of, expected_class
from ppworkbench.analyses.designs.design import question_names
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
from ppworkbench.gui.dialogs import ok_cancel
from ppworkbench.gui.language import told_error, translate
from ppworkbench.gui.numbers import number, percent
from ppworkbench.gui.scripts import ScriptButton
from ppworkbench.gui.widgets.controls import ChoiceBox
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
        self.buttons = ok_cancel(self, self._on_accept, self.tr("Use shares"))
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
        names = [name for name in question_names(self._study.design) if self._can_serve(name)]
        arms = [(name, name) for name in self._arms.names]
        choices: tuple[tuple[str, str, list[tuple[str, str]]], ...] = (
            ("Question", self.tr("Question"), [(name, self._study.shown(name)) for name in names]),
            ("Serves", self.tr("Estimate"), []),
            ("Behaviour", self.tr("Not following"), []),
            ("First", self.tr("First arm"), arms), ("Second", self.tr("Second arm"), arms),
        )  # fmt: skip
        self.question, self.serves, self.behaviour, self.first, self.second = (
            named(ChoiceBox(words, offered), f"allocation{name}")
            for name, words, offered in choices
        )
        if current in names:
            self.question.set_current(current)
        self.ignoring = NumberBox(is_share=True)
        self.ignoring.setRange(0.0, 0.9)
        self.ignoring.setDecimals(2)
        self.ignoring.setSingleStep(0.01)
        self.ignoring.setValue(expected_class(self._study))
        named(self.ignoring, "allocationIgnoring", self.tr("Share not following"))
        self.second.setCurrentIndex(min(1, len(self._arms.names) - 1))
        self._behaving, self._between = QWidget(), QWidget()
        behaving = row(self.behaviour, self.ignoring, parent=self._behaving)
        behaving.setStretch(0, 1)
        row(self.first, text("–"), self.second, None, parent=self._between)
        self._choices = QFormLayout()
        self._choices.setHorizontalSpacing(12)
        self._choices.setVerticalSpacing(8)
        self._choices.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        for title, field in (
            (self.tr("Question"), self.question), (self.tr("Estimate"), self.serves),
            (self.tr("Not following"), self._behaving), (self.tr("Arms"), self._between),
        ):  # fmt: skip
            self._choices.addRow(text(title, "label"), field)

    def _can_serve(self, name: str) -> bool:
        attribute = self._study.design[name].attribute
        asking = [arm for arm in self._arms.members if name not in arm.omit]
        return attribute.kind.is_categorical and attribute.k > 1 and len(asking) > 1

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

    def _fill_behaviours(self) -> None:
        """Offer what people may do with this question who do not follow."""
        share = ""
        if self.question.current:
            attribute = self._study.design[self.question.current].attribute
            shares = self._study.prior(self.question.current).probabilities
            meant = tuple(attribute.values[place] for place in meant_places(attribute, shares))
            share = self.tr("share of %s") % translate(listed(meant))
            self._behaviours = behaviours_of(attribute, shares)
            listing = [translate(one.name(attribute.values)) for one in self._behaviours]
            listing.insert(0, self.tr("nobody: all follow the device"))
            with QSignalBlocker(self.behaviour):
                self.behaviour.set_choices([(str(at), words) for at, words in enumerate(listing)])
                self.behaviour.setCurrentIndex(1 if self._study.settings.noncompliance else 0)
        self.serves.set_choices(
            [(PREVALENCE, share), (COMPLIANCE, self.tr("share not following the device")),
             (DIFFERENCE, self.tr("difference of two arms"))]
        )  # fmt: skip

    def _aim(self) -> Aim:
        serves = self.serves.current
        if serves == DIFFERENCE:
            return Aim(serves, between=(self.first.current, self.second.current))
        chosen = self.behaviour.currentIndex()
        behaviour = self._behaviours[chosen - 1] if chosen > 0 else None
        return Aim(serves, behaviour, self.ignoring.value())

    def _follow(self, *_: object) -> None:
        """Work out the best shares and say what they are worth."""
        is_difference = self.serves.current == DIFFERENCE
        self._choices.setRowVisible(self._behaving, not is_difference)
        self._choices.setRowVisible(self._between, is_difference)
        self.ignoring.setEnabled(self.behaviour.currentIndex() > 0)
        self._found, problem = None, ""
        n = self._study.settings.respondents
        costs, name = self._costs(), self.question.current
        if not name:
            problem = self.tr("No question with categories is asked by two arms.")
        else:
            try:
                prior, aim = self._study.prior(name), self._aim()
                self._found = allocate(self._study.design, name, prior, aim, n, costs)
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
        from ppworkbench.outputs.scripts.results import allocation_analysis

        if self._found is None:
            return None
        asked = allocation_analysis(self._study, self.question.current, self._aim(), self._costs())
        return asked, self._study

    def _sentence(self) -> str:
        found = self._found
        if found is None:
            return ""
        gain = self.tr("Standard error %s points instead of %s, at the same cost.") % (
            number(100 * found.standard_error, 2), number(100 * found.before, 2)
        )  # fmt: skip
        if found.only is not None:
            only = self.tr("Put everyone in “%s”: the other versions do not improve this estimate.")
            return f"{only % found.only} {gain}"
        if min(found.shares.values()) < 0.01:
            least = self.tr("An arm that adds nothing keeps 1 %.")
            return f"{gain} {least}"
        return gain

    def _on_accept(self) -> None:
        if self._found is not None:
            self.shares_chosen.emit(dict(self._found.shares))
            self.accept()
