"""What the Design page changes: mechanisms, goals, pins, groups, and the dialogs that ask first."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QLayout,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QRadioButton,
    QWidget,
)

from ppworkbench.analyses.designs.arms import AS_DESIGNED, with_own_devices, with_treatment
from ppworkbench.analyses.designs.devices import DeviceOffer, can_have_device, with_device
from ppworkbench.analyses.designs.goals import Goal
from ppworkbench.analyses.designs.pins import (
    RESULTS,
    activate_pin,
    read_pins,
    remove_pin,
    toggle_pin,
)
from ppworkbench.analyses.estimates.lists import (
    can_be_list,
    list_arms,
    list_title,
    proposed_list,
    with_list,
    without_list,
)
from ppworkbench.analyses.planning.study_budget import (
    BudgetBuilder,
    BudgetRepair,
    find_budget_repair,
)
from ppworkbench.core.compliance.lists import exposed, independent_items
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design import Group, Identity, Perturbation
from ppworkbench.core.design.lists import ListQuestion
from ppworkbench.core.design.starting import starting_perturbation
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.privacy.report import QuestionnaireReport
from ppworkbench.gui.dialogs import ButtonRole, Choice, ask, ok_cancel, show_dialog
from ppworkbench.gui.language import told_error
from ppworkbench.gui.numbers import number, percent
from ppworkbench.gui.pages.design.budget.dialog import BudgetDialog
from ppworkbench.gui.pages.design.devices import CardsDialog, DeviceDialog, Edits, device_step
from ppworkbench.gui.pages.design.readouts import MeasuresDialog
from ppworkbench.gui.pages.design.sensitive_dialog import SensitiveDialog
from ppworkbench.gui.pages.design.texts import role_reason
from ppworkbench.gui.pages.design.view import ArmVersion
from ppworkbench.gui.theme import Theme, ThemeManager
from ppworkbench.gui.widgets.banner import Banner
from ppworkbench.gui.widgets.controls import Segmented
from ppworkbench.gui.widgets.layout import column, named, row, text
from ppworkbench.gui.widgets.number_fields import SliderRow
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.study import PriorChoice, Study

SHORT, LONG, NONE = "short", "long", "none"


def list_at(study: Study, name: str) -> ListQuestion | None:
    """The list whose counts, or whose question, an attribute is."""
    return next((one for one in study.design.lists if name in (one.count, one.name)), None)


def can_ask_by_list(study: Study, name: str) -> bool:
    """Whether an attribute is a question that a list can ask, or the count of one."""
    if list_at(study, name) is not None:
        return True
    if name not in study.design or name in study.undistorted_columns:
        return False
    return can_be_list(study.design[name].attribute)


class ListDialog(QDialog):
    """Makes a list of a question with two answers, changes it, or takes it back."""

    made = Signal(object, str)
    """The changed study, and the attribute to be shown in it."""

    def __init__(self, themes: ThemeManager, study: Study, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("List experiment"))
        self.setObjectName("listDialog")
        self._study = study
        self._before = list_at(study, name)
        before = self._before
        attribute = study.design[name].attribute if before is None else before.attribute
        self._attribute = attribute
        count, short, long = proposed_list(study, attribute.name)
        if before is not None:
            count, short, long = before.count, before.short, before.long
        shown = study.shown(name) if before is None else list_title(before, study)
        sensitive = (attribute.sensitive or attribute.values[-1:])[0]
        self.items = named(
            QPlainTextEdit(), "listItems", self.tr("Harmless statements, one per line")
        )
        self.items.setPlaceholderText(self.tr("One sentence in a line, for example: I have a car."))
        self.items.setPlainText("" if before is None else "\n".join(before.items))
        self.items.setMinimumHeight(themes.theme.px(110))
        self.items.setTabChangesFocus(True)
        self.items.textChanged.connect(self._advise)
        self.columns = named(QComboBox(), "listColumns", self.tr("Add a question of the data"))
        self.columns.addItem(self.tr("Add a question of the data…"), "")
        for one in study.attributes:
            if can_be_list(one) and one.name != attribute.name:
                self.columns.addItem(study.shown(one.name), one.name)
        self.columns.activated.connect(self._on_column)
        self.columns.setVisible(self.columns.count() > 1)
        self.arms: dict[str, Segmented] = {}
        grid = self._arm_rows(themes, short, long)
        self.count = named(QLineEdit(count), "listCount", self.tr("Column of the counts"))
        self.advice = named(text("", "captionHint", wrap=True), "listAdvice")
        self.problem = named(text("", "error", wrap=True), "listProblem")
        self.problem.hide()
        buttons = ok_cancel(self, self._on_accept)
        if before is not None:
            self.remove = named(QPushButton(self.tr("Remove list experiment")), "removeList")
            self.remove.clicked.connect(self._on_remove)
            buttons.addButton(self.remove, QDialogButtonBox.ButtonRole.DestructiveRole)
        lead = self.tr(
            "Respondents only count how many statements apply. Some see the harmless ones alone, "
            "the others also “%s: %s”; the difference of the mean counts is its share."
        )
        body = column(
            text(lead % (shown, sensitive), "secondary", wrap=True),
            text(self.tr("Harmless statements, one per line"), "label"), self.items,
            row(self.columns, None), self.advice,
            text(self.tr("Who hears which list"), "label"), grid,
            row(text(self.tr("Column of the counts"), "label"), self.count),
            self.problem, buttons, parent=self, margin=16, spacing=9,
        )  # fmt: skip
        body.addStrut(themes.theme.px(500))
        self._advise()

    def _arm_rows(
        self, themes: ThemeManager, short: tuple[str, ...], long: tuple[str, ...]
    ) -> QGridLayout:
        grid = QGridLayout()
        grid.setColumnStretch(2, 1)
        choices = [
            (SHORT, self.tr("short list")), (LONG, self.tr("long list")),
            (NONE, self.tr("no list")),
        ]  # fmt: skip
        for place, arm in enumerate(list_arms(self._study).names):
            hears = Segmented(themes, self.tr("List of the arm %s") % arm, choices)
            hears.setObjectName(f"listArm{place}")
            hears.set_current(SHORT if arm in short else LONG if arm in long else NONE)
            self.arms[arm] = hears
            grid.addWidget(text(arm, "body"), place, 0)
            grid.addWidget(hears, place, 1)
        return grid

    def _listed(self) -> tuple[str, ...]:
        lines = (line.strip() for line in self.items.toPlainText().splitlines())
        return tuple(line for line in lines if line)

    def _on_column(self) -> None:
        name = str(self.columns.currentData() or "")
        self.columns.setCurrentIndex(0)
        if name and name not in self._listed():
            self.items.appendPlainText(name)

    def _advise(self) -> None:
        """Say what makes a good list, and what this one gives away where the data tell it."""
        said = [
            self.tr(
                "A good list has a rare item, a common one and two that exclude each other, so "
                "that almost nobody counts all or none."
            )
        ]
        table, items = self._study.original, self._listed()
        if table is not None and items and all(item in table for item in items):
            shares = []
            for item in items:
                answers = table[item].data[~table[item].missing]
                shares.append(float((answers == 1).mean()) if len(answers) else 0.5)
            no, yes = exposed(0.5, independent_items(shares))
            none, every = percent(2 * no, 1), percent(2 * yes, 1)
            said.append(
                self.tr("If these items were independent, %s would have none and %s all of them.")
                % (none, every)
            )
        self.advice.setText(" ".join(said))

    def _on_accept(self) -> None:
        hear = {key: tuple(a for a, one in self.arms.items() if one.current == key)
                for key in (SHORT, LONG)}  # fmt: skip
        try:
            asked = ListQuestion(
                self._attribute, self.count.text().strip(), self._listed(), hear[SHORT], hear[LONG]
            )
            study = with_list(self._study, asked)
        except WorkbenchError as error:
            self.problem.setText(told_error(error, self._study))
            self.problem.show()
            return
        self.made.emit(study, asked.count)
        self.accept()

    def _on_remove(self) -> None:
        if self._before is not None:
            self.made.emit(without_list(self._study, self._before.name), self._before.name)
            self.accept()


def is_open(study: Study, name: str) -> bool:
    """Whether a question is asked openly that could be randomised."""
    is_grouped = study.design.group_of(name) is not None
    is_randomised = is_grouped or not study.design.usual_device(name).is_identity
    return not is_randomised and name not in study.undistorted_columns


def _with_group(study: Study, group: Group) -> Study:
    """The study with attributes under one coin; an error says why they cannot be."""
    names = group.attributes
    free = study.without_groups_of(names)
    listed = tuple(
        dataclasses.replace(d, perturbation=Identity()) if d.name in names else d
        for d in free.design
    )
    design = dataclasses.replace(
        free.design, attributes=listed, groups=(*free.design.groups, group)
    )
    return free.with_(design=design)


class GroupDialog(QDialog):
    """The model and the probability of the truth, shared by all attributes of the group."""

    grouped = Signal(object)
    """The study with the group."""

    def __init__(self, theme: Theme, study: Study, names: tuple[str, ...], parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Group of questions"))
        self._study, self._names = study, names
        existing = study.design.group_of(names[0])
        self.unrelated = QRadioButton(
            self.tr("Unrelated: otherwise all answers are to harmless questions")
        )
        self.related = QRadioButton(self.tr("Related: otherwise all answers are reversed (yes/no)"))
        for button, name in ((self.unrelated, "groupUnrelated"), (self.related, "groupRelated")):
            button.setObjectName(name)
        is_related = existing is not None and existing.type == "related"
        (self.related if is_related else self.unrelated).setChecked(True)
        self.theta = SliderRow(
            self.tr("Truth probability"), 0.0, 1.0, is_share=True,
            ends=(self.tr("more private"), self.tr("more accurate")),
        )  # fmt: skip
        self.theta.set_names("groupTheta")
        self.theta.set_value(existing.theta if existing is not None else 0.7)
        self.problem = text("", "error", wrap=True)
        listed = ", ".join(map(study.shown, names))
        advice = self.tr(
            "One random draw per respondent decides for all of them: %s. Their "
            "association is estimated more precisely; separate draws protect more."
        )
        layout = column(
            text(advice % listed, "secondary", wrap=True), self.unrelated, self.related,
            self.theta, self.problem, ok_cancel(self, self._on_accept),
            parent=self, margin=16, spacing=10,
        )  # fmt: skip
        layout.addStrut(theme.px(448))
        # On a small screen Qt would grant less width, and the height of lines that are longer.
        layout.setSizeConstraint(QLayout.SizeConstraint.SetFixedSize)

    def _on_accept(self) -> None:
        manner = "related" if self.related.isChecked() else "unrelated"
        try:
            study = _with_group(self._study, Group(self._names, manner, self.theta.value))
        except WorkbenchError as error:
            self.problem.setText(told_error(error, self._study))
            return
        self.grouped.emit(study)
        self.accept()


class DesignEdits(QObject):
    """Changes the design of a study, in the version of the arm that is shown.

    Parameters
    ----------
    version
        The arm of now, which the page chooses.
    page
        What the dialogs stand in front of.
    """

    def __init__(
        self, workbench: Workbench, version: ArmVersion, budgets: BudgetBuilder, page: QWidget
    ) -> None:
        super().__init__(page)
        self._workbench = workbench
        self._store = workbench.store
        self._version = version
        self._budgets = budgets
        self._page = page
        self._card_edits: Edits = {}

    def set_design(self, perturbation: Perturbation, gesture: str) -> None:
        if self._store.current is not None:
            problem = self.distort([self._store.current], lambda _: perturbation, gesture)
            if problem:
                self.say(problem)

    def distort(
        self, names: Iterable[str], build: Callable[[Attribute], Perturbation], gesture: str
    ) -> str:
        """Distort these attributes where it fits; why the current one refused, else nothing."""
        study = self._store.study
        changes, skipped, problem = self._build_devices(names, build)
        if problem:
            return problem
        if self._version.arm:
            return self._distort_in_arm(changes, gesture)
        grouped = [name for name in changes if study.design.group_of(name) is not None]
        if grouped:
            listed = ", ".join(map(study.shown, grouped))
            self.say(self.tr("%s is no longer grouped.") % listed, can_undo=True)
            alone = study.without_groups_of(grouped).with_perturbations(changes)
            self._store.apply(alone, self.tr("Ungroup attributes"), gesture or None)
            return ""
        try:
            self._store.set_perturbations(changes, gesture or None)
        except WorkbenchError as error:
            # A device of an arm no longer fits to that of the design.
            return told_error(error, study)
        if skipped:
            listed = ", ".join(map(study.shown, skipped[:3])) + ("…" if len(skipped) > 3 else "")
            self.say(self.tr("Does not fit %s.") % listed)
        return ""

    def _build_devices(
        self, names: Iterable[str], build: Callable[[Attribute], Perturbation]
    ) -> tuple[dict[str, Perturbation], list[str], str]:
        """Devices of the attributes that take one, the others, and why the current one does not."""
        study, current = self._store.study, self._store.current
        changes: dict[str, Perturbation] = {}
        skipped: list[str] = []
        for name in names:
            if name not in study.design:
                continue
            reason = role_reason(study, name)
            attribute = study.design[name].attribute
            try:
                perturbation = build(attribute)
                perturbation.check(attribute)
            except WorkbenchError as error:
                reason = reason or told_error(error, study)
            if not reason:
                changes[name] = perturbation
            elif name == current:
                return {}, [], reason
            else:
                skipped.append(name)
        return changes, skipped, ""

    def _distort_in_arm(self, changes: dict[str, Perturbation], gesture: str) -> str:
        """Give the chosen arm devices of its own; why it cannot have them, else nothing."""
        study, shown = self._store.study, self._version.shown(self._store.study).design
        real = {name: made for name, made in changes.items() if shown.perturbation(name) != made}
        if not real:
            return ""
        try:
            changed = with_own_devices(study, self._version.arm, real)
        except WorkbenchError as error:
            return told_error(error, study)
        if len(real) == 1:
            what = study.shown(next(iter(real)))
        else:
            what = self.tr("%s attributes") % len(real)
        words = self.tr("Change the mechanism of %s in the arm %s") % (what, self._version.arm)
        self._store.apply(changed, words, gesture or None)
        return ""

    def ask_question(self) -> None:
        """Let the arm ask the question again, as in the design."""
        study, name = self._store.study, self._store.current
        if name is not None and self._version.arm:
            words = self.tr("Ask %s in the arm %s") % (study.shown(name), self._version.arm)
            self._store.apply(with_treatment(study, self._version.arm, name, AS_DESIGNED), words)

    def set_goal(self, goal: Goal, gesture: str) -> None:
        self._store.set_goals(goal.to_json(), gesture)

    def set_choice(self, choice: PriorChoice, gesture: str) -> None:
        if self._store.current is not None:
            self._store.set_choice(self._store.current, choice, gesture or None)

    def set_safe_answer(self, answer: str | None) -> None:
        """Set what those answer who do not follow the instructions; None for the usual."""
        name, settings = self._store.current, self._store.study.settings
        if name is not None:
            self._store.set_settings(safe_answers=settings.with_safe_answer(name, answer))

    def clear_noncompliance(self) -> None:
        """Let all respondents follow the instructions."""
        if self._store.study.settings.noncompliance > 0:
            self._store.set_settings(noncompliance=0.0)
            self.say(self.tr("All respondents follow the instructions."), can_undo=True)

    def mark_answers(self, answers: tuple[str, ...]) -> None:
        """Mark these answers of the current question as sensitive, and no others."""
        study, name = self._store.study, self._store.current
        if name is not None:
            words = self.tr("Mark sensitive answers of %s") % study.shown(name)
            self._store.apply(study.with_sensitive(name, answers), words)

    def toggle_pin(self) -> None:
        study, name = self._store.study, self._store.current
        if name is None or name not in study.design:
            return
        kept = toggle_pin(self._version.shown(self._store.study), name)
        if kept == study.results.get(RESULTS):
            self.say(self.tr("4 designs are pinned. Remove one to pin another."))
        self._store.set_results(RESULTS, kept)

    def use_pin(self, letter: str) -> None:
        study, name = self._store.study, self._store.current
        if name is None or name not in study.design:
            return
        pin = read_pins(study.results.get(RESULTS), study.design[name].attribute).pin(letter)
        if pin is not None and pin.perturbation is not None:
            self.set_design(pin.perturbation, "")

    def activate_pin(self, letter: str) -> None:
        """Compare the design with a pin, or with none any more."""
        if self._store.current is not None:
            kept = activate_pin(self._store.study, self._store.current, letter)
            self._store.set_results(RESULTS, kept)

    def remove_pin(self, letter: str) -> None:
        if self._store.current is not None:
            kept = remove_pin(self._store.study, self._store.current, letter)
            self._store.set_results(RESULTS, kept)

    def set_respondents(self, count: int, gesture: str) -> None:
        """Set how many are asked, in the chosen arm if there is one."""
        arms = self._store.study.design.versions
        if self._version.arm in arms.choices:
            # So many in this arm are more in the whole survey.
            count = max(round(count / arms[self._version.arm].share), 1)
        self._store.set_settings(gesture, respondents=count)

    def say_lock(self, banner: Banner) -> None:
        """Say why the design is locked and what to do instead, or that it was unlocked."""
        store, workbench = self._store, self._workbench
        if store.is_collected:
            go = self.tr("Go to Collect"), lambda: workbench.page_requested.emit("collect")
            banner.say("info", "", store.design_lock, go, closable=False)
            return
        again = self.tr("Plan the next wave"), self._plan_next_wave
        if store.is_unlocked:
            words = self.tr(
                "The design is unlocked: estimates take what is set here for what randomised the "
                "reported answers."
            )
            lock = self.tr("Lock again"), lambda: store.unlock_held(False)
            banner.say("warning", "", words, lock, again, closable=False)
        else:
            unlock = self.tr("Unlock…"), self._ask_to_unlock
            banner.say("info", "", store.design_lock, again, unlock, closable=False)

    def _plan_next_wave(self) -> None:
        self._workbench.action_requested.emit("nextWave")

    def _ask_to_unlock(self) -> None:
        def on_answer(answer: str) -> None:
            if answer == "wave":
                self._plan_next_wave()
            elif answer == "unlock":
                self._store.unlock_held(True)

        rows = self._store.study.rows
        asked = (
            self.tr("1 reported answer was randomised by this design.")
            if rows == 1
            else self.tr("%s reported answers were randomised by this design.") % number(rows)
        )
        rest = self.tr(
            "Every estimate is worked out from it. Answers do not follow when the design is "
            "changed: estimates become wrong without looking so. Unlock it only to correct a "
            "design that does not say how people were really asked. To plan another survey, work "
            "on a copy without answers."
        )
        ask(
            self._page, self._workbench.themes, self.tr("Unlock the design?"), f"{asked} {rest}",
            (
                Choice("wave", self.tr("Plan the next wave"), ButtonRole.AcceptRole),
                Choice("unlock", self.tr("Unlock"), ButtonRole.DestructiveRole),
            ),
            on_answer,
        )  # fmt: skip

    def turn_loop(self) -> None:
        name = self._store.current
        if name is None:
            return
        turned = self._version.shown(self._store.study).design[name].perturbation.turn_loop()
        if turned is not None:
            self.set_design(turned, "")
            is_on = turned.values.end_weight() is None
            on, off = self.tr("Loop effect switched on."), self.tr("Loop effect switched off.")
            said = on if is_on else off
            self.say(said, can_undo=True)

    def ungroup_selected(self) -> None:
        """Let each of the selected attributes go on with a draw of its own."""
        study, names = self._store.study, list(self._store.selected)
        changes = {
            name: study.design.perturbation(name)
            for name in names
            if study.design.group_of(name) is not None
        }
        alone = study.without_groups_of(names).with_perturbations(changes)
        self._store.apply(alone, self.tr("Ungroup"))

    def randomise_selected(self) -> None:
        """Randomise those of the selected questions that are asked openly, as a new study does."""
        store = self._store
        design, single = store.study.design, store.study.design.class_name is not None
        names = [one for one in store.selected if one in design and is_open(store.study, one)]
        problem = self.distort(
            names, lambda attribute: starting_perturbation(attribute, single=single), ""
        )
        if problem:
            self.say(problem)

    def open_selected(self) -> None:
        """Ask the selected questions openly."""
        problem = self.distort(self._store.selected, lambda _: Identity(), "")
        if problem:
            self.say(problem)

    def ask_for_marks(self) -> None:
        """Ask which answers are sensitive, where nobody has marked any."""
        dialog = SensitiveDialog(self._workbench.theme, self._store.study, self._page.window())
        words = self.tr("Mark sensitive answers")
        dialog.marked.connect(lambda marked: self._store.apply(marked, words))
        show_dialog(dialog, self._workbench.themes)

    def make_budget_finite(self) -> None:
        """Give the first question without a bound a finite mechanism."""
        found = self.budget_repair()
        if found is not None:
            names = ", ".join(map(found.study.shown, found.names))
            words = self.tr("Make the budget of %s finite") % names
            self._store.apply(found.study, words)
            self.say(words, can_undo=True)

    def budget_repair(self) -> BudgetRepair | None:
        """What makes the privacy budget finite; None where nothing has to."""
        study = self._store.study
        # Arms may have a mechanism of their own, which is changed on their page.
        if study.design.has_arms:
            return None
        return find_budget_repair(study, self._budgets.build(study.design))

    def choose_device(self) -> None:
        """Let people see what every device makes of the question, and take one."""
        study, name = self._version.shown(self._store.study), self._store.current
        if name is None or not can_have_device(study, name):
            return
        dialog = DeviceDialog(self._workbench.themes, study, name, self._page.window())
        dialog.chosen.connect(lambda offer: self._on_device(name, offer))
        dialog.cards_requested.connect(self.print_cards)
        show_dialog(dialog, self._workbench.themes)

    def _on_device(self, name: str, offer: DeviceOffer) -> None:
        study = self._store.study
        if self._version.arm:
            # An arm keeps the probabilities; the device itself is that of the design.
            self.set_design(offer.perturbation, "")
            return
        changed = with_device(study, name, offer)
        if changed.design != study.design:
            self._store.apply(changed, device_step(study, name))

    def print_cards(self) -> None:
        dialog = CardsDialog(
            self._workbench, self._store.study, self._card_edits, self._page.window()
        )
        show_dialog(dialog, self._workbench.themes)

    def show_measures(self, report: QuestionnaireReport) -> None:
        shown, themes = self._version.shown(self._store.study), self._workbench.themes
        show_dialog(MeasuresDialog(themes.theme, shown, report, self._page.window()), themes)

    def share_out(self) -> None:
        """Let people share out one total among the questions."""
        dialog = BudgetDialog(self._workbench, self._store.study, self._page.window())
        dialog.shared.connect(self._store.apply)
        show_dialog(dialog, self._workbench.themes)

    def group_selected(self) -> None:
        """Ask how the selected attributes shall share a draw."""
        study = self._store.study
        names = tuple(name for name in study.design.names if name in self._store.selected)
        dialog = GroupDialog(self._workbench.theme, study, names, self._page.window())
        words = self.tr("Group %s attributes") % len(names)
        dialog.grouped.connect(lambda grouped: self._store.apply(grouped, words))
        show_dialog(dialog, self._workbench.themes)

    def edit_list(self) -> None:
        """Ask the current question by a list, or change the list that it is asked by."""
        study, name = self._store.study, self._store.current
        if name is None or not can_ask_by_list(study, name):
            return
        dialog = ListDialog(self._workbench.themes, study, name, self._page.window())
        dialog.made.connect(self._on_list_made)
        show_dialog(dialog, self._workbench.themes)

    def _on_list_made(self, study: Study, name: str) -> None:
        self._store.apply(study, self.tr("List experiment"))
        self._store.select([name])

    def say(self, words: str, *, can_undo: bool = False) -> None:
        self._workbench.toast_requested.emit(words, can_undo)
