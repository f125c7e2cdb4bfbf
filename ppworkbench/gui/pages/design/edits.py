"""What the Design page changes: mechanisms, goals, pins, groups, and the dialogs that ask first."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from ppworkbench.analyses.budget import BudgetBuilder, BudgetRepair, find_budget_repair
from ppworkbench.analyses.design_arms import AS_DESIGNED, with_own_devices, with_treatment
from ppworkbench.analyses.devices import DeviceOffer, can_have_device, with_device
from ppworkbench.analyses.pins import (
    RESULTS,
    activate_pin,
    read_pins,
    remove_pin,
    toggle_pin,
)
from ppworkbench.analyses.trade_off.goals import Goal
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design import Perturbation
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.gui.dialogs import ButtonRole, Choice, ask, show_dialog
from ppworkbench.gui.language import told_error
from ppworkbench.gui.numbers import number
from ppworkbench.gui.pages.design.budget.dialog import BudgetDialog
from ppworkbench.gui.pages.design.devices.cards_dialog import CardsDialog, Edits
from ppworkbench.gui.pages.design.devices.device_card import DeviceDialog, device_step
from ppworkbench.gui.pages.design.group_dialog import GroupDialog
from ppworkbench.gui.pages.design.list_dialog import ListDialog, can_ask_by_list
from ppworkbench.gui.pages.design.texts import role_reason
from ppworkbench.gui.pages.design.view import ArmVersion
from ppworkbench.gui.widgets.banner import Banner
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.study import PriorChoice, Study


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
        """Distort the current attribute alone."""
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
        """Set the goals of the study."""
        self._store.set_goals(goal.to_json(), gesture)

    def set_choice(self, choice: PriorChoice, gesture: str) -> None:
        """Set what the current question is expected to show."""
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
        """Pin the design of now, or unpin it."""
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
        """Forget a pin."""
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
        """Say what unlocking does before it is done."""

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
                Choice("cancel", self.tr("Cancel"), ButtonRole.RejectRole),
            ),
            on_answer,
        )  # fmt: skip

    def turn_loop(self) -> None:
        """Switch the loop effect of the current question, if it has one."""
        name = self._store.current
        if name is None:
            return
        turned = self._version.shown(self._store.study).design[name].perturbation.turn_loop()
        if turned is not None:
            self.set_design(turned, "")
            is_on = turned.values.end_weights() is None
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
        if study.design.arms:
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
        """Show the cards for respondents."""
        dialog = CardsDialog(
            self._workbench, self._store.study, self._card_edits, self._page.window()
        )
        show_dialog(dialog, self._workbench.themes)

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
        self._store.apply(study, self.tr("Ask by a list"))
        self._store.select([name])

    def say(self, words: str, *, can_undo: bool = False) -> None:
        """Show a quiet message."""
        self._workbench.toast_requested.emit(words, can_undo)
