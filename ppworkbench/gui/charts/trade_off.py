"""The trade-off chart: privacy from left to right, precision from the bottom up.

The scene (axes, curve, frontier, pins, goal) is painted once into a pixmap; a drag moves only the
dot and its callout above it, and the axes never follow the dot.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPaintEngine,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QPolygonF,
)
from PySide6.QtWidgets import QMenu, QSizePolicy, QToolTip, QWidget

from ppworkbench.core.arrays import Numbers
from ppworkbench.gui.charts.axes import number_ticks
from ppworkbench.gui.charts.chart import Rows
from ppworkbench.gui.charts.chart_export import add_picture_actions
from ppworkbench.gui.dialogs import show_menu
from ppworkbench.gui.icons import icon
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.numbers import number, percent, significant
from ppworkbench.gui.theme import Theme, ThemeManager, set_fill, set_outline, smooth_painter
from ppworkbench.study.analyses.trade_off import (
    EPSILON,
    FamilyCurve,
    FrontierDesign,
    TradeAxes,
    TradePlace,
)

PINS = "ABCD"
_DOT, _PIN, _LINE, _EDGE = 15.0, 12.0, 9.0, 6.0
"""How near in pixels a pointer has to be to the dot, a pin, a line, an edge of the goal."""
_MOST_ROWS = 24
"""Designs of a line in the table of the chart."""
_CURSORS = {
    "": Qt.CursorShape.ArrowCursor,
    "goal limit": Qt.CursorShape.SizeHorCursor,
    "goal points": Qt.CursorShape.SizeVerCursor,
    "goal corner": Qt.CursorShape.SizeBDiagCursor,
}
"""The cursor over a part of the chart; a hand over all others."""


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
    numeric: bool
    curve: FamilyCurve | None
    frontier: tuple[FrontierDesign, ...]
    pins: tuple[tuple[str, TradePlace, str], ...]
    """Letter, place and what the pin holds."""
    active: str
    goal: tuple[float, float]
    direct: float
    bottom: str
    left: str
    family: str


@dataclass(frozen=True)
class TradeDot:
    """The design of now and what its callout says."""

    place: TradePlace
    title: str
    lines: tuple[str, ...]
    is_met: bool


class TradeOffChart(QWidget):
    """One focus stop: arrows move the dot, letters take pins, G asks for the goals."""

    drag_started = Signal()
    drag_ended = Signal()
    moved = Signal(float)
    """The dot was dragged to this value of the curve's parameter."""
    second_moved = Signal(float)
    """A drag with Shift went this share of the width to the right."""
    stepped = Signal(float, bool)
    """A key moved the dot by so many hundredths; whether the key is held down."""
    ended = Signal(bool)
    """A key moved the dot to the private (False) or the truthful end."""
    goal_moved = Signal(str, float, float)
    """Which edge of the goal was dragged ("limit", "points", "corner"): privacy and half-width."""
    pin_taken = Signal(str)
    frontier_taken = Signal(int)
    goals_requested = Signal()

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._scene: TradeScene | None = None
        self._dot: TradeDot | None = None
        self._pixmap: tuple[object, QPixmap] | None = None
        self._curve_spots: tuple[object, Numbers] | None = None
        self._drag = ""
        self._pressed_at = 0.0
        self.setObjectName("tradeOff")
        self.setAccessibleName(tr("Trade-off between privacy and precision"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        themes.theme_changed.connect(self._retheme)

    def _retheme(self) -> None:
        self._pixmap = None
        self.update()

    @property
    def scene(self) -> TradeScene | None:
        """What stands still."""
        return self._scene

    @property
    def dot(self) -> TradeDot | None:
        """The design of now."""
        return self._dot

    @property
    def is_dragged(self) -> bool:
        """Whether somebody holds the dot or an edge of the goal."""
        return bool(self._drag)

    def show_scene(self, scene: TradeScene) -> None:
        """Show other axes, lines, pins or goals; cheap if nothing differs."""
        if scene != self._scene:
            self._scene, self._pixmap, self._curve_spots = scene, None, None
            self.update()

    def show_dot(self, dot: TradeDot) -> None:
        """Move the dot."""
        if dot != self._dot:
            self._dot = dot
            self.setAccessibleDescription(" ".join((dot.title, *dot.lines)))
            self.update()

    # Numbers

    def rows(self) -> Rows:
        """Designs and lines as a table."""
        scene, dot = self._scene, self._dot
        if scene is None or dot is None:
            return []
        rows = [[tr("design"), scene.bottom, scene.left]]

        def add(name: str, place: TradePlace) -> None:
            unit = 1.0 if scene.numeric else 100.0
            rows.append([name, f"{place.privacy:.4f}", f"{unit * place.half_width:.4g}"])

        add(dot.title, dot.place)
        for letter, place, summary in scene.pins:
            add(f"{letter}: {summary}", place)
        for design in scene.frontier[:: max(1, len(scene.frontier) // _MOST_ROWS)]:
            add(tr("frontier: %s") % translate(design.perturbation.summary()), design.place)
        curve = scene.curve
        if curve is not None:
            for i in range(0, len(curve.values), max(1, len(curve.values) // _MOST_ROWS)):
                place = TradePlace(float(curve.privacy[i]), float(curve.half_width[i]))
                value = float(f"{curve.values[i]:.3g}")
                summary = translate(curve.free.put(value).summary())
                add(f"{scene.family}: {summary}", place)
        return rows

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802
        """Offer to copy or save the picture and its numbers."""
        show_menu(self.make_menu(), event.globalPos())

    def make_menu(self) -> QMenu:
        """The menu of the right button."""
        menu = QMenu(self)
        add_picture_actions(menu, self, self.rows)
        return menu

    # Places

    def sizeHint(self) -> QSize:  # noqa: N802
        """As large as the column allows."""
        return QSize(560, self._themes.theme.px(300))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """Large enough to be dragged in."""
        return QSize(self._themes.theme.px(300), self._themes.theme.px(160))

    def area(self) -> QRectF:
        """The room between the axes."""
        px = self._themes.theme.px
        return QRectF(px(46), px(8), self.width() - px(62), self.height() - px(52))

    def spot(self, place: TradePlace) -> QPointF:
        """Where a place lies in pixels; beyond the axes for one that is outside."""
        scene = self._scene
        assert scene is not None  # noqa: S101 (asked while something is shown)
        area, axes = self.area(), scene.axes
        across = (min(place.privacy, 1e6) - axes.low) / (axes.high - axes.low)
        up = min(place.half_width, 1e6 * axes.top) / axes.top
        return QPointF(area.left() + across * area.width(), area.bottom() - up * area.height())

    def _spots(self, privacy: Numbers, half_width: Numbers) -> Numbers:
        scene = self._scene
        assert scene is not None  # noqa: S101 (asked while something is shown)
        area, axes = self.area(), scene.axes
        x = area.left() + (privacy - axes.low) / (axes.high - axes.low) * area.width()
        y = area.bottom() - half_width / axes.top * area.height()
        return np.column_stack([x, y])

    def _curve(self) -> Numbers | None:
        """The curve in pixels, remembered while size and scene stay."""
        scene = self._scene
        if scene is None or scene.curve is None:
            return None
        key = self.size().toTuple()
        if self._curve_spots is None or self._curve_spots[0] != key:
            self._curve_spots = key, self._spots(scene.curve.privacy, scene.curve.half_width)
        return self._curve_spots[1]

    def _frontier(self) -> Numbers | None:
        scene = self._scene
        if scene is None or not scene.frontier:
            return None
        places = [design.place for design in scene.frontier]
        return self._spots(
            np.array([place.privacy for place in places]),
            np.array([place.half_width for place in places]),
        )

    def _dot_spot(self) -> tuple[QPointF, str]:
        """Where the dot is drawn, and over which rim it lies: "", "top", "left" or "right"."""
        dot, scene = self._dot, self._scene
        assert dot is not None and scene is not None  # noqa: PT018, S101 (shown)
        area, spot = self.area(), self.spot(dot.place)
        rim = ""
        if spot.y() < area.top() - 1:
            rim = "top"
        elif spot.x() > area.right() + 1:
            rim = "right"
        elif spot.x() < area.left() - 1:
            rim = "left"
        inside = QPointF(
            min(max(spot.x(), area.left()), area.right()),
            min(max(spot.y(), area.top()), area.bottom()),
        )
        return inside, rim

    def goal_corner(self) -> QPointF:
        """Where the edges of the goal meet, at the rim if it reaches further than the axes."""
        scene = self._scene
        assert scene is not None  # noqa: S101 (asked while something is shown)
        area, corner = self.area(), self.spot(TradePlace(*scene.goal))
        return QPointF(
            min(max(corner.x(), area.left()), area.right()),
            min(max(corner.y(), area.top()), area.bottom()),
        )

    def value_at(self, point: QPointF) -> float | None:
        """The value of the parameter where the curve comes nearest to a point."""
        line, scene = self._curve(), self._scene
        if line is None or scene is None or scene.curve is None:
            return None
        place, share, _ = _nearest(line, point)
        free, values = scene.curve.free, scene.curve.values
        ends = free.position(float(values[place])), free.position(float(values[place + 1]))
        value = free.value(ends[0] + share * (ends[1] - ends[0]))
        return round(value, 3) if free.scale == "linear" else float(f"{value:.4g}")

    # Pointer and keys

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Take hold of dot, curve or goal, or take a pin or a design of the frontier."""
        if event.button() != Qt.MouseButton.LeftButton or self._dot is None:
            return
        at, point = event.position(), self._hit(event.position())
        if point == "dot" or point == "curve":  # noqa: PLR1714 (two strings read better)
            shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self._drag = "second" if shifted else "first"
            self._pressed_at = at.x()
            self.drag_started.emit()
            if point == "curve":
                self._follow(at)
        elif point.startswith("goal "):
            self._drag = point
            self.drag_started.emit()
        elif point.startswith("pin "):
            self.pin_taken.emit(point[-1])
        elif point.startswith("frontier "):
            self.frontier_taken.emit(int(point.split()[1]))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Drag, or show what can be taken."""
        if self._drag:
            self._follow(event.position())
        else:
            hand = Qt.CursorShape.PointingHandCursor
            self.setCursor(_CURSORS.get(self._hit(event.position()), hand))

    def _follow(self, at: QPointF) -> None:
        if self._drag.startswith("goal "):
            area, scene = self.area(), self._scene
            assert scene is not None  # noqa: S101 (dragged)
            axes = scene.axes
            across = (at.x() - area.left()) / max(area.width(), 1.0)
            up = (area.bottom() - at.y()) / max(area.height(), 1.0)
            privacy = axes.low + min(max(across, 0.0), 1.0) * (axes.high - axes.low)
            self.goal_moved.emit(self._drag.split()[1], privacy, min(max(up, 0.0), 1.0) * axes.top)
            return
        if self._drag == "second":
            self.second_moved.emit((at.x() - self._pressed_at) / max(self.area().width(), 1.0))
            return
        value = self.value_at(at)
        if value is not None:
            self.moved.emit(value)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: ARG002, N802
        """Let go."""
        if self._drag:
            self._drag = ""
            self.drag_ended.emit()

    def _hit(self, at: QPointF) -> str:
        """What lies under a pointer: "dot", "pin A", "curve", "goal limit", "frontier 3" or ""."""
        scene = self._scene
        if scene is None or self._dot is None:
            return ""
        if _distance(self._dot_spot()[0], at) <= _DOT:
            return "dot"
        for letter, place, _ in scene.pins:
            if place.is_finite and _distance(self.spot(place), at) <= _PIN:
                return f"pin {letter}"
        is_inside = self.area().adjusted(-6, -6, 6, 6).contains(at)
        return self._hit_line(at) if is_inside else ""

    def _hit_line(self, at: QPointF) -> str:
        line, best, edge = self._curve(), self._frontier(), self._hit_goal(at)
        # The curve can be taken anywhere along it, the corner in one place only.
        if edge == "goal corner":
            return edge
        if line is not None and _nearest(line, at)[2] <= _LINE:
            return "curve"
        if edge:
            return edge
        if best is not None and len(best) > 1:
            place, share, gap = _nearest(best, at)
            if gap <= _LINE:
                return f"frontier {place + round(share)}"
        return ""

    def _hit_goal(self, at: QPointF) -> str:
        corner = self.goal_corner()
        beside, over = abs(at.x() - corner.x()), abs(at.y() - corner.y())
        if beside <= _EDGE and over <= _EDGE:
            return "goal corner"
        if beside <= _EDGE and at.y() > corner.y():
            return "goal limit"
        return "goal points" if over <= _EDGE and at.x() < corner.x() else ""

    def event(self, event: QEvent) -> bool:
        """Tell in a tooltip what a click would take."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            words = self.told_at(QPointF(event.pos()))
            QToolTip.showText(event.globalPos(), words, self)
            return True
        return super().event(event)

    def told_at(self, at: QPointF) -> str:
        """What a click at a point would take, and its price."""
        scene, found = self._scene, self._hit(at)
        if scene is None or not found:
            return ""
        if found == "dot":
            return tr("Drag along the curve; with Shift the second parameter.")
        if found.startswith("goal "):
            return tr("Drag to change the goal.")
        if found.startswith("pin "):
            summary = next(words for letter, _, words in scene.pins if letter == found[-1])
            return tr("Pin %s: %s. Click to apply it.") % (found[-1], summary)
        if found.startswith("frontier "):
            design = scene.frontier[int(found.split()[1])]
            words = tr("Frontier: %s, %s. Click to apply it.") % (
                translate(design.perturbation.summary()),
                half_width_words(design.place.half_width, scene.numeric),
            )
            if design.certain:
                words += "\n" + tr("A reported “%s” is then certain.") % design.certain
            return words
        return ""

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Arrows 0.01, Page 0.1, Home and End, letters for pins, G for the goals."""
        key = Qt.Key(event.key())
        steps = {
            Qt.Key.Key_Right: 1.0, Qt.Key.Key_Up: 1.0, Qt.Key.Key_Left: -1.0,
            Qt.Key.Key_Down: -1.0, Qt.Key.Key_PageUp: 10.0, Qt.Key.Key_PageDown: -10.0,
        }.get(key)  # fmt: skip
        letter = event.text().upper()
        if event.modifiers() & ~(
            Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier
        ):
            super().keyPressEvent(event)
        elif steps is not None:
            self.stepped.emit(steps, event.isAutoRepeat())
        elif key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            self.ended.emit(key == Qt.Key.Key_End)
        elif letter and letter in PINS:
            self.pin_taken.emit(letter)
        elif letter == "G":
            self.goals_requested.emit()
        else:
            super().keyPressEvent(event)

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        """Draw the scene from the pixmap, and the dot."""
        scene, dot = self._scene, self._dot
        if scene is None or dot is None:
            return
        painter = smooth_painter(self)
        if painter.paintEngine().type() == QPaintEngine.Type.SVG:
            self._draw_scene(painter, scene)
        else:
            painter.drawPixmap(0, 0, self._scene_pixmap(scene))
        callout = self._callout_box(self._themes.theme, dot, self._dot_spot()[0])
        self._name_lines(painter, scene, callout)
        self._draw_dot(painter, scene, dot, callout)
        if self.hasFocus():
            set_outline(painter, QPen(self._themes.theme.colour("focus"), 2))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 6, 6)

    def _scene_pixmap(self, scene: TradeScene) -> QPixmap:
        ratio = self.devicePixelRatioF()
        key = self.width(), self.height(), ratio
        if self._pixmap is None or self._pixmap[0] != key:
            made = QPixmap(round(self.width() * ratio), round(self.height() * ratio))
            made.setDevicePixelRatio(ratio)
            made.fill(Qt.GlobalColor.transparent)
            painter = smooth_painter(made)
            self._draw_scene(painter, scene)
            painter.end()
            self._pixmap = key, made
        return self._pixmap[1]

    def _draw_scene(self, painter: QPainter, scene: TradeScene) -> None:
        theme, area = self._themes.theme, self.area()
        self._draw_goal(painter, theme, scene)
        self._draw_axes(painter, theme, scene)
        painter.save()
        painter.setClipRect(area.adjusted(-2, -2, 2, 2))
        self._draw_direct(painter, theme, scene)
        best, line = self._frontier(), self._curve()
        if best is not None:
            painter.setPen(QPen(theme.colour("outline"), 1.8, Qt.PenStyle.DashLine))
            painter.drawPolyline(_polygon(best))
        if line is not None:
            painter.setPen(QPen(theme.colour("accent"), 2.4))
            painter.drawPolyline(_polygon(line))
        painter.restore()
        for letter, place, _ in scene.pins:
            if scene.axes.holds(place):
                self._draw_pin(painter, theme, letter, self.spot(place), letter == scene.active)

    def _draw_goal(self, painter: QPainter, theme: Theme, scene: TradeScene) -> None:
        area, corner = self.area(), self.spot(TradePlace(*scene.goal))
        zone = QRectF(area.left(), corner.y(), corner.x() - area.left(), area.bottom() - corner.y())
        zone = zone.intersected(area)
        if zone.isEmpty() or corner.x() <= area.left():
            return
        set_fill(painter, theme.colour("accentTint"))
        painter.drawRect(zone)
        painter.setPen(QPen(theme.colour("accentInk"), 1, Qt.PenStyle.DashLine))
        painter.drawLine(zone.topLeft(), zone.topRight())
        painter.drawLine(zone.topRight(), zone.bottomRight())
        painter.setPen(QPen(theme.colour("accentInk"), 1))
        painter.setBrush(theme.colour("surface"))
        painter.drawRoundedRect(QRectF(zone.right() - 4, zone.top() - 4, 8, 8), 2, 2)
        painter.setPen(theme.colour("accentInk"))
        painter.setFont(theme.font("caption", "semibold"))
        painter.drawText(zone.bottomLeft() + QPointF(8, -6), tr("your goal"))

    def _draw_axes(self, painter: QPainter, theme: Theme, scene: TradeScene) -> None:
        area, axes, px = self.area(), scene.axes, theme.px
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
        steps = 6 if area.width() < 400 else 10
        for value in _round_steps(axes.low, axes.high, steps):
            x = area.left() + (value - axes.low) / (axes.high - axes.low) * area.width()
            words = number(value, 1) if scene.measure == EPSILON else percent(value)
            wide = metrics.horizontalAdvance(words)
            left = min(max(x - wide / 2, 0.0), self.width() - wide)
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

    def _draw_direct(self, painter: QPainter, theme: Theme, scene: TradeScene) -> None:
        area = self.area()
        y = self.spot(TradePlace(scene.axes.low, scene.direct)).y()
        painter.setPen(QPen(theme.colour("text3"), 1, Qt.PenStyle.DotLine))
        painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
        painter.setPen(theme.colour("text3"))
        painter.setFont(theme.font("caption"))
        words = tr("asked directly %s") % half_width_words(scene.direct, scene.numeric)
        wide, high = painter.fontMetrics().horizontalAdvance(words), theme.px(16)
        box = QRectF(area.right() - 4 - wide, y + 2, wide, high)
        edge = self.goal_corner().x()
        if box.left() - 4 < edge < box.right() + 4 and edge < area.right():
            # The edge of the goal would run through the words.
            box.moveRight(edge - 6)
        painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, words)

    def _name_lines(self, painter: QPainter, scene: TradeScene, taken: QRectF) -> None:
        """Write the name of either line where it enters, unless the callout is there."""
        area, theme = self.area(), self._themes.theme
        best, line = self._frontier(), self._curve()
        for spots, words, colour, row in (
            (line, scene.family, "accentInk", 0), (best, tr("frontier"), "text2", 1)
        ):  # fmt: skip
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
            at.setX(min(max(at.x(), area.left() + 4), area.right() - wide - 4))
            if not taken.intersects(QRectF(at.x(), at.y() - 14, wide, 18)):
                painter.drawText(at, words)

    def _draw_pin(
        self, painter: QPainter, theme: Theme, letter: str, spot: QPointF, is_active: bool
    ) -> None:
        painter.setPen(QPen(theme.colour("accentInk" if is_active else "outline"), 1.4))
        painter.setBrush(theme.colour("accentTint" if is_active else "surface"))
        painter.drawEllipse(spot, 9.5, 9.5)
        painter.setPen(theme.colour("accentInk" if is_active else "text"))
        painter.setFont(theme.font("caption", "semibold"))
        painter.drawText(
            QRectF(spot.x() - 10, spot.y() - 10, 20, 20), Qt.AlignmentFlag.AlignCenter, letter
        )

    def _draw_dot(self, painter: QPainter, scene: TradeScene, dot: TradeDot, box: QRectF) -> None:
        theme, area = self._themes.theme, self.area()
        spot, rim = self._dot_spot()
        if rim:
            self._draw_rim(painter, theme, scene, dot, spot, rim)
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
        self._draw_callout(painter, theme, dot, box)
        if not rim:
            painter.setPen(QPen(theme.colour("accent"), 2))
            painter.setBrush(theme.colour("surface"))
            painter.drawEllipse(spot, 11.0, 11.0)
            set_fill(painter, theme.colour("accent"))
            painter.drawEllipse(spot, 7.0, 7.0)

    def _draw_rim(
        self,
        painter: QPainter,
        theme: Theme,
        scene: TradeScene,
        dot: TradeDot,
        spot: QPointF,
        rim: str,
    ) -> None:
        """A triangle that points out of the picture, with the number that lies there."""
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

    def _callout_box(self, theme: Theme, dot: TradeDot, spot: QPointF) -> QRectF:
        """Right above the dot, or wherever there is room in the picture."""
        area, px = self.area(), theme.px
        bold = QFontMetricsF(theme.font("caption", "semibold"))
        plain = QFontMetricsF(theme.font("caption"))
        widths = [
            bold.horizontalAdvance(dot.title) + px(22),
            *map(plain.horizontalAdvance, dot.lines),
        ]
        wide = min(max(widths) + 22, area.width())
        high = px(17) * (1 + len(dot.lines)) + 12
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
        line = self._curve()
        below = None if line is None else line[line[:, 1] > bottom + 6]
        if below is None or not len(below):
            return left
        return min(max(left, float(below[:, 0].min()) + 8), max(left, most))

    def _draw_callout(self, painter: QPainter, theme: Theme, dot: TradeDot, box: QRectF) -> None:
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
        for place, words in enumerate(dot.lines):
            row.translate(0, line)
            painter.setPen(theme.colour("text2" if place else "text"))
            painter.drawText(row, Qt.AlignmentFlag.AlignVCenter, words)


def _distance(one: QPointF, other: QPointF) -> float:
    return math.hypot(one.x() - other.x(), one.y() - other.y())


def _nearest(line: Numbers, point: QPointF) -> tuple[int, float, float]:
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


def _round_steps(low: float, high: float, most: int) -> list[float]:
    """Round numbers between two ends, no more than so many steps.

    >>> _round_steps(0.2, 1.0, 10)
    [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
    """
    span = high - low
    sizes: tuple[float, ...] = (0.05, 0.1, 0.2, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0)
    step = next((size for size in sizes if span / size <= most), span / most)
    first = math.ceil(low / step - 1e-9)
    return [round(i * step, 6) for i in range(first, math.floor(high / step + 1e-9) + 1)]
