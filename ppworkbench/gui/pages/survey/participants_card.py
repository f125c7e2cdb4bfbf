"""Who probably meets a condition: how many to list, how they are drawn, and the list."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QRectF,
    QSignalBlocker,
    Qt,
    Signal,
)
from PySide6.QtGui import QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QHeaderView,
    QLayout,
    QSpinBox,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.survey.participants import HIGHEST, RANDOM, Participants
from ppworkbench.gui.charts.axes import short_number
from ppworkbench.gui.language import tr
from ppworkbench.gui.numbers import number, percent
from ppworkbench.gui.pages.survey.result_cards import RemarksLine, chip
from ppworkbench.gui.pages.survey.texts import EstimateFormat, method_name, participants_words
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.controls import IconButton, Segmented
from ppworkbench.gui.widgets.layout import line, row, scroll_area, text
from ppworkbench.gui.widgets.table import Index, TextTable
from ppworkbench.study.analyses.survey import Question, SurveyResult

POSTERIOR = Qt.ItemDataRole.UserRole
_SOME = 5
"""Attributes that are shown where no condition names any."""
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class ParticipantsModel(QAbstractTableModel):
    """Record, the reported answers to what the condition asks, and the posterior."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._found: Participants | None = None
        self._columns: tuple[Column, ...] = ()
        self._truly: NDArray[np.bool_] | None = None

    def show_list(
        self, found: Participants | None, table: Table | None, truly: NDArray[np.bool_] | None
    ) -> None:
        """Show another list."""
        self.beginResetModel()
        self._found, self._truly, self._columns = found, truly, ()
        if found is not None and table is not None:
            asked = found.condition.attributes or table.names[:_SOME]
            self._columns = tuple(table[name] for name in asked)
        self.endResetModel()

    @property
    def knows_truth(self) -> bool:
        """Whether the last column tells who really belongs."""
        return self._truly is not None

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802
        """The number of listed records."""
        return 0 if parent.isValid() or self._found is None else len(self._found.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802
        """Record, answers, perhaps the truth, posterior."""
        if parent.isValid() or self._found is None:
            return 0
        return len(self._columns) + 2 + self.knows_truth

    @property
    def posterior_column(self) -> int:
        """Where the posterior stands."""
        return self.columnCount() - 1

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """The names of the columns."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._side(section)
        if role == Qt.ItemDataRole.ToolTipRole:
            is_answer = 0 < section <= len(self._columns)
            more = (tr("reported answer"),) if is_answer else ()
            return "\n".join((self._head(section), *more))
        return self._head(section) if role == Qt.ItemDataRole.DisplayRole else None

    def _head(self, section: int) -> str:
        if section == 0:
            return tr("Record")
        if section <= len(self._columns):
            return self._columns[section - 1].name
        return tr("Posterior") if section == self.posterior_column else tr("Truly meets it")

    def _side(self, section: int) -> Qt.AlignmentFlag:
        if section == 0:
            return _RIGHT
        if section <= len(self._columns):
            return _LEFT if self._columns[section - 1].is_categorical else _RIGHT
        return _LEFT

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """One cell."""
        if self._found is None or not index.isValid():
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._side(index.column())
        place, section = index.row(), index.column()
        if role == POSTERIOR:
            last = section == self.posterior_column
            return float(self._found.posterior[place]) if last else None
        is_told = role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole)
        return self._words(place, section) if is_told else None

    def _words(self, place: int, section: int) -> str:
        assert self._found is not None  # noqa: S101 (there is a cell)
        record = int(self._found.rows[place])
        if section == 0:
            return number(record + 1)
        if section <= len(self._columns):
            return answer_text(self._columns[section - 1], record)
        if section == self.posterior_column:
            return percent(float(self._found.posterior[place]), 1)
        assert self._truly is not None  # noqa: S101 (there is such a column)
        return tr("yes") if self._truly[place] else tr("no")


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


class PosteriorDelegate(QStyledItemDelegate):
    """A probability as a bar with its number."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw the bar, then the number beside it."""
        probability = index.data(POSTERIOR)
        if probability is None:
            super().paint(painter, option, index)
            return
        theme = self._themes.theme
        painter.save()
        box = QRectF(option.rect).adjusted(7, 0, -7, 0)  # type: ignore[attr-defined]  # not in the stubs
        painter.setFont(theme.font())
        words = painter.fontMetrics().horizontalAdvance("100.0 %") + 8
        room = min(max(box.width() - words, 0.0), float(theme.px(240)))
        trough = QRectF(box.left(), box.center().y() - 4, room, 8)
        painter.fillRect(trough, theme.colour("sunken"))
        filled = QRectF(trough.left(), trough.top(), room * probability, trough.height())
        painter.fillRect(filled, theme.role("reconstructed").fill)
        painter.setPen(theme.colour("text"))
        flags = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        numbers = QRectF(box.left(), box.top(), room + words, box.height())
        painter.drawText(numbers, flags, str(index.data()))
        painter.restore()


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
        self.size_box = self._box("sampleSize", self.tr("How many participants"), 0, _MOST)
        self.size_box.setSpecialValueText(self.tr("as expected"))
        self.size_box.valueChanged.connect(
            lambda value: self.question_changed.emit({"size": value or None})
        )
        self.draw = Segmented(
            themes,
            self.tr("How they are drawn"),
            [(HIGHEST, self.tr("most probable")), (RANDOM, self.tr("at random"))],
        )
        self.draw.setObjectName("sampleDraw")
        self.draw.chosen.connect(lambda key: self.question_changed.emit({"draw": key}))
        self.seed = self._box("sampleSeed", self.tr("Seed of the draw"), 0, _LARGEST_SEED)
        self.seed.valueChanged.connect(lambda value: self.question_changed.emit({"seed": value}))
        self.again = IconButton(themes, "dice", self.tr("Draw again: take the next seed"), 16)
        self.again.setObjectName("sampleAgain")
        self.again.clicked.connect(lambda: self.seed.setValue(self.seed.value() + 1))
        self.summary = text("", "body", wrap=True)
        self.summary.setObjectName("participantsSummary")
        self.estimate = text("", "secondary", wrap=True)
        self.estimate.setObjectName("participantsCount")
        self.truth = text("", "secondary", wrap=True)
        self.truth.setObjectName("participantsTruth")
        self.caution = text(
            self.tr(
                "These rows are likely members, not known ones. The posterior is in the last "
                "column."
            ),
            "captionHint",
            wrap=True,
        )
        self.remarks = RemarksLine(themes)
        self.add(self.stale_badge)
        for words, field in (
            (self.tr("How many"), row(self.size_box)),
            (self.tr("Draw", "sampling"), row(self.draw)),
        ):
            self.body.addLayout(self._field(words, field))
        self.body.addLayout(self._field(self.tr("Seed"), row(self.seed, self.again, spacing=4)))
        self.add(line())
        for label in (self.summary, self.estimate, self.truth, self.caution, self.remarks):
            self.add(label)
        self.body.addStretch(1)

    def _box(self, name: str, words: str, low: int, high: int) -> QSpinBox:
        box = QSpinBox()
        box.setObjectName(name)
        box.setAccessibleName(words)
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
        self.summary.setText(self.tr("Press Estimate to list them."))
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
            self.tr("By the estimate %s people meet it, 95 %% interval %s.") % parts
        )
        self.estimate.setVisible(bool(found.condition.tests))
        known = answer.truly is not None and bool(found.condition.tests)
        self.truth.setVisible(known)
        if answer.truly is not None:
            right, listed = number(int(answer.truly.sum())), number(len(answer.truly))
            self.truth.setText(
                self.tr("In this sample the truth is known: %s of the %s listed meet it.")
                % (right, listed)
            )
        self.remarks.say(answer.remarks)

    def set_stale(self, words: str) -> None:
        """Mark the list as one for another question or design."""
        self.stale_badge.setText(words)
        self.stale_badge.setVisible(bool(words))


