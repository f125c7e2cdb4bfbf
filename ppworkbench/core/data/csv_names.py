"""The line of names of a delimited file, or names for a file that has none."""

from __future__ import annotations

import re

NUMBER = re.compile(r"\s*[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?\s*")


def quoted_fields(body: str, separator: str, quote: str) -> list[bool]:
    """Which fields of the first record stand in quotation marks."""
    quoted, inside, at_start = [], False, True
    for character in body.lstrip("\r\n"):
        if inside:
            inside = character != quote
            continue
        if at_start:
            quoted.append(character == quote)
            at_start = False
            if character == quote:
                inside = True
                continue
        if character in "\r\n":
            break
        if character == separator:
            at_start = True
        elif character == quote and quoted[-1]:
            # The second of two marks, which stand for one in the text.
            inside = True
    return quoted + [False] * at_start


def column_names(
    records: list[list[str]], quoted: list[bool]
) -> tuple[tuple[str, ...], bool, tuple[str, ...]]:
    """Different names for all columns, whether the first record held them, and sentences."""
    first = records[0]
    # Numbers in quotation marks are meant as names, as our own writer marks them.
    if _looks_like_data(first) and not all(quoted):
        names = tuple(f"column_{i + 1}" for i in range(len(first)))
        note = (
            "The first line holds only numbers, so it was read as data and the columns are named "
            f"{names[0]} to {names[-1]}; put a line of names before it if it was meant as one."
        )
        return names, False, (note,)
    notes = []
    # Spaces around a name are an accident, unless somebody put them between quotation marks.
    kept = [
        name if in_marks else name.strip()
        for name, in_marks in zip(first, quoted + [False] * len(first), strict=False)
    ]
    unique = _different(["" if not name.strip() else name for name in kept])
    for i, (before, after) in enumerate(zip(kept, unique, strict=True)):
        if before != after:
            what = f"has the name {before!r} again" if before.strip() else "has no name"
            notes.append(f"Column {i + 1} {what} and is called {after!r}.")
    if len(records) == 1:
        notes.append("The file has a line of names but no records.")
    return unique, True, tuple(notes)


def _looks_like_data(first: list[str]) -> bool:
    """Whether the first record is all numbers, and not a row of years that name columns."""
    if not all(NUMBER.fullmatch(field) for field in first):
        return False
    years = all(re.fullmatch(r"(19|20)\d\d", field.strip()) for field in first)
    return not (years and len(first) > 1 and len(set(first)) == len(first))


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
