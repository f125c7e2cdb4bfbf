"""Marks with intervals, drawn in pixels so that they keep their shape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen, QPolygonF, QTransform

from ppworkbench.gui.plots.brushes import role_brush
from ppworkbench.gui.plots.pixel_item import PixelItem
from ppworkbench.gui.plots.series import draw_marker, is_series, look_colour, look_marker
from ppworkbench.gui.theme import Theme

if TYPE_CHECKING:
    from ppworkbench.gui.plots.interval_plot import IntervalRow, Mark

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
        """All of the plot: words reach beyond their marks."""
        view = self.getViewBox()
        return QRectF() if view is None else view.viewRect()

    def viewRangeChanged(self) -> None:  # noqa: N802
        """The area follows the axes."""
        self.prepareGeometryChange()

    def draw(self, painter: QPainter, to_device: QTransform) -> None:
        """Draw intervals first, marks over them, words last."""
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
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(look_colour(self._theme, mark.look))
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


def draw_mark(
    painter: QPainter,
    theme: Theme,
    look: str,
    at: QPointF,
    radius: float = 5.0,
    hatched: QBrush | None = None,
) -> None:
    """Diamond for original, hatched square for distorted, circle for reconstructed.

    Who draws many gives the brush of the hatched ones, which takes a while to make.
    """
    if look == "original":
        ink, reach = theme.role(look).fill, radius * 1.3
        corners = [QPointF(0, -reach), QPointF(reach, 0), QPointF(0, reach), QPointF(-reach, 0)]
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ink)
        painter.drawPolygon(QPolygonF([at + corner for corner in corners]))
    elif look == "distorted":
        role = theme.role(look)
        painter.setPen(QPen(role.line, 1.2))
        painter.setBrush(hatched or role_brush(theme, look))
        painter.drawRect(QRectF(at.x() - radius, at.y() - radius, 2 * radius, 2 * radius))
    elif look == "reconstructed":
        painter.setPen(QPen(theme.colour("surface"), 1))
        painter.setBrush(theme.role(look).fill)
        painter.drawEllipse(at, radius + 0.5, radius + 0.5)
    else:
        # A circle is the reconstructed mark's own.
        marker = look_marker(look)
        shape = "square" if marker == "circle" else marker
        draw_marker(painter, shape, at, radius, look_colour(theme, look))


def _tint(theme: Theme, look: str) -> QColor:
    if not is_series(look):
        return theme.role(look).tint
    ink = QColor(look_colour(theme, look))
    ink.setAlpha(40)
    return ink
