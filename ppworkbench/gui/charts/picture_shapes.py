"""How the shapes of pictures are drawn by pyqtgraph, in the colours of the theme."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QBrush, QColor, QPainterPath, QPen, QTextOption, QTransform

from ppworkbench.core.arrays import Numbers
from ppworkbench.gui.charts.axes import NamesAxis, NotesAxis
from ppworkbench.gui.charts.chart import Plot
from ppworkbench.gui.charts.legend import look_of_mark
from ppworkbench.gui.charts.looks import (
    REFERENCE,
    is_series,
    look_colour,
    look_marker,
    look_pen,
    outline_pen,
    role_brush,
)
from ppworkbench.gui.theme import ThemeManager, contrast
from ppworkbench.results.picture import MANY, Axis, Mark, Picture, Shape, spread_of

_SYMBOLS = {"circle": "o", "square": "s", "triangle": "t1", "diamond": "d", "cross": "x"}
_SYMBOLS["star"] = "star"
_ROLES = frozenset({"original", "distorted", "reconstructed"})
_LANE, _BARS = 0.3, 0.8
"""The room of an interval, and of all bars, of a thing."""
_EDGE = 0.06
_ALL = 600
"""So many points of a cloud are drawn each; of more, those that are seen apart."""


class PictureCanvas(Plot):
    """Draws the marks of a picture as items of pyqtgraph; new marks make new items."""

    def __init__(self, themes: ThemeManager, name: str, *, is_wide: bool) -> None:
        self.is_wide = is_wide
        self.strong = ""
        """The name of the mark that is drawn heavier than the others."""
        self.handles: dict[str, pg.InfiniteLine] = {}
        self._picture: Picture | None = None
        self._items: list[pg.GraphicsObject] = []
        self._hatched: list[tuple[pg.BarGraphItem, QBrush]] = []
        self._names, self._notes = NamesAxis(themes), NotesAxis(themes)
        super().__init__(themes, name, left=self._names, right=self._notes)
        self.getViewBox().sigTransformChanged.connect(self._keep_hatches)

    def clear_marks(self) -> None:
        """Take away what was drawn before."""
        for item in (*self._items, *self.handles.values()):
            self.removeItem(item)
        self._items, self._hatched, self.handles = [], [], {}

    def draw_marks(self, picture: Picture, opacity: float) -> None:
        """Draw everything on the axes as they are."""
        for mark in picture.marks:
            _DRAWN[mark.shape](self, picture, mark)
            if mark.shape is not Shape.CELLS:
                self._write_words(picture, mark)
        for item in self._items:
            item.setOpacity(opacity)
        self._keep_hatches()

    def drawn(self, axis: Axis, values: Any) -> Any:
        """Where values of an axis are drawn."""
        return np.log10(np.maximum(values, 1.0)) if axis.is_log else values

    @property
    def _cloud(self) -> Mark | None:
        """The points of which each has a name."""
        marks = () if self._picture is None else self._picture.marks
        return next((mark for mark in marks if len(mark.names)), None)

    def put(self, item: pg.GraphicsObject, z: float = 0.0) -> None:
        """Draw one thing more."""
        item.setZValue(z)
        self._items.append(item)
        self.addItem(item)

    def hatch(self, bars: pg.BarGraphItem, brush: QBrush) -> None:
        """Keep the texture of bars as it is, whatever the axes are."""
        self._hatched.append((bars, brush))

    def hold(self, name: str, rule: pg.InfiniteLine) -> None:
        """Draw a rule that is dragged."""
        rule.setZValue(9)
        self.handles[name] = rule
        self.addItem(rule)

    @property
    def has_names(self) -> bool:
        """Whether the points are a cloud, each with a name."""
        return self._cloud is not None

    def _keep_hatches(self) -> None:
        """Undo the scale of the axes for the textures of bars, which would be stretched."""
        if not self._hatched:
            return
        view = self.getViewBox().childTransform()
        if not view.m11() or not view.m22():
            return
        for item, brush in self._hatched:
            mine = QBrush(brush)
            fitted = QTransform(brush.transform())
            fitted *= QTransform.fromScale(1 / view.m11(), 1 / view.m22())
            mine.setTransform(fitted)
            item.setOpts(brush=mine)

    def pen_of(self, picture: Picture, mark: Mark) -> QPen:
        """The line of a mark."""
        pen = look_pen(self.themes.theme, look_of_mark(picture, mark))
        if self.strong and mark.name == self.strong:
            pen.setWidthF(pen.widthF() * 1.6)
        pen.setCosmetic(True)
        return pen

    def solid_pen(self, picture: Picture, mark: Mark, width: float = 2.0) -> QPen:
        """A line in the colour of a mark."""
        return thin_pen(self.ink_of(picture, mark), self.themes.theme.stroke(width))

    def ink_of(self, picture: Picture, mark: Mark) -> QColor:
        """The colour of a mark."""
        return QColor(look_colour(self.themes.theme, look_of_mark(picture, mark)))

    def tint_of(self, picture: Picture, mark: Mark) -> QColor:
        """The same colour for a whole area."""
        look = look_of_mark(picture, mark)
        if look in _ROLES:
            return self.themes.theme.role(look).tint
        ink = self.ink_of(picture, mark)
        ink.setAlpha(200)
        return ink

    def points(self, picture: Picture, mark: Mark, x: Numbers, y: Numbers, size: float) -> None:
        """Mark places: a diamond for true, hatched square for reported, circle for estimates."""
        theme, look = self.themes.theme, look_of_mark(picture, mark)
        known = np.isfinite(x) & np.isfinite(y)
        ground = thin_pen(theme.colour("surface"), 1.0)
        ink = self.ink_of(picture, mark)
        if look == "distorted":
            brush = role_brush(theme, look)
            brush.setTransform(brush.transform() * QTransform.fromScale(1 / size, 1 / size))
            how: dict[str, Any] = {"symbol": "s", "pen": thin_pen(ink, 1.2), "brush": brush}
        elif look == "original":
            how = {"symbol": "d", "pen": ground, "brush": theme.role(look).fill}
            size *= 1.25
        elif look == REFERENCE:
            how = {"symbol": "o", "pen": ground, "brush": ink}
        else:
            fill = ink if is_series(look) else theme.role(look).fill
            how = {"symbol": _SYMBOLS[look_marker(look)], "pen": ground, "brush": fill}
        x, y = self.drawn(picture.x, x[known]), self.drawn(picture.y, y[known])
        self.put(pg.ScatterPlotItem(x, y, size=theme.stroke(size), **how), 6)

    def _write_words(self, picture: Picture, mark: Mark) -> None:
        if not any(mark.words):
            return
        theme, look = self.themes.theme, look_of_mark(picture, mark)
        places, numbers = picture.values_of(mark)
        places = self.drawn(picture.things, places)
        if mark.shape is Shape.BARS:
            place, count = picture.place_of(mark)
            places = places + (place - (count - 1) / 2) * _BARS / count
        tops = numbers if mark.high is None else np.fmax(mark.high, numbers)
        has_role = look in _ROLES
        ink = theme.role(look).text if has_role else theme.colour("text2")
        ground = QColor(theme.colour("surface"))
        ground.setAlpha(200)
        first, last = self.getViewBox().viewRange()[0]
        for words, at, top in zip(mark.words, places.tolist(), tops.tolist(), strict=True):
            if words and math.isfinite(top):
                # At the ends words stand beside their place, not beyond the picture.
                along = 0.5 if picture.is_lying else (at - first) / (last - first)
                side = 0.0 if along < _EDGE else 1.0 if along > 1 - _EDGE else 0.5
                said = pg.TextItem(words, ink, anchor=(side, 1.0), fill=ground)
                said.setFont(theme.font("caption", "semibold" if has_role else "regular"))
                said.setPos(*((top, at) if picture.is_lying else (at, top)))
                self.put(said, 8)


# How each shape is drawn


def _beside(picture: Picture, mark: Mark, room: float) -> float:
    """How far a mark stands from the middle of its things, for all marks of its shape have room."""
    place, count = picture.place_of(mark)
    return (place - (count - 1) / 2) * room


def _draw_intervals(chart: PictureCanvas, picture: Picture, mark: Mark) -> None:
    places, middle = picture.values_of(mark)
    count = picture.place_of(mark)[1]
    places = places + _beside(picture, mark, min(_LANE, _BARS / count))
    _draw_ends(chart, picture, mark, places)
    at = (middle, places) if picture.is_lying else (places, middle)
    chart.points(picture, mark, *at, 10.0)


def _draw_ends(
    chart: PictureCanvas, picture: Picture, mark: Mark, places: Numbers, pen: QPen | None = None
) -> None:
    """Draw intervals, with arrows where they leave the picture.

    Nobody may take the edge of the picture for the end of an interval.
    """
    if mark.low is None or mark.high is None:
        return
    known = np.isfinite(mark.low) & np.isfinite(mark.high) & np.isfinite(picture.values_of(mark)[1])
    at, low, high = places[known], mark.low[known], mark.high[known]
    x_range, y_range = chart.getViewBox().viewRange()
    first, last = x_range if picture.is_lying else y_range
    wanted, twice = np.column_stack([low, high]).ravel(), np.repeat(at, 2)
    ends = np.clip(wanted, first, last)
    pen = pen or chart.solid_pen(picture, mark)
    _draw_pairs(chart, picture, mark, *_turned(picture, twice, ends), pen)
    if not chart.is_wide:
        inside = wanted == ends
        x, y = _turned(picture, twice[inside], ends[inside])
        cap = _upright_line() if picture.is_lying else _level_line()
        chart.put(pg.ScatterPlotItem(x, y, symbol=cap, size=9, pen=pen, brush=None), 4)
    for is_out, edge, symbols in (
        (low < first, first, ("t3", "t")), (high > last, last, ("t2", "t1"))
    ):  # fmt: skip
        if is_out.any():
            size = chart.getViewBox().viewPixelSize()[0 if picture.is_lying else 1]
            inward = size * 5.5 * (1 if edge == first else -1)
            there = np.full(int(is_out.sum()), edge + inward)
            x, y = _turned(picture, at[is_out], there)
            symbol = symbols[0 if picture.is_lying else 1]
            how: dict[str, Any] = {"pen": None, "brush": pen.color()}
            chart.put(pg.ScatterPlotItem(x, y, symbol=symbol, size=11, **how), 7)


def _draw_pairs(
    chart: PictureCanvas, picture: Picture, mark: Mark, x: Numbers, y: Numbers, pen: QPen
) -> None:
    """Lines from every other place to the next; as pills in a wide chart."""
    if not chart.is_wide:
        chart.put(pg.PlotCurveItem(x, y, connect="pairs", pen=pen), 4)
        return
    for colour, width in ((pen.color(), 10.0), (chart.tint_of(picture, mark), 7.6)):
        pill = thin_pen(colour, width)
        pill.setCapStyle(Qt.PenCapStyle.RoundCap)
        chart.put(pg.PlotCurveItem(x, y, connect="pairs", pen=pill, antialias=True), 4)


def thin_pen(colour: QColor, width: float, style: Qt.PenStyle = Qt.PenStyle.SolidLine) -> QPen:
    """A line that is as wide whatever the axes are."""
    pen = QPen(colour, width, style)
    pen.setCosmetic(True)
    return pen


def _turned(picture: Picture, places: Numbers, numbers: Numbers) -> tuple[Numbers, Numbers]:
    return (numbers, places) if picture.is_lying else (places, numbers)


def _upright_line() -> QPainterPath:
    path = QPainterPath(QPointF(0, -0.5))
    path.lineTo(0, 0.5)
    return path


def _level_line() -> QPainterPath:
    path = QPainterPath(QPointF(-0.5, 0))
    path.lineTo(0.5, 0)
    return path


def _draw_bars(chart: PictureCanvas, picture: Picture, mark: Mark) -> None:
    places, numbers = picture.values_of(mark)
    wide = _BARS / picture.place_of(mark)[1]
    places = places + _beside(picture, mark, wide)
    theme, look = chart.themes.theme, look_of_mark(picture, mark)
    is_role = look in _ROLES
    brush = role_brush(theme, look) if is_role else QBrush(chart.tint_of(picture, mark))
    pen = outline_pen(theme, look) if is_role else chart.solid_pen(picture, mark, 1.0)
    known = np.isfinite(numbers)
    places_, lengths, thick = places[known], numbers[known], wide * 0.88
    if picture.is_lying:
        made = pg.BarGraphItem(x0=0, y=places_, width=lengths, height=thick, pen=pen, brush=brush)
    else:
        made = pg.BarGraphItem(x=places_, y0=0, height=lengths, width=thick, pen=pen, brush=brush)
    chart.put(made, 2)
    if look == "distorted":
        chart.hatch(made, brush)
    _draw_ends(chart, picture, mark, places, thin_pen(theme.colour("text"), theme.stroke(1.5)))


def _draw_line(chart: PictureCanvas, picture: Picture, mark: Mark) -> None:
    x, y = chart.drawn(picture.x, mark.x), chart.drawn(picture.y, mark.y)
    known = np.isfinite(x) & np.isfinite(y)
    if picture.x.is_log:
        known &= mark.x >= 1
    pen = chart.pen_of(picture, mark)
    turn, count = _turn(picture, mark)
    if count > 1:
        # Lines at the same place take turns, so that all of them are seen.
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        pen.setDashPattern([5.0, 5.0 * (count - 1)])
        pen.setDashOffset(5.0 * (count - turn))
    connect = (known[:-1] & known[1:]).astype(np.int32) if len(known) else known
    connect = np.append(connect, 0).astype(np.int32)
    y = np.where(np.isfinite(y), np.clip(y, -1e9, 1e9), 0.0)
    chart.put(pg.PlotCurveItem(x, y, pen=pen, connect=connect, antialias=True), 5)
    if mark.low is not None and mark.high is not None:
        _draw_band(chart, picture, mark, 0.16 if len(x) <= MANY else 0.25)
    if mark.low is not None and mark.high is not None and len(x) <= MANY:
        ends = np.isfinite(mark.low) & np.isfinite(mark.high) & known
        pairs = np.column_stack([mark.low[ends], mark.high[ends]]).ravel()
        whisker = chart.solid_pen(picture, mark, 1.2)
        chart.put(pg.PlotCurveItem(np.repeat(x[ends], 2), pairs, connect="pairs", pen=whisker), 4)
    if is_series(look_of_mark(picture, mark)):
        some = slice(None) if len(x) <= MANY else slice(_first(picture, mark), None, _BETWEEN)
        chart.points(picture, mark, mark.x[some], mark.y[some], 9.0)


_BETWEEN = 16
"""Points from one mark of a long line to the next."""


def _first(picture: Picture, mark: Mark) -> int:
    """Lines begin their marks at different places, so that these do not hide each other."""
    return 2 + 3 * picture.place_of(mark)[0] % _BETWEEN


def _turn(picture: Picture, mark: Mark) -> tuple[int, int]:
    """The place of a line among those that can hardly be told from it, and how many these are."""
    values = [m.y[np.isfinite(m.y)] for m in picture.marks if m.shape is Shape.LINE]
    known = np.concatenate(values) if values else np.zeros(1)
    near = 0.01 * (float(np.ptp(known)) if len(known) else 0.0) + 1e-12
    alike = [
        one
        for one in picture.marks
        if one.shape is Shape.LINE
        and one.y.shape == mark.y.shape
        and np.array_equal(one.x, mark.x)
        and np.allclose(one.y, mark.y, rtol=0.0, atol=near, equal_nan=True)
    ]
    return next(place for place, one in enumerate(alike) if one is mark), len(alike)


def _draw_points(chart: PictureCanvas, picture: Picture, mark: Mark) -> None:
    x, y = mark.x, mark.y
    if len(x) > _ALL:
        size = chart.getViewBox().viewPixelSize()
        cells = np.round(np.column_stack([x / (3 * size[0]), y / (3 * size[1])]))
        x, y = (np.unique(cells[np.isfinite(cells).all(axis=1)], axis=0) * 3 * np.array(size)).T
    chart.points(picture, mark, x, y, 7.5 if chart.has_names else 10.0)


def _draw_dots(chart: PictureCanvas, picture: Picture, mark: Mark) -> None:
    places, numbers = picture.values_of(mark)
    theme = chart.themes.theme
    ink = QColor(theme.role("reconstructed").fill)
    ink.setAlpha(120)
    where = _turned(picture, places + spread_of(places), numbers)
    chart.put(pg.ScatterPlotItem(*where, size=theme.stroke(6), pen=None, brush=ink), 4)
    found = np.unique(places)
    means = np.repeat([float(numbers[places == place].mean()) for place in found], 2)
    ends = np.repeat(found, 2) + np.tile([-0.34, 0.34], len(found))
    pen = thin_pen(theme.colour("text"), theme.stroke(2.5))
    chart.put(pg.PlotCurveItem(*_turned(picture, ends, means), connect="pairs", pen=pen), 5)


def _draw_band(chart: PictureCanvas, picture: Picture, mark: Mark, opacity: float = 0.3) -> None:
    if mark.low is None or mark.high is None:
        return
    known = np.isfinite(mark.low) & np.isfinite(mark.high)
    x = chart.drawn(picture.x, mark.x[known])
    around = np.concatenate([x, x[::-1]]), np.concatenate([mark.low[known], mark.high[known][::-1]])
    ink = chart.ink_of(picture, mark)
    ink.setAlphaF(opacity)
    area = pg.PlotCurveItem(*around, pen=None, brush=ink, fillLevel="enclosed")
    chart.put(area, 1)


def _draw_cells(chart: PictureCanvas, _: Picture, mark: Mark) -> None:
    theme, font = chart.themes.theme, chart.themes.theme.font("body", "semibold")
    shares = np.nan_to_num(np.clip(mark.y, 0.0, None))
    colours = [theme.heat_colour(float(share)) for share in np.ravel(shares / max(shares.max(), 1))]
    rows, columns = np.indices(mark.y.shape)
    gaps = thin_pen(theme.colour("surface"), 3.0)
    chart.put(
        pg.BarGraphItem(
            x=columns.ravel(), y0=rows.ravel() - 0.5, width=1.0, height=1.0,
            brushes=colours, pens=[gaps] * len(colours),
        )
    )  # fmt: skip
    is_low = chart.getViewBox().height() < theme.px(36) * len(mark.y)
    for place, words in enumerate(mark.words):
        shown = words.partition("\n")[0] if is_low else words
        said = pg.TextItem(shown, QColor(contrast(colours[place])), anchor=(0.5, 0.5))
        said.setFont(font)
        inner = said.textItem
        inner.document().setDefaultTextOption(QTextOption(Qt.AlignmentFlag.AlignHCenter))
        inner.setTextWidth(inner.document().idealWidth())
        said.setPos(float(columns.ravel()[place]), float(rows.ravel()[place]))
        chart.put(said, 8)


def _draw_rule(chart: PictureCanvas, picture: Picture, mark: Mark) -> None:
    stands = picture.stands(mark)
    at = float((mark.x if stands else mark.y)[0])
    is_handle = str(mark.name) in picture.handles
    pen = chart.pen_of(picture, mark)
    if is_handle:
        pen = thin_pen(chart.themes.theme.colour("accentInk"), 1.4, Qt.PenStyle.DashLine)
    rule = pg.InfiniteLine(chart.drawn(picture.x if stands else picture.y, at), 90 * stands, pen)
    if is_handle:
        chart.hold(str(mark.name), rule)
    else:
        chart.put(rule, 3)


_DRAWN: dict[Shape, Callable[[PictureCanvas, Picture, Mark], None]] = {
    Shape.INTERVALS: _draw_intervals, Shape.BARS: _draw_bars, Shape.POINTS: _draw_points,
    Shape.DOTS: _draw_dots,
    Shape.LINE: _draw_line, Shape.BAND: _draw_band, Shape.CELLS: _draw_cells,
    Shape.RULE: _draw_rule,
}  # fmt: skip
