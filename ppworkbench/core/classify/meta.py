"""The combined meta-learner: bagging and boosting over a set of tree settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

from ppworkbench.core.classify.classifier import classifiers
from ppworkbench.core.classify.resampling import (
    SIMPLE,
    WEIGHTED,
    Member,
    VotingTrees,
    bagged,
    boosted,
)
from ppworkbench.core.classify.training import Training
from ppworkbench.core.classify.tree.forest import Forest
from ppworkbench.core.classify.tree.params import (
    ALGORITHMS,
    BY_CLASS,
    LOCAL,
    RECONSTRUCTIONS,
    GrowthParams,
    TreeParams,
)
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Annotated, Info, OneOf, Within
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.rng import SeededStreams


@dataclass(frozen=True)
class MetaParams(GrowthParams):
    reconstructions: Annotated[
        tuple[str, ...],
        OneOf(RECONSTRUCTIONS),
        Info("Reconstructions", "Types of reconstruction, each combined with all algorithms"),
    ] = (LOCAL, BY_CLASS)
    algorithms: Annotated[
        tuple[str, ...],
        OneOf(ALGORITHMS),
        Info("Algorithms", "Pairs of algorithms, each combined with all reconstructions"),
    ] = ALGORITHMS
    bagged: Annotated[int, Within(0, 1000), Info("Bagged", "Bagged trees of every setting")] = 5
    boosted: Annotated[int, Within(0, 1000), Info("Boosted", "Boosted trees of every setting")] = 5
    voting: Annotated[
        str,
        OneOf((WEIGHTED, SIMPLE)),
        Info("Voting", "Boosted trees vote with their weights, or all trees equally"),
    ] = WEIGHTED
    n_jobs: Annotated[
        int,
        Within(-1, 2**31),
        Info("Processes", "Settings trained in parallel; -1 for all"),
    ] = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.reconstructions:
            raise ParameterError(
                "There are no reconstructions; choose at least one.", field="reconstructions"
            )
        if not self.algorithms:
            raise ParameterError(
                "There are no algorithms; choose at least one.", field="algorithms"
            )
        if not self.bagged + self.boosted:
            raise ParameterError(
                "There are no members; add bagged or boosted trees.", field="bagged"
            )
        if self.n_jobs == 0:
            raise ParameterError("Processes is 0; it must be -1, 1 or more.", field="n_jobs")

    @property
    def settings(self) -> tuple[TreeParams, ...]:
        common = {field.name: getattr(self, field.name) for field in fields(GrowthParams)}
        return tuple(
            TreeParams(**common, reconstruction=reconstruction, algorithms=algorithms)
            for reconstruction in self.reconstructions
            for algorithms in self.algorithms
        )


@classifiers.register("meta", "Combined trees", rank=80)
class MetaLearner(VotingTrees[MetaParams]):
    """Bagged and boosted trees of many settings, which vote at one level.

    Different algorithms and types of reconstruction err in different ways, and together they err
    less. Bagged trees vote with weight 1, boosted ones with their alpha.

    References
    ----------
    P. Andruszkiewicz (2009), "Classification with meta-learning in privacy preserving data
    mining"; (2011), doctoral thesis, chapter 7.
    """

    params_type = MetaParams
    help_topic = "combined-trees"

    def _members(
        self, training: Training, params: MetaParams, progress: Progress
    ) -> Sequence[Member]:
        settings = params.settings
        _ = training.z_codes  # once for all settings
        if params.n_jobs == 1:
            return [
                member
                for done, setting in enumerate(settings)
                for member in _trained(
                    training,
                    setting,
                    params,
                    self.seed_,
                    part(progress, done / len(settings), (done + 1) / len(settings)),
                )
            ]
        from joblib import Parallel, delayed

        parallel = Parallel(n_jobs=params.n_jobs, return_as="generator")
        tasks = (delayed(_trained)(training, s, params, self.seed_) for s in settings)
        members: list[Member] = []
        for done, found in enumerate(parallel(tasks)):
            members += found
            progress(
                (done + 1) / len(settings),
                Message("{done} of {count} settings", done=done + 1, count=len(settings)),
            )
        return members

    def _retention(self) -> str:
        return self.params.retention


def _trained(
    training: Training,
    setting: TreeParams,
    params: MetaParams,
    seed: int,
    progress: Progress = silent,
) -> list[Member]:
    name = f"{setting.reconstruction} {setting.algorithms}"
    generator = SeededStreams(seed).generator("meta", name)
    forest = Forest(training, setting, seed)
    made = bagged(forest, params.bagged, 1.0, generator, name, part(progress, 0.0, 0.4))
    made += boosted(forest, params.boosted, generator, name, part(progress, 0.4, 1.0))
    if params.voting == SIMPLE:
        made = [Member(member.tree, 1.0, member.setting) for member in made]
    return made
