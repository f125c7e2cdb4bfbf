"""What stands at the axes of plots of distributions."""

from __future__ import annotations

import textwrap
from functools import lru_cache

from ppworkbench.gui.plots.ticks import short_number

FEW_TOPS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8)
"""Where an axis of shares may end."""
MORE_TOPS = (0.002, 0.005, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08)
MORE_TOPS += (0.1, 0.12, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


def span(low: float, high: float) -> str:
    """A cell by its ends."""
    return f"{short_number(float(low))} – {short_number(float(high))}"


@lru_cache(maxsize=16)
def value_ticks(labels: tuple[str, ...], every: int, per_label: int) -> list[tuple[float, str]]:
    """The labels of bars; asked for in every frame of a drag, but seldom others."""
    return [
        (float(i), _wrapped(label, per_label)) for i, label in enumerate(labels) if i % every == 0
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


def _wrapped(label: str, width: int) -> str:
    """At most two lines; a long word goes on in the next."""
    lines = textwrap.wrap(label, max(width, 4), break_long_words=True) or [""]
    if len(lines) > 2:
        lines = [lines[0], lines[1][: max(width - 1, 3)] + "…"]
    return "\n".join(lines)


def whole_words(label: str, width: int) -> str:
    """At most two lines; a word is cut with dots rather than broken."""
    lines: list[str] = []
    cut = (word if len(word) <= width else word[: width - 1] + "…" for word in label.split())
    for word in cut:
        if lines and len(lines[-1]) + 1 + len(word) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    if len(lines) > 2:
        lines = [lines[0], lines[1][: width - 1].rstrip("…") + "…"]
    return "\n".join(lines)


def shortened(words: str) -> str:
    """A name with dots for what has no room on a crowded axis."""
    return words if len(words) <= 12 else words[:11] + "…"
