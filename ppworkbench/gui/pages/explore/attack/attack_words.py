"""Numbers of attacks as people read them."""

from __future__ import annotations

from ppworkbench.core.attacks import Counted
from ppworkbench.gui.language.text import tr
from ppworkbench.gui.words import number, percent

MOST_ROWS = 18
"""Rows that a picture shows; the table has all of them."""


def share(value: float, digits: int = 1) -> str:
    """A share as a percentage; rounding leaves no minus before a zero."""
    return percent(round(value, digits + 2) + 0.0, digits)


def in_100(value: float) -> str:
    """How many of 100, without decimals where there are enough digits."""
    digits = 0 if value >= 0.1 or value <= 0 else 1
    # 99.7 of 100 must not be told as all of them.
    digits = 1 if 0.995 <= value < 0.9995 else digits
    return number(100 * value, digits)


def span(low: float, high: float) -> str:
    """An interval of shares, in percent without the sign."""
    return tr("%s to %s") % (number(100 * low, 1), number(100 * high, 1))


def counted(right: Counted) -> str:
    """How often something was right; a dash where nothing was tried."""
    return "–" if not right.n else share(right.share)


def ends(right: Counted) -> str:
    """The interval of how often something was right."""
    return "–" if not right.n else span(*right.interval)


def in_slices(slices: int | None) -> str:
    """What counts as a guessed number; nothing for values."""
    if slices is None:
        return ""
    return " " + tr(
        "A number counts as guessed when its slice of the scale, one of %s, is hit."
    ) % (number(slices))
