"""Trees that vote."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from ppworkbench.core.classify.binning import BinningParams
from ppworkbench.core.classify.classifier import CellClassifier, Codes, Numbers, ReadsDistorted
from ppworkbench.core.classify.training import Training
from ppworkbench.core.classify.tree.flat import FlatTree
from ppworkbench.core.classify.tree.node import leaf_class_probabilities
from ppworkbench.core.data.table import Column
from ppworkbench.core.progress import Progress

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
