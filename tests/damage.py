"""Ways to damage a file: bytes, numbers, words, members of archives, values of other fields."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator
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
    holder, key = pick(list(places(document)), source)
    odd = pick(ODD, source)
    if isinstance(holder, dict) and source.random() < 0.3:
        holder[str(odd)[:40]] = holder.pop(key)
    elif source.random() < 0.2:
        del holder[key]
    else:
        holder[key] = odd
    return json.dumps(document).encode()


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Where the values of a document stand: what holds them, and their key in it."""
    keys = value.keys() if isinstance(value, dict) else range(len(value))
    for key in list(keys):
        yield value, key
        if isinstance(value[key], dict | list):
            yield from places(value[key])


Mutate = Callable[[bytes, np.random.Generator], bytes]

FAR = (
    b"7" * 400, b"3" * 5000, b"-" + b"3" * 5000, b"1e999", b"-1e999", b"1e308", b"-1e308",
    b"1e-320", b"-0", b"-0.0", b"NaN", b"nan", b"Infinity", b"-inf", b"0x1F", b"1_000", b"1,5",
    b"1e5", b"2e100", b"9007199254740993", b"18446744073709551616",
    b"0.1" + b"0" * 400, b"1e-999", b".", b"+", b"1e",
)  # fmt: skip
GARBAGE = (
    b"\0", b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf", b"\xc0\xaf", b"\xed\xa0\x80", b"\x80",
    b"\x1b[31m", b"\xe2\x80\xae", b"\r", b"\n\n", b"\x0c", b"\xe2\x80\xa8", b"\\ud800", b"\\u0000",
    b"\x1a", b'"', b"'", b"\xf4\x90\x80\x80", "ż\u0301ółw".encode("utf-16"),
    b"\\", b"}", b"{", b"[" * 3000,
)  # fmt: skip
_NUMBER = re.compile(rb"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_WORD = re.compile(rb"[A-Za-z_]+|[0-9.]+|[{}\[\],:;\"\t\n]")


def pick(of: Any, source: np.random.Generator) -> Any:
    """One of some things."""
    return of[int(source.integers(0, len(of)))]


def inflated(content: bytes, source: np.random.Generator) -> bytes:
    """One or all occurrences of a number replaced by one that few programs expect."""
    numbers = list(_NUMBER.finditer(content))
    if not numbers:
        return damaged(content, source)
    found, far = pick(numbers, source), pick(FAR, source)
    if source.random() < 0.3:
        return content.replace(found[0], far, 50)
    return content[: found.start()] + far + content[found.end() :]


def swapped(content: bytes, source: np.random.Generator) -> bytes:
    """Two words, numbers or signs in each other's place, or one of them twice."""
    words = list(_WORD.finditer(content))
    if len(words) < 2:
        return damaged(content, source)
    one, two = sorted((pick(words, source), pick(words, source)), key=lambda word: word.start())
    if one.start() == two.start() or source.random() < 0.3:
        return content[: one.start()] + two[0] + content[one.start() :]
    middle = content[one.end() : two.start()]
    return content[: one.start()] + two[0] + middle + one[0] + content[two.end() :]


def spliced(content: bytes, source: np.random.Generator) -> bytes:
    """Two parts of the file in a row that do not follow each other."""
    one, two = (int(source.integers(0, len(content) + 1)) for _ in range(2))
    return content[:one] + content[two:]


def garbled(content: bytes, source: np.random.Generator) -> bytes:
    """A few bytes that are no text of this encoding, or steer a terminal."""
    data = content
    for _ in range(int(source.integers(1, 4))):
        place = int(source.integers(0, len(data) + 1))
        data = data[:place] + pick(GARBAGE, source) + data[place:]
    return data


def huge(content: bytes, source: np.random.Generator) -> bytes:
    """A field, a line or a nesting of a length that nobody expects."""
    place = int(source.integers(0, len(content) + 1))
    piece = pick((b"a long answer ", b"x", b",", b"\n", b"[", b'{"a":', b"9", b"\xc5\x82"), source)
    return content[:place] + piece * int(source.integers(1000, 60_000)) + content[place:]


def inside(mutate: Mutate) -> Mutate:
    """Damage to one member of an archive, which is packed again so that its checksum is right."""

    def mutated(content: bytes, source: np.random.Generator) -> bytes:
        out = io.BytesIO()
        with zipfile.ZipFile(io.BytesIO(content)) as whole, zipfile.ZipFile(out, "w") as other:
            chosen = pick(whole.namelist(), source)
            for info in whole.infolist():
                data = whole.read(info)
                data = mutate(data, source) if info.filename == chosen and data else data
                other.writestr(info.filename, data, compress_type=info.compress_type)
        return out.getvalue()

    return mutated


ANY: tuple[Mutate, ...] = (damaged, spliced, garbled, huge)
TEXT: tuple[Mutate, ...] = (*ANY, inflated, inflated, swapped)
