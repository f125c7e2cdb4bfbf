"""Arrow columns as a reader hands them over, under their codebook if one came along."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ppworkbench.core.data.codebook import Codebook
from ppworkbench.core.data.formats.arrow_write import CODEBOOK_KEY, COMPANION_KEY, missing_words
from ppworkbench.core.data.formats.names import unique_names
from ppworkbench.core.data.raw import RawColumn, RawTable
from ppworkbench.core.data.restore import restore
from ppworkbench.core.data.table import shorten
from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message


def arrow_to_raw(found: pa.Table, path: Path) -> RawTable:
    """The columns of an Arrow table, under its codebook if one came along and fits."""
    # Arrow trusts what it reads; offsets and indices of a damaged file may point anywhere.
    found.validate(full=True)
    notes: tuple[str, ...] = ()
    text = (found.schema.metadata or {}).get(CODEBOOK_KEY)
    if text is not None:
        try:
            return _under_codebook(found, Codebook.from_text(text.decode()), path)
        except (DataError, UnicodeDecodeError) as error:
            notes = (
                Message(
                    "The codebook inside {file} was not used: {error}",
                    file=path.name,
                    error=getattr(error, "message", error),
                ),
            )
    names = unique_names(found.column_names)
    if names != found.column_names:
        notes = (*notes, "Columns of the same name were numbered.")
    left_out = [name for name in names if name.startswith("__index_level_")]
    if left_out:
        notes = (*notes, "The row labels that pandas stored are left out.")
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
    """A column in one of the types that raw tables have."""
    kind = data.type
    if pa.types.is_dictionary(kind):
        words = kind.value_type
        if not (pa.types.is_string(words) or pa.types.is_large_string(words)):
            return dataclasses.replace(_to_raw(name, data.cast(words), path), ordered=kind.ordered)
        data = data.cast(pa.dictionary(pa.int32(), pa.string(), kind.ordered)).unify_dictionaries()
        values = data.chunk(0).dictionary.to_pylist() if data.num_chunks else []
        declared = tuple(dict.fromkeys(value for value in values if value is not None))
        return RawColumn(name, data, values=declared, ordered=kind.ordered)
    if pa.types.is_temporal(kind):
        return RawColumn(name, _iso(data))
    target = _simple_type(kind)
    if target is None:
        raise DataError(
            Message(
                "{file}: column {attribute!r} holds {kind} instead of single answers; "
                "take it out or unfold it before reading.",
                file=path.name,
                attribute=name,
                kind=kind,
            ),
            file=path,
            attribute=name,
        )
    return RawColumn(name, data.cast(target, safe=False))


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
