"""Boosting over one setting of the tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ppworkbench.core.classify.classifier import classifiers
from ppworkbench.core.classify.resampling import Member, VotingTrees, boosted
from ppworkbench.core.classify.training import Training
from ppworkbench.core.classify.tree.forest import Forest
from ppworkbench.core.classify.tree.params import TreeParams
from ppworkbench.core.params import Annotated, Info, Within
from ppworkbench.core.progress import Progress


@dataclass(frozen=True)
class BoostingParams(TreeParams):
    """Parameters of boosting."""

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
