"""Changes inside of sound files: what holds the values stays sound, and the values become others.

Most of these files open, so that what comes after the first check is tried as well.
"""

from __future__ import annotations

import copy
import csv
import io
import json
import zipfile
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from damage import ODD, Mutate, pick, places

from ppworkbench.core.data.formats.parquet import CODEBOOK_KEY

Source = np.random.Generator

WORDS = (
    "", " ", "płeć", " first", "last ", "x" * 300, "=1+1", "-2", "@a", "NA", "1", "1.0", "007",
    "true", "a,b", 'a "b"', "it's", "a\nb", "a\r\nb", "a\tb", "e\u0301", "\u00e9", "\u202eabc",
    "👩‍👩‍👧", "a;b", "a|b", "__index_level_0__", "class", "missing", "value", "\x00", "\ufeffa",
    "\u00a0", "age.missing", "inf", "nan", "-", "None", "null", "a/b", "../x", "<b>x</b>", "{name}",
    "%s", "\\", "#", "N/A", "1,5", "1e5", "2020-01-01", "MOOD", "\u2028", "$a", "\x1b[31m",
)  # fmt: skip
NUMBERS = (
    0, 1, -1, 2, 0.5, 1e-9, 1 - 1e-12, 1e9, 2**53 + 1, -(2**53) - 1, 1e15, 1e100, -1e100, 1e-320,
    -0.0, 1e308, 2**63, 10**30, 0.1 + 0.2, 1 / 3, 3.0, 99, 255, 65_536,
)  # fmt: skip
_NAMING = ("name", "label", "title", "unit", "reason", "class", "cluster", "person", "weight")
_LISTING = ("values", "sensitive", "notes", "stratum", "attributes", "items", "replicates")


# Documents


def edited_json(content: bytes, source: Source) -> bytes:
    """A document with one or two values changed for others that might stand there."""
    document = json.loads(content)
    for _ in range(int(source.integers(1, 3))):
        document = _edited(document, source)
    return _written(document)


def _written(document: Any) -> bytes:
    return json.dumps(document, ensure_ascii=False).encode()


def _edited(document: Any, source: Source) -> Any:
    chance = source.random()
    words = sorted(set(_words(document)))
    if words and chance < 0.3:
        return _renamed(document, pick(words, source), pick((*WORDS, *words), source))
    all_places = list(places(document))
    numbers = [(h, k) for h, k in all_places if _is_number(h[k])]
    if numbers and chance < 0.7:
        holder, key = pick(numbers, source)
        holder[key] = _other_number(holder[key], source)
        return document
    if not all_places:
        return document
    holder, key = pick(all_places, source)
    value = holder[key]
    if chance < 0.75 and isinstance(holder, dict):
        del holder[key]
    elif chance < 0.8 and isinstance(value, list):
        holder[key] = [value[i] for i in source.permutation(len(value))]
    elif chance < 0.85 and isinstance(holder, list):
        holder.insert(key, copy.deepcopy(value))
    elif chance < 0.87:
        holder[key] = copy.deepcopy(pick(ODD, source))
    elif isinstance(value, bool):
        holder[key] = not value
    elif isinstance(value, str):
        alike = [h[k] for h, k in all_places if k == key and isinstance(h[k], str)]
        holder[key] = pick((*alike, *alike, *WORDS), source)
    return document


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _other_number(value: float, source: Source) -> float:
    chance = source.random()
    if chance < 0.3:
        return pick(NUMBERS, source)
    if isinstance(value, int):
        return value + int(source.integers(-2, 3))
    return float(value * source.uniform(0.9, 1.0)) if chance < 0.8 else round(value, 2)


def _words(document: Any, key: object = None) -> Iterator[str]:
    """The words of the survey itself, not those of the format."""
    if isinstance(document, dict):
        for name, value in document.items():
            if key == "attributes":
                yield name
            yield from _words(value, name)
    elif isinstance(document, list):
        for one in document:
            yield from _words(one, "name" if key in _LISTING else key)
    elif isinstance(document, str) and key in _NAMING:
        yield document


def _renamed(document: Any, old: str, new: str, holder: object = None) -> Any:
    """Exchange a word of the survey everywhere; keys may be words of the format that read alike."""
    if isinstance(document, dict):
        return {
            new if holder in ORDERED and name == old else name: _renamed(value, old, new, name)
            for name, value in document.items()
        }
    if isinstance(document, list):
        return [_renamed(one, old, new) for one in document]
    return new if isinstance(document, str) and document == old else document


ORDERED = (
    "attributes", "lists", "anchors", "members", "perturbations", "device", "expected", "own",
    "weights", "text", "goals", "safe_answers",
)  # fmt: skip
"""Objects whose names are those of the survey; their order may be that of people."""


def rewritten_json(content: bytes, source: Source) -> bytes:
    """The same document in other signs: another order of fields, spaces, escapes."""
    indent = pick((None, 0, 1, 4, "\t"), source)
    gaps = pick(((",", ":"), (", ", ": "), (" ,\r\n", " : ")), source)
    document = _shuffled(json.loads(content), source)
    text = json.dumps(
        document, indent=indent, separators=gaps, ensure_ascii=bool(source.random() < 0.5)
    )
    return (pick(("", "\n", "  "), source) + text + pick(("", "\n", "\r\n"), source)).encode()


