"""The questions that were asked so far: kept in the study, and listed to be asked again."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction

from ppworkbench.analyses.survey.answers import SurveyResult
from ppworkbench.analyses.survey.history import (
    MOST_KEPT,
    RESULTS,
    PastQuestion,
    history_from_json,
    history_to_json,
)
from ppworkbench.analyses.survey.questions import Question
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress
from ppworkbench.gui.language import tr
from ppworkbench.gui.page_task import PageTask
from ppworkbench.gui.pages.survey.result_cards import chip
from ppworkbench.gui.pages.survey.statistic_words import past_cells, past_details, past_question
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.controls import Button
from ppworkbench.gui.widgets.layout import named, text
from ppworkbench.gui.widgets.sheet_table import RowLooks, SheetTable
from ppworkbench.gui.widgets.table import copy_rows
from ppworkbench.gui.workbench import Workbench
from ppworkbench.results.sheet import Column, Kind, Sheet
from ppworkbench.study.fingerprint import belongs_to

BRIEF = 3.0
"""Seconds within which a further change makes an answer a step on the way, not one to keep."""
_LOWEST, _FOLDED, _LEAST_TABLE = 92, 40, 44
"""The least height of the list, and that of its heading alone."""
QWIDGETSIZE_MAX = 16_777_215


def history_sheet(rows: tuple[PastQuestion, ...], shown: Callable[[str], str]) -> Sheet:
    """What was asked and answered, in words: numbers of many kinds stand below each other."""
    cells = list(zip(*(past_cells(row, shown) for row in rows), strict=True)) or [()] * 7
    heads = {
        "condition": (tr("Condition"), Kind.TEXT),
        "statistic": (tr("Statistic"), Kind.TEXT),
        "estimate": (tr("Estimate"), Kind.NUMBER),
        "interval": (tr("95\u202f% interval"), Kind.NUMBER),
        "naive": (tr("Uncorrected"), Kind.NUMBER),
        "true": (tr("True"), Kind.NUMBER),
        "method": (tr("Method"), Kind.TEXT),
    }
    columns = (
        Column(key, Message.of(head), kind, told)
        for (key, (head, kind)), told in zip(heads.items(), cells, strict=True)
    )
    return Sheet("asked", Message("History"), tuple(columns))


class HistoryCard(Card):
    """Keeps answers in the study, and lists them: a click asks for one again."""

    question_chosen = Signal(object)

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(padding=0)
        self._store, self._themes = workbench.store, workbench.themes
        self._rows: tuple[PastQuestion, ...] = ()
        self._current: frozenset[str] | None = None
        """The fingerprints of answers for the design of now; None while they are not known."""
        self._shown: Question | None = None
        self._listed: tuple[object, object] = (None, None)
        self._last: tuple[Question, float] | None = None
        """The last question that was put into the list, and when."""
        self._comparing: PageTask[frozenset[str]] = PageTask(
            workbench, "survey marks", self, quiet=True
        )
        self._comparing.finished.connect(self._on_compared)
        self.is_folded = False
        """Whether only the heading is seen."""
        self._build()
        self._themes.follow(self._restyle)
        self._show()

    def _build(self) -> None:
        themes = self._themes
        self.body.setContentsMargins(1, 1, 1, 4)
        self.body.setSpacing(4)
        self.head.setContentsMargins(14, 9, 14, 2)
        self.head.addWidget(text(self.tr("History"), "strong"))
        self.count = chip("0", "badge")
        self.head.addWidget(self.count)
        self.hint = text("", "hint")
        self.head.addStretch(1)
        self.head.addWidget(self.hint)
        self.clear_button = named(Button(themes, self.tr("Clear"), "", "link"), "clearAsked")
        self.clear_button.setToolTip(self.tr("Delete the history"))
        self.clear_button.clicked.connect(lambda: self._keep(()))
        self.head.addWidget(self.clear_button)
        self.fold_button = Button(themes, self.tr("Show", "the history"), "", "link")
        self.fold_button.setObjectName("foldHistory")
        self.fold_button.clicked.connect(lambda: self._fold(not self.is_folded))
        self.fold_button.hide()
        self.head.addWidget(self.fold_button)
        self.body.addLayout(self.head)
        self.table = SheetTable(
            themes, "asked", self.tr("History"), chooses=False, sorts=False,
            spare=("method", "true", "naive"),
        )  # fmt: skip
        self.table.row_activated.connect(self.choose)
        self.table.row_removed.connect(self._forget)
        copy = QAction(self.tr("Copy row"), self.table)
        copy.triggered.connect(self.copy_row)
        self.table.addAction(copy)
        self.add(self.table, 1)
        self.empty = text(
            self.tr("Every estimate is kept here, with the study."), "hint", wrap=True
        )
        self.empty.setContentsMargins(14, 0, 14, 10)
        self.add(self.empty)

    # The questions

    @property
    def rows(self) -> tuple[PastQuestion, ...]:
        """What is listed: all that the study holds, and what the page asked by itself."""
        return self._rows

    @rows.setter
    def rows(self, rows: tuple[PastQuestion, ...]) -> None:
        self._rows = rows
        self._show()

    def reset(self) -> None:
        self._last = self._current = None
        self._comparing.drop()
        self.read()

    def read(self) -> None:
        self.rows = history_from_json(self._store.study.results.get(RESULTS))

    def remember(self, answer: SurveyResult, *, is_kept: bool) -> None:
        """Put an answer at the top; an older one to the same question goes.

        So does one that was there but a moment: a step on the way to this question. The study
        gets one that is not kept along with the next that is.
        """
        row, now = past_question(answer), time.monotonic()
        self._current = (self._current or frozenset()) | {row.mark}
        gone = {row.question}
        if self._last is not None and now - self._last[1] < BRIEF:
            gone.add(self._last[0])
        self._last = row.question, now
        others = [one for one in self._rows if one.question not in gone]
        self.rows = (row, *others)[:MOST_KEPT]
        if is_kept:
            self._keep(self._rows)
        self.find_current()

    def _forget(self, place: int) -> None:
        self._keep((*self._rows[:place], *self._rows[place + 1 :]))

    def _keep(self, rows: tuple[PastQuestion, ...]) -> None:
        self._store.set_results(RESULTS, history_to_json(rows) if rows else None)

    def find_current(self) -> None:
        """Find out which answers hold for the design of now."""
        study, marks = self._store.study, {row.mark for row in self._rows}
        if study.is_empty or not marks:
            return

        def work(progress: Progress) -> frozenset[str]:
            progress(0.0)
            return frozenset(mark for mark in marks if belongs_to(study, mark))

        self._comparing.start(tr("Comparing designs"), work)

    def _on_compared(self, marks: frozenset[str]) -> None:
        self._current = marks
        self._show()

    # What is shown

    def show_current(self, question: Question | None) -> None:
        self._shown = question
        self._show()

    def is_older(self, place: int) -> bool:
        """Whether an answer is for an earlier design."""
        return self._current is not None and self._rows[place].mark not in self._current

    def _show(self) -> None:
        rows, shown = self._rows, self._store.study.shown
        titles = {name: shown(name) for row in rows for name in row.columns}
        chosen = tuple(place for place, row in enumerate(rows) if row.question == self._shown)
        listed = (rows, titles), (chosen, tuple(map(self.is_older, range(len(rows)))))
        if listed == self._listed:
            return
        sheet = self.table.sheet
        if sheet is None or listed[0] != self._listed[0]:
            sheet = history_sheet(rows, shown)
        self._listed = listed
        looks = RowLooks(pale=self.is_older, words=self._words, chosen=chosen)
        self.table.set_sheet(sheet, looks)
        self.count.setText(str(len(rows)))
        self.hint.setText(self.tr("click a row to reopen it") if rows else "")
        self._show_parts()

    def _words(self, place: int) -> str:
        row = self._rows[place]
        lines = [tr("estimated at %s") % row.time] if row.time else []
        lines += past_details(row, self._store.study.shown)
        if self.is_older(place):
            lines.append(tr("This estimate is for an earlier design; click to estimate again."))
        return "\n".join(lines)

    def _show_parts(self) -> None:
        is_any = bool(self._rows)
        self.table.setVisible(is_any and not self.is_folded)
        self.empty.setVisible(not is_any and not self.is_folded)
        self.clear_button.setVisible(is_any and not self.is_folded)
        self.hint.setVisible(not self.is_folded)

    def set_foldable(self, foldable: bool, *, folded: bool) -> None:
        """Let the list give its room to an answer that needs it, perhaps until somebody looks."""
        if foldable == self.fold_button.isHidden():
            self.fold_button.setVisible(foldable)
            self._fold(foldable and folded)

    def _fold(self, folded: bool) -> None:
        self.is_folded = folded
        self.fold_button.setText(
            self.tr("Show", "the history") if folded else self.tr("Hide", "the history")
        )
        self._restyle()
        self._show_parts()

    def _restyle(self) -> None:
        low = self._themes.theme.px(_FOLDED)
        self.setMinimumHeight(low if self.is_folded else self._themes.theme.px(_LOWEST))
        self.setMaximumHeight(low if self.is_folded else QWIDGETSIZE_MAX)
        # Heads and a part of a row: the list scrolls, the answer above it does not.
        self.table.setMinimumHeight(self._themes.theme.px(_LEAST_TABLE))

    # What a person does

    def choose(self, place: int) -> None:
        if 0 <= place < len(self._rows):
            self.question_chosen.emit(self._rows[place].question)

    def copy_row(self) -> None:
        """Copy the row that was clicked."""
        if self.table.place >= 0:
            copy_rows(self.table.texts([self.table.place]))
