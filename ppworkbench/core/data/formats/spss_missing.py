"""Which missing codes SPSS can be told of.

A variable holds three single codes, or one range and one code. Answers must lie neither on a
code nor in a range, or SPSS would take them for missing. Codes that cannot be declared as they
are get new numbers outside all answers; nothing about a cell is lost.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.formats.stored import shown_code
from ppworkbench.core.data.table import shorten
from ppworkbench.core.message import Message

Numbers = NDArray[np.float64]
Declaration = float | str | dict[str, float]


@dataclass(frozen=True)
class MissingPlan:
    """The number of each missing code, what is declared to SPSS, and sentences."""

    codes: tuple[float | None, ...] = ()
    declared: tuple[Declaration, ...] = ()
    notes: tuple[str, ...] = ()


def plan_missing(attribute: Attribute, answers: Numbers) -> MissingPlan:
    """Find numbers for the missing codes of a numeric variable whose answers are given."""
    answers = np.unique(answers)
    ranges = tuple(r for r in attribute.missing_ranges if not _holds(answers, *r))
    notes: tuple[str, ...] = ()
    if ranges != attribute.missing_ranges:
        notes = (
            Message(
                "Missing ranges of {attribute!r} in which answers lie are not declared.",
                attribute=attribute.name,
            ),
        )
    kept = _as_they_are(attribute, answers)
    if kept is not None:
        declared = _declare(kept, ranges, answers)
        if declared is not None:
            return MissingPlan(kept, declared, notes)
    codes = _fresh(len(attribute.missing_codes), answers)
    shown = [shown_code(missing.code) for missing in attribute.missing_codes]
    whose = Message(
        "The missing codes {shown} of {attribute!r}", shown=shorten(shown), attribute=attribute.name
    )
    if codes is None:
        blank = (None,) * len(shown)
        return MissingPlan(
            blank, (), (*notes, Message("{whose} are written as blank cells.", whose=whose))
        )
    new = shorten([shown_code(code) for code in codes])
    declared = _declare(codes, (), answers) or ()
    return MissingPlan(
        codes, declared, (*notes, Message("{whose} are written as {new}.", whose=whose, new=new))
    )


def _as_they_are(attribute: Attribute, answers: Numbers) -> tuple[float, ...] | None:
    codes = []
    for missing in attribute.missing_codes:
        code = missing.code
        if isinstance(code, str) or not _is_storable(code) or code in codes:
            return None
        if _holds(answers, code, code):
            return None
        codes.append(code)
    return tuple(codes)


def _declare(
    codes: tuple[float, ...], ranges: tuple[tuple[float, float], ...], answers: Numbers
) -> tuple[Declaration, ...] | None:
    if len(ranges) > 1:
        return None
    outside = sorted(c for c in codes if not any(low <= c <= high for low, high in ranges))
    if len(outside) <= (1 if ranges else 3):
        return (*(_range(*r) for r in ranges), *outside)
    if ranges:
        return None
    # One range may cover all of them, or all but one, as long as no answer lies in it.
    for alone, rest in ((None, outside), (outside[0], outside[1:]), (outside[-1], outside[:-1])):
        if not _holds(answers, rest[0], rest[-1]):
            covering = _range(rest[0], rest[-1])
            return (covering,) if alone is None else (covering, alone)
    return None


def _fresh(n: int, answers: Numbers) -> tuple[float, ...] | None:
    lowest = min(0.0, float(answers[0])) if len(answers) else 0.0
    highest = max(0.0, float(answers[-1])) if len(answers) else 0.0
    # Whole numbers are exact in doubles up to 2^53.
    if lowest > -(2.0**52):
        return tuple(math.floor(lowest) - 1.0 - i for i in range(n))
    if highest < 2.0**52:
        return tuple(math.ceil(highest) + 1.0 + i for i in range(n))
    return None


def _range(low: float, high: float) -> dict[str, float]:
    return {"lo": low, "hi": high}


def _is_storable(number: float) -> bool:
    return abs(number) < 1.797e308


def _holds(answers: Numbers, low: float, high: float) -> bool:
    first = int(np.searchsorted(answers, low, side="left"))
    return first < len(answers) and bool(answers[first] <= high)
