"""Items of a plot that are drawn in pixels, so that hatches, dashes and marks keep their shape."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QTransform


class PixelItem(pg.GraphicsObject):
    """Draws in device coordinates; new numbers do not make new items."""

    def __init__(self) -> None:
        super().__init__()
        self._bounds = QRectF()

    def cover(self, bounds: QRectF) -> None:
        """Take another area of the plot, and be drawn anew."""
        if bounds != self._bounds:
            self.prepareGeometryChange()
            self._bounds = bounds
        self.update()

    def boundingRect(self) -> QRectF:  # noqa: N802
        """The area of all that is drawn."""
        return self._bounds

    def paint(self, painter: QPainter, option: Any, widget: Any = None) -> None:  # noqa: ARG002
        """Draw as the axes are now; they would stretch brushes and pens otherwise."""
        to_device = painter.worldTransform()
        painter.save()
        painter.setWorldTransform(QTransform())
        self.draw(painter, to_device)
        painter.restore()

    @abstractmethod
    def draw(self, painter: QPainter, to_device: QTransform) -> None:
        """Draw; ``to_device`` leads from places of the axes to pixels."""
