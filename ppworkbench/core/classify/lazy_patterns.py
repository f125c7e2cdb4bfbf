"""lPPCwEP: emerging patterns mined for every test record (DeEPs where nothing is distorted)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.classify.binning import EQUAL_FREQUENCY, BinningParams, Bins, Division
from ppworkbench.core.classify.cell_classifier import CellClassifier
from ppworkbench.core.classify.class_distributions import counts_by_class
from ppworkbench.core.classify.classifier import Codes
from ppworkbench.core.classify.compact_scores import CompactScorer
from ppworkbench.core.classify.match_posterior import BAYES, MATCHES, match_tables, threshold_of
from ppworkbench.core.classify.pattern_params import Growth, Jumping, MinSupport
from ppworkbench.core.classify.registry import classifiers
from ppworkbench.core.classify.scores import from_shares
from ppworkbench.core.classify.training import Training
from ppworkbench.core.message import Message
from ppworkbench.core.params import Annotated, Info, OneOf, Within
from ppworkbench.core.progress import Progress

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class LazyPatternsParams(BinningParams):
    """The parameters of the lazy classifier."""

    bins: Bins = 5
    binning: Division = EQUAL_FREQUENCY
    min_support: MinSupport = 0.05
    jumping: Jumping = True
    growth: Growth = 2.0
    threshold: Annotated[
        float,
        Within(0, 1, open_high=True),
        Info("Threshold", "Probability above which a number counts as matched"),
    ] = 0.3
    match: Annotated[
        str,
        OneOf(MATCHES),
        Info("Match", "Bayes' posterior, or the published formula for retention replacement"),
    ] = BAYES
    longest: Annotated[
        int,
        Within(1, 6),
        Info("Longest pattern", "Largest number of items where there are more than 14 attributes"),
    ] = 3


@classifiers.register(
    "lazy-ep", "Emerging patterns, lazy (lPPCwEP, DeEPs)", short="Lazy patterns", rank=50
)
class LazyPatterns(CellClassifier[LazyPatternsParams]):
    """Asks for every test record which patterns of it set a class apart.

    Every training record becomes bits: whether its original answer probably matches that of the
    test record. A class scores the share of its records that have at least one of its emerging
    patterns; the largest share wins, the larger class breaks ties.

    References
    ----------
    J. Li, G. Dong, K. Ramamohanarao and L. Wong (2004), "DeEPs: a new instance-based lazy discovery
    and classification system"; P. Andruszkiewicz, thesis 2011, section 6.2.
    """

    params_type = LazyPatternsParams
    help_topic = "lazy-patterns"

    def _fit(self, training: Training, params: LazyPatternsParams, progress: Progress) -> None:
        counts = counts_by_class(training)
        matched = []
        for place, predictor in enumerate(training.predictors):
            progress(place / len(counts), Message("matching {attribute}", attribute=predictor.name))
            tables = match_tables(predictor, counts[place], params.match)
            above = tables > threshold_of(predictor, params.threshold)
            matched.append(above[training.classes, training.z_codes[place]])
        self.matched_ = tuple(matched)
        self.class_shares_ = training.class_counts / training.rows
        self.scorer_ = CompactScorer(
            training.classes,
            training.class_counts,
            attributes=len(matched),
            minimum=params.min_support,
            growth=math.inf if params.jumping else params.growth,
            longest=params.longest,
        )

    def compact_scores(self, records: Codes, progress: Progress) -> Numbers:
        """The compact score of every record (rows) for every class."""
        different, place = np.unique(records, axis=0, return_inverse=True)
        scores = np.empty((len(different), len(self.class_shares_)))
        for number, record in enumerate(different):
            if number % 16 == 0:
                progress(number / len(different), "mining for every record")
            bits = np.stack(
                [matched[:, cell] for matched, cell in zip(self.matched_, record, strict=True)]
            )
            scores[number] = self.scorer_.score(bits)
        return np.asarray(scores[place.ravel()])

    def _probabilities(self, records: Codes, progress: Progress) -> Numbers:
        return from_shares(self.compact_scores(records, progress), self.class_shares_)
