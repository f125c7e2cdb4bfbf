"""Tables too large for memory, read chunk by chunk under one schema.

Short files are read at once and handed out in slices. Of long ones a first pass summarises the
columns that no schema describes, so that every chunk has the same attributes with all values.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
import pyarrow as pa

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.build import build_restored, named_numbers, named_texts, number_format
from ppworkbench.core.data.delimited.dialect import WHOLE_UP_TO
from ppworkbench.core.data.delimited.reader import CsvReader, ReadAgain
from ppworkbench.core.data.files import codebook_of, read_table, sentences
from ppworkbench.core.data.formats.parquet import arrow_to_raw
from ppworkbench.core.data.inference.labelled import plan_declared
from ppworkbench.core.data.inference.numbers import Known, infer_numeric
from ppworkbench.core.data.inference.plans import (
    NumberSummary,
    Plan,
    TextSummary,
    loses_something,
    summarise_column,
    summarise_numbers,
    summarise_texts,
)
from ppworkbench.core.data.inference.text import infer_text
from ppworkbench.core.data.numerals import is_exact, is_number_type, plain_column, to_numbers
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.data.raw import RawColumn, RawTable
from ppworkbench.core.data.restore import parse_declared, refuse_infinity
from ppworkbench.core.data.table import Column, Table, refuse_absent
from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, part, silent

Summary = TextSummary | NumberSummary

LONG = 1 << 26
"""Files of more bytes are not held in memory as a whole where a few columns are enough."""
_CELL = 8
"""Bytes that a cell takes while it is read."""


def open_source(
    path: Path, options: ReadOptions, schema: Sequence[Attribute], whole_up_to: int
) -> _Source | None:
    """The stream of a long file; None for one that had better be read at once."""
    from ppworkbench.core.data.formats import resolve_format

    if not path.is_file() or path.stat().st_size <= whole_up_to:
        return None
    with path.open("rb") as file:
        chosen, notes = resolve_format(path, file.read(4096), options.format)
    if chosen.name == "csv":
        return CsvSource(path, options, schema, notes)
    if chosen.name == "parquet":
        return ParquetSource(path, options, notes)
    raise DataError.saying(
        "{file} is too long to be read at once; convert it to CSV or Parquet, "
        "which are read in chunks.",
        file=path,
    )


class Scan:
    """Adds up what has to be known of the columns of a stream.

    ``inexact`` are columns with whole numbers that a double would round; they have to be read
    again as text.
    """

    def __init__(self, options: ReadOptions) -> None:
        self._options = options
        self._named = named_numbers(options) if options.missing_codes else ()
        self._met: dict[str, set[float]] = {}
        self.inexact: set[str] = set()
        self._columns: dict[str, RawColumn] = {}
        self._declared: dict[str, dict[str, None]] = {}
        self.summaries: dict[str, Summary] = {}

    def add(self, raw: RawTable) -> None:
        for given in raw.columns:
            if pa.types.is_integer(given.data.type) and not is_exact(given.data):
                self.inexact.add(given.name)
                continue
            column = plain_column(given)
            self._columns.setdefault(column.name, column)
            self._declared.setdefault(column.name, {}).update(dict.fromkeys(column.values))
            found = self._summarise(column)
            before = self.summaries.get(column.name)
            self.summaries[column.name] = found if before is None else _sum(before, found)

    def plans(self) -> dict[str, Plan]:
        return {name: self._plan(name) for name in self._columns}

    def _summarise(self, column: RawColumn) -> Summary:
        if not is_number_type(column.data.type):
            return summarise_texts(column.data)
        if not self._named:
            return summarise_column(column.data)
        numbers = to_numbers(column.data)
        met = {code for code in self._named if (numbers == code).any()}
        self._met.setdefault(column.name, set()).update(met)
        return summarise_numbers(np.where(np.isin(numbers, self._named), np.nan, numbers))

    def _plan(self, name: str) -> Plan:
        column, summary = self._columns[name], self.summaries[name]
        declared = tuple(self._declared[name])
        known = Known.of(column)
        if isinstance(summary, NumberSummary):
            met = tuple(code for code in self._named if code in self._met.get(name, ()))
            return infer_numeric(dataclasses.replace(known, named=met), summary)
        if declared:
            return plan_declared(column, declared, summary.texts.to_pylist(), self._options)
        form = number_format(column, self._options)
        return infer_text(known, summary, named_texts(self._options), form)


def rechunk(batches: Iterator[pa.RecordBatch], rows: int) -> Iterator[pa.Table]:
    """Batches of any size as tables of so many rows; the last may be shorter."""
    waiting: list[pa.RecordBatch] = []
    count = 0
    for batch in batches:
        waiting.append(batch)
        count += batch.num_rows
        while count >= rows:
            table = pa.Table.from_batches(waiting)
            yield table.slice(0, rows)
            rest = table.slice(rows)
            waiting, count = rest.to_batches(), rest.num_rows
    if count:
        yield pa.Table.from_batches(waiting)


def _sum(one: Summary, two: Summary) -> Summary:
    if isinstance(one, TextSummary) and isinstance(two, TextSummary):
        return one + two
    if isinstance(one, NumberSummary) and isinstance(two, NumberSummary):
        return one + two
    raise TypeError("a column changed its type within a file")


ROWS = 262_144


def read_chunks(
    path: str | Path,
    options: ReadOptions = ReadOptions(),  # noqa: B008 (frozen)
    schema: Sequence[Attribute] | None = None,
    rows: int = ROWS,
    progress: Progress = silent,
    *,
    whole_up_to: int = WHOLE_UP_TO,
) -> Iterator[Table]:
    """Read a CSV or Parquet file as tables of at most so many records.

    Parameters
    ----------
    schema
        Attributes of a design: columns of these names are typed strictly by them. Other columns
        are typed by the codebook of the file, or guessed in a first pass over it.
    rows
        The most records of a chunk.
    whole_up_to
        Files of at most so many bytes are read at once.

    Yields
    ------
    Table
        With the same attributes every time; the first carries the notes. There is at least one,
        perhaps without records.
    """
    path = Path(path)
    with sentences(path, "read"):
        source = open_source(path, options, schema or (), whole_up_to)
        if source is None:
            yield from _slices(path, options, schema, rows, progress)
            return
        if schema is None:
            for column in source.empty().columns:
                column.check_single()
        refuse_absent(schema or (), source.names, path)
        given = {attribute.name for attribute in (*source.schema, *(schema or ()))}
        guessed = tuple(name for name in source.names if name not in given)
        plans = source.settle(guessed, part(progress, 0.0, 0.5)) if guessed else {}
        notes = (*source.notes, *(note for plan in plans.values() for note in plan.notes))
        build = _builder(source, schema or (), plans, options)
        rest = part(progress, 0.5 if guessed else 0.0, 1.0)
        yield from _chunks(source, build, rows, notes, rest)


def read_columns(
    path: str | Path,
    options: ReadOptions,
    schema: Sequence[Attribute],
    wanted: Callable[[Sequence[str]], Sequence[str]],
    progress: Progress = silent,
    *,
    whole_up_to: int = LONG,
) -> Table:
    """Read a table of which only some columns are of use; of a long file nothing else is kept.

    Parameters
    ----------
    wanted
        Chooses among the names of the columns.
    whole_up_to
        Files of at most so many bytes are read at once, as are formats without chunks.
    """
    path = Path(path)
    if not _is_streamed(path, options, whole_up_to):
        return read_table(path, options, schema, progress)
    kept: dict[str, list[Column]] = {}
    first: Table | None = None
    for chunk in read_chunks(path, options, schema, progress=progress, whole_up_to=0):
        if first is None:
            first = chunk
            # Without any column nobody would know how many rows there are.
            kept = {name: [] for name in wanted(chunk.names) or chunk.names[:1]}
        for name, pieces in kept.items():
            pieces.append(chunk[name])
    assert first is not None  # noqa: S101 (there is at least one chunk)
    columns = []
    for name in list(kept):
        progress(1.0)
        pieces = kept.pop(name)
        columns.append(Column(pieces[0].attribute, np.concatenate([one.data for one in pieces])))
    return Table(tuple(columns), source=first.source, notes=first.notes)


def _is_streamed(path: Path, options: ReadOptions, whole_up_to: int) -> bool:
    from ppworkbench.core.data.formats import resolve_format

    if not path.is_file():
        return False
    size = path.stat().st_size
    with sentences(path, "read"), path.open("rb") as file:
        chosen, _ = resolve_format(path, file.read(4096), options.format)
        if chosen.name == "parquet":
            import pyarrow.parquet as pq

            # Columns of few values take next to no room on disk.
            with pq.ParquetFile(path) as opened:
                cells = opened.metadata.num_rows * opened.metadata.num_columns
            size = max(size, _CELL * cells)
    return chosen.name in ("csv", "parquet") and size > whole_up_to


def _slices(
    path: Path,
    options: ReadOptions,
    schema: Sequence[Attribute] | None,
    rows: int,
    progress: Progress,
) -> Iterator[Table]:
    table = read_table(path, options, schema, progress)
    for start in range(0, max(table.rows, 1), rows):
        piece = table.take(slice(start, start + rows))
        yield piece if start == 0 else piece.with_(notes=())


def _chunks(
    source: _Source,
    build: Callable[[RawTable], Table],
    rows: int,
    notes: tuple[str, ...],
    progress: Progress,
) -> Iterator[Table]:
    done = 0
    for raw in source.batches(rows, progress=progress):
        yield _build_later(source, build, raw, done).with_(notes=notes)
        notes = ()
        done += len(raw.columns[0].data)
    if not done:
        yield build(source.empty()).with_(notes=notes)
    progress(1.0, Message("{done} records", done=done))


def _builder(
    source: _Source,
    schema: Sequence[Attribute],
    plans: dict[str, Plan],
    options: ReadOptions,
) -> Callable[[RawTable], Table]:
    strict = {attribute.name: attribute for attribute in schema}

    def answers(column: RawColumn) -> Column:
        if column.name in plans:
            return plans[column.name].encode(column.data)
        return parse_declared(column, strict[column.name], options)

    def build(raw: RawTable) -> Table:
        if raw.schema is not None:
            return build_restored(raw, options, schema or None)
        columns = tuple(answers(column) for column in raw.columns)
        return Table(columns, source.class_name, str(source.path))

    return build


def _build_later(
    source: _Source, build: Callable[[RawTable], Table], raw: RawTable, done: int
) -> Table:
    """Build a chunk; an error counts the records of the chunks before it."""
    try:
        return build(raw)
    except DataError as error:
        deeper = source.explain(error)
        if deeper is error and error.row is not None and done:
            record = error.row + done
            words = error.message.with_(record=record, row=record)
            deeper = DataError(words, attribute=error.attribute, row=record)
        raise deeper from None


_PASS_ROWS = 262_144


class CsvSource:
    """A delimited file, read in batches; types that turn out wrong are widened to text."""

    def __init__(
        self,
        path: Path,
        options: ReadOptions,
        schema: Sequence[Attribute],
        notes: tuple[str, ...] = (),
    ) -> None:
        self.path = path
        self._options = options
        self._notes = notes
        self._reader = CsvReader(path, options, whole_up_to=0)
        if options.header is None and schema and not self._has_any(schema):
            # A line of names may look like a record; names that are known tell it from one.
            sniffed = self._reader
            with suppress(DataError):
                again = dataclasses.replace(options, header="1")
                self._reader = CsvReader(path, again, whole_up_to=0)
            if not self._has_any(schema):
                self._reader = sniffed
        self._adopt_codebook()
        self.names = self._reader.dialect.names
        declared = {a.name for a in (*self.schema, *schema) if not a.kind.is_numeric}
        # Values are matched as they are written.
        self._reader.read_as_text(declared.intersection(self.names))
        self._checked = False

    @property
    def notes(self) -> tuple[str, ...]:
        return (*self._notes, *self._reader.notes)

    def _has_any(self, schema: Sequence[Attribute]) -> bool:
        return not {a.name for a in schema}.isdisjoint(self._reader.dialect.names)

    def _adopt_codebook(self) -> None:
        """Take attributes and names from the codebook beside the file, if it is its own."""
        self.schema: tuple[Attribute, ...] = ()
        self.class_name: str | None = None
        codebook = codebook_of(self.path)
        if codebook is None:
            return
        stored = tuple(one.name for one in codebook.stored)
        own = tuple(attribute.name for attribute in codebook.attributes)
        if self._reader.dialect.names != (stored or own):
            return
        self._reader.name_columns(own)
        self.schema, self.class_name = codebook.attributes, codebook.class_name

    def empty(self) -> RawTable:
        kinds = self._reader.types.items()
        return self._raw({name: pa.chunked_array([], kind) for name, kind in kinds})

    def _raw(self, columns: Mapping[str, pa.ChunkedArray]) -> RawTable:
        raw = self._reader.to_raw(columns)
        if not self.schema:
            return raw
        return raw.without_codes(schema=self.schema, class_name=self.class_name, notes=())

    def explain(self, error: DataError) -> DataError:
        """The error, or that a quotation mark stays open, which makes strange values."""
        return self._reader.open_quote() or error

    def settle(self, guessed: Sequence[str], progress: Progress) -> dict[str, Plan]:
        """Plans for columns that have to be guessed, from a pass over all records."""
        while True:
            scan = Scan(self._options)
            try:
                # All columns, since fields such as 007 are only counted for all of them.
                for raw in self._batches(_PASS_ROWS, progress):
                    scan.add(raw)
            except ReadAgain:
                continue
            if scan.inexact:
                self._reader.read_as_text(scan.inexact)
                continue
            if not scan.summaries:
                scan.add(self.empty())
            self._check_quotes()
            doubtful = self._doubtful(scan.summaries)
            if not doubtful:
                plans = scan.plans()
                return {name: plans[name] for name in guessed if name in plans}
            self._reader.read_as_text(doubtful)

    def _doubtful(self, summaries: Mapping[str, Summary]) -> list[str]:
        numeric = {name: one for name, one in summaries.items() if isinstance(one, NumberSummary)}
        if self._reader.has_lost_zeros():
            return list(numeric)
        types = self._reader.types
        return [
            name
            for name, one in numeric.items()
            if loses_something(one, is_real=types[name] == pa.float64())
        ]

    def batches(self, rows: int, progress: Progress = silent) -> Iterator[RawTable]:
        done = 0
        while True:
            try:
                for raw in self._batches(rows, progress, done):
                    yield raw
                    done += len(raw.columns[0].data)
                break
            except ReadAgain:
                # What was handed out already is skipped.
                continue
        if not self._checked:
            self._check_quotes()

    def _batches(self, rows: int, progress: Progress, skip: int = 0) -> Iterator[RawTable]:
        for table in rechunk(self._reader.blocks(progress, skip=skip), rows):
            yield self._raw(dict(zip(table.column_names, table.columns, strict=True)))

    def _check_quotes(self) -> None:
        self._reader.check_quotes()
        self._checked = True


class ParquetSource:
    """A Parquet file with the methods of the other one."""

    def __init__(self, path: Path, options: ReadOptions, notes: tuple[str, ...] = ()) -> None:
        import pyarrow.parquet as pq

        self.path = path
        self._options = options
        self._as_text: frozenset[str] = frozenset()
        with pq.ParquetFile(path) as file:
            self._rows = file.metadata.num_rows
            self._empty = arrow_to_raw(file.schema_arrow.empty_table(), path)
        self.names = tuple(column.name for column in self._empty.columns)
        self.notes = (*notes, *self._empty.notes)
        self.schema: tuple[Attribute, ...] = self._empty.schema or ()
        self.class_name = self._empty.class_name

    def empty(self) -> RawTable:
        return self._empty

    def explain(self, error: DataError) -> DataError:
        return error

    def settle(self, guessed: Sequence[str], progress: Progress) -> dict[str, Plan]:
        while True:
            scan, before = Scan(self._options), 0
            for raw in self._batches(_PASS_ROWS, progress, guessed):
                for column in raw.columns:
                    if pa.types.is_floating(column.data.type):
                        refuse_infinity(column.name, to_numbers(column.data), before)
                before += len(raw.columns[0].data)
                scan.add(raw)
            if not scan.inexact:
                break
            self._as_text |= scan.inexact
        if not scan.summaries:
            chosen = tuple(c for c in self._empty.columns if c.name in guessed)
            scan.add(dataclasses.replace(self._empty, columns=chosen))
        return scan.plans()

    def batches(self, rows: int, progress: Progress = silent) -> Iterator[RawTable]:
        return self._batches(rows, progress, self.names)

    def _batches(self, rows: int, progress: Progress, only: Sequence[str]) -> Iterator[RawTable]:
        import pyarrow.parquet as pq

        done = 0
        with pq.ParquetFile(self.path) as file:
            for table in rechunk(file.iter_batches(batch_size=rows), rows):
                progress(done / max(self._rows, 1), Message("Reading {file}", file=self.path.name))
                raw = arrow_to_raw(table, self.path)
                wanted = [c for c in raw.columns if c.name in only]
                columns = tuple(self._fitting(column) for column in wanted)
                yield dataclasses.replace(raw, columns=columns)
                done += table.num_rows

    def _fitting(self, column: RawColumn) -> RawColumn:
        if column.name not in self._as_text:
            return column
        return dataclasses.replace(column, data=column.data.cast(pa.string()))


_Source = CsvSource | ParquetSource
"""A long file that can be read again and again from its beginning."""
