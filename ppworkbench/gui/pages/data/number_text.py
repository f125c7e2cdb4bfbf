"""Numbers of the data as people would write them."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ppworkbench.gui.words import number, significant

_LOOK = 200
_MOST_DIGITS = 6
"""Digits before and behind the decimal mark; more are noise to the eye."""


def plain(value: float, most: int = 4) -> str:
    """A number with as many decimals as it has, up to a few."""
    if not math.isfinite(value):
        return number(value)
    if value != 0 and not 1e-4 <= abs(value) < 1e15:
        return significant(value, 4)
    return number(value, decimals_of(value, most))


def decimals_of(value: float, most: int = _MOST_DIGITS) -> int:
    """How many decimals a number needs, fewer the larger it is."""
    most = min(most, max(0, _MOST_DIGITS - _digits_before(value)))
    for digits in range(most):
        if abs(round(value, digits) - value) <= 1e-9 * max(1.0, abs(value)):
            return digits
    return most


def column_decimals(numbers: NDArray[np.float64]) -> int:
    """How many decimals a column is shown with, judged by its first answers."""
    head = numbers[:_LOOK]
    head = head[np.isfinite(head)]
    if not len(head):
        return 0
    most = max(0, _MOST_DIGITS - _digits_before(float(np.abs(head).max())))
    slack = 1e-9 * np.maximum(1.0, np.abs(head))
    for digits in range(most):
        if (np.abs(np.round(head, digits) - head) <= slack).all():
            return digits
    return most


def _digits_before(value: float) -> int:
    return math.floor(math.log10(abs(value))) + 1 if abs(value) >= 1 else 0
