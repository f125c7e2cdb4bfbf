"""Tables written chunk by chunk to a CSV or Parquet file that appears when all are there."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa

from ppworkbench.core.data.codebook import (
    Enclosure,
    Stored,
    codebook_sheet,
    sheet_path,
    sidecar_path,
)
from ppworkbench.core.data.delimited.writer import (
    separator_of,
    write_names,
    write_rows,
    written_names,
)
from ppworkbench.core.data.files import replace_files, sentences, write_texts
from ppworkbench.core.data.options import WriteOptions
from ppworkbench.core.data.table import Column, Table, shorten
from ppworkbench.core.errors import DataError
from ppworkbench.core.files import flush, temporaries

_PARQUET = (".parquet", ".pq")
SUFFIXES = (".csv", ".tsv", ".txt", *_PARQUET)
"""How names of files end that can be written in chunks."""

Json = Mapping[str, Any]


class ChunkWriter:
    """Takes tables with the same columns one after the other."""

    def __init__(
        self, path: Path, temporary: Path, options: WriteOptions, enclosure: Enclosure
    ) -> None:
        self._path = path
        self._temporary = temporary
        self._options = options
        self._enclosure = enclosure
        self._sink: _CsvSink | ParquetSink | None = None
        self.first: Table | None = None
        self.rows = 0

    def write(self, table: Table) -> None:
        with sentences(self._path, "written"):
            self._write(table)

    def _write(self, table: Table) -> None:
        if self.first is None or self._sink is None:
            self.first = table.take(slice(0, 0))
            if self._path.suffix.lower() in _PARQUET:
                self._sink = ParquetSink(self._temporary, table, self._options, self._enclosure)
            else:
                self._sink = _CsvSink(self._temporary, table, self._options)
        if table.names != self.first.names:
            odd = sorted({*table.names} ^ {*self.first.names}) or list(table.names)
            raise DataError.saying(
                "The chunks of {file} have different columns: {odd}.",
                odd=shorten(odd),
                file=self._path,
            )
        self._sink.write(table)
        self.rows += table.rows

    def close(self) -> None:
        if self._sink is not None:
            self._sink.close()


@contextmanager
def open_chunk_writer(
    path: str | Path,
    options: WriteOptions = WriteOptions(),  # noqa: B008 (frozen)
    design: Json | None = None,
    remarks: tuple[str, ...] = (),
) -> Iterator[ChunkWriter]:
    """Open a CSV or Parquet file for tables that come one by one.

    The file is written under another name and takes its own when the block ends well; after an
    error nothing of it remains and a former file of the name is as it was. ``design``, as JSON
    values, goes along in the codebook, and so do ``remarks``, sentences for its readers.
    """
    path = Path(path)
    if path.suffix.lower() not in SUFFIXES:
        raise DataError.saying(
            "{file} cannot be written in chunks; choose a name that ends in .csv or .parquet.",
            file=path,
        )
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise DataError.saying("{file} is a folder; choose the name of a file.", file=path)
    with temporaries() as temporary:
        with sentences(path, "written"):
            new = temporary.create(target)
        enclosure = Enclosure(design, remarks)
        writer = ChunkWriter(path, new, options, enclosure)
        try:
            yield writer
            with sentences(path, "written"):
                writer.close()
                if writer.first is None:
                    raise DataError.saying(
                        "{file} was not written: there were no records.", file=path
                    )
                flush(new)
                texts, former = _codebooks(target, writer, options, enclosure)
                moves = {new: target, **write_texts(texts, temporary)}
                replace_files(moves, former, temporary)
        finally:
            # Windows removes no file that is open.
            with suppress(Exception):
                writer.close()


class _CsvSink:
    def __init__(self, path: Path, table: Table, options: WriteOptions) -> None:
        self._options = options
        self._separator = separator_of(path)
        self._file: BinaryIO = path.open("wb")
        write_names(table, self._file, options, self._separator)

    def write(self, table: Table) -> None:
        write_rows(table, self._file, self._options, self._separator)

    def close(self) -> None:
        if not self._file.closed:
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()


class ParquetSink:
    """A Parquet file, open for chunks; its types widen with what comes."""

    def __init__(
        self, path: Path, table: Table, options: WriteOptions, enclosure: Enclosure
    ) -> None:
        import pyarrow.parquet as pq

        self._path = path
        self._options = options
        self._enclosure = enclosure
        self._schema = self._arrow(table).schema
        self._writer: Any = pq.ParquetWriter(path, self._schema, compression="zstd")

    def write(self, table: Table) -> None:
        arrow = self._arrow(table)
        if arrow.schema.types != self._schema.types:
            arrow = self._fit(arrow)
        self._writer.write_table(arrow.replace_schema_metadata(self._schema.metadata))

    def close(self) -> None:
        self._writer.close()

    def _arrow(self, table: Table) -> pa.Table:
        from ppworkbench.core.data.formats.parquet import table_to_arrow

        # A column of missing codes stands in all chunks or in none.
        columns = tuple(_with_reasons(column) for column in table)
        return table_to_arrow(
            table.with_(columns=columns),
            self._enclosure,
            with_codebook=self._options.codebook,
        )

    def _fit(self, arrow: pa.Table) -> pa.Table:
        """The chunk in the types of the file, or the file in those of the chunk."""
        try:
            return arrow.cast(self._schema)
        except pa.ArrowInvalid:
            # Whole numbers so far and decimals now: what is written becomes doubles.
            self._widen()
            return arrow.cast(self._schema)

    def _widen(self) -> None:
        import pyarrow.parquet as pq

        self._writer.close()
        narrow = self._path.with_name(f"{self._path.name}.narrow")
        self._path.replace(narrow)
        fields = [
            field.with_type(pa.float64()) if pa.types.is_integer(field.type) else field
            for field in self._schema
        ]
        self._schema = pa.schema(fields, self._schema.metadata)
        try:
            self._writer = pq.ParquetWriter(self._path, self._schema, compression="zstd")
            with pq.ParquetFile(narrow) as file:
                for batch in file.iter_batches():
                    self._writer.write_table(pa.Table.from_batches([batch]).cast(self._schema))
        finally:
            narrow.unlink(missing_ok=True)


def _with_reasons(column: Column) -> Column:
    if column.attribute.missing_codes and column.why_missing is None:
        return column.with_(why_missing=np.zeros(len(column), np.int16))
    return column if column.attribute.missing_codes else column.with_(why_missing=None)


def _codebooks(
    target: Path, writer: ChunkWriter, options: WriteOptions, enclosure: Enclosure
) -> tuple[dict[Path, str], list[Path]]:
    beside, sheet = sidecar_path(target), sheet_path(target)
    is_csv = target.suffix.lower() not in _PARQUET
    table = writer.first
    assert table is not None  # noqa: S101 (looked at before)
    stored = tuple(map(Stored, written_names(table, options)))
    codebook = enclosure.codebook(table, stored)
    texts = {}
    if is_csv and options.codebook:
        texts[beside] = codebook.to_text()
    if options.readable_codebook:
        texts[sheet] = codebook_sheet(codebook, target.name, writer.rows)
    return texts, [beside, sheet] if is_csv else [sheet]
