"""The first scenario: attributes become yes-or-no questions before they are distorted.

In the second scenario, which is the default, an attribute is distorted as a whole and its values
become items afterwards; nothing has to be done for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.classify.binning import EQUAL_FREQUENCY, BinningParams, borders
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design.design import Design, DesignedAttribute
from ppworkbench.core.design.matrices import Binary
from ppworkbench.core.design.perturbation import Identity
from ppworkbench.core.reconstruct.grid import labels_of

ABSENT, PRESENT = "no", "yes"


@dataclass(frozen=True, eq=False)
class Binarisation:
    """How every attribute but the class becomes one question per value or interval.

    ``edges`` are the borders of the intervals of each numeric attribute, None for a categorical
    one.
    """

    attributes: tuple[Attribute, ...]
    edges: tuple[Numbers | None, ...]
    class_attribute: Attribute | None

    @property
    def questions(self) -> tuple[Attribute, ...]:
        """The yes-or-no questions, ``attribute = value``."""
        return tuple(
            Attribute(f"{attribute.name} = {label}", Kind.BINARY, (ABSENT, PRESENT))
            for attribute, edges in zip(self.attributes, self.edges, strict=True)
            for label in labels_of(attribute, edges)
        )

    def apply(self, table: Table) -> Table:
        """The table as answers to the questions; a missing answer is missing in all of them."""
        data: list[NDArray[Any]] = []
        for attribute, edges in zip(self.attributes, self.edges, strict=True):
            column = table[attribute.name]
            codes = column.data
            if edges is not None:
                inner = np.searchsorted(edges, column.data, side="right") - 1
                codes = np.clip(inner, 0, len(edges) - 2)
            cells = range(len(labels_of(attribute, edges)))
            data += [np.where(column.missing, -1, codes == code) for code in cells]
        columns = [Column(q, answers) for q, answers in zip(self.questions, data, strict=True)]
        kept = self.class_attribute
        if kept is not None and kept.name in table:
            columns.append(table[kept.name])
            return Table(tuple(columns), kept.name)
        return Table(tuple(columns))

    def design(self, keep_one: float, keep_zero: float) -> Design:
        """Every question distorted alike, the class left alone."""
        asked = [DesignedAttribute(q, Binary(keep_one, keep_zero)) for q in self.questions]
        if self.class_attribute is None:
            return Design(tuple(asked))
        asked.append(DesignedAttribute(self.class_attribute, Identity()))
        return Design(tuple(asked), self.class_attribute.name)


def binarise(table: Table, bins: int = 5) -> Binarisation:
    """Questions for a table: one per value, numbers divided into equally filled intervals.

    >>> colour = Attribute("colour", Kind.NOMINAL, ("red", "green", "blue"))
    >>> table = Table((Column(colour, np.array([0, 2])),))
    >>> [str(q.name) for q in binarise(table).questions]
    ['colour = red', 'colour = green', 'colour = blue']
    """
    params = BinningParams(bins=bins, binning=EQUAL_FREQUENCY)
    asked = [column for column in table if column.name != table.class_name]
    edges = []
    for column in asked:
        known = column.data[~column.missing]
        edges.append(borders(column.attribute, Identity(), known, params))
    of_class = None if table.class_name is None else table[table.class_name].attribute
    return Binarisation(tuple(c.attribute for c in asked), tuple(edges), of_class)
