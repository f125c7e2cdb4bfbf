"""The cells of raw columns as arrays."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ppworkbench.core.data.numerals import LARGEST_WHOLE, ParsedColumn
from ppworkbench.core.data.raw import RawColumn
from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message

Numbers = NDArray[np.float64]
Wholes = NDArray[np.int64] | NDArray[np.int32]


def plain_column(column: RawColumn) -> RawColumn:
    """The column with cells that are numbers, text or a dictionary of text.

    Truth values become ``false`` and ``true``; whole numbers that a double would round become
    text, except in parsed columns, whose text is still to be had.
    """
    data, kind = column.data, column.data.type
    if pa.types.is_boolean(kind):
        data = pc.if_else(data, pa.scalar("true"), pa.scalar("false"))
    elif pa.types.is_integer(kind):
        is_sure = isinstance(column, ParsedColumn) or is_exact(data)
        data = data if is_sure else data.cast(pa.string())
    elif pa.types.is_decimal(kind):
        data = data.cast(pa.float64())
    elif not (pa.types.is_floating(kind) or _is_text(kind)):
        try:
            data = data.cast(pa.string())
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            raise DataError(
                Message(
                    "Column {attribute!r} holds {kind}, which is neither text nor a number; "
                    "leave it out or convert it.",
                    attribute=column.name,
                    kind=kind,
                ),
                attribute=column.name,
            ) from None
    return column if data is column.data else dataclasses.replace(column, data=data)


def is_number_type(kind: pa.DataType) -> bool:
    """Whether an Arrow type is one of numbers."""
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def to_numbers(data: pa.ChunkedArray) -> Numbers:
    """The cells of a column of numbers as doubles, NaN for null."""
    numbers = np.empty(len(data), np.float64)
    start = 0
    for chunk in data.chunks:
        stop = start + len(chunk)
        full = chunk
        if chunk.null_count:
            full = pc.fill_null(chunk.cast(pa.float64(), safe=False), np.nan)
        numbers[start:stop] = np.asarray(full)
        start = stop
    return numbers


def to_wholes(data: pa.ChunkedArray) -> Wholes | None:
    """The cells of a column of whole numbers without nulls; None for other columns."""
    if data.type not in (pa.int64(), pa.int32()) or data.null_count or not data.num_chunks:
        return None
    pieces = [np.asarray(chunk) for chunk in data.chunks]
    return pieces[0] if len(pieces) == 1 else np.concatenate(pieces)


def to_indices(data: pa.ChunkedArray) -> tuple[pa.Array, NDArray[Any]]:
    """The different texts of a column and the place of each cell among them, -1 for null."""
    if not pa.types.is_dictionary(data.type):
        data = data.cast(pa.string()).dictionary_encode()
    if data.num_chunks == 0:
        return pa.array([], pa.string()), np.empty(0, np.int32)
    if not _share_words(data):
        data = data.unify_dictionaries()
    pieces = [
        np.asarray(pc.fill_null(chunk.indices, -1) if chunk.indices.null_count else chunk.indices)
        for chunk in data.chunks
    ]
    words = data.chunk(0).dictionary.cast(pa.string())
    indices = pieces[0] if len(pieces) == 1 else np.concatenate(pieces)
    if words.null_count:
        # A null among the words is a missing cell as well.
        places = np.append(np.where(np.asarray(pc.is_null(words)), -1, np.arange(len(words))), -1)
        indices = places[indices]
        words = pc.fill_null(words, "")
    return words, indices


def _share_words(data: pa.ChunkedArray) -> bool:
    """Whether all chunks have the very same dictionary, which is costly to find out by words."""
    places = set()
    for chunk in data.chunks:
        words = chunk.dictionary
        buffers = [None if buffer is None else buffer.address for buffer in words.buffers()]
        places.add((words.offset, len(words), *buffers))
    return len(places) == 1


def _is_text(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        return bool(pa.types.is_string(kind.value_type))
    return bool(pa.types.is_string(kind))


def is_exact(data: pa.ChunkedArray) -> bool:
    """Whether all whole numbers of a column are exact as doubles."""
    bounds = pc.min_max(data).as_py()
    low, high = int(bounds["min"] or 0), int(bounds["max"] or 0)
    return max(abs(low), abs(high)) <= LARGEST_WHOLE
