"""The items of a folder of parts: candidates are counted where the records lie.

A search asks for counts of candidates, length by length. Every part counts its own records; the
counts are whole numbers and add up to the same whatever the parts are.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.data.parts import Part, Parts
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design.design import Design
from ppworkbench.core.engines import Engine
from ppworkbench.core.errors import DesignError, ParameterError
from ppworkbench.core.itemsets.counting import BitCounter, Report
from ppworkbench.core.itemsets.frontier import Candidates, Frontier
from ppworkbench.core.itemsets.item_data import ItemData
from ppworkbench.core.itemsets.items import (
    ItemOptions,
    answer_codes,
    complete_records,
    item_data,
    left_out_words,
    nobody_complete,
)
from ppworkbench.core.itemsets.itemsets import SetList
from ppworkbench.core.itemsets.supports import shown_shares
from ppworkbench.core.progress import Progress, silent


@dataclass(frozen=True, eq=False)
class _Reader:
    parts: Parts
    design: Design
    names: tuple[str, ...] | None
    options: ItemOptions
    reading: ReadOptions
    uncorrected: bool
    chosen: tuple[int, ...] | None = None
    """The places of the items that are looked for; None for all."""

    def items(self, table: Table) -> ItemData:
        data = item_data(table, self._used, self.names, self.options)
        if self.chosen is None:
            return data
        places = list(self.chosen)
        items = tuple(data.items[place] for place in places)
        return dataclasses.replace(
            data, items=items, bits=np.ascontiguousarray(data.bits[places]),
            present=data.present[places], absent=data.absent[places], blocks=data.blocks[places],
            graded=None,
        )  # fmt: skip

    def codes(self, table: Table, name: str) -> NDArray[np.int16]:
        return answer_codes(table, self._used, name, self.options)

    def complete_codes(
        self, table: Table, names: Sequence[str]
    ) -> tuple[list[NDArray[np.int16]], int]:
        """The answers to attributes that can be items, in rows that answer all; how many do."""
        found = []
        for name in names:
            try:
                found.append(self.codes(table, name))
            except DesignError:
                # Who makes the items says why there are none of it.
                continue
        complete = complete_records(found, table.rows)
        if complete is None:
            return found, table.rows
        return [codes[complete] for codes in found], int(complete.sum())

    @property
    def _used(self) -> Design | None:
        return None if self.uncorrected else self.design

    @property
    def schema(self) -> tuple[Attribute, ...]:
        return tuple(self.design[name].distorted for name in self.names or self.design.names)


@dataclass(frozen=True, eq=False)
class _FindValues(_Reader):
    """An example of each different answer in one part, one attribute apart from the others.

    With it comes how many records have an answer to everything.
    """

    def __call__(self, part: Part) -> tuple[tuple[Column, ...], int]:
        found: tuple[Column, ...] = ()
        complete = 0
        for table in self.parts.tables(part.first, part.end, self.schema, self.reading):
            found = self.together(found, table.columns)
            complete += self.complete_codes(table, table.names)[1]
        return found, complete

    def together(self, some: Sequence[Column], more: Sequence[Column]) -> tuple[Column, ...]:
        """One example of each answer that is among either."""
        return tuple(
            self._examples(Column(two.attribute, np.concatenate([one.data, two.data])))
            for one, two in zip(some or (two.take(slice(0)) for two in more), more, strict=True)
        )

    def _examples(self, column: Column) -> Column:
        try:
            codes = self.codes(Table((column,)), column.name)
        except DesignError:
            # No items come of it; who makes the items says why.
            return column.take(slice(0, 1))
        answers, places = np.unique(codes, return_index=True)
        return column.take(places[answers >= 0])


@dataclass(frozen=True, eq=False, kw_only=True)
class _CountSets(_Reader):
    frontier: Frontier
    candidates: Candidates

    def __call__(self, part: Part) -> NDArray[np.int64]:
        found = np.zeros(len(self.candidates), np.int64)
        for table in self.parts.tables(part.first, part.end, self.schema, self.reading):
            data = self.items(table)
            found += BitCounter(data.bits).count(self.frontier, self.candidates, _nobody)
        return found


@dataclass(frozen=True, eq=False, kw_only=True)
class _CountShown(_Reader):
    sets: SetList

    def __call__(self, part: Part) -> NDArray[np.int64]:
        found = np.zeros(len(self.sets), np.int64)
        for table in self.parts.tables(part.first, part.end, self.schema, self.reading):
            data = self.items(table)
            found += np.rint(shown_shares(data, self.sets) * data.rows).astype(np.int64)
        return found


@dataclass(frozen=True, eq=False, kw_only=True)
class _CountAnswers(_Reader):
    columns: tuple[str, ...]
    sets: NDArray[np.int64]
    width: int

    def __call__(self, part: Part) -> NDArray[np.int64]:
        cells = self.width ** self.sets.shape[1]
        found = np.zeros((len(self.sets), cells), np.int64)
        for table in self.parts.tables(part.first, part.end, self.schema, self.reading):
            # A missing answer has the code -1 and the first place.
            codes, _ = self.complete_codes(table, self.columns)
            places = [one.astype(np.int64) + 1 for one in codes]
            for place, members in enumerate(self.sets.tolist()):
                flat = places[members[0]]
                for member in members[1:]:
                    flat = flat * self.width + places[member]
                found[place] += np.bincount(flat, minlength=cells)
        return found


def _nobody(_share: float) -> None:
    """Report to nobody: a worker has no bar."""


@dataclass(frozen=True, eq=False)
class PartCounter:
    reader: _Reader
    engine: Engine
    columns: tuple[str, ...]

    def count(
        self, frontier: Frontier, candidates: Candidates, report: Report
    ) -> NDArray[np.int64]:
        found = np.zeros(len(candidates), np.int64)
        if not len(candidates):
            return found
        work = _CountSets(**_fields(self.reader), frontier=frontier, candidates=candidates)
        return self._summed(work, found, report)

    def count_answers(
        self, sets: NDArray[np.int64], width: int, report: Report
    ) -> NDArray[np.int64]:
        found = np.zeros((len(sets), width ** sets.shape[1]), np.int64)
        work = _CountAnswers(**_fields(self.reader), columns=self.columns, sets=sets, width=width)
        return self._summed(work, found, report)

    def count_shown(self, sets: SetList, report: Report) -> NDArray[np.int64]:
        work = _CountShown(**_fields(self.reader), sets=sets)
        return self._summed(work, np.zeros(len(sets), np.int64), report)

    def only(self, chosen: NDArray[np.intp]) -> PartCounter:
        """The same with no other items than those at these places."""
        before = self.reader.chosen
        places = chosen.tolist() if before is None else [before[place] for place in chosen]
        reader = dataclasses.replace(self.reader, chosen=tuple(places))
        return dataclasses.replace(self, reader=reader)

    def _summed(
        self, work: Callable[[Part], NDArray[np.int64]], found: NDArray[np.int64], report: Report
    ) -> NDArray[np.int64]:
        def progress(done: float, message: str = "") -> None:  # noqa: ARG001
            report(done)

        for one in self.engine.map(work, self.reader.parts.filled, progress):
            found += one
        return found


def _fields(reader: _Reader) -> dict[str, Any]:
    return {one.name: getattr(reader, one.name) for one in dataclasses.fields(_Reader)}


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
    """
    names = None if attributes is None else tuple(attributes)
    options, reading = options or ItemOptions(), reading or ReadOptions()
    reader = _Reader(parts, design, names, options, reading, uncorrected)
    parts.check(reader.schema)
    finder = _FindValues(**_fields(reader))
    met: tuple[Column, ...] = ()
    complete = 0
    for one, answered in engine.map(finder, parts.filled, progress):
        met = finder.together(met, one)
        complete += answered
    if parts.rows and not complete:
        raise nobody_complete(parts.rows)
    # Columns of different answers, each as often as is needed to fill a table; no row is anybody's.
    longest = max(len(column) for column in met)
    filled = [column.take(np.arange(longest) % len(column)) for column in met]
    data = reader.items(Table(tuple(filled)))
    if data.is_distorted and options.transform != "exact":
        raise ParameterError(
            "Parts are mined by the exact transition matrices only; choose the exact transform, or "
            "mine a single file.",
            field="transform",
        )
    graded = data.graded
    if graded is not None:
        graded = dataclasses.replace(graded, codes=graded.codes[:, :0])
    empty = np.zeros((len(data), 0), np.uint64)
    columns = tuple(dict.fromkeys(item.attribute for item in data.items))
    counter = PartCounter(reader, engine, columns)
    notes = data.notes
    if complete < parts.rows:
        notes = (left_out_words(parts.rows - complete, parts.rows), *notes)
    return dataclasses.replace(
        data, rows=complete, bits=empty, graded=graded, counter=counter, notes=notes,
        complete=None, left_out=parts.rows - complete,
    )  # fmt: skip
