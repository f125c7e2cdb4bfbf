"""Shuffling the rows of a table that may be larger than memory.

Every row goes to a bucket at random, then every bucket is shuffled on its own and the buckets are
joined: any order is as likely as any other (Rao 1961, Sandelius 1962).
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.data.chunks import open_chunk_writer, read_chunks
from ppworkbench.core.data.table import Table
from ppworkbench.core.rng import Stream


def shuffled(table: Table, stream: Stream) -> Table:
    """The rows of a table in random order."""
    return table.take(_order(table.rows, stream))


def shuffled_chunks(chunks: Iterable[Table], buckets: int, stream: Stream) -> Iterator[Table]:
    """The rows of all chunks in random order, never more than a bucket in memory."""
    if buckets <= 1:
        for chunk in chunks:
            yield shuffled(chunk, stream)
        return
    with tempfile.TemporaryDirectory(prefix="ppworkbench-") as folder:
        paths = [Path(folder) / f"{bucket}.parquet" for bucket in range(buckets)]
        schema = None
        with ExitStack() as stack:
            writers = [stack.enter_context(open_chunk_writer(path)) for path in paths]
            for chunk in chunks:
                schema = chunk.attributes
                bucket_of = np.floor(stream.random(chunk.rows) * buckets).astype(np.intp)
                for bucket, writer in enumerate(writers):
                    writer.write(chunk.take(np.flatnonzero(bucket_of == bucket)))
        for path in paths:
            parts = list(read_chunks(path, schema=schema))
            if parts:
                yield shuffled(_joined(parts), stream)


def _order(rows: int, stream: Stream) -> NDArray[np.intp]:
    # 64 random bits a row: two rows draw the same number about never.
    keys = stream.bytes(8 * rows).view(np.uint64)
    return np.argsort(keys, kind="stable")


def _joined(parts: list[Table]) -> Table:
    first = parts[0]
    columns = tuple(
        column.with_(data=np.concatenate([part[column.name].data for part in parts]))
        for column in first.columns
    )
    return first.with_(columns=columns)
