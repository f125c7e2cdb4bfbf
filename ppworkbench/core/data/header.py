"""Which rows of a file are its title, its names, its records, and remarks below them."""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterable, Sequence

from ppworkbench.core.message import Message

Row = Sequence[str]

NUMBER = re.compile(r"\s*[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?\s*")
_YEAR = re.compile(r"(19|20)\d\d")
_NO_ANSWER = frozenset({"", "?", ".", "-", "NA", "N/A", "na", "n/a", "NaN", "nan", "NULL", "null"})
_MOST_TITLE = 10
"""More lines than this above a table are no title."""
_BELOW = 20
"""So many rows below one tell whether it is as wide as they are."""


def title_rows(rows: Sequence[Row], *, is_sure: Sequence[bool] = ()) -> int:
    """How many of the first rows are a title above the names of the columns.

    A title has one cell, or fewer than half of those of the table below it, or stands apart from
    it. The row after it must look like names: different texts without a number, as many as the
    rows below have cells.

    Parameters
    ----------
    is_sure
        Whether a row stands apart from the one above; where it does not, there must be numbers
        under a name, or the rows must be those of a spreadsheet, which are all of one width.

    >>> title_rows([["Survey of 2020", ""], ["name", "age"], ["Ann", "31"], ["Bob", "44"]])
    1
    """
    filled = [sum(bool(cell.strip()) for cell in row) for row in rows]
    for place, row in enumerate(rows[: _MOST_TITLE + 1]):
        below = filled[place + 1 : place + 1 + _BELOW]
        if not below or filled[place] < 2:
            continue
        typical = statistics.median(below)
        loose = len(row) != len(rows[place + 1]) or any(is_sure[place + 1 : place + 2])
        if filled[place] <= typical / 2 or (loose and filled[place] < typical):
            continue
        if place == 0 or filled[place] < 0.8 * typical:
            return 0
        names = [cell.strip() for cell in row if cell.strip()]
        if len(set(names)) < len(names) or any(map(NUMBER.fullmatch, names)):
            return 0
        if looks_like_record(row, rows[place + 1 :]):
            return 0
        apart = any(is_sure[1 : place + 1])
        regular = len({len(other) for other in rows[: place + 1 + _BELOW]}) == 1
        return place if apart or regular or _numeric_columns(row, rows[place + 1 :]) else 0
    return 0


def looks_like_record(first: Row, rest: Sequence[Row], *, all_quoted: bool = False) -> bool:
    """Whether the first row is a record like those below it, and does not name the columns.

    Numbers where all below are numbers speak for a record, also years, texts there for names; years
    beside a text, or over texts, name columns. Without numbers a record has answers that others
    gave as well.

    >>> looks_like_record(["39", "State-gov"], [["50", "Private"], ["38", "Private"]])
    True
    >>> looks_like_record(["town", "2019"], [["Oslo", "3.5"], ["Rome", "4.1"]])
    False
    >>> looks_like_record(["2019", "2020"], [["4.5", "7"], ["3.5", "8"]])
    True
    """
    cells = [cell.strip() for cell in first]
    numbers = [NUMBER.fullmatch(cell) is not None for cell in cells]
    # A file that was joined from several has its line of names again.
    rest = [row for row in rest if list(row) != list(first)]
    if all(numbers):
        # Years over nothing but numbers may be numbers like these: nothing tells them apart.
        is_alike = bool(cells) and len(_numeric_columns(first, rest)) == len(cells)
        years = all(map(_YEAR.fullmatch, cells)) and not is_alike
        return not all_quoted and not (years and len(cells) > 1 and len(set(cells)) == len(cells))
    under = _numeric_columns(first, rest)
    told = [place for place in under if cells[place] not in _NO_ANSWER]
    if any(not numbers[place] for place in told):
        return False
    others = [p for p, cell in enumerate(cells) if not numbers[p] and cell not in _NO_ANSWER]
    again = sum(cells[place] in _below(rest, place) for place in others)
    if told and not all_quoted:
        return not _are_numbered(cells, told, rest, again)
    return len(rest) > 1 and again > 0 and 2 * again >= len(others)


