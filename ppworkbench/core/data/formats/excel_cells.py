"""Cells of a sheet as columns, and answers as cells that any spreadsheet keeps as they are."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Sequence
from typing import Any

import pyarrow as pa

from ppworkbench.core.data.formats.names import free_name
from ppworkbench.core.data.formats.stored import code_text

ERRORS = frozenset(
    ("#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#N/A", "#GETTING_DATA", "#SPILL!")
)
LONGEST = 32_000
"""A little less than the 32,767 characters that a cell holds, to leave room for a number."""
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff\ud800-\udfff]|_x[0-9A-Fa-f]{4}_")
_RISKY = ("=", "+", "-", "@", "\t", "\r")


def column_array(cells: Sequence[Any]) -> pa.ChunkedArray:
    """One column in the narrowest type that holds all its cells.

    >>> column_array([1, None, 2]).type, column_array([1, "x"]).to_pylist()
    (DataType(int64), ['1', 'x'])
    """
    kinds = {type(cell) for cell in cells if cell is not None}
    if kinds == {bool}:
        return pa.chunked_array([pa.array(cells, pa.bool_())])
    if kinds and kinds <= {int, float}:
        is_whole = kinds == {int} and all(c is None or abs(c) <= 2**53 for c in cells)
        numbers = cells if is_whole else [None if c is None else _double(c) for c in cells]
        return pa.chunked_array([pa.array(numbers, pa.int64() if is_whole else pa.float64())])
    days = all(_is_midnight(cell) for cell in cells if isinstance(cell, dt.datetime))
    texts = [cell_text(cell, days=days) for cell in cells]
    return pa.chunked_array([pa.array(texts, pa.string())])


def cell_text(cell: Any, *, days: bool = False) -> str | None:
    """One cell as text: numbers as people write them, dates by ISO 8601."""
    if cell is None or isinstance(cell, str):
        return cell
    if isinstance(cell, bool):
        return "TRUE" if cell else "FALSE"
    if isinstance(cell, int | float):
        return code_text(float(cell)) if isinstance(cell, float) else str(cell)
    if isinstance(cell, dt.datetime):
        return cell.date().isoformat() if days else cell.isoformat()
    return cell.isoformat() if isinstance(cell, dt.date | dt.time) else str(cell)


def holds_dates(cells: Iterable[Any]) -> bool:
    """Whether a column has dates or times."""
    return any(isinstance(cell, dt.date | dt.time | dt.timedelta) for cell in cells)


def safe_texts(texts: Sequence[str], *, escape: bool) -> tuple[str, ...]:
    """Different texts that a sheet keeps: no control characters, not empty, not too long.

    With ``escape``, what a spreadsheet could run as a formula gets an apostrophe in front.

    >>> safe_texts(["", "=1+1", "fine"], escape=True)
    ('(empty)', "'=1+1", 'fine')
    """
    cleaned = [_clean(text, escape) for text in texts]
    taken = {text for text, clean in zip(texts, cleaned, strict=True) if text == clean}
    result = []
    for text, clean in zip(texts, cleaned, strict=True):
        free = clean if text == clean else free_name(clean, taken)
        taken.add(free)
        result.append(free)
    return tuple(result)


def escaped(text: str) -> str:
    """The text with an apostrophe if a spreadsheet could take it for a formula."""
    return f"'{text}" if text.startswith(_RISKY) else text


def _clean(text: str, escape: bool) -> str:
    clean = _UNSAFE.sub("\ufffd", text)[:LONGEST]
    clean = clean if clean.strip() else "(empty)"
    return escaped(clean) if escape else clean


def _double(number: float) -> float | None:
    try:
        return float(number)
    except OverflowError:
        return None


def _is_midnight(cell: dt.datetime) -> bool:
    return cell.time() == dt.time()
