"""Numbers and lists as people write them."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLocale

from ppworkbench.core.params import Declaration
from ppworkbench.gui.language import tr

THIN = "\u202f"
MINUS = "\u2212"
_PLAIN = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
_GROUPED = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d*)?", re.ASCII)


def number(value: float, digits: int = 0) -> str:
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    # The stubs have a number in the place of the letter.
    text: str = QLocale().toString(float(value), "f", digits)  # type: ignore[call-overload]
    return text.replace("-", MINUS)


def counted(count: int, one: str, many: str) -> str:
    """Words for one thing, or for so many of them."""
    return one if count == 1 else many % number(count)


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
        return with_mark(f"{value:.2e}").replace("-", MINUS)
    return number(round(value, decimals), decimals)


def with_mark(plain: str) -> str:
    """A number as a program writes it, with the decimal mark of the language."""
    return plain.replace(".", decimal_mark())


def for_people(cell: str) -> str:
    """A cell of a table for files as the window writes it: plain numbers by the locale.

    >>> for_people("1234.5678"), for_people("12000"), for_people("18 to 30"), for_people("0.250")
    ('1,234.6', '12,000', '18 to 30', '0.250')
    """
    if not _PLAIN.fullmatch(cell):
        return cell
    if cell.lstrip("-").isdigit():
        return number(int(cell))
    # No more digits than the cell has: zeros behind them would claim what nobody knows.
    known = len(cell.lower().split("e")[0].replace(".", "").lstrip("+-0"))
    return significant(float(cell), min(max(known, 1), 5))


def decimal_mark() -> str:
    return str(QLocale().decimalPoint())


def trimmed(value: float, digits: int = 6) -> str:
    """A number with at most so many decimals, and none that is 0 at the end.

    >>> trimmed(0.6), trimmed(18.0), trimmed(1 / 3, 4)
    ('0.6', '18', '0.3333')
    """
    if not 10.0**-digits <= abs(value) < 1e15:
        return significant(value)
    decimals = f"{value:.{digits}f}".rstrip("0").partition(".")[2]
    return number(value, len(decimals))


def percent(share: float, digits: int = 0) -> str:
    return f"{number(100 * share, digits)}{THIN}%"


def probability(share: float) -> str:
    """A probability as a percentage that is never rounded to certainty.

    >>> [probability(one).replace(THIN, " ") for one in (0.25, 0.999, 0.99999, 1.0)]
    ['25 %', '99.9 %', '> 99.99 %', '100 %']
    """
    for digits in (0, 1, 2):
        if share <= 0 or share >= 1 or 0 < round(100 * share, digits) < 100:
            return percent(share, digits)
    return f"< {percent(0.0001, 2)}" if share < 0.5 else f"> {percent(0.9999, 2)}"


def signed(value: float, digits: int = 0) -> str:
    text = number(abs(value), digits)
    return f"{MINUS if value < 0 else '+'}{text}"


def duration(seconds: float) -> str:
    """A time that is left, coarse enough not to flicker."""
    if seconds < 90:
        return tr("%s s") % max(1, math.ceil(seconds))
    return tr("%s min") % math.ceil(seconds / 60)


def read_number(typed: str) -> float | None:
    """The number that somebody typed, by the locale or with a point; None if it is none.

    A comma stands between thousands only where the language has it there and three digits follow;
    Qt would read "2,5" as 25 in some of its fields.

    >>> read_number("0.5"), read_number("0,5"), read_number("1,200"), read_number("half")
    (0.5, 0.5, 1200.0, None)
    """
    words = "".join(typed.split()).replace(MINUS, "-")
    if decimal_mark() != "," and _GROUPED.fullmatch(words):
        words = words.replace(",", "")
    words = words.replace(",", ".")
    value = float(words) if _PLAIN.fullmatch(words) else math.inf
    return value if math.isfinite(value) else None


def read_share(typed: str) -> float | None:
    """The share that somebody typed; only a sign makes it a percentage.

    >>> read_share("0.25"), read_share("2.5 %"), read_share("2.5"), read_share("many")
    (0.25, 0.025, 2.5, None)
    """
    words = typed.strip()
    value = read_number(words.rstrip("% "))
    return value / 100 if value is not None and words.endswith("%") else value


def refuse_share(typed: str, low: float = 0.0, high: float = 1.0) -> str:
    """Why what was typed is no share between two ends; empty if it is one."""
    words, share = typed.strip(), read_share(typed)
    if share is None:
        return tr("“%s” is not a number; type e.g. 0.25 or 25\u202f%%.") % words
    if low <= share <= high:
        return ""
    ends = trimmed(low), trimmed(high)
    if words.endswith("%") or not low <= share / 100 <= high:
        return tr("%s is not between %s and %s.") % (words, *ends)
    said = tr("%s is not between %s and %s; for a percentage type “%s\u202f%%”.")
    return said % (words, *ends, words)


_WITHIN_NUMBER = re.compile(r"(?<=\d),(?=\d)")


def as_typed(value: Any) -> str:
    """A value as it would be typed here; one that is not set is empty.

    >>> as_typed((0.5, 0.25)), as_typed(None), as_typed("yes")
    ('0.5, 0.25', '', 'yes')
    """
    if value is None:
        return ""
    if isinstance(value, tuple):
        # Where the comma belongs to the numbers, something else must stand between them.
        between = "; " if _has_comma() else ", "
        return between.join(with_mark(f"{v:g}") if isinstance(v, float) else str(v) for v in value)
    return with_mark(str(value)) if isinstance(value, float) else str(value)


def plainly(typed: str, declaration: Declaration) -> str:
    """What somebody typed, with points in the numbers and commas between them.

    Only what is a number here is changed; the declaration complains of the rest.
    """
    parts = _parts(typed, declaration) if declaration.many else [typed]
    if declaration.type is float:
        parts = [_plain_number(part) for part in parts]
    return ", ".join(parts)


def _parts(typed: str, declaration: Declaration) -> list[str]:
    if ";" in typed:
        return typed.split(";")
    is_number = declaration.type is float and _has_comma() and "." not in typed
    if is_number and _WITHIN_NUMBER.search(typed):
        # "0,5, 0,3": a comma between two digits belongs to a number.
        return re.split(r",(?!\d)", typed)
    return typed.split(",")


def _plain_number(typed: str) -> str:
    value = read_number(typed)
    return typed.strip() if value is None else f"{value:.17g}"


def _has_comma() -> bool:
    return decimal_mark() == ","


def in_unit(words: str, unit: str) -> str:
    """A number with what it counts: "60 euros"; as it is without a unit."""
    return f"{words}\u00a0{unit}" if unit else words


def with_unit(title: str, unit: str) -> str:
    """The title of an axis or a column of numbers: "Monthly income (euros)"."""
    return f"{title} ({unit})" if unit else title


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
