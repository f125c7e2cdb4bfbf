"""The answers of a folder of parts, counted where they lie.

Every part is reduced to its different records and how often each came, for the questions that are
asked and no others. These counts are whole numbers, so that their sums are the same whatever the
parts are, and so is every estimate that is made of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.data.parts import Part, Parts
from ppworkbench.core.data.table import Table, list_attributes
from ppworkbench.core.design.design import Design
from ppworkbench.core.engines import Engine
from ppworkbench.core.errors import DataError
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.reconstruct.by_arm import DeviceCounter
from ppworkbench.core.reconstruct.parted import columns_needed, count_parts
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

    def first_row(self, design: Design, names: Sequence[str]) -> Table:
        """A table of one row, for what is asked of the columns rather than of the answers."""
        return next(self.parts.tables(0, 1, columns_needed(design, names), self.options))

    def count_devices(self, name: str, design: Design) -> DeviceCounter:
        """What was reported of one attribute in all parts, by arm and device."""
        found = count_parts(
            self.parts, design, (name,), self.engine, self.options, progress=self.progress
        )
        return found.counters[name]


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


def _refuse_many(answers: Answers) -> None:
    if len(answers.rows) > MOST_RECORDS:
        raise DataError.saying(
            "The answers to {listed} have more than {most:,} different combinations, too many to "
            "be counted part by part; leave an attribute out, or release numbers on a coarser "
            "grid.",
            listed=list_attributes(answers.data, quoted=True),
            most=MOST_RECORDS,
        )
