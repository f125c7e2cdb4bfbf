"""How the shapes of pictures are drawn by pyqtgraph, in the colours of the theme."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QFontMetricsF,
    QPainterPath,
    QPen,
    QTextOption,
    QTransform,
)

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
from ppworkbench.gui.language import translate
from ppworkbench.gui.theme import ThemeManager, contrast
from ppworkbench.results.picture import MANY, Axis, Mark, Picture, Role, Shape, spread_of

_SYMBOLS = {"circle": "o", "square": "s", "triangle": "t1", "diamond": "d", "cross": "x"}
_SYMBOLS["star"] = "star"
_ROLES = frozenset({"original", "distorted", "reconstructed"})
_LANE, _BARS = 0.3, 0.8
"""The room of an interval, and of all bars, of a thing."""
_ALL, _GRAIN = 600, 3.0
"""So many points of a cloud are drawn each; of more, those that are seen so many pixels apart."""


class PictureCanvas(Plot):
    """Draws the marks of a picture as items of pyqtgraph; new marks make new items."""

    def __init__(self, themes: ThemeManager, name: str, *, is_wide: bool) -> None:
        self.is_wide = is_wide
        self.strong = ""
        """The name of the mark that is drawn heavier than the others."""
        self.handles: dict[str, pg.InfiniteLine] = {}
        self._picture: Picture | None = None
        self._items: list[pg.GraphicsObject] = []
        self._front: list[pg.GraphicsObject] = []
        self._hatched: list[tuple[pg.BarGraphItem, QBrush]] = []
        self._names, self._notes = NamesAxis(themes), NotesAxis(themes)
        super().__init__(themes, name, left=self._names, right=self._notes)
        self.getViewBox().sigTransformChanged.connect(self._keep_hatches)

    def clear_marks(self) -> None:
        for item in (*self._items, *self.handles.values()):
            self.removeItem(item)
        self._items, self._front, self._hatched, self.handles = [], [], [], {}

    def draw_marks(self, picture: Picture, opacity: float) -> None:
        for mark in picture.marks:
            _DRAWN[mark.shape](self, picture, mark)
            if mark.shape not in {Shape.CELLS, Shape.BOXES, Shape.PEOPLE}:
                self._write_words(picture, mark)
        for item in self._items:
            item.setOpacity(opacity)
        self._keep_hatches()

    def point_out(self, places: Iterable[int]) -> None:
        """Draw points of the cloud in front of the others, with their intervals."""
        for item in self._front:
            self.removeItem(item)
            self._items.remove(item)
        count, picture, theme = len(self._items), self._picture, self.themes.theme
        pen = thin_pen(theme.colour("text"), theme.stroke(1.5))
        if picture is None:
            return
        for mark in picture.marks:
            for at in places if len(mark.names) and mark.role is not Role.REPORTED else ():
                low, high = (None if e is None else e[[at]] for e in (mark.low, mark.high))
                one = dataclasses.replace(mark, x=mark.x[[at]], y=mark.y[[at]], low=low, high=high)
                _draw_ends(self, picture, one, one.x, pen)
                self.points(picture, one, one.x, one.y, 11.0)
        self._front = self._items[count:]
        for item in self._front:
            item.setZValue(item.zValue() + 4)

    def drawn(self, axis: Axis, values: Any) -> Any:
        return np.log10(np.maximum(values, 1e-9)) if axis.is_log else values

    @property
    def _cloud(self) -> Mark | None:
        """The points of which each has a name."""
        marks = () if self._picture is None else self._picture.marks
        return next((mark for mark in marks if len(mark.names)), None)

    def put(self, item: pg.GraphicsObject, z: float = 0.0) -> None:
        item.setZValue(z)
        self._items.append(item)
        self.addItem(item)

    def hatch(self, bars: pg.BarGraphItem, brush: QBrush) -> None:
        """Keep the texture of bars as it is, whatever the axes are."""
        self._hatched.append((bars, brush))

    def hold(self, name: str, rule: pg.InfiniteLine) -> None:
        """Draw a rule that is dragged, with a knob."""
        rule.setZValue(9)
        rule.addMarker("o", 0.96, 10.0)
        self.handles[name] = rule
        self.addItem(rule)

    @property
    def has_names(self) -> bool:
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
        pen = look_pen(self.themes.theme, look_of_mark(picture, mark))
        if self.strong and mark.name == self.strong:
            pen.setWidthF(pen.widthF() * 1.6)
        pen.setCosmetic(True)
        return pen

    def solid_pen(self, picture: Picture, mark: Mark, width: float = 2.0) -> QPen:
        return thin_pen(self.ink_of(picture, mark), self.themes.theme.stroke(width))

    def ink_of(self, picture: Picture, mark: Mark) -> QColor:
        return QColor(look_colour(self.themes.theme, look_of_mark(picture, mark)))

    def words_of_rule(self, picture: Picture, mark: Mark) -> str:  # noqa: ARG002
        return translate(mark.name)

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
            turn, count = picture.place_of(mark)
            places = places + (turn - (count - 1) / 2) * _BARS / count
        tops = numbers if mark.high is None else np.fmax(mark.high, numbers)
        has_role = look in _ROLES
        ink = theme.role(look).text if has_role else theme.colour("text2")
        ground = QColor(theme.colour("surface"))
        ground.setAlpha(200)
        font = theme.font("caption", "semibold" if has_role else "regular")
        metrics, box = QFontMetricsF(font), self.getViewBox()
        (first, last), (bottom, _) = box.viewRange()
        line = metrics.height() * box.viewPixelSize()[1]
        floor, rules = bottom + 1.7 * line, picture.rules if picture.names_rules else ()
        written = zip(mark.words, places.tolist(), tops.tolist(), strict=True)
        for place, (words, at, top) in enumerate(written):
            if words and math.isfinite(top):
                # At the ends words stand beside their place, not beyond the picture.
                along = 0.5 if picture.is_lying else (at - first) / (last - first)
                edge = (metrics.horizontalAdvance(words) / 2 + 4) / max(box.width(), 1.0)
                side = 0.0 if along < edge else 1.0 if along > 1 - edge else 0.5
                is_point = mark.shape is Shape.POINTS
                is_below = is_point and top > floor and picture.is_dip(mark, place)
                if picture.handles and not is_below:
                    side = 1.1 if along > 0.5 else -0.1
                over = -0.15 if is_below else 1.15 if is_point else 1.0
                if over > 1.0 and side > 1.0:
                    # The names of rules stand right above them, from the left.
                    left = along * box.width() - metrics.horizontalAdvance(words)
                    near = (one for one in rules if abs(float(one.y[0]) - top) < 2 * line)
                    names = (self.words_of_rule(picture, one) for one in near)
                    over += any(metrics.horizontalAdvance(one) + 8 > left for one in names)
                said = pg.TextItem(words, ink, anchor=(side, over), fill=ground)
                said.setFont(font)
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
    low, high = (chart.drawn(picture.numbers, ends[known]) for ends in (mark.low, mark.high))
    at = places[known]
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
    low, high = chart.getViewBox().viewRange()[1]
    turn, count = _turn(picture, mark, 0.01 * (high - low))
    if count > 1:
        # Lines at the same place take turns, so that all of them are seen.
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        pen.setDashPattern([5.0, 5.0 * (count - 1)])
        pen.setDashOffset(5.0 * (count - turn))
    connect = (known[:-1] & known[1:]).astype(np.int32) if len(known) else known
    connect = np.append(connect, 0).astype(np.int32)
    y = np.where(np.isfinite(y), np.clip(y, -1e9, 1e9), 0.0)
    # The line that others are compared with lies above them and their points.
    front = 1.5 * (mark.role is Role.ESTIMATE)
    chart.put(pg.PlotCurveItem(x, y, pen=pen, connect=connect, antialias=True), 5 + front)
    if mark.low is not None and mark.high is not None:
        _draw_band(chart, picture, mark, 0.16 if len(x) <= MANY else 0.25)
    if mark.low is not None and mark.high is not None and len(x) <= MANY:
        ends = np.isfinite(mark.low) & np.isfinite(mark.high) & known
        pairs = np.column_stack([mark.low[ends], mark.high[ends]]).ravel()
        whisker = chart.solid_pen(picture, mark, 1.2)
        chart.put(pg.PlotCurveItem(np.repeat(x[ends], 2), pairs, connect="pairs", pen=whisker), 4)
    if is_series(look_of_mark(picture, mark)):
        at, numbers = mark.x[known], mark.y[known]
        if len(at) > MANY:
            some = _some(x[known], picture.place_of(mark)[0])
            at, numbers = at[some], numbers[some]
        chart.points(picture, mark, at, numbers, 9.0)


_MARKS, _LINES = 5, 6
"""Marks of a long line, and so many lines of a picture that these do not hide each other."""


def _some(x: Numbers, place: int) -> NDArray[np.intp]:
    """Points of a line at about the same distances, of other lines at other places."""
    steps = (np.arange(_MARKS) + (place % _LINES + 0.5) / _LINES) / _MARKS
    return np.unique(np.searchsorted(x, x[0] + steps * (x[-1] - x[0])))


def _turn(picture: Picture, mark: Mark, near: float) -> tuple[int, int]:
    """The place of a line among those that can hardly be told from it, and how many these are."""
    alike = [
        one
        for one in picture.marks
        if one.shape is Shape.LINE
        and one.y.shape == mark.y.shape
        and np.array_equal(one.x, mark.x, equal_nan=True)
        and np.allclose(one.y, mark.y, rtol=0.0, atol=near, equal_nan=True)
    ]
    return next(place for place, one in enumerate(alike) if one is mark), len(alike)


def _draw_points(chart: PictureCanvas, picture: Picture, mark: Mark) -> None:
    x, y = mark.x, mark.y
    if len(x) > _ALL:
        # Cells are marked on a grid, which is ten times faster than to sort the points.
        wide, high = (_GRAIN * size for size in chart.getViewBox().viewPixelSize())
        (left, right), (low, top) = chart.getViewBox().viewRange()
        inside = (x >= left) & (x <= right) & (y >= low) & (y <= top)
        lines = int((top - low) / high) + 1
        columns = ((x[inside] - left) / wide).astype(np.intp)
        rows = ((y[inside] - low) / high).astype(np.intp)
        cells = np.flatnonzero(np.bincount(columns * lines + rows))
        x, y = left + (cells // lines + 0.5) * wide, low + (cells % lines + 0.5) * high
    size = 6.0 if mark.role is Role.REPORTED else 7.5
    chart.points(picture, mark, x, y, size if chart.has_names else 10.0)


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
    # What others are compared with stays in the background, however wide it is.
    ink.setAlphaF(0.14 if mark.role is Role.REFERENCE else opacity)
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


def _draw_boxes(chart: PictureCanvas, picture: Picture, mark: Mark) -> None:
    theme = chart.themes.theme
    for words, x, y in zip(mark.words, mark.x.tolist(), mark.y.tolist(), strict=True):
        border = chart.solid_pen(picture, mark, 1.0)
        box = pg.TextItem(
            words, theme.colour("text"), anchor=(0.5, 0.5), border=border,
            fill=theme.colour("surface"),
        )  # fmt: skip
        box.setFont(theme.font("caption"))
        box.setPos(x, y)
        chart.put(box, 8)


def _person() -> QPainterPath:
    """A head over shoulders, one high."""
    path = QPainterPath()
    path.addEllipse(QPointF(0, -0.3), 0.17, 0.17)
    path.moveTo(-0.36, 0.46)
    path.lineTo(-0.36, 0.1)
    path.quadTo(-0.36, -0.1, -0.14, -0.1)
    path.lineTo(0.14, -0.1)
    path.quadTo(0.36, -0.1, 0.36, 0.1)
    path.lineTo(0.36, 0.46)
    path.closeSubpath()
    return path


_PERSON = _person()


def _draw_people(chart: PictureCanvas, picture: Picture, mark: Mark) -> None:
    theme, look = chart.themes.theme, look_of_mark(picture, mark)
    # Not by pyqtgraph's size of a pixel: a chart that is folded or not laid out yet has none.
    view = chart.getViewBox().childTransform()
    size = max(min(abs(view.m11()), abs(view.m22())) - 2, 4.0)
    is_meant = look in _ROLES
    ink = theme.role(look).line if is_meant else theme.colour("outline")
    brush = role_brush(theme, look) if is_meant else QBrush(theme.colour("sunken"))
    brush.setTransform(brush.transform() * QTransform.fromScale(1 / size, 1 / size))
    how: dict[str, Any] = {"size": size, "pen": thin_pen(ink, 1.0), "brush": brush}
    chart.put(pg.ScatterPlotItem(mark.x, mark.y, symbol=_PERSON, **how), 2)
    if size < 12:
        return
    font = QFont(theme.font("caption", "semibold"))
    font.setPixelSize(max(8, round(size * 0.42)))
    metrics = QFontMetricsF(font)
    is_dark = look == "original"
    for words in sorted({*mark.words} - {""}):
        said = QPainterPath()
        across, down = -metrics.horizontalAdvance(words) / 2, metrics.capHeight() / 2 + 0.18 * size
        if look == "distorted":
            # Hatching would run through the number.
            plate = QPainterPath()
            plate.addRoundedRect(-0.17, -0.08, 0.34, 0.52, 0.05, 0.05)
            here = [place for place, one in enumerate(mark.words) if one == words]
            ground = {"size": size, "pen": None, "brush": theme.colour("surface")}
            chart.put(pg.ScatterPlotItem(mark.x[here], mark.y[here], symbol=plate, **ground), 3)
        said.addText(across, down, font, words)
        said = QTransform.fromScale(1 / size, 1 / size).map(said)
        here = [place for place, one in enumerate(mark.words) if one == words]
        colour = theme.colour("surface" if is_dark else "text")
        written = {"size": size, "pen": None, "brush": colour}
        chart.put(pg.ScatterPlotItem(mark.x[here], mark.y[here], symbol=said, **written), 4)


def _draw_rule(chart: PictureCanvas, picture: Picture, mark: Mark) -> None:
    stands = picture.stands(mark)
    at = float((mark.x if stands else mark.y)[0])
    is_handle = str(mark.name) in picture.handles
    pen = chart.pen_of(picture, mark)
    if is_handle:
        pen = thin_pen(chart.themes.theme.colour("accentInk"), 1.8)
    rule = pg.InfiniteLine(chart.drawn(picture.x if stands else picture.y, at), 90 * stands, pen)
    if is_handle:
        chart.hold(str(mark.name), rule)
        return
    chart.put(rule, 3 + 0.5 * (mark.role is Role.ESTIMATE))
    if mark.name and picture.names_rules:
        theme, box = chart.themes.theme, chart.getViewBox()
        ground = QColor(theme.colour("surface"))
        ground.setAlpha(200)
        font, (ends, (_, top)) = theme.font("caption"), box.viewRange()
        width = QFontMetricsF(font).horizontalAdvance
        line = (QFontMetricsF(font).height() + 8) * box.viewPixelSize()[1]
        end, is_above = picture.end_of(mark, line)
        anchor = float(end), float(is_above and at + line <= top)
        others = (one for one in picture.rules if abs(float(one.y[0]) - at) < line)
        beside = max((width(chart.words_of_rule(picture, m)) + 8 for m in others if m is not mark),
                     default=0.0)  # fmt: skip
        room = max(box.width() - beside, box.width() / 2) - 8
        words = QFontMetricsF(font).elidedText(
            chart.words_of_rule(picture, mark), Qt.TextElideMode.ElideMiddle, room
        )
        said = pg.TextItem(words, chart.ink_of(picture, mark), anchor=anchor, fill=ground)
        said.setFont(font)
        said.setPos(ends[end], at)
        chart.put(said, 8)


_DRAWN: dict[Shape, Callable[[PictureCanvas, Picture, Mark], None]] = {
    Shape.INTERVALS: _draw_intervals, Shape.BARS: _draw_bars, Shape.POINTS: _draw_points,
    Shape.DOTS: _draw_dots,
    Shape.LINE: _draw_line, Shape.BAND: _draw_band, Shape.CELLS: _draw_cells,
    Shape.PEOPLE: _draw_people, Shape.RULE: _draw_rule, Shape.BOXES: _draw_boxes,
}  # fmt: skip
