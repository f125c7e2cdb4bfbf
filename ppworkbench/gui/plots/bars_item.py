"""Grouped bars with interval bars, drawn in pixels so that hatches keep their pitch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QRectF
from PySide6.QtGui import QBrush, QPainter, QPen, QTransform

Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Bars:
    """One series of bars: middles, heights, one width, and perhaps intervals."""

    x: Numbers
    height: Numbers
    width: float
    brush: QBrush
    pen: QPen
    low: Numbers | None = None
    high: Numbers | None = None


class BarsItem(pg.GraphicsObject):
    """All series of a histogram as one item; new numbers do not make new items."""

    def __init__(self) -> None:
        super().__init__()
        self._series: tuple[Bars, ...] = ()
        self._interval_pen = QPen()
        self._bounds = QRectF()

    def set_series(self, series: Sequence[Bars], interval_pen: QPen) -> None:
        """Draw other bars."""
        self._series = tuple(series)
        self._interval_pen = interval_pen
        bounds = QRectF()
        for bars in self._series:
            if len(bars.x):
                left, right = bars.x[0] - bars.width, bars.x[-1] + bars.width
                top = float(np.nanmax(bars.height if bars.high is None else bars.high))
                bounds = bounds.united(QRectF(left, 0, right - left, max(top, 1e-9)))
        if bounds != self._bounds:
            self.prepareGeometryChange()
            self._bounds = bounds
        self.update()

    def boundingRect(self) -> QRectF:  # noqa: N802
        """The area of all bars."""
        return self._bounds

    def paint(self, painter: QPainter, option: Any, widget: Any = None) -> None:  # noqa: ARG002
        """Draw in device coordinates: a brush would be stretched with the axes otherwise."""
        to_device = painter.worldTransform()
        painter.save()
        painter.setWorldTransform(QTransform())
        for bars in self._series:
            painter.setPen(bars.pen)
            painter.setBrush(bars.brush)
            inset = bars.pen.widthF() / 2
            for x, height in zip(bars.x.tolist(), bars.height.tolist(), strict=True):
                box = to_device.mapRect(QRectF(x - bars.width / 2, 0, bars.width, height))
                # Whole pixels keep the edges sharp while a slider moves.
                left, right = round(box.left()), round(box.right())
                sharp = QRectF(left, round(box.top()), max(right - left, 1), 0)
                sharp.setBottom(round(box.bottom()))
                painter.drawRect(sharp.adjusted(inset, inset, -inset, 0))
        for bars in self._series:
            if bars.low is not None and bars.high is not None:
                self._draw_intervals(painter, to_device, bars)
        painter.restore()

    def _draw_intervals(self, painter: QPainter, to_device: QTransform, bars: Bars) -> None:
        assert bars.low is not None  # noqa: S101 (seen by the caller)
        assert bars.high is not None  # noqa: S101
        painter.setPen(self._interval_pen)
        lines = []
        for x, low, high in zip(
            bars.x.tolist(), bars.low.tolist(), bars.high.tolist(), strict=True
        ):
            upper, lower = to_device.map(x, high), to_device.map(x, low)
            middle = round(upper[0]) + 0.5
            cap = min(4.0, abs(to_device.m11()) * bars.width / 3)
            lines.append(QLineF(middle, upper[1], middle, lower[1]))
            lines += [QLineF(middle - cap, y, middle + cap, y) for y in (upper[1], lower[1])]
        painter.drawLines(lines)
