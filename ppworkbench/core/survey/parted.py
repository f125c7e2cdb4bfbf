"""The answers of a folder of parts, counted where they lie.

Every part is reduced to its different records and how often each came, for the questions that are
asked and no others. These counts are whole numbers, so that their sums are the same whatever the
parts are, and so is every estimate that is made of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.data.parts import Part, Parts
from ppworkbench.core.data.table import list_attributes
from ppworkbench.core.design.design import Design
from ppworkbench.core.engines import Engine
from ppworkbench.core.errors import DataError
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.reconstruct.by_arm import DeviceCounter
from ppworkbench.core.survey.answers import Answers, read_answers

MOST_RECORDS = 4_000_000
"""More different records than this are no summary of a part any more."""


@dataclass(frozen=True, eq=False)
class PartedAnswers:
    """Distorted answers in a folder of parts, and the engine that counts them."""

    parts: Parts
    engine: Engine
    options: ReadOptions = ReadOptions()  # noqa: RUF009 (frozen)
    progress: Progress = silent

    def merged_answers(self, design: Design, names: tuple[str, ...]) -> Answers:
        """The complete answers to some attributes of all parts, equal ones merged."""
        schema = columns_needed(design, names)
        self.parts.check(schema)
        work = partial(_merge_part, self.parts, design, names, schema, self.options)
        found: Answers | None = None
        for one in self.engine.map(work, self.parts.filled, self.progress):
            found = one if found is None else Answers.together([found, one])
            _refuse_many(found)
        assert found is not None  # noqa: S101 (some part has rows)
        return found

    def count_devices(self, name: str, design: Design) -> DeviceCounter:
        """What was reported of one attribute in all parts, by arm and device."""
        return count_parts(self.parts, design, (name,), self.engine, self.options).counters[name]


@dataclass(frozen=True, eq=False)
class PartCounts:
    """What some attributes have in the rows of one or more parts.

    ``arm_rows`` are the numbers of rows of every arm.
    """

    counters: dict[str, DeviceCounter]
    rows: int
    arm_rows: np.ndarray[tuple[int], np.dtype[np.int64]]

    def merge(self, other: PartCounts) -> PartCounts:
        """The counts of both."""
        for name, counter in self.counters.items():
            counter.merge(other.counters[name])
        return PartCounts(self.counters, self.rows + other.rows, self.arm_rows + other.arm_rows)


def count_parts(  # noqa: PLR0913 (keywords with defaults)
    parts: Parts,
    design: Design,
    names: Sequence[str],
    engine: Engine,
    options: ReadOptions = ReadOptions(),  # noqa: B008 (frozen)
    *,
    bins: int | None = None,
    arms: tuple[str, ...] = (),
    progress: Progress = silent,
) -> PartCounts:
    """Count attributes of all parts by arm and device; with ``arms`` only rows of these."""
    used = design.of_arms(arms) if arms else design
    schema = columns_needed(design, tuple(design.needed(used.needed(names))))
    parts.check(schema)
    work = _PartCounter(parts, design, tuple(names), schema, options, bins, arms)
    found: PartCounts | None = None
    for one in engine.map(work, parts.filled, progress):
        found = one if found is None else found.merge(one)
    assert found is not None  # noqa: S101 (some part has rows)
    if used.arms is not None:
        used.arms.refuse_empty(found.arm_rows)
    return found


def columns_needed(design: Design, names: Sequence[str]) -> tuple[Attribute, ...]:
    """The columns that the answers to some attributes take, as they are published."""
    needed = dict.fromkeys(design.needed(names))
    if design.arms is not None:
        needed.setdefault(design.arms.column)
    return tuple(design[name].distorted for name in needed)


def _merge_part(
    parts: Parts,
    design: Design,
    names: tuple[str, ...],
    schema: tuple[Attribute, ...],
    options: ReadOptions,
    part: Part,
) -> Answers:
    """What a worker does: the different records of one part."""
    found: Answers | None = None
    for table in parts.tables(part.first, part.end, schema, options):
        one = read_answers(table, design, names).merged()
        found = one if found is None else Answers.together([found, one])
        _refuse_many(found)
    assert found is not None  # noqa: S101 (the part has rows)
    return found


@dataclass(frozen=True, eq=False)
class _PartCounter:
    """What a worker does: the counts of one part."""

    parts: Parts
    design: Design
    names: tuple[str, ...]
    schema: tuple[Attribute, ...]
    options: ReadOptions
    bins: int | None
    arms: tuple[str, ...]

    def __call__(self, part: Part) -> PartCounts:
        design = self.design
        used = design.of_arms(self.arms) if self.arms else design
        counters = {name: DeviceCounter(name, used, self.bins) for name in self.names}
        rows, met = 0, np.zeros(0 if used.arms is None else len(used.arms.members), np.int64)
        for table in self.parts.tables(part.first, part.end, self.schema, self.options):
            if self.arms and design.arms is not None:
                table = design.arms.take(table, self.arms)  # noqa: PLW2901
            codes = None if used.arms is None else used.arms.read(table)
            if codes is not None:
                met += np.bincount(codes[codes >= 0], minlength=len(met))[: len(met)]
            for counter in counters.values():
                counter.add(table, codes)
            rows += table.rows
        return PartCounts(counters, rows, met)


def _refuse_many(answers: Answers) -> None:
    if len(answers.rows) > MOST_RECORDS:
        raise DataError.saying(
            "The answers to {listed} have more than {most:,} different combinations, too many to "
            "be counted part by part; leave an attribute out, or release numbers on a coarser "
            "grid.",
            listed=list_attributes(answers.data, quoted=True),
            most=MOST_RECORDS,
        )
