"""ePPCwEP: emerging patterns mined once, scores added up (CAEP where nothing is distorted)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.classify.binning import EQUAL_FREQUENCY, BinningParams, Bins, Division
from ppworkbench.core.classify.cell_classifier import CellClassifier
from ppworkbench.core.classify.classifier import Codes
from ppworkbench.core.classify.emerging_patterns import EmergingPattern, find_emerging
from ppworkbench.core.classify.pattern_items import (
    AUTO,
    ESTIMATES,
    item_weights,
    items_of,
    shown_records,
)
from ppworkbench.core.classify.pattern_mining import mine_classes
from ppworkbench.core.classify.pattern_params import Growth, Jumping, MinSupport
from ppworkbench.core.classify.registry import classifiers
from ppworkbench.core.classify.scores import from_shares
from ppworkbench.core.classify.training import Training
from ppworkbench.core.params import Annotated, Info, OneOf, Within
from ppworkbench.core.progress import Progress, part

Numbers = NDArray[np.float64]


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
