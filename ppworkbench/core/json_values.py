"""JSON from strangers, parsed as far as it is what it seems, and numbers that any JSON can hold."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from pathlib import Path
from typing import Any, NoReturn

from ppworkbench.core.message import Message

MOST_VALUES = 4_000_000
"""Parsed, each takes up to a hundred bytes: a hundred matrices of 200 answers are as many."""
_LARGEST_NOTE = 2**20
_MOST_DIGITS = 300
"""A whole number of more digits is no double, and Python itself stops reading at 4,300."""
_FAR_NUMBER = re.compile(rf"[0-9.]{{{_MOST_DIGITS}}}|[0-9.][eE]\+?[0-9]{{3}}")
"""Where a number may be too large; everywhere else the fast parser of the library is right."""

_FAULTS = {
    "Expecting value": Message("a value is missing"),
    "Expecting ',' delimiter": Message("a comma is missing"),
    "Expecting ':' delimiter": Message("a colon is missing"),
    "Expecting property name": Message("a name in double quotes is missing"),
    "Illegal trailing comma": Message("a comma is one too many"),
    "Unterminated string": Message("a text is not closed"),
    "Invalid control character": Message("a text contains a line break or a control character"),
    "Invalid \\": Message("a backslash stands before a wrong character"),
    "Extra data": Message("something follows the end"),
}
"""What the parser of Python says, by its beginning, in words that can be translated."""


class JsonError(ValueError):
    """Why a text is refused as JSON, as a phrase without a full stop, and in which line."""

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason)
        self.reason = Message.of(reason)
        self.line = line


def finite_or_none(number: float | None) -> float | None:
    """A number that every JSON file can hold."""
    return number if number is not None and math.isfinite(number) else None


def finite_fields(one: object, *names: str) -> dict[str, float | None]:
    """Fields under their names; null where there is no finite number."""
    return {name: finite_or_none(getattr(one, name)) for name in names}


def parse_json(text: str, *, may_hold_nan: bool = False) -> Any:
    """The values of a JSON text; whatever Python would guess, lose or choke on is refused.

    >>> parse_json('{"a": 1, "a": 2}')
    Traceback (most recent call last):
    ...
    ppworkbench.core.json_values.JsonError: the name 'a' occurs twice in one object
    >>> parse_json("[1e999]")
    Traceback (most recent call last):
    ...
    ppworkbench.core.json_values.JsonError: the number 1e999 is too large
    """
    checks: dict[str, Any] = {}
    if _FAR_NUMBER.search(text):
        checks = {"parse_int": _whole_number, "parse_float": _real_number}
    constant = _constant if may_hold_nan else _refuse_constant
    try:
        found = json.loads(
            text, parse_constant=constant, object_pairs_hook=_without_doubles, **checks
        )
    except json.JSONDecodeError as error:
        known = (words for start, words in _FAULTS.items() if error.msg.startswith(start))
        why = Message(
            "{msg} in line {lineno}, column {colno}",
            msg=next(known, error.msg),
            lineno=error.lineno,
            colno=error.colno,
        )
        raise JsonError(why, error.lineno) from None
    except RecursionError:
        raise JsonError("it is nested too deeply") from None
    if "\\u" in text and not _is_unicode(found):
        raise JsonError("it contains half a character (a lone surrogate)")
    return found


def _whole_number(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise JsonError(
            Message(
                "the number {digits} of {count:,} digits is too large",
                digits=_short(digits),
                count=len(digits),
            )
        )
    return int(digits)


def _real_number(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise JsonError(Message("the number {digits} is too large", digits=_short(digits)))
    return number


def _short(digits: str) -> str:
    return digits if len(digits) <= 20 else f"{digits[:12]}…"


def _constant(name: str) -> float:
    return math.nan if name == "NaN" else _refuse_constant(name)


def _refuse_constant(name: str) -> NoReturn:
    raise JsonError(Message("{name} is not a JSON number", name=name))


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        counted = Counter(name for name, _ in pairs)
        twice = next(name for name, count in counted.items() if count > 1)
        raise JsonError(Message("the name {twice!r} occurs twice in one object", twice=twice[:60]))
    return found


def _is_unicode(found: Any) -> bool:
    try:
        json.dumps(found, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def has_too_many_values(text: str | bytes) -> bool:
    """Whether parsing might take far more memory than the text itself.

    Every value but the first of a list or object follows a comma, so that commas bound them.

    >>> has_too_many_values('{"a": [1, 2, 3]}')
    False
    """
    if len(text) <= MOST_VALUES:
        return False
    if isinstance(text, str):
        return sum(text.count(sign) for sign in ",[{") > MOST_VALUES
    return sum(text.count(sign) for sign in (b",", b"[", b"{")) > MOST_VALUES


def read_note(path: Path) -> Any:
    """Return what a small file of the program's own holds; None if anything is wrong with it."""
    try:
        # Anything may lie there: a folder, or a pipe that would keep us waiting.
        if not path.is_file() or path.stat().st_size > _LARGEST_NOTE:
            return None
        return parse_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
