"""Parquet and Feather: Arrow columns with our codebook in the schema's metadata.

A file of a few hundred bytes can say "this text of a megabyte, a million times", so that what a
file unpacks to is found out before. Nobody who asks people questions has such a file.

Cells hold answers or nothing. Where a file declared several missing codes, a column beside it
(``NAME.missing``) says which one a cell held, so that other programs see it too.
"""

from __future__ import annotations

import dataclasses
import struct
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ppworkbench.core.data import sets
from ppworkbench.core.data.attribute import FROM_DATA, Attribute, Kind
from ppworkbench.core.data.codebook import NOTHING_ENCLOSED, Codebook, Enclosure
from ppworkbench.core.data.delimited.writer import are_whole
from ppworkbench.core.data.formats.format import Format, Written
from ppworkbench.core.data.formats.stored import free_name, unique_names
from ppworkbench.core.data.numerals import code_text
from ppworkbench.core.data.options import ReadOptions, WriteOptions
from ppworkbench.core.data.raw import RawColumn, RawTable
from ppworkbench.core.data.restore import as_dictionary, restore
from ppworkbench.core.data.table import Column, Table, shorten
from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress

MOST_BYTES = 16 << 30
HARMLESS = 256 << 20
HIGHEST_RATIO = 1_000
_NUMBER = 8
_RECORD_BATCH, _DICTIONARY_BATCH = 3, 2


def check_size(name: str, path: Path | None, unpacked: int, packed: int) -> None:
    """Refuse what unpacks to far more than it seems."""
    too_dense = unpacked > HARMLESS and unpacked > HIGHEST_RATIO * packed
    if unpacked > MOST_BYTES or too_dense:
        raise DataError.saying(
            "{name} would unpack from {packed:,} bytes to {unpacked:,} MB and is not "
            "opened; write it again with fewer or shorter answers.",
            name=name,
            packed=packed,
            unpacked=unpacked >> 20,
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
    check_size(name, path, max(stored, cells * _NUMBER), packed)
    with pq.ParquetFile(source, read_dictionary=texts) as file:
        found = file.read()
    for column, kind in zip(found.columns, found.schema.types, strict=True):
        if pa.types.is_dictionary(kind):
            check_size(name, path, dense_bytes(column), packed)
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
        raise ValueError("the footer has an impossible length")
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
        raise ValueError("a message has an impossible length")
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
    def __init__(self, data: bytes, place: int) -> None:
        self._data, self._place = data, place
        self._slots = place - struct.unpack_from("<i", data, place)[0]

    @classmethod
    def root(cls, data: bytes) -> _Flat:
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
        at = self._at(slot)
        if at is None:
            return None
        return _Flat(self._data, at + struct.unpack_from("<I", self._data, at)[0])

    def structs(self, slot: int, layout: str) -> list[tuple[Any, ...]]:
        at = self._at(slot)
        if at is None:
            return []
        start = at + struct.unpack_from("<I", self._data, at)[0]
        (count,) = struct.unpack_from("<I", self._data, start)
        end = start + 4 + count * struct.calcsize(layout)
        if end > len(self._data):
            raise ValueError("a list is longer than its message")
        return list(struct.iter_unpack(layout, self._data[start + 4 : end]))


CODEBOOK_KEY = b"ppworkbench.codebook"
COMPANION_KEY = b"ppworkbench.missing_of"
SET_KEY = b"ppworkbench.set"
"""Marks a column of lists that are sets of values."""


def table_to_arrow(
    table: Table, enclosure: Enclosure = NOTHING_ENCLOSED, *, with_codebook: bool = True
) -> pa.Table:
    fields: list[pa.Field] = []
    arrays: list[pa.ChunkedArray] = []
    taken = set(table.names)
    for column in table:
        arrays.append(_to_arrow(column))
        marked = {SET_KEY: b"1"} if column.is_set else None
        fields.append(pa.field(column.name, arrays[-1].type, metadata=marked))
        if column.why_missing is not None:
            name = free_name(f"{column.name}.missing", taken)
            taken.add(name)
            arrays.append(_companion(column))
            beside = {COMPANION_KEY: column.name.encode()}
            fields.append(pa.field(name, arrays[-1].type, metadata=beside))
    metadata = None
    if with_codebook:
        metadata = {CODEBOOK_KEY: enclosure.codebook(table).to_text().encode()}
    return pa.table(arrays, pa.schema(fields, metadata))


def _to_arrow(column: Column) -> pa.ChunkedArray:
    attribute = column.attribute
    if column.is_set:
        return _lists(column)
    if column.is_categorical:
        ordered = attribute.kind is Kind.ORDINAL
        return as_dictionary(column.data, attribute.values, ordered=ordered)
    numbers = pa.array(column.data, mask=column.missing)
    if are_whole(column):
        numbers = numbers.cast(pa.int64())
    return pa.chunked_array([numbers])


def _lists(column: Column) -> pa.ChunkedArray:
    values, missing = column.attribute.values, column.missing
    places = [np.nonzero(named)[1] for _, named in sets.parts(column.data, len(values))]
    words = pa.array(list(values), pa.string())
    named = words.take(pa.array(np.concatenate(places) if places else np.zeros(0, np.int64)))
    ends = np.cumsum(sets.sizes(column.data, len(values)))
    offsets = pa.array(np.concatenate([[0], ends]).astype(np.int32))
    return pa.chunked_array([pa.ListArray.from_arrays(offsets, named, mask=pa.array(missing))])


def _texts_of_lists(found: pa.Table) -> pa.Table:
    """The table with lists that are sets as the texts that other files have."""
    for place, field in enumerate(found.schema):
        if SET_KEY in (field.metadata or {}) and _has_lists(field.type):
            plain = pa.field(field.name, pa.string())
            found = found.set_column(place, plain, _list_texts(found.column(place)))
    return found


def _has_lists(kind: pa.DataType) -> bool:
    types = pa.types
    if not (types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)):
        return False
    inner = kind.value_type
    inner = inner.value_type if types.is_dictionary(inner) else inner
    return bool(_simple_type(inner) == pa.string())


