"""Committees of trees that vote, and the samples of training records on which members grow.

Bagging draws uniformly. Boosting draws what the members so far got wrong more often; to know what
they got wrong it classifies the *distorted* records, down every branch (see
:mod:`ppworkbench.core.classify.tree.node`).
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from ppworkbench.core.arrays import Codes, Numbers
from ppworkbench.core.classify.binning import BinningParams
from ppworkbench.core.classify.classifier import CellClassifier, ReadsDistorted, classifiers
from ppworkbench.core.classify.training import Training
from ppworkbench.core.classify.tree.flat import FlatTree
from ppworkbench.core.classify.tree.forest import Forest
from ppworkbench.core.classify.tree.node import leaf_class_probabilities
from ppworkbench.core.classify.tree.params import TreeParams
from ppworkbench.core.data.table import Column
from ppworkbench.core.message import Message
from ppworkbench.core.params import Annotated, Info, Within
from ppworkbench.core.progress import Progress, part, silent

SIMPLE, WEIGHTED = "simple", "weighted"

P = TypeVar("P", bound=BinningParams)


@dataclass(frozen=True, eq=False)
class Member:
    """A tree, what its vote weighs, and how it was grown."""

    tree: FlatTree
    weight: float
    setting: str = ""


class VotingTrees(CellClassifier[P], ReadsDistorted):
    """A classifier whose members each vote for one class.

    The probability of a class is its share of the weight of all votes, all at one level.

    Attributes
    ----------
    members_
        The trees with their weights.
    """

    members_: tuple[Member, ...]

    def _fit(self, training: Training, params: P, progress: Progress) -> None:
        self.members_ = tuple(self._members(training, params, progress))

    @abstractmethod
    def _members(self, training: Training, params: P, progress: Progress) -> Sequence[Member]:
        """Train the members."""

    @abstractmethod
    def _retention(self) -> str:
        """How a number under retention replacement meets a test."""

    def _probabilities(self, records: Codes, progress: Progress) -> Numbers:
        votes = np.zeros((len(records), len(self.classes_)))
        for done, member in enumerate(self.members_):
            progress(done / len(self.members_), "voting")
            labels = np.argmax(member.tree.shares, axis=1)[member.tree.leaves_of(records)]
            votes[np.arange(len(records)), labels] += member.weight
        return np.asarray(votes / votes.sum(axis=1, keepdims=True))

    def _distorted_probabilities(self, columns: tuple[Column, ...], progress: Progress) -> Numbers:
        pairs = zip(self.predictors_, columns, strict=True)
        codes = [predictor.z_codes(column.data) for predictor, column in pairs]
        votes = np.zeros((len(columns[0]), len(self.classes_)))
        for done, member in enumerate(self.members_):
            progress(done / len(self.members_), "voting")
            found = leaf_class_probabilities(
                member.tree, self.predictors_, codes, self._retention()
            )
            votes[np.arange(len(votes)), np.argmax(found, axis=1)] += member.weight
        return np.asarray(votes / votes.sum(axis=1, keepdims=True))


_TRIES = 3
"""How often boosting starts from equal weights again before it gives a member up."""


def bagged(
    forest: Forest,
    members: int,
    share: float,
    generator: np.random.Generator,
    setting: str = "",
    progress: Progress = silent,
) -> list[Member]:
    """Trees from samples drawn with replacement; every vote weighs 1 (Breiman 1996)."""
    n = forest.training.rows
    size = max(1, round(share * n))
    samples = [generator.integers(n, size=size) for _ in range(members)]
    trees = (
        forest.grow(samples, Message("bagging {setting}", setting=setting), progress)
        if members
        else ()
    )
    return [Member(tree, 1.0, setting) for tree in trees]


def boosted(
    forest: Forest,
    members: int,
    generator: np.random.Generator,
    setting: str = "",
    progress: Progress = silent,
) -> list[Member]:
    """AdaBoost by drawing (Freund and Schapire 1996); a vote weighs alpha.

    With SP the drawn probability of records that a member gets wrong and K classes,
    ``alpha = (log((1 - SP) / SP) + log(K - 1)) / 2``, which for two classes is the published
    weight. No error at all would weigh infinitely: SP is then taken as half a record. A member
    that is no better than a guess (``SP >= 1 - 1/K``) is thrown away, and drawing starts again from
    equal probabilities; if that does not help, it stays with hardly any weight.
    """
    training = forest.training
    n, n_classes = training.rows, training.n_classes
    chance = np.full(n, 1 / n)
    made: list[Member] = []
    tries = 0
    while len(made) < members:
        step = part(progress, len(made) / members, (len(made) + 1) / members)
        sample = _draw(chance, generator)
        name = Message(
            "boosting {setting} {count} {tries}", setting=setting, count=len(made), tries=tries
        )
        (tree,) = forest.grow([sample], name, step)
        wrong = forest.classify_training(tree) != training.classes
        alpha = _alpha(float(chance[wrong].sum()), n, n_classes)
        if alpha <= 0:
            chance = np.full(n, 1 / n)
            tries += 1
            if tries <= _TRIES:
                continue
            alpha = 1 / n
        tries = 0
        made.append(Member(tree, alpha, setting))
        chance = chance * np.exp(np.where(wrong, alpha, -alpha))
        chance /= chance.sum()
    return made


def _draw(chance: Numbers, generator: np.random.Generator) -> Codes:
    cumulated = np.cumsum(chance)
    drawn = np.searchsorted(cumulated, generator.random(len(chance)) * cumulated[-1], side="right")
    return np.asarray(np.minimum(drawn, len(chance) - 1))


def _alpha(wrong: float, n: int, n_classes: int) -> float:
    """The weight of a member that gets this share of the drawing probability wrong."""
    wrong = min(max(wrong, 0.5 / n), 1 - 0.5 / n)
    return 0.5 * (math.log((1 - wrong) / wrong) + math.log(n_classes - 1))


@dataclass(frozen=True)
class BaggingParams(TreeParams):
    members: Annotated[int, Within(1, 1000), Info("Members", "Number of trees")] = 10
    share: Annotated[
        float,
        Within(0, 1, open_low=True),
        Info("Sample", "Share of records drawn for each tree"),
    ] = 1.0


@classifiers.register("bagging", "Bagged trees", rank=60)
class Bagging(VotingTrees[BaggingParams]):
    """Trees from samples of the records, drawn with replacement; each has one vote.

    References
    ----------
    L. Breiman (1996), "Bagging predictors", Machine Learning 24.
    """

    params_type = BaggingParams
    help_topic = "bagged-trees"

    def _members(
        self, training: Training, params: BaggingParams, progress: Progress
    ) -> Sequence[Member]:
        forest = Forest(training, params, self.seed_)
        generator = self._generator("bagging")
        return bagged(forest, params.members, params.share, generator, progress=progress)

    def _retention(self) -> str:
        return self.params.retention


@dataclass(frozen=True)
class BoostingParams(TreeParams):
    members: Annotated[int, Within(1, 1000), Info("Members", "Number of trees")] = 10


@classifiers.register("boosting", "Boosted trees", rank=70)
class Boosting(VotingTrees[BoostingParams]):
    """Trees that grow one after the other, each on what the one before got wrong.

    Votes are weighted. What a tree gets wrong is found on the distorted training records.

    References
    ----------
    Y. Freund and R. E. Schapire (1996), "Experiments with a new boosting algorithm", ICML;
    P. Andruszkiewicz (2011), doctoral thesis, section 7.1.
    """

    params_type = BoostingParams
    help_topic = "boosted-trees"

    def _members(
        self, training: Training, params: BoostingParams, progress: Progress
    ) -> Sequence[Member]:
        forest = Forest(training, params, self.seed_)
        return boosted(forest, params.members, self._generator("boosting"), progress=progress)

    def _retention(self) -> str:
        return self.params.retention
