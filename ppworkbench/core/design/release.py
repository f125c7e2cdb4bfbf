"""From a file of answers to a distorted file, chunk by chunk.

Without a seed this is a release: randomness of the operating system, shuffled rows, numbers on a
published grid. With a seed it is a repeatable study, and anybody who learns the seed can undo it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ppworkbench.core.data.chunks import can_stream, open_chunk_writer, read_chunks
from ppworkbench.core.data.files import read_table, write_table
from ppworkbench.core.data.options import ReadOptions, WriteOptions
from ppworkbench.core.data.table import Table
from ppworkbench.core.design.design import Design
from ppworkbench.core.design.design_file import design_to_json
from ppworkbench.core.design.distort import Distorter
from ppworkbench.core.design.publishable import publishable
from ppworkbench.core.design.shuffle import shuffled, shuffled_chunks
from ppworkbench.core.params import Annotated, Info, Params, Within
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.rng import SecureStreams, SeededStreams, Streams

UNSAFE_SEED = (
    "The result can be repeated from the seed: seed and design together undo the distortion. "
    "Leave the seed out for a release."
)
_CHUNK_ROWS = 1 << 18
_BUCKET_BYTES = 256 * 2**20
_IN_MEMORY_BYTES = 64 * 2**20
"""Files below this size are read in one piece, which is faster."""


@dataclass(frozen=True)
class ReleaseOptions(Params):
    """How a distorted file is made."""

    seed: Annotated[
        int | None, Within(0), Info("Seed", "Repeatable instead of secure; never for a release")
    ] = None
    shuffle: Annotated[
        bool, Info("Shuffle rows", "Row order can link records to people")
    ] = True
    escape_formulas: Annotated[
        bool, Info("Escape formulas", "Write cells that a spreadsheet would run as harmless text")
    ] = True


@dataclass(frozen=True)
class Release:
    """What was written."""

    rows: int
    design: Design
    secure: bool
    notes: tuple[str, ...]


def release_file(
    source: str | Path,
    design: Design,
    target: str | Path,
    options: ReleaseOptions | None = None,
    read_options: ReadOptions | None = None,
    progress: Progress = silent,
) -> Release:
    """Distort a file into another one; CSV and Parquet of any size within bounded memory.

    The target appears when it is complete; on any error nothing is left behind.
    """
    source, target = Path(source), Path(target)
    options = options or ReleaseOptions()
    secure = options.seed is None
    streams: Streams = SecureStreams() if options.seed is None else SeededStreams(options.seed)
    # A study with a seed is compared with the truth digit by digit; a release must not be.
    design = publishable(design) if secure else design
    work = _Work(source, design, target, options, read_options or ReadOptions(), streams)
    size = source.stat().st_size if source.is_file() else 0
    large = size > _IN_MEMORY_BYTES and can_stream(source) and can_stream(target)
    rows, notes = work.streamed(size, progress) if large else work.at_once(progress)
    if not secure:
        notes = (*notes, UNSAFE_SEED)
    return Release(rows, design, secure, notes)


@dataclass(frozen=True)
class _Work:
    source: Path
    design: Design
    target: Path
    options: ReleaseOptions
    read_options: ReadOptions
    streams: Streams

    @property
    def _write_options(self) -> WriteOptions:
        return WriteOptions(escape_formulas=self.options.escape_formulas)

    def at_once(self, progress: Progress) -> tuple[int, tuple[str, ...]]:
        """Read, distort and write the whole table."""
        schema = self.design.original_schema
        table = read_table(self.source, self.read_options, schema, part(progress, 0, 0.4))
        distorted = Distorter(self.design, self.streams).apply(table, part(progress, 0.4, 0.6))
        if self.options.shuffle:
            distorted = shuffled(distorted, self.streams.stream("shuffle", "rows"))
        write_table(
            distorted,
            self.target,
            self._write_options,
            part(progress, 0.6, 1),
            design=design_to_json(self.design),
        )
        return distorted.rows, distorted.notes

    def streamed(self, size: int, progress: Progress) -> tuple[int, tuple[str, ...]]:
        """Do the same chunk by chunk."""
        notes: list[str] = []
        chunks = self._distorted_chunks(part(progress, 0, 0.7), notes)
        if self.options.shuffle:
            buckets = -(-size // _BUCKET_BYTES)
            chunks = shuffled_chunks(chunks, max(buckets, 2), self.streams.stream("shuffle", "rows"))
        rows = 0
        with open_chunk_writer(
            self.target, self._write_options, design=design_to_json(self.design)
        ) as writer:
            for chunk in chunks:
                writer.write(chunk)
                rows += chunk.rows
                progress(0.7, f"{rows:,} rows written")
        progress(1.0, f"{rows:,} rows written")
        return rows, tuple(notes)

    def _distorted_chunks(self, progress: Progress, notes: list[str]) -> Iterator[Table]:
        distorter = Distorter(self.design, self.streams)
        schema = self.design.original_schema
        for chunk in read_chunks(
            self.source, self.read_options, schema, rows=_CHUNK_ROWS, progress=progress
        ):
            distorted = distorter.apply(chunk)
            notes[:] = distorted.notes
            yield distorted
