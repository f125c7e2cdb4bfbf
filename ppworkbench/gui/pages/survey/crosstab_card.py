"""A cross table as a heat map with numbers and intervals in its cells."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QEvent, QModelIndex, QObject, QRectF, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)

from ppworkbench.core.survey.crosstabs import CrossTable
from ppworkbench.core.survey.estimates import Estimate
from ppworkbench.gui.language import tr
from ppworkbench.gui.pages.survey.condition_editor import condition_words, label_words
from ppworkbench.gui.pages.survey.result_cards import RemarksLine, chip
from ppworkbench.gui.pages.survey.texts import EstimateFormat
from ppworkbench.gui.theme import ThemeManager, contrast
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.controls import Segmented
from ppworkbench.gui.widgets.labels import ElidedLabel
from ppworkbench.gui.widgets.layout import text
from ppworkbench.gui.widgets.table import Index, TextTable
from ppworkbench.study.analyses.survey import SurveyResult

ESTIMATE, NAIVE, TRUE = "estimate", "naive", "true"
CELL = Qt.ItemDataRole.UserRole


class CellsModel(QAbstractTableModel):
    """The cells of a cross table; ``what`` chooses the number that is shown."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.found: CrossTable | None = None
        self.what = ESTIMATE
        self.figures = EstimateFormat()

    def show_table(self, found: CrossTable | None, what: str) -> None:
        """Show another table, or another number of it."""
        self.beginResetModel()
        self.found, self.what = found, what
        self.figures = EstimateFormat.of_count(0 if found is None else found.respondents)
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802
        """One row per value of the first attribute."""
        return 0 if parent.isValid() or self.found is None else len(self.found.row_labels)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802
        """One column per value of the second."""
        return 0 if parent.isValid() or self.found is None else len(self.found.column_labels)

    @property
    def highest(self) -> float:
        """The largest number that is shown."""
        cells = () if self.found is None else self.found.cells
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

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """The values of both attributes."""
        if self.found is None or role not in (
            Qt.ItemDataRole.DisplayRole,
            Qt.ItemDataRole.ToolTipRole,
        ):
            return None
        across = orientation == Qt.Orientation.Horizontal
        return (self.found.column_labels if across else self.found.row_labels)[section]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """One cell in words, or the cell itself for the delegate."""
        if self.found is None or not index.isValid():
            return None
        cell = self.found.cells[index.row()][index.column()]
        if role == CELL:
            return cell
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return f"{self.figures.text(self.value(cell))} {self.reach(cell)}".strip()
        if role == Qt.ItemDataRole.ToolTipRole:
            return self.words(index.row(), index.column())
        return None

    def words(self, row: int, column: int) -> str:
        """All numbers of a cell as a sentence."""
        assert self.found is not None  # noqa: S101 (there is a cell)
        cell, write = self.found.cells[row][column], self.figures.text
        parts = (
            self.found.row_labels[row], self.found.column_labels[column],
            write(cell.estimate), self.figures.interval(cell), write(cell.naive),
        )  # fmt: skip
        told = tr("%s and %s: about %s people, 95 %% interval %s; at face value %s.") % parts
        raw = float(self.found.raw[row, column])
        if raw < 0:
            told += " " + tr("The unbiased number is %s.") % write(raw)
        if cell.true is not None:
            told += " " + tr("True: %s.") % write(cell.true)
        return told


