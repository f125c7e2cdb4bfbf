"""Errors by size of the itemset, as a table or as lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QStackedWidget,
    QWidget,
)

from ppworkbench.analyses.mining.sheets import errors_sheet
from ppworkbench.analyses.mining.tables import F1, SizeErrors
from ppworkbench.gui.charts.axes import number_ticks
from ppworkbench.gui.charts.chart import Plot, Rows, SeriesLegend, draw_hover_box
from ppworkbench.gui.charts.intervals import EstimatesItem, Marks
from ppworkbench.gui.numbers import number
from ppworkbench.gui.pages.mine.texts import errors_sentence, share
from ppworkbench.gui.pages.mine.view import MineView
from ppworkbench.gui.theme import Theme, ThemeManager, set_rules
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.controls import Segmented
from ppworkbench.gui.widgets.labels import ElidedLabel
from ppworkbench.gui.widgets.layout import column, named, row, text
from ppworkbench.gui.widgets.sheet_table import RowLooks, SheetTable


@dataclass(frozen=True)
class SizeLine:
    """A number for some sizes; NaN where there is none."""

    look: str
    name: str
    sizes: tuple[int, ...]
    values: tuple[float, ...]

    def at(self, size: int) -> float:
        """The number of a size, NaN where there is none."""
        return dict(zip(self.sizes, self.values, strict=True)).get(size, float("nan"))


class GridItem(pg.GraphicsObject):  # type: ignore[misc]  # pyqtgraph has no types
    """Level hairlines from side to side, as one item."""

    def __init__(self) -> None:
        super().__init__()
        self._levels: tuple[float, ...] = ()
        self._pen = QPen()
        self.setZValue(-10)

    def show_levels(self, levels: tuple[float, ...], theme: Theme) -> None:
        """Draw lines at other heights."""
        self.prepareGeometryChange()
        self._levels = levels
        self._pen = QPen(theme.colour("grid"), 1)
        self._pen.setCosmetic(True)
        self.update()

    def boundingRect(self) -> QRectF:  # noqa: N802
        return QRectF(self.viewRect()) if self.getViewBox() is not None else QRectF()

    def viewRangeChanged(self) -> None:  # noqa: N802
        """Reach from side to side again."""
        self.prepareGeometryChange()

    def paint(self, painter: QPainter, option: Any, widget: Any = None) -> None:  # noqa: ARG002
        area = self.boundingRect()
        painter.setPen(self._pen)
        painter.drawLines(
            [QLineF(area.left(), level, area.right(), level) for level in self._levels]
        )


class SizePlot(Plot):
    """The pointer tells the numbers of the size under it."""

    def __init__(self, themes: ThemeManager, name: str) -> None:
        self._lines: tuple[SizeLine, ...] = ()
        self._words: Callable[[float], str] = number
        self._top = 1.0
        self._scale = 1.0
        self._hover: tuple[QPointF, int] | None = None
        self._item = EstimatesItem()
        self._grid = GridItem()
        super().__init__(themes, name)
        self.addItem(self._grid)
        self.addItem(self._item)
        self.rows = self._table
        self.hovered.connect(self._on_hovered)
        for side in ("left", "bottom"):
            self.getAxis(side).setStyle(tickTextOffset=5, hideOverlappingLabels=False)
        self.getPlotItem().setContentsMargins(0, 6, 12, 0)

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(220, 110)

    @property
    def lines(self) -> tuple[SizeLine, ...]:
        return self._lines

    def show_lines(
        self, lines: tuple[SizeLine, ...], words: Callable[[float], str], scale: float = 100.0
    ) -> None:
        """Show other lines; the axis counts in parts of ``scale``, in percent for 100."""
        self._lines, self._words, self._scale, self._hover = lines, words, scale, None
        self._redraw()
        self.setAccessibleDescription(self.summary())

    def retheme(self) -> None:
        self.label_axes(bottom=self.tr("items in the set"))
        size = self.themes.theme.font("caption").pixelSize()
        self.getAxis("bottom").setHeight(2 * size + 13)
        self._redraw()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        if self._lines:
            self._redraw()

    @property
    def _sizes(self) -> list[int]:
        return sorted({size for line in self._lines for size in line.sizes})

    def _redraw(self) -> None:
        theme = self.themes.theme
        known = [v for line in self._lines for v in line.values if np.isfinite(v)]
        if not known:
            self._item.set_marks((), theme)
            self._grid.show_levels((), theme)
            return
        sizes = self._sizes
        self._top = max(max(known) * 1.08, 0.01)
        self.setXRange(sizes[0] - 0.3, max(sizes[-1], sizes[0] + 1) + 0.3, padding=0.0)
        self.setYRange(0.0, self._top, padding=0.0)
        unit = " %" if self._scale == 100.0 else ""
        ticks = number_ticks(0.0, self._scale * self._top, max(2, self.height() // 44))
        named = [(value / self._scale, f"{words}{unit}") for value, words in ticks]
        self.getAxis("left").setTicks([named])
        self.getAxis("bottom").setTicks([[(float(size), str(size)) for size in sizes]])
        self._grid.show_levels(tuple(value for value, _ in named), theme)
        self._item.set_marks([marks for line in self._lines for marks in _marks(line)], theme)

    def _on_hovered(self, point: QPointF | None) -> None:
        before, self._hover = self._hover, None
        if point is not None and self._lines and round(point.x()) in self._sizes:
            position = self.getPlotItem().getViewBox().mapViewToScene(point)
            self._hover = QPointF(self.mapFromScene(position)), round(point.x())
        if before != self._hover:
            self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """Draw the plot, and the box of values at the pointer."""
        super().paintEvent(event)
        if self._hover is None:
            return
        at, size = self._hover
        painter = QPainter(self.viewport())
        entries = [(line.look, line.name, self._words(line.at(size))) for line in self._lines]
        title = self.tr("%s items") % size if size > 1 else self.tr("1 item")
        area = self.viewport().size()
        draw_hover_box(painter, self.themes.theme, at, area, title, entries)
        painter.end()

    def summary(self) -> str:
        return "; ".join(
            f"{line.name}: "
            + ", ".join(
                self.tr("size %s %s") % (size, self._words(value))
                for size, value in zip(line.sizes, line.values, strict=True)
            )
            for line in self._lines
        )

    def _table(self) -> Rows:
        head = [self.tr("size"), *(line.name for line in self._lines)]
        rows = [
            [str(size), *(f"{line.at(size):.6g}" for line in self._lines)] for size in self._sizes
        ]
        return [head, *rows]


def _marks(line: SizeLine) -> list[Marks]:
    """The line in pieces: it is broken where a number is not known."""
    x, y = np.array(line.sizes, float), np.array(line.values, float)
    known = np.isfinite(y)
    pieces = np.split(np.arange(len(x)), np.flatnonzero(np.diff(known.astype(int))) + 1)
    return [
        Marks(line.look, x[part], y[part], slice(None), joined=True)
        for part in pieces
        if len(part) and known[part[0]]
    ]


TABLE, CHART = "table", "chart"
_NO_LIMIT = 16_777_215


class ErrorsChart(QWidget):
    """The three errors as lines over the sizes."""

    def __init__(self, themes: ThemeManager, name: str) -> None:
        super().__init__()
        self.plot = named(SizePlot(themes, name), "sizePlot")
        self.legend = SeriesLegend(themes)
        layout = column(self.legend, self.plot, parent=self, spacing=2)
        layout.setContentsMargins(12, 0, 8, 0)
        layout.setStretch(1, 1)

    def show_errors(self, errors: Sequence[SizeErrors]) -> None:
        sizes = tuple(e.size for e in errors)
        lines = (
            SizeLine("series 0", self.tr("support error"), sizes,
                     tuple(e.support_error for e in errors)),
            SizeLine("series 1", self.tr("missed"), sizes, tuple(e.missed for e in errors)),
            SizeLine("series 2", self.tr("false positives"), sizes, tuple(e.extra for e in errors)),
        )  # fmt: skip
        self.plot.show_lines(lines if errors else (), lambda value: share(value, 1))
        self.legend.show_entries(tuple((line.look, line.name) for line in lines), lines=True)


class ErrorsCard(Card):
    """The truth is known, else nothing could be said."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(padding=0)
        self._themes = themes
        self._errors: tuple[SizeErrors, ...] = ()
        # Where it is narrow F1 is left to the comparison of runs.
        self.table = SheetTable(
            themes, "sizeErrors", self.tr("Errors by itemset size"), spare=(F1,), chooses=False,
            hugs=3, pad=4, sorts=False,
        )  # fmt: skip
        self._chart: ErrorsChart | None = None
        self.view = Segmented(
            themes, self.tr("Show as"), [(TABLE, self.tr("Table")), (CHART, self.tr("Chart"))]
        )
        self.view.setObjectName("errorsView")
        self.view.chosen.connect(self._on_view)
        self.sentence = named(text("", "secondary", wrap=True), "errorsSentence")
        self.sentence.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._arrange()
        themes.theme_changed.connect(self._restyle)
        self._restyle()

    def _arrange(self) -> None:
        self.stack = QStackedWidget()
        self.stack.addWidget(self.table)
        title = ElidedLabel("strong", self.tr("Errors by itemset size"), lines=2)
        head = row(title, self.view)
        head.setStretch(0, 1)
        head.setContentsMargins(13, 10, 12, 6)
        foot = row(self.sentence)
        foot.setContentsMargins(13, 8, 13, 10)
        self.body.setContentsMargins(1, 1, 1, 1)
        self.body.setSpacing(0)
        self.body.addLayout(head)
        self.body.addWidget(self.stack, 1)
        self.body.addLayout(foot)
        self.body.addStretch(0)

    def set_view(self, view: MineView) -> None:
        """Show the errors of a run and what to make of them; without a run there is no card."""
        run = view.run
        self.setVisible(run is not None)
        if run is None:
            return
        self._errors = run.errors
        self.table.set_sheet(errors_sheet(run.errors), RowLooks(is_stale=view.is_stale))
        if self.view.current == CHART:
            self.chart.show_errors(run.errors)
        self.sentence.setText(errors_sentence(run))
        self.stack.setVisible(bool(run.errors))
        self.view.setVisible(bool(run.errors))
        self._fit_height()

    @property
    def chart(self) -> ErrorsChart:
        """The lines, made when they are first looked at."""
        if self._chart is None:
            self._chart = ErrorsChart(self._themes, self.tr("Errors by itemset size"))
            self.stack.addWidget(self._chart)
        return self._chart

    def _on_view(self, key: str) -> None:
        if key == CHART:
            self.chart.show_errors(self._errors)
        self.stack.setCurrentWidget(self.table if key == TABLE else self.chart)
        self._fit_height()

    def _fit_height(self) -> None:
        """The table ends with its last row, so that the sentence follows it; a chart may grow."""
        is_table = self.stack.currentIndex() == 0
        self.stack.setMaximumHeight(self.table.maximumHeight() if is_table else _NO_LIMIT)

    def _restyle(self) -> None:
        caption = self._themes.theme.font("caption").pixelSize()
        set_rules(self.view, f"font-size: {caption}px;")