def _list_texts(data: pa.ChunkedArray) -> pa.ChunkedArray:
    texts = [
        None if one is None else sets.text_of([value or "" for value in one])
        for one in data.to_pylist()
    ]
    return pa.chunked_array([pa.array(texts, pa.string())])


def _companion(column: Column) -> pa.ChunkedArray:
    assert column.why_missing is not None  # noqa: S101 (said by the caller)
    held = np.where(column.missing, column.why_missing, 0).astype(np.int32) - 1
    return as_dictionary(held, missing_words(column.attribute))


def missing_words(attribute: Attribute) -> list[str]:
    """A word for each missing code: the code, and its place when two codes read alike."""
    words: list[str] = []
    for i, missing in enumerate(attribute.missing_codes):
        word = code_text(missing.code)
        words.append(word if word not in words else f"{word} ({i + 1})")
    return words


def arrow_to_raw(found: pa.Table, path: Path) -> RawTable:
    """The columns of an Arrow table, under its codebook if one came along and fits."""
    # Arrow trusts what it reads; offsets and indices of a damaged file may point anywhere.
    found.validate(full=True)
    found = _texts_of_lists(found)
    notes: tuple[str, ...] = ()
    text = (found.schema.metadata or {}).get(CODEBOOK_KEY)
    if text is not None:
        try:
            return _under_codebook(found, Codebook.from_text(text.decode()), path)
        except UnicodeDecodeError:
            why = Message("{file}: the codebook is not UTF-8 text.", file=path.name)
        except DataError as error:
            why = error.message
        notes = (
            Message("The codebook inside {file} was not used: {error}", file=path.name, error=why),
        )
    names = unique_names(found.column_names)
    if names != found.column_names:
        notes = (*notes, "Columns of the same name were numbered.")
    left_out = [name for name in names if name.startswith("__index_level_")]
    if left_out:
        notes = (*notes, "The row labels of pandas were ignored.")
    pairs = [
        (name, data)
        for name, data in zip(names, found.columns, strict=True)
        if name not in left_out
    ]
    columns = tuple(_to_raw(name, data, path) for name, data in pairs)
    dates = [name for name, data in pairs if pa.types.is_temporal(data.type)]
    if dates:
        notes = (
            *notes,
            Message("Dates are kept as text, durations as seconds: {dates}.", dates=shorten(dates)),
        )
    return RawTable(columns, str(path), notes=notes)


