"""The picture of a trade-off: where designs lie in it, and how it is drawn."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen, QPolygonF

from ppworkbench.analyses.designs.frontier import FrontierDesign
from ppworkbench.analyses.designs.places import EPSILON, FamilyCurve, TradeAxes, TradePlace
from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design import Perturbation
from ppworkbench.gui.charts.axes import number_ticks
from ppworkbench.gui.language import tr
from ppworkbench.gui.numbers import THIN, number, percent, significant
from ppworkbench.gui.theme import Theme, icon, set_fill

_DOT = 11.0
"""The radius of the design's dot with its rim."""


def privacy_words(measure: str, value: float) -> str:
    """A measure of privacy as it stands at the axis."""
    if math.isinf(value):
        return "∞"
    return number(value, 2) if measure == EPSILON else percent(value)


def half_width_words(value: float, numeric: bool) -> str:
    """Half of an interval: points of a share, or the unit of a number."""
    if math.isinf(value):
        return "± ∞"
    return f"± {significant(value)}" if numeric else f"± {number(100 * value, 1)}"


@dataclass(frozen=True)
class TradeScene:
    """Everything that stays where it is while the dot is dragged."""

    axes: TradeAxes
    measure: str
    attribute: Attribute
    curve: FamilyCurve | None
    frontier: tuple[FrontierDesign, ...]
    pins: tuple[tuple[str, TradePlace, str], ...]
    """Letter, place and what the pin holds."""
    active: str
    goal: tuple[float, float]
    """Privacy and half-width that are wanted; infinite where nobody set a goal."""
    direct: float
    bottom: str
    left: str
    family: str

    @property
    def numeric(self) -> bool:
        return self.attribute.kind.is_numeric


@dataclass(frozen=True)
class TradeDot:
    """The design of now and what its callout says."""

    place: TradePlace
    title: str
    lines: tuple[str, ...]
    is_met: bool
    """Whether it meets a goal that somebody set."""
    perturbation: Perturbation | None = None


