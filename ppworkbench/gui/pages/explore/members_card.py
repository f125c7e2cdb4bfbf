"""Likely members of a group: what an attacker can make of the reported answers of single people."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHeaderView, QLineEdit, QSpinBox, QWidget

from ppworkbench.analyses.survey.answers import SurveyError, SurveyResult, answer_question
from ppworkbench.analyses.survey.questions import (
    PARTICIPANTS,
    Question,
    first_question,
    problem_of,
    problem_with_parts,
)
from ppworkbench.analyses.survey.tables import write_result
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.progress import Progress
from ppworkbench.core.survey.conditions.parser import as_condition
from ppworkbench.core.survey.participants import HIGHEST, RANDOM, WARNING, Participants
from ppworkbench.gui.charts.axes import short_number
from ppworkbench.gui.dialogs import save_file
from ppworkbench.gui.files import write_filters
from ppworkbench.gui.language import told_error, tongue, tr, translate
from ppworkbench.gui.numbers import number, percent, with_unit
from ppworkbench.gui.page_task import PageTask
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.cells import CellDelegate
from ppworkbench.gui.widgets.cells import Column as TableColumn
from ppworkbench.gui.widgets.controls import Button, IconButton, IconLabel, Segmented
from ppworkbench.gui.widgets.layout import line, named, row, scroll_area, show_words, text
from ppworkbench.gui.widgets.table import ColumnModel, TextTable
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.study import Study

_SOME = 5
"""Attributes that are shown where no condition names any."""


def participant_columns(
    found: Participants, table: Table, truly: NDArray[np.bool_] | None, study: Study
) -> tuple[TableColumn[int], ...]:
    """Record, the reported answers to what the condition asks, perhaps the truth, posterior."""

    def answer(column: Column) -> TableColumn[int]:
        return TableColumn(
            with_unit(study.shown(column.name), study.unit(column.name)),
            lambda place: answer_text(column, int(found.rows[place])),
            f"{tr('reported answer')}\n{tr('Column: %s') % column.name}",
            is_left=column.is_categorical,
        )

    def posterior(place: int) -> float:
        return float(found.posterior[place])

    asked = found.condition.attributes or table.names[:_SOME]
    truth: list[TableColumn[int]] = []
    if truly is not None:
        words = (tr("no"), tr("yes"))
        truth = [
            TableColumn(tr("True status"), lambda place: words[bool(truly[place])], is_left=True)
        ]
    return (
        TableColumn(tr("Record"), lambda place: number(int(found.rows[place]) + 1)),
        *(answer(table[name]) for name in asked),
        *truth,
        TableColumn(
            tr("Posterior"), lambda place: percent(posterior(place), 1), bar=posterior, is_left=True
        ),
    )


def answer_text(column: Column, row: int) -> str:
    """One reported answer as people read it."""
    answer = column.data[row]
    if column.is_categorical:
        return column.attribute.values[answer] if answer >= 0 else tr("missing")
    return short_number(float(answer)) if answer == answer else tr("missing")  # noqa: PLR0124


_MOST = 10_000_000
_LARGEST_SEED = 2**31 - 1
_RECORD, _LEAST, _ANSWER, _POSTERIOR = 80, 60, 150, 120
"""Widths of columns: the first has so much at least, answers have between so much and so much, and
the last one takes the rest, so much at least."""


class MembersCard(Card):
    """Who is looked for, how many are listed and how they are drawn, and what was found."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(tr("Likely members"))
        self._themes = themes
        self.warning = named(text(translate(WARNING), "body", wrap=True), "membersWarning")
        self.condition = named(QLineEdit(), "membersCondition", tr("Condition"))
        self.condition.setPlaceholderText("age >= 18 and vote = yes")
        self.size_box = self._box("sampleSize", tr("Number of people"), _MOST)
        self.size_box.setSpecialValueText(tr("as estimated"))
        self.draw = Segmented(
            themes, tr("Selection of people"),
            [(HIGHEST, tr("most probable")), (RANDOM, tr("at random"))],
        )  # fmt: skip
        self.draw.setObjectName("sampleDraw")
        self.seed = self._box("sampleSeed", tr("Seed of the draw"), _LARGEST_SEED)
        self.again = IconButton(themes, "dice", tr("Redraw with the next seed"), 16)
        self.again.setObjectName("sampleAgain")
        self.again.clicked.connect(lambda: self.seed.setValue(self.seed.value() + 1))
        self.summary = named(text("", "body", wrap=True), "membersSummary")
        self.truth = named(text("", "secondary", wrap=True), "membersTruth")
        self.remarks = named(text("", "captionHint", wrap=True), "membersRemarks")
        self.export = named(Button(themes, tr("Export list…"), "export"), "exportMembers")
        self.body.addLayout(row(IconLabel(themes, "warning", "warningText", 16), self.warning))
        self.add(line())
        for words, field in (
            (tr("Condition"), row(self.condition)),
            (tr("Number"), row(self.size_box, None)),
            (tr("Draw", "sampling"), row(self.draw, None)),
            (tr("Seed"), row(self.seed, self.again, None, spacing=4)),
        ):
            label = text(words, "label")
            label.setMinimumWidth(themes.theme.px(70))
            layout = row(label, field)
            layout.setStretch(1, 1)
            self.body.addLayout(layout)
        self.add(line())
        for item in (self.summary, self.truth, self.remarks):
            self.add(item)
        self.body.addLayout(row(self.export, None))
        self.body.addStretch(1)

    def _box(self, name: str, words: str, high: int) -> QSpinBox:
        box = named(QSpinBox(), name, words)
        box.setRange(0, high)
        box.setGroupSeparatorShown(True)
        box.setKeyboardTracking(False)
        box.setMinimumWidth(self._themes.theme.px(120))
        return box

    def show_answer(self, answer: SurveyResult | None, words: str) -> None:
        """Tell what was found, or why there is nothing."""
        found = None if answer is None else answer.result
        show_words(self.summary, words)
        truth = ""
        remarks: tuple[str, ...] = ()
        if answer is not None and isinstance(found, Participants):
            remarks = tuple(one for one in answer.remarks if one != WARNING)
            if answer.truly is not None:
                right, listed = number(int(answer.truly.sum())), number(len(answer.truly))
                truth = tr(
                    "The true answers are known here: %s of the %s listed meet the condition."
                )
                truth %= (right, listed)
        show_words(self.truth, truth)
        show_words(self.remarks, "\n".join(map(translate, remarks)))
        self.export.setVisible(answer is not None)


