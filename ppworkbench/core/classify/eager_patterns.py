"""ePPCwEP: emerging patterns mined once, scores added up (CAEP where nothing is distorted).

Frequent patterns of all classes are mined at once, from the weights of records for items. A
pattern is frequent in a class if its estimated share there reaches the minimum. Patterns grow
item by item, in the order of the items; a pattern can only be frequent in a class in which its
beginning and all its pairs are. All extensions of many patterns are one matrix product.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Codes, Numbers
from ppworkbench.core.classify.binning import EQUAL_FREQUENCY, BinningParams, Bins, Division
from ppworkbench.core.classify.classifier import CellClassifier, classifiers, from_shares
from ppworkbench.core.classify.pattern_items import (
    AUTO,
    ESTIMATES,
    Growth,
    Jumping,
    MinSupport,
    PatternItems,
    item_weights,
    items_of,
    shown_records,
)
from ppworkbench.core.classify.training import Training
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Annotated, Info, OneOf, Within
from ppworkbench.core.progress import Progress, part, silent

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
        return len(self.last)


@dataclass(frozen=True, eq=False)
class Mined:
    """Patterns by their length, beginning with single items."""

    levels: tuple[PatternLevel, ...]

    @property
    def count(self) -> int:
        return sum(len(level) for level in self.levels)

    def members(self, level: int) -> Codes:
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
            raise ParameterError.saying(
                "There are more than {most_patterns} frequent patterns; raise the "
                "minimum support or allow fewer items in a pattern.",
                most_patterns=MOST_PATTERNS,
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


@dataclass(frozen=True)
class EagerPatternsParams(BinningParams):
    bins: Bins = 5
    binning: Division = EQUAL_FREQUENCY
    min_support: MinSupport = 0.1
    growth: Growth = 2.0
    jumping: Jumping = False
    longest: Annotated[
        int, Within(1, 12), Info("Maximum length", "Maximum number of items in a pattern")
    ] = 3
    base: Annotated[
        float,
        Within(0, 1),
        Info("Base score", "Percentile of a class's own scores that scales its scores"),
    ] = 0.75
    estimate: Annotated[
        str,
        OneOf(ESTIMATES),
        Info("Estimate", "Estimator of supports in distorted records"),
    ] = AUTO
    present_only: Annotated[
        bool,
        Info("Only yes", "Only the second value of a binary attribute is an item"),
    ] = False


@classifiers.register(
    "eager-ep", "Emerging patterns, eager (ePPCwEP, CAEP)", short="Eager patterns", rank=40
)
class EagerPatterns(CellClassifier[EagerPatternsParams]):
    """Mines emerging patterns of every class from distorted records, then adds up scores.

    ``score(S, C) = sum growth / (growth + 1) * support_C`` over the patterns of C that S has,
    divided by a percentile of the scores of C's own training records; the largest wins.

    Attributes
    ----------
    patterns_
        The emerging patterns of all classes.
    base_scores_
        What the scores of each class are divided by.

    References
    ----------
    G. Dong, X. Zhang, L. Wong and J. Li (1999), "CAEP: classification by aggregating emerging
    patterns"; P. Andruszkiewicz, thesis 2011, section 6.1.
    """

    params_type = EagerPatternsParams
    help_topic = "eager-patterns"

    def _fit(self, training: Training, params: EagerPatternsParams, progress: Progress) -> None:
        items = items_of(training.predictors, params.present_only)
        weights = item_weights(training, items, params.estimate)
        counts = training.class_counts
        mined = mine_classes(
            weights,
            items.attribute,
            training.classes,
            counts,
            minimum=params.min_support,
            longest=params.longest,
            progress=part(progress, 0.1, 0.8),
        )
        self.patterns_ = find_emerging(
            items,
            mined,
            counts,
            least_growth=math.inf if params.jumping else params.growth,
            minimum=params.min_support,
        )
        self.class_shares_ = counts / counts.sum()
        progress(0.8, "base scores")
        own = self.patterns_.scores(items.held(shown_records(training)))
        self.base_scores_ = np.array(
            [np.quantile(own[training.classes == c, c], params.base) for c in range(len(counts))]
        )

    def _probabilities(self, records: Codes, progress: Progress) -> Numbers:  # noqa: ARG002
        scores = self.patterns_.scores(self.patterns_.items.held(records))
        usable = self.base_scores_ > 0
        scaled = np.where(usable, scores / np.where(usable, self.base_scores_, 1.0), 0.0)
        return from_shares(scaled, self.class_shares_)

    def patterns(self) -> list[EmergingPattern]:
        return self.patterns_.listed(tuple(str(name) for name in self.classes_))
