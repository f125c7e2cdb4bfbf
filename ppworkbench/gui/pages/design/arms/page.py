"""The arms of the design: versions, shares, and what splitting the sample costs and protects."""

from __future__ import annotations

import math
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QStackedWidget, QWidget

from ppworkbench.analyses.design_arms import (
    OWN,
    ArmSummary,
    ArmsView,
    ClassPrecision,
    QuestionSummary,
    arms_view,
    class_precisions,
    expected_class,
    start_arms,
    with_shares,
    with_treatment,
)
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.gui.dialogs import show_dialog
from ppworkbench.gui.language import told_error, tr, translate
from ppworkbench.gui.numbers import number, percent
from ppworkbench.gui.pages.design.arms.allocation_dialog import AllocationDialog
from ppworkbench.gui.pages.design.arms.arms_card import ArmsCard, Change, epsilon_text
from ppworkbench.gui.pages.design.arms.treatment_table import TreatmentCard, points
from ppworkbench.gui.pages.design.sub_page import SubPage
from ppworkbench.gui.widgets.card import Card, EmptyState
from ppworkbench.gui.widgets.layout import column, scroll_area, text
from ppworkbench.gui.widgets.splitter import splitter
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.study import Study

_PAIRS = 6
"""Pairs of questions that are named; the others are counted."""


class ArmsPage(SubPage):
    """Shows the arms, and changes them through the study."""

    key = "arms"

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(workbench)
        self.view = ArmsView(Study())
        self.setProperty("helpTopic", "arms")
        themes = self.themes
        self.empty = EmptyState(
            themes, "people", self.tr("No arms yet"),
            self.tr(
                "An arm is a group of respondents, drawn at random, that gets its own version of "
                "the questionnaire: another device, a direct question, or fewer questions. Two "
                "arms can show whether people follow the device; short versions need less noise "
                "for every question."
            ),
            self.tr("Add arms"),
        )  # fmt: skip
        self.empty.button.setObjectName("startArms")
        self.arms = ArmsCard(themes)
        self.treatments = TreatmentCard(themes)
        self.privacy = _WordsCard(self.tr("Privacy"), "armsPrivacy")
        self.question = _WordsCard(self.tr("Question", "selected"), "armsQuestion")
        self.apart = _WordsCard(self.tr("Apart"), "armsApart")
        left, right = QWidget(), QWidget()
        column(self.arms, self.treatments, parent=left, spacing=8).setStretch(1, 1)
        column(self.privacy, self.question, self.apart, None, parent=right, spacing=8)
        parts = splitter(Qt.Orientation.Horizontal, "armsColumns", left, scroll_area(right))
        parts.setSizes([890, 360])
        parts.setStretchFactor(0, 3)
        parts.setStretchFactor(1, 1)
        self.parts = parts
        self.stack = QStackedWidget()
        self.stack.addWidget(self.empty)
        self.stack.addWidget(parts)
        column(self.stack, parent=self)
        self._listen()

    @classmethod
    def title(cls) -> str:
        return tr("Arms")

    @classmethod
    def hint(cls) -> str:
        return tr("Give groups of respondents versions of their own")

    def _listen(self) -> None:
        self.empty.button.clicked.connect(
            lambda: self._edit(start_arms, self.tr("Add arms"), "")
        )  # fmt: skip
        self.arms.edit_requested.connect(self._edit)
        self.arms.best_requested.connect(self._open_allocation)
        self.treatments.treatment_chosen.connect(self._on_treatment)
        self.treatments.question_chosen.connect(self._on_chosen)

    def set_view(self, study: Study) -> None:
        if study is self.view.study:
            self.treatments.select(self.workbench.store.current)
            return
        self.view = view = arms_view(study)
        self.stack.setCurrentWidget(self.parts if view.arms else self.empty)
        if not view.arms:
            return
        self.arms.set_view(view)
        self.treatments.set_view(view)
        self.privacy.say(*_privacy_words(view))
        self.apart.say(*_apart_words(view))
        self.treatments.select(self.workbench.store.current)
        self._show_question()

    def _on_chosen(self, name: str) -> None:
        self._show_question()
        self.workbench.store.select([name])

    def _show_question(self) -> None:
        current = self.treatments.current
        found = next((one for one in self.view.questions if one.name == current), None)
        if found is not None:
            classes = class_precisions(self.view.study, found.name)
            self.question.say(*_question_words(self.view, found, classes))

    def _edit(self, change: Change, words: str, gesture: str) -> None:
        """Change the study, or say in place why it cannot be changed so."""
        study = self.view.study
        try:
            changed = change(study)
        except WorkbenchError as error:
            self.arms.show_problem(told_error(error, study))
            return
        self.arms.show_problem("")
        self.edited.emit(changed, words, gesture)

    def _on_treatment(self, arm: str, name: str, treatment: str) -> None:
        change = partial(with_treatment, arm=arm, name=name, treatment=treatment)
        words = self.tr("Change %s in the arm %s") % (self.view.study.shown(name), arm)
        member = next(one for one in self.view.questions if one.name == name)
        place = [one.name for one in self.view.arms].index(arm)
        if member.treatments[place] != treatment:
            self._edit(change, words, "")
        if treatment == OWN and not self.arms.problem.text():
            self.question_requested.emit(name, arm)

    def _open_allocation(self) -> None:
        dialog = AllocationDialog(
            self.workbench, self.view.study, self.treatments.current, self.window()
        )
        dialog.shares_chosen.connect(
            lambda found: self._edit(
                partial(with_shares, found=found), self.tr("Take the best shares"), ""
            )
        )
        show_dialog(dialog, self.themes)


