"""One row per method or group: dots with intervals, beside what was reported and what is true."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QSize
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QResizeEvent

from ppworkbench.gui.plots.hover_box import draw_hover_box
from ppworkbench.gui.plots.interval_axes import NamesAxis, NotesAxis
from ppworkbench.gui.plots.interval_item import IntervalItem
from ppworkbench.gui.plots.plot import Plot, Rows
from ppworkbench.gui.plots.ticks import number_ticks
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.words import number


@dataclass(frozen=True)
class Mark:
    """A number in a row.

    ``look`` is one of the three roles or ``series i``. Ends that are not finite are not drawn.
    ``words`` stand beside the mark, ``note`` greyer behind them.
    """

    look: str
    name: str
    value: float
    low: float = math.nan
    high: float = math.nan
    words: str = ""
    note: str = ""

    @property
    def has_interval(self) -> bool:
        """Whether both ends are known."""
        return math.isfinite(self.low) and math.isfinite(self.high)


@dataclass(frozen=True)
class IntervalRow:
    """Marks on one line under a name; ``note`` stands at the right end of the row."""

    name: str
    marks: tuple[Mark, ...] = ()
    caption: str = ""
    note: str = ""
    bold: bool = False


def plain_number(value: float) -> str:
    """A number for the hover box and the clipboard."""
    return number(value, 1)


class IntervalPlot(Plot):
    """Rows from top to bottom; ``wide`` draws intervals as pills instead of whiskers."""

    def __init__(self, themes: ThemeManager, name: str, *, wide: bool = False) -> None:
        self._shown: tuple[IntervalRow, ...] = ()
        self._scale = 1.0
        self._unit = ""
        self._write: Callable[[float], str] = plain_number
        self._from_zero = True
        self._limits: tuple[float, float] | None = None
        self._is_stale = False
        self._hover: tuple[QPointF, int] | None = None
        self._item = IntervalItem(wide=wide)
        self._names, self._notes = NamesAxis(themes), NotesAxis(themes)
        super().__init__(themes, name, left=self._names, right=self._notes)
        item = self.getPlotItem()
        self.addItem(self._item)
        self.rows = self._table
        self.hovered.connect(self._on_hovered)
        self.invertY(True)
        bottom = self.getAxis("bottom")
        bottom.setStyle(tickLength=0, hideOverlappingLabels=False, tickTextOffset=6)
        bottom.setPen(None)
        item.setContentsMargins(0, 0, 0, 0)

    @property
    def shown(self) -> tuple[IntervalRow, ...]:
        """What is shown."""
        return self._shown

    @property
    def is_stale(self) -> bool:
        """Whether the marks are dimmed."""
        return self._is_stale

    def sizeHint(self) -> QSize:  # noqa: N802
        """A line per row."""
        px, has_captions = self.themes.theme.px, any(row.caption for row in self._shown)
        line = px(38 if has_captions else 30)
        return QSize(px(320), px(34) + line * max(len(self._shown), 3))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """Rows that can still be told apart."""
        px, has_captions = self.themes.theme.px, any(row.caption for row in self._shown)
        line = px(30 if has_captions else 17)
        return QSize(px(220), px(28) + line * max(len(self._shown), 2))

    def show_rows(
        self,
        rows: tuple[IntervalRow, ...],
        write: Callable[[float], str] = plain_number,
        *,
        scale: float = 1.0,
        unit: str = "",
        from_zero: bool = True,
        limits: tuple[float, float] | None = None,
    ) -> None:
        """Show other rows; ``scale`` and ``unit`` are those of the axis.

        The axis does not reach beyond ``limits``; arrows at its ends stand for what does.
        """
        self._shown, self._write = rows, write
        self._scale, self._unit, self._from_zero = scale, unit, from_zero
        self._limits = limits
        self._hover = None
        self.updateGeometry()
        self._redraw()

    def set_stale(self, stale: bool) -> None:
        """Dim what belongs to another question or design."""
        if stale != self._is_stale:
            self._is_stale = stale
            self._redraw()

    def retheme(self) -> None:
        """Draw again in the new colours."""
        self._redraw()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Choose ticks for the new width."""
        super().resizeEvent(event)
        # A plot that is closed has nothing to scale any more.
        if not self._shown or event is None or self.getPlotItem() is None:
            return
        if event.oldSize().width() != event.size().width():
            self._scale_bottom()

    def _redraw(self) -> None:
        theme = self.themes.theme
        self._names.show_rows([(r.name, r.caption, r.bold) for r in self._shown])
        self._notes.show_rows([(r.note, "", r.bold) for r in self._shown])
        self._item.set_rows(self._shown, theme, stale=self._is_stale)
        if not self._shown:
            return
        self.setYRange(-0.5, len(self._shown) - 0.5, padding=0.0)
        self._scale_bottom()
        self.setAccessibleDescription(self.summary())

    def _scale_bottom(self) -> None:
        """Choose ends and ticks for the width that there is."""
        room = max(self.width() - self._names.width() - self._notes.width(), 120)
        low, high = self._range(room)
        self.setXRange(low, high, padding=0.0)
        # By itself pyqtgraph leaves no room for what hangs below the line, such as a comma.
        size = self.themes.theme.font("caption").pixelSize()
        self.getAxis("bottom").setHeight(round(1.35 * size) + 6)
        ticks = number_ticks(low * self._scale, high * self._scale, max(2, int(room // 75)))
        placed = [(value / self._scale, f"{words}{self._unit}") for value, words in ticks]
        metrics, end = QFontMetricsF(self.themes.theme.font("caption")), room + self._notes.width()
        for at, words in placed[-1:]:
            if (at - low) / (high - low) * room + metrics.horizontalAdvance(words) / 2 > end:
                # Cut off it could be read as another number; its line stays.
                placed[-1] = (at, "")
        self.getAxis("bottom").setTicks([placed])
        self._item.set_grid([value for value, _ in placed])

    def _range(self, room: float) -> tuple[float, float]:
        """Where an axis of so many pixels begins and ends; words beside a mark need room too."""
        ends = [0.0] if self._from_zero else []
        for row in self._shown:
            for mark in row.marks:
                ends += [e for e in (mark.value, mark.low, mark.high) if math.isfinite(e)]
        if self._limits is not None:
            lowest, highest = self._limits
            ends = [min(max(end, lowest), highest) for end in ends]
        low, high = (min(ends), max(ends)) if ends else (0.0, 1.0)
        if high <= low:
            reach = max(abs(high), 1.0) * 0.5
            low, high = (low if self._from_zero and low == 0 else low - reach), high + reach
        has_words = any(mark.words for row in self._shown for mark in row.marks)
        spread = high - low
        left = 0.02 if self._from_zero and low == 0 else 0.05
        low -= left * spread
        high += (0.16 if has_words else 0.04) * spread
        needed = (self._needed(mark, low, room) for row in self._shown for mark in row.marks)
        return low, max(high, low + max(needed, default=0.0))

    def _needed(self, mark: Mark, low: float, room: float) -> float:
        """How long the axis has to be for the words beside a mark."""
        if not mark.words:
            return 0.0
        theme = self.themes.theme
        width = QFontMetricsF(theme.font("body", "semibold")).horizontalAdvance(mark.words) + 20
        if mark.note:
            width += QFontMetricsF(theme.font("caption")).horizontalAdvance(mark.note) + 10
        end = mark.high if mark.has_interval else mark.value
        return (end - low) * room / max(room - width, 0.3 * room)

    def summary(self) -> str:
        """The picture in words, for screen readers."""
        return "; ".join(f"{row.name}: {self._words(row)}" for row in self._shown)

    def _words(self, row: IntervalRow) -> str:
        return ", ".join(f"{mark.name} {self._value(mark)}" for mark in row.marks)

    def _value(self, mark: Mark) -> str:
        told = self._write(mark.value)
        if not mark.has_interval:
            return told
        return self.tr("%s (%s to %s)") % (told, self._write(mark.low), self._write(mark.high))

    def _table(self) -> Rows:
        heads = ["", "", self.tr("value"), self.tr("low"), self.tr("high")]
        rows = [heads]
        for row in self._shown:
            for mark in row.marks:
                ends = [f"{e:.10g}" if math.isfinite(e) else "" for e in (mark.low, mark.high)]
                rows.append([row.name, mark.name, f"{mark.value:.10g}", *ends])
        return rows

    def _on_hovered(self, point: QPointF | None) -> None:
        self._hover = None
        if point is not None:
            place = round(point.y())
            if 0 <= place < len(self._shown) and self._shown[place].marks:
                position = self.getPlotItem().getViewBox().mapViewToScene(point)
                self._hover = QPointF(self.mapFromScene(position)), place
        self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """Draw the plot, and the box of values at the pointer."""
        super().paintEvent(event)
        if self._hover is None or self._hover[1] >= len(self._shown):
            return
        at, place = self._hover
        row = self._shown[place]
        entries = [(mark.look, mark.name, self._value(mark)) for mark in row.marks]
        painter = QPainter(self.viewport())
        area = self.viewport().size()
        draw_hover_box(painter, self.themes.theme, at, area, row.name, entries)
        painter.end()
