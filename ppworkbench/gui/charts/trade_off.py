"""The trade-off chart: privacy from left to right, precision from the bottom up.

The scene (axes, curve, frontier, pins, goal) is painted once into a pixmap; a drag moves only the
dot and its callout above it, and the axes never follow the dot.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPaintEvent,
    QPen,
    QPixmap,
)
from PySide6.QtWidgets import QMenu, QSizePolicy, QToolTip, QWidget

from ppworkbench.analyses.designs.pins import LETTERS
from ppworkbench.analyses.designs.places import EPSILON, TradePlace, free_parameters
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design import Perturbation
from ppworkbench.core.message import Message
from ppworkbench.gui.charts.chart import Rows
from ppworkbench.gui.charts.chart_export import picture_menu
from ppworkbench.gui.charts.trade_off_picture import (
    TradeDot,
    TradePicture,
    TradeScene,
    half_width_words,
    nearest,
)
from ppworkbench.gui.dialogs import show_menu
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.theme import ThemeManager, clear_pixmap, set_outline, smooth_painter
from ppworkbench.results.picture import Axis, Mark, Picture, Role, Shape
from ppworkbench.results.sheet import Kind

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


class TradeOffChart(QWidget):
    """One focus stop: arrows move the dot, letters take pins, G asks for the goals."""

    design_chosen = Signal(object, str)
    """A design, and the gesture that it is a part of."""
    goal_moved = Signal(str, object, object)
    """The gesture, and the limit and the points that are wanted; None leaves one as it is."""
    dragged = Signal(bool, bool)
    """Whether somebody drags, and whether along the second parameter."""
    pin_taken = Signal(str)
    goals_requested = Signal()

    _gestures = itertools.count(1)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._scene: TradeScene | None = None
        self._dot: TradeDot | None = None
        self._picture: TradePicture | None = None
        self._pixmap: tuple[object, QPixmap] | None = None
        self._drag = self._gesture = self._key_gesture = ""
        self._pressed: tuple[float, Perturbation | None] = 0.0, None
        """Where a drag began, and the design that was there."""
        self.add_scripts: Callable[[QMenu], None] | None = None
        """Adds the scripts of the trade-off to the menu of the right button."""
        self.setObjectName("tradeOff")
        self.setAccessibleName(tr("Trade-off between privacy and precision"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        themes.theme_changed.connect(self.update)

    @property
    def scene(self) -> TradeScene | None:
        return self._scene

    @property
    def dot(self) -> TradeDot | None:
        return self._dot

    @property
    def picture(self) -> TradePicture:
        """Where everything lies, once there is a scene."""
        scene, theme, size = self._scene, self._themes.theme, self.size()
        assert scene is not None  # noqa: S101 (asked while something is shown)
        if self._picture is None or not self._picture.fits(scene, theme, size):
            self._picture = TradePicture(scene, theme, size)
        return self._picture

    @property
    def is_dragged(self) -> bool:
        """Whether somebody holds the dot or an edge of the goal."""
        return bool(self._drag)

    def show_scene(self, scene: TradeScene) -> None:
        """Show other axes, lines, pins or goals; cheap if nothing differs."""
        if scene != self._scene:
            self._scene = scene
            self.update()

    def show_dot(self, dot: TradeDot) -> None:
        if dot != self._dot:
            self._dot = dot
            self.setAccessibleDescription(" ".join((dot.title, *dot.lines)))
            self.update()

    # Numbers

    def rows(self) -> Rows:
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
                place = curve.place(i)
                value = float(f"{curve.values[i]:.3g}")
                summary = translate(curve.free.put(value).summary())
                add(f"{scene.family}: {summary}", place)
        return rows

    @property
    def figure(self) -> Picture | None:
        """Designs and lines as files and the clipboard have them."""
        scene, dot = self._scene, self._dot
        if scene is None or dot is None:
            return None
        unit = 1.0 if scene.numeric else 100.0

        def mark(shape: Shape, role: Role, name: str, places: Iterable[TradePlace]) -> Mark:
            found = [(one.privacy, unit * one.half_width) for one in places]
            x, y = np.array(found, np.float64).reshape(-1, 2).T
            return Mark(shape, role, Message(name), x, y)

        curve, beyond = scene.curve, math.nan
        along = () if curve is None else map(curve.place, range(len(curve.values)))
        best = [one.place for one in scene.frontier]
        marks = [
            mark(Shape.LINE, Role.SERIES, scene.family, along),
            mark(
                Shape.LINE, Role.SERIES, tr("frontier"), sorted(best, key=lambda one: one.privacy)
            ),
            *(
                mark(Shape.POINTS, Role.REFERENCE, f"{letter}: {said}", [place])
                for letter, place, said in scene.pins
            ),
            mark(Shape.POINTS, Role.ESTIMATE, dot.title, [dot.place]),
            *(
                mark(Shape.RULE, Role.REFERENCE, tr("goal"), [place])
                for place in (
                    TradePlace(scene.goal[0], beyond), TradePlace(beyond, scene.goal[1]),
                )
                if not (math.isinf(place.privacy) or math.isinf(place.half_width))
            ),
        ]  # fmt: skip
        kind = Kind.NUMBER if scene.measure == EPSILON else Kind.SHARE
        across = Axis(Message(scene.bottom), low=scene.axes.low, high=scene.axes.high, kind=kind)
        up = Axis(Message(scene.left), low=0.0, high=unit * scene.axes.top)
        known = tuple(one for one in marks if len(one.x))
        return Picture("trade-off", Message(self.accessibleName()), across, up, known)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802
        """Offer to copy or save the picture and its numbers."""
        show_menu(self.make_menu(), event.globalPos())

    def make_menu(self) -> QMenu:
        return picture_menu(self, self.rows, self.add_scripts)

    # Places

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(560, self._themes.theme.px(300))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(self._themes.theme.px(300), self._themes.theme.px(160))

    # Pointer and keys

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Take hold of dot, curve or goal, or take a pin or a design of the frontier."""
        if event.button() != Qt.MouseButton.LeftButton or self._dot is None:
            return
        at, point = event.position(), self._hit(event.position())
        if point in ("dot", "curve") or point.startswith("goal "):
            is_second = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            kind = "second" if is_second else "first"
            self._drag = point if point.startswith("goal ") else kind
            self._gesture = f"trade-off {next(self._gestures)}"
            self._pressed = at.x(), self._dot.perturbation
            self.dragged.emit(True, self._drag == "second")
            if point == "curve":
                self._follow(at)
        elif point.startswith("pin "):
            self.pin_taken.emit(point[-1])
        elif point.startswith("frontier ") and self._scene is not None:
            place = int(point.split()[1])
            if place < len(self._scene.frontier):
                self.design_chosen.emit(self._scene.frontier[place].perturbation, "")

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        if self._drag:
            self._follow(event.position())
        else:
            hand = Qt.CursorShape.PointingHandCursor
            self.setCursor(_CURSORS.get(self._hit(event.position()), hand))

    def _follow(self, at: QPointF) -> None:
        scene = self._scene
        if scene is None:
            return
        if self._drag == "second":
            start, design = self._pressed
            share = (at.x() - start) / max(self.picture.area.width(), 1.0)
            self._move_second(scene.attribute, design, share)
        elif self._drag == "first":
            self._put(self.picture.value_at(at), self._gesture)
        else:
            place, edge = self.picture.place_at(at), self._drag.split()[1]
            width = scene.attribute.width if scene.numeric else 1.0
            self.goal_moved.emit(
                self._gesture,
                None if edge == "points" else place.privacy,
                None if edge == "limit" else 100 * place.half_width / width,
            )

    def _put(self, value: float | None, gesture: str) -> None:
        curve = None if self._scene is None else self._scene.curve
        if curve is not None and value is not None:
            self.design_chosen.emit(curve.put(value), gesture)

    def _move_second(self, attribute: Attribute, start: Perturbation | None, share: float) -> None:
        """Move the second parameter by a share of its range, from where the drag began."""
        free = () if start is None else free_parameters(attribute, start)
        second = free[1] if len(free) > 1 else None
        if second is None or second.now is None:
            return
        ends = second.position(second.private), second.position(second.truthful)
        place = second.position(second.now) + share * (ends[1] - ends[0])
        value = second.value(min(max(place, min(ends)), max(ends)))
        self.design_chosen.emit(second.put(round(value, 3)), self._gesture)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: ARG002, N802
        if self._drag:
            self._drag = self._gesture = ""
            self.dragged.emit(False, False)

    def _hit(self, at: QPointF) -> str:
        """What lies under a pointer: "dot", "pin A", "curve", "goal limit", "frontier 3" or ""."""
        scene = self._scene
        if scene is None or self._dot is None:
            return ""
        picture = self.picture
        if _distance(picture.dot_spot(self._dot)[0], at) <= _DOT:
            return "dot"
        for letter, place, _ in scene.pins:
            if place.is_finite and _distance(picture.spot(place), at) <= _PIN:
                return f"pin {letter}"
        is_inside = picture.area.adjusted(-6, -6, 6, 6).contains(at)
        return self._hit_line(at) if is_inside else ""

    def _hit_line(self, at: QPointF) -> str:
        line, best = self.picture.curve, self.picture.frontier
        edge = self._hit_goal(at)
        # The curve can be taken anywhere along it, the corner in one place only.
        if edge == "goal corner":
            return edge
        if line is not None and nearest(line, at)[2] <= _LINE:
            return "curve"
        if edge:
            return edge
        if best is not None and len(best) > 1:
            place, share, gap = nearest(best, at)
            if gap <= _LINE:
                return f"frontier {place + round(share)}"
        return ""

    def _hit_goal(self, at: QPointF) -> str:
        corner, goal = self.picture.goal_corner, self.picture.scene.goal
        beside = math.isfinite(goal[0]) and abs(at.x() - corner.x()) <= _EDGE
        over = math.isfinite(goal[1]) and abs(at.y() - corner.y()) <= _EDGE
        if beside and over:
            return "goal corner"
        if beside and at.y() > corner.y():
            return "goal limit"
        return "goal points" if over and at.x() < corner.x() else ""

    def event(self, event: QEvent) -> bool:
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
            self._step(steps, is_repeated=event.isAutoRepeat())
        elif key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            curve = None if self._scene is None else self._scene.curve
            end = -1 if key == Qt.Key.Key_End else 0
            self._put(None if curve is None else float(curve.values[end]), "")
        elif letter and letter in LETTERS:
            self.pin_taken.emit(letter)
        elif letter == "G":
            self.goals_requested.emit()
        else:
            super().keyPressEvent(event)

    def _step(self, steps: float, *, is_repeated: bool) -> None:
        """Move the dot by so many hundredths; a key that is held down is one gesture."""
        scene, now = self._scene, None if self._dot is None else self._dot.perturbation
        free = () if scene is None or now is None else free_parameters(scene.attribute, now)
        if scene is None or scene.curve is None or not free or free[0].now is None:
            return
        if not is_repeated or not self._key_gesture:
            self._key_gesture = f"trade-off key {next(self._gestures)}"
        self._put(scene.curve.stepped(free[0].now, steps), self._key_gesture)

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        scene, dot = self._scene, self._dot
        if scene is None or dot is None:
            return
        painter = smooth_painter(self)
        painter.drawPixmap(0, 0, self._scene_pixmap())
        self.picture.draw_dot(painter, dot)
        if self.hasFocus():
            set_outline(painter, QPen(self._themes.theme.colour("focus"), 2))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 6, 6)

    def _scene_pixmap(self) -> QPixmap:
        ratio = self.devicePixelRatioF()
        key = self.picture, ratio
        if self._pixmap is None or self._pixmap[0] != key:
            made = clear_pixmap(self.size(), ratio)
            painter = smooth_painter(made)
            self.picture.draw(painter)
            painter.end()
            self._pixmap = key, made
        return self._pixmap[1]


def _distance(one: QPointF, other: QPointF) -> float:
    return math.hypot(one.x() - other.x(), one.y() - other.y())
