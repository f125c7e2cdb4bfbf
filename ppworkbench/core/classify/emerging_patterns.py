"""Emerging patterns: frequent in a class and rarer elsewhere, and the scores made of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.classify.pattern_items import PatternItems
from ppworkbench.core.classify.pattern_mining import Mined

Numbers = NDArray[np.float64]

_ROUNDING = 1e-9


@dataclass(frozen=True)
class EmergingPattern:
    """One pattern of one class, for people.

    ``growth`` is infinite for a jumping pattern, one that the rest does not have.
    """

    items: tuple[str, ...]
    class_name: str
    support: float
    growth: float


@dataclass(frozen=True, eq=False)
class EmergingPatterns:
    """The emerging patterns of every class.

    Parameters
    ----------
    mined
        The patterns by length, with supports.
    growth
        For every level, the growth rate of every pattern (rows) into every class (columns); 0
        where the pattern is no emerging one of that class.
    """

    items: PatternItems
    mined: Mined
    growth: tuple[Numbers, ...]

    @cached_property
    def contributions(self) -> tuple[Numbers, ...]:
        """``growth / (growth + 1) * support`` of every pattern for every class."""
        found = []
        for level, growth in zip(self.mined.levels, self.growth, strict=True):
            jumping = np.isinf(growth)
            finite = np.where(jumping, 1.0, growth)
            share = np.where(jumping, 1.0, finite / (finite + 1.0))
            found.append(np.where(growth > 0, share * np.minimum(level.supports, 1.0), 0.0))
        return tuple(found)

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many emerging patterns each class has."""
        return np.asarray(sum((growth > 0).sum(axis=0) for growth in self.growth), np.int64)

    def scores(self, held: NDArray[np.bool_]) -> Numbers:
        """``sum growth / (growth + 1) * support`` over the patterns that a record has.

        Parameters
        ----------
        held
            Which items every record has.

        References
        ----------
        G. Dong, X. Zhang, L. Wong and J. Li (1999), "CAEP: classification by aggregating emerging
        patterns".
        """
        total = np.zeros((len(held), self.mined.levels[0].supports.shape[1]))
        contained = np.ones((len(held), 1), bool)
        for depth, level in enumerate(self.mined.levels):
            parent = np.zeros(len(level), np.intp) if depth == 0 else level.parent
            contained = contained[:, parent] & held[:, level.last]
            total += contained.astype(np.float64) @ self.contributions[depth]
        return total

    def listed(self, class_names: tuple[str, ...]) -> list[EmergingPattern]:
        """All emerging patterns, short ones first."""
        names = self.items.names
        found = []
        for depth, growth in enumerate(self.growth):
            members = self.mined.members(depth)
            supports = self.mined.levels[depth].supports
            for row, c in zip(*np.nonzero(growth > 0), strict=True):
                words = tuple(names[item] for item in members[row])
                support, rate = float(supports[row, c]), float(growth[row, c])
                found.append(EmergingPattern(words, class_names[c], support, rate))
        return found


def find_emerging(
    items: PatternItems,
    mined: Mined,
    class_counts: NDArray[np.int64],
    *,
    least_growth: float,
    minimum: float,
) -> EmergingPatterns:
    """Keep for every class the frequent patterns that grow enough from the rest into it.

    A pattern that is not frequent in the rest jumps: its growth rate is infinite.

    Parameters
    ----------
    least_growth
        The smallest growth rate; infinite for jumping patterns only.
    minimum
        The smallest support in the rest that counts at all.
    """
    n = class_counts.astype(np.float64)
    rest = np.maximum(n.sum() - n, 1.0)
    growth = []
    for level in mined.levels:
        records = level.supports * n
        elsewhere = (records.sum(axis=1, keepdims=True) - records) / rest
        jumps = (elsewhere < minimum) | (elsewhere <= _ROUNDING)
        rate = np.where(jumps, np.inf, level.supports / np.where(jumps, 1.0, elsewhere))
        kept = level.frequent & (rate >= least_growth - _ROUNDING) & (level.supports > _ROUNDING)
        growth.append(np.where(kept, rate, 0.0))
    return EmergingPatterns(items, mined, tuple(growth))
