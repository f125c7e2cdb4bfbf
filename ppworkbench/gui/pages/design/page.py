"""The Design page: what, how, and so what, from left to right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Protocol

from PySide6.QtGui import QAction, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QMenu, QWidget

from ppworkbench.analyses.designs.design import report_of
from ppworkbench.analyses.designs.goals import Light
from ppworkbench.analyses.designs.pins import RESULTS
from ppworkbench.analyses.designs.places import BELIEF
from ppworkbench.analyses.planning.study_budget import BudgetBuilder
from ppworkbench.core.privacy.report import AttributeReport, QuestionnaireReport
from ppworkbench.gui.application import single_shot
from ppworkbench.gui.files import FileActions
from ppworkbench.gui.keys import add_key
from ppworkbench.gui.language import translate
from ppworkbench.gui.pages.design.arms import ArmsPage
from ppworkbench.gui.pages.design.columns import DesignCards
from ppworkbench.gui.pages.design.editors.mechanism_editor import MechanismEditor
from ppworkbench.gui.pages.design.editors.noise_editor import NoiseEditor
from ppworkbench.gui.pages.design.edits import DesignEdits, can_ask_by_list, is_open, list_at
from ppworkbench.gui.pages.design.plan import PlanPage
from ppworkbench.gui.pages.design.sensitive_dialog import is_unmarked
from ppworkbench.gui.pages.design.sub_page import SubPage
from ppworkbench.gui.pages.design.tasks import QuestionnaireAssessment, TradeOffSearch
from ppworkbench.gui.pages.design.texts import role_reason
from ppworkbench.gui.pages.design.view import ArmVersion, DesignView, ListView, ViewBuilder
from ppworkbench.gui.scripts import fill_script_menu
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.answer_state import AnswerState
from ppworkbench.study.study import Study

if TYPE_CHECKING:
    from ppworkbench.outputs.scripts.analysis import Analysis

QUESTIONS = "questions"
SUB_PAGES: tuple[type[SubPage], ...] = (ArmsPage, PlanPage)
"""What the switch in the head offers beside the questions, in this order."""


def try_out(workbench: Workbench) -> None:
    """Explore the answers; where there are none, invent some first."""
    from ppworkbench.gui.rehearsal import start_rehearsal

    def go_on() -> None:
        workbench.page_requested.emit("explore")

    if workbench.store.study.state is AnswerState.NONE:
        start_rehearsal(workbench, done=go_on)
    else:
        go_on()


class _Card(Protocol):
    """A part of the page."""

    def set_view(self, view: DesignView) -> None:
        """Show it."""


class DesignPage(DesignCards):
    """Shows the study whenever it changes, and changes it as the cards ask for."""

    name = "design"

    def __init__(self, workbench: Workbench, files: FileActions | None = None) -> None:
        super().__init__(workbench)
        self.files = files
        self.title = self.tr("Design")
        self.question = self.tr("How is each answer protected?")
        self.view: DesignView | None = None
        """What the cards show."""
        self._list_view = ListView()
        self._views = ViewBuilder()
        self._budgets = BudgetBuilder()
        self._measure = BELIEF
        """The measure of privacy that was chosen; not every attribute has it."""
        self._weighed: tuple[Study, str, AttributeReport] | None = None
        """A report that is shown in the next event, and what it is about."""
        self._is_opening = False
        self._edited: tuple[QWidget, str] | None = None
        titles = [(one.key, one.title()) for one in SUB_PAGES]
        self.sub_pages = [(QUESTIONS, self.tr("Questions")), *titles]
        self.sub_page = QUESTIONS
        self._made: dict[str, SubPage] = {}
        self._version = ArmVersion()
        self.edits = DesignEdits(workbench, self._version, self._budgets, self)
        self._make_actions()
        self._make_tasks()
        self._make_cards()
        self._editor: MechanismEditor = self.matrix
        """That in front."""
        self._cards: tuple[_Card, ...] = (
            self.strip, self.words, self.goal, self.preview, self.readouts, self.pin_bar,
            self.trade, self.advice, self.people, self.noncompliance,
        )  # fmt: skip

        self._arrange()
        self._listen()
        self.fit(self.window().width())
        self.fit_editor()
        self.refresh()

    @property
    def report(self) -> AttributeReport | None:
        return None if self.view is None else self.view.report

    def _make_actions(self) -> None:
        words = self.tr("Go to Explore")
        self.set_primary("tryOut", words, "arrow-right", lambda: try_out(self.workbench))
        self.pin_action: QAction = self.action(
            "pinDesign", self.tr("Pin this design"), "pin", self.edits.toggle_pin
        )
        self.pin_action.setShortcut(QKeySequence("Ctrl+D"))
        self.addAction(self.pin_action)
        self.list_action: QAction = self.action(
            "askByList", self.tr("List experiment…"), "data", self.edits.edit_list
        )
        self.secondary = [self.list_action, self.pin_action]
        self.randomise_action: QAction = self.action(
            "randomiseSelected", self.tr("Randomise"), "shield", self.edits.randomise_selected
        )
        self.open_action: QAction = self.action(
            "askOpenly", self.tr("Ask openly"), "minus", self.edits.open_selected
        )
        for action, keys in (
            (self.randomise_action, "Ctrl+Shift+A"), (self.open_action, "Ctrl+Shift+O"),
        ):  # fmt: skip
            action.setShortcut(QKeySequence(keys))
            self.addAction(action)
        add_key(
            self, "Ctrl+L", self.tr("Switch loop effect"), self._in_editor(self.edits.turn_loop)
        )
        redraw = self._in_editor(lambda: self.people.redraw())  # noqa: PLW0108 (made later)
        add_key(self, "Ctrl+Shift+R", self.tr("Draw the 100 people again"), redraw)
        search = self._in_editor(lambda: self.list.search_button.toggle())  # noqa: PLW0108
        add_key(self, "Ctrl+F", self.tr("Filter attributes"), search)
        add_key(self, "Alt+Up", self.tr("Previous attribute"), lambda: self.list.step(-1))
        add_key(self, "Alt+Down", self.tr("Next attribute"), lambda: self.list.step(1))

    def analysis(self) -> tuple[Analysis, Study] | None:
        """The plan where it is in front, else the measures of all questions."""
        from ppworkbench.outputs.scripts.results import plan_analysis, privacy_analysis

        study = self.store.study
        if not study.design.attributes:
            return None
        if self.sub_page == PlanPage.key:
            return plan_analysis(study, self.store.current or ""), study
        return privacy_analysis(study), study

    def offer_scripts(self, is_of_pins: bool, menu: QMenu) -> None:
        """Offer the script of the pins, or of the trade-off, in their menus."""

        def script() -> tuple[Analysis, Study] | None:
            from ppworkbench.outputs.scripts.results import pins_analysis, trade_off_analysis

            view, study = self.view, self._shown_study()
            if view is None:
                return None
            if is_of_pins:
                return pins_analysis(study, view.name), study
            return trade_off_analysis(study, view.name, view.measure), study

        scripts = menu.addMenu(self.tr("Copy as script"))
        scripts.setObjectName("partScripts")
        fill_script_menu(scripts, self.workbench, self, script)

    def _make_tasks(self) -> None:
        self.search = TradeOffSearch(self.workbench, self)
        self.assessment = QuestionnaireAssessment(self.workbench, self)
        self._weighing = single_shot(self, self._weigh)
        self._due = single_shot(self, self._catch_up)
        self._later = single_shot(
            self,
            lambda: self.assessment.refresh(self._version.asked(self.store.study), self.report),
            120,
        )

    @cached_property
    def noise(self) -> NoiseEditor:
        """The editor of numbers, made for the first of them: many studies have none to distort."""
        made = NoiseEditor(self.themes)
        self.editor.addWidget(made)
        self._listen_to_editor(made)
        return made

    def _listen(self) -> None:
        store, workbench = self.store, self.workbench
        store.study_opened.connect(self._on_opened)
        store.data_changed.connect(self._on_study_changed)
        store.settings_changed.connect(self._on_study_changed)
        store.selection_changed.connect(self._on_selection_changed)
        store.design_changed.connect(self._on_design_changed)
        store.goals_changed.connect(self._on_goals_changed)
        store.results_changed.connect(self._on_results_changed)
        store.lock_changed.connect(self._on_study_changed)
        self.search.changed.connect(lambda: self._show_again(self.trade, self.advice))
        self.assessment.assessed.connect(self._on_assessed)
        self.assessment.completed.connect(self.edits.show_measures)
        self.assessment.simulated.connect(lambda: self._show_again(self.readouts))
        self.empty.button.clicked.connect(lambda: workbench.page_requested.emit("start"))
        self.list.selected.connect(store.select)
        self.list.group_requested.connect(self.edits.group_selected)
        self.list.ungroup_requested.connect(self.edits.ungroup_selected)
        self.list.of_selection = self.randomise_action, self.open_action
        self._listen_to_summary()
        self._listen_to_trade()
        self.arm_bar.box.chosen.connect(self.show_arm)
        self.strip.marks_chosen.connect(self.edits.mark_answers)
        self.strip.refused.connect(self.edits.say)
        self.words.copied.connect(lambda: self.edits.say(self.tr("Sentence copied.")))
        self.words.help.clicked.connect(lambda: self._editor.ask_for_help())  # noqa: PLW0108
        self._listen_to_editor(self.matrix)
        self.matrix.matrix_typed.connect(lambda made: self.edits.set_design(made, ""))
        self.matrix.matrix_copied.connect(lambda: self.edits.say(self.tr("Matrix copied.")))
        self.matrix.failed.connect(workbench.error_raised)
        self.matrix.device.choose.clicked.connect(self.edits.choose_device)
        self.matrix.device.cards.clicked.connect(self.edits.print_cards)
        self.goal.goal_chosen.connect(self.edits.set_goal)
        self.goal.respondents_chosen.connect(self.edits.set_respondents)
        self.advice.design_chosen.connect(lambda made: self.edits.set_design(made, ""))
        self.preview.choice_made.connect(self.edits.set_choice)
        self.readouts.help_requested.connect(workbench.help_requested)
        self.pin_bar.button.clicked.connect(self.pin_action.trigger)
        for chip in self.pin_bar.chips.values():
            chip.add_scripts = partial(self.offer_scripts, True)
            chip.chosen.connect(self.edits.use_pin)
            chip.activated.connect(self.edits.activate_pin)
            chip.removed.connect(self.edits.remove_pin)
        self.noncompliance.manner.chosen.connect(
            lambda manner: store.set_settings(noncompliance_manner=manner)
        )
        self.noncompliance.safe_chosen.connect(self.edits.set_safe_answer)
        self.noncompliance.corrected.clicked.connect(
            lambda is_on: store.set_settings(noncompliance_corrected=is_on)
        )
        for cleared in (
            self.noncompliance.clear.clicked, self.readouts.noncompliance_cleared,
            self.views_card.mark.clicked, self.summary.mark.clicked, self.words.mark.clicked,
        ):  # fmt: skip
            cleared.connect(lambda *_: self.edits.clear_noncompliance())
        self.noncompliance.share_chosen.connect(
            lambda share, gesture: store.set_settings(gesture or None, noncompliance=share)
        )

    def _listen_to_editor(self, editor: MechanismEditor) -> None:
        # The others of the selection get it too, where it fits.
        editor.mechanism_chosen.connect(
            lambda build, gesture: editor.show_problem(
                self.edits.distort(self.store.selected, build, gesture)
            )
        )
        editor.help_requested.connect(self.workbench.help_requested)

    def _listen_to_summary(self) -> None:
        store, summary = self.store, self.summary
        summary.all.clicked.connect(lambda: self.assessment.ask(self._version.asked(store.study)))
        summary.bar.question_chosen.connect(lambda name: store.select([name]))
        summary.share_out.clicked.connect(self.edits.share_out)
        summary.repair.clicked.connect(self.edits.make_budget_finite)

    def _listen_to_trade(self) -> None:
        trade, chart = self.trade, self.trade.chart
        trade.measure.chosen.connect(self._on_measure)
        trade.visibility_changed.connect(self._on_trade_seen)
        chart.dragged.connect(self._on_dragged)
        chart.design_chosen.connect(self.edits.set_design)
        chart.goal_moved.connect(self.goal.set_goal)
        chart.pin_taken.connect(self.edits.use_pin)
        chart.goals_requested.connect(self.goal.focus)
        chart.add_scripts = partial(self.offer_scripts, False)

    # Showing the study

    @property
    def optional_panels(self) -> tuple[QWidget, ...]:
        return (self.list, self.noncompliance)

    def kept(self) -> tuple[str, ...]:
        return ("_measure", "_version.arm")

    def shown(self) -> None:
        """Bring everything up to date, in events of its own: all at a stroke would be felt."""
        super().shown()
        # It is not drawn as it was before.
        self.setUpdatesEnabled(False)
        self._weighing.start()

    def _weigh(self) -> None:
        """Work out what is shown in a moment, which takes long with hundreds of values."""
        study, name = self._shown_study(), self.store.current
        if not self.is_behind and name is not None and name in study.design:
            self._weighed = study, name, report_of(study, name)
        self._due.start()

    def _catch_up(self) -> None:
        self.setUpdatesEnabled(True)
        self.refresh()
        self._weighed = None
        numbers = (one.attribute.kind.is_numeric for one in self.store.study.design)
        if not self.is_behind and any(numbers):
            # Made now: at the first number that is chosen it would be felt.
            self.noise  # noqa: B018

    def refresh(self) -> None:
        if self.is_behind:
            return
        is_unanswered = self.store.study.state is AnswerState.NONE
        self.primary.setText(self.tr("Simulate") if is_unanswered else self.tr("Go to Explore"))
        names = self._shown_study().design.names
        if names and self.sub_page != QUESTIONS:
            self._show_sub_page()
            return
        self.views.setCurrentWidget(self.split if names else self.empty)
        self._show_list()
        if not names:
            self.view = None
            return
        if self.store.current not in names:
            self.store.select([names[0]])
            return
        self._show_current()
        self._later.start()

    def show_sub_page(self, key: str) -> None:
        """Show the questions one by one, or all of them in another respect."""
        if key not in (known for known, _ in self.sub_pages):
            return
        told = next((one.hint() for one in SUB_PAGES if one.key == key), "")
        self.question = told or self.tr("How is each answer protected?")
        # Both are about the question in the editor, which says whether a list can ask it.
        self.pin_action.setVisible(key == QUESTIONS)
        self.list_action.setVisible(False)
        super().show_sub_page(key)
        self.refresh()

    def reveal(self, part: QWidget) -> None:
        """Bring the page within this one to the front that holds a widget."""
        pages: dict[str, QWidget] = {QUESTIONS: self.split, **self._made}
        for key, page in pages.items():
            if page.isAncestorOf(part) and key != self.sub_page:
                self.show_sub_page(key)

    def _show_sub_page(self) -> None:
        part = self._made.get(self.sub_page)
        if part is None:
            part = next(one for one in SUB_PAGES if one.key == self.sub_page)(self.workbench)
            part.edited.connect(
                lambda study, words, gesture: self.store.apply(study, words, gesture or None)
            )
            part.sub_page_requested.connect(self.show_sub_page)
            part.question_requested.connect(self._on_question)
            self._made[self.sub_page] = part
            self.views.addWidget(part)
        part.set_view(self.store.study)
        self.views.setCurrentWidget(part)

    def _shown_study(self) -> Study:
        """The study as the chosen arm meets it; without arms the study itself."""
        return self._version.shown(self.store.study)

    def show_arm(self, name: str) -> None:
        """Show and change the version of an arm; of none, the design that all begin with."""
        self._version.arm = name
        self.refresh()

    def _on_question(self, name: str, arm: str) -> None:
        self._version.arm = arm
        self.store.select([name])
        self.show_sub_page(QUESTIONS)

    def _show_list(self) -> None:
        asked = self._version.asked(self.store.study)
        budget = self._budgets.build(asked.design)
        self._list_view = replace(
            self._list_view, study=self._shown_study(), selected=self.store.selected,
            shares=budget.shares,
        )  # fmt: skip
        self.list.set_view(self._list_view)
        study = self._list_view.study
        free = [
            is_open(study, name) for name in self.store.selected
            if name in study.design and name not in study.undistorted_columns
            and not self.store.lock_of(name)
        ]  # fmt: skip
        self.randomise_action.setEnabled(any(free))
        self.open_action.setEnabled(not all(free))
        self.summary.set_budget(asked, budget, self.store.current, self.edits.budget_repair)
        words = self.tr("Divide the privacy budget")
        self._folded_budget.setToolTip(f"{self.summary.told()}\n{words}")

    def _show_current(self) -> None:
        name, study = self.store.current, self._shown_study()
        assert name is not None  # noqa: S101 (chosen by refresh)
        # What was weighed, if nothing has changed since.
        of, about, report = self._weighed or (None, None, None)
        if report is None or of is not study or about != name:
            report = report_of(study, name)
        editor = self._editor = self.noise if report.attribute.kind.is_numeric else self.matrix
        edited = editor, report.perturbation.type_name
        if edited != self._edited:
            self._edited = edited
            self.editor.setCurrentWidget(editor)
            self.fit_editor()
        self._show(report, editor, *self._cards)
        self.arm_bar.set_view(self.store.study, self._version.arm, report.name)
        asked = list_at(self.store.study, report.name)
        self.list_action.setVisible(can_ask_by_list(self.store.study, report.name))
        self.list_action.setText(
            self.tr("List experiment…") if asked is None else self.tr("Edit list…")
        )
        reason = role_reason(self.store.study, report.name)
        is_omitted = report.name in self._version.omitted(self.store.study)
        lock = self.store.lock_of(report.name)
        self.editor.setEnabled(not reason and not is_omitted and not lock)
        if not self.panels.is_open:
            # A column with a role has no device to follow, and its banner needs the room.
            self.noncompliance.setVisible(not reason)
        # The reason says all that there is to say, and needs the room.
        self.words.setVisible(not reason and not is_omitted)
        if lock or self.store.is_unlocked:
            self.edits.say_lock(self.banner)
        elif is_omitted:
            words = self.tr("The arm “%s” does not ask this question.") % self._version.arm
            self.banner.say(
                "info", "", words, (self.tr("Ask it"), self.edits.ask_question), closable=False
            )
        elif reason:
            go = self.tr("Go to Data"), lambda: self.workbench.page_requested.emit("data")
            if asked is not None:
                go = self.tr("Edit list…"), self.edits.edit_list
            self.banner.say("info", "", reason, go, closable=False)
        elif self.view is not None and self.view.is_hopeless and report.warnings:
            warning = translate(study.titled(report.warnings[0]))
            self.banner.say("warning", "", warning, closable=False)
        elif is_unmarked(self.store.study):
            words = self.tr("Nothing is marked as sensitive, so every question is randomised.")
            mark = self.tr("Mark…"), self.edits.ask_for_marks
            self.banner.say("info", "", words, mark, closable=False)
        else:
            self.banner.hide()

    def _show(self, report: AttributeReport, *cards: _Card) -> None:
        view = self._views.build(
            self._shown_study(), report, self._measure, self.assessment.simulated_loss(report)
        )
        # It may leave a picture that the attribute does not have, and so decide what is looked for.
        self.views_card.set_view(view)
        for part in (self.views_card, self._editor):
            part.figure_subject = view.study.shown(view.name)
        if self.advice.isVisibleTo(self.window()):
            found = self.search.find(view, is_shown=self.trade.isVisible())
            view = view.with_trade(found)
        self.view = view
        for card in cards:
            card.set_view(view)
        self.pin_action.setToolTip(self.pin_bar.button.toolTip())
        pinned = self.pin_bar.is_pinned
        self.pin_action.setText(
            self.tr("Unpin this design") if pinned else self.tr("Pin this design")
        )

    def _show_again(self, *cards: _Card) -> None:
        """Show these cards what changed beside the design; what is behind is shown later."""
        report, design = self.report, self.store.study.design
        if self._is_opening or report is None or report.name != self.store.current:
            return
        if self.sub_page != QUESTIONS:
            return
        if report.name in design and report.attribute == design[report.name].attribute:
            self._show(report, *cards)

    def _on_opened(self) -> None:
        self._is_opening = True

    def _on_selection_changed(self) -> None:
        # It is the last that is told of another study, which is enough work for one event.
        if self._is_opening:
            self._is_opening = False
            self._weighing.start()
        else:
            self.refresh()

    def _on_study_changed(self) -> None:
        if not self._is_opening:
            self.refresh()

    def _on_design_changed(self, name: str) -> None:
        if not self.isVisible() or self._is_opening:
            return
        if not name or name in self.store.selected or self.sub_page != QUESTIONS:
            self.refresh()
        else:
            self._show_list()
            self._later.start()

    def _on_goals_changed(self) -> None:
        self._show_again(self.goal, self.readouts, self.trade, self.advice, self.people)
        if self._is_opening:
            return
        if self.sub_page != QUESTIONS:
            self.refresh()
        else:
            self._later.start()

    def _on_results_changed(self, name: str) -> None:
        if self.sub_page != QUESTIONS and not self._is_opening:
            self.refresh()
        elif name in ("", RESULTS):
            self._show_again(self.pin_bar, self.readouts, self.trade)

    def _on_trade_seen(self, is_seen: bool) -> None:
        if not is_seen:
            self.search.stop()
        self._show_again(self.trade, self.advice)

    def _on_dragged(self, is_dragged: bool, is_second: bool) -> None:
        self.search.set_dragged(is_dragged, is_second)
        if not is_dragged:
            self._show_again(self.trade, self.advice)

    def _on_measure(self, measure: str) -> None:
        self._measure = measure
        self._show_again(self.goal, self.trade, self.advice)

    # The whole questionnaire

    def _on_assessed(self, report: QuestionnaireReport, lights: dict[str, Light]) -> None:
        badges = {
            one.name: (
                one.privacy["attack_success"].value,
                one.privacy["prior_guess"].value,
                one.utility.information_loss,
            )
            for one in report.attributes
        }
        self.summary.show_report(report)
        self._list_view = replace(self._list_view, lights=lights, badges=badges)
        self.list.set_view(self._list_view)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self.fit(self.window().width())

    # Actions

    def _in_editor(self, act: Callable[[], object]) -> Callable[[], None]:
        """Do something while the questions are in front, and not while a sub-page is."""

        def guarded() -> None:
            if self.sub_page == QUESTIONS:
                act()

        return guarded
