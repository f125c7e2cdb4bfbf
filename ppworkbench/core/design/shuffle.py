"""Shuffling the rows of a table that may be larger than memory.

Every row goes to a bucket at random, then every bucket is shuffled on its own and the buckets are
joined: any order is as likely as any other (Rao 1961, Sandelius 1962).
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.errors import DataError
from ppworkbench.core.files import open_private, temporary_folder
from ppworkbench.core.rng import Stream


def shuffled(table: Table, stream: Stream) -> Table:
    return table.take(_order(table.rows, stream))


def shuffled_chunks(
    chunks: Iterable[Table], buckets: int, stream: Stream
) -> Generator[Table, None, None]:
    """The rows of all chunks in random order, never more than a bucket in memory.

    The chunks must have the same attributes, and no codes that tell why a cell is missing.
    """
    try:
        with temporary_folder() as folder:
            paths = [folder / str(bucket) for bucket in range(max(buckets, 1))]
            yield from _through_disk(chunks, paths, stream)
    except OSError as error:
        why = error.strerror or str(error)
        raise DataError.saying(
            "The rows cannot be shuffled on disk: {why}; make room in the folder for "
            "temporary files.",
            why=why,
        ) from None


def _through_disk(chunks: Iterable[Table], paths: list[Path], stream: Stream) -> Iterator[Table]:
    first: Table | None = None
    with ExitStack() as stack:
        files = [stack.enter_context(open_private(path)) for path in paths]
        for chunk in chunks:
            first = first or chunk.take(slice(0, 0))
            bucket_of = np.floor(stream.random(chunk.rows) * len(files)).astype(np.intp)
            for bucket, file in enumerate(files):
                _store(chunk.take(np.flatnonzero(bucket_of == bucket)), file)
    if first is None:
        return
    for path in paths:
        yield shuffled(_fetched(path, first), stream)
        with suppress(OSError):
            path.unlink()


def _order(rows: int, stream: Stream) -> NDArray[np.intp]:
    # 64 random bits a row: two rows draw the same number about never.
    keys = stream.bytes(8 * rows).view(np.uint64)
    return np.argsort(keys, kind="stable")


def _store(table: Table, file: BinaryIO) -> None:
    """Append the bare numbers of a table: only this program reads them, and at once."""
    file.write(table.rows.to_bytes(8, "little"))
    file.writelines(column.data.data for column in table)


def _fetched(path: Path, like: Table) -> Table:
    parts: list[list[NDArray[np.generic]]] = [[column.data] for column in like]
    with path.open("rb") as file:
        while head := file.read(8):
            rows = int.from_bytes(head, "little")
            for part in parts:
                kind, shape = part[0].dtype, part[0].shape[1:]
                read = file.read(rows * kind.itemsize * math.prod(shape))
                part.append(np.frombuffer(read, kind).reshape(rows, *shape))
    columns = (
        Column(column.attribute, np.concatenate(part))
        for column, part in zip(like, parts, strict=True)
    )
    return like.with_(columns=tuple(columns))
