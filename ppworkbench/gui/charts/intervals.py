"""Estimates with their intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from pyqtgraph.functions import arrayToQPolygonF
from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFontMetricsF,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
    QResizeEvent,
    QTransform,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from ppworkbench.core.arrays import Numbers
from ppworkbench.gui.charts.axes import NamesAxis, NotesAxis, number_ticks
from ppworkbench.gui.charts.chart import PixelItem, Plot, Rows, draw_hover_box
from ppworkbench.gui.charts.looks import (
    draw_mark,
    draw_marker,
    is_series,
    look_colour,
    look_marker,
    look_pen,
    role_brush,
)
from ppworkbench.gui.numbers import number
from ppworkbench.gui.theme import Theme, ThemeManager, set_fill, smooth_painter

_PILL = 9.0
_CAP = 5.0
_ARROW = 10.0


class IntervalItem(PixelItem):
    """All rows of a plot as one item."""

    def __init__(self, *, wide: bool) -> None:
        super().__init__()
        self._rows: tuple[IntervalRow, ...] = ()
        self._theme: Theme | None = None
        self._wide = wide
        self._is_stale = False
        self._grid: tuple[float, ...] = ()
        self._hatch = QBrush()
        self.setZValue(5)

    def set_rows(self, rows: Sequence[IntervalRow], theme: Theme, *, stale: bool) -> None:
        """Draw other rows."""
        self.prepareGeometryChange()
        if theme is not self._theme:
            self._hatch = role_brush(theme, "distorted")
        self._rows, self._theme, self._is_stale = tuple(rows), theme, stale
        self.update()

    def set_grid(self, values: Sequence[float]) -> None:
        """Draw lines at other places of the bottom axis."""
        self._grid = tuple(values)
        self.update()

    def boundingRect(self) -> QRectF:  # noqa: N802
        view = self.getViewBox()
        return QRectF() if view is None else view.viewRect()

    def viewRangeChanged(self) -> None:  # noqa: N802
        """The area follows the axes."""
        self.prepareGeometryChange()

    def draw(self, painter: QPainter, to_device: QTransform) -> None:
        if self._theme is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._draw_grid(painter, to_device)
        if self._is_stale:
            painter.setOpacity(0.45)
        for place, row in enumerate(self._rows):
            for mark in row.marks:
                self._draw_ends(painter, mark, place, to_device)
            for mark in row.marks:
                at = to_device.map(QPointF(mark.value, place))
                draw_mark(painter, self._theme, mark.look, at, hatched=self._hatch)
            for mark in row.marks:
                at = to_device.map(QPointF(mark.value, place))
                end = to_device.map(QPointF(mark.high if mark.has_interval else mark.value, place))
                self._draw_words(painter, mark, at, end)

    def _draw_ends(self, painter: QPainter, mark: Mark, place: int, to_device: QTransform) -> None:
        """Draw an interval, with arrows where it leaves the picture.

        Nobody may take the edge of the picture for the end of an interval.
        """
        view = self.getViewBox().viewRect()
        left, right = view.left(), view.right()
        low, high = (mark.low, mark.high) if mark.has_interval else (mark.value, mark.value)
        if mark.has_interval and low <= right and high >= left:
            ends = [QPointF(max(low, left), place), QPointF(min(high, right), place)]
            self._draw_interval(painter, mark, *(to_device.map(end) for end in ends))
        if low < left:
            self._draw_arrow(painter, mark, to_device.map(QPointF(left, place)), 1)
        if high > right:
            self._draw_arrow(painter, mark, to_device.map(QPointF(right, place)), -1)

    def _draw_arrow(self, painter: QPainter, mark: Mark, edge: QPointF, inward: int) -> None:
        """Point out of the picture."""
        assert self._theme is not None  # noqa: S101 (seen by the caller)
        base = edge.x() + inward * _ARROW
        corners = [edge, QPointF(base, edge.y() - _ARROW / 2), QPointF(base, edge.y() + _ARROW / 2)]
        set_fill(painter, look_colour(self._theme, mark.look))
        painter.drawPolygon(QPolygonF(corners))

    def _draw_grid(self, painter: QPainter, to_device: QTransform) -> None:
        assert self._theme is not None  # noqa: S101 (seen by the caller)
        painter.setPen(QPen(self._theme.colour("grid"), 1))
        ends = (-0.5, len(self._rows) - 0.5)
        for value in self._grid:
            x = round(to_device.map(QPointF(value, 0)).x()) + 0.5
            top, bottom = (to_device.map(QPointF(value, y)).y() for y in ends)
            painter.drawLine(QLineF(x, top, x, bottom))

    def _draw_interval(self, painter: QPainter, mark: Mark, low: QPointF, high: QPointF) -> None:
        assert self._theme is not None  # noqa: S101 (seen by the caller)
        ink = look_colour(self._theme, mark.look)
        if self._wide:
            box = QRectF(low.x(), low.y() - _PILL / 2, max(high.x() - low.x(), _PILL), _PILL)
            painter.setPen(QPen(ink, 1.2))
            painter.setBrush(_tint(self._theme, mark.look))
            painter.drawRoundedRect(box, _PILL / 2, _PILL / 2)
            return
        painter.setPen(QPen(ink, self._theme.stroke(2)))
        view = self.getViewBox().viewRect()
        ends = ((mark.low, low), (mark.high, high))
        caps = [end for value, end in ends if view.left() <= value <= view.right()]
        lines = [QLineF(low, high)]
        lines += [QLineF(end.x(), end.y() - _CAP, end.x(), end.y() + _CAP) for end in caps]
        painter.drawLines(lines)

    def _draw_words(self, painter: QPainter, mark: Mark, at: QPointF, end: QPointF) -> None:
        if not mark.words:
            return
        theme = self._theme
        assert theme is not None  # noqa: S101 (seen by the caller)
        x = max(at.x() + 8, end.x()) + 8
        painter.setFont(theme.font("body", "semibold"))
        ink = look_colour(theme, mark.look) if is_series(mark.look) else theme.role(mark.look).text
        painter.setPen(ink)
        width = painter.fontMetrics().horizontalAdvance(mark.words)
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.drawText(QRectF(x, at.y() - 12, width + 4, 24), flags, mark.words)
        if mark.note:
            painter.setFont(theme.font("caption"))
            painter.setPen(theme.colour("text3"))
            painter.drawText(QRectF(x + width + 10, at.y() - 12, 400, 24), flags, mark.note)


def _tint(theme: Theme, look: str) -> QColor:
    if not is_series(look):
        return theme.role(look).tint
    ink = QColor(look_colour(theme, look))
    ink.setAlpha(40)
    return ink


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
        return self._shown

    @property
    def is_stale(self) -> bool:
        """Whether the marks are dimmed."""
        return self._is_stale

    def sizeHint(self) -> QSize:  # noqa: N802
        px, has_captions = self.themes.theme.px, any(row.caption for row in self._shown)
        line = px(38 if has_captions else 30)
        return QSize(px(320), px(34) + line * max(len(self._shown), 3))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        px, has_captions = self.themes.theme.px, any(row.caption for row in self._shown)
        line = px(26 if has_captions else 17)
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
        self._redraw()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        # A plot that is closed has nothing to scale any more.
        if not self._shown or event is None or self.getPlotItem() is None:
            return
        if event.oldSize().width() != event.size().width():
            self._write_names()
            self._scale_bottom()

    def _redraw(self) -> None:
        theme = self.themes.theme
        self._write_names()
        self._notes.show_rows([(r.note, "", r.bold) for r in self._shown])
        self._item.set_rows(self._shown, theme, stale=self._is_stale)
        if not self._shown:
            return
        self.setYRange(-0.5, len(self._shown) - 0.5, padding=0.0)
        self._scale_bottom()
        self.setAccessibleDescription(self.summary())

    def _write_names(self) -> None:
        names = [(row.name, row.caption, row.bold) for row in self._shown]
        self._names.show_rows(names, self.width())

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


@dataclass(frozen=True, eq=False)
class Marks:
    """Points of one algorithm; joined by a line, or with intervals where those are known.

    ``marked`` says which of the points carry the marker.
    """

    look: str
    x: Numbers
    y: Numbers
    marked: slice
    joined: bool
    low: Numbers | None = None
    high: Numbers | None = None


class EstimatesItem(PixelItem):
    """The estimates of all algorithms as one item."""

    def __init__(self) -> None:
        super().__init__()
        self._marks: tuple[Marks, ...] = ()
        self._theme: Theme | None = None
        self.setZValue(5)

    def set_marks(self, marks: Sequence[Marks], theme: Theme) -> None:
        """Draw other estimates."""
        self._marks, self._theme = tuple(marks), theme
        bounds = self._bounds
        if self._marks:
            left = min(float(m.x.min()) for m in self._marks) - 1
            right = max(float(m.x.max()) for m in self._marks) + 1
            top = max(float(np.max(m.y if m.high is None else m.high)) for m in self._marks)
            bounds = QRectF(left, 0, right - left, max(top, 1e-9))
        self.cover(bounds)

    def draw(self, painter: QPainter, to_device: QTransform) -> None:
        """Draw lines and whiskers first, then the markers over them."""
        if self._theme is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for marks in self._marks:
            x = marks.x * to_device.m11() + to_device.dx()
            y = marks.y * to_device.m22() + to_device.dy()
            if marks.joined:
                painter.setPen(look_pen(self._theme, marks.look))
                painter.drawPolyline(arrayToQPolygonF(x, y))
            elif marks.low is not None and marks.high is not None:
                low = marks.low * to_device.m22() + to_device.dy()
                high = marks.high * to_device.m22() + to_device.dy()
                self._draw_whiskers(painter, marks.look, x, low, high)
            ink, marker = look_colour(self._theme, marks.look), look_marker(marks.look)
            for place, height in zip(x[marks.marked], y[marks.marked], strict=True):
                draw_marker(painter, marker, QPointF(place, height), 3.6, ink)

    def _draw_whiskers(
        self, painter: QPainter, look: str, x: Numbers, low: Numbers, high: Numbers
    ) -> None:
        assert self._theme is not None  # noqa: S101 (seen by the caller)
        painter.setPen(QPen(look_colour(self._theme, look), self._theme.stroke(1.5)))
        lines = []
        for middle, bottom, top in zip(x.tolist(), low.tolist(), high.tolist(), strict=True):
            lines.append(QLineF(middle, top, middle, bottom))
            lines += [QLineF(middle - 3.5, end, middle + 3.5, end) for end in (top, bottom)]
        painter.drawLines(lines)


_WITH_LINE, _ALONE = 22, 14


class MarkLegend(QWidget):
    """Entries of (look, words); the reconstructed mark has its interval."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self.entries: tuple[tuple[str, str], ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        themes.theme_changed.connect(self.updateGeometry)
        themes.theme_changed.connect(self.update)

    def show_entries(self, entries: tuple[tuple[str, str], ...]) -> None:
        if entries != self.entries:
            self.entries = entries
            self.setAccessibleName(", ".join(words for _, words in entries))
            self.updateGeometry()
            self.update()

    def _room(self, look: str) -> int:
        return _WITH_LINE if look == "reconstructed" else _ALONE

    def sizeHint(self) -> QSize:  # noqa: N802
        metrics = QFontMetricsF(self._themes.theme.font("caption"))
        width = sum(
            self._room(look) + metrics.horizontalAdvance(words) + 24 for look, words in self.entries
        )
        return QSize(max(round(width) - 18, 0), self._themes.theme.px(20))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        theme = self._themes.theme
        painter = smooth_painter(self)
        painter.setFont(theme.font("caption"))
        x, middle = 0.0, self.height() / 2
        for look, words in self.entries:
            room = self._room(look)
            if look == "reconstructed":
                painter.setPen(QPen(theme.role(look).line, 2))
                painter.drawLine(QLineF(x, middle, x + room, middle))
            draw_mark(painter, theme, look, QPointF(x + room / 2, middle), 4.5)
            x += room + 6
            painter.setPen(theme.colour("text2"))
            width = painter.fontMetrics().horizontalAdvance(words)
            box = QRectF(x, 0, width + 4, self.height())
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, words)
            x += width + 18
