"""Answers that are ranges of numbers: ``18-24``, ``<1``, ``41 or more``, ``powyżej 60 lat``."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence

_NUMBER = r"(-?\d+(?:\.\d+)?)\s*([kKtTmM](?![a-zA-Z]))?"
_THOUSANDS = re.compile(r"(?<=\d)[,\s\u00a0\u202f](?=\d{3}(?!\d))")
_MONEY = re.compile(r"[$€£%]|\b(?:zł|pln|eur|usd)\b", re.IGNORECASE)
_UNIT = (
    r"(?:\s*(?:years?(?:\s+old)?|yrs?|lata?|rok|roku|tys\.?|times|razy|hours?|godzin\w*|cm|kg))?"
)

_BELOW = (
    r"(?:<=?|≤|under|below|less than|fewer than|up to|at most|none or less than|poniżej|mniej niż"
    r"|do)"
)
_ABOVE = r"(?:>=?|≥|over|above|more than|at least|from|powyżej|ponad|więcej niż|co najmniej|od)"
_OR_LESS = (
    r"(?:or less|or fewer|or below|or under|or before|or younger|and under|and below|and less"
    r"|i mniej|lub mniej|i poniżej|i młodsi)"
)
_OR_MORE = (
    r"(?:\+|or more|or over|or above|or after|or older|and over|and above|and more|and older|plus"
    r"|i więcej|lub więcej|i powyżej|i starsi)"
)

_BETWEEN = re.compile(
    rf"{_NUMBER}{_UNIT}\s*(?:-|–|—|to|do|<=?\s*x\s*<=?|≤\s*x\s*[<≤])\s*{_NUMBER}{_UNIT}"
)
_ENDS = (
    (re.compile(rf"{_BELOW}\s*{_NUMBER}{_UNIT}"), -1),
    (re.compile(rf"{_NUMBER}{_UNIT}\s*{_OR_LESS}{_UNIT}"), -1),
    (re.compile(rf"{_ABOVE}\s*{_NUMBER}{_UNIT}"), 1),
    (re.compile(rf"{_NUMBER}{_UNIT}\s*{_OR_MORE}{_UNIT}"), 1),
)
_ALONE = re.compile(rf"{_NUMBER}{_UNIT}")
_NOTHING = frozenset(("none", "no", "zero", "brak", "nic", "żadne"))
_MORE = frozenset(("more", "or more", "and more", "więcej", "i więcej", "lub więcej"))
_SUFFIX = {"k": 1e3, "t": 1e3, "m": 1e6}


def order_ranges(values: Sequence[str]) -> tuple[str, ...] | None:
    """The values from the lowest range to the highest; None unless all fit one line of ranges.

    >>> order_ranges([">=7", "1<=X<4", "<1", "4<=X<7"])
    ('<1', '1<=X<4', '4<=X<7', '>=7')
    >>> order_ranges(["1-4", "2-3", "0-1"]) is None
    True
    """
    found = [(_read(value), value) for value in values]
    ranges = [(bounds, value) for bounds, value in found if bounds is not None]
    if len(ranges) < len(values):
        return None
    real = sum(low < high for (low, high), _ in ranges)
    is_open = any(low == math.inf for (low, _), _ in ranges)
    if real < min(2, len(values) - 1) and not (is_open and len(values) > 2):
        return None
    ordered = sorted(ranges)
    pairs = itertools.pairwise(ordered)
    if any(one[0][1] > two[0][0] or one[0][0] >= two[0][1] for one, two in pairs):
        return None
    return tuple(value for _, value in ordered)


def _read(value: str) -> tuple[float, float] | None:
    text = _THOUSANDS.sub("", _MONEY.sub("", value.casefold())).strip()
    text = re.sub(r"(?<=\d),(?=\d)", ".", text)
    if text in _NOTHING:
        return 0.0, 0.0
    if text in _MORE:
        return math.inf, math.inf
    between = _BETWEEN.fullmatch(text)
    if between is not None:
        low = _number(between[1], between[2] or between[4])
        high = _number(between[3], between[4])
        return (low, high) if low < high else None
    for pattern, side in _ENDS:
        end = pattern.fullmatch(text)
        if end is not None:
            bound = _number(end[1], end[2])
            return (-math.inf, bound) if side < 0 else (bound, math.inf)
    alone = _ALONE.fullmatch(text)
    if alone is not None:
        number = _number(alone[1], alone[2])
        return number, number
    return None


def _number(digits: str, suffix: str | None) -> float:
    return float(digits) * _SUFFIX.get((suffix or "").casefold(), 1.0)
