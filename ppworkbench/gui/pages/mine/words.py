"""Sentences of this page that are not said by a widget."""

from __future__ import annotations

import math

from ppworkbench.gui.words import number, percent


def share(value: float, digits: int = 1) -> str:
    """A support or a confidence as a percentage; a dash where it is not known."""
    return "–" if math.isnan(value) else percent(value, digits)


def points(value: float, digits: int = 1) -> str:
    """A percentage without its sign, for a column whose head has it."""
    return "–" if math.isnan(value) else number(100 * value, digits)


def level(value: float) -> str:
    """A minimum with as many digits as it needs: 5 %, 0.5 %, 0.05 %.

    >>> level(0.05) == percent(0.05), level(0.005) == percent(0.005, 1)
    (True, True)
    """
    digits = next((d for d in range(4) if abs(round(100 * value, d) - 100 * value) < 1e-9), 4)
    return percent(value, digits)


def seconds(value: float) -> str:
    """How long a run took."""
    if value < 10:
        return f"{number(value, 2)} s"
    return f"{number(value, 0)} s" if value < 600 else f"{number(value / 60, 0)} min"
