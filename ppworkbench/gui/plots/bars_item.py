"""Grouped bars with interval bars, drawn in pixels so that hatches keep their pitch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QRect, QRectF
from PySide6.QtGui import QBrush, QPainter, QPen, QTransform

from ppworkbench.gui.plots.pixel_item import PixelItem

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


class BarsItem(PixelItem):
    """All series of a histogram as one item."""

    def __init__(self) -> None:
        super().__init__()
        self._series: tuple[Bars, ...] = ()
        self._interval_pen = QPen()

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
        self.cover(bounds)

    def draw(self, painter: QPainter, to_device: QTransform) -> None:
        """Draw the bars, and the intervals over them."""
        for bars in self._series:
            _fill(painter, bars, _boxes(bars, to_device))
        for bars in self._series:
            if bars.low is not None and bars.high is not None:
                self._draw_intervals(painter, to_device, bars)

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


def _boxes(bars: Bars, to_device: QTransform) -> list[QRect]:
    """The bars in pixels. Whole ones keep the edges sharp while a slider moves."""
    half = bars.width / 2
    # A plot is only moved and stretched, never turned.
    lefts = np.rint((bars.x - half) * to_device.m11() + to_device.dx()).astype(int)
    rights = np.rint((bars.x + half) * to_device.m11() + to_device.dx()).astype(int)
    tops = np.rint(np.nan_to_num(bars.height) * to_device.m22() + to_device.dy()).astype(int)
    bottom = round(to_device.dy())
    widths = np.maximum(rights - lefts, 1)
    return [
        QRect(left, top, width, bottom - top)
        for left, top, width in zip(lefts.tolist(), tops.tolist(), widths.tolist(), strict=True)
    ]


def _fill(painter: QPainter, bars: Bars, boxes: list[QRect]) -> None:
    """Fill the bars with the colour of their edge, and what is inside of it with their own.

    Drawing an outline takes ten times as long as two fillings do.
    """
    edge, colour = round(bars.pen.widthF()), bars.pen.color()
    for box in boxes:
        painter.fillRect(box, colour)
        inside = box.adjusted(edge, edge, -edge, 0)
        if inside.isValid():
            painter.fillRect(inside, bars.brush)