class CellsDelegate(QStyledItemDelegate):
    """The deeper the colour, the more people; the number is always there."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self.highest = 1.0

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw one cell."""
        theme, model = self._themes.theme, index.model()
        assert isinstance(model, CellsModel)  # noqa: S101 (the view has no other)
        cell: Estimate = index.data(CELL)
        value = model.value(cell)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(option.rect).adjusted(1.5, 1.5, -1.5, -1.5)  # type: ignore[attr-defined]  # not in the stubs
        share = 0.0 if not value or self.highest <= 0 else max(value / self.highest, 0.0)
        fill = theme.heat_colour(share)
        painter.setPen(Qt.PenStyle.NoPen if share > 0 else QPen(theme.colour("border"), 1))
        painter.setBrush(fill)
        painter.drawRoundedRect(box, 4, 4)
        if option.state & QStyle.StateFlag.State_Selected:  # type: ignore[attr-defined]  # not in the stubs
            painter.setPen(QPen(theme.colour("focus"), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(box.adjusted(-0.5, -0.5, 0.5, 0.5), 4, 4)
        painter.setPen(contrast(fill) if share > 0 else theme.colour("text2"))
        reach = model.reach(cell)
        painter.setFont(theme.font("body", "semibold" if reach else "regular"))
        line = painter.fontMetrics().height()
        upper = box
        if reach:
            upper = QRectF(box.left(), box.center().y() - line + 1, box.width(), line)
        painter.drawText(upper, Qt.AlignmentFlag.AlignCenter, model.figures.text(value))
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
        self.heading = ElidedLabel("strong")
        self.heading.setObjectName("crosstabTitle")
        self.stale_badge = chip("", "warningBadge")
        self.stale_badge.hide()
        self.shown_as = Segmented(
            themes,
            self.tr("Numbers in the cells"),
            [(ESTIMATE, tr("estimate")), (NAIVE, tr("at face value")), (TRUE, tr("true"))],
        )
        self.shown_as.setObjectName("crosstabNumbers")
        self.shown_as.chosen.connect(self._on_chosen)
        self.head.addWidget(self.heading, 1)
        self.head.addWidget(self.stale_badge)
        self.head.addWidget(self.shown_as)
        self.body.addLayout(self.head)
        self.model = CellsModel(self)
        self.table = TextTable(themes, "crosstab", self.tr("Cross table"))
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectItems)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.setModel(self.model)
        self._delegate = CellsDelegate(themes)
        self.table.setItemDelegate(self._delegate)
        self.table.verticalHeader().show()
        self.table.verticalHeader().setHighlightSections(False)
        self.table.selectionModel().currentChanged.connect(self._tell)
        self.table.viewport().installEventFilter(self)
        self.body.addWidget(self.table, 1)
        self.reading = text("", "secondary", wrap=True)
        self.reading.setObjectName("crosstabReading")
        self.body.addWidget(self.reading)
        self.remarks = RemarksLine(themes)
        self.body.addWidget(self.remarks)
        themes.theme_changed.connect(self._fit)

    def show_answer(self, answer: SurveyResult) -> None:
        """Show an answer."""
        found = answer.result
        assert isinstance(found, CrossTable)  # noqa: S101 (other answers have other cards)
        design = answer.study.design
        found = dataclasses.replace(
            found,
            row_labels=label_words(found.row_labels, design[found.rows_of].attribute),
            column_labels=label_words(found.column_labels, design[found.columns_of].attribute),
        )
        parts = (found.rows_of, found.columns_of)
        if found.condition.tests:
            whom = condition_words(found.condition)
            self.heading.setText(self.tr("%s (rows) by %s (columns), where %s") % (*parts, whom))
        else:
            self.heading.setText(self.tr("%s (rows) by %s (columns)") % parts)
        known = found.cells[0][0].true is not None
        why = self.tr("The true answers are not known in this study.")
        self.shown_as.set_disabled({} if known else {TRUE: why})
        if not known and self.shown_as.current == TRUE:
            self.shown_as.set_current(ESTIMATE)
        self._show(found)
        self.remarks.say(answer.remarks)

    def _show(self, found: CrossTable | None) -> None:
        self.model.show_table(found, self.shown_as.current)
        self._delegate.highest = self.model.highest
        self._fit()
        self.reading.setText(self.tr("Choose a cell to read it out."))

    def _on_chosen(self) -> None:
        current = self.table.currentIndex()
        place = current.row(), current.column()
        self._show(self.model.found)
        if place[0] >= 0:
            self.table.setCurrentIndex(self.model.index(*place))

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
        if current.isValid():
            self.reading.setText(self.model.words(current.row(), current.column()))

    def set_stale(self, words: str) -> None:
        """Mark the answer as one to another question or design."""
        self.stale_badge.setText(words)
        self.stale_badge.setVisible(bool(words))
