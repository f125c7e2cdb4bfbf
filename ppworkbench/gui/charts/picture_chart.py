"""The chart of the window: a picture drawn by pyqtgraph in the colours of the theme."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPen,
    QResizeEvent,
)

from ppworkbench.core.message import Message
from ppworkbench.gui.charts.axes import (
    OVER_END,
    log_ticks,
    number_ticks,
    value_ticks,
)
from ppworkbench.gui.charts.chart import Entry, Rows
from ppworkbench.gui.charts.legend import PictureLegend
from ppworkbench.gui.charts.picture_reader import PictureReader
from ppworkbench.gui.charts.picture_shapes import PictureCanvas, thin_pen
from ppworkbench.gui.language import translate
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.results.picture import Axis, Mark, Picture, Shape
from ppworkbench.results.sheet import Kind

_NEAR = 12.0
"""Pixels from the pointer to a point of a cloud that is still meant."""
_STALE, _TICK = 0.45, 75
_FEW_ROWS = 1_000
"""Rows of a table that are shown beside the chart."""


class PictureChart(PictureCanvas):
    """Draws any picture; the pointer tells its numbers.

    A click and the arrow keys choose a place where ``is_chosen_from`` is set. The rules that a
    picture names as its handles follow the pointer and the keys.
    """

    place_chosen = Signal(int)
    """A thing, a place along the axis of things, or a point of a cloud, by its number."""
    dragged = Signal(str, float)
    """The name of a handle, and where it was dragged."""

    def __init__(
        self,
        themes: ThemeManager,
        name: str,
        *,
        size: tuple[int, int] = (320, 190),
        least: tuple[int, int] = (180, 110),
        is_wide: bool = False,
    ) -> None:
        self._size, self._least = size, least
        self.told: PictureReader | None = None
        """Reads what is drawn."""
        self._is_stale, self._is_held = False, False
        self.chosen: float | None = None
        """The place that is pointed out."""
        self._legend: PictureLegend | None = None
        self.is_chosen_from = False
        self.on_paper: Callable[[Picture], Picture] | None = None
        """Adds what readers of a figure must be told and the window says beside the chart."""
        super().__init__(themes, name, is_wide=is_wide)
        self.rows = lambda: [] if self.told is None else self.told.table()
        self.hovered.connect(self._on_hovered)
        for side in ("left", "bottom"):
            self.getAxis(side).setStyle(tickTextOffset=6, hideOverlappingLabels=False)
            # The lines of the grid lie below what is drawn.
            self.getAxis(side).setZValue(-1)

    # What is shown

    @property
    def picture(self) -> Picture | None:
        return self._picture

    @property
    def figure(self) -> Picture | None:
        """What is drawn, as it leaves the window."""
        drawn = self._picture
        return drawn if drawn is None or self.on_paper is None else self.on_paper(drawn)

    @property
    def legend(self) -> PictureLegend:
        """Names the marks; whoever lays out the chart puts it beside it."""
        if self._legend is None:
            self._legend = PictureLegend(self.themes)
            self._legend.show_picture(self._picture)
        return self._legend

    @property
    def is_stale(self) -> bool:
        return self._is_stale

    def set_picture(
        self, picture: Picture | None, write: Callable[[float], str] | None = None
    ) -> None:
        """Show another picture; ``write`` writes its numbers where their kind does not say how."""
        had_lines = self._picture is not None and len(self._picture.things.labels)
        picture = None if picture is None else picture.said(translate)
        self._picture = picture
        self.told = None if picture is None else PictureReader(picture, write)
        self.show_hover(None)
        if picture is not None and len(picture.things.labels) != had_lines:
            self.updateGeometry()
        self._redraw()
        if self._legend is not None:
            self._legend.show_picture(picture)
        self.setAccessibleDescription(self.summary())

    def set_stale(self, stale: bool) -> None:
        if stale != self._is_stale:
            self._is_stale = stale
            self._redraw()

    def choose(self, place: float | None, strong: str = "") -> None:
        """Point out a place and a mark by its name, without announcing it."""
        if (place, strong) != (self.chosen, self.strong):
            self.chosen, self.strong = place, strong
            self._point_out() if self._cloud is not None else self._redraw()

    def move_handle(self, name: str, value: float) -> None:
        if name in self.handles:
            self.handles[name].setValue(self.drawn(self._things, value))

    def sizeHint(self) -> QSize:  # noqa: N802
        """As wide and high as wished for; rows of things take what they need."""
        return self._room_for(self._size, 34, (30, 38), 3)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return self._room_for(self._least, 28, (17, 26), 2)

    def _room_for(
        self, size: tuple[int, int], axis: int, line: tuple[int, int], fewest: int
    ) -> QSize:
        px, picture = self.themes.theme.px, self._picture
        if picture is None or not picture.is_lying:
            return QSize(px(size[0]), px(size[1]))
        has_captions = any("\n" in label for label in picture.y.labels)
        lines, high = max(len(picture.y.labels), fewest), line[has_captions]
        if self._has_cells and lines <= 3:
            high += 14
        return QSize(px(size[0]), px(axis) + px(high) * lines)

    @property
    def _has_cells(self) -> bool:
        return self.told is not None and self.told.has_cells

    def retheme(self) -> None:
        self._redraw()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Choose the numbers at the axes for the room that there is."""
        super().resizeEvent(event)
        # A chart that is closed has no axes any more.
        if event is not None and self.getPlotItem() is not None and self._picture is not None:
            if self._has_cells or self.has_names or not self._picture.is_numbered:
                self._redraw()
            else:
                self._set_axes(self._picture)

    # Axes

    @property
    def _things(self) -> Axis:
        return Axis(Message("")) if self._picture is None else self._picture.things

    def _set_axes(self, picture: Picture) -> None:
        px, bottom, left = self.themes.theme.px, self.getAxis("bottom"), self.getAxis("left")
        self.getViewBox().invertY(picture.is_lying)
        is_noted = any(picture.y.notes)
        self._notes.setVisible(is_noted)
        strong = picture.y.strong
        captions = [label.partition("\n")[::2] for label in picture.y.labels]
        lines = [(name, said, i in strong) for i, (name, said) in enumerate(captions)]
        self._names.show_rows(lines, self.width())
        notes = picture.y.notes if is_noted else ()
        self._notes.show_rows([(note, "", i in strong) for i, note in enumerate(notes)])
        low, high = self._ends(picture, picture.y)
        self.setYRange(low, high, padding=0.0)
        title = ""
        if not picture.is_lying:
            ticks = self._ticks(picture.y, low, high, max(2, self.height() // px(44)))
            width = QFontMetricsF(self.themes.theme.font("caption")).horizontalAdvance
            left.setTicks([ticks])
            # What the numbers are is mostly the title of the chart.
            title = _titled(picture.y) if picture.y.unit else ""
            side = self.themes.theme.px(20) if title else 0
            wide = math.ceil(max((width(words) for _, words in ticks), default=20))
            left.setWidth(wide + 12 + side)
        room = max(self.width() - left.minimumWidth() - self._notes.minimumWidth() - OVER_END, 120)
        low, high = self._ends(picture, picture.x)
        self.setXRange(low, high, padding=0.0)
        if picture.x.labels:
            count = len(picture.x.labels)
            every = max(1, math.ceil(px(40) * count / room))
            font = self.themes.theme.font("caption")
            slot = int(room / max(count, 1) * every)
            ticks = value_ticks(picture.x.labels, every, slot, font)
        else:
            ticks = self._ticks(picture.x, low, high, max(2, int(room // px(_TICK))))
            ticks = self._whole(ticks, low, high, room)
        bottom.setTicks([ticks])
        for axis, is_numbered in ((left, not picture.is_lying), (bottom, picture.is_lying)):
            axis.setTickPen(QPen(self.themes.theme.colour("grid"), 1))
            axis.setGrid(255 if is_numbered and not self._has_cells else False)
        left.setPen(None)
        bottom.setPen(None if picture.is_lying else self.themes.theme.colour("axis"))
        # Only now: a pen gives the title its colour.
        self.label_axes(left=title)
        left.showLabel(bool(title))
        self._label_bottom(picture.x, ticks)

    def _label_bottom(self, axis: Axis, ticks: list[tuple[float, str]]) -> None:
        title = _titled(axis)
        self.label_axes(bottom=title)
        self.getAxis("bottom").showLabel(bool(title))
        size = self.themes.theme.font("caption").pixelSize()
        lines = max((words.count("\n") + 1 for _, words in ticks), default=1)
        # By itself pyqtgraph leaves no room for what hangs below the line, such as a comma.
        height = lines * round(1.35 * size) + 6 + (round(1.45 * size) if title else 0)
        self.getAxis("bottom").setHeight(height)
        self.getPlotItem().setContentsMargins(0, 4, OVER_END, 0)

    def _whole(
        self, ticks: list[tuple[float, str]], low: float, high: float, room: float
    ) -> list[tuple[float, str]]:
        """Leave out the last number where it would be cut: it could be read as another one."""
        width = QFontMetricsF(self.themes.theme.font("caption")).horizontalAdvance
        end = room + self._notes.minimumWidth() + OVER_END
        return [
            (at, words if (at - low) / (high - low) * room + width(words) / 2 <= end else "")
            for at, words in ticks
        ]

    def _ends(self, picture: Picture, axis: Axis) -> tuple[float, float]:
        """Where an axis begins and ends, in what is drawn."""
        if axis.labels:
            return -0.5, len(axis.labels) - 0.5
        is_x = axis is picture.x
        found = [mark.x if is_x else mark.y for mark in picture.marks]
        is_numbers = axis is picture.numbers
        if is_numbers:
            found += [e for m in picture.marks for e in (m.low, m.high) if e is not None]
        values = self.drawn(axis, np.concatenate([np.ravel(v) for v in found] or [np.zeros(0)]))
        values = values[np.isfinite(values)]
        low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)
        has_bars = is_numbers and any(mark.shape is Shape.BARS for mark in picture.marks)
        low = min(low, 0.0) if has_bars else low
        spread = (high - low) or max(abs(high), 1.0) * 0.5
        before, after = (0.05, 0.1) if is_numbers else (0.03, 0.03)
        if has_bars and not picture.is_lying and any(any(mark.words) for mark in picture.marks):
            # What is written above the highest bar needs a line of its own, beside the axis below.
            size = self.themes.theme.font("caption").pixelSize()
            after = max(after, 1.8 * size / max(self.height() - 5.0 * size, 4.0 * size))
        if low == 0 and is_numbers:
            before = 0.0 if not picture.is_lying else 0.02
        first = low - before * spread if axis.low is None else self.drawn(axis, axis.low)
        last = high + after * spread if axis.high is None else self.drawn(axis, axis.high)
        return float(first), float(last) if last > first else float(first) + 1.0

    def _ticks(self, axis: Axis, low: float, high: float, most: int) -> list[tuple[float, str]]:
        if axis.kind is Kind.TEXT:
            return []
        if axis.is_log:
            return log_ticks(10.0**high, 10.0**low, most)
        if axis.kind is Kind.SHARE:
            found = number_ticks(100 * low, 100 * high, most)
            return [(value / 100, f"{words}\u202f%") for value, words in found]
        found = number_ticks(low, high, most)
        if axis.kind is Kind.COUNT:
            return [(at, f"{at:,.0f}") for at, _ in found if float(at).is_integer()]
        return found

    # Drawing

    def _redraw(self) -> None:
        self.clear_marks()
        picture = self._picture
        self.getPlotItem().getAxis("bottom").setVisible(picture is not None)
        if picture is None:
            self._names.show_rows(())
            return
        self._set_axes(picture)
        if self.chosen is not None and not (picture.is_lying or self.has_names):
            pen = thin_pen(self.themes.theme.colour("outline"), 1.0, Qt.PenStyle.DotLine)
            at = self.drawn(picture.x, self.chosen)
            self.put(pg.InfiniteLine(at, 90, pen), -1)
        self.draw_marks(picture, _STALE if self._is_stale else 1.0)
        self._point_out()

    def _point_out(self, hovered: int = -1) -> None:
        """Draw the point that is chosen, and the one under the pointer."""
        chosen = -1 if self.chosen is None else int(self.chosen)
        self.point_out(sorted({chosen, hovered} - {-1}))

    # Pointer and keys

    def place_at(self, point: QPointF) -> int:
        """The number of the place that is nearest to a point of the axes; -1 for none."""
        picture, told = self._picture, self.told
        if picture is None or told is None:
            return -1
        if told.cloud is not None:
            return self._point_at(picture, point)
        places = told.places
        if not len(places):
            return -1
        at = point.y() if picture.is_lying else point.x()
        place = int(np.abs(self.drawn(picture.things, places) - at).argmin())
        return place if not picture.things.labels or abs(places[place] - at) <= 0.5 else -1

    def _point_at(self, picture: Picture, point: QPointF) -> int:
        size, nearest, best = self.getViewBox().viewPixelSize(), -1, _NEAR**2
        for mark in picture.marks:
            if mark.shape is Shape.POINTS and len(mark.x):
                away = ((mark.x - point.x()) / size[0]) ** 2 + ((mark.y - point.y()) / size[1]) ** 2
                away = np.where(np.isfinite(away), away, np.inf)
                place = int(away.argmin())
                if away[place] < best:
                    nearest, best = place, float(away[place])
        return nearest

    def _on_hovered(self, point: QPointF | None) -> None:
        told = self.told
        place = -1 if point is None else self.place_at(point)
        entries = [] if place < 0 else self.entries(place)
        if self.has_names:
            self._point_out(place)
        if not entries or point is None or told is None:
            self.show_hover(None)
            return
        at = QPointF(self.mapFromScene(self.getViewBox().mapViewToScene(point)))
        self.show_hover(at, told.title_of(place), [*entries, *told.levels()])

    def entries(self, place: int) -> list[Entry]:
        """Look, name and number of every mark at a place."""
        return [] if self.told is None else self.told.entries(place)

    def words_of_rule(self, picture: Picture, mark: Mark) -> str:
        told = self.told
        return super().words_of_rule(picture, mark) if told is None else told.words_of_rule(mark)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        super().mousePressEvent(event)
        if event.button() is not Qt.MouseButton.LeftButton or self._picture is None:
            return
        if self._picture.handles or self.is_chosen_from:
            self.setFocus(Qt.FocusReason.MouseFocusReason)
        if self._picture.handles:
            self._is_held = True
            self._follow(event)
        elif self.is_chosen_from:
            place = self.place_at(self._point(event))
            if place >= 0:
                self.place_chosen.emit(place)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        super().mouseMoveEvent(event)
        if self._is_held:
            self._follow(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        super().mouseReleaseEvent(event)
        self._is_held = False

    def _point(self, event: QMouseEvent) -> QPointF:
        at: QPointF = self.getViewBox().mapSceneToView(self.mapToScene(event.position().toPoint()))
        return at

    def _follow(self, event: QMouseEvent) -> None:
        at = self._point(event).x()
        self._drag_to(10.0**at if self._things.is_log else at)

    def _drag_to(self, value: float) -> None:
        picture, told = self._picture, self.told
        if picture is None or told is None or not self.handles:
            return
        low, high = told.span
        name, value = picture.handles[0], min(max(value, low), high)
        self.move_handle(name, value)
        self.dragged.emit(name, value)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Arrows choose the next place, or move the handle: page keys far, Home and End whole."""
        key, picture, told = Qt.Key(event.key()), self._picture, self.told
        steps = {
            Qt.Key.Key_Right: 1, Qt.Key.Key_Up: 1, Qt.Key.Key_Left: -1, Qt.Key.Key_Down: -1,
            Qt.Key.Key_PageUp: 10, Qt.Key.Key_PageDown: -10, Qt.Key.Key_End: 10**9,
            Qt.Key.Key_Home: -(10**9),
        }  # fmt: skip
        if picture is None or told is None or key not in steps:
            super().keyPressEvent(event)
        elif picture.handles:
            at = float(self.handles[picture.handles[0]].value())
            low, high = told.span
            step = {Kind.SHARE: 0.005, Kind.COUNT: 1.0}.get(picture.things.kind, (high - low) / 200)
            self._drag_to((10.0**at if picture.things.is_log else at) + steps[key] * step)
        elif self.is_chosen_from and told.cloud is None:
            places = told.places
            known = [] if self.chosen is None else np.flatnonzero(places == self.chosen).tolist()
            # Nothing is chosen yet: the first place is where a step begins.
            place = (known or [0])[0] + steps[key]
            self.place_chosen.emit(min(max(place, 0), len(places) - 1))
        else:
            super().keyPressEvent(event)

    # Words

    def head_looks(self) -> tuple[str, ...]:
        return () if self.told is None else self.told.head_looks()

    @property
    def total(self) -> int:
        return 0 if self.told is None or self.told.cloud is None else self.told.count

    def few_rows(self) -> Rows:
        """As many rows of the table as can be written without anybody noticing."""
        return [] if self.told is None else self.told.table(_FEW_ROWS)

    def summary(self) -> str:
        if self.told is None:
            return ""
        return super().summary() if self.told.has_cells else self.told.summary(self.entries)


def _titled(axis: Axis) -> str:
    title = translate(axis.title)
    return f"{title} ({translate(axis.unit)})" if axis.unit and title else title
