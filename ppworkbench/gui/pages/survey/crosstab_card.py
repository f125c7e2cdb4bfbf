"""A cross table as a heat map with numbers and intervals in its cells."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from functools import cached_property

from PySide6.QtCore import QEvent, QObject, QRectF, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)

from ppworkbench.analyses.survey.answers import SurveyResult
from ppworkbench.core.survey.crosstabs import CrossTable
from ppworkbench.core.survey.estimates import Estimate
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.pages.survey.result_cards import RemarksLine, chip, heading_label
from ppworkbench.gui.pages.survey.texts import EstimateFormat, condition_words, label_words
from ppworkbench.gui.theme import ThemeManager, contrast, set_outline
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.cells import Column, Index
from ppworkbench.gui.widgets.controls import Segmented
from ppworkbench.gui.widgets.layout import named, show_words, text
from ppworkbench.gui.widgets.provenance import marked_invented
from ppworkbench.gui.widgets.table import ColumnModel, TextTable

ESTIMATE, NAIVE, TRUE = "estimate", "naive", "true"


@dataclass(frozen=True)
class CrosstabView:
    """A cross table, and which of its numbers is shown."""

    found: CrossTable
    what: str = ESTIMATE

    @cached_property
    def figures(self) -> EstimateFormat:
        sample = self.found.sample
        return EstimateFormat.of_count(
            self.found.respondents if sample is None else round(sample.weighted_n)
        )

    @cached_property
    def highest(self) -> float:
        """The largest number that is shown."""
        cells = self.found.cells
        return max((self.value(cell) or 0.0 for line in cells for cell in line), default=0.0)

    def value(self, cell: Estimate) -> float | None:
        """The chosen number of a cell."""
        return {ESTIMATE: cell.estimate, NAIVE: cell.naive, TRUE: cell.true}[self.what]

    def reach(self, cell: Estimate) -> str:
        """Half of the interval; empty where the number is not an estimate."""
        half = (cell.high - cell.low) / 2
        if self.what != ESTIMATE or not math.isfinite(half):
            return ""
        return f"± {self.figures.text(half)}"

    def columns(self) -> list[Column[int]]:
        """One column per value of the second attribute; rows are the values of the first."""
        return [self._column(place, label) for place, label in enumerate(self.found.column_labels)]

    def _column(self, place: int, label: str) -> Column[int]:
        def told(row: int) -> str:
            cell = self.found.cells[row][place]
            return f"{self.figures.text(self.value(cell))} {self.reach(cell)}".strip()

        return Column(label, told, tip=lambda row: self.words(row, place), is_centred=True)

    def words(self, row: int, column: int) -> str:
        """All numbers of a cell as a sentence."""
        cell, write = self.found.cells[row][column], self.figures.text
        parts = (
            self.found.row_labels[row], self.found.column_labels[column],
            write(cell.estimate), self.figures.interval(cell), write(cell.naive),
        )  # fmt: skip
        said = tr("%s and %s: about %s respondents, 95\u202f%% interval %s; uncorrected %s.")
        if self.found.sample is not None:
            said = tr("%s and %s: about %s people, 95\u202f%% interval %s; uncorrected %s.")
        told = said % parts
        raw = float(self.found.raw[row, column])
        if raw < 0:
            told += " " + tr("The unbiased estimate is %s.") % write(raw)
        if cell.true is not None:
            told += " " + tr("True: %s.") % write(cell.true)
        return told


class HeatDelegate(QStyledItemDelegate):
    """The deeper the colour, the more people; the number is always there.

    Not the delegate of other tables: the ground of a cell is its number, and no row is chosen.
    """

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self.view: CrosstabView | None = None

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme, view = self._themes.theme, self.view
        if view is None:
            return
        cell = view.found.cells[index.row()][index.column()]
        value = view.value(cell)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(option.rect).adjusted(1.5, 1.5, -1.5, -1.5)  # type: ignore[attr-defined]  # not in the stubs
        share = 0.0 if not value or view.highest <= 0 else max(value / view.highest, 0.0)
        fill = theme.heat_colour(share)
        painter.setPen(Qt.PenStyle.NoPen if share > 0 else QPen(theme.colour("border"), 1))
        painter.setBrush(fill)
        painter.drawRoundedRect(box, 4, 4)
        if option.state & QStyle.StateFlag.State_Selected:  # type: ignore[attr-defined]  # not in the stubs
            set_outline(painter, QPen(theme.colour("focus"), 2))
            painter.drawRoundedRect(box.adjusted(-0.5, -0.5, 0.5, 0.5), 4, 4)
        painter.setPen(contrast(fill) if share > 0 else theme.colour("text2"))
        reach = view.reach(cell)
        painter.setFont(theme.font("body", "semibold" if reach else "regular"))
        line = painter.fontMetrics().height()
        upper = box
        if reach:
            upper = QRectF(box.left(), box.center().y() - line + 1, box.width(), line)
        painter.drawText(upper, Qt.AlignmentFlag.AlignCenter, view.figures.text(value))
        if reach:
            painter.setFont(theme.font("caption"))
            lower = QRectF(box.left(), box.center().y() - 1, box.width(), line)
            painter.drawText(lower, Qt.AlignmentFlag.AlignCenter, reach)
        painter.restore()


class CrosstabCard(Card):
    """Rows of one attribute, columns of another; the chosen cell is read out below."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self.heading = named(heading_label(), "crosstabTitle")
        self.stale_badge = chip("", "warningBadge")
        self.stale_badge.hide()
        self.shown_as = Segmented(
            themes,
            self.tr("Numbers in the cells"),
            [
                (ESTIMATE, tr("estimate")),
                (NAIVE, tr("uncorrected")),
                (TRUE, marked_invented(tr("true"))),
            ],
        )
        self.shown_as.setObjectName("crosstabNumbers")
        self.shown_as.chosen.connect(self._on_chosen)
        self.head.addWidget(self.heading, 1)
        self.head.addWidget(self.stale_badge)
        self.head.addWidget(self.shown_as)
        self.body.addLayout(self.head)
        self._view: CrosstabView | None = None
        self.model: ColumnModel[int] = ColumnModel(
            themes, parent=self, row_title=lambda row: self._found.row_labels[row]
        )
        self.table = TextTable(themes, "crosstab", self.tr("Cross table"))
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectItems)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.setModel(self.model)
        self._delegate = HeatDelegate(themes)
        self.table.setItemDelegate(self._delegate)
        self.table.verticalHeader().show()
        self.table.verticalHeader().setHighlightSections(False)
        self.table.selectionModel().currentChanged.connect(self._tell)
        self.table.viewport().installEventFilter(self)
        self.body.addWidget(self.table, 1)
        self.reading = named(text("", "secondary", wrap=True), "crosstabReading")
        self.body.addWidget(self.reading)
        self.association = named(text("", "secondary", wrap=True), "crosstabAssociation")
        self.body.addWidget(self.association)
        self.remarks = RemarksLine(themes)
        self.body.addWidget(self.remarks)
        themes.theme_changed.connect(self._fit)

    def show_answer(self, answer: SurveyResult) -> None:
        found = answer.result
        assert isinstance(found, CrossTable)  # noqa: S101 (other answers have other cards)
        design = answer.study.design
        found = dataclasses.replace(
            found,
            row_labels=label_words(found.row_labels, design[found.rows_of].attribute),
            column_labels=label_words(found.column_labels, design[found.columns_of].attribute),
        )
        shown = answer.study.shown
        parts = (shown(found.rows_of), shown(found.columns_of))
        if found.condition.tests:
            whom = condition_words(found.condition, shown)
            self.heading.setText(self.tr("%s (rows) by %s (columns), where %s") % (*parts, whom))
        else:
            self.heading.setText(self.tr("%s (rows) by %s (columns)") % parts)
        known = found.cells[0][0].true is not None
        why = self.tr("The true answers are not known in this study.")
        self.shown_as.set_disabled({} if known else {TRUE: why})
        if not known and self.shown_as.current == TRUE:
            self.shown_as.set_current(ESTIMATE)
        said = found.association
        self.association.setText("" if said is None else translate(answer.study.titled(said)))
        self.association.setVisible(said is not None)
        self._show(found)
        self.table.reset()
        self.remarks.say(answer.remarks)

    @property
    def _found(self) -> CrossTable:
        assert self._view is not None  # noqa: S101 (there is a cell)
        return self._view.found

    def _show(self, found: CrossTable) -> None:
        view = CrosstabView(found, self.shown_as.current)
        self._view = self._delegate.view = view
        self.model.set_rows(range(len(found.row_labels)), view.columns())
        self._fit()
        self.reading.setText(self.tr("Select a cell."))

    def _on_chosen(self) -> None:
        if self._view is not None:
            self._show(self._view.found)
            self._tell(self.table.currentIndex())

    def _fit(self) -> None:
        theme = self._themes.theme
        # A large window makes larger cells, up to a size that the eye still takes in at once.
        room = self.table.viewport().height() // max(self.model.rowCount(), 1)
        height = min(max(room, theme.px(36)), theme.px(56))
        self.table.verticalHeader().setDefaultSectionSize(height)
        head = self.table.horizontalHeader()
        few = self.model.columnCount() <= 10
        mode = QHeaderView.ResizeMode.Stretch if few else QHeaderView.ResizeMode.Interactive
        head.setSectionResizeMode(mode)
        if not few:
            head.setDefaultSectionSize(theme.px(92))
        head.setDefaultAlignment(Qt.AlignmentFlag.AlignCenter)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Fit the cells to the room that the table really has."""
        if event.type() == QEvent.Type.Resize and watched is self.table.viewport():
            self._fit()
        return super().eventFilter(watched, event)

    def _tell(self, current: Index) -> None:
        if current.isValid() and self._view is not None:
            self.reading.setText(self._view.words(current.row(), current.column()))

    def set_stale(self, words: str) -> None:
        """Mark the answer as one to another question or design."""
        show_words(self.stale_badge, words)
