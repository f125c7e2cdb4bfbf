"""The answers of a folder of parts, counted where they lie.

Every part is reduced to its different records and how often each came, for the questions that are
asked and no others. These counts are whole numbers, so that their sums are the same whatever the
parts are, and so is every estimate that is made of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.build import frame_to_table
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.data.parts import Part, Parts
from ppworkbench.core.data.sampling_roles import Sampling, role_columns
from ppworkbench.core.data.table import Table, list_attributes
from ppworkbench.core.design.design import Design
from ppworkbench.core.engines import Engine
from ppworkbench.core.errors import DataError
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.reconstruct.by_arm import DeviceCounter
from ppworkbench.core.reconstruct.parted import columns_needed, count_parts
from ppworkbench.core.survey.answers import Answers, read_answers

if TYPE_CHECKING:
    import pandas as pd

MOST_RECORDS = 4_000_000
"""More different records than this are no summary of a part any more."""
MOST_ROWS = 20_000_000
"""More rows than this are not put together again."""


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

    def records(self, schema: Sequence[Attribute], names: Sequence[str]) -> pd.DataFrame:
        """Some columns of all rows, for what counts rows one by one.

        Only the different records travel, and how often each came. They are put in an order of
        their own, so that every sum over them is the same whatever the parts are.

        Parameters
        ----------
        schema
            The columns that the design knows, as they are published.
        names
            All columns that are wanted; those beyond the schema are taken as they are stored.
        """
        self.parts.check(schema)
        if self.parts.rows > MOST_ROWS:
            raise DataError.saying(
                "The parts have {rows:,} rows; quantiles, comparisons, correlations, weights, "
                "strata and clusters take up to {most:,}. Ask for a count, mean or distribution "
                "without the sampling, or put fewer parts into a folder.",
                rows=self.parts.rows,
                most=MOST_ROWS,
                file=self.parts.address,
            )
        work = partial(_count_records, self.parts, tuple(schema), tuple(names), self.options)
        found: pd.DataFrame | None = None
        for one in self.engine.map(work, self.parts.filled, self.progress):
            found = one if found is None else _add_counts(found, one)
            if len(found) > MOST_RECORDS:
                raise _too_many(names)
        assert found is not None  # noqa: S101 (some part has rows)
        *columns, times = found.columns
        rows = found.loc[found.index.repeat(found[times]), columns].reset_index(drop=True)
        return rows.set_axis(list(names), axis=1)

    def table(self, schema: Sequence[Attribute], names: Sequence[str]) -> Table:
        """The same as a table; kinds are found out of what no schema tells."""
        return frame_to_table(self.records(schema, names), names, schema)

    def rows(self, design: Design, asked: Sequence[str], sampling: Sampling | None = None) -> Table:
        """What a question about some attributes needs of all rows, with the columns of the roles.

        What the design does not know is left for the analysis to refuse.
        """
        roles = role_columns(sampling)
        needed = design.needed(asked, sampling)
        schema = [design[name].distorted for name in needed if name in design]
        beyond = (one for one in self.parts.names if one in needed or one in roles)
        return self.table(schema, list(dict.fromkeys([*(one.name for one in schema), *beyond])))

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
    found: Answers | None = None
    for table in parts.tables(part.first, part.end, schema, options):
        one = read_answers(table, design, names).merged()
        found = one if found is None else Answers.together([found, one])
        _refuse_many(found)
    assert found is not None  # noqa: S101 (the part has rows)
    return found


def _count_records(
    parts: Parts,
    schema: tuple[Attribute, ...],
    names: tuple[str, ...],
    options: ReadOptions,
    part: Part,
) -> pd.DataFrame:
    """What a worker does: the different records of one part, and how often each came."""
    import pandas as pd

    tables = parts.tables(part.first, part.end, schema, options)
    known = {one.name for one in schema}
    beyond = [name for name in names if name not in known]
    cells = [pd.concat([table.to_frame() for table in tables], ignore_index=True)] if known else []
    cells += [parts.cells(part, beyond)] if beyond else []
    whole = pd.concat(cells, axis=1)[list(names)]
    # A part may happen to have whole numbers alone, which come in a type of their own.
    whole = whole.astype({one: float for one in names if whole[one].dtype == "Int64"})
    # Numbers in place of names: none of these can be the name of the counts.
    columns = list(range(len(names)))
    groups = whole.set_axis(columns, axis=1).groupby(columns, dropna=False, observed=True)
    return groups.size().reset_index(name=len(names))


def _add_counts(first: pd.DataFrame, second: pd.DataFrame) -> pd.DataFrame:
    import pandas as pd

    *columns, times = first.columns
    both = pd.concat([first, second], ignore_index=True)
    found = both.groupby(columns, dropna=False, observed=True)[times].sum()
    return found.reset_index()


def _refuse_many(answers: Answers) -> None:
    if len(answers.rows) > MOST_RECORDS:
        raise _too_many(answers.data)


def _too_many(names: Iterable[str]) -> DataError:
    return DataError.saying(
        "The answers to {listed} have more than {most:,} different combinations, too many to "
        "be counted part by part; leave an attribute out, or release numbers on a coarser "
        "grid.",
        listed=list_attributes(names, quoted=True),
        most=MOST_RECORDS,
    )
