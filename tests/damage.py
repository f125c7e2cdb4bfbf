"""Ways to damage a file: bytes at random, numbers of Parquet that lie, values of other fields."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow.parquet as pq

ODD = (
    None, True, 0, -1, 1e308, -0.0, 10**30, 2**63, 0.5, "", "x", "\x00", "Ł" * 300, "=1+1", [], {},
    [[]], [1, 2], {"": ""}, [None], "NaN", "../x", [0.5, 0.5], 1e-320, 3.5, {"type": "uniform"},
)  # fmt: skip


def damaged(content: bytes, source: np.random.Generator) -> bytes:
    """The content cut, with bits turned, with bytes replaced, doubled or taken out."""
    data = bytearray(content)
    place = int(source.integers(0, len(data)))
    what = int(source.integers(0, 5))
    if what == 0:
        return bytes(data[:place])
    if what == 1:
        for _ in range(int(source.integers(1, 8))):
            data[int(source.integers(0, len(data)))] ^= 1 << int(source.integers(0, 8))
    elif what == 2:
        length = int(source.integers(1, 64))
        data[place : place + length] = source.bytes(length)
    elif what == 3:
        length = int(source.integers(1, 256))
        data[place:place] = data[place : place + length]
    else:
        length = int(source.integers(1, 256))
        del data[place : place + length]
    return bytes(data)


def lying(content: bytes, source: np.random.Generator) -> bytes:
    """Parquet with another number somewhere in its footer or in the head of a page."""
    footer = int.from_bytes(content[-8:-4], "little")
    places = [*range(len(content) - 8 - footer, len(content) - 8)]
    for chunk in _chunks(content):
        for start in (chunk.dictionary_page_offset, chunk.data_page_offset):
            places += range(start, start + 24) if start else ()
    data = bytearray(content)
    place = places[int(source.integers(0, len(places)))]
    length = int(source.integers(1, 6))
    # A number goes on as long as the highest bit of its bytes is set.
    odd = (
        b"\xff" * (length - 1) + b"\x7f",
        b"\xfe\xff\xff\xff\x0f",
        b"\0",
        b"\x01",
        b"\x80\x80\x04",
    )
    lie = odd[int(source.integers(0, len(odd)))]
    data[place : place + len(lie)] = lie
    return bytes(data[: len(content)])


def _chunks(content: bytes) -> Iterator[Any]:
    held = pq.ParquetFile(io.BytesIO(content)).metadata
    for group in range(held.num_row_groups):
        yield from (held.row_group(group).column(i) for i in range(held.num_columns))


def distorted_json(content: bytes, source: np.random.Generator) -> bytes:
    """A document with one value, or the name of one, in the place of another."""
    document = json.loads(content)
    places = list(_places(document))
    holder, key = places[int(source.integers(0, len(places)))]
    odd = ODD[int(source.integers(0, len(ODD)))]
    if isinstance(holder, dict) and source.random() < 0.3:
        holder[str(odd)[:40]] = holder.pop(key)
    elif source.random() < 0.2:
        del holder[key]
    else:
        holder[key] = odd
    return json.dumps(document).encode()


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    keys = value.keys() if isinstance(value, dict) else range(len(value))
    for key in list(keys):
        yield value, key
        if isinstance(value[key], dict | list):
            yield from _places(value[key])
