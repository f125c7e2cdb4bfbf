"""Bagging over one setting of the tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ppworkbench.core.classify.classifier import classifiers
from ppworkbench.core.classify.resampling import Member, VotingTrees, bagged
from ppworkbench.core.classify.training import Training
from ppworkbench.core.classify.tree.forest import Forest
from ppworkbench.core.classify.tree.params import TreeParams
from ppworkbench.core.params import Annotated, Info, Within
from ppworkbench.core.progress import Progress


@dataclass(frozen=True)
class BaggingParams(TreeParams):
    """Parameters of bagging."""

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
