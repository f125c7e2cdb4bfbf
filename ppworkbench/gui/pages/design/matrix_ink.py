"""How numbers and names of a matrix are written."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from ppworkbench.gui.words import number


def short_probability(value: float) -> str:
    """A probability for a cell: two digits, a third where the second would be lost.

    >>> short_probability(0.15), short_probability(0.82353), short_probability(0.0)
    ('0.15', '0.824', '0')
    """
    if value <= 0:
        return "0"
    if value >= 0.9995:
        return "1"
    return number(value, 3).removesuffix("0")


def named_rule(painter: QPainter, area: QRectF, name: str, colour: QColor) -> None:
    """A hairline with a word in its middle."""
    width = painter.fontMetrics().horizontalAdvance(name) + 14
    middle = area.center().y()
    pen = painter.pen()
    painter.drawText(area, Qt.AlignmentFlag.AlignCenter, name)
    painter.setPen(QPen(colour, 1))
    gap = width / 2
    if area.width() > width + 20:
        painter.drawLine(int(area.left()), int(middle), int(area.center().x() - gap), int(middle))
        painter.drawLine(int(area.center().x() + gap), int(middle), int(area.right()), int(middle))
    painter.setPen(pen)
