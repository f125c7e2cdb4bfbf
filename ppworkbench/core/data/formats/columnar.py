"""Parquet and Feather: Arrow columns with our codebook in the schema's metadata."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from ppworkbench.core.data.codebook import Codebook
from ppworkbench.core.data.formats.arrow_read import arrow_to_raw
from ppworkbench.core.data.formats.arrow_write import CODEBOOK_KEY, table_to_arrow
from ppworkbench.core.data.formats.columnar_promise import (
    check_promise,
    feather_bytes,
    read_parquet_file,
)
from ppworkbench.core.data.formats.format import Format, Written
from ppworkbench.core.data.options import ReadOptions, WriteOptions
from ppworkbench.core.data.raw import RawTable
from ppworkbench.core.data.table import Table
from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress

MOST_CELLS = 2_000_000_000
"""A file that promises more cells is not read at once; a few bytes can promise anything."""


def read_parquet(path: Path, options: ReadOptions, progress: Progress) -> RawTable:  # noqa: ARG001
    """Read a Parquet file."""
    import pyarrow.parquet as pq

    progress(0.0, Message("Reading {file}", file=path.name))
    promised = pq.read_metadata(path)
    _check_size(path, promised.num_rows, promised.num_columns)
    found = read_parquet_file(path, path.name, path, path.stat().st_size)
    progress(0.8, "Sorting out columns")
    return arrow_to_raw(found, path)


def read_feather(path: Path, options: ReadOptions, progress: Progress) -> RawTable:  # noqa: ARG001
    """Read a Feather file (Arrow IPC)."""
    from pyarrow import feather

    progress(0.0, Message("Reading {file}", file=path.name))
    with path.open("rb") as file:
        if file.read(6) == b"ARROW1":
            size = path.stat().st_size
            check_promise(path.name, path, feather_bytes(file, size), size)
    found = feather.read_table(path, memory_map=False)
    progress(0.8, "Sorting out columns")
    return arrow_to_raw(found, path)


def _check_size(path: Path, rows: int, columns: int) -> None:
    if rows * columns > MOST_CELLS:
        raise DataError(
            Message(
                "{file} has {rows} rows of {columns} columns, too many to be read at "
                "once; process it in chunks on the command line.",
                file=path.name,
                rows=rows,
                columns=columns,
            ),
            file=path,
        )


def write_parquet(
    table: Table,
    path: Path,
    options: WriteOptions,
    progress: Progress,
    design: Mapping[str, Any] | None = None,
) -> Written:
    """Write a Parquet file with the codebook in its metadata."""
    import pyarrow.parquet as pq

    progress(0.0, Message("Writing {file}", file=path.name))
    arrow = table_to_arrow(table, design, with_codebook=options.codebook)
    progress(0.3, Message("Writing {file}", file=path.name))
    pq.write_table(arrow, path, compression="zstd")
    return Written()


def write_feather(
    table: Table,
    path: Path,
    options: WriteOptions,
    progress: Progress,
    design: Mapping[str, Any] | None = None,
) -> Written:
    """Write a Feather file with the codebook in its metadata."""
    from pyarrow import feather

    progress(0.0, Message("Writing {file}", file=path.name))
    arrow = table_to_arrow(table, design, with_codebook=options.codebook)
    progress(0.3, Message("Writing {file}", file=path.name))
    feather.write_feather(arrow, str(path), compression="zstd")
    return Written()


def arrow_codebook(path: Path) -> Codebook | None:
    """The codebook inside a Parquet or Feather file, if it has one."""
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
    """Whether a file begins like a Parquet file."""
    return head[:4] == b"PAR1"


def is_feather(head: bytes) -> bool:
    """Whether a file begins like a Feather file, version 1 or 2."""
    return head[:6] == b"ARROW1" or head[:4] == b"FEA1"


PARQUET = Format(
    "parquet",
    "Parquet",
    (".parquet", ".pq"),
    read_parquet,
    write_parquet,
    is_parquet,
    holds_codebook=True,
)
FEATHER = Format(
    "feather",
    "Feather",
    (".feather", ".arrow"),
    read_feather,
    write_feather,
    is_feather,
    holds_codebook=True,
)
