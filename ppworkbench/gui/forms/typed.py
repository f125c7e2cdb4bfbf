"""Parameters as people type them: numbers by the locale, lists with commas or semicolons."""

from __future__ import annotations

import re
from typing import Any

from ppworkbench.core.params import Declaration
from ppworkbench.gui.words import decimal_mark, read_number, with_mark

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
