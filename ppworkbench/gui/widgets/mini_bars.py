"""A histogram the size of a word, for lists."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter


def draw_mini_bars(
    painter: QPainter, area: QRectF, shares: NDArray[np.float64], colour: QColor
) -> None:
    """Draw bars without axes; more than twelve cells are joined to twelve."""
    if len(shares) > 12:
        borders = np.linspace(0, len(shares), 13).astype(int)
        shares = np.add.reduceat(shares, borders[:-1])
    highest = float(shares.max(initial=0.0))
    if highest <= 0:
        return
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    width = min(area.width() / len(shares), 6.0)
    area = area.adjusted(area.width() - width * len(shares), 0, 0, 0)
    for i, share in enumerate(shares.tolist()):
        height = max(1.0, area.height() * share / highest) if share > 0 else 0.0
        left, right = round(area.left() + i * width), round(area.left() + (i + 1) * width)
        top = round(area.bottom() - height)
        painter.drawRect(QRectF(left, top, max(right - left - 1, 1), height))
    painter.restore()