class ParticipantsCard(QWidget):
    """The sampling at the left, the list at the right."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self.sampling = SamplingCard(themes)
        self.listing = Card(padding=0)
        self.listing.body.setContentsMargins(1, 1, 1, 6)
        self.model = ParticipantsModel(self)
        self.table = TextTable(themes, "participantsTable", self.tr("Participants"))
        self.table.setModel(self.model)
        self.table.horizontalHeader().setTextElideMode(Qt.TextElideMode.ElideRight)
        self._delegate = PosteriorDelegate(themes)
        self.table.setItemDelegate(self._delegate)
        self.listing.add(self.table, 1)
        self.area = scroll_area(self.sampling)
        self.area.setFixedWidth(themes.theme.px(352))
        layout = row(self.area, self.listing, parent=self, spacing=12)
        layout.setStretch(1, 1)

    def show_nothing(self) -> None:
        """Show an empty list, and the fields of the next one."""
        self.sampling.show_nothing()
        self.model.show_list(None, None, None)

    def show_answer(self, answer: SurveyResult) -> None:
        """Show an answer."""
        found = answer.result
        assert isinstance(found, Participants)  # noqa: S101 (other answers have other cards)
        self.sampling.show_answer(answer)
        truly = answer.truly if found.condition.tests else None
        self.model.show_list(found, answer.distorted, truly)
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
        last = self.model.posterior_column
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
