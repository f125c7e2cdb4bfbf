"""What Parquet and Feather files unpack to, told before they are unpacked.

A file of a few hundred bytes can say "this text of a megabyte, a million times". Nobody who asks
people questions has such a file.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.compute as pc

from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message

MOST_BYTES = 16 << 30
HARMLESS = 256 << 20
HIGHEST_RATIO = 1_000
_NUMBER = 8
_RECORD_BATCH, _DICTIONARY_BATCH = 3, 2


def check_promise(name: str, path: Path | None, unpacked: int, packed: int) -> None:
    """Refuse what unpacks to far more than it seems."""
    too_dense = unpacked > HARMLESS and unpacked > HIGHEST_RATIO * packed
    if unpacked > MOST_BYTES or too_dense:
        raise DataError(
            Message(
                "{name} would unpack from {packed:,} bytes to {unpacked:,} MB and is not "
                "opened; write it again with fewer or shorter answers.",
                name=name,
                packed=packed,
                unpacked=unpacked >> 20,
            ),
            file=path,
        )


def read_parquet_file(source: Any, name: str, path: Path | None, packed: int) -> pa.Table:
    """Read Parquet; texts stay in their dictionaries until it is known how long they are."""
    import pyarrow.parquet as pq

    with pq.ParquetFile(source) as file:
        promised, wanted = file.metadata, file.schema_arrow
        texts = _text_columns(file.schema)
    groups = (promised.row_group(i) for i in range(promised.num_row_groups))
    stored = sum(group.total_byte_size for group in groups)
    cells = promised.num_rows * promised.num_columns
    check_promise(name, path, max(stored, cells * _NUMBER), packed)
    with pq.ParquetFile(source, read_dictionary=texts) as file:
        found = file.read()
    for column, kind in zip(found.columns, found.schema.types, strict=True):
        if pa.types.is_dictionary(kind):
            check_promise(name, path, dense_bytes(column), packed)
    return found if found.schema.equals(wanted) else found.cast(wanted)


def _text_columns(schema: Any) -> list[str]:
    columns = (schema.column(i) for i in range(len(schema)))
    return [c.path for c in columns if c.physical_type == "BYTE_ARRAY" and "." not in c.path]


def dense_bytes(column: pa.ChunkedArray) -> int:
    """How long all texts of a dictionary column are together, without spelling them out."""
    total = 0
    for chunk in column.chunks:
        lengths = chunk.dictionary
        if not (pa.types.is_string(lengths.type) or pa.types.is_binary(lengths.type)):
            continue
        used = pc.take(pc.fill_null(pc.binary_length(lengths), 0), chunk.indices)
        total += pc.sum(used.cast(pa.int64())).as_py() or 0
    return total


def feather_bytes(file: BinaryIO, size: int) -> int:
    """What the buffers of an Arrow file unpack to, as their first eight bytes tell.

    The layout is that of the Arrow columnar format, version 5: a footer of flat buffers lists the
    messages, each message lists its buffers, and a packed buffer begins with its full length.
    """
    file.seek(size - 10)
    (length,) = struct.unpack("<i", file.read(4))
    if not 0 < length < size:
        raise ValueError("the footer has no possible length")
    file.seek(size - 10 - length)
    footer = _Flat.root(file.read(length))
    total = 0
    for slot in (2, 3):
        for start, _, body in footer.structs(slot, "<qi4xq"):
            total += _message_bytes(file, start, body, size)
    return total


def _message_bytes(file: BinaryIO, start: int, body: int, size: int) -> int:
    file.seek(start)
    head = file.read(8)
    (length,) = struct.unpack("<i", head[4:] if head[:4] == b"\xff\xff\xff\xff" else head[:4])
    data_at = start + (8 if head[:4] == b"\xff\xff\xff\xff" else 4)
    if not 0 < length < size:
        raise ValueError("a message has no possible length")
    file.seek(data_at)
    message = _Flat.root(file.read(length))
    batch = message.table(2)
    if batch is not None and message.byte(1) == _DICTIONARY_BATCH:
        batch = batch.table(1)
    if batch is None:
        return 0
    if batch.table(3) is None:
        return body
    total = 0
    for at, stored in batch.structs(2, "<qq"):
        if stored >= 8:
            file.seek(data_at + length + at)
            (unpacked,) = struct.unpack("<q", file.read(8))
            total += stored if unpacked < 0 else unpacked
    return total


class _Flat:
    """One table of a flat buffer."""

    def __init__(self, data: bytes, place: int) -> None:
        self._data, self._place = data, place
        self._slots = place - struct.unpack_from("<i", data, place)[0]

    @classmethod
    def root(cls, data: bytes) -> _Flat:
        """The outermost table."""
        return cls(data, struct.unpack_from("<I", data, 0)[0])

    def _at(self, slot: int) -> int | None:
        (size,) = struct.unpack_from("<H", self._data, self._slots)
        if 4 + 2 * slot + 2 > size:
            return None
        (offset,) = struct.unpack_from("<H", self._data, self._slots + 4 + 2 * slot)
        return self._place + offset if offset else None

    def byte(self, slot: int) -> int:
        """A small number; 0 if it is not there."""
        at = self._at(slot)
        return 0 if at is None else self._data[at]

    def table(self, slot: int) -> _Flat | None:
        """A table inside this one."""
        at = self._at(slot)
        if at is None:
            return None
        return _Flat(self._data, at + struct.unpack_from("<I", self._data, at)[0])

    def structs(self, slot: int, layout: str) -> list[tuple[Any, ...]]:
        """A list of structures."""
        at = self._at(slot)
        if at is None:
            return []
        start = at + struct.unpack_from("<I", self._data, at)[0]
        (count,) = struct.unpack_from("<I", self._data, start)
        end = start + 4 + count * struct.calcsize(layout)
        if end > len(self._data):
            raise ValueError("a list is longer than its message")
        return list(struct.iter_unpack(layout, self._data[start + 4 : end]))
