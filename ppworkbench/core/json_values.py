"""How many values a JSON text can hold, told before it is parsed, and small files of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

MOST_VALUES = 4_000_000
"""Parsed, each takes up to a hundred bytes: a hundred matrices of 200 answers are as many."""
_LARGEST_NOTE = 2**20


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
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
