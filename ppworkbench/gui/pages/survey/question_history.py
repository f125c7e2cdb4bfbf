"""The questions that were asked so far: kept in the study, shown in a card."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject

from ppworkbench.analyses.survey.answers import SurveyResult
from ppworkbench.analyses.survey.history import (
    MOST_KEPT,
    RESULTS,
    PastQuestion,
    history_from_json,
    history_to_json,
)
from ppworkbench.analyses.survey.questions import Question
from ppworkbench.core.progress import Progress
from ppworkbench.gui.language import tr
from ppworkbench.gui.page_task import PageTask
from ppworkbench.gui.pages.survey.history_card import AskedCard, HistoryView
from ppworkbench.gui.pages.survey.statistic_words import past_question
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.fingerprint import belongs_to

BRIEF = 3.0
"""Seconds within which a further change makes an answer a step on the way, not one to keep."""


class QuestionHistory(QObject):
    """Keeps answers in the study, and tells its card which of them hold for the design of now."""

    def __init__(self, workbench: Workbench, card: AskedCard, parent: QObject) -> None:
        super().__init__(parent)
        self._store = workbench.store
        self._card = card
        self._view = HistoryView()
        self._last: tuple[Question, float] | None = None
        """The last question that was put into the list, and when."""
        self._comparing: PageTask[frozenset[str]] = PageTask(
            workbench, "survey marks", self, quiet=True
        )
        self._comparing.finished.connect(lambda marks: self._show(current=marks))
        card.removed.connect(self._forget)
        card.cleared.connect(lambda: self._keep(()))

    def reset(self) -> None:
        """Forget the study before, and show what the new one holds."""
        self._last = None
        self._comparing.drop()
        self._show(current=None)
        self.read()

    def read(self) -> None:
        """Show what the study holds."""
        self._show(rows=history_from_json(self._store.study.results.get(RESULTS)))

    @property
    def rows(self) -> tuple[PastQuestion, ...]:
        """What is listed: all that the study holds, and what the page asked by itself."""
        return self._view.rows

    @rows.setter
    def rows(self, rows: tuple[PastQuestion, ...]) -> None:
        self._show(rows=rows)

    def show_current(self, question: Question | None) -> None:
        """Mark the question whose answer is on the page."""
        self._show(shown=question)

    def _show(self, **changes: Any) -> None:
        view = replace(self._view, **changes)
        asked = sorted({name for row in view.rows for name in row.columns})
        shown = self._store.study.shown
        view = replace(view, titles=tuple((name, shown(name)) for name in asked))
        if view != self._view:
            self._view = view
            self._card.set_view(view)

    def remember(self, answer: SurveyResult, *, is_kept: bool) -> None:
        """Put an answer at the top; an older one to the same question goes.

        So does one that was there but a moment: a step on the way to this question. The study
        gets one that is not kept along with the next that is.
        """
        row, now = past_question(answer), time.monotonic()
        self._show(current=(self._view.current or frozenset()) | {row.mark})
        gone = {row.question}
        if self._last is not None and now - self._last[1] < BRIEF:
            gone.add(self._last[0])
        self._last = row.question, now
        others = [one for one in self._view.rows if one.question not in gone]
        rows = (row, *others)[:MOST_KEPT]
        self._show(rows=rows)
        if is_kept:
            self._keep(rows)
        self.find_current()

    def _forget(self, place: int) -> None:
        rows = self._view.rows
        self._keep((*rows[:place], *rows[place + 1 :]))

    def _keep(self, rows: tuple[PastQuestion, ...]) -> None:
        self._store.set_results(RESULTS, history_to_json(rows) if rows else None)

    def find_current(self) -> None:
        """Find out which answers of the list are those of the study as it is now."""
        study, marks = self._store.study, {row.mark for row in self._view.rows}
        if study.is_empty or not marks:
            return

        def work(progress: Progress) -> frozenset[str]:
            progress(0.0)
            return frozenset(mark for mark in marks if belongs_to(study, mark))

        self._comparing.start(tr("Comparing designs"), work)
