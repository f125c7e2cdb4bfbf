"""Tables whose file came with a codebook of ours."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.data.attribute import Attribute, MissingCode
from ppworkbench.core.data.build import build_table
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.data.raw import RawColumn, RawTable
from ppworkbench.core.data.table import Column, Table


def build_restored(
    raw: RawTable, options: ReadOptions, schema: Sequence[Attribute] | None = None
) -> Table:
    """Build the table of a restored file.

    Where the reader says which missing codes the empty cells held, no cell holds a code: a
    distorted age of 99 is an answer, although 99 was a missing code of the original. Such
    columns are therefore built without their codes, which come back afterwards.
    """
    wanted = {attribute.name: attribute for attribute in raw.schema or ()}
    wanted |= {attribute.name: attribute for attribute in schema or ()}
    clean = {column.name: column for column in raw.columns if column.why_missing is not None}
    bare = {name: _bare(wanted[name]) for name in clean if name in wanted}
    table = build_table(
        dataclasses.replace(
            raw,
            columns=tuple(_without_codes(c) if c.name in bare else c for c in raw.columns),
            schema=tuple(bare.get(name, attribute) for name, attribute in wanted.items()),
        ),
        options,
        None if schema is None else [bare.get(a.name, a) for a in schema],
    )
    columns = (
        _with_codes(column, wanted[column.name], clean[column.name])
        if column.name in bare
        else column
        for column in table
    )
    return table.with_(columns=tuple(columns))


def _bare(attribute: Attribute) -> Attribute:
    return attribute.with_(codes=(), missing_codes=(), missing_ranges=())


def _without_codes(column: RawColumn) -> RawColumn:
    return dataclasses.replace(column, missing_codes=(), missing_ranges=(), why_missing=None)


def _with_codes(column: Column, attribute: Attribute, raw: RawColumn) -> Column:
    if not attribute.missing_codes or raw.why_missing is None:
        return column.with_(attribute=attribute)
    places = _translate(raw.why_missing, raw.missing_codes, attribute.missing_codes)
    held = np.where(column.missing, places, 0).astype(np.int16)
    return column.with_(attribute=attribute, why_missing=held if held.any() else None)


def _translate(
    places: NDArray[np.int16], given: tuple[MissingCode, ...], wanted: tuple[MissingCode, ...]
) -> NDArray[np.int16]:
    """Places among other missing codes; a code that is not among them becomes plain missing."""
    order = {missing.code: i + 1 for i, missing in enumerate(wanted)}
    to = np.array([0, *(order.get(missing.code, 0) for missing in given)], np.int16)
    known = (places > 0) & (places < len(to))
    return to[np.where(known, places, 0)]
