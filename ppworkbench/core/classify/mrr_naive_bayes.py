"""Naive Bayes on multi-variant randomised response: questions in groups that share a coin."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.classify.binning import BinningParams
from ppworkbench.core.classify.cell_classifier import CellClassifier
from ppworkbench.core.classify.class_channel import class_matrix, undo_class
from ppworkbench.core.classify.class_distributions import class_distributions, counts_by_class
from ppworkbench.core.classify.classifier import Codes
from ppworkbench.core.classify.mrr_joint import undo_shared_coin, undo_two_coins
from ppworkbench.core.classify.registry import classifiers
from ppworkbench.core.classify.scores import from_logarithms, log_of
from ppworkbench.core.classify.training import Predictor, Training
from ppworkbench.core.message import Message
from ppworkbench.core.params import Annotated, Info, Within
from ppworkbench.core.progress import Progress, part

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class MrrNaiveBayesParams(BinningParams):
    """The parameters of MRR naive Bayes."""

    laplace: Annotated[
        float,
        Within(0),
        Info("Laplace", "Records added to every value of every class after clipping"),
    ] = 1.0


@classifiers.register(
    "mrr-naive-bayes", "Naive Bayes on grouped questions (MRR)", short="Grouped Bayes", rank=90
)
class MrrNaiveBayes(CellClassifier[MrrNaiveBayesParams]):
    """``Pr(v) prod_i Pr(a_i and v) / Pr(v)`` with every probability freed from its coin.

    The class may be in the same group as an attribute (one coin decides both), in another group or
    question of its own (the product form), or not distorted at all. Estimates below 0 are set to 0.
    Numbers under noise are reconstructed per class.

    Attributes
    ----------
    class_log_prior_, feature_log_prob_
        As in :class:`~ppworkbench.core.classify.naive_bayes.NaiveBayes`.

    References
    ----------
    J. Zhan and S. Matwin (2007), "Privacy-preserving data mining in electronic surveys",
    sections 3.2 and 3.3; S. L. Warner (1965) for the related question.
    """

    params_type = MrrNaiveBayesParams
    help_topic = "grouped-questions-mrr"

    def _fit(self, training: Training, params: MrrNaiveBayesParams, progress: Progress) -> None:
        classes = class_matrix(training, self.design)
        counted = counts_by_class(training, part(progress, 0.0, 0.5))
        n = training.rows
        shares = undo_class(training.class_counts.astype(np.float64)[:, None] / n, classes)[:, 0]
        self.class_log_prior_ = log_of(_smoothed(shares, n, params.laplace))
        found = []
        for place, predictor in enumerate(training.predictors):
            progress(
                0.5 + 0.5 * place / len(counted),
                Message("estimating {attribute}", attribute=predictor.name),
            )
            joint = self._joint(training, predictor, counted[place], classes)
            by_class = np.maximum(joint, 0.0).T
            found.append(log_of(_conditional(by_class, n, params.laplace)))
        self.feature_log_prob_ = tuple(found)

    def _joint(
        self, training: Training, predictor: Predictor, counts: Numbers, classes: Numbers | None
    ) -> Numbers:
        """``Pr(cell, class)`` of one attribute; entries may be negative."""
        shares = counts.T / training.rows
        design = self.design
        group = None if design is None else design.group_of(predictor.name)
        class_name = "" if design is None or design.class_name is None else design.class_name
        if group is not None and class_name in group.attributes:
            return undo_shared_coin(shares, group, predictor.name, class_name)
        if not predictor.is_numeric and predictor.channel.shape[0] == predictor.k:
            return undo_two_coins(shares, predictor.channel, classes)
        true = undo_class(shares.T, classes)
        distributions = class_distributions(predictor, true * training.rows)
        return np.asarray((distributions * true.sum(axis=1)[:, None]).T)

    def _probabilities(self, records: Codes, progress: Progress) -> Numbers:  # noqa: ARG002
        scores = np.tile(self.class_log_prior_, (len(records), 1))
        for place, table in enumerate(self.feature_log_prob_):
            scores += table.T[records[:, place]]
        return from_logarithms(scores)


def _smoothed(shares: Numbers, records: int, laplace: float) -> Numbers:
    kept = np.maximum(shares, 0.0)
    weighed = kept * records + laplace
    return np.asarray(weighed / weighed.sum())


def _conditional(by_class: Numbers, records: int, laplace: float) -> Numbers:
    """``Pr(cell | class)`` from joint shares, one row per class."""
    weighed = by_class * records + laplace
    total = weighed.sum(axis=1, keepdims=True)
    return np.where(total > 0, weighed / np.where(total > 0, total, 1.0), 1 / weighed.shape[1])
