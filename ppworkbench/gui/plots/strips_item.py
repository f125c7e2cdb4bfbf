"""Dots of several groups and their means, as one item of a plot."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QTransform

from ppworkbench.gui.plots.pixel_item import PixelItem
from ppworkbench.gui.theme import Theme

Numbers = NDArray[np.float64]

_SPREAD, _MEAN = 0.26, 0.34
"""How far dots and the line of the mean reach up and down from the middle of their row."""
_SIZE = 5


@dataclass(frozen=True, eq=False)
class Strip:
    """A group of numbers under a name."""

    name: str
    values: Numbers


class StripsItem(PixelItem):
    """Draws being taken come several times a second: items of pyqtgraph would be made each time."""

    def __init__(self) -> None:
        super().__init__()
        self._strips: tuple[Strip, ...] = ()
        self._grid: tuple[float, ...] = ()
        self._theme: Theme | None = None
        self._is_stale = False

    def show_strips(
        self, strips: tuple[Strip, ...], grid: tuple[float, ...], right: float, theme: Theme
    ) -> None:
        """Draw other groups up to a number at the right, with lines of a grid."""
        self._strips, self._grid, self._theme = strips, grid, theme
        self.cover(QRectF(-0.01 * right, -0.6, 1.01 * right, len(strips) + 0.2))

    def set_stale(self, stale: bool) -> None:
        """Dim what is drawn, or do not."""
        self._is_stale = stale
        self.update()

    def draw(self, painter: QPainter, to_device: QTransform) -> None:
        """Draw the grid, then dots, then means."""
        theme = self._theme
        if theme is None or not self._strips:
            return
        area = to_device.mapRect(self.boundingRect())
        painter.setPen(QPen(theme.colour("grid"), 1))
        places = (to_device.map(QPointF(value, 0.0)).x() for value in self._grid)
        painter.drawLines([QLineF(x, area.top(), x, area.bottom()) for x in places])
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ink = QColor(theme.colour("text3") if self._is_stale else theme.role("reconstructed").fill)
        ink.setAlpha(120)
        dots = QPen(ink, _SIZE)
        dots.setCapStyle(Qt.PenCapStyle.RoundCap)
        painter.setPen(dots)
        for place, strip in enumerate(self._strips):
            # The golden ratio spreads successive dots evenly.
            shift = (np.arange(len(strip.values)) * 0.618034) % 1.0 - 0.5
            ups = (place + 2 * _SPREAD * shift).tolist()
            for value, up in zip(strip.values.tolist(), ups, strict=True):
                painter.drawPoint(to_device.map(QPointF(value, up)))
        painter.setPen(QPen(theme.colour("text3" if self._is_stale else "text"), 2.5))
        means = [(float(s.values.mean()), i) for i, s in enumerate(self._strips) if len(s.values)]
        ends = [(QPointF(mean, i - _MEAN), QPointF(mean, i + _MEAN)) for mean, i in means]
        painter.drawLines([QLineF(to_device.map(one), to_device.map(other)) for one, other in ends])