def _under_codebook(found: pa.Table, codebook: Codebook, path: Path) -> RawTable:
    by_name = {attribute.name: attribute for attribute in codebook.attributes}
    columns: list[RawColumn] = []
    beside: dict[str, pa.ChunkedArray] = {}
    for i, field in enumerate(found.schema):
        marked = (field.metadata or {}).get(COMPANION_KEY)
        if marked is None:
            columns.append(_to_raw(field.name, found.column(i), path))
        else:
            beside[marked.decode()] = found.column(i)
    raw = restore(RawTable(tuple(columns), str(path)), codebook)
    columns = []
    for column in raw.columns:
        why = np.zeros(found.num_rows, np.int16)
        if column.name in beside:
            words = pa.array(missing_words(by_name[column.name]), pa.string())
            places = pc.index_in(beside[column.name].cast(pa.string()), words)
            why = np.asarray(pc.fill_null(places, -1), np.int16) + np.int16(1)
        columns.append(dataclasses.replace(column, why_missing=why))
    return dataclasses.replace(raw, columns=tuple(columns))


def _to_raw(name: str, data: pa.ChunkedArray, path: Path) -> RawColumn:
    kind = data.type
    if pa.types.is_dictionary(kind):
        words = kind.value_type
        if pa.types.is_nested(words):
            raise _refusal(name, words, path)
        if not (pa.types.is_string(words) or pa.types.is_large_string(words)):
            return dataclasses.replace(_to_raw(name, data.cast(words), path), ordered=kind.ordered)
        data = data.cast(pa.dictionary(pa.int32(), pa.string(), kind.ordered)).unify_dictionaries()
        values = data.chunk(0).dictionary.to_pylist() if data.num_chunks else []
        declared = tuple(dict.fromkeys(value for value in values if value is not None))
        # Most programs make a dictionary of what they meet.
        return RawColumn(name, data, values=declared, values_source=FROM_DATA, ordered=kind.ordered)
    if pa.types.is_temporal(kind):
        return RawColumn(name, _iso(data))
    target = _simple_type(kind)
    if target is None:
        refusal = _refusal(name, kind, path)
        if _has_lists(kind):
            # Other programs save sets without our mark; only a design tells what they are.
            return RawColumn(name, _list_texts(data), refusal=refusal)
        raise refusal
    if pa.types.is_decimal(kind):
        # Arrow divides by a power of ten, which is not always the nearest double.
        data = data.cast(pa.string())
    return RawColumn(name, data.cast(target, safe=False))


def _refusal(name: str, kind: pa.DataType, path: Path) -> DataError:
    return DataError.saying(
        "{file}: column {attribute!r} contains {kind} instead of single answers; "
        "remove or split it before reading.",
        kind=kind,
        file=path,
        attribute=name,
    )


def _simple_type(kind: pa.DataType) -> pa.DataType | None:
    types = pa.types
    if types.is_boolean(kind):
        return kind
    if types.is_integer(kind):
        return pa.float64() if types.is_uint64(kind) else pa.int64()
    if types.is_floating(kind) or types.is_decimal(kind):
        return pa.float64()
    is_text = types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)
    return pa.string() if is_text or types.is_null(kind) else None


