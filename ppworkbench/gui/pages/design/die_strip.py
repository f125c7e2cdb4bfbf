"""What a die decides: its hundred outcomes as a strip, and where it fell."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.theme.contrast import contrast

Chances = NDArray[np.float64]


class DieStrip(QWidget):
    """Parts as wide as their probabilities; a needle points at the outcome."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._names: tuple[str, ...] = ()
        self._chances: Chances = np.ones(1)
        self.fell = 0.0
        self.setObjectName("dieStrip")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        themes.theme_changed.connect(self.updateGeometry)
        themes.theme_changed.connect(self.update)

    def show_outcomes(self, names: tuple[str, ...], chances: Chances, fell: float) -> None:
        """Show what the die may decide, in this order, and where in 0 to 1 it fell."""
        self._names, self._chances, self.fell = names, chances, fell
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        """A line of small type, with room for the needle."""
        return QSize(200, self._themes.theme.px(34))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """As high as always."""
        return QSize(80, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        """Draw the parts and the needle."""
        theme = self._themes.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        strip = QRectF(0.5, theme.px(8), self.width() - 1, self.height() - theme.px(9))
        shape = QPainterPath()
        shape.addRoundedRect(strip, 5, 5)
        painter.save()
        painter.setClipPath(shape)
        self._draw_parts(painter, strip)
        painter.restore()
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(theme.colour("outline"), 1))
        painter.drawRoundedRect(strip, 5, 5)
        self._draw_needle(painter, strip)

    def _draw_parts(self, painter: QPainter, strip: QRectF) -> None:
        theme = self._themes.theme
        painter.setFont(theme.font("caption", "medium"))
        metrics = painter.fontMetrics()
        left = strip.left()
        for name, chance in zip(self._names, self._chances.tolist(), strict=True):
            part = QRectF(left, strip.top(), chance * strip.width(), strip.height())
            fill = theme.heat_colour(chance)
            painter.fillRect(part, fill)
            painter.setPen(QPen(theme.colour("surface"), 1))
            painter.drawLine(part.topRight(), part.bottomRight())
            room = int(part.width()) - 6
            if room >= metrics.horizontalAdvance(name) or room > 40:
                painter.setPen(contrast(fill))
                words = metrics.elidedText(name, Qt.TextElideMode.ElideRight, room)
                painter.drawText(part, Qt.AlignmentFlag.AlignCenter, words)
            left = part.right()

    def _draw_needle(self, painter: QPainter, strip: QRectF) -> None:
        theme = self._themes.theme
        half, tip = theme.px(5), strip.top() + 2
        at = strip.left() + self.fell * strip.width()
        at = min(max(at, strip.left() + 1.5), strip.right() - 1.5)
        head = QPolygonF([QPointF(at - half, 0.5), QPointF(at + half, 0.5), QPointF(at, tip)])
        painter.setPen(QPen(theme.colour("text"), 2))
        painter.drawLine(QPointF(at, tip), QPointF(at, strip.bottom()))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("text"))
        painter.drawPolygon(head)