def _shuffled(value: Any, source: Source, key: object = None) -> Any:
    if isinstance(value, list):
        return [_shuffled(one, source) for one in value]
    if not isinstance(value, dict):
        # 30 and 30.0 are one number.
        whole = _is_number(value) and isinstance(value, float) and value.is_integer()
        return int(value) if whole and abs(value) < 2**53 and source.random() < 0.5 else value
    names = list(value)
    if key not in ORDERED:
        names = [names[i] for i in source.permutation(len(names))]
    return {name: _shuffled(value[name], source, name) for name in names}


# Tables


def edited_parquet(content: bytes, source: Source) -> bytes:
    """Parquet with cells, columns, types or what is said of them changed."""
    table = pq.ParquetFile(io.BytesIO(content)).read()
    for _ in range(int(source.integers(1, 4))):
        table = pick(_EDITS, source)(table, source)
    return _packed(table)


def _packed(table: pa.Table, **options: Any) -> bytes:
    out = io.BytesIO()
    pq.write_table(table, out, **options)
    return out.getvalue()


def _cell(table: pa.Table, source: Source) -> pa.Table:
    place = int(source.integers(0, table.num_columns))
    cells = table.column(place).to_pylist()
    if not cells:
        return table
    row = int(source.integers(0, len(cells)))
    held = next((cell for cell in cells if cell is not None), None)
    others: tuple[Any, ...] = (None, pick(cells, source), pick(cells, source))
    if _is_number(held):
        others += (_other_number(held, source), float("nan"))
    elif isinstance(held, str):
        others += (pick(WORDS, source),)
    cells[row] = pick(others, source)
    return _with_cells(table, place, cells)


def _with_cells(table: pa.Table, place: int, cells: list[Any]) -> pa.Table:
    field = table.field(place)
    kind = field.type
    plain = kind.value_type if pa.types.is_dictionary(kind) else kind
    try:
        array = pa.array(cells, plain)
    except (pa.ArrowInvalid, OverflowError, pa.ArrowTypeError):
        array = pa.array([None if c is None else float(c) for c in cells], pa.float64())
    if pa.types.is_dictionary(kind) and array.type == plain:
        array = array.dictionary_encode()
    changed = pa.field(field.name, array.type, metadata=field.metadata)
    return table.set_column(place, changed, array)


def _rows(table: pa.Table, source: Source) -> pa.Table:
    count = table.num_rows
    if count == 0:
        return table
    chosen = pick(
        (
            source.permutation(count),
            source.integers(0, count, int(source.integers(1, 2 * count))),
            np.zeros(0, np.int64) if source.random() < 0.2 else source.permutation(count)[:1],
        ),
        source,
    )
    return table.take(pa.array(chosen))


def _columns(table: pa.Table, source: Source) -> pa.Table:
    names = table.column_names
    chance = source.random()
    if chance < 0.3:
        return table.select([int(i) for i in source.permutation(len(names))])
    place = int(source.integers(0, len(names)))
    if chance < 0.5 and len(names) > 1:
        return table.remove_column(place)
    if chance < 0.7:
        return table.append_column(pick((*WORDS, *names), source), table.column(place))
    return _called(table, names[place], pick((*WORDS, *names), source))


def _called(table: pa.Table, old: str, new: str) -> pa.Table:
    """The name exchanged everywhere: columns, cells, and what is said of them."""
    metadata = dict(table.schema.metadata or {})
    if CODEBOOK_KEY in metadata:
        metadata[CODEBOOK_KEY] = _written(_renamed(json.loads(metadata[CODEBOOK_KEY]), old, new))
    for place, field in enumerate(table.schema):
        kind = field.type
        plain = kind.value_type if pa.types.is_dictionary(kind) else kind
        marks = {
            key: new.encode() if value == old.encode() else value
            for key, value in (field.metadata or {}).items()
        }
        data = table.column(place)
        if plain == pa.string():
            data = pa.chunked_array([_cells_called(data, old, new)])
        elif pa.types.is_list(kind):
            data = pa.array(_renamed(data.to_pylist(), old, new), kind)
        name = new if field.name == old else field.name
        table = table.set_column(place, pa.field(name, data.type, metadata=marks or None), data)
    return table.replace_schema_metadata(metadata)


def _cells_called(data: pa.ChunkedArray, old: str, new: str) -> pa.Array:
    cells = pa.array(_renamed(data.to_pylist(), old, new), pa.string())
    return cells.dictionary_encode() if pa.types.is_dictionary(data.type) else cells


TYPES = (
    pa.string(), pa.large_string(), pa.int8(), pa.int64(), pa.uint64(), pa.float32(), pa.float64(),
    pa.bool_(), pa.decimal128(20, 4), pa.date32(), pa.timestamp("us"), pa.duration("s"),
    pa.dictionary(pa.int32(), pa.string()), pa.null(), pa.binary(),
)  # fmt: skip


