"""Long Parquet files as streams."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.chunk_sources import Scan, rechunk
from ppworkbench.core.data.formats.arrow_read import arrow_to_raw
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.data.plans import Plan
from ppworkbench.core.data.raw import RawColumn, RawTable
from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, silent

_PASS_ROWS = 262_144


class ParquetSource:
    """A Parquet file, read in batches."""

    def __init__(self, path: Path, options: ReadOptions) -> None:
        import pyarrow.parquet as pq

        self.path = path
        self._options = options
        self._as_text: frozenset[str] = frozenset()
        with pq.ParquetFile(path) as file:
            self._rows = file.metadata.num_rows
            self._empty = arrow_to_raw(file.schema_arrow.empty_table(), path)
        self.names = tuple(column.name for column in self._empty.columns)
        self.notes = self._empty.notes
        self.schema: tuple[Attribute, ...] = self._empty.schema or ()
        self.class_name = self._empty.class_name

    def empty(self) -> RawTable:
        """The columns without any records."""
        return self._empty

    def explain(self, error: DataError) -> DataError:
        """The error itself."""
        return error

    def settle(self, guessed: Sequence[str], progress: Progress) -> dict[str, Plan]:
        """Plans for columns that have to be guessed, from a pass over all records."""
        while True:
            scan = Scan(self._options)
            for raw in self.batches(_PASS_ROWS, guessed, progress):
                scan.add(raw)
            if not scan.inexact:
                break
            self._as_text |= scan.inexact
        if not scan.summaries:
            chosen = tuple(c for c in self._empty.columns if c.name in guessed)
            scan.add(dataclasses.replace(self._empty, columns=chosen))
        return scan.plans()

    def batches(
        self, rows: int, only: Sequence[str] = (), progress: Progress = silent
    ) -> Iterator[RawTable]:
        """The records in tables of at most so many rows."""
        import pyarrow.parquet as pq

        done = 0
        with pq.ParquetFile(self.path) as file:
            for table in rechunk(file.iter_batches(batch_size=rows), rows):
                progress(done / max(self._rows, 1), Message("Reading {file}", file=self.path.name))
                raw = arrow_to_raw(table, self.path)
                wanted = [c for c in raw.columns if not only or c.name in only]
                columns = tuple(self._fitting(column) for column in wanted)
                yield dataclasses.replace(raw, columns=columns)
                done += table.num_rows

    def _fitting(self, column: RawColumn) -> RawColumn:
        if column.name not in self._as_text:
            return column
        return dataclasses.replace(column, data=column.data.cast(pa.string()))
