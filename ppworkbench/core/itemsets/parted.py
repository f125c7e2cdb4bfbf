"""The items of a folder of parts: candidates are counted where the records lie.

A search asks for counts of candidates, length by length. Every part counts its own records; the
counts are whole numbers and add up to the same whatever the parts are.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.data.parts import Part, Parts
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design.design import Design
from ppworkbench.core.engines import Engine
from ppworkbench.core.errors import DesignError
from ppworkbench.core.itemsets.counting import BitCounter, Report
from ppworkbench.core.itemsets.frontier import Candidates, Frontier
from ppworkbench.core.itemsets.item_data import ItemData
from ppworkbench.core.itemsets.items import ItemOptions, item_data
from ppworkbench.core.progress import Progress, silent


@dataclass(frozen=True, eq=False)
class _Reader:
    """How a worker reads a part."""

    parts: Parts
    design: Design
    names: tuple[str, ...] | None
    options: ItemOptions
    reading: ReadOptions
    uncorrected: bool

    def items(self, table: Table) -> ItemData:
        """The items of some rows."""
        design = None if self.uncorrected else self.design
        return item_data(table, design, self.names, self.options)

    @property
    def schema(self) -> tuple[Attribute, ...]:
        """The columns that are read."""
        return tuple(self.design[name].distorted for name in self.names or self.design.names)


@dataclass(frozen=True, eq=False)
class _FindValues(_Reader):
    """The different answers to each attribute in one part, one attribute apart from the others."""

    def __call__(self, part: Part) -> tuple[Column, ...]:
        found: tuple[Column, ...] = ()
        for table in self.parts.tables(part.first, part.end, self.schema, self.reading):
            found = _different(found, table.columns)
        return found


def _different(some: Sequence[Column], more: Sequence[Column]) -> tuple[Column, ...]:
    pairs = zip(some, more, strict=True) if some else ((one, one) for one in more)
    return tuple(
        Column(one.attribute, np.unique(np.concatenate([one.data, two.data]), axis=0))
        for one, two in pairs
    )


@dataclass(frozen=True, eq=False)
class _CountSets(_Reader):
    """How many records of one part show each candidate."""

    frontier: Frontier
    candidates: Candidates

    def __call__(self, part: Part) -> NDArray[np.int64]:
        found = np.zeros(len(self.candidates), np.int64)
        for table in self.parts.tables(part.first, part.end, self.schema, self.reading):
            data = self.items(table)
            found += BitCounter(data.bits).count(self.frontier, self.candidates, _nobody)
        return found


def _nobody(_share: float) -> None:
    """Report to nobody: a worker has no bar."""


@dataclass(frozen=True, eq=False)
class PartCounter:
    """Counts candidates in all parts."""

    reader: _Reader
    engine: Engine

    def count(
        self, frontier: Frontier, candidates: Candidates, report: Report
    ) -> NDArray[np.int64]:
        """The number of records that show each candidate."""
        found = np.zeros(len(candidates), np.int64)
        if not len(candidates):
            return found
        given = {f.name: getattr(self.reader, f.name) for f in dataclasses.fields(_Reader)}
        work = _CountSets(**given, frontier=frontier, candidates=candidates)

        def progress(done: float, message: str = "") -> None:  # noqa: ARG001
            report(done)

        for one in self.engine.map(work, self.reader.parts.filled, progress):
            found += one
        return found


def parted_items(  # noqa: PLR0913 (keywords with defaults)
    parts: Parts,
    design: Design,
    engine: Engine,
    attributes: Sequence[str] | None = None,
    options: ItemOptions | None = None,
    *,
    reading: ReadOptions | None = None,
    uncorrected: bool = False,
    progress: Progress = silent,
) -> ItemData:
    """The items of a folder of parts; see :func:`ppworkbench.core.itemsets.items.item_data`.

    Answers are taken for true ones where they are to be counted ``uncorrected``.
    Two weights per item must be enough: an answer that weighs by more than whether it is the value
    itself has to be looked at record by record.
    """
    names = None if attributes is None else tuple(attributes)
    options, reading = options or ItemOptions(), reading or ReadOptions()
    reader = _Reader(parts, design, names, options, reading, uncorrected)
    parts.check(reader.schema)
    given = {f.name: getattr(reader, f.name) for f in dataclasses.fields(_Reader)}
    met: tuple[Column, ...] = ()
    for one in engine.map(_FindValues(**given), parts.filled, progress):
        met = _different(met, one)
    # Columns of different answers, each as often as is needed to fill a table; no row is anybody's.
    longest = max(len(column) for column in met)
    filled = [column.take(np.arange(longest) % len(column)) for column in met]
    data = reader.items(Table(tuple(filled)))
    if data.graded is not None or (data.is_distorted and options.transform != "exact"):
        raise DesignError(
            "Some answers are missing, or weigh by more than whether they are the value, and are "
            "not counted part by part; mine a single file, or choose other attributes."
        )
    empty = np.zeros((len(data), 0), np.uint64)
    return dataclasses.replace(
        data, rows=parts.rows, bits=empty, counter=PartCounter(reader, engine)
    )