class TradePicture:
    """One scene in one size and one theme; all places are in pixels."""

    def __init__(self, scene: TradeScene, theme: Theme, size: QSize) -> None:
        self.scene = scene
        self._theme, self._size = theme, size
        px = theme.px
        self.area = QRectF(px(46), px(8), size.width() - px(62), size.height() - px(52))
        """The room between the axes."""

    def fits(self, scene: TradeScene, theme: Theme, size: QSize) -> bool:
        """Whether it would look the same."""
        return self.scene is scene and self._theme is theme and self._size == size

    def spot(self, place: TradePlace) -> QPointF:
        """Where a place lies in pixels; beyond the axes for one that is outside."""
        area, axes = self.area, self.scene.axes
        across = (min(place.privacy, 1e6) - axes.low) / (axes.high - axes.low)
        up = min(place.half_width, 1e6 * axes.top) / axes.top
        return QPointF(area.left() + across * area.width(), area.bottom() - up * area.height())

    def _spots(self, privacy: Numbers, half_width: Numbers) -> Numbers:
        area, axes = self.area, self.scene.axes
        x = area.left() + (privacy - axes.low) / (axes.high - axes.low) * area.width()
        y = area.bottom() - half_width / axes.top * area.height()
        return np.column_stack([x, y])

    @cached_property
    def curve(self) -> Numbers | None:
        curve = self.scene.curve
        return None if curve is None else self._spots(curve.privacy, curve.half_width)

    @cached_property
    def frontier(self) -> Numbers | None:
        places = [design.place for design in self.scene.frontier]
        if not places:
            return None
        return self._spots(
            np.array([place.privacy for place in places]),
            np.array([place.half_width for place in places]),
        )

    def dot_spot(self, dot: TradeDot) -> tuple[QPointF, str]:
        """Where the dot is drawn, and over which rim it lies: "", "top", "left" or "right"."""
        area, spot = self.area, self.spot(dot.place)
        rim = ""
        if spot.y() < area.top() - 1:
            rim = "top"
        elif spot.x() > area.right() + 1:
            rim = "right"
        elif spot.x() < area.left() - 1:
            rim = "left"
        return self._inside(spot), rim

    @property
    def goal_corner(self) -> QPointF:
        """Where the edges of the goal meet, at the rim if it reaches further than the axes."""
        return self._inside(self.spot(TradePlace(*self.scene.goal)))

    def _inside(self, spot: QPointF) -> QPointF:
        area = self.area
        return QPointF(
            min(max(spot.x(), area.left()), area.right()),
            min(max(spot.y(), area.top()), area.bottom()),
        )

    def place_at(self, point: QPointF) -> TradePlace:
        """The place that lies there, or the nearest to it within the axes."""
        area, axes = self.area, self.scene.axes
        across = (point.x() - area.left()) / max(area.width(), 1.0)
        up = (area.bottom() - point.y()) / max(area.height(), 1.0)
        privacy = axes.low + min(max(across, 0.0), 1.0) * (axes.high - axes.low)
        return TradePlace(privacy, min(max(up, 0.0), 1.0) * axes.top)

    def value_at(self, point: QPointF) -> float | None:
        """The value of the parameter where the curve comes nearest to a point."""
        line, curve = self.curve, self.scene.curve
        if line is None or curve is None:
            return None
        place, share, _ = nearest(line, point)
        free, values = curve.free, curve.values
        ends = free.position(float(values[place])), free.position(float(values[place + 1]))
        value = free.value(ends[0] + share * (ends[1] - ends[0]))
        return round(value, 3) if free.scale == "linear" else float(f"{value:.4g}")

    def draw(self, painter: QPainter) -> None:
        """All but the dot."""
        theme, area, scene = self._theme, self.area, self.scene
        self._draw_goal(painter)
        self._draw_axes(painter)
        painter.save()
        painter.setClipRect(area.adjusted(-2, -2, 2, 2))
        self._draw_direct(painter)
        best, line = self.frontier, self.curve
        if best is not None:
            painter.setPen(QPen(theme.colour("outline"), 1.8, Qt.PenStyle.DashLine))
            painter.drawPolyline(_polygon(best))
        if line is not None:
            painter.setPen(QPen(theme.colour("accent"), 2.4))
            painter.drawPolyline(_polygon(line))
        painter.restore()
        for letter, place, _ in scene.pins:
            if scene.axes.holds(place):
                self._draw_pin(painter, letter, self.spot(place), letter == scene.active)

    def _draw_goal(self, painter: QPainter) -> None:
        theme, area, corner = self._theme, self.area, self.spot(TradePlace(*self.scene.goal))
        has_limit, has_points = map(math.isfinite, self.scene.goal)
        if not (has_limit or has_points):
            return
        zone = QRectF(area.left(), corner.y(), corner.x() - area.left(), area.bottom() - corner.y())
        zone = zone.intersected(area)
        if zone.isEmpty() or corner.x() <= area.left():
            return
        set_fill(painter, theme.colour("accentTint"))
        painter.drawRect(zone)
        painter.setPen(QPen(theme.colour("accentInk"), 1, Qt.PenStyle.DashLine))
        if has_points:
            painter.drawLine(zone.topLeft(), zone.topRight())
        if has_limit:
            painter.drawLine(zone.topRight(), zone.bottomRight())
        if has_limit and has_points:
            painter.setPen(QPen(theme.colour("accentInk"), 1))
            painter.setBrush(theme.colour("surface"))
            painter.drawRoundedRect(QRectF(zone.right() - 4, zone.top() - 4, 8, 8), 2, 2)
        painter.setPen(theme.colour("accentInk"))
        painter.setFont(theme.font("caption", "semibold"))
        painter.drawText(zone.bottomLeft() + QPointF(8, -6), tr("your goal"))

    def _draw_axes(self, painter: QPainter) -> None:
        theme, scene, area = self._theme, self.scene, self.area
        axes, px = scene.axes, theme.px
        painter.setFont(theme.font("caption"))
        metrics = QFontMetricsF(painter.font())
        unit = 1.0 if scene.numeric else 100.0
        for value, words in number_ticks(0.0, unit * axes.top, 5):
            y = area.bottom() - value / (unit * axes.top) * area.height()
            painter.setPen(QPen(theme.colour("axis" if value == 0 else "border"), 1))
            painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
            painter.setPen(theme.colour("axis"))
            box = QRectF(0, y - 8, area.left() - 6, 16)
            right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(box, right, words)
        unit, sign = (1.0, "") if scene.measure == EPSILON else (100.0, f"{THIN}%")
        steps = 6 if area.width() < 400 else 10
        for value, digits in number_ticks(unit * axes.low, unit * axes.high, steps):
            words = digits + sign
            x = area.left() + (value / unit - axes.low) / (axes.high - axes.low) * area.width()
            wide = metrics.horizontalAdvance(words)
            left = min(max(x - wide / 2, 0.0), self._size.width() - wide)
            painter.drawText(QPointF(left, area.bottom() + px(15)), words)
        painter.setPen(theme.colour("text2"))
        foot = QRectF(area.left(), area.bottom() + px(22), area.width(), px(18))
        painter.drawText(foot, Qt.AlignmentFlag.AlignCenter, scene.bottom)
        used = metrics.horizontalAdvance(scene.bottom)
        sides = tr("← more private"), tr("more accurate →")
        if used + 2 * max(map(metrics.horizontalAdvance, sides)) + 24 < area.width():
            painter.drawText(
                foot, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, sides[0]
            )
            painter.drawText(
                foot, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, sides[1]
            )
        painter.save()
        painter.translate(px(11), area.center().y())
        painter.rotate(-90)
        half = area.height() / 2
        painter.drawText(
            QRectF(-half, -px(9), 2 * half, px(18)), Qt.AlignmentFlag.AlignCenter, scene.left
        )
        painter.restore()

    def _draw_direct(self, painter: QPainter) -> None:
        theme, scene, area = self._theme, self.scene, self.area
        y = self.spot(TradePlace(scene.axes.low, scene.direct)).y()
        painter.setPen(QPen(theme.colour("text3"), 1, Qt.PenStyle.DotLine))
        painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
        painter.setPen(theme.colour("text3"))
        painter.setFont(theme.font("caption"))
        words = tr("asked directly %s") % half_width_words(scene.direct, scene.numeric)
        wide, high = painter.fontMetrics().horizontalAdvance(words), theme.px(16)
        box = QRectF(area.right() - 4 - wide, y + 2, wide, high)
        edge = self.goal_corner.x()
        if box.left() - 4 < edge < box.right() + 4 and edge < area.right():
            # The edge of the goal would run through the words.
            box.moveRight(edge - 6)
        if box.bottom() > area.bottom():
            # Near the axis there is room above the line only.
            box.moveBottom(y - 4)
        painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, words)

    def _name_lines(self, painter: QPainter, taken: QRectF) -> None:
        """Write the name of either line where it enters, unless the callout is there."""
        area, theme = self.area, self._theme
        for spots, words, colour, row in (
            (self.curve, self.scene.family, "accentInk", 0),
            (self.frontier, tr("frontier"), "text2", 1),
        ):
            if spots is None:
                continue
            inside = spots[(spots[:, 1] >= area.top()) & (spots[:, 0] <= area.right())]
            if not len(inside):
                continue
            painter.setFont(theme.font("caption", "semibold"))
            metrics = QFontMetricsF(painter.font())
            wide = metrics.horizontalAdvance(words)
            painter.setPen(theme.colour(colour))
            if row == 0:
                at = QPointF(float(inside[0, 0]) + 10, max(float(inside[0, 1]), area.top()) + 14)
            else:
                # Left of the frontier, where no design can be.
                low = inside[len(inside) // 3]
                at = QPointF(float(low[0]) - wide - 8, float(low[1]) + 14)
                if at.x() < area.left() + 4 and at.y() > area.bottom() - theme.px(36):
                    # The words of the goal are in that corner.
                    halfway = spots[int(np.argmin(abs(spots[:, 0] - area.center().x())))]
                    at = QPointF(float(halfway[0]) - wide / 2, float(halfway[1]) - 6)
            at.setX(min(max(at.x(), area.left() + 4), area.right() - wide - 4))
            if not taken.intersects(QRectF(at.x(), at.y() - 14, wide, 18)):
                painter.drawText(at, words)

    def _draw_pin(self, painter: QPainter, letter: str, spot: QPointF, is_active: bool) -> None:
        theme = self._theme
        painter.setPen(QPen(theme.colour("accentInk" if is_active else "outline"), 1.4))
        painter.setBrush(theme.colour("accentTint" if is_active else "surface"))
        painter.drawEllipse(spot, 9.5, 9.5)
        painter.setPen(theme.colour("accentInk" if is_active else "text"))
        painter.setFont(theme.font("caption", "semibold"))
        painter.drawText(
            QRectF(spot.x() - 10, spot.y() - 10, 20, 20), Qt.AlignmentFlag.AlignCenter, letter
        )

    def draw_dot(self, painter: QPainter, dot: TradeDot) -> None:
        """The dot with its callout, and the names of the lines around it."""
        theme, area = self._theme, self.area
        spot, rim = self.dot_spot(dot)
        box, lines = self.callout(dot, spot)
        self._name_lines(painter, box)
        if rim:
            self._draw_rim(painter, dot, spot, rim)
        else:
            painter.setPen(QPen(theme.colour("accentInk"), 1, Qt.PenStyle.DotLine))
            painter.drawLine(spot, QPointF(spot.x(), area.bottom()))
        painter.setPen(QPen(theme.colour("accent"), 1.2))
        anchor = QPointF(min(max(spot.x(), box.left()), box.right()), box.center().y())
        anchor.setY(box.bottom() if spot.y() > box.bottom() else box.top())
        if not box.contains(spot):
            painter.drawLine(spot, anchor)
        painter.setBrush(theme.colour("surface"))
        painter.drawRoundedRect(box, 6, 6)
        self._draw_callout(painter, dot, lines, box)
        if not rim:
            painter.setPen(QPen(theme.colour("accent"), 2))
            painter.setBrush(theme.colour("surface"))
            painter.drawEllipse(spot, _DOT, _DOT)
            set_fill(painter, theme.colour("accent"))
            painter.drawEllipse(spot, 7.0, 7.0)

    def _draw_rim(self, painter: QPainter, dot: TradeDot, spot: QPointF, rim: str) -> None:
        """A triangle that points out of the picture, with the number that lies there."""
        theme, scene = self._theme, self.scene
        set_fill(painter, theme.colour("accent"))
        tip = {"top": (0, -1), "right": (1, 0), "left": (-1, 0)}[rim]
        across = QPointF(-tip[1] * 9.0, tip[0] * 9.0)
        inner = spot - QPointF(tip[0] * 14.0, tip[1] * 14.0)
        painter.drawPolygon(QPolygonF([spot, inner + across, inner - across]))
        place = dot.place
        words = (
            half_width_words(place.half_width, scene.numeric)
            if rim == "top"
            else privacy_words(scene.measure, place.privacy)
        )
        painter.setPen(theme.colour("accentInk"))
        painter.setFont(theme.font("caption", "semibold"))
        wide = QFontMetricsF(painter.font()).horizontalAdvance(words)
        at = inner + (QPointF(12, 4) if rim != "right" else QPointF(-wide - 4, -12))
        painter.drawText(at, words)

    def callout(self, dot: TradeDot, spot: QPointF) -> tuple[QRectF, tuple[str, ...]]:
        """Where the callout is and its lines: in a low picture only those that spare the dot."""
        for count in range(len(dot.lines), 0, -1):
            lines = dot.lines[:count]
            box = self._callout_box(dot.title, lines, spot)
            if not box.adjusted(-_DOT, -_DOT, _DOT, _DOT).contains(spot):
                return box, lines
        return self._callout_box(dot.title, dot.lines, spot), dot.lines

    def _callout_box(self, title: str, lines: tuple[str, ...], spot: QPointF) -> QRectF:
        """Right above the dot, or wherever there is room in the picture."""
        theme, area = self._theme, self.area
        px = theme.px
        bold = QFontMetricsF(theme.font("caption", "semibold"))
        plain = QFontMetricsF(theme.font("caption"))
        widths = [
            bold.horizontalAdvance(title) + px(22),
            *map(plain.horizontalAdvance, lines),
        ]
        wide = min(max(widths) + 22, area.width())
        high = px(17) * (1 + len(lines)) + 12
        left = spot.x() + 34
        if left + wide > area.right():
            left = max(spot.x() - 34 - wide, area.left())
            if spot.x() - 34 - wide < area.left():
                left = area.right() - wide
        top = spot.y() - 30 - high
        if top < area.top():
            top = area.top() + 4
            left = self._clear_of_curve(top + high, left, area.right() - wide)
            if QRectF(left, top, wide, high).adjusted(-14, -14, 14, 14).contains(spot):
                top = min(spot.y() + 26, area.bottom() - high)
        return QRectF(round(left) + 0.5, round(top) + 0.5, wide, high)

    def _clear_of_curve(self, bottom: float, left: float, most: float) -> float:
        """How far right a box has to begin to leave the curve in sight, at most so far."""
        line = self.curve
        below = None if line is None else line[line[:, 1] > bottom + 6]
        if below is None or not len(below):
            return left
        return min(max(left, float(below[:, 0].min()) + 8), max(left, most))

    def _draw_callout(
        self, painter: QPainter, dot: TradeDot, lines: tuple[str, ...], box: QRectF
    ) -> None:
        theme = self._theme
        line = theme.px(17)
        row = QRectF(box.left() + 10, box.top() + 6, box.width() - 20, line)
        painter.setFont(theme.font("caption", "semibold"))
        painter.setPen(theme.colour("text"))
        painter.drawText(row, Qt.AlignmentFlag.AlignVCenter, dot.title)
        if dot.is_met:
            side = theme.px(15)
            mark = QRectF(box.right() - side - 8, row.center().y() - side / 2, side, side)
            icon("check", theme.colour("good")).paint(painter, mark.toRect())
        painter.setFont(theme.font("caption"))
        for place, words in enumerate(lines):
            row.translate(0, line)
            painter.setPen(theme.colour("text2" if place else "text"))
            painter.drawText(row, Qt.AlignmentFlag.AlignVCenter, words)


def nearest(line: Numbers, point: QPointF) -> tuple[int, float, float]:
    """The segment that comes nearest, how far along it, and the distance in pixels."""
    starts, ways = line[:-1], np.diff(line, axis=0)
    to_point = np.array([point.x(), point.y()]) - starts
    lengths = np.maximum((ways**2).sum(axis=1), 1e-9)
    shares = np.clip((to_point * ways).sum(axis=1) / lengths, 0.0, 1.0)
    gaps = ((to_point - shares[:, None] * ways) ** 2).sum(axis=1)
    best = int(np.argmin(gaps))
    return best, float(shares[best]), math.sqrt(float(gaps[best]))


def _polygon(spots: Numbers) -> QPolygonF:
    # Far outside Qt's clipping gets slow and inexact.
    clipped = np.clip(spots, -4_000, 8_000)
    return QPolygonF([QPointF(x, y) for x, y in clipped.tolist()])
