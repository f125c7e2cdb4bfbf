"""Tables too large for memory, read chunk by chunk under one schema.

Short files are read at once and handed out in slices. Of long ones a first pass summarises the
columns that no schema describes, so that every chunk has the same attributes with all values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.chunk_sources import ChunkSource, open_source
from ppworkbench.core.data.chunk_write import ChunkWriter, open_chunk_writer
from ppworkbench.core.data.files import read_table, sentences
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.data.plans import Plan
from ppworkbench.core.data.raw import RawColumn, RawTable
from ppworkbench.core.data.rebuild import build_restored
from ppworkbench.core.data.sniff import WHOLE_UP_TO
from ppworkbench.core.data.strict import strict_column
from ppworkbench.core.data.table import Column, Table, shorten
from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, part, silent

__all__ = ["ChunkWriter", "open_chunk_writer", "read_chunks"]

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
        absent = [name for name in (a.name for a in schema or ()) if name not in source.names]
        if absent:
            raise DataError(
                Message(
                    "The data have no column {absent}, which the design needs; there are {names}.",
                    absent=shorten([repr(name) for name in absent]),
                    names=shorten(source.names),
                ),
                file=path,
                attribute=absent[0],
            )
        given = {attribute.name for attribute in (*source.schema, *(schema or ()))}
        guessed = tuple(name for name in source.names if name not in given)
        plans = source.settle(guessed, part(progress, 0.0, 0.5)) if guessed else {}
        source.notes += tuple(note for plan in plans.values() for note in plan.notes)
        build = _builder(source, schema or (), plans, options)
        yield from _chunks(source, build, rows, part(progress, 0.5 if guessed else 0.0, 1.0))


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
    source: ChunkSource, build: Callable[[RawTable], Table], rows: int, progress: Progress
) -> Iterator[Table]:
    done = 0
    notes = source.notes
    for raw in source.batches(rows, progress=progress):
        yield _build_later(source, build, raw, done).with_(notes=notes)
        notes = ()
        done += len(raw.columns[0].data)
    if not done:
        yield build(source.empty()).with_(notes=notes)
    progress(1.0, Message("{done} records", done=done))


def _builder(
    source: ChunkSource,
    schema: Sequence[Attribute],
    plans: dict[str, Plan],
    options: ReadOptions,
) -> Callable[[RawTable], Table]:
    """What makes a table of each batch of records."""
    strict = {attribute.name: attribute for attribute in schema}

    def answers(column: RawColumn) -> Column:
        if column.name in plans:
            return plans[column.name].encode(column.data)
        return strict_column(column, strict[column.name], options)

    def build(raw: RawTable) -> Table:
        if raw.schema is not None:
            return build_restored(raw, options, schema or None)
        columns = tuple(answers(column) for column in raw.columns)
        return Table(columns, source.class_name, str(source.path))

    return build


def _build_later(
    source: ChunkSource, build: Callable[[RawTable], Table], raw: RawTable, done: int
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
