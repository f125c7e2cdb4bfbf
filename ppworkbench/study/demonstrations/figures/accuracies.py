"""Accuracy of classifiers trained on distorted records."""

from __future__ import annotations

from dataclasses import dataclass

from ppworkbench.core.experiment import Experiment, Plan, Setting, Sweep, run_experiment, summarise
from ppworkbench.core.experiment.engines import InProcess
from ppworkbench.core.params import Annotated, Info, Within
from ppworkbench.core.progress import Progress, silent
from ppworkbench.study.demonstrations.figures.calculation import Calculation, calculations
from ppworkbench.study.study import Study


@calculations.register("accuracy", "Accuracy of a classifier in percent")
@dataclass(frozen=True)
class Accuracy(Calculation):
    """Cross-validated accuracy, in percent, at a level of privacy or with the study's design."""

    quick = False

    classifier: Annotated[str, Info("Classifier")]
    level: Annotated[float | None, Within(0, 10_000), Info("Level of range privacy", unit="%")] = (
        None
    )
    folds: Annotated[int, Within(2, 20), Info("Folds")] = 5
    repeats: Annotated[int, Within(1, 100), Info("Repeats")] = 1
    undistorted: Annotated[bool, Info("Trained on the records as they are")] = False

    def calculate(self, study: Study, progress: Progress = silent) -> float:
        """The mean accuracy in percent."""
        table = study.original
        if table is None:
            return float("nan")
        setting = Setting.of(self.classifier, undistorted=self.undistorted)
        plan = Plan(folds=self.folds, repeats=self.repeats, seed=study.settings.seed)
        sweep = Sweep() if self.level is None else Sweep(levels=(self.level,))
        experiment = Experiment.of(table, study.design, (setting,), plan=plan, sweep=sweep)
        results = run_experiment(experiment, engine=InProcess(), progress=progress)
        [summary] = summarise(results).values()
        return 100 * summary.accuracy.mean
