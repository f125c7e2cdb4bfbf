"""The box of values beside the pointer."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPen

from ppworkbench.gui.plots.series import draw_swatch
from ppworkbench.gui.theme import Theme

Entry = tuple[str, str, str]
"""Look, name and value."""


def draw_hover_box(
    painter: QPainter,
    theme: Theme,
    at: QPointF,
    area: QSize,
    title: str,
    entries: Sequence[Entry],
) -> None:
    """Draw a title and one line per entry, inside the area and clear of the pointer."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setFont(theme.font("caption", "semibold"))
    title_width = painter.fontMetrics().horizontalAdvance(title)
    painter.setFont(theme.font("caption"))
    metrics = painter.fontMetrics()
    line = metrics.height() + 4
    names = max((metrics.horizontalAdvance(name) for _, name, _ in entries), default=0)
    values = max((metrics.horizontalAdvance(value) for _, _, value in entries), default=0)
    width = max(names + values + 56, title_width + 20)
    height = line * (len(entries) + 1) + 12
    x = at.x() + 14
    if x + width > area.width() - 4:
        x = max(4.0, at.x() - 14 - width)
    y = min(max(at.y() - height / 2, 4.0), max(4.0, area.height() - height - 4.0))
    painter.setPen(QPen(theme.colour("outline"), 1))
    painter.setBrush(theme.colour("surface"))
    painter.drawRoundedRect(QRectF(round(x) + 0.5, round(y) + 0.5, width, height), 6, 6)
    painter.setPen(theme.colour("text"))
    painter.setFont(theme.font("caption", "semibold"))
    row = QRectF(x + 10, y + 6, width - 20, line)
    painter.drawText(row, Qt.AlignmentFlag.AlignVCenter, title)
    for look, name, value in entries:
        row.translate(0, line)
        draw_swatch(painter, theme, look, QRectF(row.left(), row.center().y() - 5, 11, 9))
        painter.setFont(theme.font("caption"))
        painter.setPen(theme.colour("text2"))
        painter.drawText(row.adjusted(19, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, name)
        painter.setFont(theme.font("caption", "medium"))
        painter.setPen(theme.colour("text"))
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
        painter.drawText(row, flags, value)
