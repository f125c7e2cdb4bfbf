"""Naive Bayes whose attributes count as far as they can be trusted."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.classify.binning import Bins
from ppworkbench.core.classify.cell_classifier import CellClassifier
from ppworkbench.core.classify.class_channel import class_matrix, undo_class
from ppworkbench.core.classify.class_distributions import (
    class_distributions,
    counts_by_class,
    with_laplace,
)
from ppworkbench.core.classify.classifier import Codes
from ppworkbench.core.classify.evidence import Evidence, overlap_weights, reliability
from ppworkbench.core.classify.naive_bayes import Laplace, NaiveBayesParams, Smoothing
from ppworkbench.core.classify.registry import classifiers
from ppworkbench.core.classify.scores import from_logarithms, log_shares
from ppworkbench.core.classify.training import Training
from ppworkbench.core.message import Message
from ppworkbench.core.params import Annotated, Info, Within
from ppworkbench.core.progress import Progress, part

Numbers = NDArray[np.float64]

_MOST_CLASSES = 12
"""With more classes, the correlations of every pair would take too long."""

_SMALLEST = 1e-12


@dataclass(frozen=True)
class WeightedBayesParams(NaiveBayesParams):
    """The parameters of weighted naive Bayes."""

    bins: Bins = 10
    smoothing: Smoothing = 0.4
    laplace: Laplace = 3.0
    shuffles: Annotated[
        int,
        Within(1, 100),
        Info("Shuffles", "How often classes are shuffled to see what chance alone makes"),
    ] = 8
    caution: Annotated[
        float,
        Within(0, 10),
        Info("Caution", "Power of an attribute's reliability in its weight; 0 trusts all alike"),
    ] = 1.5
    correlations: Annotated[
        bool, Info("Correlations", "Count what several attributes repeat only once")
    ] = True


@classifiers.register(
    "weighted-bayes", "Naive Bayes, reconstructed and weighted", short="Weighted Bayes", rank=30
)
class WeightedBayes(CellClassifier[WeightedBayesParams]):
    """Reconstructed naive Bayes with a weight for the evidence of every attribute.

    Between two classes the log odds are ``log Pr(c) / Pr(e) + sum_a w_a log p_a(x | c) / p_a(x |
    e)``. The weight is the attribute's reliability, corrected for what other attributes repeat; see
    :mod:`~ppworkbench.core.classify.evidence`. With all weights 1 this is naive Bayes. More than
    two classes are compared in pairs and every class gets the mean of its log odds.

    Attributes
    ----------
    weights_
        For every pair of classes, in the order of ``itertools.combinations``, the weights.
    """

    params_type = WeightedBayesParams
    help_topic = "weighted-naive-bayes"

    def _fit(self, training: Training, params: WeightedBayesParams, progress: Progress) -> None:
        evidence = self._evidence(training, params, part(progress, 0.0, 0.8))
        matrix = class_matrix(training, self.design)
        counts = undo_class(training.class_counts.astype(np.float64)[:, None], matrix)[:, 0]
        self.class_log_prior_ = log_shares(counts)
        self.feature_log_prob_ = tuple(np.log(item.distributions) for item in evidence)
        pairs = list(itertools.combinations(range(training.n_classes), 2))
        correlated = params.correlations and training.n_classes <= _MOST_CLASSES
        weights = []
        for number, (one, other) in enumerate(pairs):
            progress(0.8 + 0.2 * number / len(pairs), "weighing")
            trust = np.array([reliability(item, one, other) for item in evidence])
            # The best attribute counts in full: prior shares are not more certain than evidence.
            trust = (trust / max(trust.max(), _SMALLEST)) ** params.caution
            if correlated:
                trust = overlap_weights(evidence, training.classes, one, other, trust)
            weights.append(trust)
        self.weights_ = np.array(weights)

    def _evidence(
        self, training: Training, params: WeightedBayesParams, progress: Progress
    ) -> list[Evidence]:
        matrix = class_matrix(training, self.design)
        shuffled = self._shuffled_classes(training, params.shuffles)
        by_class = counts_by_class(training)
        found = []
        for place, predictor in enumerate(training.predictors):
            progress(
                place / len(by_class),
                Message("reconstructing {attribute}", attribute=predictor.name),
            )
            codes = training.z_codes[place]
            size = predictor.z_count
            joined = shuffled * size + codes
            rows = np.bincount(joined.ravel(), minlength=training.n_classes * len(shuffled) * size)
            blocks = [by_class[place], *rows.reshape(len(shuffled), training.n_classes, size)]
            counts = np.concatenate([undo_class(block, matrix) for block in blocks])
            distributions = with_laplace(
                class_distributions(
                    predictor,
                    counts,
                    iterations=params.iterations,
                    smoothing=params.smoothing,
                    pull=params.pull,
                    classes=training.n_classes,
                ),
                counts.sum(axis=1),
                max(params.laplace, 1e-6),
            )
            folded = distributions.reshape(len(blocks), training.n_classes, predictor.k)
            found.append(Evidence(predictor, codes, folded[0], folded[1:]))
        return found

    def _shuffled_classes(self, training: Training, times: int) -> Codes:
        """Shuffled class codes, one row per shuffle, numbered on from row to row."""
        generator = self._generator("shuffled classes")
        rows = [generator.permutation(training.classes) for _ in range(times)]
        return np.stack(rows) + training.n_classes * np.arange(times)[:, None]

    def _probabilities(self, records: Codes, progress: Progress) -> Numbers:  # noqa: ARG002
        classes = len(self.class_log_prior_)
        scores = np.zeros((len(records), classes))
        told = [table.T[records[:, place]] for place, table in enumerate(self.feature_log_prob_)]
        pairs = itertools.combinations(range(classes), 2)
        for weights, (one, other) in zip(self.weights_, pairs, strict=True):
            odds = np.full(len(records), self.class_log_prior_[one] - self.class_log_prior_[other])
            for weight, table in zip(weights, told, strict=True):
                odds += weight * (table[:, one] - table[:, other])
            scores[:, one] += odds / classes
            scores[:, other] -= odds / classes
        return from_logarithms(scores)
