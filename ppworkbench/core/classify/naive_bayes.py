"""Naive Bayes on reconstructed distributions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ppworkbench.core.arrays import Codes, Numbers
from ppworkbench.core.classify.binning import EQUAL_FREQUENCY, BinningParams, Bins, Division
from ppworkbench.core.classify.class_distributions import (
    class_distributions,
    class_matrix,
    counts_by_class,
    undo_class,
    with_laplace,
)
from ppworkbench.core.classify.classifier import (
    CellClassifier,
    classifiers,
    from_logarithms,
    log_of,
    log_shares,
)
from ppworkbench.core.classify.training import Training
from ppworkbench.core.message import Message
from ppworkbench.core.params import Annotated, Info, Within
from ppworkbench.core.progress import Progress, part

Laplace = Annotated[
    float, Within(0), Info("Laplace", "Records added to every value or bin of every class")
]
Smoothing = Annotated[
    float,
    Within(0, 1),
    Info("Smoothing", "Share that a bin gives to its neighbours in each EM iteration"),
]


@dataclass(frozen=True)
class NaiveBayesParams(BinningParams):
    bins: Bins = 20
    binning: Division = EQUAL_FREQUENCY
    laplace: Laplace = 1.0
    smoothing: Smoothing = 0.6
    pull: Annotated[
        float,
        Within(0),
        Info("Shrinkage", "Records by which a class is shrunk towards all classes"),
    ] = 5.0
    iterations: Annotated[int, Within(1, 10_000), Info("Iterations", "EM iterations")] = 50


@classifiers.register("naive-bayes", "Naive Bayes, reconstructed", short="Naive Bayes", rank=20)
class NaiveBayes(CellClassifier[NaiveBayesParams]):
    """``Pr(class | x) ~ Pr(class) prod_a Pr(x_a | class)``, every factor reconstructed.

    The distribution of an attribute in a class is all that naive Bayes needs, and it is what can be
    reconstructed best. Undistorted attributes are counted: with no distortion at all this is plain
    naive Bayes with Laplace's smoothing on the same intervals.

    Attributes
    ----------
    class_log_prior_
        Log of every class's share.
    feature_log_prob_
        For each attribute the log probability of every cell (columns) in every class (rows).

    References
    ----------
    R. Agrawal and R. Srikant (2000), "Privacy-preserving data mining", for reconstruction by class;
    see :func:`~ppworkbench.core.classify.binning.smoothed_em` for the estimate.
    """

    params_type = NaiveBayesParams
    help_topic = "naive-bayes"

    def _fit(self, training: Training, params: NaiveBayesParams, progress: Progress) -> None:
        matrix = class_matrix(training, self.design_)
        by_class = counts_by_class(training, part(progress, 0.0, 0.3))
        records = undo_class(training.class_counts.astype(np.float64)[:, None], matrix)[:, 0]
        self.class_log_prior_ = log_shares(records)
        found = []
        for place, predictor in enumerate(training.predictors):
            progress(
                0.3 + 0.7 * place / len(by_class),
                Message("reconstructing {attribute}", attribute=predictor.name),
            )
            counts = undo_class(by_class[place], matrix)
            distributions = class_distributions(
                predictor,
                counts,
                iterations=params.iterations,
                smoothing=params.smoothing,
                pull=params.pull,
            )
            found.append(log_of(with_laplace(distributions, counts.sum(axis=1), params.laplace)))
        self.feature_log_prob_ = tuple(found)

    def _probabilities(self, records: Codes, progress: Progress) -> Numbers:  # noqa: ARG002
        scores = np.tile(self.class_log_prior_, (len(records), 1))
        for place, table in enumerate(self.feature_log_prob_):
            scores += table.T[records[:, place]]
        return from_logarithms(scores)
