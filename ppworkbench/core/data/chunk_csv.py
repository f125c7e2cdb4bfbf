"""Long delimited files as streams."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.chunk_sources import Scan, rechunk
from ppworkbench.core.data.csv_doubts import doubtful_summaries
from ppworkbench.core.data.csv_faults import find_fault
from ppworkbench.core.data.csv_parse import (
    TEXT,
    Layout,
    NotNumbers,
    NotUtf8,
    after_fault,
    bad_utf8,
    check_quotes,
)
from ppworkbench.core.data.csv_sample import (
    guess_types,
    number_format_of,
    parse_sample,
    whole_charset,
)
from ppworkbench.core.data.csv_source import ByteWatch, Utf8Source
from ppworkbench.core.data.files import codebook_of
from ppworkbench.core.data.formats.csv_format import raw_table
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.data.plans import Plan
from ppworkbench.core.data.raw import RawTable
from ppworkbench.core.data.sniff import Dialect, sniff, take_sample
from ppworkbench.core.errors import DataError
from ppworkbench.core.progress import Progress, silent

_PASS_ROWS = 262_144


class CsvSource:
    """A delimited file, read in batches; types that turn out wrong are widened to text."""

    def __init__(self, path: Path, options: ReadOptions, schema: Sequence[Attribute]) -> None:
        self.path = path
        self._options = options
        sample = take_sample(path, 0)
        self._dialect = sniff(path, options, sample)
        cells = parse_sample(path, self._dialect, sample)
        self._form = number_format_of(cells, self._dialect, options)
        self._types = guess_types(cells, self._form)
        self._adopt_codebook()
        self.names = self._dialect.names
        for attribute in (*self.schema, *schema):
            if attribute.name in self._types and attribute.kind.is_categorical:
                # Values are matched as they are written.
                self._types[attribute.name] = TEXT
        self.notes = self._dialect.notes
        self._checked = False

    def _adopt_codebook(self) -> None:
        """Take attributes and names from the codebook beside the file, if it is its own."""
        self.schema: tuple[Attribute, ...] = ()
        self.class_name: str | None = None
        codebook = codebook_of(self.path)
        if codebook is None:
            return
        stored = tuple(one.name for one in codebook.stored)
        own = tuple(attribute.name for attribute in codebook.attributes)
        if self._dialect.names != (stored or own):
            return
        self._types = dict(zip(own, self._types.values(), strict=True))
        self._dialect = dataclasses.replace(self._dialect, names=own)
        self.schema, self.class_name = codebook.attributes, codebook.class_name

    def empty(self) -> RawTable:
        """The columns without any records."""
        columns = {name: pa.chunked_array([], kind) for name, kind in self._types.items()}
        return self._raw(columns)

    def _raw(self, columns: dict[str, pa.ChunkedArray]) -> RawTable:
        raw = raw_table(self.path, self._dialect, columns, self._form)
        if not self.schema:
            return raw
        # No cell holds a missing code in a file of ours, which these zeros say.
        sure = tuple(
            dataclasses.replace(column, why_missing=np.zeros(len(column.data), np.int16))
            for column in raw.columns
        )
        return dataclasses.replace(
            raw, columns=sure, schema=self.schema, class_name=self.class_name, notes=()
        )

    def explain(self, error: DataError) -> DataError:
        """The error, or that a quotation mark stays open, which makes strange values."""
        fault = find_fault(self.path, self._dialect)
        return fault if fault is not None and "never closed" in fault.message else error

    def settle(self, guessed: Sequence[str], progress: Progress) -> dict[str, Plan]:
        """Plans for columns that have to be guessed, from a pass over all records."""
        while True:
            scan = Scan(self._options)
            watch = ByteWatch(self._dialect.delimiter, self._dialect.quote)
            try:
                # All columns, since fields such as 007 are only counted for all of them.
                for raw in self._stream(_PASS_ROWS, (), progress, watch, resume=False):
                    scan.add(raw)
            except NotNumbers as fault:
                self._types[fault.column] = TEXT
                continue
            if scan.inexact:
                self._types |= dict.fromkeys(scan.inexact, TEXT)
                continue
            if not scan.summaries:
                scan.add(self.empty())
            self._check_quotes(watch)
            doubtful = doubtful_summaries(scan.summaries, self._types, self._dialect, watch)
            if not doubtful:
                plans = scan.plans()
                return {name: plans[name] for name in guessed if name in plans}
            self._types |= dict.fromkeys(doubtful, TEXT)

    def batches(
        self, rows: int, only: Sequence[str] = (), progress: Progress = silent
    ) -> Iterator[RawTable]:
        """The records in tables of at most so many rows."""
        watch = ByteWatch(self._dialect.delimiter, self._dialect.quote)
        yield from self._stream(rows, only, progress, watch, resume=True)
        if not self._checked:
            self._check_quotes(watch)

    def _check_quotes(self, watch: ByteWatch) -> None:
        check_quotes(Layout(self.path, self._dialect, self._types), watch)
        self._checked = True

    def _stream(
        self,
        rows: int,
        only: Sequence[str],
        progress: Progress,
        watch: ByteWatch,
        *,
        resume: bool,
    ) -> Iterator[RawTable]:
        """Batches; after a surprise the file is read again and what was handed out is skipped."""
        done = 0
        layout = self._layout(only)
        while True:
            try:
                for table in rechunk(self._parsed(layout, progress, watch, done), rows):
                    columns = dict(zip(table.column_names, table.columns, strict=True))
                    yield self._raw(columns)
                    done += table.num_rows
                return
            except pa.ArrowInvalid as error:
                layout = self._after(layout, str(error), resume=resume)
                watch.reset()

    def _after(self, layout: Layout, message: str, *, resume: bool) -> Layout:
        try:
            return after_fault(layout, message)
        except NotNumbers as fault:
            if not resume:
                raise
            self._types[fault.column] = TEXT
            return dataclasses.replace(layout, types=dict(self._types))
        except NotUtf8:
            if self._options.encoding is not None or self._dialect.charset.name != "utf-8":
                raise bad_utf8(self.path, self._dialect.charset) from None
            self._adopt_charset()
            return dataclasses.replace(layout, dialect=self._dialect)

    def _adopt_charset(self) -> None:
        sample = take_sample(self.path, 0)
        found = sniff(self.path, self._options, sample, whole_charset(self.path))
        self._dialect = dataclasses.replace(self._dialect, charset=found.charset)
        self.notes = (found.notes[0], *self.notes[1:])

    def _layout(self, only: Sequence[str]) -> Layout:
        types = dict(self._types)
        return Layout(
            self.path, self._dialect, types, self._form.decimal, newlines=True, only=tuple(only)
        )

    def _parsed(
        self, layout: Layout, progress: Progress, watch: ByteWatch, skip: int
    ) -> Iterator[pa.RecordBatch]:
        from pyarrow import csv

        dialect: Dialect = layout.dialect
        with Utf8Source(self.path, dialect.charset, progress, watch) as source:
            reader = csv.open_csv(source, **layout.options())
            for batch in reader:
                if skip >= batch.num_rows:
                    skip -= batch.num_rows
                    continue
                yield batch.slice(skip) if skip else batch
                skip = 0
