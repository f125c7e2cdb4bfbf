"""Attributes cut into two halves, for questions that are answered with yes or no."""

from __future__ import annotations

import numpy as np

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design.noises.base import domain_of

_LOW, _HIGH = "low", "high"


def in_halves(table: Table, at: str = "mid-range") -> Table:
    """Every attribute with two values, cut at the middle of its range or at its median.

    The values of a categorical attribute are taken in their order; the middle of its range is where
    half of the values are passed, the median where half of the records are. Attributes of two
    values, and the class, stay. Words of the papers ("the median point of the range") fit both.
    """
    kept = table.class_name
    median = at == "median"
    columns = (c if c.name == kept or c.attribute.k == 2 else _halved(c, median) for c in table)
    return table.with_(columns=tuple(columns))


def _halved(column: Column, median: bool) -> Column:
    attribute = column.attribute
    known = column.data[~column.missing]
    if median:
        limit = float(np.median(known)) if len(known) else 0.0
    elif column.is_categorical:
        limit = (attribute.k - 1) / 2
    else:
        low, high = domain_of(attribute)
        limit = (low + high) / 2
    above = column.data > limit
    made = Attribute(attribute.name, Kind.BINARY, (_LOW, _HIGH), label=attribute.label)
    return Column(made, np.where(column.missing, -1, above))
