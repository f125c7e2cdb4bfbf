"""Numbers as people read them, by the locale."""

from __future__ import annotations

import math

from PySide6.QtCore import QLocale

THIN = "\u202f"
MINUS = "\u2212"


def number(value: float, digits: int = 0) -> str:
    """A number with separated thousands and a true minus sign."""
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    text = QLocale().toString(float(value), "f", digits)
    return text.replace("-", MINUS)


def significant(value: float, digits: int = 3) -> str:
    """A number with so many digits that count, without an exponent where people expect none.

    >>> significant(0.02931), significant(1234.6), significant(0.0)
    ('0.0293', '1,235', '0')
    """
    if not math.isfinite(value) or value == 0:
        return number(value)
    if float(value).is_integer() and abs(value) >= 10:
        return number(value)
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    if decimals > 8:
        return f"{value:.2e}".replace("-", MINUS)
    return number(round(value, decimals), decimals)


def percent(share: float, digits: int = 0) -> str:
    """A share as a percentage with a thin space."""
    return f"{number(100 * share, digits)}{THIN}%"


def signed(value: float, digits: int = 0) -> str:
    """A change with its sign."""
    text = number(abs(value), digits)
    return f"{MINUS if value < 0 else '+'}{text}"


def duration(seconds: float) -> str:
    """A time that is left, coarse enough not to flicker."""
    if seconds < 1:
        return "1 s"
    if seconds < 90:
        return f"{math.ceil(seconds)} s"
    return f"{math.ceil(seconds / 60)} min"
