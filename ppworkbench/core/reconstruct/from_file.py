"""Reconstruct the attributes of a distorted file, chunk by chunk where it is large."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.data.table import Table
from ppworkbench.core.design.design import Design
from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.reconstruct.channel import CountedChannel
from ppworkbench.core.reconstruct.counting import ColumnCounter
from ppworkbench.core.reconstruct.grid import undistorted
from ppworkbench.core.reconstruct.reconstruct import ReconstructOptions, reconstruct_counts
from ppworkbench.core.reconstruct.reconstruction import Reconstruction


@dataclass(frozen=True)
class ReconstructedFile:
    """The number of records and the reconstructed attributes by name."""

    rows: int
    attributes: Mapping[str, Reconstruction]

    def to_json(self) -> dict[str, Any]:
        """The result in plain lists and numbers."""
        found = {name: result.to_json() for name, result in self.attributes.items()}
        return {"rows": self.rows, "attributes": found}


@dataclass(frozen=True)
class Source:
    """A file and how to read it."""

    path: str | Path
    options: ReadOptions = ReadOptions()  # noqa: RUF009 (frozen)

    def tables(self, schema: Sequence[Attribute], progress: Progress) -> Iterator[Table]:
        """The file as one table, or as many when it is large."""
        from ppworkbench.core.data.chunks import read_chunks

        return read_chunks(self.path, self.options, schema, progress=progress)


def reconstruct_file(
    distorted: Source,
    design: Design,
    names: Sequence[str] | None = None,
    options: ReconstructOptions | None = None,
    *,
    original: Source | None = None,
    seed: int = 0,
    progress: Progress = silent,
) -> ReconstructedFile:
    """Reconstruct attributes of a file that was distorted with a design.

    Parameters
    ----------
    names
        The attributes; all designed ones if not given.
    original
        The file before the distortion, to say how much information is lost.
    """
    options = options or ReconstructOptions()
    chosen = list(dict.fromkeys(design.names if names is None else names))
    counters = {
        name: ColumnCounter(design[name].attribute, design.perturbation(name), options.bins)
        for name in chosen
    }
    schema = [design[name].distorted for name in chosen]
    rows = _count(distorted, schema, counters, part(progress, 0.0, 0.5))
    counted = {name: counter.counted() for name, counter in counters.items()}
    truth = {} if original is None else _truth(original, counted, part(progress, 0.5, 0.7))
    results = {}
    for position, (name, channel) in enumerate(counted.items()):
        share = 0.3 / len(counted)
        results[name] = reconstruct_counts(
            channel,
            options.algorithm,
            stop=options.stop,
            confidence=options.confidence,
            original=truth[name].shares if truth else None,
            sharpness=options.sharpest,
            seed=seed,
            progress=part(progress, 0.7 + position * share, 0.7 + (position + 1) * share),
        )
    progress(1.0, Message("{rows:,} rows", rows=rows))
    return ReconstructedFile(rows, results)


def _count(
    source: Source,
    schema: Sequence[Attribute],
    counters: Mapping[str, ColumnCounter],
    progress: Progress,
) -> int:
    rows = 0
    for table in source.tables(schema, progress):
        for name, counter in counters.items():
            counter.add(table[name])
        rows += table.rows
    return rows


def _truth(
    source: Source, counted: Mapping[str, CountedChannel], progress: Progress
) -> dict[str, CountedChannel]:
    """The original answers in the cells of X."""
    counters = {}
    for name, channel in counted.items():
        grid = undistorted(channel.attribute, channel.x_edges)
        bins = 1 if channel.k == 1 else grid.x_edges
        counters[name] = ColumnCounter(channel.attribute, grid.perturbation, bins)
    schema = [channel.attribute for channel in counted.values()]
    _count(source, schema, counters, progress)
    found = {name: counter.counted() for name, counter in counters.items()}
    for name, channel in found.items():
        if channel.total <= 0:
            raise DataError(
                Message(
                    "Attribute {attribute!r} has no original answers to compare with.",
                    attribute=name,
                ),
                attribute=name,
            )
    return found
