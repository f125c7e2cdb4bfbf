"""How much of a distribution is lost, and after how many iterations."""

from __future__ import annotations

from dataclasses import dataclass

from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Annotated, Info, OneOf, Within
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.reconstruct import Reconstruction, reconstruct, simulate
from ppworkbench.study.demonstrations.figures.calculation import Calculation, calculations
from ppworkbench.study.demonstrations.figures.shares import columns_of
from ppworkbench.study.study import Study


@calculations.register("mean-loss", "Mean information loss over many draws")
@dataclass(frozen=True)
class MeanLoss(Calculation):
    """The same respondents distorted and reconstructed again and again; for values only."""

    attribute: Annotated[str, Info("Attribute")]
    algorithm: Annotated[str, OneOf(("default", "eq", "em")), Info("Algorithm")] = "em"
    stop: Annotated[str, Info("Stop")] = "published"
    draws: Annotated[int, Within(1, 1_000), Info("Draws")] = 200

    def calculate(self, study: Study, progress: Progress = silent) -> float:
        """The mean of the losses."""
        perturbation = study.design.perturbation(self.attribute)
        attribute = study.design[self.attribute].attribute
        if perturbation.is_identity or not attribute.kind.is_categorical:
            raise DataError(
                Message("{attribute!r} has no matrix.", attribute=self.attribute),
                attribute=self.attribute,
            )
        truth = columns_of(study, self.attribute)[0]
        progress(0.1)
        runs = simulate(
            perturbation.matrix(attribute.k),
            truth.counts / max(truth.counts.sum(), 1),
            int(truth.counts.sum()),
            self.draws,
            algorithm=self.algorithm,
            stop=self.stop,
            same_respondents=True,
            seed=study.settings.seed,
        )
        return runs.mean_loss


@dataclass(frozen=True)
class _OneDraw(Calculation):
    """A reconstruction of the draw that all pages show."""

    attribute: Annotated[str, Info("Attribute")]
    algorithm: Annotated[str, Info("Algorithm")] = "default"
    stop: Annotated[str | None, Info("Stop")] = None
    steps: Annotated[int | None, Within(2, 500), Info("Steps on the scale")] = None

    def result(self, study: Study, progress: Progress) -> Reconstruction:
        """The reconstruction."""
        truth, reported = columns_of(study, self.attribute)
        return reconstruct(
            reported,
            study.design[self.attribute].attribute,
            study.design.perturbation(self.attribute),
            self.algorithm,
            stop=int(self.stop) if self.stop and self.stop.isdigit() else self.stop,
            bins=self.steps,
            confidence=None,
            original=truth,
            seed=study.settings.seed,
            progress=progress,
        )


@calculations.register("loss", "Information loss of one draw")
@dataclass(frozen=True)
class Loss(_OneDraw):
    """Half the distance between the true and the reconstructed distribution."""

    def calculate(self, study: Study, progress: Progress = silent) -> float:
        """The information loss."""
        found = self.result(study, progress).information_loss
        return float("nan") if found is None else float(found)


@calculations.register("iterations", "Iterations until the rule stops")
@dataclass(frozen=True)
class Iterations(_OneDraw):
    """After how many iterations the stop rule ends."""

    def calculate(self, study: Study, progress: Progress = silent) -> float:
        """The number of iterations."""
        return float(self.result(study, progress).iterations)
