"""Ask distorted answers a question, and see what they are worth."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QWidget

from ppworkbench.core.progress import Progress
from ppworkbench.core.survey.participants import Participants
from ppworkbench.gui.dialogs import save_file
from ppworkbench.gui.files import FileActions, write_filters
from ppworkbench.gui.jobs import Job
from ppworkbench.gui.language import translate
from ppworkbench.gui.pages.page import Page, add_filter_key
from ppworkbench.gui.pages.survey.history_card import AskedCard
from ppworkbench.gui.pages.survey.question_card import QuestionCard, QuestionModel
from ppworkbench.gui.pages.survey.questions import (
    COUNT,
    MEAN,
    MOST_KEPT,
    PARTICIPANTS,
    RESULTS,
    Asker,
    PastQuestion,
    Question,
    SurveyResult,
    asked_from_json,
    asked_to_json,
    choices,
    first_choice,
)
from ppworkbench.gui.pages.survey.result_cards import result_rows, write_result
from ppworkbench.gui.pages.survey.results_area import ResultsArea
from ppworkbench.gui.single_shot import single_shot
from ppworkbench.gui.store import Store
from ppworkbench.gui.widgets.banner import Banner
from ppworkbench.gui.widgets.layout import column, splitter
from ppworkbench.gui.widgets.table import copy_rows
from ppworkbench.gui.workbench import Workbench


class History(QObject):
    """The study holds the list; the card shows what the study holds."""

    def __init__(self, store: Store, card: AskedCard, parent: QObject) -> None:
        super().__init__(parent)
        self._store, self._card = store, card
        store.study_opened.connect(self.refresh)
        store.results_changed.connect(self._on_results_changed)
        card.removed.connect(self.remove)
        card.cleared.connect(lambda: self._keep(()))
        self.refresh()

    @property
    def rows(self) -> tuple[PastQuestion, ...]:
        """What was asked, the newest first."""
        return self._card.model.rows

    def refresh(self) -> None:
        """Show what the study holds."""
        rows = asked_from_json(self._store.study.results.get(RESULTS))
        if rows != self.rows:
            self._card.show_rows(rows)

    def remember(self, reply: SurveyResult) -> None:
        """Put an answer at the top; an older one to the same question goes."""
        row = PastQuestion.of_reply(reply)
        others = [one for one in self.rows if one.question != row.question]
        self._keep((row, *others)[:MOST_KEPT])

    def remove(self, place: int) -> None:
        """Forget one question."""
        self._keep((*self.rows[:place], *self.rows[place + 1 :]))

    def _keep(self, rows: tuple[PastQuestion, ...]) -> None:
        self._store.set_results(RESULTS, asked_to_json(rows) if rows else None)

    def _on_results_changed(self, page: str) -> None:
        if page in ("", RESULTS):
            self.refresh()


class Exporter(QObject):
    """Copying happens at once; files are written by a job, whole or not at all."""

    def __init__(self, workbench: Workbench, parent: QWidget) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self._window = parent

    def copy(self, reply: SurveyResult) -> None:
        """Put an answer on the clipboard, as a sentence and as a table."""
        copy_rows(result_rows(reply), translate(reply.result.sentence))
        self._workbench.toast_requested.emit(self.tr("The answer is on the clipboard."), False)

    def ask(self, reply: SurveyResult) -> None:
        """Ask for a file and write an answer to it."""
        listed = isinstance(reply.result, Participants)
        kinds = write_filters() if listed else self.tr("CSV (*.csv)")
        suggestion = f"{self._workbench.store.study.title}-{reply.question.statistic}.csv"
        title = self.tr("Export table")
        save_file(self._window, title, suggestion, kinds, lambda path: self.write(reply, path))

    def write(self, reply: SurveyResult, path: Path) -> Job:
        """Write an answer to a file in the background."""

        def work(progress: Progress) -> None:
            write_result(reply, path, progress)

        def done(_: object) -> None:
            self._workbench.toast_requested.emit(self.tr("Saved as %s.") % path.name, False)

        title = self.tr("Writing %s") % path.name
        job = self._workbench.run(title, work, done, key=f"write {path}")
        job.outlives_study = True
        return job


class SubgroupTask(QObject):
    """Keeps to the attribute that a person chose, as long as the question can be split by it."""

    def __init__(self, asker: Asker, results: ResultsArea, parent: QObject) -> None:
        super().__init__(parent)
        self._asker, self._results = asker, results
        self._wanted = ""
        # Not at once: the card may have to be made, which is work for an event of its own.
        self._due = single_shot(self, self.show)
        asker.split_changed.connect(self.show)
        results.split_chosen.connect(self._on_chosen)

    def forget(self) -> None:
        """Another study is shown."""
        self._wanted = ""

    def ask(self) -> None:
        """Split the answer on the page, if it can be split."""
        reply = self._reply()
        if reply is None:
            self._asker.drop_split()
            return
        by = self._by(reply)
        if by:
            self._asker.ask_split(by)
        else:
            self._asker.drop_split()
        self._due.start()

    def show(self) -> None:
        """Show the rows that there are, or that they are on their way."""
        reply = self._reply()
        if reply is not None:
            asker = self._asker
            self._results.show_split(reply, self._by(reply), asker.split, asker.is_splitting)

    def _reply(self) -> SurveyResult | None:
        reply = self._asker.reply
        return reply if reply is not None and reply.question.statistic in (COUNT, MEAN) else None

    def _by(self, reply: SurveyResult) -> str:
        offered = choices(reply.question, reply.study.design)
        if self._wanted in offered:
            return self._wanted
        return first_choice(reply.question, reply.study.design)

    def _on_chosen(self, by: str) -> None:
        self._wanted = by
        self.ask()


class SurveyPage(Page):
    """The question across the top, the answer below it, everything asked so far at the bottom."""

    name = "survey"

    def __init__(self, workbench: Workbench, files: FileActions | None = None) -> None:
        super().__init__(workbench)
        self.files = files
        self.title = self.tr("Survey")
        self.question = self.tr("Ask the distorted answers a question")
        self.model = QuestionModel(self)
        self._is_filling = False
        self.asker = Asker(workbench, self)
        self.exporter = Exporter(workbench, self)
        self._slow = single_shot(self, milliseconds=200)
        self._make_actions()
        self._make_parts()

    def _make_parts(self) -> None:
        self._build()
        self.history = History(self.store, self.asked, self)
        self.splitting = SubgroupTask(self.asker, self.results, self)
        self._listen()

    def _make_actions(self) -> None:
        self.name_primary("estimate", self.tr("Estimate", "verb"), "arrow-right", self.estimate)
        self.copy_action = self.action("copyResult", self.tr("Copy"), "copy", self.copy)
        self.export_action = self.action(
            "exportResult", self.tr("Export table…"), "export", self.export
        )
        self.cancel_action = self.action(
            "cancelEstimate", self.tr("Cancel"), "close", self.asker.cancel
        )
        self.cancel_action.setVisible(False)
        self.secondary = [self.copy_action, self.export_action, self.cancel_action]

    def _build(self) -> None:
        themes = self.themes
        self.card = QuestionCard(themes, self.model, self.store)
        self.older = Banner(themes)
        self.older.setObjectName("olderBanner")
        self.results = ResultsArea(themes)
        self.asked = AskedCard(themes)
        self.rows = splitter(Qt.Orientation.Vertical, "surveyRows", self.results, self.asked)
        # What a small window has no room for, a large one gives to the list first.
        self.rows.setStretchFactor(0, 3)
        self.rows.setStretchFactor(1, 2)
        self.rows.setSizes([themes.theme.px(328), themes.theme.px(158)])
        self.asked.setMinimumHeight(themes.theme.px(88))
        layout = column(self.card, self.older, self.rows, parent=self, spacing=12)
        layout.setStretch(2, 1)
        layout.setContentsMargins(16, 4, 16, 12)

    def _listen(self) -> None:
        store = self.store
        store.study_opened.connect(self._on_opened)
        store.data_changed.connect(self._on_study_changed)
        store.design_changed.connect(self._on_study_changed)
        store.settings_changed.connect(self._on_study_changed)
        self.model.changed.connect(self._on_question_changed)
        self.asker.answered.connect(self._on_answered)
        self.asker.busy_changed.connect(self._on_busy)
        self.asker.mark_changed.connect(self.asked.model.set_mark)
        self._slow.timeout.connect(self._update_actions)
        self.results.copy_requested.connect(self.copy)
        self.results.sampling_changed.connect(lambda changes: self.model.change(**changes))
        self.results.button_clicked.connect(self.estimate)
        self.asked.question_chosen.connect(self.bring_back)
        self.card.help_requested.connect(self.workbench.help_requested)
        add_filter_key(self)

    # The study

    @property
    def asides(self) -> tuple[QWidget, ...]:
        """Parts that an audience does without."""
        return (self.asked,)

    def column_stops(self) -> Sequence[QWidget]:
        """The question, which lies across the columns, and these."""
        return [self.card, *super().column_stops()]

    def shown(self) -> None:
        """Bring everything up to date."""
        super().shown()
        self._show_all()
        if self.history.rows:
            self.asker.find_mark()

    def _on_opened(self) -> None:
        self.asker.forget()
        self.model.set(Question())
        self.splitting.forget()

    def _on_study_changed(self) -> None:
        self.asker.ask_again()
        reply = self.asker.reply
        if not self._is_front and reply is not None:
            self.stale_changed.emit(not reply.is_current(self.store.study))
        if self._is_front:
            self._show_all()
            if self.history.rows:
                self.asker.find_mark()

    # The question

    def _on_question_changed(self) -> None:
        if self._is_front and not self._is_filling:
            self._show_all()

    def _show_all(self) -> None:
        """Bring question, answer and buttons in line with the study."""
        # What is filled in changes the question, which is shown in a moment in any case.
        self._is_filling = True
        self.model.fill_in(self.store.study)
        self._is_filling = False
        self.card.show_question()
        if self.model.question.statistic == PARTICIPANTS:
            self.results.participants.sampling.show_question(self.model.question)
        self._show_answer()
        self._update_actions()

    def estimate(self) -> None:
        """Ask the question of now."""
        if not self.model.problem(self.store.study):
            self.asker.ask(self.model.question)

    def bring_back(self, question: Question) -> None:
        """Show a question that was asked before, with its answer."""
        self.model.set(question)
        self.estimate()

    # The answer

    def _on_answered(self) -> None:
        reply = self.asker.reply
        if reply is not None:
            if self.asker.is_new:
                self.history.remember(reply)
            self.results.show_reply(reply)
        self._show_answer()
        self._update_actions()
        if reply is not None and self.asker.split is None:
            self.splitting.ask()

    def _show_answer(self) -> None:
        """Show the answer that there is, and say where it is not one to the question of now."""
        reply, refusal, asked = self.asker.reply, self.asker.refusal, self.model.question.essence
        self.asked.set_shown(reply.question if reply is not None else None)
        has_list = reply is not None and isinstance(reply.result, Participants)
        is_refused = refusal is not None and refusal.question == asked
        if asked.statistic == PARTICIPANTS and not has_list and not is_refused:
            # Its fields are part of the question, so they are there before the answer.
            self.results.participants.show_nothing()
            self.results.setCurrentWidget(self.results.participants)
            self.older.hide()
            return
        if refusal is not None and reply is None:
            self.results.show_refusal(refusal.sentence)
        elif reply is None:
            self.results.show_empty()
        else:
            self.results.setCurrentWidget(self.results.view_of(reply.question.statistic))
        self._mark_older()

    def _mark_older(self) -> None:
        reply, study = self.asker.reply, self.store.study
        if reply is None:
            self.older.hide()
            self.stale_changed.emit(False)
            return
        older = not reply.is_current(study)
        self.stale_changed.emit(older)
        changed = reply.question != self.model.question.essence or bool(self.model.fault)
        if older:
            words = self.tr("These results are for the design of %s.") % reply.when.strftime(
                "%H:%M"
            )
            self.older.say(
                "info", words, self.tr("The study has changed since."),
                (self.tr("Estimate again"), self._estimate_shown), closable=False,
            )  # fmt: skip
        else:
            self.older.hide()
        if changed:
            badge = self.tr("for the earlier question")
        else:
            badge = self.tr("for an earlier design") if older else ""
        self.results.set_stale(badge)

    def _estimate_shown(self) -> None:
        """Ask the question whose answer is on the page once more."""
        if self.asker.reply is not None:
            self.asker.ask(self.asker.reply.question)

    # Actions

    def _on_busy(self) -> None:
        if not self.asker.is_busy:
            self._slow.stop()
            self._update_actions()
        elif not self._slow.isActive():
            self._slow.start()

    def _update_actions(self) -> None:
        # A job of a blink must not make the buttons flicker.
        busy = self.asker.is_busy and not self._slow.isActive()
        problem = self.model.problem(self.store.study)
        self.primary.setText(self.tr("Running…") if busy else self.tr("Estimate", "verb"))
        self.primary.setEnabled(not busy and not problem)
        self.primary.setToolTip(problem or self.tr("Ask the question (Ctrl+Enter)"))
        nothing = self.tr("There is no answer to copy yet.")
        has_reply = self.asker.reply is not None
        self.copy_action.setEnabled(has_reply)
        self.copy_action.setToolTip(self.tr("Copy the answer") if has_reply else nothing)
        self.export_action.setEnabled(has_reply)
        self.export_action.setVisible(not busy)
        self.export_action.setToolTip(
            self.tr("Write the answer to a file") if has_reply else nothing
        )
        self.cancel_action.setVisible(busy)

    def copy(self) -> None:
        """Put the answer on the clipboard."""
        if self.asker.reply is not None:
            self.exporter.copy(self.asker.reply)

    def export(self) -> None:
        """Ask for a file and write the answer to it."""
        if self.asker.reply is not None:
            self.exporter.ask(self.asker.reply)