class _WordsCard(Card):
    """Sentences one below the other; those that come first in bold."""

    def __init__(self, title: str, name: str) -> None:
        super().__init__(title, padding=12)
        self.setObjectName(name)
        self.lines: list[QLabel] = []

    def say(self, *lines: tuple[str, str]) -> None:
        """Show sentences, each with its type style."""
        for _ in range(len(self.lines), len(lines)):
            label = text("", "body", wrap=True)
            label.setTextFormat(Qt.TextFormat.PlainText)
            # Qt would keep the column wide enough for a label of few lines.
            label.setMinimumWidth(120)
            self.lines.append(label)
            self.add(label)
        for place, label in enumerate(self.lines):
            style, words = lines[place] if place < len(lines) else ("body", "")
            if label.property("type") != style:
                label.setProperty("type", style)
                label.style().polish(label)
            label.setText(words)
            label.setVisible(bool(words))

    @property
    def words(self) -> str:
        return "\n".join(label.text() for label in self.lines if label.text())


def _privacy_words(view: ArmsView) -> list[tuple[str, str]]:
    largest = next((arm for arm in view.arms if arm.direct), view.largest)
    if largest is None:
        return []
    if largest.direct:
        head = tr("The questionnaire has no bound: “%s” asks %s directly.") % (
            largest.name, _listed([view.study.shown(name) for name in largest.direct])
        )  # fmt: skip
    elif math.isinf(largest.epsilon):
        head = tr("The questionnaire has no bound: some reports rule out a true answer.")
    elif len({round(arm.epsilon, 9) for arm in view.arms}) == 1:
        head = tr("The questionnaire has %s, the same in every arm.") % (
            epsilon_text(largest.epsilon)
        )
    else:
        head = tr("The questionnaire has %s, that of “%s”, the largest of all arms.") % (
            epsilon_text(largest.epsilon), largest.name
        )  # fmt: skip
    return [("strong", head), *(("secondary", _arm_words(view, arm)) for arm in view.arms)]


def _arm_words(view: ArmsView, arm: ArmSummary) -> str:
    if arm.asked == len(view.questions):
        asked = tr("all questions")
    else:
        asked = tr("%s of %s questions") % (number(arm.asked), number(len(view.questions)))
    if arm.unbounded and not arm.direct:
        return tr("%s: %s; %s for those with a bound, %s have none") % (
            arm.name, asked, epsilon_text(arm.bounded), number(arm.unbounded)
        )  # fmt: skip
    if math.isfinite(arm.epsilon):
        factor = math.exp(min(arm.epsilon, 700))
        odds = number(factor, 1) if factor < 100 else number(factor)
        return tr("%s: %s, %s; answers change odds at most %s-fold") % (
            arm.name, asked, epsilon_text(arm.epsilon), odds
        )  # fmt: skip
    if arm.direct:
        listed = _listed([view.study.shown(name) for name in arm.direct])
        return tr("%s: %s; directly: %s") % (arm.name, asked, listed)
    return f"{arm.name}: {asked}"


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[:3])
    return tr("%s and %s more") % (shown, number(len(names) - 3)) if len(names) > 3 else shown


def _question_words(
    view: ArmsView, question: QuestionSummary, classes: tuple[ClassPrecision, ...]
) -> list[tuple[str, str]]:
    study = view.study
    found = [("strong", study.shown(question.name))]
    people = number(question.respondents), number(question.n)
    if question.variance is None or question.half_width is None:
        found.append(("body", tr("Estimated from %s of %s respondents.") % people))
    else:
        found.append(
            ("body", tr("Estimated from %s of %s respondents: %s points.")
             % (*people, points(question.half_width)))
        )  # fmt: skip
        if question.unsplit_variance is not None:
            words = tr(
                "Unsplit, all by the device of the design: %s points (n·variance %s, now %s)."
            )
            found.append(
                ("secondary", words % (points(question.unsplit),
                                       number(question.unsplit_variance, 4),
                                       number(question.variance, 4)))
            )  # fmt: skip
    if classes:
        share = percent(expected_class(study))
        found.append(
            ("label", tr("If %s do not follow the device, their share is known to:") % share)
        )
        values = study.design[question.name].attribute.values
        found += [("secondary", _class_words(one, values)) for one in classes]
    return found


def _class_words(one: ClassPrecision, values: tuple[str, ...]) -> str:
    name = translate(one.behaviour.name(values))
    if one.standard_error is None:
        return tr("%s: cannot be told apart by these arms") % name
    error = number(100 * one.standard_error, 1)
    if one.is_measured:
        return tr("%s: standard error %s points") % (name, error)
    return tr("%s: not measured by this design (standard error %s points)") % (name, error)


def _apart_words(view: ArmsView) -> list[tuple[str, str]]:
    shown = view.study.shown
    if not view.apart:
        return [("secondary", tr("Every two questions are asked together in some arm."))]
    price = tr("No arm asks these together, so nothing can be estimated about them jointly:")
    pairs = [
        ("body", tr("%s and %s") % (shown(first), shown(second)))
        for first, second in view.apart[:_PAIRS]
    ]
    more = len(view.apart) - _PAIRS
    if more > 0:
        pairs.append(("secondary", tr("and %s more pairs") % number(more)))
    return [("secondary", price), *pairs]
