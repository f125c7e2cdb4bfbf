"""Naive Bayes whose attributes count as far as they can be trusted.

How far the evidence of each attribute can be trusted: its reliability and its overlap.

Naive Bayes adds up the log-likelihood ratios of all attributes as if each was known exactly and
told something of its own. Distorted attributes are known roughly and many repeat each other.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Codes, Numbers
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
    log_shares,
)
from ppworkbench.core.classify.naive_bayes import NaiveBayesParams
from ppworkbench.core.classify.training import Predictor, Training
from ppworkbench.core.message import Message
from ppworkbench.core.params import Annotated, Info, Within
from ppworkbench.core.progress import Progress, part

_SMALLEST = 1e-12
_LEAST_KEPT = 1e-4
_LARGEST_CORRELATION = 0.95
_LEAST_EIGENVALUE = 0.02
_MOST_RAISED = 2.0


@dataclass(frozen=True, eq=False)
class Evidence:
    """One attribute's distributions.

    Parameters
    ----------
    codes
        The cell of Z of every training record.
    distributions
        The distribution of X in every class, one row per class.
    shuffled
        The same after the classes were shuffled, one block per shuffle: what chance alone makes.
    """

    predictor: Predictor
    codes: Codes
    distributions: Numbers
    shuffled: Numbers


def divergence(distributions: Numbers, one: int, other: int) -> Numbers:
    """``sum (p - q) log (p / q)`` between two classes, over the last axis.

    H. Jeffreys (1946), "An invariant form for the prior probability in estimation problems".
    """
    p, q = distributions[..., one, :], distributions[..., other, :]
    return np.asarray(((p - q) * np.log(p / q)).sum(axis=-1))


def reliability(evidence: Evidence, one: int, other: int) -> float:
    """``J / (J + J_0)``: the divergence of two classes beside that of shuffled ones."""
    found = float(divergence(evidence.distributions, one, other))
    by_chance = float(divergence(evidence.shuffled, one, other).mean())
    return found / max(found + by_chance, _SMALLEST)


def overlap_weights(
    evidence: list[Evidence], classes: Codes, one: int, other: int, trust: Numbers
) -> Numbers:
    """What each attribute's log-likelihood ratio should be multiplied by between two classes.

    With correlations R of the ratios within the classes, their sum is best weighted by ``s / d``
    where s minimises ``s' R s / 2 - s' (trust * d)`` and d is the distance of the two classes in
    standard deviations: Fisher's linear discriminant on the ratios. Collinear attributes would get
    large weights of opposite signs there, so s is kept at or above 0 and no weight above 1; then
    all are raised together, at most twice, to the evidence ``sum trust * d^2`` that was there. R is
    estimated from the posterior means of distorted records, divided by how much of the variance
    these keep, and shrunk towards 0 as far as its sampling error asks (J. Schaefer and K. Strimmer
    2005). Without correlations the weights are the trust.
    """
    rows = np.flatnonzero((classes == one) | (classes == other))
    first = classes[rows] == one
    parts = [_standardised(item, rows, first, (one, other)) for item in evidence]
    usable = np.array([part is not None for part in parts])
    weights = trust.copy()
    kept = [part for part in parts if part is not None]
    if len(kept) < 2:
        return weights
    scores = np.stack([part[0] for part in kept], axis=1)
    distance = np.array([part[1] for part in kept])
    weights[usable] = shared_weights(_shrunk(scores), distance, trust[usable])
    return weights


def shared_weights(correlation: Numbers, distance: Numbers, trust: Numbers) -> Numbers:
    """Weights of ratios that repeat each other; see :func:`overlap_weights`.

    >>> twins = np.array([[1.0, 0.9], [0.9, 1.0]])
    >>> shared_weights(twins, np.ones(2), np.ones(2)).round(3).tolist()
    [1.0, 1.0]
    >>> shared_weights(twins, np.array([1.0, 0.5]), np.ones(2)).round(3).tolist()
    [1.25, 0.0]
    """
    from scipy.optimize import nnls

    lower = np.linalg.cholesky(correlation)
    solved, _ = nnls(lower.T, np.linalg.solve(lower, trust * distance))
    weights = np.minimum(solved / distance, 1.0)
    evidence = float(weights @ distance**2)
    wanted = float(trust @ distance**2)
    return np.asarray(weights * min(wanted / max(evidence, _SMALLEST), _MOST_RAISED))


def _standardised(
    evidence: Evidence, rows: Codes, first: NDArray[np.bool_], pair: tuple[int, int]
) -> tuple[Numbers, float] | None:
    """Centred posterior means scaled to correlations, and the distance of the two classes."""
    x = evidence.distributions
    ratio = np.log(x[pair[0]] / x[pair[1]])
    channel = evidence.predictor.channel
    scores = np.empty(len(rows))
    variance = kept = 0.0
    means = []
    for is_first, c in ((True, pair[0]), (False, pair[1])):
        chosen = first == is_first
        joint = channel * x[c]
        total = joint.sum(axis=1)
        guess = joint @ ratio / np.maximum(total, _SMALLEST)
        mean = float(x[c] @ ratio)
        own = guess[evidence.codes[rows[chosen]]]
        scores[chosen] = own - (own.mean() if len(own) else 0.0)
        share = float(chosen.mean())
        variance += share * float(x[c] @ (ratio - mean) ** 2)
        kept += share * float(total @ (guess - mean) ** 2)
        means.append(mean)
    distance = means[0] - means[1]
    if variance < _SMALLEST or kept < _LEAST_KEPT * variance or abs(distance) < _SMALLEST:
        return None
    deviation = float(np.sqrt(variance))
    return scores / (kept / variance * deviation), distance / deviation


def _shrunk(scores: Numbers) -> Numbers:
    n = max(len(scores), 1)
    correlation = scores.T @ scores / n
    error = ((scores**2).T @ (scores**2) / n - correlation**2) / n
    apart = ~np.eye(len(correlation), dtype=bool)
    correlation = np.clip(correlation, -_LARGEST_CORRELATION, _LARGEST_CORRELATION)
    squares = float((correlation[apart] ** 2).sum())
    shrink = min(1.0, float(error[apart].sum()) / max(squares, _SMALLEST))
    correlation = (1.0 - shrink) * correlation
    np.fill_diagonal(correlation, 1.0)
    values, vectors = np.linalg.eigh(correlation)
    positive = (vectors * np.maximum(values, _LEAST_EIGENVALUE)) @ vectors.T
    scale = np.sqrt(np.diag(positive))
    return np.asarray(positive / np.outer(scale, scale))


_MOST_CLASSES = 12
"""With more classes, the correlations of every pair would take too long."""


@dataclass(frozen=True)
class WeightedBayesParams(NaiveBayesParams):
    shuffles: Annotated[
        int,
        Within(1, 100),
        Info("Shuffles", "Number of class shuffles that estimate the effect of chance"),
    ] = 8
    caution: Annotated[
        float,
        Within(0, 10),
        Info(
            "Reliability weight",
            "Exponent of an attribute's reliability in its weight; 0 weights all equally",
        ),
    ] = 1.5
    correlations: Annotated[
        bool, Info("Correlations", "Count information shared by several attributes once")
    ] = True


@classifiers.register(
    "weighted-bayes", "Naive Bayes, reconstructed and weighted", short="Weighted Bayes", rank=30
)
class WeightedBayes(CellClassifier[WeightedBayesParams]):
    """Reconstructed naive Bayes with a weight for the evidence of every attribute.

    Between two classes the log odds are ``log Pr(c) / Pr(e) + sum_a w_a log p_a(x | c) / p_a(x |
    e)``. The weight is the attribute's reliability, corrected for what other attributes repeat; see
    :func:`reliability`. With all weights 1 this is naive Bayes. More than
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
        matrix = class_matrix(training, self.design_)
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
        matrix = class_matrix(training, self.design_)
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