def _iso(data: pa.ChunkedArray) -> pa.ChunkedArray:
    kind = data.type
    if pa.types.is_duration(kind):
        ticks = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}[kind.unit]
        return pc.divide(data.cast(pa.int64()).cast(pa.float64(), safe=False), ticks)
    texts = pc.replace_substring_regex(data.cast(pa.string()), r"\.0+(Z?)$", r"\1")
    if not pa.types.is_timestamp(kind):
        return texts
    texts = pc.replace_substring(texts, " ", "T", max_replacements=1)
    days = pc.replace_substring_regex(texts, r"T00:00:00$", "")
    # Midnights only: these are days.
    return texts if pc.any(pc.match_substring(days, "T")).as_py() else days


MOST_CELLS = 2_000_000_000
"""A file that promises more cells is not read at once; a few bytes can promise anything."""


def read_parquet(path: Path, options: ReadOptions, progress: Progress) -> RawTable:  # noqa: ARG001
    import pyarrow.parquet as pq

    progress(0.0, Message("Reading {file}", file=path.name))
    promised = pq.read_metadata(path)
    _check_size(path, promised.num_rows, promised.num_columns)
    found = read_parquet_file(path, path.name, path, path.stat().st_size)
    progress(0.8, "Checking columns")
    return arrow_to_raw(found, path)


def read_feather(path: Path, options: ReadOptions, progress: Progress) -> RawTable:  # noqa: ARG001
    from pyarrow import feather

    progress(0.0, Message("Reading {file}", file=path.name))
    with path.open("rb") as file:
        if file.read(6) == b"ARROW1":
            size = path.stat().st_size
            try:
                unpacked = feather_bytes(file, size)
            except (IndexError, struct.error) as error:
                raise ValueError("a message has an impossible length") from error
            check_size(path.name, path, unpacked, size)
    found = feather.read_table(path, memory_map=False)
    progress(0.8, "Checking columns")
    return arrow_to_raw(found, path)


def _check_size(path: Path, rows: int, columns: int) -> None:
    if rows * columns > MOST_CELLS:
        raise DataError.saying(
            "{file} has {rows} rows of {columns} columns, too many to be read at "
            "once; process it in chunks on the command line.",
            rows=rows,
            columns=columns,
            file=path,
        )


def write_arrow(
    table: Table,
    path: Path,
    options: WriteOptions,
    progress: Progress,
    enclosure: Enclosure,
    *,
    as_feather: bool = False,
) -> Written:
    import pyarrow.parquet as pq
    from pyarrow import feather

    progress(0.0, Message("Writing {file}", file=path.name))
    arrow = table_to_arrow(table, enclosure, with_codebook=options.codebook)
    progress(0.3, Message("Writing {file}", file=path.name))
    if as_feather:
        feather.write_feather(arrow, str(path), compression="zstd")
    else:
        pq.write_table(arrow, path, compression="zstd")
    return Written()


def arrow_codebook(path: Path) -> Codebook | None:
    import pyarrow.parquet as pq

    with path.open("rb") as file:
        head = file.read(8)
    if is_parquet(head):
        metadata = pq.read_schema(path).metadata
    else:
        with pa.memory_map(str(path)) as source, pa.ipc.open_file(source) as reader:
            metadata = reader.schema.metadata
    text = (metadata or {}).get(CODEBOOK_KEY)
    return None if text is None else Codebook.from_text(text.decode())


def is_parquet(head: bytes) -> bool:
    return head[:4] == b"PAR1"


def is_feather(head: bytes) -> bool:
    return head[:6] == b"ARROW1" or head[:4] == b"FEA1"


PARQUET = Format(
    "parquet",
    "Parquet",
    (".parquet", ".pq"),
    read_parquet,
    write_arrow,
    is_parquet,
    holds_codebook=True,
    holds_sets=True,
)
FEATHER = Format(
    "feather",
    "Feather",
    (".feather", ".arrow"),
    read_feather,
    partial(write_arrow, as_feather=True),
    is_feather,
    holds_codebook=True,
    holds_sets=True,
)
