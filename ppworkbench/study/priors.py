"""Priors of columns, worked out once per column however often a design changes."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.table import Column
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.privacy.prior import Prior

_known: WeakKeyDictionary[Column, dict[Attribute, Prior | None]] = WeakKeyDictionary()


def prior_of_column(column: Column, attribute: Attribute) -> Prior | None:
    """The distribution of a column in the terms of the design; None where it has no answers."""
    remembered = _known.setdefault(column, {})
    if attribute not in remembered:
        try:
            remembered[attribute] = Prior.from_column(column, attribute)
        except WorkbenchError:
            remembered[attribute] = None
    return remembered[attribute]
