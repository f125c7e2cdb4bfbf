"""Delimited text: CSV, TSV and their relatives."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from ppworkbench.core.data.cells import is_number_type
from ppworkbench.core.data.csv_doubts import has_lost_zeros
from ppworkbench.core.data.csv_parse import (
    TEXT,
    Layout,
    NotNumbers,
    NotUtf8,
    bad_utf8,
    check_quotes,
    parse,
)
from ppworkbench.core.data.csv_sample import (
    guess_types,
    number_format_of,
    parse_sample,
    whole_charset,
)
from ppworkbench.core.data.csv_source import ByteWatch
from ppworkbench.core.data.csv_write import write_csv
from ppworkbench.core.data.numerals import NumberFormat, ParsedColumn, TextColumn
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.data.raw import RawColumn, RawTable
from ppworkbench.core.data.sniff import (
    WHOLE_UP_TO,
    Dialect,
    Sample,
    sniff,
    spoken,
    take_sample,
)
from ppworkbench.core.progress import Progress, part, silent

__all__ = ["read_csv", "write_csv"]

_MOST_SURPRISES = 3


def read_csv(
    path: Path,
    options: ReadOptions = ReadOptions(),  # noqa: B008 (frozen)
    progress: Progress = silent,
    *,
    whole_up_to: int = WHOLE_UP_TO,
) -> RawTable:
    """Read a delimited text file.

    Up to ``whole_up_to`` bytes every cell is kept as text, for the guessing to look at. Columns
    of longer files that by a sample hold plain numbers are parsed as numbers straight away; any
    of them in which that would lose something is read again as text, some only when they are
    looked at more closely.
    """
    path = Path(path)
    sample = take_sample(path, whole_up_to)
    dialect = sniff(path, options, sample)
    while True:
        try:
            if sample.is_whole:
                return _read_small(path, dialect, options, progress)
            return _read_large(path, dialect, options, progress, sample)
        except NotUtf8:
            if options.encoding is not None or dialect.charset.name != "utf-8":
                raise bad_utf8(path, dialect.charset) from None
            dialect = sniff(path, options, sample, whole_charset(path))


def _read_small(path: Path, dialect: Dialect, options: ReadOptions, progress: Progress) -> RawTable:
    watch = ByteWatch(dialect.delimiter, dialect.quote)
    layout = Layout(path, dialect, dict.fromkeys(dialect.names, TEXT), newlines=True)
    table, layout = parse(layout, progress, watch)
    check_quotes(layout, watch, progress)
    form = number_format_of(table, dialect, options)
    return raw_table(path, dialect, dict(zip(table.column_names, table.columns, strict=True)), form)


def _read_large(
    path: Path, dialect: Dialect, options: ReadOptions, progress: Progress, sample: Sample
) -> RawTable:
    cells = parse_sample(path, dialect, sample)
    form = number_format_of(cells, dialect, options)
    types = guess_types(cells, form)
    watch = ByteWatch(dialect.delimiter, dialect.quote)
    layout = Layout(path, dialect, types, form.decimal, newlines=len(dialect.names) == 1)
    surprises = 0
    while True:
        try:
            table, layout = parse(layout, part(progress, 0.0, 0.8), watch)
            break
        except NotNumbers as fault:
            surprises += 1
            # After a few surprises the other columns are not trusted either.
            types = {**types, fault.column: TEXT}
            types = types if surprises < _MOST_SURPRISES else dict.fromkeys(types, TEXT)
            layout = dataclasses.replace(layout, types=types)
    check_quotes(layout, watch, progress)
    columns = dict(zip(table.column_names, table.columns, strict=True))
    if has_lost_zeros(columns, dialect, watch):
        numeric = [name for name, data in columns.items() if is_number_type(data.type)]
        columns |= _as_texts(layout, numeric, part(progress, 0.8, 1.0))
    raw = raw_table(path, dialect, columns, form)

    def texts_of(name: str) -> TextColumn:
        return TextColumn(name, _as_texts(layout, [name])[name], numbers=form)

    parsed = (
        column
        if isinstance(column, TextColumn)
        else ParsedColumn(column.name, column.data, read_again=partial(texts_of, column.name))
        for column in raw.columns
    )
    return dataclasses.replace(raw, columns=tuple(parsed))


def _as_texts(
    layout: Layout, names: Sequence[str], progress: Progress = silent
) -> dict[str, pa.ChunkedArray]:
    """Read some columns again, now as text."""
    types = {**layout.types, **dict.fromkeys(names, TEXT)}
    table, _ = parse(dataclasses.replace(layout, types=types, only=tuple(names)), progress)
    return dict(zip(table.column_names, table.columns, strict=True))


def _unpadded(data: pa.ChunkedArray, quote: str) -> pa.ChunkedArray:
    """Texts without the blank after the separator; numbers have lost it already."""
    if is_number_type(data.type):
        return data
    texts = pc.utf8_ltrim(data.cast(pa.string()), " ")
    # Behind a blank the parser takes quotation marks for letters.
    texts = pc.replace_substring_regex(texts, f"^{quote}(.*){quote}$", r"\1")
    return texts.dictionary_encode().cast(TEXT).unify_dictionaries()


def raw_table(
    path: Path, dialect: Dialect, columns: Mapping[str, pa.ChunkedArray], form: NumberFormat
) -> RawTable:
    """Columns as a reader hands them over; texts know the number format of the file."""
    raw: list[RawColumn] = []
    for name in dialect.names:
        if name not in columns:
            continue
        data = columns[name]
        data = _unpadded(data, dialect.quote) if dialect.is_padded else data
        is_number = is_number_type(data.type)
        raw.append(RawColumn(name, data) if is_number else TextColumn(name, data, numbers=form))
    notes = dialect.notes
    if form.decimal == ",":
        notes = (spoken(dialect.charset, dialect.separator, decimal_comma=True), *notes[1:])
    return RawTable(tuple(raw), source=str(path), notes=notes)
