"""Names beside the ends of lines; those that would overlap move apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from ppworkbench.gui.theme import Theme

GAP = 9.0
"""What lies between a line and its name."""


@dataclass(frozen=True)
class EndLabel:
    """A name at the end of a line."""

    end: QPointF
    name: str
    ink: QColor
    is_strong: bool = False


def draw_end_labels(
    painter: QPainter, theme: Theme, labels: Sequence[EndLabel], area: QRectF, width: float
) -> None:
    """Write the names right of an area, in a picture of that width."""
    height = QFontMetricsF(theme.font("caption")).height() + 1
    columns: dict[float, list[EndLabel]] = {}
    for label in labels:
        columns.setdefault(round(label.end.x(), 1), []).append(label)
    for x, found in columns.items():
        found.sort(key=lambda label: label.end.y())
        rows = spread([label.end.y() for label in found], height, area.top(), area.bottom())
        for y, label in zip(rows, found, strict=True):
            font = theme.font("caption", "semibold" if label.is_strong else "regular")
            painter.setFont(font)
            painter.setPen(label.ink)
            room = max(width - x - GAP - 2, 20.0)
            words = QFontMetricsF(font).elidedText(label.name, Qt.TextElideMode.ElideRight, room)
            box = QRectF(x + GAP, y - height / 2, room, height)
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, words)


def spread(rows: Sequence[float], height: float, top: float, bottom: float) -> list[float]:
    """Places in their order, each at least one line from the next, as near as can be.

    >>> spread([10.0, 12.0], 10.0, 0.0, 100.0)
    [6.0, 16.0]
    """
    groups: list[list[float]] = []
    for y in rows:
        groups.append([y, y, 1.0])
        # Each group is its middle, the sum of what its members wanted, and how many it has.
        while len(groups) > 1 and _overlap(groups[-2], groups[-1], height):
            last, before = groups.pop(), groups.pop()
            total, count = before[1] + last[1], before[2] + last[2]
            groups.append([total / count, total, count])
    found = []
    for middle, _, count in groups:
        half = (count - 1) * height / 2
        centre = min(max(middle, top + half), max(bottom - half, top + half))
        found += [centre - half + i * height for i in range(int(count))]
    return found


def _overlap(upper: Sequence[float], lower: Sequence[float], height: float) -> bool:
    return lower[0] - upper[0] < (upper[2] + lower[2]) / 2 * height
