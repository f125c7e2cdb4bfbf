"""Information loss against privacy: the kept designs, the design of now, and the frontier."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QBrush, QPen

from ppworkbench.gui.pages.design.frontier_curves import Curves
from ppworkbench.gui.pages.design.pins import LETTERS
from ppworkbench.gui.plots.plot import Plot, Rows
from ppworkbench.gui.theme import ThemeManager

NOW = "now"
Spots = Mapping[str, tuple[float, float]]
"""By letter, or "now": how often the best guess is right, and the information loss."""


class ComparePlot(Plot):
    """Further left is more private, lower is more accurate."""

    def __init__(self, themes: ThemeManager) -> None:
        self._curves: Curves | None = None
        self._spots: Spots = {}
        self._active = ""
        self._lines = [pg.PlotDataItem(), pg.PlotDataItem()]
        self._ring = pg.ScatterPlotItem()
        self._letters = {letter: pg.TextItem(letter, anchor=(0.5, 0.5)) for letter in LETTERS}
        self._now = pg.TextItem(NOW, anchor=(0.5, -0.3))
        super().__init__(themes, "Information loss against the attacker's best guess")
        self.setObjectName("comparePlot")
        self.rows = self._table
        self.setMinimumHeight(150)
        for side in ("left", "bottom"):
            self.getAxis(side).enableAutoSIPrefix(False)
        for item in (*self._lines, self._ring, self._now, *self._letters.values()):
            self.addItem(item, ignoreBounds=True)
        self._now.setZValue(4)
        self.label_axes(
            bottom=self.tr("attacker's best guess, % (left is more private)"),
            left=self.tr("information loss"),
        )

    def show_curves(self, curves: Curves | None) -> None:
        """Draw another frontier, or none."""
        if curves is self._curves:
            return
        self._curves = curves
        for item, curve in zip(self._lines, curves or (None, None), strict=True):
            points = () if curve is None else curve.points
            item.setData(
                np.array([100 * point.privacy for point in points]),
                np.array([point.information_loss for point in points]),
            )
            item.setVisible(bool(points))
        self._fit()

    def show_spots(self, spots: Spots, active: str) -> None:
        """Draw designs; one that loses everything has no place."""
        drawn = {name: spot for name, spot in spots.items() if all(map(math.isfinite, spot))}
        if (drawn, active) == (self._spots, self._active):
            return
        recolour = drawn.keys() != self._spots.keys() or active != self._active
        self._spots, self._active = drawn, active
        for letter, item in self._letters.items():
            item.setVisible(letter in drawn)
            if letter in drawn:
                item.setPos(100 * drawn[letter][0], drawn[letter][1])
        self._now.setVisible(NOW in drawn)
        if NOW in drawn:
            self._now.setPos(100 * drawn[NOW][0], drawn[NOW][1])
        if recolour:
            self._colour_letters()
        self._draw_marks()
        self._fit()

    def _draw_marks(self) -> None:
        """Circles under the letters; the one of now is larger, so that it is seen around one."""
        theme = self.themes.theme
        order = sorted(self._spots, key=lambda name: name != NOW)
        marks = []
        for name in order:
            spot = self._spots[name]
            strong = name in (NOW, self._active)
            colour = theme.colour("accentInk" if strong else "outline")
            ground = "accent" if name == NOW else "accentTint" if strong else "surface"
            size = 13 if name == NOW else 19
            same = name != NOW and self._spots.get(NOW) == spot
            marks.append({
                "pos": (100 * spot[0], spot[1]), "size": 24 if same else size,
                "pen": pg.mkPen(colour, width=2 if same else 1.4),
                "brush": QBrush(theme.colour(ground)),
            })  # fmt: skip
        self._ring.setData(spots=marks)

    def _fit(self) -> None:
        """Axes that stay where they are while a slider moves within them."""
        x = [100 * spot[0] for spot in self._spots.values()]
        y = [spot[1] for spot in self._spots.values()]
        if self._curves is not None:
            points = [point for curve in self._curves for point in curve.points]
            x += [100 * point.privacy for point in points]
            losses = [point.information_loss for point in points]
            y.append(float(np.median(losses)) if losses else 0.0)
        if not x or not y:
            return
        low, high = 10 * math.floor(min(x) / 10 - 0.2), 10 * math.ceil(max(x) / 10 + 0.2)
        top = _round_up(1.2 * max(y))
        if NOW in self._spots:
            # Under the point, where no design can be; over it if that is outside of the picture.
            self._now.setAnchor((0.5, -0.3) if self._spots[NOW][1] > 0.15 * top else (0.5, 1.4))
        self.setXRange(max(low, -4), min(high, 104), padding=0)
        self.setYRange(-0.04 * top, 1.06 * top, padding=0)

    def retheme(self) -> None:
        """Draw everything in the colours of the theme."""
        theme = self.themes.theme
        styles = ((theme.colour("outline"), Qt.PenStyle.DashLine),
                  (theme.colour("accentInk"), Qt.PenStyle.SolidLine))  # fmt: skip
        for item, (colour, style) in zip(self._lines, styles, strict=True):
            pen = QPen(colour, 2, style)
            pen.setCosmetic(True)
            item.setPen(pen)
        self._now.setColor(theme.colour("accentInk"))
        self._now.setFont(theme.font("caption", "semibold"))
        self._colour_letters()
        self._draw_marks()

    def _colour_letters(self) -> None:
        theme = self.themes.theme
        for letter, item in self._letters.items():
            item.setFont(theme.font("caption", "semibold"))
            item.setColor(theme.colour("accentInk" if letter == self._active else "text"))
            item.setZValue(5)

    def _table(self) -> Rows:
        rows = [["design", "attacker's best guess", "information loss"]]
        rows += [[name, f"{x:.4f}", f"{y:.4f}"] for name, (x, y) in self._spots.items()]
        for curve in self._curves or ():
            rows += [
                [curve.family, f"{point.privacy:.4f}", f"{point.information_loss:.4f}"]
                for point in curve.points
            ]
        return rows


def _round_up(value: float) -> float:
    """The next number of the form 1, 2, 3, 5 or 7.5 times a power of ten."""
    if value <= 0:
        return 0.01
    power = 10.0 ** math.floor(math.log10(value))
    return next(step * power for step in (1, 2, 3, 5, 7.5, 10) if step * power >= value * 0.999)
