"""Pens, brushes and hatches of the roles of data.

How algorithms look beside the one in focus: a thin line in a series colour with its own marker.

A *look* names what something is drawn as: one of the three roles, or ``series 0``, ``series 1``, …
"""

from __future__ import annotations

import math
from typing import cast

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QGuiApplication,
    QPainter,
    QPen,
    QPixmap,
    QPolygonF,
    QTransform,
)

from ppworkbench.gui.theme import Theme, set_fill

_FINE = 4
_PITCH = 5


def role_brush(theme: Theme, role: str) -> QBrush:
    """Solid for original, hatched for distorted, a tint for reconstructed."""
    colours = theme.role(role)
    if role == "original":
        return QBrush(colours.fill)
    if role == "distorted":
        return hatch(colours.fill, colours.tint)
    return QBrush(colours.tint)


def role_pen(theme: Theme, role: str) -> QPen:
    colours, width = theme.role(role), theme.stroke(2.0)
    pen = QPen(colours.line, width)
    pen.setCosmetic(True)
    if colours.dash:
        pen.setDashPattern([part / width for part in colours.dash])
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    return pen


def outline_pen(theme: Theme, role: str) -> QPen:
    """The edge of a bar: only reconstructed bars are open and need a strong one."""
    pen = QPen(theme.role(role).line, theme.stroke(2.0 if role == "reconstructed" else 1.0))
    pen.setCosmetic(True)
    pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
    return pen


def hatch(line: QColor, ground: QColor) -> QBrush:
    """A 45 degree hatch whose pitch does not change with the screen's scale.

    Built-in patterns are drawn in device pixels; a texture that is scaled back is not. Where the
    screen has whole pixels the texture has them too, because filling with a scaled one takes ten
    times as long, in every frame of a drag.
    """
    ratio = cast("QGuiApplication", QGuiApplication.instance()).devicePixelRatio()
    scale = round(ratio) if ratio in (1.0, 2.0) else _FINE
    tile = _tile(line, ground).scaled(
        _PITCH * scale, _PITCH * scale, mode=Qt.TransformationMode.SmoothTransformation
    )
    brush = QBrush(tile)
    if scale != 1:
        brush.setTransform(QTransform.fromScale(1 / scale, 1 / scale))
    return brush


def _tile(line: QColor, ground: QColor) -> QPixmap:
    side = _PITCH * _FINE
    tile = QPixmap(side, side)
    tile.fill(ground)
    painter = QPainter(tile)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(line, 1.4 * _FINE))
    for shift in (-side, 0, side):
        painter.drawLine(QLineF(shift, side, shift + side, 0))
    painter.end()
    return tile


REFERENCE = "reference"
"""The look of what others are compared with."""
MARKERS = ("circle", "square", "triangle", "diamond", "cross", "star")


def series_look(place: int) -> str:
    return f"series {place}"


def is_series(look: str) -> bool:
    """Whether a look is one of the algorithms beside the focus, not one of the roles."""
    return look.startswith("series ")


def look_colour(theme: Theme, look: str) -> QColor:
    if is_series(look):
        colours = theme.series
        return colours[series_of(look) % len(colours)]
    return theme.colour("text2") if look == REFERENCE else theme.role(look).line


def look_pen(theme: Theme, look: str) -> QPen:
    """The line of a look: thin for algorithms beside the focus, as the role has it for others."""
    if not is_series(look) and look != REFERENCE:
        return role_pen(theme, look)
    pen = QPen(look_colour(theme, look), theme.stroke(1.5))
    if look == REFERENCE:
        pen.setStyle(Qt.PenStyle.DashLine)
    pen.setCosmetic(True)
    return pen


def look_marker(look: str) -> str:
    """The marker of a look; the reconstructed one has a circle."""
    return MARKERS[series_of(look) % len(MARKERS)] if is_series(look) else "circle"


def series_of(look: str) -> int:
    return int(look.removeprefix("series "))


def draw_marker(painter: QPainter, marker: str, at: QPointF, radius: float, ink: QColor) -> None:
    set_fill(painter, ink)
    if marker == "circle":
        painter.drawEllipse(at, radius, radius)
    elif marker == "square":
        side = radius * 0.9
        painter.drawRect(QRectF(at.x() - side, at.y() - side, 2 * side, 2 * side))
    elif marker == "cross":
        painter.setPen(QPen(ink, 1.8))
        painter.drawLine(at + QPointF(-radius, -radius), at + QPointF(radius, radius))
        painter.drawLine(at + QPointF(-radius, radius), at + QPointF(radius, -radius))
    else:
        painter.drawPolygon(QPolygonF(_corners(marker, at, radius)))


def _corners(marker: str, at: QPointF, radius: float) -> list[QPointF]:
    if marker == "star":
        reach = [radius * (1.25 if i % 2 == 0 else 0.5) for i in range(10)]
    else:
        reach = [radius * 1.2] * {"triangle": 3, "diamond": 4}[marker]
    turn = 2 * math.pi / len(reach)
    return [
        QPointF(at.x() + r * math.sin(i * turn), at.y() - r * math.cos(i * turn))
        for i, r in enumerate(reach)
    ]


def draw_line_sample(painter: QPainter, theme: Theme, look: str, box: QRectF) -> None:
    """Draw a piece of the line of a look, with its marker where it has one."""
    middle = box.center().y()
    painter.setPen(look_pen(theme, look))
    painter.drawLine(QLineF(box.left(), middle, box.right(), middle))
    if is_series(look):
        ink = look_colour(theme, look)
        draw_marker(painter, look_marker(look), box.center(), 3.5, ink)


def draw_swatch(
    painter: QPainter, theme: Theme, look: str, box: QRectF, *, as_area: bool = False
) -> None:
    """Draw the fill of a role, its tint where the plot has an area; or an algorithm's marker."""
    if is_series(look):
        ink = look_colour(theme, look)
        draw_marker(painter, look_marker(look), box.center(), 4.0, ink)
        return
    if look == REFERENCE and as_area:
        ink = QColor(look_colour(theme, look))
        ink.setAlphaF(0.2)
        painter.fillRect(box, ink)
        return
    if look == REFERENCE:
        draw_line_sample(painter, theme, look, box)
        return
    painter.setPen(outline_pen(theme, look))
    painter.setBrush(theme.role(look).tint if as_area else role_brush(theme, look))
    painter.drawRect(box)


def draw_mark(painter: QPainter, theme: Theme, look: str, at: QPointF, radius: float = 5.0) -> None:
    """Diamond for original, hatched square for distorted, circle for reconstructed."""
    if look == "original":
        ink, reach = theme.role(look).fill, radius * 1.3
        corners = [QPointF(0, -reach), QPointF(reach, 0), QPointF(0, reach), QPointF(-reach, 0)]
        set_fill(painter, ink)
        painter.drawPolygon(QPolygonF([at + corner for corner in corners]))
    elif look == "distorted":
        role = theme.role(look)
        painter.setPen(QPen(role.line, 1.2))
        painter.setBrush(role_brush(theme, look))
        painter.drawRect(QRectF(at.x() - radius, at.y() - radius, 2 * radius, 2 * radius))
    elif look == "reconstructed":
        painter.setPen(QPen(theme.colour("surface"), 1))
        painter.setBrush(theme.role(look).fill)
        painter.drawEllipse(at, radius + 0.5, radius + 0.5)
    else:
        draw_marker(painter, look_marker(look), at, radius, look_colour(theme, look))
