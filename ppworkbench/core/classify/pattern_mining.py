"""Frequent patterns of all classes at once, from the weights of records for items.

A pattern is frequent in a class if its estimated share there reaches the minimum. Patterns grow
item by item, in the order of the items; a pattern can only be frequent in a class in which its
beginning and all its pairs are. All extensions of many patterns are one matrix product.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.classify.classifier import Codes
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, silent

Numbers = NDArray[np.float64]

MOST_PATTERNS = 100_000
_CELLS = 4_000_000


@dataclass(frozen=True, eq=False)
class PatternLevel:
    """All patterns of one length.

    Parameters
    ----------
    parent
        The place of the pattern without its last item in the level before.
    last
        The last item.
    supports
        The estimated share of each class's records (columns), as it came out.
    frequent
        In which classes the pattern is frequent.
    """

    parent: Codes
    last: Codes
    supports: Numbers
    frequent: NDArray[np.bool_]

    def __len__(self) -> int:
        """How many patterns there are."""
        return len(self.last)


@dataclass(frozen=True, eq=False)
class Mined:
    """Patterns by their length, beginning with single items."""

    levels: tuple[PatternLevel, ...]

    @property
    def count(self) -> int:
        """How many patterns there are."""
        return sum(len(level) for level in self.levels)

    def members(self, level: int) -> Codes:
        """The items of every pattern of a level, one row per pattern."""
        found = self.levels[level]
        if level == 0:
            return found.last[:, None]
        return np.concatenate([self.members(level - 1)[found.parent], found.last[:, None]], axis=1)


def mine_classes(
    weights: Numbers,
    attribute: Codes,
    classes: Codes,
    class_counts: NDArray[np.int64],
    *,
    minimum: float,
    longest: int,
    progress: Progress = silent,
) -> Mined:
    """Mine the patterns that are frequent in at least one class.

    Parameters
    ----------
    weights
        The weight of every record (rows) for every item (columns).
    attribute
        The attribute of every item; two items of one never stand together.
    classes, class_counts
        The class of every record, and how many records each class has.
    minimum
        The smallest support of a frequent pattern.
    longest
        The largest number of items in a pattern.
    """
    order = np.argsort(classes, kind="stable")
    sorted_weights = np.ascontiguousarray(weights[order])
    ends = np.cumsum(class_counts)
    parts = [slice(int(e - n), int(e)) for e, n in zip(ends, class_counts, strict=True) if n]
    occurring = np.flatnonzero(class_counts)
    supports = np.zeros((weights.shape[1], len(class_counts)))
    for c, rows in zip(occurring, parts, strict=True):
        supports[:, c] = sorted_weights[rows].mean(axis=0)
    kept = np.flatnonzero((supports >= minimum).any(axis=1))
    first = PatternLevel(
        np.zeros(len(kept), np.intp), kept, supports[kept], supports[kept] >= minimum
    )
    levels = [first]
    grower = _Grower(sorted_weights, parts, occurring, attribute, kept, minimum)
    while len(levels) < longest and len(levels[-1]):
        progress(
            (len(levels) - 1) / longest, Message("patterns of {count} items", count=len(levels) + 1)
        )
        grown = grower.grow(levels)
        if not len(grown):
            break
        levels.append(grown)
        if sum(len(level) for level in levels) > MOST_PATTERNS:
            raise ParameterError(
                Message(
                    "There are more than {most_patterns} frequent patterns; raise the "
                    "minimum support or allow fewer items in a pattern.",
                    most_patterns=MOST_PATTERNS,
                ),
                field="min_support",
            )
    return Mined(tuple(levels))


class _Grower:
    """Extends the patterns of the last level by every later item."""

    def __init__(
        self,
        weights: Numbers,
        parts: list[slice],
        occurring: Codes,
        attribute: Codes,
        kept: Codes,
        minimum: float,
    ) -> None:
        self.weights = np.ascontiguousarray(weights[:, kept])
        self.parts, self.occurring, self.minimum = parts, occurring, minimum
        self.kept, self.attribute = kept, attribute[kept]
        self.place = np.full(len(attribute), -1, np.intp)
        self.place[kept] = np.arange(len(kept))
        self.pairs: NDArray[np.bool_] | None = None

    def grow(self, levels: list[PatternLevel]) -> PatternLevel:
        before = levels[-1]
        members = self.place[Mined(tuple(levels)).members(len(levels) - 1)]
        size = max(1, _CELLS // max(len(self.weights), 1))
        grown = [
            self._extend(before, members, np.arange(start, min(start + size, len(before))))
            for start in range(0, len(before), size)
        ]
        level = PatternLevel(
            *(np.concatenate([getattr(g, f) for g in grown]) for f in ("parent", "last")),
            *(np.concatenate([getattr(g, f) for g in grown]) for f in ("supports", "frequent")),
        )
        if len(levels) == 1:
            self._remember_pairs(level)
        return level

    def _extend(self, before: PatternLevel, members: Codes, chosen: Codes) -> PatternLevel:
        items = members[chosen]
        products = self.weights[:, items[:, 0]]
        for column in items.T[1:]:
            products = products * self.weights[:, column]
        classes = before.supports.shape[1]
        supports = np.zeros((len(chosen), len(self.kept), classes))
        for c, rows in zip(self.occurring, self.parts, strict=True):
            count = rows.stop - rows.start
            supports[:, :, c] = products[rows].T @ self.weights[rows] / count
        allowed = np.arange(len(self.kept))[None, :] > items[:, -1:]
        allowed &= (self.attribute[None, :, None] != self.attribute[items][:, None, :]).all(axis=2)
        frequent = (supports >= self.minimum) & allowed[:, :, None]
        frequent &= before.frequent[chosen][:, None, :]
        if self.pairs is not None:
            for column in items.T:
                frequent &= self.pairs[column]
        parent, last = np.nonzero(frequent.any(axis=2))
        return PatternLevel(
            chosen[parent], self.kept[last], supports[parent, last], frequent[parent, last]
        )

    def _remember_pairs(self, level: PatternLevel) -> None:
        size = len(self.kept)
        self.pairs = np.zeros((size, size, level.frequent.shape[1]), bool)
        self.pairs[level.parent, self.place[level.last]] = level.frequent
