"""Which column answers which question, and what its answers mean: all of them, and one to edit."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QFormLayout, QFrame, QHeaderView, QWidget

from ppworkbench.fieldwork.responses.draft import (
    Draft,
    QuestionDraft,
    with_answer,
    with_column,
    with_reading,
)
from ppworkbench.fieldwork.responses.sources import Source
from ppworkbench.gui.language import tr
from ppworkbench.gui.numbers import number
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.layout import column, named, row, show_words, text
from ppworkbench.gui.widgets.table import Column, ColumnModel, TextTable
from ppworkbench.study.language import translatable
from ppworkbench.study.study import Study

_READ_AS = {
    "values": translatable("values"),
    "texts": translatable("texts"),
    "codes": translatable("codes"),
    "numbers": translatable("numbers"),
}
_OUT, _MISSING, _VALUE = "out", "missing", "value"


class MappingPanel(QWidget):
    """The questions of a draft with their columns; the chosen one can be read in another way."""

    changed = Signal(object)
    """Another mapping, with which the answers have to be matched again."""

    def __init__(self, themes: ThemeManager, study: Study) -> None:
        super().__init__()
        self._themes, self._study = themes, study
        self._draft: Draft | None = None
        self._sources: tuple[Source, ...] = ()
        self._make_tables()
        self._lay_out()

    def show_draft(self, draft: Draft, sources: Sequence[Source]) -> None:
        """Show how the files are understood; the same question stays chosen."""
        self._draft, self._sources = draft, tuple(sources)
        place = max(self.questions.currentIndex().row(), 0)
        self.question_model.set_rows(draft.questions)
        # Not the first one, which takes what is left.
        for column_place in range(1, self.question_model.columnCount()):
            self.questions.resizeColumnToContents(column_place)
        if draft.questions:
            self.questions.selectRow(min(place, len(draft.questions) - 1))
        self._show_question()

    def _make_tables(self) -> None:
        themes = self._themes
        self.questions = TextTable(themes, "mappedQuestions", self.tr("Questions and columns"))
        self.question_model: ColumnModel[QuestionDraft] = ColumnModel(
            themes,
            (
                Column(self.tr("Question"), self._shown, is_left=True),
                Column(
                    self.tr("Column"), lambda one: one.column or self.tr("none"), is_left=True,
                    ink=lambda one: "" if one.column else "warningText",
                ),
                Column(self.tr("Read as"), lambda one: tr(_READ_AS[one.read]), is_left=True),
                Column(
                    self.tr("Rows left out"), lambda one: number(one.open_rows),
                    ink=lambda one: "warningText" if one.open_rows else "text3",
                ),
            ),
            self.questions,
        )  # fmt: skip
        self.questions.setModel(self.question_model)
        self.questions.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.questions.selectionModel().currentRowChanged.connect(lambda *_: self._show_question())
        self.column = named(QComboBox(), "questionColumn", self.tr("Column"))
        self.reading = named(QComboBox(), "questionReading", self.tr("Read as"))
        self.column.activated.connect(self._on_column)
        self.reading.activated.connect(self._on_reading)
        self.unmatched = TextTable(themes, "unmatchedAnswers", self.tr("Unrecognised answers"))
        self.unmatched_model: ColumnModel[tuple[str, int]] = ColumnModel(
            themes,
            (
                Column(self.tr("Answer"), lambda one: one[0], is_left=True),
                Column(self.tr("Rows"), lambda one: number(one[1])),
                Column(self.tr("Meaning"), self._meaning, is_left=True),
            ),
            self.unmatched,
        )
        self.unmatched.setModel(self.unmatched_model)
        self.unmatched.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.unmatched.selectionModel().currentRowChanged.connect(lambda *_: self._show_meaning())
        self.meaning = named(QComboBox(), "answerMeaning", self.tr("Meaning"))
        self.meaning.activated.connect(self._on_meaning)

    def _lay_out(self) -> None:
        form = QFormLayout()
        form.setHorizontalSpacing(12)
        form.addRow(self.tr("Column"), self.column)
        form.addRow(self.tr("Read as"), self.reading)
        self.understood = named(text("", "caption", wrap=True), "allUnderstood")
        meant = QFormLayout()
        meant.addRow(self.tr("Meaning"), self.meaning)
        self.detail = QFrame()
        self.detail.setProperty("look", "card")
        self.wording = text("", "strong", wrap=True)
        self.unmatched_head = text(self.tr("Unrecognised answers"), "label")
        self.unmatched_part = QWidget()
        unmatched = column(
            self.unmatched_head, self.unmatched, meant, parent=self.unmatched_part, spacing=6
        )
        unmatched.setStretch(1, 1)
        detail = column(
            self.wording, form, self.understood, self.unmatched_part, None,
            parent=self.detail, spacing=6, margin=10,
        )  # fmt: skip
        # The empty room below takes its share only where there is no table.
        detail.setStretch(3, 1000)
        self.detail.setMinimumWidth(330)
        row(self.questions, self.detail, parent=self, spacing=12, stretch=0)
        self.questions.setMinimumHeight(150)

    # One question

    def _shown(self, one: QuestionDraft) -> str:
        return self._study.shown(one.name)

    def _current(self) -> QuestionDraft | None:
        place = self.questions.currentIndex().row()
        rows = self.question_model.rows
        return rows[place] if 0 <= place < len(rows) else None

    def _show_question(self) -> None:
        one, draft = self._current(), self._draft
        self.detail.setEnabled(one is not None)
        if one is None or draft is None:
            return
        words = one.question.wording
        self.wording.setText(self._shown(one) if words in ("", one.name) else words)
        self.column.clear()
        self.column.addItem(self.tr("none"), "")
        for name in draft.columns:
            self.column.addItem(name, name)
        self.column.setCurrentIndex(max(self.column.findData(one.column), 0))
        self.reading.clear()
        for way in one.ways:
            self.reading.addItem(tr(_READ_AS[way]), way)
        self.reading.setCurrentIndex(max(self.reading.findData(one.read), 0))
        self.reading.setEnabled(bool(one.column) and len(one.ways) > 1)
        place = max(self.unmatched.currentIndex().row(), 0)
        self.unmatched_model.set_rows(one.unmatched)
        for column_place in range(1, self.unmatched_model.columnCount()):
            self.unmatched.resizeColumnToContents(column_place)
        self.unmatched_part.setVisible(bool(one.unmatched))
        is_understood = one.column and not one.unmatched
        show_words(self.understood, self.tr("All answers recognised.") if is_understood else "")
        self.meaning.clear()
        self.meaning.addItem(self.tr("Leave the rows out"), _OUT)
        self.meaning.addItem(self.tr("Missing answer"), _MISSING)
        for value, words in zip(
            one.question.attribute.values,
            one.question.answer_texts()[0] if one.question.attribute.values else (),
            strict=True,
        ):
            self.meaning.addItem(words, (_VALUE, value))
        if one.unmatched:
            self.unmatched.selectRow(min(place, len(one.unmatched) - 1))
        self._show_meaning()

    def _meaning(self, answer: tuple[str, int]) -> str:
        one = self._current()
        if one is None or answer[0] not in one.chosen:
            return self.tr("Leave the rows out")
        return one.chosen[answer[0]] or self.tr("Missing answer")

    def _answer(self) -> str | None:
        place = self.unmatched.currentIndex().row()
        rows = self.unmatched_model.rows
        return rows[place][0] if 0 <= place < len(rows) else None

    def _show_meaning(self) -> None:
        one, cell = self._current(), self._answer()
        self.meaning.setEnabled(cell is not None)
        if one is None or cell is None:
            return
        if cell not in one.chosen:
            self.meaning.setCurrentIndex(0)
        elif one.chosen[cell] is None:
            self.meaning.setCurrentIndex(1)
        else:
            values = one.question.attribute.values
            chosen = one.chosen[cell]
            self.meaning.setCurrentIndex(2 + values.index(chosen) if chosen in values else 0)

    def _on_column(self) -> None:
        one = self._current()
        if one is not None and self._draft is not None:
            self.changed.emit(
                with_column(self._draft, one.name, self.column.currentData(), self._sources)
            )

    def _on_reading(self) -> None:
        one = self._current()
        if one is not None and one.column and self._draft is not None:
            self.changed.emit(with_reading(self._draft, one.name, self.reading.currentData()))

    def _on_meaning(self) -> None:
        one, cell = self._current(), self._answer()
        if one is None or cell is None or self._draft is None:
            return
        place = self.meaning.currentIndex()
        value = one.question.attribute.values[place - 2] if place > 1 else None
        self.changed.emit(with_answer(self._draft, one.name, cell, value, out=place == 0))
