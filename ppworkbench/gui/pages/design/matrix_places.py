"""Where the cells of a matrix are."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize

GAP = 3
NAMED = 14
"""Up to so many values cells have gaps, columns names and totals."""
_HEIGHT = 48.0


@dataclass(frozen=True)
class MatrixPlaces:
    """k by k cells in a widget of some size; rows are named at the left, columns at the top."""

    k: int
    left: int
    top: int
    size: QSize

    @property
    def _pitch(self) -> tuple[float, float]:
        width = (self.size.width() - self.left - 2) / self.k
        return width, min((self.size.height() - self.top - 22) / self.k, _HEIGHT)

    def cell(self, row: int, column: int) -> QRectF:
        """The place of a cell."""
        width, height = self._pitch
        gap = GAP if self.k <= NAMED else 1 if self.k <= 60 else 0
        return QRectF(
            self.left + column * width, self.top + row * height, width - gap, height - gap
        )

    def at(self, x: float, y: float) -> tuple[int | None, int] | None:
        """Row and column at a point; no row where it is a column's name."""
        width, height = self._pitch
        column, row = int((x - self.left) // width), int((y - self.top) // height)
        if not 0 <= column < self.k or x < self.left:
            return None
        if y < self.top:
            return None, column
        return (row, column) if row < self.k else None
