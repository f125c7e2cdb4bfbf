"""A published number beside ours, both intervals on one axis."""

from __future__ import annotations

import math
from dataclasses import dataclass

from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from ppworkbench.gui.language import translate
from ppworkbench.gui.numbers import number
from ppworkbench.gui.theme import ThemeManager, set_fill, smooth_painter

_LANE = 16
"""Pixels from one interval to the next."""
_CAP = 4.0
_MARK = 3.5
_AIR = 0.5
"""How much of the widest interval is free at each side of it."""


@dataclass(frozen=True)
class FigureWords:
    """A number in words: whose it is, the number, its error; and where it lies.

    ``low`` and ``high`` are None where there is no interval.
    """

    caption: str
    estimate: str
    error: str
    value: float
    low: float | None = None
    high: float | None = None


def axis_ends(low: float, high: float, *, is_share: bool = False) -> tuple[float, float, int]:
    """Round ends of an axis with air beside what lies on it, and the decimals that they need.

    The axis of shares goes beyond 0 and 100 only where an estimate or an interval does.

    >>> axis_ends(23.37, 29.02)
    (20.0, 32.0, 0)
    >>> axis_ends(79.0, 95.1, is_share=True)
    (70.0, 100.0, 0)
    """
    span = (high - low) or abs(high) or 1.0
    step = _round_step(span / 2)
    left = math.floor((low - _AIR * span) / step) * step
    right = math.ceil((high + _AIR * span) / step) * step
    if is_share:
        left = max(left, 0.0) if low >= 0 else left
        right = min(right, 100.0) if high <= 100 else right
    return float(left), float(right), max(0, -math.floor(math.log10(step)))


def _round_step(size: float) -> float:
    """The largest of 1, 2, 5, 10 and so on that is not above."""
    power = 10.0 ** math.floor(math.log10(size))
    return max(factor for factor in (1, 2, 5) if factor * power <= size * (1 + 1e-9)) * power


class FiguresView(QWidget):
    """Painted in one piece: two numbers side by side, their intervals below each other."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._figures: tuple[FigureWords, FigureWords | None] | None = None
        self._is_second_ours = True
        self._unit = ""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        themes.theme_changed.connect(self.updateGeometry)
        themes.theme_changed.connect(self.update)

    def set_figures(
        self, first: FigureWords, second: FigureWords | None, unit: str, *, is_second_ours: bool
    ) -> None:
        """Show two numbers; the second one is missing while it is worked out."""
        self._figures, self._unit = (first, second), unit
        self._is_second_ours = is_second_ours
        said = [f"{one.caption}: {one.estimate}, {one.error}" for one in (first, second) if one]
        self.setAccessibleName("; ".join(said))
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        """As high as three lines of words, two intervals and the axis."""
        caption, large = (QFontMetrics(font).height() for font in self._fonts())
        return QSize(200, 3 * caption + large + self._plot_height() + 8)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        if self._figures is None:
            return self.sizeHint()
        small, large = (QFontMetrics(font) for font in self._fonts())
        widths = [
            max(small.horizontalAdvance(one.caption), small.horizontalAdvance(one.error),
                large.horizontalAdvance(one.estimate))
            for one in self._figures if one is not None
        ]  # fmt: skip
        return QSize(2 * max(widths) + 16, self.sizeHint().height())

    def _fonts(self) -> tuple[QFont, QFont]:
        theme = self._themes.theme
        return theme.font("caption"), theme.font("number", "semibold")

    def _plot_height(self) -> int:
        return self._themes.theme.px(2 * _LANE + 10)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        if self._figures is None:
            return
        theme, painter = self._themes.theme, smooth_painter(self)
        ours = theme.role("reconstructed")
        plain = theme.colour("text2")
        first, second = self._figures
        half = self.width() / 2
        is_ours = self._is_second_ours
        self._draw_words(painter, first, 0, plain, plain)
        waiting = FigureWords("", "…", "", first.value)
        self._draw_words(
            painter,
            second or waiting,
            half,
            ours.text if is_ours else plain,
            theme.colour("text") if is_ours else plain,
        )
        self._draw_plot(painter, (first, plain), (second, ours.line if is_ours else plain))

    def _draw_words(
        self, painter: QPainter, words: FigureWords, x: float, caption: QColor, ink: QColor
    ) -> None:
        small, large = self._fonts()
        y = 0.0
        for said, font, colour in (
            (words.caption, small, caption), (words.estimate, large, ink),
            (words.error, small, self._themes.theme.colour("text2")),
        ):  # fmt: skip
            height = QFontMetrics(font).height()
            painter.setFont(font)
            painter.setPen(colour)
            box = QRectF(x, y, self.width() / 2, height)
            painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, said)
            y += height

    def _draw_plot(
        self,
        painter: QPainter,
        first: tuple[FigureWords, QColor],
        second: tuple[FigureWords | None, QColor],
    ) -> None:
        theme = self._themes.theme
        shown = [(one, ink) for one, ink in (first, second) if one is not None]
        places = [p for one, _ in shown for p in (one.value, one.low, one.high) if p is not None]
        is_share = self._unit == "%"
        low, high, decimals = axis_ends(min(places), max(places), is_share=is_share)
        small = self._fonts()[0]
        bottom = self.height() - QFontMetrics(small).height() - 3

        def across(value: float) -> float:
            return 4 + (value - low) / (high - low) * (self.width() - 8)

        for lane, (one, ink) in enumerate(shown):
            y = bottom - theme.px(_LANE) * (2 - lane) + theme.px(4)
            painter.setPen(QPen(ink, theme.stroke(2)))
            if one.low is not None and one.high is not None:
                left, right = across(one.low), across(one.high)
                painter.drawLines(
                    [QLineF(left, y, right, y), QLineF(left, y - _CAP, left, y + _CAP),
                     QLineF(right, y - _CAP, right, y + _CAP)]
                )  # fmt: skip
            set_fill(painter, ink)
            at = QPointF(across(one.value), y)
            if lane == 1 and self._is_second_ours:
                painter.drawEllipse(at, _MARK + 0.5, _MARK + 0.5)
            else:
                painter.drawRect(QRectF(at.x() - _MARK, at.y() - _MARK, 2 * _MARK, 2 * _MARK))
        painter.setPen(QPen(theme.colour("outline"), 1))
        painter.drawLine(QLineF(0, bottom + 0.5, self.width(), bottom + 0.5))
        painter.setFont(small)
        painter.setPen(theme.colour("text2"))
        below = QRectF(0, bottom + 2, self.width(), QFontMetrics(small).height())
        for end, side in ((low, Qt.AlignmentFlag.AlignLeft), (high, Qt.AlignmentFlag.AlignRight)):
            said = number(end, decimals) + (translate(f" {self._unit}") if self._unit else "")
            painter.drawText(below, side, said)
