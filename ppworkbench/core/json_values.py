"""How many values a JSON text can hold, told before it is parsed."""

from __future__ import annotations

MOST_VALUES = 4_000_000
"""Parsed, each takes up to a hundred bytes: a hundred matrices of 200 answers are as many."""


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
