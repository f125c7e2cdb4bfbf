"""ePPCwEP: emerging patterns mined once, scores added up (CAEP where nothing is distorted)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.classify.binning import EQUAL_FREQUENCY, BinningParams, Bins, Division
from ppworkbench.core.classify.classifier import CellClassifier, Codes, classifiers, from_shares
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
from ppworkbench.core.classify.pattern_mining import Mined, mine_classes
from ppworkbench.core.classify.training import Training
from ppworkbench.core.params import Annotated, Info, OneOf, Within
from ppworkbench.core.progress import Progress, part

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


@dataclass(frozen=True)
class EagerPatternsParams(BinningParams):
    """The parameters of the eager classifier."""

    bins: Bins = 5
    binning: Division = EQUAL_FREQUENCY
    min_support: MinSupport = 0.1
    growth: Growth = 2.0
    jumping: Jumping = False
    longest: Annotated[
        int, Within(1, 12), Info("Longest pattern", "Largest number of items in a pattern")
    ] = 3
    base: Annotated[
        float,
        Within(0, 1),
        Info("Base score", "Percentile of a class's own scores by which scores are divided"),
    ] = 0.75
    estimate: Annotated[
        str,
        OneOf(ESTIMATES),
        Info("Estimate", "How supports are estimated from distorted records"),
    ] = AUTO
    present_only: Annotated[
        bool,
        Info("Only yes", "Of attributes with two values, only the second is an item of patterns"),
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
        """The patterns for people, short ones first."""
        return self.patterns_.listed(tuple(str(name) for name in self.classes_))
