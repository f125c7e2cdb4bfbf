"""The comparison of runs: a table over a picture."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
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

from ppworkbench.gui.dialogs import show_menu
from ppworkbench.gui.pages.mine.listing_rows import EDGE, PAD
from ppworkbench.gui.pages.mine.listing_view import ListingHeader
from ppworkbench.gui.pages.mine.run import Run
from ppworkbench.gui.pages.mine.runs_model import (
    FOUND,
    RUN,
    Index,
    RunsModel,
    measure_words,
    run_details,
    run_title,
    value_of,
    value_words,
)
from ppworkbench.gui.pages.mine.size_plot import SizeLine, SizePlot
from ppworkbench.gui.plots.series import draw_marker, look_colour, look_marker, series_look
from ppworkbench.gui.plots.series_legend import SeriesLegend
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.layouts import column, text
from ppworkbench.gui.widgets.table_copy import let_copy

_HEIGHT = 44
_FOUND, _SIZE, _TIME = 62, 58, 72
_DRAWN = 6
"""Runs whose lines are drawn; more cannot be told apart."""


def look_of(run: Run) -> str:
    """The look of a run in the table and in the picture: it keeps it as long as it is kept."""
    return series_look((run.number - 1) % _DRAWN)


class RunsDelegate(QStyledItemDelegate):
    """Two lines for the run, numbers at the right; the best of a column is bold."""

    def __init__(self, themes: ThemeManager, model: RunsModel) -> None:
        super().__init__()
        self._themes = themes
        self._model = model

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: ARG002, N802
        """Rows of two lines."""
        return QSize(60, self._themes.theme.px(_HEIGHT))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw one cell."""
        theme, run, section = self._themes.theme, index.data(RUN), index.column()
        box = QRectF(option.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if run.number == self._model.shown_number:
            painter.fillRect(option.rect, theme.colour("accentTint"))
        painter.setPen(QPen(theme.colour("border"), 1))
        painter.drawLine(QPointF(box.left(), box.bottom()), QPointF(box.right(), box.bottom()))
        is_last = section == self._model.columnCount() - 1
        ink = theme.colour("text3" if run.number in self._model.stale else "text")
        if section == 0:
            self._name(painter, box.adjusted(EDGE, theme.px(4), -PAD, 0), run)
            if option.state & QStyle.StateFlag.State_HasFocus:
                painter.setPen(QPen(theme.colour("focus"), 2))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRoundedRect(box.adjusted(2, 2, -2, -3), 4, 4)
        else:
            value = value_of(run, self._model.measure, self._size(section))
            best = self._model.best(section)
            is_best = not math.isnan(best) and math.isclose(value, best, abs_tol=1e-9)
            painter.setFont(theme.font("body", "semibold" if is_best else "regular"))
            painter.setPen(ink)
            area = box.adjusted(0, 0, -EDGE if is_last else -PAD, 0)
            flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
            painter.drawText(area, flags, str(index.data()))
        painter.restore()

    def _size(self, section: int) -> int:
        sizes = self._model.sizes
        return sizes[section - 2] if 0 <= section - 2 < len(sizes) else 0

    def _name(self, painter: QPainter, area: QRectF, run: Run) -> None:
        theme, look = self._themes.theme, look_of(run)
        line = QRectF(area.left(), area.top(), area.width(), theme.px(20))
        at = QPointF(line.left() + 5, line.center().y())
        draw_marker(painter, look_marker(look), at, 4.0, look_colour(theme, look))
        line.adjust(18, 0, 0, 0)
        is_shown = run.number == self._model.shown_number
        painter.setFont(theme.font("body", "semibold" if is_shown else "medium"))
        painter.setPen(theme.colour("text3" if run.number in self._model.stale else "text"))
        elide = Qt.TextElideMode.ElideRight
        words = painter.fontMetrics().elidedText(run_title(run), elide, int(line.width()))
        painter.drawText(line, Qt.AlignmentFlag.AlignVCenter, words)
        painter.setFont(theme.font("caption"))
        painter.setPen(theme.colour("text2" if is_shown else "text3"))
        words = painter.fontMetrics().elidedText(run_details(run), elide, int(line.width()))
        below = line.translated(0, theme.px(18)).adjusted(0, 0, 0, -2)
        painter.drawText(below, Qt.AlignmentFlag.AlignVCenter, words)


class RunsTable(QTableView):
    """A click or Enter brings a run back; Delete forgets it."""

    run_chosen = Signal(int)
    run_removed = Signal(int)

    def __init__(self, themes: ThemeManager, model: RunsModel) -> None:
        super().__init__()
        self._themes = themes
        self._model = model
        self.setAccessibleName(self.tr("Runs"))
        self.head = ListingHeader(themes, self)
        self.head.setSectionsClickable(False)
        self.setHorizontalHeader(self.head)
        self.setModel(model)
        self._delegate = RunsDelegate(themes, model)
        self.setItemDelegate(self._delegate)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        let_copy(self)
        self.clicked.connect(self._on_clicked)
        model.modelReset.connect(self._fit)
        themes.theme_changed.connect(self._restyle)
        self._restyle()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Bring back or forget the current run."""
        run = self.currentIndex().data(RUN) if self.currentIndex().isValid() else None
        if run is not None and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.run_chosen.emit(run.number)
        elif run is not None and event.key() == Qt.Key.Key_Delete:
            self.run_removed.emit(run.number)
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802
        """Offer both."""
        index = self.indexAt(event.pos())
        if index.isValid():
            show_menu(self.make_menu(index.data(RUN).number), event.globalPos())

    def make_menu(self, run: int) -> QMenu:
        """The menu of the right button."""
        menu = QMenu(self)
        menu.addAction(self.tr("Bring this run back"), lambda: self.run_chosen.emit(run))
        menu.addAction(self.tr("Forget this run"), lambda: self.run_removed.emit(run))
        return menu

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Give the names what room there is."""
        super().resizeEvent(event)
        self._fit()

    def _on_clicked(self, index: Index) -> None:
        self.run_chosen.emit(index.data(RUN).number)

    def _fit(self) -> None:
        px, sizes = self._themes.theme.px, len(self._model.sizes)
        widths = [0, px(_FOUND), *([px(_SIZE)] * sizes), px(_TIME)]
        room = self.viewport().width()
        for section, width in enumerate(widths[: self._model.columnCount()]):
            self.setColumnWidth(section, width or max(room - sum(widths), px(140)))

    def _restyle(self) -> None:
        theme = self._themes.theme
        self.verticalHeader().setDefaultSectionSize(theme.px(_HEIGHT))
        self._fit()


class RunsView(QWidget):
    """All runs, and the chosen measure of the newest as lines."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self.model = RunsModel(self)
        self.table = RunsTable(themes, self.model)
        self.table.setObjectName("runs")
        self.title = text("", "label")
        self.legend = SeriesLegend(themes)
        self.plot = SizePlot(themes, self.tr("Comparison of the runs"))
        self.plot.setObjectName("runsPlot")
        lower = QWidget()
        below = column(self.title, self.legend, self.plot, parent=lower, spacing=3)
        below.setContentsMargins(EDGE, 8, EDGE - 4, 0)
        below.setStretch(2, 1)
        layout = column(self.table, lower, parent=self, spacing=0)
        layout.setStretch(0, 6)
        layout.setStretch(1, 5)

    def show_runs(
        self, runs: tuple[Run, ...], shown: int, stale: frozenset[int], measure: str
    ) -> None:
        """Show other runs or another measure."""
        self.model.show_runs(runs, shown, stale, measure)
        px = self._themes.theme.px
        height = self.table.head.sizeHint().height() + len(runs) * px(_HEIGHT) + 2
        self.table.setMaximumHeight(max(height, 2 * px(_HEIGHT)))
        self.title.setText(measure_words(measure))
        drawn = runs[-_DRAWN:]
        longest = max((max(len(r.found), len(r.errors)) for r in drawn), default=0)
        sizes = tuple(range(1, longest + 1))
        lines = tuple(
            SizeLine(look_of(run), run_title(run), sizes,
                     tuple(value_of(run, measure, size) for size in sizes))
            for run in drawn
        )  # fmt: skip
        scale = 1.0 if measure in ("f1", FOUND) else 100.0
        self.plot.show_lines(lines, lambda value: value_words(measure, value), scale)
        self.legend.show_entries(tuple((line.look, line.name) for line in lines), lines=True)
