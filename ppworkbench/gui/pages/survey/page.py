"""Ask distorted answers a question: the estimate follows it as it is put together."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from ppworkbench.analyses.compliance import questions as compliance
from ppworkbench.analyses.compliance.model_choices import fitting
from ppworkbench.analyses.design_arms import with_arm_for
from ppworkbench.analyses.regression.answers import answer_regression
from ppworkbench.analyses.survey.answers import (
    SharperInterval,
    SurveyError,
    SurveyResult,
    answer_question,
    sharper_intervals,
)
from ppworkbench.analyses.survey.history import (
    RESULTS,
)
from ppworkbench.analyses.survey.methods import command_of, methods_of, told_answer
from ppworkbench.analyses.survey.questions import (
    Question,
    first_question,
)
from ppworkbench.analyses.survey.splits import (
    SplitResult,
    first_split,
    split_by,
    split_choices,
)
from ppworkbench.analyses.survey.tables import result_rows, write_result
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.progress import Progress
from ppworkbench.gui.application import single_shot
from ppworkbench.gui.dialogs import save_file
from ppworkbench.gui.files import FileActions
from ppworkbench.gui.keys import add_key
from ppworkbench.gui.language import tongue, translate
from ppworkbench.gui.page_task import PageTask
from ppworkbench.gui.pages.page import Page, add_filter_key
from ppworkbench.gui.pages.survey.arms import ArmsCard
from ppworkbench.gui.pages.survey.compliance.view import ComplianceView
from ppworkbench.gui.pages.survey.history_card import AskedCard
from ppworkbench.gui.pages.survey.question_card import QuestionCard
from ppworkbench.gui.pages.survey.question_history import QuestionHistory
from ppworkbench.gui.pages.survey.question_model import QuestionModel, fitting_choices
from ppworkbench.gui.pages.survey.regression.tasks import RegressionTasks
from ppworkbench.gui.pages.survey.results_area import ResultsArea, SurveyView
from ppworkbench.gui.pages.survey.statistic_words import words_of
from ppworkbench.gui.pages.survey.texts import sample_badges
from ppworkbench.gui.widgets.labels import ElidedLabel
from ppworkbench.gui.widgets.layout import column, row
from ppworkbench.gui.widgets.provenance import invented_words
from ppworkbench.gui.widgets.splitter import splitter
from ppworkbench.gui.widgets.table import copy_rows
from ppworkbench.gui.workbench import Workbench

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
        self.question = self.tr("Estimate counts, means and tables")
        self.model = QuestionModel(self)
        self.answer: SurveyResult | None = None
        self._error: SurveyError | None = None
        self._split: SplitResult | None = None
        self._by = ""
        """The attribute that somebody chose to split by."""
        self._asked: Question | None = None
        """The question whose answer is on its way."""
        self._answers: OrderedDict[Question, SurveyResult] = OrderedDict()
        self._is_filling = False
        self._answering: PageTask[SurveyResult | SurveyError] = PageTask(workbench, "survey", self)
        self._splitting: PageTask[SplitResult] = PageTask(
            workbench, "survey split", self, quiet=True
        )
        self._sharpening: PageTask[tuple[SharperInterval, ...]] = PageTask(
            workbench, "survey peaks", self
        )
        self._sharper: tuple[SharperInterval, ...] = ()
        """Intervals of the answer for narrower peaks, once somebody asked for them."""
        self._regression = RegressionTasks(workbench, self)
        self._slow = single_shot(self, milliseconds=200)
        self._live = single_shot(self, self._follow, REST)
        self._make_actions()
        self._build()
        self._listen()
        self._history.read()
        self.model.set(first_question(self.store.study))

    def _make_actions(self) -> None:
        self.set_primary("copyResult", self.tr("Copy"), "copy", self.copy)
        self.copy_action = self.primary
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
        self.arms = ArmsCard(themes)
        # One line: the smallest window has no room for a second one.
        self.contents = ElidedLabel("captionHint")
        self.contents.setObjectName("intervalContents")
        self.contents.hide()
        self.asked = AskedCard(themes)
        self._history = QuestionHistory(self.workbench, self.asked, self)
        answer = QWidget()
        across = row(self.results, self.arms, spacing=12)
        across.setStretch(0, 3)
        across.setStretch(1, 2)
        column(across, self.contents, parent=answer, spacing=0).setStretch(0, 1)
        self.rows = splitter(Qt.Orientation.Vertical, "surveyRows", answer, self.asked)
        # What a small window has no room for, a large one gives to the list first.
        self.rows.setStretchFactor(0, 3)
        self.rows.setStretchFactor(1, 2)
        self.rows.setSizes([themes.theme.px(328), themes.theme.px(158)])
        # A sentence that wraps needs a line more than its layout says.
        answer.setMinimumHeight(themes.theme.px(320 + _LINE))
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
        self._splitting.finished.connect(self._on_split)
        self._splitting.changed.connect(self._show_answer)
        self._regression.changed.connect(self._show_answer)
        for task in self._regression.tasks:
            task.changed.connect(self._on_busy)
        self._slow.timeout.connect(self._update_actions)
        self._sharpening.finished.connect(self._on_sharper)
        self.results.copy_requested.connect(self.copy)
        self.results.sharper_requested.connect(self._ask_sharper)
        self.results.button_clicked.connect(self.card.bar.add_button.click)
        self.results.answer_requested.connect(self._follow)
        self.results.split_chosen.connect(self._on_split_chosen)
        self.results.prediction_chosen.connect(self._regression.choose)
        self.results.variance_chosen.connect(
            lambda variance: self.model.change_model(variance=variance)
        )
        self.results.fit_requested.connect(self._regression.judge)
        self.results.compliance_made.connect(self._listen_to_compliance)
        self.card.arms_requested.connect(self._on_arms_requested)
        self.asked.question_chosen.connect(self.bring_back)
        self.card.help_requested.connect(self.workbench.help_requested)
        add_filter_key(self)

    def _listen_to_compliance(self, view: ComplianceView) -> None:
        view.readings_toggled.connect(self._on_readings_toggled)
        view.reach_changed.connect(lambda value: self._change_compliance(reach=value))
        view.band_changed.connect(lambda band: self._change_compliance(band=band))
        view.safe_changed.connect(lambda value: self._change_compliance(safe=value))
        view.help_requested.connect(self.workbench.help_requested)
        view.copied.connect(lambda: self.workbench.toast_requested.emit(self.tr("Copied."), False))

    # The study

    @property
    def optional_panels(self) -> tuple[QWidget, ...]:
        """Parts that an audience does without."""
        return (self.asked,)

    def column_stops(self) -> Sequence[QWidget]:
        """The question, which lies across the columns, and these."""
        return [self.card, *super().column_stops()]

    def kept(self) -> tuple[str, ...]:
        """What was chosen and found here."""
        return ("_answers", "_by", "model.state", "_history.rows")

    def shown(self) -> None:
        """Bring everything up to date."""
        super().shown()
        self._show_all()
        self._history.find_current()
        self._live.start()

    def _on_opened(self) -> None:
        self.answer = self._error = self._split = self._asked = None
        self._by = ""
        self._answers.clear()
        self._sharper = ()
        self.card.drop_set_aside()
        for task in (self._answering, self._splitting, self._sharpening):
            task.drop()
        self._regression.reset()
        # The cards let go of the study that was shown.
        self._show_answer()
        self._history.reset()
        self.model.set(first_question(self.store.study))

    def _on_study_changed(self) -> None:
        if self._answering.is_running:
            # An answer for the study before would be too late.
            self._answering.drop()
        if self._is_front:
            self._live.start()
            self._show_all()
            self._history.find_current()
        elif self.answer is not None:
            self.stale_changed.emit(not self.answer.is_current(self.store.study))

    # The question

    def _on_question_changed(self) -> None:
        if self._is_front and not self._is_filling:
            self._live.start()
            self._show_all()

    def _show_all(self) -> None:
        """Bring question, answer and buttons in line with the study."""
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
        """Whether a question was changed a moment ago."""
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
        """Show a question that was asked before, with its answer."""
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

        by = self._regression.attribute_of(asked)

        def work(progress: Progress) -> SurveyResult | SurveyError:
            if asked.model is not None:
                return answer_regression(asked, by, study, source, progress)
            return answer_question(asked, study, source, progress)

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
        self._history.remember(found, is_kept=found.question != proposed)
        self._take(found)

    def _take(self, answer: SurveyResult | None, error: SurveyError | None = None) -> None:
        """Show an answer, or why there is none, from now on."""
        if answer is not self.answer:
            self._sharper = ()
            self._sharpening.drop()
        self.answer, self._error = answer, error
        self._split_answer()
        self._regression.take(answer)
        self._show_answer()
        self._update_actions()

    def _show_answer(self) -> None:
        """Show the answer that there is, and say where it is not one to the question of now."""
        answer, asked = self.answer, self.model.question.essence
        older = answer is not None and not answer.is_current(self.store.study)
        badge, is_coming = "", self._answering.is_running or self.is_about_to_ask
        if answer is not None and (older or answer.question != asked or self.model.fault):
            badge = self.tr("updating") if is_coming else self.tr("for the previous question")
        view = SurveyView(
            asked, answer, self._error, badge, self._split_attribute(), self._split,
            self._splitting.is_running, self._sharper, self._regression.state(answer), is_coming,
            asked.asks_something and not self.model.problem(self.store.study),
            self._uses_readings,
        )  # fmt: skip
        self.results.set_view(view)
        self.arms.show_answer(answer)
        self.arms.set_stale(bool(badge))
        people = {} if answer is None else answer.kind.people_by_arm(answer.result)
        if people:
            self.card.show_arm_rows(people)
        contents = None if answer is None else answer.interval_contents
        self.contents.setText("" if contents is None else translate(contents))
        self.contents.setVisible(contents is not None)
        # Numbers of the sampling belong to this answer; its roles are known before.
        is_own = answer is not None and not badge
        badges = sample_badges(asked, self.store.study, answer if is_own else None)
        self.card.show_badges(badges)
        self._history.show_current(None if answer is None else answer.question)
        self.stale_changed.emit(older)

    def _ask_sharper(self) -> None:
        """Find the interval for narrower peaks of a number under noise."""
        answer, source = self.answer, self.workbench.answers
        if answer is None or self._sharpening.is_running:
            return

        def work(progress: Progress) -> tuple[SharperInterval, ...]:
            return sharper_intervals(answer, source, progress)

        self._sharpening.start(self.tr("Narrower peaks"), work)

    def _on_sharper(self, found: tuple[SharperInterval, ...]) -> None:
        self._sharper = found
        self._show_answer()

    # The readings of compliance

    @property
    def _uses_readings(self) -> bool:
        """Whether Share tells the readings of the question whose compliance is shown."""
        asked = None if self.answer is None else self.answer.question.compliance
        if asked is None:
            return False
        return compliance.readings_for(self.store.study, asked.attribute) is not None

    def _on_readings_toggled(self, is_used: bool) -> None:
        asked = None if self.answer is None else self.answer.question.compliance
        if asked is not None:
            kept = compliance.to_json(asked) if is_used else None
            self.store.set_results(compliance.RESULTS, kept)

    def _drop_shares(self) -> None:
        """Shares that were told with other readings are asked for again."""
        for question in [one for one in self._answers if one.kind.has_readings]:
            del self._answers[question]
        if self.answer is not None and self.answer.kind.has_readings:
            self.answer = None
            self._live.start()

    def _change_compliance(self, **changes: Any) -> None:
        asked = self.model.question.compliance
        changed = None if asked is None else compliance.check_question(asked, **changes)
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

    # The split

    def _split_attribute(self) -> str:
        """What the answer is split by: what somebody chose, as long as it fits; empty for none."""
        answer = self.answer
        if answer is None or not answer.kind.is_number:
            return ""
        if answer.question.by_arm:
            # The arms take the place of the split.
            return ""
        design = answer.study.design
        if self._by in split_choices(answer.question, design):
            return self._by
        return first_split(answer.question, design)

    def _split_answer(self) -> None:
        """Split the answer on the page, if it can be split and is not yet."""
        answer, by, split = self.answer, self._split_attribute(), self._split
        if answer is None or not by:
            self._split = None
            self._splitting.drop()
            return
        if split is not None and split.question != answer.question:
            self._split = split = None
        if split is not None and split.study is answer.study and split.by == by:
            self._splitting.drop()
            return
        source, study, question = self.workbench.answers, answer.study, answer.question

        def work(progress: Progress) -> SplitResult:
            return split_by(by, question, study, source, progress)

        self._splitting.start(
            self.tr("Splitting by %s") % study.shown(by), work,
            is_listed=study.has_reported_parts,
        )  # fmt: skip

    def _on_split(self, found: SplitResult) -> None:
        self._split = found

    def _on_split_chosen(self, by: str) -> None:
        self._by = by
        self._split_answer()
        self._show_answer()

    # What was asked so far

    def _on_results_changed(self, page: str) -> None:
        if page in ("", RESULTS):
            self._history.read()
        if page in ("", compliance.RESULTS):
            self._drop_shares()
            self._show_answer()

    # Actions

    @property
    def _fitting(self) -> tuple[PageTask[Any], ...]:
        """The work that may take long, so that people can stop it."""
        return self._answering, *self._regression.tasks

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
        """Put the answer on the clipboard, as a sentence and as a table."""
        if self.answer is not None:
            copy_rows(result_rows(self.answer), translate(told_answer(self.answer)))
            self.workbench.toast_requested.emit(self.tr("Copied."), False)

    def copy_methods(self) -> None:
        """Put the paragraph that a publication needs on the clipboard."""
        if self.answer is not None:
            said = " ".join(translate(one) for one in methods_of(self.answer))
            QGuiApplication.clipboard().setText(f"{invented_words()} {said}".strip())
            said = self.tr("The methods paragraph is on the clipboard.")
            self.workbench.toast_requested.emit(said, False)

    def copy_command(self) -> None:
        """Put the command line that asks the same on the clipboard."""
        if self.answer is not None and self._has_command:
            QGuiApplication.clipboard().setText(command_of(self.answer))
            said = self.tr("The command line is on the clipboard.")
            self.workbench.toast_requested.emit(said, False)

    def analysis(self) -> tuple[Analysis, Study] | None:
        """The answer as a call of the Python interface."""
        from ppworkbench.outputs.scripts.results import survey_analysis

        return None if self.answer is None else (survey_analysis(self.answer), self.answer.study)

    def export(self) -> None:
        """Ask for a file and write the answer to it."""
        answer = self.answer
        if answer is not None:
            kinds = words_of(answer.question.statistic).files()
            suggestion = f"{self.store.study.title}-{answer.question.statistic}.csv"
            title = self.tr("Export table")
            save_file(self, title, suggestion, kinds, lambda path: self._write(answer, path))

    def _write(self, answer: SurveyResult, path: Path) -> None:
        """Write an answer to a file in the background, whole or not at all."""
        say = tongue().say

        def work(progress: Progress) -> None:
            write_result(answer, path, progress, say)

        def done(_: object) -> None:
            self.workbench.toast_requested.emit(self.tr("Saved as %s.") % path.name, False)

        title = self.tr("Writing %s") % path.name
        job = self.workbench.run(title, work, done, key=f"write {path}")
        job.outlives_study = True
