"""A sample of the rows of a folder of parts, drawn over all of them, for looking at the data.

The same seed draws the same rows, whoever reads them. Where nothing tells what the columns mean,
their kinds are found out from the sample together with an example of every answer outside of it:
a rare value or an extreme number must not be missing from the attribute that all parts are read by.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.build import build_table
from ppworkbench.core.data.parts import ROWS, Part, Parts, open_part
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.engines import Engine
from ppworkbench.core.errors import DataError
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.rng import SeededStreams

if TYPE_CHECKING:
    import pyarrow as pa

Places = NDArray[np.int64]

_MOST_VALUES = 1_000
"""A column with more different answers than this in a stretch has names or numbers, no values."""


def draw_sample(
    parts: Parts,
    rows: int,
    engine: Engine,
    schema: Sequence[Attribute] | None = None,
    *,
    seed: int = 0,
    progress: Progress = silent,
) -> Table:
    """Draw rows of all parts without replacement, in their order.

    Parameters
    ----------
    rows
        How many; all rows if there are no more.
    schema
        What the columns are; without it the kinds are found out.
    """
    drawn = _draw_places(parts.rows, rows, seed)
    chosen = [
        (one, drawn[(drawn >= one.first) & (drawn < one.end)] - one.first) for one in parts.filled
    ]
    if schema is None:
        return _find_kinds(parts, chosen, engine, progress)
    parts.check(schema)
    work = _TakeTyped(parts, tuple(schema))
    wanted = [one for one in chosen if len(one[1])]
    return _joined(list(engine.map(work, wanted, progress)), parts)


def _draw_places(total: int, rows: int, seed: int) -> Places:
    if rows >= total:
        return np.arange(total, dtype=np.int64)
    generator = SeededStreams(seed).generator("sample", "rows")
    return np.sort(generator.choice(total, size=rows, replace=False, shuffle=False))


def _find_kinds(
    parts: Parts,
    chosen: Sequence[tuple[Part, Places]],
    engine: Engine,
    progress: Progress,
) -> Table:
    import pyarrow as pa

    from ppworkbench.core.data.formats.parquet import arrow_to_raw

    found = list(engine.map(_take_untyped, chosen, part(progress, 0.0, 0.9)))
    examples = pa.concat_tables([one.examples for one in found], promote_options="permissive")
    examples = examples.take(_example_places(examples.combine_chunks()))
    sample = pa.concat_tables([one.sample for one in found], promote_options="permissive")
    rows = sample.num_rows
    whole = pa.concat_tables([sample, examples], promote_options="permissive")
    raw = arrow_to_raw(whole.unify_dictionaries().combine_chunks(), Path(parts.address))
    progress(0.95)
    return build_table(raw).take(slice(0, rows))


@dataclass(frozen=True, eq=False)
class _TakeTyped:
    """What a worker does where the columns are known: the drawn rows of one part."""

    parts: Parts
    schema: tuple[Attribute, ...]

    def __call__(self, wanted: tuple[Part, Places]) -> Table:
        one, places = wanted
        # Only stretches with drawn rows are typed, so that few rows of a large part are quick.
        found, start = list[Table](), one.first
        for table in self.parts.tables(one.first, one.end, self.schema):
            low, high = start - one.first, start - one.first + table.rows
            found.append(table.take(places[(places >= low) & (places < high)] - low))
            start += table.rows
        return _joined(found, self.parts)


@dataclass(frozen=True, eq=False)
class _Untyped:
    sample: pa.Table
    examples: pa.Table


def _take_untyped(wanted: tuple[Part, Places]) -> _Untyped:
    """What a worker does where nothing is known: drawn rows, and examples of all answers."""
    import pyarrow as pa

    one, places = wanted
    sample: list[Any] = []
    examples: list[Any] = []
    start = 0
    with open_part(one.address) as file:
        for batch in file.iter_batches(batch_size=ROWS):
            table = pa.Table.from_batches([batch])
            inside = places[(places >= start) & (places < start + table.num_rows)] - start
            sample.append(table.take(inside))
            examples.append(table.take(_example_places(table)))
            start += table.num_rows
    return _Untyped(
        pa.concat_tables(sample, promote_options="permissive"),
        pa.concat_tables(examples, promote_options="permissive"),
    )


def _example_places(table: pa.Table) -> Places:
    """Rows in which every different answer of every column occurs, and its extreme numbers."""
    import pyarrow as pa

    found = [np.zeros(0, np.int64)]
    for column in table.columns:
        kind = column.type
        if pa.types.is_nested(kind):
            continue
        if pa.types.is_integer(kind) or pa.types.is_floating(kind):
            found.append(_extremes(column))
        if not pa.types.is_floating(kind):
            found.append(_first_places(column))
    return np.unique(np.concatenate(found))


def _extremes(column: pa.ChunkedArray) -> Places:
    numbers = np.asarray(column.cast("float64", safe=False).to_numpy(), np.float64)
    known = np.isfinite(numbers)
    if not known.any():
        return np.zeros(0, np.int64)
    low = int(np.where(known, numbers, np.inf).argmin())
    return np.array([low, int(np.where(known, numbers, -np.inf).argmax())], np.int64)


def _first_places(column: pa.ChunkedArray) -> Places:
    """Where each different answer occurs first; nowhere if there are too many of them."""
    import pyarrow as pa

    coded = column.combine_chunks()
    if isinstance(coded, pa.ChunkedArray):
        coded = coded.chunk(0) if coded.num_chunks else pa.array([], column.type)
    if not pa.types.is_dictionary(coded.type):
        coded = coded.dictionary_encode()
    values = len(coded.dictionary)
    if values > _MOST_VALUES:
        return np.zeros(0, np.int64)
    codes = np.asarray(coded.indices.fill_null(values).to_numpy(zero_copy_only=False), np.int64)
    first = np.full(values + 1, -1, np.int64)
    # Assigned from the end, so that the first occurrence stays.
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    return first[:values][first[:values] >= 0]


def _joined(tables: Sequence[Table], parts: Parts) -> Table:
    if not tables:
        raise DataError("The data have no records; nothing can be estimated.")
    first = tables[0]
    columns = tuple(_joined_column([one[name] for one in tables]) for name in first.names)
    notes = dict.fromkeys(note for one in tables for note in one.notes)
    return Table(columns, first.class_name, parts.address, tuple(notes))


def _joined_column(columns: Sequence[Column]) -> Column:
    why = None
    if any(one.why_missing is not None for one in columns):
        # No array says the same as zeros: no cell held a code.
        why = np.concatenate(
            [
                np.zeros(len(one), np.int16) if one.why_missing is None else one.why_missing
                for one in columns
            ]
        )
    return Column(columns[0].attribute, np.concatenate([one.data for one in columns]), why)
