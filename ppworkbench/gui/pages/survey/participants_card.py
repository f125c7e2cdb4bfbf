"""Who probably meets a condition: how many to list, how they are drawn, and the list."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import (
    QSignalBlocker,
    Qt,
    Signal,
)
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QHeaderView,
    QLayout,
    QSpinBox,
    QWidget,
)

from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.survey.participants import HIGHEST, RANDOM, Participants
from ppworkbench.gui.charts.axes import short_number
from ppworkbench.gui.language import tr
from ppworkbench.gui.numbers import number, percent, with_unit
from ppworkbench.gui.pages.survey.result_cards import RemarksLine, chip
from ppworkbench.gui.pages.survey.texts import EstimateFormat, method_name, participants_words
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.cells import CellDelegate
from ppworkbench.gui.widgets.cells import Column as TableColumn
from ppworkbench.gui.widgets.controls import IconButton, Segmented
from ppworkbench.gui.widgets.layout import line, named, row, scroll_area, show_words, text
from ppworkbench.gui.widgets.table import ColumnModel, TextTable
from ppworkbench.study.analyses.survey.answers import SurveyResult
from ppworkbench.study.analyses.survey.questions import Question
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


class SamplingCard(Card):
    """How many are wanted, and how they are drawn."""

    question_changed = Signal(dict)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(self.tr("Participants"))
        self._themes = themes
        self.badge = chip("", "badge")
        self.stale_badge = chip("", "warningBadge")
        self.stale_badge.hide()
        self.head.insertWidget(1, self.badge)
        self.size_box = self._box("sampleSize", self.tr("Number of participants"), 0, _MOST)
        self.size_box.setSpecialValueText(self.tr("expected number"))
        self.size_box.valueChanged.connect(
            lambda value: self.question_changed.emit({"size": value or None})
        )
        self.draw = Segmented(
            themes,
            self.tr("Selection of participants"),
            [(HIGHEST, self.tr("most probable")), (RANDOM, self.tr("at random"))],
        )
        self.draw.setObjectName("sampleDraw")
        self.draw.chosen.connect(lambda key: self.question_changed.emit({"draw": key}))
        self.seed = self._box("sampleSeed", self.tr("Seed of the draw"), 0, _LARGEST_SEED)
        self.seed.valueChanged.connect(lambda value: self.question_changed.emit({"seed": value}))
        self.again = IconButton(themes, "dice", self.tr("Redraw with the next seed"), 16)
        self.again.setObjectName("sampleAgain")
        self.again.clicked.connect(lambda: self.seed.setValue(self.seed.value() + 1))
        self.summary = named(text("", "body", wrap=True), "participantsSummary")
        self.estimate = named(text("", "secondary", wrap=True), "participantsCount")
        self.truth = named(text("", "secondary", wrap=True), "participantsTruth")
        self.caution = text(
            self.tr(
                "These records are likely, not certain, to meet the condition. The last "
                "column is the posterior probability."
            ),
            "captionHint",
            wrap=True,
        )
        self.remarks = RemarksLine(themes)
        self.add(self.stale_badge)
        for words, field in (
            (self.tr("Number"), row(self.size_box)),
            (self.tr("Draw", "sampling"), row(self.draw)),
        ):
            self.body.addLayout(self._field(words, field))
        self.body.addLayout(self._field(self.tr("Seed"), row(self.seed, self.again, spacing=4)))
        self.add(line())
        for label in (self.summary, self.estimate, self.truth, self.caution, self.remarks):
            self.add(label)
        self.body.addStretch(1)

    def _box(self, name: str, words: str, low: int, high: int) -> QSpinBox:
        box = named(QSpinBox(), name, words)
        box.setRange(low, high)
        box.setGroupSeparatorShown(True)
        box.setKeyboardTracking(False)
        box.setMinimumWidth(self._themes.theme.px(120))
        return box

    def _field(self, words: str, field: QLayout) -> QLayout:
        label = text(words, "label")
        label.setMinimumWidth(self._themes.theme.px(70))
        return row(label, field, None)

    def show_question(self, asked: Question) -> None:
        """Show what is wanted."""
        for box, value in ((self.size_box, asked.size or 0), (self.seed, asked.seed)):
            with QSignalBlocker(box):
                box.setValue(min(value, box.maximum()))
        self.draw.set_current(asked.draw)

    def show_nothing(self) -> None:
        """Say what to do before there is a list."""
        self.badge.hide()
        self.summary.setText(self.tr("Add a condition to list people."))
        for label in (self.estimate, self.truth):
            label.hide()
        self.remarks.say(())
        self.set_stale("")

    def show_answer(self, answer: SurveyResult) -> None:
        """Tell what was found."""
        found = answer.result
        assert isinstance(found, Participants)  # noqa: S101 (other answers have other cards)
        self.badge.setText(method_name(answer.question.method))
        self.badge.show()
        self.summary.setText(participants_words(found))
        value = found.count.value
        figures = EstimateFormat.of_count(found.count.respondents)
        parts = (figures.text(max(value.estimate, 0.0)), figures.interval(value))
        self.estimate.setText(
            self.tr("Estimated number who meet it: %s, 95\u202f%% interval %s.") % parts
        )
        self.estimate.setVisible(bool(found.condition.tests))
        known = answer.truly is not None and bool(found.condition.tests)
        self.truth.setVisible(known)
        if answer.truly is not None:
            right, listed = number(int(answer.truly.sum())), number(len(answer.truly))
            self.truth.setText(
                self.tr("The true answers are known here: %s of the %s listed meet the condition.")
                % (right, listed)
            )
        self.remarks.say(answer.remarks)

    def set_stale(self, words: str) -> None:
        """Mark the list as one for another question or design."""
        show_words(self.stale_badge, words)


class ParticipantsCard(QWidget):
    """The sampling at the left, the list at the right."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self.sampling = SamplingCard(themes)
        self.listing = Card(padding=0)
        self.listing.body.setContentsMargins(1, 1, 1, 6)
        self.model: ColumnModel[int] = ColumnModel(themes, parent=self)
        self.table = TextTable(themes, "participantsTable", self.tr("Participants"))
        self.table.setModel(self.model)
        self.table.horizontalHeader().setTextElideMode(Qt.TextElideMode.ElideRight)
        self._delegate = CellDelegate(themes, self.model, pad=TextTable.PAD)
        self.table.setItemDelegate(self._delegate)
        self.listing.add(self.table, 1)
        self.area = scroll_area(self.sampling)
        self.area.setFixedWidth(themes.theme.px(352))
        layout = row(self.area, self.listing, parent=self, spacing=12)
        layout.setStretch(1, 1)

    def show_nothing(self) -> None:
        """Show an empty list, and the fields of the next one."""
        self.sampling.show_nothing()
        self.model.set_rows((), ())

    def show_answer(self, answer: SurveyResult) -> None:
        """Show an answer."""
        found = answer.result
        assert isinstance(found, Participants)  # noqa: S101 (other answers have other cards)
        self.sampling.show_answer(answer)
        truly = answer.truly if found.condition.tests else None
        columns = participant_columns(found, answer.distorted, truly, answer.study)
        self.model.set_rows(range(len(found.rows)), columns)
        self._fit_columns()
        self.table.scrollToTop()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Share the room between the columns."""
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

    def set_stale(self, words: str) -> None:
        """Mark the list as one for another question or design."""
        self.sampling.set_stale(words)