def _types(table: pa.Table, source: Source) -> pa.Table:
    place = int(source.integers(0, table.num_columns))
    field, kind = table.field(place), pick(TYPES, source)
    try:
        cast = table.column(place).cast(kind, safe=False)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return table
    return table.set_column(place, pa.field(field.name, cast.type, metadata=field.metadata), cast)


def _said(table: pa.Table, source: Source) -> pa.Table:
    metadata = dict(table.schema.metadata or {})
    if CODEBOOK_KEY not in metadata or source.random() < 0.2:
        return table.replace_schema_metadata({b"pandas": b"{}"})
    metadata[CODEBOOK_KEY] = edited_json(metadata[CODEBOOK_KEY], source)
    return table.replace_schema_metadata(metadata)


_EDITS: tuple[Callable[[pa.Table, Source], pa.Table], ...] = (
    _cell, _cell, _cell, _rows, _columns, _types, _said
)  # fmt: skip


def rewritten_parquet(content: bytes, source: Source) -> bytes:
    """The same table packed in another way."""
    table = pq.ParquetFile(io.BytesIO(content)).read()
    metadata = table.schema.metadata or {}
    for place, field in enumerate(table.schema):
        kind = field.type
        wide = pa.large_string() if kind == pa.string() else kind
        if pa.types.is_dictionary(kind) and CODEBOOK_KEY in metadata:
            wide = pick((kind, pa.string(), pa.large_string()), source)
        elif kind == pa.int64() and CODEBOOK_KEY in metadata:
            wide = pick((kind, pa.float64(), pa.int32()), source)
        cast = table.column(place).cast(wide)
        table = table.set_column(place, pa.field(field.name, wide, metadata=field.metadata), cast)
    table = table.replace_schema_metadata({b"made by": b"another program", **metadata})
    return _packed(
        table,
        row_group_size=int(source.integers(1, 50)),
        compression=pick(("none", "snappy", "gzip", "zstd"), source),
        use_dictionary=bool(source.random() < 0.5),
        write_statistics=bool(source.random() < 0.5),
        data_page_version=pick(("1.0", "2.0"), source),
        version=pick(("1.0", "2.4", "2.6"), source),
    )


# Studies


def _members(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as whole:
        return {name: whole.read(name) for name in whole.namelist()}


def _zipped(members: dict[str, bytes], deflated: bool = True) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in members.items():
            packing = deflated and name.endswith(".json")
            archive.writestr(name, data, zipfile.ZIP_DEFLATED if packing else zipfile.ZIP_STORED)
    return out.getvalue()


def edited_study(content: bytes, source: Source) -> bytes:
    """A study with values of its documents and tables changed, one part or a word everywhere."""
    members = _members(content)
    if source.random() < 0.3:
        words = sorted(set(_words(json.loads(members["design.json"]))))
        old, new = pick(words, source), pick((*WORDS, *words), source)
        for name, data in members.items():
            if name.endswith(".json"):
                members[name] = _written(_renamed(json.loads(data), old, new))
            else:
                members[name] = _packed(_called(pq.ParquetFile(io.BytesIO(data)).read(), old, new))
        return _zipped(members)
    chosen = pick(sorted(members), source)
    edit = edited_json if chosen.endswith(".json") else edited_parquet
    members[chosen] = edit(members[chosen], source)
    return _zipped(members)


def rewritten_study(content: bytes, source: Source) -> bytes:
    """The same study, packed and written in another way."""
    members = _members(content)
    names = [sorted(members)[i] for i in source.permutation(len(members))]
    changed = {}
    for name in names:
        rewrite: Mutate = rewritten_json if name.endswith(".json") else rewritten_parquet
        changed[name] = rewrite(members[name], source)
    return _zipped(changed, deflated=bool(source.random() < 0.5))


# Delimited text


def edited_cells(content: bytes, source: Source) -> bytes:
    """Delimited text with some cells changed; every row keeps its cells."""
    rows = list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")))
    for _ in range(int(source.integers(1, 4))):
        row = pick(rows[1:] if source.random() < 0.8 else rows[:1], source)
        place = int(source.integers(0, len(row)))
        other = pick(rows[1:], source)[place]
        row[place] = pick(
            (other, other, other, pick(WORDS, source), str(pick(NUMBERS, source))), source
        )
    return _delimited(rows, "\r\n", quoted=False)


def _delimited(rows: list[list[str]], end: str, *, quoted: bool) -> bytes:
    out = io.StringIO(newline="")
    quoting = csv.QUOTE_ALL if quoted else csv.QUOTE_MINIMAL
    csv.writer(out, lineterminator=end, quoting=quoting).writerows(rows)
    return out.getvalue().encode()


def rewritten_cells(content: bytes, source: Source) -> bytes:
    """The same cells with other line ends, quotes and marks of the encoding."""
    rows = list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")))
    data = _delimited(rows, pick(("\n", "\r\n", "\r"), source), quoted=source.random() < 0.5)
    if source.random() < 0.3:
        data = data.rstrip(b"\r\n")
    encoding = pick(("utf-8", "utf-8-sig", "utf-16"), source)
    return data.decode().encode(encoding)
