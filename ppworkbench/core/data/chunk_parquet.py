"""Long Parquet files as streams."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.cells import is_exact
from ppworkbench.core.data.chunk_sources import Scan
from ppworkbench.core.data.formats.columnar import arrow_to_raw
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.data.plans import Plan
from ppworkbench.core.data.raw import RawColumn, RawTable
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

    def empty_columns(self) -> tuple[RawColumn, ...]:
        """The columns without any records."""
        return self._empty.columns

    def settle(self, guessed: Sequence[str], progress: Progress) -> dict[str, Plan]:
        """Plans for columns that have to be guessed, from a pass over all records."""
        while True:
            scan = Scan(self._options)
            long: set[str] = set()
            for raw in self.batches(_PASS_ROWS, guessed, progress):
                long |= {column.name for column in raw.columns if not _is_exact(column)}
                if not long:
                    scan.add(raw)
            if not long:
                return scan.plans()
            # A whole number that a double would round makes its whole column text.
            self._as_text |= long

    def batches(
        self, rows: int, only: Sequence[str] = (), progress: Progress = silent
    ) -> Iterator[RawTable]:
        """The records in tables of at most so many rows."""
        import pyarrow.parquet as pq

        done = 0
        with pq.ParquetFile(self.path) as file:
            for batch in file.iter_batches(batch_size=rows):
                progress(done / max(self._rows, 1), f"Reading {self.path.name}")
                raw = arrow_to_raw(pa.Table.from_batches([batch]), self.path)
                wanted = [c for c in raw.columns if not only or c.name in only]
                columns = tuple(self._fitting(column) for column in wanted)
                yield dataclasses.replace(raw, columns=columns)
                done += batch.num_rows

    def _fitting(self, column: RawColumn) -> RawColumn:
        if column.name not in self._as_text:
            return column
        return dataclasses.replace(column, data=column.data.cast(pa.string()))


def _is_exact(column: RawColumn) -> bool:
    return not pa.types.is_integer(column.data.type) or is_exact(column.data)
