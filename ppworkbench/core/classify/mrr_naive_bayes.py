"""Naive Bayes on multi-variant randomised response: questions in groups that share a coin.

The joint distribution of an attribute and the class under shared coins.

Attributes of one group share a coin with each other, and with the class where that is in the group
too; then the coin must be undone for both at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ppworkbench.core.arrays import Codes, Numbers
from ppworkbench.core.classify.binning import BinningParams
from ppworkbench.core.classify.class_distributions import (
    class_distributions,
    class_matrix,
    counts_by_class,
    undo_class,
)
from ppworkbench.core.classify.classifier import (
    CellClassifier,
    classifiers,
    from_logarithms,
    log_of,
)
from ppworkbench.core.classify.training import Predictor, Training
from ppworkbench.core.design.group import Group
from ppworkbench.core.errors import DesignError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Annotated, Info, Within
from ppworkbench.core.progress import Progress, part
from ppworkbench.core.reconstruct.channel import invert

_HALF = 1e-9


def undo_shared_coin(shares: Numbers, group: Group, attribute: str, class_name: str) -> Numbers:
    """``Pr(attribute, class)`` from its published shares when one coin decided both.

    Unrelated: ``P* = theta P + (1 - theta) w_a w_c'`` with the personal answers w. Related: both
    answers are reversed together, ``P* = theta P + (1 - theta) J P J`` with J the reversal.

    Parameters
    ----------
    shares
        Published shares, one row per value of the attribute, one column per class.

    References
    ----------
    J. Zhan and S. Matwin (2007), "Privacy-preserving data mining in electronic surveys",
    equation 1.

    >>> coin = Group(("a", "c"), "related", 0.8)
    >>> undo_shared_coin(np.array([[0.38, 0.2], [0.2, 0.22]]), coin, "a", "c").round(3).tolist()
    [[0.433, 0.2], [0.2, 0.167]]
    """
    theta = group.theta
    if group.type == "related":
        if abs(2 * theta - 1) < _HALF:
            raise DesignError(
                "A related question with theta 0.5 is not informative; choose another theta.",
                field="theta",
            )
        return np.asarray((theta * shares - (1 - theta) * shares[::-1, ::-1]) / (2 * theta - 1))
    if theta < _HALF:
        raise DesignError(
            "An unrelated question with theta 0 never asks the sensitive question; "
            "choose a larger theta.",
            field="theta",
        )
    personal = dict(group.personal)
    rows, columns = shares.shape
    a = np.asarray(personal.get(attribute, np.full(rows, 1 / rows)))
    c = np.asarray(personal.get(class_name, np.full(columns, 1 / columns)))
    return np.asarray((shares - (1 - theta) * np.outer(a, c)) / theta)


def undo_two_coins(shares: Numbers, attribute: Numbers, classes: Numbers | None) -> Numbers:
    """``Pr(attribute, class)`` when each was distorted by its own coin: the product form.

    ``P* = A P C'`` with the P-matrices of the two; ``P = A^-1 P* C^-T``. With unrelated questions
    and personal answers w this solves
    ``P* = s t P + s (1 - t) P_a w_c' + (1 - s) t w_a P_c' + (1 - s)(1 - t) w_a w_c'``.

    >>> A = np.array([[0.8, 0.2], [0.2, 0.8]])
    >>> P = np.array([[0.6, 0.1], [0.1, 0.2]])
    >>> undo_two_coins(A @ P @ A.T, A, A).round(6).tolist()
    [[0.6, 0.1], [0.1, 0.2]]
    """
    once = invert(attribute).inverse @ shares
    return np.asarray(once if classes is None else once @ invert(classes).inverse.T)


@dataclass(frozen=True)
class MrrNaiveBayesParams(BinningParams):
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
        classes = class_matrix(training, self.design_)
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
        design = self.design_
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
