"""What stands at the axes of plots of distributions."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable
from functools import lru_cache

from PySide6.QtGui import QFont, QFontMetricsF

from ppworkbench.gui.plots.ticks import short_number

FEW_TOPS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8)
"""Where an axis of shares may end."""
MORE_TOPS = (0.002, 0.005, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08)
MORE_TOPS += (0.1, 0.12, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
OVER_START, OVER_END = 30, 8
"""Pixels that the first and the last label may reach over the axis of the values."""


def span(low: float, high: float) -> str:
    """A cell by its ends."""
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


def round_step(top: float) -> float:
    """A round step that gives about four lines."""
    for step in (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.25):
        if top / step <= 5:
            return step
    return 0.5


def _in_two_lines(label: str, room: float, width: Callable[[str], float]) -> str:
    """At most two lines of whole words; what has no room is cut with dots."""
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
