"""The rows of a listing as they are drawn: names, numbers, and bars with their intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from ppworkbench.gui.pages.mine.listing import NAME, RAW, TRUE
from ppworkbench.gui.pages.mine.listing_model import ListingModel
from ppworkbench.gui.pages.mine.static_texts import StaticTexts
from ppworkbench.gui.theme import Theme, ThemeManager

EDGE, PAD = 14, 8
"""The first and last column keep the distance of the card's own title."""

_NUMBER = 58
"""The width of a percentage beside its bar."""


@dataclass(frozen=True)
class Lane:
    """A column that is seen: its name, and where it begins and ends without its margins."""

    name: str
    left: float
    right: float


@dataclass(frozen=True)
class Band:
    """A row that is seen, its place in the listing, and where it begins."""

    row: int
    place: int
    top: float
    is_chosen: bool


class ListingRows:
    """Draws column by column, all rows in one go: cell by cell takes three times as long."""

    def __init__(self, themes: ThemeManager, model: ListingModel) -> None:
        self._themes = themes
        self._model = model
        self._texts = StaticTexts(themes)
        self.minimum: float | None = None
        """Where the dashed line of the minimum stands."""
        self.is_stale = False

    def draw(
        self, painter: QPainter, bands: Sequence[Band], lanes: Sequence[Lane], height: float
    ) -> None:
        """Draw some rows of one height."""
        if not bands or not lanes:
            return
        theme = self._themes.theme
        left, right = lanes[0].left, lanes[-1].right
        for band in bands:
            if band.is_chosen:
                whole = QRectF(left - EDGE, band.top, right - left + 2 * EDGE, height)
                painter.fillRect(whole, theme.colour("accentTint"))
        painter.setPen(QPen(theme.colour("border"), 1))
        bottoms = [band.top + height - 0.5 for band in bands]
        painter.drawLines([QLineF(left, bottom, right, bottom) for bottom in bottoms])
        bar = self._model.listing.bar
        for lane in lanes:
            if lane.name == bar:
                self._draw_bars(painter, bands, lane, height)
            self._write(painter, bands, lane, height)

    def draw_focus(self, painter: QPainter, top: float, height: float) -> None:
        """Mark the row that keys move from."""
        painter.setPen(QPen(self._themes.theme.colour("focus"), 2))
        painter.drawLine(QLineF(1, top + 3, 1, top + height - 3))

    def _write(self, painter: QPainter, bands: Sequence[Band], lane: Lane, height: float) -> None:
        theme, model = self._themes.theme, self._model
        ink = "text2" if lane.name in (RAW, TRUE) else "text"
        painter.setPen(theme.colour("text3" if self.is_stale else ink))
        is_name, is_bar = lane.name == NAME, lane.name == model.listing.bar
        for band in bands:
            strong = is_bar or (is_name and band.is_chosen)
            area = QRectF(lane.left, band.top, lane.right - lane.left, height - 1)
            words = model.text(band.place, lane.name)
            weight = "semibold" if strong else "regular"
            self._texts.draw(painter, words, area, weight, is_right=not is_name)

    def _draw_bars(
        self, painter: QPainter, bands: Sequence[Band], lane: Lane, height: float
    ) -> None:
        theme, listing, reach = self._themes.theme, self._model.listing, self._model.reach
        scale = (lane.right - lane.left - theme.px(_NUMBER)) / reach
        half, cap = theme.px(5), theme.px(4)
        places = [band.place for band in bands]
        values = np.minimum(listing.values[listing.bar][places], reach).tolist()
        ends = np.clip(np.stack([listing.low[places], listing.high[places]]), 0.0, reach)
        middles = [band.top + (height - 1) / 2 for band in bands]
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        line, tint = _bar_inks(theme, self.is_stale)
        painter.setPen(QPen(line, 1.2))
        painter.setBrush(tint)
        for value, middle in zip(values, middles, strict=True):
            bar = QRectF(lane.left, middle - half, value * scale, 2 * half)
            painter.drawRoundedRect(bar.adjusted(0.6, 0.6, -0.6, -0.6), 1.5, 1.5)
        if self.minimum is not None and self.minimum <= reach:
            self._draw_minimum(painter, lane.left + self.minimum * scale, bands, height)
        painter.setPen(QPen(theme.colour("text3" if self.is_stale else "text"), 1.4))
        whiskers: list[QLineF] = []
        for low, high, middle in zip(*(lane.left + ends * scale).tolist(), middles, strict=True):
            # Where there is no interval both are no numbers.
            if low <= high:
                whiskers.append(QLineF(low, middle, high, middle))
                whiskers.append(QLineF(low, middle - cap, low, middle + cap))
                whiskers.append(QLineF(high, middle - cap, high, middle + cap))
        painter.drawLines(whiskers)
        painter.restore()

    def _draw_minimum(
        self, painter: QPainter, x: float, bands: Sequence[Band], height: float
    ) -> None:
        pen = QPen(self._themes.theme.colour("text2"), 1)
        pen.setDashPattern([3, 2])
        # The dashes belong to the rows: some may be drawn again, and all of them may be moved.
        pen.setDashOffset(bands[0].row * height % 5)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        pen.setCosmetic(True)
        painter.setPen(pen)
        painter.drawLine(
            QLineF(round(x) + 0.5, bands[0].top, round(x) + 0.5, bands[-1].top + height)
        )


def _bar_inks(theme: Theme, is_stale: bool) -> tuple[QColor, QColor]:
    if is_stale:
        return theme.colour("outline"), theme.colour("sunken")
    role = theme.role("reconstructed")
    return role.line, role.tint
