"""Ticks and labels of axes."""

from __future__ import annotations

import math
from bisect import bisect
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter

from ppworkbench.gui.numbers import MINUS, number, with_mark
from ppworkbench.gui.theme import ThemeManager

Ticks = list[tuple[float, str]]


def number_ticks(low: float, high: float, most: int = 7) -> Ticks:
    """At most so many round numbers between low and high.

    >>> [value for value, _ in number_ticks(-300, 8200, 5)]
    [0.0, 2000.0, 4000.0, 6000.0, 8000.0]
    """
    if not high > low or not math.isfinite(high - low):
        return []
    rough = (high - low) / max(most, 1)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * m for m in (1, 2, 2.5, 5, 10) if power * m >= rough * 0.999)
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    if step / 10.0**-decimals % 1 > 1e-6:
        decimals += 1
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [(i * step, number(i * step + 0.0, decimals)) for i in range(first, last + 1)]


def short_number(value: float) -> str:
    """A number with as many decimals as it has, six digits at most.

    >>> short_number(15000.0), short_number(0.25), short_number(90.0)
    ('15,000', '0.25', '90')
    """
    text = f"{value:.6g}"
    if "e" in text or "n" in text:
        return with_mark(text).replace("-", MINUS)
    return number(value, len(text.partition(".")[2]))


def decade_ticks(last: float, first: float = 1.0) -> Ticks:
    """1, 10, 100, … from the first to the last number, at their logarithms."""
    start, end = (math.log10(max(value, 1.0)) for value in (first, last))
    decades = range(math.ceil(start - 1e-9), math.floor(end + 1e-9) + 1)
    return [(float(d), number(10.0**d)) for d in decades]


def log_ticks(last: float, first: float, most: int) -> Ticks:
    """Decades, or 1, 2 and 5 of each where these are few."""
    decades = decade_ticks(last, first) if first >= 1 else []
    if len(decades) > 2:
        return decades
    powers = range(math.floor(math.log10(first)), math.ceil(math.log10(last)) + 1)
    found = [n * 10.0**power for power in powers for n in (1, 2, 5)]
    inside = [value for value in found if first <= value <= last]
    kept = inside if len(inside) <= most else [one for one in inside if _is_decade(one)]
    return [(math.log10(value), short_number(value)) for value in kept]


def _is_decade(value: float) -> bool:
    return abs(math.log10(value) - round(math.log10(value))) < 1e-9


