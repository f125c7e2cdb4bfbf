"""Runs beside each other: what each found, and one of its measures over the sizes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QMenu,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from ppworkbench.analyses.mining.runs import MiningRun
from ppworkbench.analyses.mining.tables import F1, FOUND, longest_set, measure_at
from ppworkbench.gui.charts.chart import SeriesLegend
from ppworkbench.gui.charts.looks import draw_marker, look_colour, look_marker, series_look
from ppworkbench.gui.dialogs import show_menu
from ppworkbench.gui.language import tr
from ppworkbench.gui.numbers import number
from ppworkbench.gui.pages.mine.errors_card import SizeLine, SizePlot
from ppworkbench.gui.pages.mine.itemset_table import ListingHeader
from ppworkbench.gui.pages.mine.texts import (
    measure_words,
    run_details,
    run_title,
    seconds,
    value_words,
)
from ppworkbench.gui.pages.mine.view import MineView
from ppworkbench.gui.theme import ThemeManager, set_outline
from ppworkbench.gui.widgets.layout import column, named, text
from ppworkbench.gui.widgets.table import (
    EDGE,
    PAD,
    ROW,
    Column,
    ColumnModel,
    Index,
    enable_copy,
)

_MOST_SIZES = 6
"""Sizes beyond these have no column; they are in the chart."""
_DRAWN = 6
"""Runs whose lines are drawn; more cannot be told apart."""
_HEIGHT = 44
_FOUND, _SIZE, _TIME = 62, 58, 72


@dataclass(frozen=True, eq=False)
class RunRow:
    """A run, whether its tables are shown, and whether it belongs to another design."""

    run: MiningRun
    is_shown: bool
    is_stale: bool

    @property
    def look(self) -> str:
        """Its look in the table and in the picture: a run keeps it as long as it is kept."""
        return series_look((self.run.number - 1) % _DRAWN)

    @property
    def tip(self) -> str:
        words = tr("%s: %s. Click to show this run.") % (run_title(self.run), run_details(self.run))
        if self.is_stale:
            words += " " + tr("Computed with another design or other answers.")
        return words


def run_columns(rows: Sequence[RunRow], measure: str) -> list[Column[RunRow]]:
    """The columns of a measure go over the sizes; the best run of each is bold."""
    longest = min(longest_set(row.run for row in rows), _MOST_SIZES)
    return [
        Column(tr("Run"), lambda row: run_title(row.run), tip=_tip, is_left=True),
        Column(tr("Found"), lambda row: number(row.run.total), tip=_tip),
        *(_size_column(rows, measure, size) for size in range(1, longest + 1)),
        Column(tr("Time"), lambda row: seconds(row.run.seconds), tip=_tip),
    ]


def _tip(row: RunRow) -> str:
    return row.tip


def _size_column(rows: Sequence[RunRow], measure: str, size: int) -> Column[RunRow]:
    return Column(
        number(size),
        lambda row: value_words(measure, measure_at(row.run, measure, size)),
        tr("%s, sets of size %s") % (measure_words(measure), number(size)),
        tip=_tip,
        weight=_weigh(rows, measure, size),
    )


def _weigh(rows: Sequence[RunRow], measure: str, size: int) -> Callable[[RunRow], str] | None:
    """How bold the values of a column are; None where nothing can be best."""
    values = (measure_at(row.run, measure, size) for row in rows)
    known = [value for value in values if not math.isnan(value)]
    if measure == FOUND or len(known) < 2:
        return None
    best = max(known) if measure == F1 else min(known)

    def weigh(row: RunRow) -> str:
        is_best = math.isclose(measure_at(row.run, measure, size), best, abs_tol=1e-9)
        return "semibold" if is_best else "regular"

    return weigh


class RunsDelegate(QStyledItemDelegate):
    """Two lines for the run, numbers at the right."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme, row = self._themes.theme, index.data(ROW)
        box = QRectF(option.rect)  # type: ignore[attr-defined]  # not in the stubs
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if row.is_shown:
            painter.fillRect(box, theme.colour("accentTint"))
        painter.setPen(QPen(theme.colour("border"), 1))
        painter.drawLine(box.bottomLeft(), box.bottomRight())
        if index.column() == 0:
            self._name(painter, box.adjusted(EDGE, theme.px(4), -PAD, 0), row)
            if option.state & QStyle.StateFlag.State_HasFocus:  # type: ignore[attr-defined]  # not in the stubs
                set_outline(painter, QPen(theme.colour("focus"), 2))
                painter.drawRoundedRect(box.adjusted(2, 2, -2, -3), 4, 4)
        else:
            font = index.data(Qt.ItemDataRole.FontRole)
            painter.setFont(theme.font("body") if font is None else font)
            painter.setPen(theme.colour("text3" if row.is_stale else "text"))
            is_last = index.column() == index.model().columnCount() - 1
            area = box.adjusted(0, 0, -EDGE if is_last else -PAD, 0)
            flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
            painter.drawText(area, flags, str(index.data()))
        painter.restore()

    def _name(self, painter: QPainter, area: QRectF, row: RunRow) -> None:
        theme = self._themes.theme
        line = QRectF(area.left(), area.top(), area.width(), theme.px(20))
        at = QPointF(line.left() + 5, line.center().y())
        draw_marker(painter, look_marker(row.look), at, 4.0, look_colour(theme, row.look))
        line.adjust(18, 0, 0, 0)
        painter.setFont(theme.font("body", "semibold" if row.is_shown else "medium"))
        painter.setPen(theme.colour("text3" if row.is_stale else "text"))
        elide = Qt.TextElideMode.ElideRight
        words = painter.fontMetrics().elidedText(run_title(row.run), elide, int(line.width()))
        painter.drawText(line, Qt.AlignmentFlag.AlignVCenter, words)
        painter.setFont(theme.font("caption"))
        painter.setPen(theme.colour("text2" if row.is_shown else "text3"))
        words = painter.fontMetrics().elidedText(run_details(row.run), elide, int(line.width()))
        below = line.translated(0, theme.px(18)).adjusted(0, 0, 0, -2)
        painter.drawText(below, Qt.AlignmentFlag.AlignVCenter, words)