class LikelyMembers(QWidget):
    """The question at the left, the list at the right; nothing of it is kept in the study."""

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self._workbench, self._store = workbench, workbench.store
        themes = self._themes = workbench.themes
        self.answer: SurveyResult | None = None
        self._asked: tuple[Question, Study] | None = None
        self._task: PageTask[SurveyResult | SurveyError] = PageTask(workbench, "members", self)
        self._task.finished.connect(self._on_done)
        self._task.failed.connect(
            lambda error: self._show(None, told_error(error, self._store.study))
        )
        self._task.stopped.connect(lambda: self._show(None, tr("Cancelled.")))
        self.card = MembersCard(themes)
        self.listing = Card(padding=0)
        self.listing.body.setContentsMargins(1, 1, 1, 6)
        self.model: ColumnModel[int] = ColumnModel(themes, parent=self)
        self.table = TextTable(themes, "membersTable", tr("Likely members"))
        self.table.setModel(self.model)
        self.table.horizontalHeader().setTextElideMode(Qt.TextElideMode.ElideRight)
        self._delegate = CellDelegate(themes, self.model, pad=TextTable.PAD)
        self.table.setItemDelegate(self._delegate)
        self.listing.add(self.table, 1)
        self.area = scroll_area(self.card)
        self.area.setFixedWidth(themes.theme.px(352))
        layout = row(self.area, self.listing, parent=self, spacing=12)
        layout.setStretch(1, 1)
        self.forget()
        self.card.condition.editingFinished.connect(self.refresh)
        self.card.size_box.valueChanged.connect(self.refresh)
        self.card.draw.chosen.connect(self.refresh)
        self.card.seed.valueChanged.connect(self.refresh)
        self.card.export.clicked.connect(self._export)

    def forget(self) -> None:
        """Another study is shown: begin with its sensitive answers."""
        self._task.drop()
        first = first_question(self._store.study).condition
        with QSignalBlocker(self.card.condition):
            self.card.condition.setText(str(first) if first.tests else "")
            # A long condition is read from its beginning.
            self.card.condition.setCursorPosition(0)
        self._show(None, "")

    def refresh(self) -> None:
        """List who meets the condition of now, unless that is shown or on its way."""
        card, study = self.card, self._store.study
        try:
            condition = as_condition(card.condition.text().strip())
            asked = Question(
                PARTICIPANTS, condition, size=card.size_box.value() or None,
                draw=card.draw.current, seed=card.seed.value(),
            )  # fmt: skip
            problem = problem_of(asked, study.design) or problem_with_parts(asked, study)
        except WorkbenchError as error:
            self._refuse(told_error(error, study))
            return
        if problem or not condition.tests:
            self._refuse(
                translate(study.titled(problem)) or tr("Enter a condition to list people.")
            )
            return
        asked, answer, source = asked.essence, self.answer, self._workbench.answers
        if answer is not None and answer.question == asked and answer.is_current(study):
            return
        if self._task.is_running and self._asked == (asked, study):
            return
        self._asked = asked, study
        self._show(None, tr("Computing…"))
        self._task.start(
            tr("Listing likely members"),
            lambda progress: answer_question(asked, study, source, progress),
        )

    def _refuse(self, words: str) -> None:
        self._task.drop()
        self._show(None, words)

    def _on_done(self, found: SurveyResult | SurveyError) -> None:
        if isinstance(found, SurveyError):
            self._show(None, translate(found.sentence))
        else:
            self._show(found, translate(found.sentence))

    def _show(self, answer: SurveyResult | None, words: str) -> None:
        self.answer = answer
        self.card.show_answer(answer, words)
        if answer is None or not isinstance(answer.result, Participants):
            self.model.set_rows((), ())
            return
        found = answer.result
        columns = participant_columns(found, answer.distorted, answer.truly, answer.study)
        self.model.set_rows(range(len(found.rows)), columns)
        self._fit_columns()
        self.table.scrollToTop()

    def _export(self) -> None:
        """Ask for a file and write the list to it."""
        answer, say = self.answer, tongue().say
        if answer is None:
            return

        def write(path: Path) -> None:
            def work(progress: Progress) -> None:
                write_result(answer, path, progress, say)

            def done(_: object) -> None:
                self._workbench.toast_requested.emit(tr("Saved as %s.") % path.name, False)

            title = tr("Writing %s") % path.name
            job = self._workbench.run(title, work, done, key=f"write {path}")
            job.outlives_study = True

        start = f"{self._store.study.title}-members.csv"
        save_file(self, tr("Export list"), start, write_filters(), write)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._fit_columns()

    def _fit_columns(self) -> None:
        """Answers give way to the posterior, whose head is seen as a whole."""
        if not self.model.rowCount():
            return
        head, px = self.table.horizontalHeader(), self._themes.theme.px
        last = self.model.columnCount() - 1
        first = max(px(_RECORD), head.sectionSizeHint(0))
        rest = max(px(_POSTERIOR), head.sectionSizeHint(last))
        room = self.width() - self.area.width() - first - rest - 24
        share = min(max(room // max(last - 1, 1), px(_LEAST)), px(_ANSWER))
        for section, width in enumerate([first, *[share] * (last - 1)]):
            head.setSectionResizeMode(section, QHeaderView.ResizeMode.Interactive)
            self.table.setColumnWidth(section, width)
        head.setSectionResizeMode(last, QHeaderView.ResizeMode.Stretch)
