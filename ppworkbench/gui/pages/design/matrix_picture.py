"""How the P-matrix is drawn: names, cells, totals, and a ring around the selected column."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QImage, QPainter, QPen

from ppworkbench.gui.pages.design.cell_stamps import CellStamps
from ppworkbench.gui.pages.design.matrix_names import MatrixNames
from ppworkbench.gui.pages.design.matrix_places import NAMED
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.theme.contrast import contrast
from ppworkbench.gui.theme.icons import icon

if TYPE_CHECKING:
    from ppworkbench.gui.pages.design.matrix_grid import MatrixGrid

_SMALL = 40
"""Up to so many values every cell is drawn on its own."""
_SMALL_TYPE = 10
"""With more values the numbers are in small type."""


class MatrixPicture:
    """Keeps what was drawn and is the same in the next frame."""

    def __init__(self, themes: ThemeManager) -> None:
        self._themes = themes
        self._stamps = CellStamps()
        self._names = MatrixNames()

    def draw(self, grid: MatrixGrid) -> None:
        """Draw a grid as it is now."""
        painter = QPainter(grid)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        names = self._names.picture(
            self._themes.theme, grid.devicePixelRatioF(), grid.places, grid.values, grid.column,
            grid.matrix.sum(axis=0).tolist(),
        )  # fmt: skip
        painter.drawPixmap(0, 0, names)
        if grid.k > _SMALL:
            self._draw_pixels(painter, grid)
        else:
            self._draw_cells(painter, grid)
        self._draw_ring(painter, grid)
        painter.end()

    def _draw_cells(self, painter: QPainter, grid: MatrixGrid) -> None:
        theme, places, k = self._themes.theme, grid.places, grid.k
        size = places.cell(0, 0).size().toSize()
        self._stamps.make_for(theme, size, grid.devicePixelRatioF(), small=k > _SMALL_TYPE)
        tops = [places.cell(row, 0).top() for row in range(k)]
        for column in range(k):
            numbered = k <= NAMED or column == grid.column
            left = places.cell(0, column).left()
            for top, value in zip(tops, grid.matrix[:, column].tolist(), strict=True):
                painter.drawPixmap(QPointF(left, top), self._stamps.stamp(value, numbered))
        for row, column in grid.locked:
            cell = places.cell(row, column)
            spot = QRectF(cell.right() - 14, cell.top() + 2, 11, 11)
            ink = contrast(theme.heat_colour(float(grid.matrix[row, column])))
            icon("lock", ink).paint(painter, spot.toRect())

    def _draw_pixels(self, painter: QPainter, grid: MatrixGrid) -> None:
        """Draw a large matrix as one picture, a pixel for every cell."""
        theme, places, k = self._themes.theme, grid.places, grid.k
        ramp = [theme.heat_colour(i / 255) for i in range(256)]
        look_up = np.array([colour.rgb() for colour in ramp], np.uint32)
        level = np.clip(np.ceil(grid.matrix * 255), 0, 255).astype(np.uint8)
        pixels = np.ascontiguousarray(look_up[level])
        image = QImage(pixels.data, k, k, 4 * k, QImage.Format.Format_RGB32)
        painter.drawImage(places.cell(0, 0).united(places.cell(k - 1, k - 1)), image)

    def _draw_ring(self, painter: QPainter, grid: MatrixGrid) -> None:
        theme, places = self._themes.theme, grid.places
        top, bottom = places.cell(0, grid.column), places.cell(grid.k - 1, grid.column)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(theme.colour("accentLine"), 2))
        painter.drawRoundedRect(top.united(bottom).adjusted(-2, -2, 2, 2), 6, 6)
        if grid.hasFocus():
            painter.setPen(QPen(theme.colour("focus"), 2))
            painter.drawRoundedRect(places.cell(grid.row, grid.column), 4, 4)
