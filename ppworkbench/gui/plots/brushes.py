"""Fills and lines of the three roles, the same in every plot."""

from __future__ import annotations

from PySide6.QtCore import QLineF, Qt
from PySide6.QtGui import QBrush, QColor, QGuiApplication, QPainter, QPen, QPixmap, QTransform

from ppworkbench.gui.theme import Theme

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


def role_pen(theme: Theme, role: str, width: float = 2.0) -> QPen:
    """The line of a role: solid, dotted or dashed."""
    colours = theme.role(role)
    width = theme.stroke(width)
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
    ratio = QGuiApplication.devicePixelRatio(QGuiApplication.instance())
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
