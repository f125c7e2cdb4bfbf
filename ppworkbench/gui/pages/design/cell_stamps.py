"""Pictures of matrix cells, drawn once and stamped many times.

A matrix of ten values has a hundred cells but only a few different probabilities; drawing each of
these once a frame is what keeps a drag smooth.
"""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPen, QPixmap

from ppworkbench.gui.pages.design.matrix_ink import short_probability
from ppworkbench.gui.theme import Theme
from ppworkbench.gui.theme.contrast import contrast

_MOST = 400


class CellStamps:
    """Remembers pictures of cells of one size until the theme or the size changes."""

    def __init__(self) -> None:
        self._stamps: dict[tuple[float, bool], QPixmap] = {}
        self._made_for: tuple[Theme, QSize, float, bool] | None = None

    def make_for(self, theme: Theme, size: QSize, ratio: float, *, small: bool) -> None:
        """Forget pictures that were made for something else."""
        made_for = theme, size, ratio, small
        if made_for != self._made_for or len(self._stamps) > _MOST:
            self._made_for = made_for
            self._stamps = {}

    def stamp(self, value: float, numbered: bool) -> QPixmap:
        """The picture of a cell with this probability."""
        key = round(value, 4), numbered
        found = self._stamps.get(key)
        if found is None:
            assert self._made_for is not None  # noqa: S101 (the caller said what for)
            theme, size, ratio, small = self._made_for
            found = _drawn(value, size, theme, ratio, small=small, numbered=numbered)
            self._stamps[key] = found
        return found


def _drawn(
    value: float, size: QSize, theme: Theme, ratio: float, *, small: bool, numbered: bool
) -> QPixmap:
    picture = QPixmap(size * ratio)
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    box = QRectF(0, 0, size.width(), size.height())
    fill = theme.heat_colour(value)
    painter.setPen(QPen(theme.colour("border") if value <= 0 else fill, 1))
    painter.setBrush(fill)
    radius = 0 if small else 4
    painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
    if numbered and size.width() >= 24 and size.height() >= 11:
        painter.setFont(theme.font("caption" if small else "body", "medium"))
        painter.setPen(theme.colour("text3") if value <= 0 else contrast(fill))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, short_probability(value))
    painter.end()
    return picture
