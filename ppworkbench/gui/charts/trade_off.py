"""The trade-off chart: privacy from left to right, precision from the bottom up.

The scene (axes, curve, frontier, pins, goal) is painted once into a pixmap; a drag moves only the
dot and its callout above it, and the axes never follow the dot.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPaintEngine,
    QPaintEvent,
    QPen,
    QPixmap,
)
from PySide6.QtWidgets import QMenu, QSizePolicy, QToolTip, QWidget

from ppworkbench.analyses.trade_off.places import TradePlace
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
        self._picture: TradePicture | None = None
        self._pixmap: tuple[object, QPixmap] | None = None
        self._drag = ""
        self._pressed_at = 0.0
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
        """What stands still."""
        return self._scene

    @property
    def dot(self) -> TradeDot | None:
        """The design of now."""
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
                place = curve.place(i)
                value = float(f"{curve.values[i]:.3g}")
                summary = translate(curve.free.put(value).summary())
                add(f"{scene.family}: {summary}", place)
        return rows

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802
        """Offer to copy or save the picture and its numbers."""
        show_menu(self.make_menu(), event.globalPos())

    def make_menu(self) -> QMenu:
        """The menu of the right button."""
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
        if self._drag:
            self._follow(event.position())
        else:
            hand = Qt.CursorShape.PointingHandCursor
            self.setCursor(_CURSORS.get(self._hit(event.position()), hand))

    def _follow(self, at: QPointF) -> None:
        if self._drag.startswith("goal "):
            place = self.picture.place_at(at)
            self.goal_moved.emit(self._drag.split()[1], place.privacy, place.half_width)
            return
        if self._drag == "second":
            self.second_moved.emit(
                (at.x() - self._pressed_at) / max(self.picture.area.width(), 1.0)
            )
            return
        value = self.picture.value_at(at)
        if value is not None:
            self.moved.emit(value)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: ARG002, N802
        if self._drag:
            self._drag = ""
            self.drag_ended.emit()

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
        corner = self.picture.goal_corner
        beside, over = abs(at.x() - corner.x()), abs(at.y() - corner.y())
        if beside <= _EDGE and over <= _EDGE:
            return "goal corner"
        if beside <= _EDGE and at.y() > corner.y():
            return "goal limit"
        return "goal points" if over <= _EDGE and at.x() < corner.x() else ""

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
        scene, dot = self._scene, self._dot
        if scene is None or dot is None:
            return
        painter = smooth_painter(self)
        if painter.paintEngine().type() == QPaintEngine.Type.SVG:
            self.picture.draw(painter)
        else:
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
