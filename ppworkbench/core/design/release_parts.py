"""From a folder of true answers to a folder of distorted ones, part by part.

With a seed the rows of all parts draw from the streams of a single file, one after the other. How
far a row moves a stream depends on what it draws, and the generator cannot skip, so that parts are
distorted in their order: a worker gets the streams where the part before has left them. Without a
seed every part is drawn from secure randomness, all at the same time, and shuffled within itself.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from copy import deepcopy
from dataclasses import dataclass

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.chunk_writer import ParquetSink
from ppworkbench.core.data.codebook import Enclosure
from ppworkbench.core.data.options import ReadOptions, WriteOptions
from ppworkbench.core.data.parts import NewParts, Part, Parts
from ppworkbench.core.data.table import Table, list_attributes
from ppworkbench.core.design.design import Design
from ppworkbench.core.design.design_file import design_to_json, publishable
from ppworkbench.core.design.distort import Distorter
from ppworkbench.core.design.release import (
    Release,
    ReleaseOptions,
    naming_notes,
    release_notes,
)
from ppworkbench.core.design.shuffle import shuffled_chunks
from ppworkbench.core.engines import Engine
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.rng import SecureStreams, SeededStreams

_BUCKET_CELLS = 1 << 25
"""Cells of a part that are shuffled in memory at once."""
SHUFFLED_INSIDE = Message(
    "Rows were shuffled within their parts only; which part a person is in stays visible."
)


def release_parts(
    source: Parts,
    design: Design,
    target: str,
    engine: Engine,
    options: ReleaseOptions | None = None,
    read_options: ReadOptions | None = None,
    progress: Progress = silent,
) -> Release:
    """Distort every part of a folder into a part of the same name in another folder.

    All parts appear together when the last one is finished; on any error nothing is left behind.
    """
    options = options or ReleaseOptions()
    is_secure = options.seed is None
    if options.shuffle and not is_secure:
        raise ParameterError(
            "Rows of parts keep their order with a seed; leave out the shuffling or the seed.",
            field="shuffle",
        )
    design = publishable(design) if is_secure else design
    schema = _answered(source, design)
    source.check(schema)
    new = NewParts.begin(target)
    try:
        work = _PartRelease(source, design, new, options, read_options or ReadOptions(), schema)
        notes: dict[str, None] = {}
        rows = 0
        for one in work.run(engine, progress):
            rows += one.rows
            notes |= dict.fromkeys(one.notes)
        new.finish([part.name for part in source.filled])
    finally:
        new.clear()
    left_out = [name for name in source.names if name not in design]
    if left_out:
        # Workers read the columns of the design only and know of no others.
        notes[
            Message("Excluded, not in the design: {left_out}.", left_out=list_attributes(left_out))
        ] = None
    if options.shuffle:
        notes[SHUFFLED_INSIDE] = None
    return Release(rows, design, is_secure, release_notes(design, tuple(notes), options))


def _answered(source: Parts, design: Design) -> tuple[Attribute, ...]:
    """The columns that are read; of arms and counts of lists only those that the parts have."""
    if design.arms is None:
        return design.original_schema
    made = {design.arms.column, *(one.count for one in design.lists)}.difference(source.names)
    behind = (one.attribute for one in design.lists if one.name in source.names)
    return (*(one for one in design.original_schema if one.name not in made), *behind)


@dataclass(frozen=True)
class _Distorted:
    rows: int
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class _PartRelease:
    """What workers do: distort one part."""

    source: Parts
    design: Design
    new: NewParts
    options: ReleaseOptions
    read_options: ReadOptions
    schema: tuple[Attribute, ...]

    def run(self, engine: Engine, progress: Progress) -> Iterator[_Distorted]:
        """Distort all parts that have rows."""
        if self.options.seed is None:
            return engine.map(self.draw_securely, self.source.filled, progress)
        first = Distorter(self.design, SeededStreams(self.options.seed))
        return engine.chain(self.draw_next, first, self.source.filled, progress)

    def draw_securely(self, part: Part) -> _Distorted:
        """Distort a part whatever is drawn for others."""
        return self._distort(part, Distorter(self.design, SecureStreams()))

    def draw_next(self, before: Distorter, part: Part) -> tuple[_Distorted, Distorter]:
        """Distort a part with the streams of those before it."""
        # A part that is begun again, because a worker was lost, must find the streams untouched.
        distorter = deepcopy(before)
        return self._distort(part, distorter), distorter

    def _distort(self, part: Part, distorter: Distorter) -> _Distorted:
        notes: dict[str, None] = {}
        tables = self._tables(part, distorter, notes)
        if self.options.shuffle:
            buckets = -(-part.rows * len(self.schema) // _BUCKET_CELLS)
            tables = shuffled_chunks(tables, buckets, SecureStreams().stream("shuffle", "rows"))
        enclosure = Enclosure(design_to_json(self.design), naming_notes(self.design))
        rows, sink = 0, None
        with self.new.part(part.name) as path:
            try:
                for table in tables:
                    sink = sink or ParquetSink(path, table, WriteOptions(), enclosure)
                    sink.write(table)
                    rows += table.rows
            finally:
                tables.close()
                if sink is not None:
                    sink.close()
        return _Distorted(rows, tuple(notes))

    def _tables(
        self, part: Part, distorter: Distorter, notes: dict[str, None]
    ) -> Generator[Table, None, None]:
        for table in self.source.tables(part.first, part.end, self.schema, self.read_options):
            found = distorter.apply(table)
            notes |= dict.fromkeys(found.notes)
            yield found
