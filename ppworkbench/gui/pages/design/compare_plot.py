"""Information loss against privacy: the kept designs, the design of now, and the frontier."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QBrush, QPen

from ppworkbench.gui.language.text import tr
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
        self._drawn_for: object = None
        self._range: tuple[float, float, float] | None = None
        self._anchor = (0.5, -0.3)
        self._letters: dict[str, pg.TextItem] = {}
        super().__init__(themes, tr("Information loss against the attacker's best guess"))
        self.setObjectName("comparePlot")
        self.rows = self._table
        self.setMinimumHeight(150)
        for side in ("left", "bottom"):
            self.getAxis(side).setStyle(maxTickLevel=0)
        self.label_axes(
            bottom=self.tr("attacker's best guess, % (left is more private)"),
            left=self.tr("information loss"),
        )

    def furnish(self) -> None:
        """Make what is drawn; apart from the axes, because both together take too long."""
        self._lines = [pg.PlotCurveItem(antialias=True) for _ in range(2)]
        self._rings = pg.ScatterPlotItem()
        self._dot = pg.ScatterPlotItem()
        self._letters = {letter: pg.TextItem(letter, anchor=(0.5, 0.5)) for letter in LETTERS}
        self._now = pg.TextItem(tr("now"), anchor=self._anchor)
        self._now.setZValue(4)
        texts = (self._now, *self._letters.values())
        for item in (*self._lines, self._dot, self._rings, *texts):
            self.addItem(item, ignoreBounds=True)
        for item in texts:
            item.hide()
        self.retheme()

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
        recolour = active != self._active
        self._spots, self._active = drawn, active
        for name, item in (*self._letters.items(), (NOW, self._now)):
            if item.isVisible() != (name in drawn):
                item.setVisible(name in drawn)
            if name in drawn:
                item.setPos(100 * drawn[name][0], drawn[name][1])
        if recolour:
            self._colour_letters()
        self._draw_dot()
        self._draw_rings()
        self._fit()

    def _draw_dot(self) -> None:
        """The design of now."""
        spots = [self._spots[NOW]] if NOW in self._spots else []
        self._dot.setData([100 * x for x, _ in spots], [y for _, y in spots])

    def _draw_rings(self) -> None:
        """Circles under the letters; one that is the design of now is larger."""
        theme, now = self.themes.theme, self._spots.get(NOW)
        pins = {name: spot for name, spot in self._spots.items() if name != NOW}
        equal = frozenset(name for name, spot in pins.items() if spot == now)
        drawn_for = pins, equal, self._active, theme
        if drawn_for == self._drawn_for:
            return
        self._drawn_for = drawn_for
        marks = []
        for name, (x, y) in pins.items():
            strong = name == self._active
            pen = pg.mkPen(theme.colour("accentInk" if strong else "outline"), width=1.5)
            ground = QBrush(theme.colour("accentTint" if strong else "surface"))
            size = 25 if name in equal else 19
            marks.append({"pos": (100 * x, y), "size": size, "pen": pen, "brush": ground})
        self._rings.setData(spots=marks)

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
        # Under the point, where no design can be; over it if that is outside of the picture.
        is_low = self._spots.get(NOW, (0, 0))[1] < 0.15 * top
        anchor = (0.5, 1.4) if is_low else (0.5, -0.3)
        if anchor != self._anchor:
            self._anchor = anchor
            self._now.setAnchor(anchor)
        if (low, high, top) != self._range:
            self._range = low, high, top
            self.setXRange(max(low, -4), min(high, 104), padding=0)
            self.setYRange(-0.04 * top, 1.06 * top, padding=0)

    def retheme(self) -> None:
        """Draw everything in the colours of the theme."""
        if not self._letters:
            return
        theme = self.themes.theme
        styles = ((theme.colour("outline"), Qt.PenStyle.DashLine),
                  (theme.colour("accentInk"), Qt.PenStyle.SolidLine))  # fmt: skip
        for item, (colour, style) in zip(self._lines, styles, strict=True):
            pen = QPen(colour, 2, style)
            pen.setCosmetic(True)
            item.setPen(pen)
        self._now.setColor(theme.colour("accentInk"))
        self._now.setFont(theme.font("caption", "semibold"))
        self._dot.setSize(13)
        self._dot.setPen(pg.mkPen(theme.colour("accentInk"), width=1.5))
        self._dot.setBrush(QBrush(theme.colour("accent")))
        self._colour_letters()
        self._draw_rings()

    def _colour_letters(self) -> None:
        theme = self.themes.theme
        for letter, item in self._letters.items():
            item.setFont(theme.font("caption", "semibold"))
            item.setColor(theme.colour("accentInk" if letter == self._active else "text"))
            item.setZValue(5)

    def _table(self) -> Rows:
        rows = [[self.tr("design"), self.tr("attacker's best guess"), self.tr("information loss")]]
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
