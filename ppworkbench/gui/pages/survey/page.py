"""Ask distorted answers a question: the estimate follows it as it is put together."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from ppworkbench.analyses.compliance.compliance import RESULTS as READINGS
from ppworkbench.analyses.compliance.compliance import readings_for
from ppworkbench.analyses.compliance.model_choices import changed_question, fitting
from ppworkbench.analyses.designs.arms import with_arm_for
from ppworkbench.analyses.survey.answers import (
    SurveyError,
    SurveyResult,
    answer_tables,
    command_of,
    methods_of,
    told_answer,
)
from ppworkbench.analyses.survey.history import (
    RESULTS,
)
from ppworkbench.analyses.survey.questions import (
    Question,
    first_question,
)
from ppworkbench.analyses.survey.regressions import answer_regression
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.progress import Progress
from ppworkbench.gui.application import single_shot
from ppworkbench.gui.dialogs import save_table
from ppworkbench.gui.files import FileActions, write_answer
from ppworkbench.gui.keys import add_key
from ppworkbench.gui.language import translate
from ppworkbench.gui.page_task import PageTask
from ppworkbench.gui.pages.page import Page, add_filter_key
from ppworkbench.gui.pages.survey.answer_cards import SurveyView
from ppworkbench.gui.pages.survey.beside import BesideTasks
from ppworkbench.gui.pages.survey.history_card import HistoryCard
from ppworkbench.gui.pages.survey.question_card import QuestionCard
from ppworkbench.gui.pages.survey.question_model import QuestionModel, fitting_choices
from ppworkbench.gui.pages.survey.results_area import ResultsArea
from ppworkbench.gui.pages.survey.texts import sample_badges
from ppworkbench.gui.widgets.labels import ElidedLabel
from ppworkbench.gui.widgets.layout import column, named
from ppworkbench.gui.widgets.provenance import invented_words
from ppworkbench.gui.widgets.sheet_table import copy_menu, copy_tables_as
from ppworkbench.gui.widgets.splitter import splitter
from ppworkbench.gui.widgets.table import copy_tables
from ppworkbench.gui.workbench import Workbench
from ppworkbench.results.files import TableKind, cells_of
from ppworkbench.results.sheet import stacked
from ppworkbench.study.bundle_target import file_stem

if TYPE_CHECKING:
    from ppworkbench.outputs.scripts.analysis import Analysis
    from ppworkbench.study.study import Study

_ANSWERS = 8
"""Answers that come back without work."""
REST = 150
"""Milliseconds after the last change of a question until it is asked."""
_LINE = 16
"""The height of the line about the interval."""
_LOW = 820
"""A page that is lower has no room for the history below a regression."""


class SurveyPage(Page):
    """The question across the top, the answer below it, everything asked so far at the bottom."""

    name = "survey"

    def __init__(self, workbench: Workbench, files: FileActions | None = None) -> None:
        super().__init__(workbench)
        self.files = files
        self.title = self.tr("Survey")
        self.question = self.tr("What do the true answers look like?")
        self.model = QuestionModel(self)
        self.answer: SurveyResult | None = None
        self._error: SurveyError | None = None
        self._asked: Question | None = None
        """The question whose answer is on its way."""
        self._answers: OrderedDict[Question, SurveyResult] = OrderedDict()
        self._is_filling = False
        self._answering: PageTask[SurveyResult | SurveyError] = PageTask(workbench, "survey", self)
        self.beside = BesideTasks(workbench, self)
        self._slow = single_shot(self, milliseconds=200)
        self._live = single_shot(self, self._follow, REST)
        self._make_actions()
        self._build()
        self._listen()
        self.asked.read()
        self.model.set(first_question(self.store.study))

    def _make_actions(self) -> None:
        self.set_primary("copyResult", self.tr("Copy"), "copy", self.copy)
        self.copy_action = self.primary
        self.copies = self.copy_action, copy_menu(self, self.copy_as)
        self.methods_action = self.action(
            "copyMethods", self.tr("Copy methods"), "file", self.copy_methods
        )
        self.command_action = self.action(
            "copyCommand", self.tr("Copy command"), "file", self.copy_command
        )
        self.command_action.setVisible(False)
        add_key(self, "Ctrl+Shift+C", self.tr("Copy the methods paragraph"), self.copy_methods)
        self.export_action = self.action(
            "exportResult", self.tr("Export table…"), "export", self.export
        )
        self.cancel_action = self.action("cancelEstimate", self.tr("Cancel"), "close", self._cancel)
        self.cancel_action.setVisible(False)
        self.secondary = [
            self.command_action, self.methods_action, self.export_action, self.cancel_action,
        ]  # fmt: skip

    def _build(self) -> None:
        themes = self.themes
        self.card = QuestionCard(themes, self.model, self.store)
        self.results = ResultsArea(themes)
        # One line: the smallest window has no room for a second one.
        self.contents = named(ElidedLabel("captionHint"), "intervalContents")
        self.contents.hide()
        self.asked = HistoryCard(self.workbench)
        answer = QWidget()
        column(self.results, self.contents, parent=answer, spacing=0).setStretch(0, 1)
        self.rows = splitter(Qt.Orientation.Vertical, "surveyRows", answer, self.asked)
        # What a small window has no room for, a large one gives to the list first.
        self.rows.setStretchFactor(0, 3)
        self.rows.setStretchFactor(1, 2)
        self.rows.setSizes([themes.theme.px(330), themes.theme.px(156)])
        # A sentence that wraps needs a line more than its layout says.
        answer.setMinimumHeight(themes.theme.px(322 + _LINE))
        layout = column(self.card, self.rows, parent=self, spacing=10)
        layout.setStretch(1, 1)
        layout.setContentsMargins(16, 4, 16, 8)

    def _listen(self) -> None:
        store = self.store
        store.study_opened.connect(self._on_opened)
        store.results_changed.connect(self._on_results_changed)
        store.data_changed.connect(self._on_study_changed)
        store.design_changed.connect(self._on_study_changed)
        store.settings_changed.connect(self._on_study_changed)
        self.model.changed.connect(self._on_question_changed)
        self._answering.finished.connect(self._on_answered)
        self._answering.changed.connect(self._on_busy)
        self.beside.changed.connect(self._show_answer)
        for task in self.beside.slow:
            task.changed.connect(self._on_busy)
        self._slow.timeout.connect(self._update_actions)
        self.results.empty.button.clicked.connect(self.card.bar.add_button.click)
        self.results.waiting.button.clicked.connect(self._follow)
        self.card.compliance_bar.arms_requested.connect(self._on_arms_requested)
        self.asked.question_chosen.connect(self.bring_back)
        self.card.help_requested.connect(self.workbench.help_requested)
        add_filter_key(self)
        self._listen_to_cards()

    def _listen_to_cards(self) -> None:
        actions, beside = self.results.answer_actions, self.beside
        actions.copy_requested.connect(self.copy)
        actions.copied.connect(self._tell_copied)
        actions.split_chosen.connect(beside.choose_split)
        actions.sharper_requested.connect(beside.sharpen)
        actions.predictor_chosen.connect(beside.choose_predictor)
        actions.fit_requested.connect(beside.judge)
        actions.variance_chosen.connect(lambda variance: self.model.change_model(variance=variance))
        actions.readings_toggled.connect(self._on_readings_toggled)
        actions.reach_changed.connect(lambda value: self._change_compliance(reach=value))
        actions.band_changed.connect(lambda band: self._change_compliance(band=band))
        actions.safe_changed.connect(lambda value: self._change_compliance(safe=value))

    def _tell_copied(self) -> None:
        self.workbench.show_toast(self.tr("Copied."))

    # The study

    @property
    def optional_panels(self) -> tuple[QWidget, ...]:
        return (self.asked,)

    def column_stops(self) -> Sequence[QWidget]:
        """The question, which lies across the columns, and these."""
        return [self.card, *super().column_stops()]

    def kept(self) -> tuple[str, ...]:
        return ("_answers", "beside.by", "model.state", "asked.rows")

    def shown(self) -> None:
        super().shown()
        self._show_all()
        self.asked.find_current()
        self._live.start()

    def _on_opened(self) -> None:
        self.answer = self._error = self._asked = None
        self._answers.clear()
        self.card.drop_set_aside()
        self._answering.drop()
        self.beside.reset()
        # The cards let go of the study that was shown.
        self._show_answer()
        self.asked.reset()
        self.model.set(first_question(self.store.study))

    def _on_study_changed(self) -> None:
        if self._answering.is_running:
            # An answer for the study before would be too late.
            self._answering.drop()
        if self._is_front:
            self._live.start()
            self._show_all()
            self.asked.find_current()
        elif self.answer is not None:
            self.stale_changed.emit(not self.answer.is_current(self.store.study))

    # The question

    def _on_question_changed(self) -> None:
        if self._is_front and not self._is_filling:
            self._live.start()
            self._show_all()

    def _show_all(self) -> None:
        # What is filled in changes the question, which is shown in a moment in any case.
        self._is_filling = True
        self.model.fill_in(self.store.study)
        self._is_filling = False
        self.card.show_question()
        is_low = self.height() < self.themes.theme.px(_LOW)
        has_cards = bool(self.model.question.kind.own_question)
        self.asked.set_foldable(has_cards, folded=is_low)
        self._show_answer()
        self._update_actions()

    @property
    def is_about_to_ask(self) -> bool:
        return self._live.isActive()

    def _follow(self) -> None:
        """Ask the question of now, unless its answer is there or on its way."""
        study, asked = self.store.study, self.model.question.essence
        if not asked.asks_something or study.is_empty or self.model.problem(study):
            self._show_answer()
            return
        answer, error = self.answer, self._error
        is_known = answer is not None and answer.question == asked and answer.is_current(study)
        is_refused = error is not None and error.question == asked and error.study is study
        is_coming = self._answering.is_running and self._asked == asked
        if not (is_known or is_refused or is_coming):
            self._ask(asked)

    def bring_back(self, question: Question) -> None:
        self.card.drop_set_aside()
        self.model.set(question)
        self._live.stop()
        self._follow()

    # The answer

    def _ask(self, question: Question) -> None:
        """Ask; a question that was answered for the same study comes back at once."""
        study, asked = self.store.study, question.essence
        known = self._answers.get(asked)
        if known is not None and known.is_current(study):
            self._answering.drop()
            self._take(known)
            return
        source = self.workbench.answers

        by = self.beside.predictor_of(asked)

        def work(progress: Progress) -> SurveyResult | SurveyError:
            return answer_regression(asked, by, study, source, progress)

        self._asked = asked
        self._answering.start(self.tr("Estimating"), work)
        if self.answer is None:
            # Else it would still be said that nothing is on its way.
            self._show_answer()

    def _on_answered(self, found: SurveyResult | SurveyError) -> None:
        if isinstance(found, SurveyError):
            self._take(None, found)
            return
        self._answers[found.question] = found
        self._answers.move_to_end(found.question)
        while len(self._answers) > _ANSWERS:
            self._answers.popitem(last=False)
        # Whoever only looks at the page does not change the study.
        first = first_question(found.study)
        proposed = first.with_(**fitting_choices(first, found.study)).essence
        self.asked.remember(found, is_kept=found.question != proposed)
        self._take(found)

    def _take(self, answer: SurveyResult | None, error: SurveyError | None = None) -> None:
        self.answer, self._error = answer, error
        self.beside.take(answer)
        self._show_answer()
        self._update_actions()

    def _show_answer(self) -> None:
        answer, asked = self.answer, self.model.question.essence
        older = answer is not None and not answer.is_current(self.store.study)
        badge, is_coming = "", self._answering.is_running or self.is_about_to_ask
        if answer is not None and (older or answer.question != asked or self.model.fault):
            badge = self.tr("updating") if is_coming else self.tr("for the previous question")
        view = SurveyView(
            asked, answer, self._error, badge, self.beside.now, is_coming,
            asked.asks_something and not self.model.problem(self.store.study),
            self._uses_readings,
        )  # fmt: skip
        self.results.set_view(view)
        people = {} if answer is None else answer.told.people_by_arm()
        if people:
            self.card.show_arm_rows(people)
        contents = None if answer is None else answer.interval_contents
        self.contents.setText("" if contents is None else translate(contents))
        self.contents.setVisible(contents is not None)
        # Numbers of the sampling belong to this answer; its roles are known before.
        is_own = answer is not None and not badge
        badges = sample_badges(asked, self.store.study, answer if is_own else None)
        self.card.show_badges(badges)
        self.asked.show_current(None if answer is None else answer.question)
        self.stale_changed.emit(older)

    # The readings of compliance

    @property
    def _uses_readings(self) -> bool:
        asked = None if self.answer is None else self.answer.question.compliance
        if asked is None:
            return False
        return readings_for(self.store.study, asked.attribute) is not None

    def _on_readings_toggled(self, is_used: bool) -> None:
        asked = None if self.answer is None else self.answer.question.compliance
        if asked is not None:
            kept = asked.to_kept() if is_used else None
            self.store.set_results(READINGS, kept)

    def _drop_shares(self) -> None:
        """Shares that were told with other readings are asked for again."""
        for question in [one for one in self._answers if one.kind.has_readings]:
            del self._answers[question]
        if self.answer is not None and self.answer.kind.has_readings:
            self.answer = None
            self._live.start()

    def _change_compliance(self, **changes: Any) -> None:
        asked = self.model.question.compliance
        changed = None if asked is None else changed_question(asked, **changes)
        if changed is not None:
            self.model.change(compliance=fitting(changed, self.store.study.design))

    def _on_arms_requested(self, is_direct: bool) -> None:
        """Add an arm, or say why there can be none, where arms are edited."""
        asked = self.model.question.compliance
        if asked is None:
            return
        study = self.store.study
        self.workbench.page_requested.emit("design/arms")
        try:
            changed = with_arm_for(study, asked.attribute, is_direct=is_direct)
        except WorkbenchError as error:
            self.workbench.error_raised.emit(error)
            return
        words = self.tr("Add a direct arm") if is_direct else self.tr("Add an arm")
        self.store.apply(changed, words)

    # What was asked so far

    def _on_results_changed(self, page: str) -> None:
        if page in ("", RESULTS):
            self.asked.read()
        if page in ("", READINGS):
            self._drop_shares()
            self._show_answer()

    # Actions

    @property
    def _fitting(self) -> tuple[PageTask[Any], ...]:
        return self._answering, *self.beside.slow

    @property
    def _is_busy(self) -> bool:
        return any(task.is_running for task in self._fitting)

    def _cancel(self) -> None:
        for task in self._fitting:
            task.cancel()

    def _on_busy(self) -> None:
        if not self._is_busy:
            self._slow.stop()
            self._show_answer()
            self._update_actions()
        elif not self._slow.isActive():
            self._slow.start()

    def _update_actions(self) -> None:
        # A job of a blink must not make the buttons flicker.
        busy = self._is_busy and not self._slow.isActive()
        nothing = self.tr("There is no estimate to copy yet.")
        has_answer = self.answer is not None
        self.copy_action.setEnabled(has_answer)
        self.copy_action.setToolTip(self.tr("Copy estimate") if has_answer else nothing)
        self.methods_action.setEnabled(has_answer)
        methods = self.tr("Copy a paragraph for the methods section (Ctrl+Shift+C)")
        self.methods_action.setToolTip(methods if has_answer else nothing)
        self.command_action.setVisible(self._has_command)
        self.command_action.setToolTip(self.tr("Copy the command line that asks the same of files"))
        self.export_action.setEnabled(has_answer)
        self.export_action.setVisible(not busy)
        self.export_action.setToolTip(
            self.tr("Save the estimate to a file") if has_answer else nothing
        )
        self.cancel_action.setVisible(busy)

    @property
    def _has_command(self) -> bool:
        """Whether the command line that asks the same is offered: choices that are long to retype.

        Arms are for the command line as much as for this page.
        """
        if self.answer is None:
            return False
        study = self.answer.study
        has_choices = study.design.has_arms or study.has_reported_parts
        return has_choices or bool(self.answer.kind.own_question)

    def copy(self) -> None:
        if self.answer is not None:
            tables, said = answer_tables(self.answer), translate(told_answer(self.answer))
            copy_tables(cells_of(stacked(tables), translate), tables, said)
            self._tell_copied()

    def copy_as(self, kind: TableKind) -> None:
        if self.answer is not None:
            copy_tables_as(kind, answer_tables(self.answer))
            self._tell_copied()

    def copy_methods(self) -> None:
        if self.answer is not None:
            said = " ".join(translate(one) for one in methods_of(self.answer))
            QGuiApplication.clipboard().setText(f"{invented_words()} {said}".strip())
            said = self.tr("The methods paragraph is on the clipboard.")
            self.workbench.show_toast(said)

    def copy_command(self) -> None:
        if self.answer is not None and self._has_command:
            QGuiApplication.clipboard().setText(command_of(self.answer))
            said = self.tr("The command line is on the clipboard.")
            self.workbench.show_toast(said)

    def analysis(self) -> tuple[Analysis, Study] | None:
        from ppworkbench.outputs.scripts.results import survey_analysis

        return None if self.answer is None else (survey_analysis(self.answer), self.answer.study)

    def export(self) -> None:
        answer = self.answer
        if answer is not None:
            named = f"{self.store.study.title}-{answer.question.statistic}"
            start = self.workbench.last_folder / f"{file_stem(named)}.csv"
            save_table(
                self, self.tr("Export table"), str(start),
                lambda path: write_answer(self.workbench, answer, path),
            )  # fmt: skip
