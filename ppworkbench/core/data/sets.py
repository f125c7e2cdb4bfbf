"""Reports that name several values of a question at once, as packed bits.

A column of n sets over k values is an array of bytes of the shape ``(n, width(k))``. Bit v of a
row says whether value v is named, the lowest bit of the first byte being value 0. Bit k says that
the answer is missing, so that a set that names nothing is an answer like any other.

In a text a set is its values in their order, with bars between them: ``bus|tram``. A lone bar is
the set that names nothing, and an empty text is a missing answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Counts, Mask, Numbers, Places
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.errors import DataError

Sets = NDArray[np.uint8]

BAR = "|"
EMPTY = BAR
"""The text of a set that names nothing."""
_BLANK = "\\e"
"""The text of a value that is empty itself."""
_ROWS = 1 << 15
"""Sets that are spread out at once."""


def width(k: int) -> int:
    """The bytes of a set over k values, with a bit for "missing".

    >>> width(7), width(8)
    (1, 2)
    """
    return (k + 8) // 8


def pack(named: Mask, missing: Mask | None = None) -> Sets:
    """Pack a table of who names what.

    >>> pack(np.array([[True, False, True], [False, False, False]])).tolist()
    [[5], [0]]
    >>> pack(np.array([[False, False, False]]), np.array([True])).tolist()
    [[8]]
    """
    rows, k = named.shape
    bits = np.zeros((rows, 8 * width(k)), np.bool_)
    bits[:, :k] = named
    if missing is not None:
        bits[missing, :k] = False
        bits[:, k] = missing
    return np.packbits(bits, axis=1, bitorder="little")


def unpack(sets: Sets, k: int) -> Mask:
    """Who names what, one column for each value; missing answers name nothing."""
    return np.unpackbits(sets, axis=1, count=k, bitorder="little").view(np.bool_)


def names(sets: Sets, value: int) -> Mask:
    """Which sets name a value; with k for the value, which are missing."""
    return (sets[:, value >> 3] >> np.uint8(value & 7) & np.uint8(1)).view(np.bool_)


def all_missing(rows: int, k: int) -> Sets:
    return np.tile(pack(np.zeros((1, k), np.bool_), np.ones(1, np.bool_)), (rows, 1))


def sizes(sets: Sets, k: int) -> Counts:
    held = np.bitwise_count(sets).sum(axis=1, dtype=np.int64)
    return np.asarray(held - names(sets, k), np.int64)


def parts(sets: Sets, k: int) -> Iterator[tuple[slice, Mask]]:
    """The sets spread out, some thousand rows at a time, so that the memory holds them."""
    for start in range(0, len(sets), _ROWS):
        rows = slice(start, start + _ROWS)
        yield rows, unpack(sets[rows], k)


def count_named(sets: Sets, k: int) -> Counts:
    """How many sets name each value.

    >>> count_named(pack(np.array([[True, False], [True, True]])), 2).tolist()
    [2, 1]
    """
    total = np.zeros(k, np.int64)
    for _, named in parts(sets, k):
        total += np.count_nonzero(named, axis=0)
    return total


def weigh_named(sets: Sets, k: int, weights: Numbers) -> Numbers:
    total = np.zeros(k)
    for rows, named in parts(sets, k):
        total += weights[rows] @ named
    return total


def distinct(sets: Sets) -> tuple[Sets, Places, Counts]:
    if len(sets) == 0:
        return sets, np.zeros(0, np.intp), np.zeros(0, np.int64)
    rows = np.ascontiguousarray(sets).view(np.dtype((np.void, sets.shape[1]))).ravel()
    found, place, count = np.unique(rows, return_inverse=True, return_counts=True)
    bare = np.frombuffer(found.tobytes(), np.uint8).reshape(len(found), sets.shape[1])
    return bare, place.ravel().astype(np.intp), count.astype(np.int64)


def text_of(named: Sequence[str]) -> str:
    r"""A set as the text of a cell; bars and backslashes inside a value get a backslash.

    >>> text_of(["bus", "tram"]), text_of([]), text_of(["a|b"])
    ('bus|tram', '|', 'a\\|b')
    """
    if not named:
        return EMPTY
    return BAR.join(_escaped(value) for value in named)


def split_text(text: str) -> list[str]:
    r"""The values that the text of a cell names.

    >>> split_text("bus|tram"), split_text("|"), split_text("a\\|b")
    (['bus', 'tram'], [], ['a|b'])
    """
    if text.strip() == EMPTY:
        return []
    if "\\" not in text:
        return text.split(BAR)
    found, letters = [""], iter(text)
    for letter in letters:
        if letter == BAR:
            found.append("")
        elif letter != "\\":
            found[-1] += letter
        else:
            after = next(letters, "")
            found[-1] += "" if after == "e" else after
    return found


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace(BAR, "\\|") if value else _BLANK


def to_texts(sets: Sets, values: Sequence[str]) -> list[str | None]:
    """The texts of cells; None for missing answers."""
    found, places, _ = distinct(sets)
    spread = unpack(found, len(values))
    words = [text_of([values[place] for place in np.flatnonzero(row).tolist()]) for row in spread]
    missing = names(found, len(values)) if len(found) else np.zeros(0, np.bool_)
    shown = [None if gone else word for word, gone in zip(words, missing, strict=True)]
    return [shown[place] for place in places]


def of_lists(
    lists: Sequence[Sequence[str] | None],
    attribute: Attribute,
    rows: Sequence[int] | None = None,
) -> Sets:
    """Pack lists of the values of an attribute; None is a missing answer.

    ``rows`` are the records of the lists, for sentences; their places if not given.

    Raises
    ------
    DataError
        Naming the first record that names an unknown value, a value twice or too many or few.
    """
    name, size = attribute.name, attribute.set_size
    place = {value: code for code, value in enumerate(attribute.values)}
    named = np.zeros((len(lists), attribute.k), np.bool_)
    missing = np.zeros(len(lists), np.bool_)
    for i, one in enumerate(lists):
        if one is None:
            missing[i] = True
            continue
        record = (i if rows is None else rows[i]) + 1
        for value in one:
            code = place.get(value)
            if code is None or named[i, code]:
                raise DataError.saying(
                    "Attribute {attribute!r}: the set in record {record} names {value!r}, which "
                    "is not one of the values; correct the file."
                    if code is None
                    else "Attribute {attribute!r}: the set in record {record} names {value!r} "
                    "twice; correct the file.",
                    value=str(value)[:60],
                    record=record,
                    attribute=name,
                    row=record,
                )
            named[i, code] = True
        if size is not None and len(one) != size:
            raise DataError.saying(
                "Attribute {attribute!r}: the set in record {record} names {count} values instead "
                "of {size}; correct the file.",
                count=len(one),
                size=size,
                record=record,
                attribute=name,
                row=record,
            )
    return pack(named, missing)
