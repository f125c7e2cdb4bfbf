"""Long files as streams of raw columns, and the plans of columns that nobody described."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
import pyarrow as pa

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.build import named_numbers, named_texts, number_format
from ppworkbench.core.data.cells import is_exact, is_number_type, plain_column, to_numbers
from ppworkbench.core.data.guess import Known, guess_numbers, guess_texts
from ppworkbench.core.data.guess_declared import plan_declared
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.data.plans import Plan
from ppworkbench.core.data.raw import RawColumn, RawTable
from ppworkbench.core.data.summary import (
    NumberSummary,
    TextSummary,
    summarise_column,
    summarise_numbers,
    summarise_texts,
)
from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, silent

Summary = TextSummary | NumberSummary


class ChunkSource(Protocol):
    """A long file that can be read again and again from its beginning."""

    path: Path
    names: tuple[str, ...]
    notes: tuple[str, ...]
    schema: tuple[Attribute, ...]
    class_name: str | None

    def batches(
        self, rows: int, only: Sequence[str] = (), progress: Progress = silent
    ) -> Iterator[RawTable]:
        """The records in tables of at most so many rows, all columns or only some."""

    def settle(self, guessed: Sequence[str], progress: Progress) -> dict[str, Plan]:
        """Plans for columns that have to be guessed, from a pass over all records."""

    def empty(self) -> RawTable:
        """The columns without any records."""

    def explain(self, error: DataError) -> DataError:
        """The error, or what it comes from when the file itself is broken."""


def open_source(
    path: Path, options: ReadOptions, schema: Sequence[Attribute], whole_up_to: int
) -> ChunkSource | None:
    """The stream of a long file; None for one that had better be read at once."""
    from ppworkbench.core.data.chunk_csv import CsvSource
    from ppworkbench.core.data.chunk_parquet import ParquetSource
    from ppworkbench.core.data.formats import resolve_format

    if not path.is_file() or path.stat().st_size <= whole_up_to:
        return None
    with path.open("rb") as file:
        chosen, _ = resolve_format(path, file.read(4096), options.format)
    if chosen.name == "csv":
        return CsvSource(path, options, schema)
    if chosen.name == "parquet":
        return ParquetSource(path, options)
    raise DataError(
        Message(
            "{file} is too long to be read at once; convert it to CSV or Parquet, "
            "which are read in chunks.",
            file=path.name,
        ),
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
        """Add a batch of records."""
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
        """How each column is to be read."""
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
        known = Known(name, column.label, column.measure)
        if isinstance(summary, NumberSummary):
            met = tuple(code for code in self._named if code in self._met.get(name, ()))
            return guess_numbers(dataclasses.replace(known, named=met), summary)
        if declared:
            return plan_declared(column, declared, summary.texts.to_pylist(), self._options)
        form = number_format(column, self._options)
        return guess_texts(known, summary, named_texts(self._options), form)


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