FEW_TOPS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8)
"""Where an axis of shares may end."""
MORE_TOPS: tuple[float, ...] = (0.002, 0.005, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08)
MORE_TOPS += (0.1, 0.12, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
OVER_START, OVER_END = 30, 8
"""Pixels that the first and the last label may reach over the axis of the values."""


def span(low: float, high: float) -> str:
    return f"{short_number(float(low))} – {short_number(float(high))}"


@lru_cache(maxsize=16)
def value_ticks(
    labels: tuple[str, ...], every: int, slot: int, font: QFont
) -> list[tuple[float, str]]:
    """The labels of bars; asked for in every frame of a drag, but seldom others.

    A label has two lines of a bar's width. Where a word does not fit into it, every other label
    stands a line below instead, with room for twice as much.
    """
    width = QFontMetricsF(font).horizontalAdvance
    shown = [(place, label) for place, label in enumerate(labels) if place % every == 0]
    words = (word for _, label in shown for word in label.split())
    if len(shown) < 3 or all(width(word) <= slot - 2 for word in words):
        return [(float(place), _in_two_lines(label, slot - 2, width)) for place, label in shown]
    rooms = [2 * slot - 8] * len(shown)
    for end, over in ((0, OVER_START), (-1, OVER_END)):
        rooms[end] = min(rooms[end], slot + 2 * over)
    return [
        (float(place), "\n" * (turn % 2) + _cut(label, rooms[turn], width))
        for turn, (place, label) in enumerate(shown)
    ]


def round_top(highest: float, tops: tuple[float, ...] = FEW_TOPS) -> float:
    """The end of the axis: the next of a few steps, so that it seldom moves during a drag."""
    return next((top for top in tops if highest <= top), 1.0)


def round_step(top: float, most: int = 5) -> float:
    """A round step that gives about four lines, or at most so many where there is less room.

    >>> round_step(0.05), round_step(0.05, 3), round_step(1.0, 1)
    (0.01, 0.02, 1.0)
    """
    for step in (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5):
        if top / step <= most:
            return step
    return 1.0


def _in_two_lines(label: str, room: float, width: Callable[[str], float]) -> str:
    """At most two lines of whole words; what has no room is cut with dots."""
    if "\n" in label:
        return "\n".join(_cut(line, room, width) for line in label.split("\n"))
    lines: list[str] = []
    for word in label.split():
        if lines and width(f"{lines[-1]} {word}") <= room:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    lines = [*lines[:1], " ".join(lines[1:])] if len(lines) > 2 else lines
    return "\n".join(_cut(line, room, width) for line in lines)


def _cut(words: str, room: float, width: Callable[[str], float]) -> str:
    """As many letters as there is room for."""
    if width(words) <= room:
        return words
    # Halving: letter by letter an answer of some thousand letters would stop the window.
    kept = bisect(range(2, len(words)), room, key=lambda n: width(words[:n].rstrip() + "…")) + 1
    return words[:kept].rstrip() + "…"


def shortened(words: str) -> str:
    """A name with dots for what has no room on a crowded axis."""
    return words if len(words) <= 12 else words[:11] + "…"


class QuietAxis(pg.AxisItem):  # type: ignore[misc]  # pyqtgraph has no types
    """Else every change of the range lays out a label as a paragraph, which mostly is empty."""

    def boundingRect(self) -> QRectF:  # noqa: N802
        """Leave the first and the last number their room where there is a grid, too."""
        room: QRectF = super().boundingRect()
        over = OVER_START if self.grid is not False else 0
        return room.adjusted(-over, -over, over, over)

    def updateAutoSIPrefix(self) -> None:  # noqa: N802
        """Draw other numbers, but leave the label: they are written in full in this window."""
        self.picture = None
        self.update()

    def _updateLabel(self) -> None:  # noqa: N802
        if self.labelText:
            super()._updateLabel()
            return
        # A label without words is hidden; the rest of the axis has to be drawn anew all the same.
        self._adjustSize()
        self.picture = None
        self.update()


Line = tuple[str, str, bool]
"""Words, a caption below them, and whether they are bold."""

_WIDEST, _SHARE = 190, 0.35


class _WordsAxis(QuietAxis):
    """An axis that writes words beside every row instead of ticks."""

    side = "left"
    gap = 14

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(self.side)
        self._themes = themes
        self._lines: tuple[Line, ...] = ()
        self.setStyle(tickLength=0)
        self.setWidth(0)

    def show_rows(self, lines: Sequence[Line], room: float = 0.0) -> None:
        """Write other words; of a wide plot with ``room`` pixels they may take a third."""
        self._lines = tuple(lines)
        theme = self._themes.theme
        weights = [QFontMetricsF(theme.font("body", w)) for w in ("regular", "semibold")]
        small = QFontMetricsF(theme.font("caption"))
        widths = [
            max(
                weights[bold or bool(caption)].horizontalAdvance(words),
                small.horizontalAdvance(caption),
            )
            for words, caption, bold in self._lines
        ]
        widest = max(widths, default=0.0)
        most = max(theme.px(_WIDEST), _SHARE * room)
        self.setWidth(min(widest, most) + self.gap if widest else 4)
        self.picture = None
        self.update()

    def paint(self, painter: QPainter, option: Any, widget: Any = None) -> None:
        if not self._lines:
            super().paint(painter, option, widget)
            return
        theme = self._themes.theme
        painter.save()
        box = self.boundingRect()
        height = self.geometry().height() / len(self._lines)
        width = self.geometry().width() - self.gap
        left = 0.0 if self.side == "left" else float(self.gap)
        for place, (words, caption, bold) in enumerate(self._lines):
            line = QRectF(left, box.top() * 0 + place * height, width, height)
            strong = bold or bool(caption)
            painter.setFont(theme.font("body", "semibold" if strong else "regular"))
            painter.setPen(theme.colour("text" if bold or self.side == "left" else "text2"))
            metrics = painter.fontMetrics()
            shown = metrics.elidedText(words, Qt.TextElideMode.ElideRight, int(width) + 1)
            if caption and height >= 2 * metrics.height() - 4:
                half = metrics.height()
                upper = QRectF(left, line.center().y() - half, width, half)
                painter.drawText(upper, self._flags(), shown)
                painter.setFont(theme.font("caption"))
                painter.setPen(theme.colour("text3"))
                lower = QRectF(left, line.center().y() - 1, width, half)
                painter.drawText(lower, self._flags(), caption)
            else:
                painter.drawText(line, self._flags(), shown)
        painter.restore()

    def _flags(self) -> Qt.AlignmentFlag:
        side = Qt.AlignmentFlag.AlignLeft if self.side == "left" else Qt.AlignmentFlag.AlignRight
        return side | Qt.AlignmentFlag.AlignVCenter


class NamesAxis(_WordsAxis):
    """What the rows are called."""


class NotesAxis(_WordsAxis):
    """What the rows come to."""

    side = "right"
