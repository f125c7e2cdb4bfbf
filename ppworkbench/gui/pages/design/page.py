"""The Design page: what, how, and so what, from left to right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Protocol, TypeAlias

from PySide6.QtGui import QAction, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QMenu, QStackedWidget, QWidget

from ppworkbench.analyses.budget import BudgetBuilder
from ppworkbench.analyses.design import report_of, simulated_loss
from ppworkbench.analyses.pins import RESULTS
from ppworkbench.analyses.trade_off.goals import Light
from ppworkbench.analyses.trade_off.places import BELIEF
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design import Perturbation
from ppworkbench.core.privacy.report import AttributeReport, QuestionnaireReport
from ppworkbench.gui.application import single_shot
from ppworkbench.gui.dialogs import show_dialog
from ppworkbench.gui.files import FileActions
from ppworkbench.gui.keys import add_key
from ppworkbench.gui.language import translate
from ppworkbench.gui.page_task import PageTask
from ppworkbench.gui.pages.design.arms import ArmsPage
from ppworkbench.gui.pages.design.attribute_list import AttributeList
from ppworkbench.gui.pages.design.budget.summary import QuestionnaireSummary
from ppworkbench.gui.pages.design.columns import DesignColumns, DesignParts
from ppworkbench.gui.pages.design.editors.matrix_editor import MatrixEditor
from ppworkbench.gui.pages.design.editors.noise_editor import NoiseEditor
from ppworkbench.gui.pages.design.edits import DesignEdits
from ppworkbench.gui.pages.design.list_dialog import can_ask_by_list, list_at
from ppworkbench.gui.pages.design.noncompliance import NonComplianceLine
from ppworkbench.gui.pages.design.pins import PinBar
from ppworkbench.gui.pages.design.plan import PlanPage
from ppworkbench.gui.pages.design.question_strip import ArmBar, DesignSummary, QuestionStrip
from ppworkbench.gui.pages.design.readouts import MeasuresDialog, Readouts
from ppworkbench.gui.pages.design.sub_page import SubPage
from ppworkbench.gui.pages.design.tasks import QuestionnaireAssessment, TradeOffSearch
from ppworkbench.gui.pages.design.texts import role_reason
from ppworkbench.gui.pages.design.view import ArmVersion, DesignView, ListView, ViewBuilder
from ppworkbench.gui.pages.design.view_card.goals import AdviceLine, GoalRow
from ppworkbench.gui.pages.design.view_card.panels import ViewCard
from ppworkbench.gui.pages.design.view_card.people import PeopleView
from ppworkbench.gui.pages.design.view_card.preview import Preview
from ppworkbench.gui.pages.design.view_card.trade_off import TradeOffView
from ppworkbench.gui.pages.page import Page
from ppworkbench.gui.scripts import fill_script_menu
from ppworkbench.gui.widgets.banner import Banner
from ppworkbench.gui.widgets.card import EmptyState
from ppworkbench.gui.widgets.controls import IconButton
from ppworkbench.gui.widgets.layout import column
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.answer_state import AnswerState
from ppworkbench.study.study import Study

if TYPE_CHECKING:
    from ppworkbench.outputs.scripts.analysis import Analysis

FindScript: TypeAlias = "Callable[[], tuple[Analysis, Study] | None]"

QUESTIONS = "questions"
SUB_PAGES: tuple[type[SubPage], ...] = (ArmsPage, PlanPage)
"""What the switch in the head offers beside the questions, in this order."""


class _Card(Protocol):
    """A part of the page."""

    def set_view(self, view: DesignView) -> None:
        """Show it."""


class DesignPage(Page):
    """Shows the study whenever it changes, and changes it as the cards ask for."""

    name = "design"

    def __init__(self, workbench: Workbench, files: FileActions | None = None) -> None:
        super().__init__(workbench)
        self.files = files
        self.title = self.tr("Design")
        self.question = self.tr("Choose a mechanism for each attribute")
        self.view: DesignView | None = None
        """What the cards show."""
        self._list_view = ListView()
        self._views = ViewBuilder()
        self._budgets = BudgetBuilder()
        self._measure = BELIEF
        """The measure of privacy that was chosen; not every attribute has it."""
        self._simulated: tuple[AttributeReport, float] | None = None
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
        self._arrange()
        self._listen()
        self.room.fit(self.window().width())
        self.room.fit_editor()
        self.refresh()

    @property
    def report(self) -> AttributeReport | None:
        """The measures of the attribute that is shown."""
        return None if self.view is None else self.view.report

    def _make_actions(self) -> None:
        words = self.tr("Go to Explore")
        self.set_primary("tryOut", words, "arrow-right", self._on_try_out)
        self.pin_action: QAction = self.action(
            "pinDesign", self.tr("Pin this design"), "pin", self.edits.toggle_pin
        )
        self.pin_action.setShortcut(QKeySequence("Ctrl+D"))
        self.addAction(self.pin_action)
        self.list_action: QAction = self.action(
            "askByList", self.tr("Ask by a list…"), "data", self.edits.edit_list
        )
        self.secondary = [self.list_action, self.pin_action]
        add_key(self, "Ctrl+L", self.tr("Switch loop effect"), self._on_loop)
        add_key(self, "Ctrl+Shift+R", self.tr("Draw the 100 people again"), self._on_redraw)
        add_key(self, "Ctrl+F", self.tr("Filter attributes"), self._on_filter)
        add_key(self, "Alt+Up", self.tr("Previous attribute"), lambda: self._step(-1))
        add_key(self, "Alt+Down", self.tr("Next attribute"), lambda: self._step(1))

    def analysis(self) -> tuple[Analysis, Study] | None:
        """The plan where it is in front, else the measures of all questions."""
        from ppworkbench.outputs.scripts.results import plan_analysis, privacy_analysis

        study = self.store.study
        if not study.design.attributes:
            return None
        if self.sub_page == PlanPage.key:
            return plan_analysis(study, self.store.current or ""), study
        return privacy_analysis(study), study

    def _add_scripts(self, find: FindScript, menu: QMenu) -> None:
        """Offer the script of a part of the page in its menu."""
        scripts = menu.addMenu(self.tr("Copy as script"))
        scripts.setObjectName("partScripts")
        fill_script_menu(scripts, self.workbench, self, find)

    def _trade_off_script(self) -> tuple[Analysis, Study] | None:
        from ppworkbench.outputs.scripts.results import trade_off_analysis

        view, study = self.view, self._shown_study()
        return None if view is None else (trade_off_analysis(study, view.name, view.measure), study)

    def _pins_script(self) -> tuple[Analysis, Study] | None:
        from ppworkbench.outputs.scripts.results import pins_analysis

        view, study = self.view, self._shown_study()
        return None if view is None else (pins_analysis(study, view.name), study)

    def _make_tasks(self) -> None:
        self.search = TradeOffSearch(self.workbench, self)
        self.assessment = QuestionnaireAssessment(self.workbench, self)
        self._check: PageTask[tuple[AttributeReport, float]] = PageTask(
            self.workbench, "check", self, quiet=True
        )
        self._weighing = single_shot(self, self._weigh)
        self._due = single_shot(self, self._catch_up)
        self._later = single_shot(self, self._assess, 120)

    def _make_cards(self) -> None:
        themes = self.themes
        self.list = AttributeList(themes)
        self.summary = QuestionnaireSummary(themes)
        measures = IconButton(themes, "data", self.tr("All measures"), 18)
        measures.setObjectName("allMeasuresFolded")
        measures.clicked.connect(self.summary.all.click)
        budget = IconButton(themes, "scales", self.tr("Share out the privacy budget"), 18)
        budget.setObjectName("shareOutFolded")
        budget.clicked.connect(self.summary.share_out.click)
        self._folded_budget = budget
        self.list.set_foot(self.summary, budget, measures)
        self.arm_bar = ArmBar(themes)
        self.strip = QuestionStrip(themes)
        self.words = DesignSummary(themes)
        self.banner = Banner(themes)
        self.matrix = MatrixEditor(themes)
        self.editor = QStackedWidget()
        self.editor.addWidget(self.matrix)
        self.goal = GoalRow(themes)
        self.trade = TradeOffView(themes)
        self.trade.chart.add_scripts = partial(self._add_scripts, self._trade_off_script)
        self.people = PeopleView(themes)
        self.preview = Preview(themes)
        self.advice = AdviceLine(themes)
        self.views_card = ViewCard(
            themes, self.goal, self.trade, self.people, self.preview, self.advice
        )
        self.pin_bar = PinBar(themes, partial(self._add_scripts, self._pins_script))
        self.readouts = Readouts(themes, self.pin_bar)
        self.noncompliance = NonComplianceLine(themes)
        self._cards: tuple[_Card, ...] = (
            self.strip, self.words, self.goal, self.preview, self.readouts, self.pin_bar,
            self.trade, self.advice, self.people, self.noncompliance,
        )  # fmt: skip

    @cached_property
    def noise(self) -> NoiseEditor:
        """The editor of numbers, made for the first of them: many studies have none to distort."""
        made = NoiseEditor(self.themes)
        self.editor.addWidget(made)
        self._listen_to_editor(made)
        return made

    def _arrange(self) -> None:
        """Put what was made into its columns."""
        parts = DesignParts(
            self.list, self.arm_bar, self.strip, self.words, self.banner, self.views_card,
            self.trade, self.editor, self.matrix, self.readouts, self.noncompliance,
        )  # fmt: skip
        self.room = DesignColumns(self.themes, parts, self)
        self.panels, self.columns = self.room.panels, self.room.columns
        self.split = self.room.split
        self.empty = EmptyState(
            self.themes, "design", self.tr("No attributes yet"),
            self.tr("Open a table or a sample, or list the questions of a new questionnaire."),
            self.tr("Go to Start"),
        )  # fmt: skip
        self.empty.button.clicked.connect(lambda: self.workbench.page_requested.emit("start"))
        self.views = QStackedWidget()
        self.views.addWidget(self.split)
        self.views.addWidget(self.empty)
        column(self.views, parent=self).setContentsMargins(16, 4, 16, 12)

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
        self.search.changed.connect(self._on_trade_changed)
        self.assessment.assessed.connect(self._on_assessed)
        self.assessment.completed.connect(self._open_measures)
        self._check.finished.connect(self._on_simulated)
        self.list.selected.connect(store.select)
        self.list.group_requested.connect(self.edits.group_selected)
        self.list.ungroup_requested.connect(self.edits.ungroup_selected)
        self._listen_to_summary()
        self.arm_bar.arm_chosen.connect(self.show_arm)
        self.strip.marks_chosen.connect(self.edits.mark_answers)
        self.strip.refused.connect(self.edits.say)
        self.words.copied.connect(lambda: self.edits.say(self.tr("Sentence copied.")))
        self.words.help.clicked.connect(self._on_help)
        self._listen_to_editor(self.matrix)
        self.matrix.matrix_typed.connect(lambda made: self.edits.set_design(made, ""))
        self.matrix.matrix_copied.connect(lambda: self.edits.say(self.tr("Matrix copied.")))
        self.matrix.failed.connect(workbench.error_raised)
        self.matrix.device.device_requested.connect(self.edits.choose_device)
        self.matrix.device.cards_requested.connect(self.edits.print_cards)
        self.goal.goal_chosen.connect(self.edits.set_goal)
        self.goal.respondents_chosen.connect(self.edits.set_respondents)
        self.trade.measure_chosen.connect(self._on_measure)
        self.trade.dragged.connect(self._on_dragged)
        self.trade.visibility_changed.connect(self._on_trade_seen)
        self.trade.design_chosen.connect(self.edits.set_design)
        self.trade.pin_chosen.connect(self.edits.use_pin)
        self.trade.goal_moved.connect(self.goal.set_goal)
        self.trade.goals_requested.connect(self.goal.focus)
        self.advice.design_chosen.connect(lambda made: self.edits.set_design(made, ""))
        self.preview.choice_made.connect(self.edits.set_choice)
        self.readouts.help_requested.connect(workbench.help_requested)
        self.pin_bar.button.clicked.connect(self.pin_action.trigger)
        self.pin_bar.chosen.connect(self.edits.use_pin)
        self.pin_bar.activated.connect(self.edits.activate_pin)
        self.pin_bar.removed.connect(self.edits.remove_pin)
        self.noncompliance.manner_chosen.connect(
            lambda manner: store.set_settings(noncompliance_manner=manner)
        )
        self.noncompliance.safe_chosen.connect(self.edits.set_safe_answer)
        self.noncompliance.corrected_chosen.connect(
            lambda is_on: store.set_settings(noncompliance_corrected=is_on)
        )
        for cleared in (
            self.noncompliance.cleared, self.readouts.noncompliance_cleared,
            self.views_card.mark.clicked, self.summary.mark.clicked, self.words.mark.clicked,
        ):  # fmt: skip
            cleared.connect(lambda *_: self.edits.clear_noncompliance())
        self.noncompliance.share_chosen.connect(
            lambda share, gesture: store.set_settings(gesture or None, noncompliance=share)
        )

    def _listen_to_editor(self, editor: MatrixEditor | NoiseEditor) -> None:
        editor.mechanism_chosen.connect(self._on_mechanism)
        editor.help_requested.connect(self.workbench.help_requested)

    def _listen_to_summary(self) -> None:
        self.summary.all.clicked.connect(
            lambda: self.assessment.ask(self._version.asked(self.store.study))
        )
        self.summary.question_chosen.connect(lambda name: self.store.select([name]))
        self.summary.share_out_requested.connect(self.edits.share_out)
        self.summary.repair_requested.connect(self.edits.make_budget_finite)

    # Showing the study

    @property
    def optional_panels(self) -> tuple[QWidget, ...]:
        """Parts that an audience does without."""
        return (self.list, self.noncompliance)

    def kept(self) -> tuple[str, ...]:
        """What was chosen and found here."""
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
        """Show the current attribute as the study has it."""
        if self.is_behind:
            return
        self._name_next_step()
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

    def _name_next_step(self) -> None:
        is_unanswered = self.store.study.state is AnswerState.NONE
        words = self.tr("Rehearse") if is_unanswered else self.tr("Go to Explore")
        if words != self.primary.text():
            self.primary.setText(words)

    def _on_try_out(self) -> None:
        """Explore the answers; where there are none, invent some first."""
        from ppworkbench.gui.rehearsal import start_rehearsal

        def go_on() -> None:
            self.workbench.page_requested.emit("explore")

        if self.store.study.state is AnswerState.NONE:
            start_rehearsal(self.workbench, done=go_on)
        else:
            go_on()

    def show_sub_page(self, key: str) -> None:
        """Show the questions one by one, or all of them in another respect."""
        if key not in (known for known, _ in self.sub_pages):
            return
        told = next((one.hint() for one in SUB_PAGES if one.key == key), "")
        self.question = told or self.tr("Choose a mechanism for each attribute")
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
            part.edited.connect(self._on_edited)
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
        """Show a question as an arm asks it."""
        self._version.arm = arm
        self.store.select([name])
        self.show_sub_page(QUESTIONS)

    def _on_edited(self, study: Study, words: str, gesture: str) -> None:
        self.store.apply(study, words, gesture or None)

    def _show_list(self) -> None:
        asked = self._version.asked(self.store.study)
        budget = self._budgets.build(asked.design)
        self._list_view = replace(
            self._list_view, study=self._shown_study(), selected=self.store.selected,
            shares=budget.shares,
        )  # fmt: skip
        self.list.set_view(self._list_view)
        self.summary.set_budget(asked, budget, self.store.current, self.edits.budget_repair)
        words = self.tr("Share out the privacy budget")
        self._folded_budget.setToolTip(f"{self.summary.told()}\n{words}")

    def _show_current(self) -> None:
        """Measure the current attribute and show it."""
        name, study = self.store.current, self._shown_study()
        assert name is not None  # noqa: S101 (chosen by refresh)
        report = self._known_report() or report_of(study, name)
        numeric = report.attribute.kind.is_numeric
        editor: MatrixEditor | NoiseEditor = self.noise if numeric else self.matrix
        edited = editor, report.perturbation.type_name
        if edited != self._edited:
            self._edited = edited
            self.editor.setCurrentWidget(editor)
            self.room.fit_editor()
        self._show(report, editor, *self._cards)
        self.arm_bar.set_view(self.store.study, self._version.arm, report.name)
        asked = list_at(self.store.study, report.name)
        self.list_action.setVisible(can_ask_by_list(self.store.study, report.name))
        self.list_action.setText(
            self.tr("Ask by a list…") if asked is None else self.tr("Edit list…")
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
        else:
            self.banner.hide()

    def _known_report(self) -> AttributeReport | None:
        """What was weighed, if nothing has changed since."""
        study, name, report = self._weighed or (None, None, None)
        return report if study is self._shown_study() and name == self.store.current else None

    def _show(self, report: AttributeReport, *cards: _Card) -> None:
        """Show these cards what is known now of the current attribute."""
        simulated = self._simulated
        view = self._views.build(
            self._shown_study(), report, self._measure,
            simulated[1] if simulated is not None and simulated[0] is report else None,
        )  # fmt: skip
        # It may leave a picture that the attribute does not have, and so decide what is looked for.
        self.views_card.set_view(view)
        if self.advice.isVisibleTo(self.window()):
            found = self.search.find(view, is_shown=self.trade.isVisible())
            view = view.with_trade(found)
        self.view = view
        for card in cards:
            card.set_view(view)
        self.pin_action.setToolTip(self.pin_bar.button.toolTip())
        pinned = self.pin_bar.is_pinned
        words = self.tr("Unpin this design") if pinned else self.tr("Pin this design")
        if words != self.pin_action.text():
            self.pin_action.setText(words)

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

    def _on_trade_changed(self) -> None:
        self._show_again(self.trade, self.advice)

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

    # The whole questionnaire, and the check

    def _assess(self) -> None:
        """Assess all attributes, and check the closed form by 200 simulated surveys on counts."""
        study, report = self._version.asked(self.store.study), self.report
        self.assessment.refresh(study, self._views.read_goal(study))
        if report is None or report.matrix is None or report.noncompliance is not None:
            return
        if self._simulated is None or self._simulated[0] is not report:
            name = self.tr("Checking by simulation")
            self._check.start(name, lambda progress: (report, simulated_loss(report, progress)))

    def _on_simulated(self, found: tuple[AttributeReport, float]) -> None:
        self._simulated = found
        self._show_again(self.readouts)

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

    def _open_measures(self, report: QuestionnaireReport) -> None:
        dialog = MeasuresDialog(self.themes.theme, self._shown_study(), report, self.window())
        show_dialog(dialog, self.themes)

    def _on_mechanism(self, build: Callable[[Attribute], Perturbation], gesture: str) -> None:
        """Distort the current attribute, and the others of the selection where it fits."""
        editor = self.editor.currentWidget()
        problem = self.edits.distort(self.store.selected, build, gesture)
        if isinstance(editor, MatrixEditor | NoiseEditor):
            editor.show_problem(problem)

    def _on_help(self) -> None:
        editor = self.editor.currentWidget()
        if isinstance(editor, MatrixEditor | NoiseEditor):
            editor.ask_for_help()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self.room.fit(self.window().width())

    # Actions

    def _on_redraw(self) -> None:
        if self.people.isVisible():
            self.people.redraw()

    def _on_filter(self) -> None:
        if self.sub_page == QUESTIONS:
            self.list.search_button.toggle()

    def _on_loop(self) -> None:
        if self.sub_page == QUESTIONS:
            self.edits.turn_loop()

    def _step(self, step: int) -> None:
        names = self._shown_study().design.names
        if self.store.current in names:
            place = names.index(self.store.current) + step
            self.store.select([names[min(max(place, 0), len(names) - 1)]])