def _are_numbered(cells: list[str], places: list[int], rest: Sequence[Row], again: int) -> bool:
    """Whether numbers name columns: years over other numbers, or a count from 1."""
    if all(_YEAR.fullmatch(cells[place]) for place in places):
        return not _are_years_below(places, rest)
    counted = [str(number + 1) for number in range(len(places))]
    return len(places) > 2 and again == 0 and [cells[place] for place in places] == counted


def _are_years_below(places: Iterable[int], rest: Sequence[Row]) -> bool:
    below = [cell for place in places for cell in _below(rest, place)]
    return bool(below) and all(map(_YEAR.fullmatch, below))


def _numeric_columns(first: Row, rest: Sequence[Row]) -> list[int]:
    found = []
    for place in range(len(first)):
        below = _below(rest, place)
        if below and all(map(NUMBER.fullmatch, below)):
            found.append(place)
    return found


def _below(rest: Sequence[Row], place: int) -> list[str]:
    cells = (row[place].strip() for row in rest if place < len(row))
    return [cell for cell in cells if cell not in _NO_ANSWER]


def column_names(
    records: list[list[str]], quoted: list[bool], has_header: bool | None = None
) -> tuple[tuple[str, ...], bool, tuple[str, ...]]:
    """Different names for all columns, whether the first record held them, and sentences.

    Parameters
    ----------
    has_header
        Whether the first record holds names, where somebody said so.
    """
    first = records[0]
    # Numbers in quotation marks are meant as names, as our own writer marks them.
    all_quoted = bool(quoted) and all(quoted)
    is_record = looks_like_record(first, records[1:], all_quoted=all_quoted)
    if not has_header and (has_header is False or is_record):
        names = tuple(f"column_{i + 1}" for i in range(len(first)))
        return names, False, () if has_header is False else (no_header_note(names),)
    notes = []
    # Spaces around a name are an accident, unless somebody put them between quotation marks.
    kept = [
        name if in_marks else name.strip()
        for name, in_marks in zip(first, quoted + [False] * len(first), strict=False)
    ]
    unique = _different(["" if not name.strip() else name for name in kept])
    for i, (before, after) in enumerate(zip(kept, unique, strict=True)):
        if before != after:
            what = (
                Message("repeats the name {before!r}", before=before)
                if before.strip()
                else Message("has no name")
            )
            notes.append(
                Message(
                    "Column {number} {what} and is called {after!r}.",
                    number=i + 1,
                    what=what,
                    after=after,
                )
            )
    if len(records) == 1:
        notes.append(Message("The file has a line of names but no records."))
    return unique, True, tuple(notes)


def no_header_note(names: Sequence[str]) -> str:
    return Message(
        "The first line looks like a record and was read as one; the columns are named "
        "{names} to {names2}. If it is the header, set the header row.",
        code="unsure-reading",
        names=names[0],
        names2=names[-1],
    )


def title_note(words: str, row: int) -> str:
    """That lines above the names were left out; the names stand in a row, counted from 1."""
    return Message(
        "The lines above the table ({words!r}) were read as its title; the names stand in row "
        "{row}. If that is wrong, set the header row.",
        code="unsure-reading",
        words=words[:60],
        row=row,
    )


def remarks_note(words: str, row: int, count: int) -> str:
    """That rows below an empty one were left out, the first of them in a row counted from 1."""
    return Message(
        "{count} row(s) below an empty one, from row {row} on ({words!r}), were read as remarks "
        "and left out. If they are records, keep the remarks.",
        code="unsure-reading",
        count=count,
        row=row,
        words=words[:60],
    )


def is_sparse(filled: int, width: int) -> bool:
    return filled <= max(width // 2, 1)


def _different(names: list[str]) -> tuple[str, ...]:
    taken = {name for name in names if name}
    seen: set[str] = set()
    result = []
    for i, name in enumerate(names):
        new = name or f"column_{i + 1}"
        number = 2
        while new in seen or (new != name and new in taken):
            new = f"{name or f'column_{i + 1}'}_{number}"
            number += 1
        seen.add(new)
        result.append(new)
    return tuple(result)