class RunsTable(QTableView):
    """A click or Enter brings a run back; Delete forgets it."""

    run_chosen = Signal(int)
    run_removed = Signal(int)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._model: ColumnModel[RunRow] = ColumnModel(themes, parent=self)
        self.setAccessibleName(self.tr("Runs"))
        self.head = ListingHeader(themes, self)
        self.head.setSectionsClickable(False)
        self.setHorizontalHeader(self.head)
        self.setModel(self._model)
        self._delegate = RunsDelegate(themes)
        self.setItemDelegate(self._delegate)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        enable_copy(self)
        self.clicked.connect(lambda index: self.run_chosen.emit(index.data(ROW).run.number))
        self._model.modelReset.connect(self._fit)
        themes.theme_changed.connect(self._restyle)
        self._restyle()

    def show_rows(self, rows: Sequence[RunRow], measure: str) -> None:
        """Show other runs, or another measure."""
        self._model.set_rows(rows, run_columns(rows, measure))
        px = self._themes.theme.px
        height = self.head.sizeHint().height() + len(rows) * px(_HEIGHT) + 2
        self.setMaximumHeight(max(height, 2 * px(_HEIGHT)))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        row = self.currentIndex().data(ROW) if self.currentIndex().isValid() else None
        if row is not None and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.run_chosen.emit(row.run.number)
        elif row is not None and event.key() == Qt.Key.Key_Delete:
            self.run_removed.emit(row.run.number)
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802
        index = self.indexAt(event.pos())
        if index.isValid():
            show_menu(self.make_menu(index.data(ROW).run.number), event.globalPos())

    def make_menu(self, run: int) -> QMenu:
        """The menu of the right button."""
        menu = QMenu(self)
        menu.addAction(self.tr("Show this run"), lambda: self.run_chosen.emit(run))
        menu.addAction(self.tr("Delete run"), lambda: self.run_removed.emit(run))
        return menu

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        px, sizes = self._themes.theme.px, max(self._model.columnCount() - 3, 0)
        widths = [0, px(_FOUND), *([px(_SIZE)] * sizes), px(_TIME)]
        room = self.viewport().width()
        for section, width in enumerate(widths[: self._model.columnCount()]):
            self.setColumnWidth(section, width or max(room - sum(widths), px(140)))

    def _restyle(self) -> None:
        self.verticalHeader().setDefaultSectionSize(self._themes.theme.px(_HEIGHT))
        self._fit()


class RunsCard(QWidget):
    """All runs, and the chosen measure of the newest as lines."""

    run_chosen = Signal(int)
    run_removed = Signal(int)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self.table = named(RunsTable(themes), "runs")
        self.table.run_chosen.connect(self.run_chosen)
        self.table.run_removed.connect(self.run_removed)
        self.title = text("", "label")
        self.legend = SeriesLegend(themes)
        self.plot = named(SizePlot(themes, self.tr("Run comparison")), "runsPlot")
        lower = QWidget()
        below = column(self.title, self.legend, self.plot, parent=lower, spacing=3)
        below.setContentsMargins(EDGE, 8, EDGE - 4, 0)
        below.setStretch(2, 1)
        layout = column(self.table, lower, parent=self, spacing=0)
        layout.setStretch(0, 6)
        layout.setStretch(1, 5)

    def set_view(self, view: MineView) -> None:
        """Show the runs, the newest first."""
        measure = view.measure
        rows = [RunRow(run, run is view.run, run.number in view.stale) for run in view.runs]
        self.table.show_rows(rows[::-1], measure)
        self.title.setText(measure_words(measure))
        drawn = rows[-_DRAWN:]
        sizes = tuple(range(1, longest_set(row.run for row in drawn) + 1))
        lines = tuple(
            SizeLine(row.look, run_title(row.run), sizes,
                     tuple(measure_at(row.run, measure, size) for size in sizes))
            for row in drawn
        )  # fmt: skip
        scale = 1.0 if measure in (F1, FOUND) else 100.0
        self.plot.show_lines(lines, lambda value: value_words(measure, value), scale)
        self.legend.show_entries(tuple((line.look, line.name) for line in lines), lines=True)
