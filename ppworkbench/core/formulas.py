"""Cells that a spreadsheet would run as a formula, written as harmless text.

A text that begins with one of ``= + - @``, a tabulator or a carriage return gets an apostrophe
before it; numbers stay as they are (OWASP, "CSV injection").
"""

from __future__ import annotations

import re

_STARTS = ("=", "+", "-", "@", "\t", "\r")
_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?")


def escape_formula(text: str) -> str:
    """The text, harmless.

    >>> escape_formula("=1+1"), escape_formula("-5"), escape_formula("yes")
    ("'=1+1", '-5', 'yes')
    """
    if text.startswith(_STARTS) and not _NUMBER.fullmatch(text):
        return f"'{text}"
    return text


def unescape_formula(text: str) -> str:
    """The text as it was before it was made harmless.

    >>> unescape_formula("'=1+1"), unescape_formula("'tis")
    ('=1+1', "'tis")
    """
    bare = text.removeprefix("'")
    return bare if bare != text and escape_formula(bare) == text else text
