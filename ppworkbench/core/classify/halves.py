"""Attributes cut into two halves, for questions that are answered with yes or no."""

from __future__ import annotations

import numpy as np

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design.noises.base import domain_of

_LOW, _HIGH = "low", "high"


def in_halves(table: Table) -> Table:
    """Every attribute with two values: numbers cut at the middle of their range.

    Values are cut where half of them are counted; attributes of two values, and the class, stay.
    """
    kept = table.class_name
    columns = (c if c.name == kept or c.attribute.k == 2 else _halved(c) for c in table)
    return table.with_(columns=tuple(columns))


def _halved(column: Column) -> Column:
    attribute = column.attribute
    if column.is_categorical:
        limit = attribute.k / 2
        high = column.data >= limit
    else:
        low, upper = domain_of(attribute)
        high = column.data > (low + upper) / 2
    made = Attribute(attribute.name, Kind.BINARY, (_LOW, _HIGH), label=attribute.label)
    return Column(made, np.where(column.missing, -1, high))
