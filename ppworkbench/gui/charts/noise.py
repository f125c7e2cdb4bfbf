"""The distribution of noise as a curve or stems, with handles that widen and narrow it."""

from __future__ import annotations

import numpy as np
from pyqtgraph.functions import arrayToQPolygonF
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from ppworkbench.core.arrays import Numbers
from ppworkbench.gui.numbers import number, signed
from ppworkbench.gui.theme import ThemeManager, set_outline, smooth_painter

_NARROWEST = 340
"""Pixels for curve and handles, so that the list beside gives way first."""
_FACTORS = {
    Qt.Key.Key_Left: 1 / 1.05,
    Qt.Key.Key_Down: 1 / 1.05,
    Qt.Key.Key_Right: 1.05,
    Qt.Key.Key_Up: 1.05,
    Qt.Key.Key_PageDown: 1 / 1.5,
    Qt.Key.Key_PageUp: 1.5,
}
_MOST_ROWS = 101


class NoisePlot(QWidget):
    """A curve over shifts with two handles at plus and minus the scale."""

    scale_dragged = Signal(float, str)

    _drags = 0

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._x: Numbers = np.linspace(-1, 1, 3)
        self._y: Numbers = np.ones(3)
        self._stems = False
        self._scale = 1.0
        self._symbol = "σ"
        self._range = 4.0
        self._interval = 0.0
        self._gesture = ""
        self.setObjectName("noisePlot")
        self.setAccessibleName(self.tr("Noise distribution"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        themes.theme_changed.connect(self.update)

    def show_density(
        self, x: Numbers, y: Numbers, scale: float, symbol: str, interval: float, *, stems: bool
    ) -> None:
        """Show a curve, or stems at whole numbers; ``interval`` holds 95 % of shifts."""
        self._x, self._y, self._scale, self._symbol = x, y, scale, symbol
        self._interval, self._stems = interval, stems
        if not self._gesture:
            self._range = self._fitting_range()
        words = self.tr("%s is %s; 95 in 100 noise values lie within %s")
        self.setAccessibleDescription(words % (symbol, number(scale, 2), number(interval / 2, 2)))
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        px = self._themes.theme.px
        return QSize(px(440), px(200))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        px = self._themes.theme.px
        return QSize(max(px(260), _NARROWEST), px(130))

    def _fitting_range(self) -> float:
        return max(float(np.abs(self._x).max()), 1.3 * self._scale)

    # Geometry

    def _area(self) -> QRectF:
        px = self._themes.theme.px
        # Stems are all as high as the handles, whose words go above them.
        top, below = px(48 if self._stems else 34), px(40)
        return QRectF(14, top, self.width() - 28, self.height() - top - below)

    def _to_x(self, shift: float) -> float:
        area = self._area()
        return area.center().x() + shift / self._range * area.width() / 2

    def _to_y(self, density: float) -> float:
        area = self._area()
        highest = float(self._y.max()) or 1.0
        return area.bottom() - density / highest * area.height() * 0.94

    def _handle(self, side: int) -> QPointF:
        shift = side * self._scale
        density = float(np.interp(shift, self._x, self._y))
        return QPointF(self._to_x(shift), self._to_y(density))

    # Dragging

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        for side in (-1, 1):
            gap = self._handle(side) - event.position()
            if abs(gap.x()) < 14 and abs(gap.y()) < 18:
                NoisePlot._drags += 1
                self._gesture = f"noise drag {NoisePlot._drags}"
                return

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        if self._gesture:
            area = self._area()
            shift = abs(event.position().x() - area.center().x()) / (area.width() / 2) * self._range
            if shift > self._range * 0.01:
                self.scale_dragged.emit(shift, self._gesture)
            return
        near = any(abs((self._handle(side) - event.position()).x()) < 14 for side in (-1, 1))
        shape = Qt.CursorShape.SizeHorCursor if near else Qt.CursorShape.ArrowCursor
        self.setCursor(shape)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: ARG002, N802
        """Let go and fit the axis to the new width."""
        self._gesture = ""
        self._range = self._fitting_range()
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Arrows do what the handles do; a key that is held down is one gesture."""
        factor = _FACTORS.get(Qt.Key(event.key()))
        if factor is None:
            super().keyPressEvent(event)
            return
        if not event.isAutoRepeat():
            NoisePlot._drags += 1
        self.scale_dragged.emit(self._scale * factor, f"noise key {NoisePlot._drags}")

    def rows(self) -> list[list[str]]:
        """How likely shifts are, as a table."""
        step = 1 if self._stems else -(-len(self._x) // _MOST_ROWS)
        head = [self.tr("noise"), self.tr("probability") if self._stems else self.tr("density")]
        pairs = zip(self._x[::step].tolist(), self._y[::step].tolist(), strict=True)
        return [head, *([f"{x:.6g}", f"{y:.6g}"] for x, y in pairs)]

    # Drawing

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        theme = self._themes.theme
        painter = smooth_painter(self)
        painter.setPen(QPen(theme.colour("focus"), 2) if self.hasFocus() else Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("window"))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 8, 8)
        painter.setFont(theme.font("caption"))
        painter.setPen(theme.colour("text2"))
        top = QRectF(12, 8, self.width() - 24, theme.px(18))
        what, how = self.tr("Noise distribution"), self.tr("drag a handle to change the width")
        painter.drawText(top, Qt.AlignmentFlag.AlignLeft, what)
        if painter.fontMetrics().horizontalAdvance(what + how) + 12 < top.width():
            painter.setPen(theme.colour("text3"))
            painter.drawText(top, Qt.AlignmentFlag.AlignRight, how)
        if self._stems:
            self._draw_stems(painter)
        else:
            self._draw_curve(painter)
        self._draw_axis(painter)
        self._draw_interval(painter)
        self._draw_handles(painter)

    def _draw_curve(self, painter: QPainter) -> None:
        theme = self._themes.theme
        area = self._area()
        across = area.center().x() + self._x / self._range * area.width() / 2
        highest = float(self._y.max()) or 1.0
        up = area.bottom() - self._y / highest * area.height() * 0.94
        across = np.concatenate([across[:1], across, across[-1:]])
        up = np.concatenate([[area.bottom()], up, [area.bottom()]])
        curve = arrayToQPolygonF(across, up)
        painter.setClipRect(area.adjusted(-2, -6, 2, 2))
        painter.setPen(QPen(theme.colour("accentInk"), theme.stroke(2)))
        painter.setBrush(theme.colour("accentTint"))
        painter.drawPolygon(curve)
        painter.setClipping(False)

    def _draw_stems(self, painter: QPainter) -> None:
        theme = self._themes.theme
        area = self._area()
        painter.setPen(QPen(theme.colour("accentInk"), 2 if len(self._x) < 120 else 1))
        painter.setBrush(theme.colour("accentInk"))
        dots = len(self._x) <= 60
        for x, y in zip(self._x.tolist(), self._y.tolist(), strict=True):
            spot = QPointF(self._to_x(x), self._to_y(y))
            if not area.left() - 2 <= spot.x() <= area.right() + 2:
                continue
            painter.drawLine(QPointF(spot.x(), area.bottom()), spot)
            if dots:
                painter.drawEllipse(spot, 2.5, 2.5)

    def _draw_axis(self, painter: QPainter) -> None:
        theme = self._themes.theme
        area = self._area()
        painter.setPen(QPen(theme.colour("axis"), 1))
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        painter.setFont(theme.font("caption"))
        painter.setPen(theme.colour("text3"))
        step = _round_step(self._range / 3.2)
        digits = max(0, -int(np.floor(np.log10(step)))) if step < 1 else 0
        for place in range(-5, 6):
            shift = place * step
            if abs(shift) > self._range * 0.97:
                continue
            words = "0" if place == 0 else signed(shift, digits)
            half = theme.px(40)
            box = QRectF(self._to_x(shift) - half, area.bottom() + 4, 2 * half, theme.px(16))
            painter.drawText(box, Qt.AlignmentFlag.AlignHCenter, words)
        below = QRectF(area.left(), area.bottom() + theme.px(20), area.width(), theme.px(16))
        painter.drawText(below, Qt.AlignmentFlag.AlignHCenter, self.tr("reported minus true"))

    def _draw_interval(self, painter: QPainter) -> None:
        if self._interval <= 0:
            return
        theme = self._themes.theme
        half = min(self._interval / 2, self._range * 0.98)
        y = self._area().bottom() - theme.px(13)
        left, right = self._to_x(-half), self._to_x(half)
        painter.setPen(QPen(theme.colour("text"), 1))
        painter.setFont(theme.font("caption", "semibold"))
        words = self.tr("95\u202f%% of the noise: width %s") % number(
            self._interval, 0 if self._interval >= 20 else 2
        )
        width = painter.fontMetrics().horizontalAdvance(words) + 12
        middle = (left + right) / 2
        if right - left > width + 12:
            painter.drawLine(QPointF(left, y), QPointF(middle - width / 2, y))
            painter.drawLine(QPointF(middle + width / 2, y), QPointF(right, y))
        for x in (left, right):
            painter.drawLine(QPointF(x, y - 5), QPointF(x, y + 5))
        ground = QRectF(middle - width / 2, y - theme.px(8), width, theme.px(16))
        painter.fillRect(ground, theme.colour("accentTint" if not self._stems else "window"))
        painter.drawText(ground, Qt.AlignmentFlag.AlignCenter, words)

    def _draw_handles(self, painter: QPainter) -> None:
        theme = self._themes.theme
        bottom = self._area().bottom()
        for side in (-1, 1):
            spot = self._handle(side)
            painter.setPen(QPen(theme.colour("accentInk"), 1, Qt.PenStyle.DashLine))
            painter.drawLine(spot, QPointF(spot.x(), bottom - theme.px(24)))
            painter.setPen(QPen(theme.colour("accent"), 2))
            painter.setBrush(theme.colour("surface"))
            painter.drawEllipse(spot, 7, 7)
            if self.hasFocus():
                set_outline(painter, QPen(theme.colour("focus"), 2))
                painter.drawEllipse(spot, 11, 11)
        painter.setFont(theme.font("body", "semibold"))
        painter.setPen(theme.colour("accentInk"))
        spot = self._handle(1)
        digits = 0 if self._scale >= 20 else 2
        words = f"{self._symbol} = {number(self._scale, digits)}"
        width = painter.fontMetrics().horizontalAdvance(words)
        is_room = spot.x() + 14 + width <= self.width() - 10
        x = spot.x() + 14 if is_room else spot.x() - 12 - width
        painter.drawText(QPointF(x, spot.y() - (6 if is_room else 12)), words)


def _round_step(rough: float) -> float:
    power = 10.0 ** np.floor(np.log10(max(rough, 1e-12)))
    for factor in (1, 2, 5, 10):
        if rough <= factor * power:
            return float(factor * power)
    return float(10 * power)
