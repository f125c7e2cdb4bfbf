"""The open nodes of trees that grow, and what they grow from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Codes, Mask, Numbers
from ppworkbench.core.classify.tree.families import Family

UNKNOWN = -1
"""No value of X was assigned to the record so far."""


@dataclass(frozen=True, eq=False)
class Source:
    """What trees grow from.

    Parameters
    ----------
    families
        The attributes, grouped.
    numbers
        The distorted numbers of each predictor, by which records go into intervals; None where
        chance decides.
    classes
        The class code of every record.
    together
        Whether all classes are reconstructed together.
    remembers
        Whether a record keeps the value that a test assigned to it, because the attribute may be
        tested again further down.
    """

    families: tuple[Family, ...]
    numbers: tuple[Numbers | None, ...]
    classes: Codes
    n_classes: int
    together: bool = False
    remembers: bool = False

    @property
    def m(self) -> int:
        return len(self.numbers)

    @property
    def cells(self) -> int:
        """How many numbers a node takes in all histograms."""
        return sum(f.m * max(f.cells, f.k) for f in self.families) * self.n_classes

    def numbers_of(self, rows: Codes, places: Codes) -> Numbers:
        """The distorted numbers of records, each in its own attribute; 0 where there are none."""
        found = np.zeros(len(rows))
        for place in np.unique(places):
            numbers = self.numbers[place]
            if numbers is not None:
                here = places == place
                found[here] = numbers[rows[here]]
        return found


@dataclass(frozen=True, eq=False)
class Level:
    """The open nodes of one level, with the records in them.

    Parameters
    ----------
    rows, nodes
        The records, and the node of this level that each is in.
    ids
        The numbers of the nodes in the tree.
    free
        ``free[node, j]``: whether predictor j may still be tested.
    assigned
        ``assigned[i, j]``: the value of X that was assigned to record i of this level, or
        :data:`UNKNOWN`; None where nobody remembers.
    """

    rows: Codes
    nodes: Codes
    ids: Codes
    free: Mask
    assigned: NDArray[np.int16] | None = None

    def __len__(self) -> int:
        return len(self.ids)

    def keep(self, wanted: Mask) -> Level:
        new = np.cumsum(wanted) - 1
        inside = wanted[self.nodes]
        return Level(
            self.rows[inside],
            new[self.nodes[inside]],
            self.ids[wanted],
            self.free[wanted],
            None if self.assigned is None else self.assigned[inside],
        )

    def blocks(self, most: int) -> list[Level]:
        """The level cut into parts of at most so many nodes."""
        if len(self) <= most:
            return [self]
        block = np.arange(len(self)) // most
        return [self.keep(block == number) for number in range(int(block[-1]) + 1)]


def joined(levels: Sequence[Level]) -> Level:
    if len(levels) == 1:
        return levels[0]
    offsets = np.cumsum([0, *(len(level) for level in levels[:-1])])
    remembered = [level.assigned for level in levels if level.assigned is not None]
    return Level(
        np.concatenate([level.rows for level in levels]),
        np.concatenate([level.nodes + o for level, o in zip(levels, offsets, strict=True)]),
        np.concatenate([level.ids for level in levels]),
        np.concatenate([level.free for level in levels]),
        np.concatenate(remembered) if remembered else None,
    )
