"""The arms of the design: versions, shares, and what splitting the sample costs and protects."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QLineEdit, QStackedWidget, QWidget

from ppworkbench.analyses.designs.arms import (
    LEAST_SHARE,
    OWN,
    ArmSummary,
    ArmsView,
    ClassPrecision,
    QuestionSummary,
    arms_view,
    class_precisions,
    expected_class,
    start_arms,
    with_arm,
    with_arm_moved,
    with_arms,
    with_column,
    with_name,
    with_share,
    with_shares,
    with_treatment,
    without_arm,
)
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.gui.dialogs import show_dialog
from ppworkbench.gui.language import told_error, tr, translate
from ppworkbench.gui.numbers import number, percent
from ppworkbench.gui.pages.design.arms.allocation_dialog import AllocationDialog
from ppworkbench.gui.pages.design.arms.treatment_table import TreatmentCard, points
from ppworkbench.gui.pages.design.sub_page import SubPage
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card, EmptyState
from ppworkbench.gui.widgets.controls import Button, IconButton
from ppworkbench.gui.widgets.labels import announce
from ppworkbench.gui.widgets.layout import (
    column,
    named,
    reserve_width,
    row,
    scroll_area,
    show_words,
    text,
)
from ppworkbench.gui.widgets.number_fields import SliderRow
from ppworkbench.gui.widgets.splitter import splitter
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.study import Study

_PAIRS = 6
"""Pairs of questions that are named; the others are counted."""
Change = Callable[[Study], Study]
_MOST = 12
"""Arms that are offered; more are shown where a design has them."""


def epsilon_text(epsilon: float) -> str:
    return f"ε {number(epsilon, 2 if epsilon < 10 else 1)}"


class ArmRow(QWidget):
    """One arm: its name, its share, and what can be done with it."""

    edit_requested = Signal(object, str, str)
    """How to change the study, the words of the undo step, and the gesture or nothing."""

    def __init__(self, themes: ThemeManager, place: int) -> None:
        super().__init__()
        self._place = place
        self.name = named(QLineEdit(), f"armName{place}")
        self.name.setAccessibleName(self.tr("Name of the arm"))
        reserve_width(self.name, themes, 120)
        self.share = SliderRow("", LEAST_SHARE, 1 - LEAST_SHARE, decimals=3, is_share=True)
        self.share.set_names(f"armShare{place}")
        self.copy = IconButton(themes, "copy", self.tr("Duplicate arm"), 16)
        self.up = IconButton(themes, "chevron-up", self.tr("Move arm up"), 16)
        self.down = IconButton(themes, "chevron-down", self.tr("Move arm down"), 16)
        self.delete = IconButton(themes, "close", self.tr("Delete arm"), 16)
        buttons = {"Copy": self.copy, "Up": self.up, "Down": self.down, "Delete": self.delete}
        for key, button in buttons.items():
            button.setObjectName(f"arm{key}{place}")
        line = row(*buttons.values(), spacing=0)
        layout = row(self.name, self.share, line, parent=self, spacing=12)
        layout.setStretch(1, 1)
        for part in (self.name, line):
            layout.setAlignment(part, Qt.AlignmentFlag.AlignBottom)
        self._known = ""
        self.name.editingFinished.connect(self._on_named)
        self.share.moved.connect(self._on_moved)
        step = self.tr("Duplicate the arm %s"), self.tr("Move the arm %s")
        self.copy.clicked.connect(lambda: self._ask(partial(with_arm, copied=place), step[0]))
        for button, by in ((self.up, -1), (self.down, 1)):
            move = partial(with_arm_moved, place=place, step=by)
            button.clicked.connect(lambda _=False, move=move: self._ask(move, step[1]))
        self.delete.clicked.connect(
            lambda: self._ask(partial(without_arm, place=place), self.tr("Delete the arm %s"))
        )

    def set_view(self, arm: ArmSummary, count: int) -> None:
        is_other = self._known != arm.name
        self._known = arm.name
        if is_other or not self.name.hasFocus():
            self.show_name()
        people = self.tr("%s respondents") % number(arm.respondents)
        self.share.label.setText(f"{people}, {epsilon_text(arm.epsilon)}")
        for part in (self.share.slider, self.share.box):
            part.setAccessibleName(self.tr("Share of %s") % arm.name)
        self.share.set_value(arm.share)
        # A single arm has everybody.
        self.share.setEnabled(count > 1)
        self.up.setEnabled(self._place > 0)
        self.down.setEnabled(self._place < count - 1)

    def show_name(self) -> None:
        if self.name.text() != self._known:
            self.name.setText(self._known)

    def _ask(self, change: Change, words: str, gesture: str = "") -> None:
        self.edit_requested.emit(change, words % self._known, gesture)

    def _on_named(self) -> None:
        typed = self.name.text()
        if typed.strip() != self._known:
            change = partial(with_name, place=self._place, name=typed)
            self._ask(change, self.tr("Rename the arm %s"))
        self.show_name()

    def _on_moved(self, share: float, gesture: str) -> None:
        change = partial(with_share, place=self._place, share=share)
        self._ask(change, self.tr("Change the share of %s"), gesture)


class ArmsCard(Card):
    """All arms, one below the other."""

    edit_requested = Signal(object, str, str)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(tr("Arms"), padding=12)
        self._themes = themes
        self._column = ""
        label = text(self.tr("Column"), "label")
        self.column = named(QLineEdit(), "armsColumn", self.tr("Column of the arms"))
        self.column.setToolTip(
            self.tr("The column of the data that tells the arm of every respondent.")
        )
        label.setBuddy(self.column)
        reserve_width(self.column, themes, 110)
        self.add_button = named(Button(themes, self.tr("Add arm"), "plus"), "addArm")
        self.best = named(Button(themes, self.tr("Best shares…"), "target"), "bestShares")
        self.remove = named(Button(themes, self.tr("Remove arms"), "", "link"), "removeArms")
        self._head_parts = (label, self.column, self.add_button, self.best, self.remove)
        for part in self._head_parts:
            self.head.addWidget(part)
        inside = QWidget()
        self._rows_layout = column(parent=inside, spacing=4)
        self.rows: list[ArmRow] = []
        self.problem = named(text("", "error", wrap=True), "armsProblem")
        self.problem.hide()
        self.add(inside)
        self.add(self.problem)
        self.column.editingFinished.connect(self._on_column)
        self.add_button.clicked.connect(
            lambda: self.edit_requested.emit(with_arm, self.tr("Add an arm"), "")
        )
        self.remove.clicked.connect(
            lambda: self.edit_requested.emit(
                partial(with_arms, arms=None), self.tr("Remove the arms"), ""
            )
        )

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Show the title only where there is room for all of it."""
        super().resizeEvent(event)
        self.show_title_beside(*self._head_parts)

    def set_view(self, view: ArmsView) -> None:
        self.show_problem("")
        self._column = view.column
        if not self.column.hasFocus():
            self._show_column()
        for place in range(len(self.rows), len(view.arms)):
            added = ArmRow(self._themes, place)
            added.edit_requested.connect(self.edit_requested)
            self._rows_layout.addWidget(added)
            self.rows.append(added)
        for gone in self.rows[len(view.arms) :]:
            gone.hide()
            gone.deleteLater()
        del self.rows[len(view.arms) :]
        for one, arm in zip(self.rows, view.arms, strict=True):
            one.set_view(arm, len(view.arms))
        self.add_button.setEnabled(len(view.arms) < _MOST)
        self.best.setEnabled(len(view.arms) > 1)

    def show_problem(self, sentence: str) -> None:
        """Say in place why something was refused; nothing hides it."""
        show_words(self.problem, sentence)
        if sentence:
            announce(self.problem, sentence)

    def _show_column(self) -> None:
        if self.column.text() != self._column:
            self.column.setText(self._column)

    def _on_column(self) -> None:
        typed = self.column.text()
        if typed.strip() != self._column:
            change = partial(with_column, column=typed)
            self.edit_requested.emit(change, self.tr("Change the column of the arms"), "")
        self._show_column()


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
        return tr("Different versions for random groups")

    def _listen(self) -> None:
        self.empty.button.clicked.connect(
            lambda: self._edit(start_arms, self.tr("Add arms"), "")
        )  # fmt: skip
        self.arms.edit_requested.connect(self._edit)
        self.arms.best.clicked.connect(self._open_allocation)
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
