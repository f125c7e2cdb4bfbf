"""Counts of people who meet a condition."""

from __future__ import annotations

from dataclasses import dataclass

from ppworkbench.core.params import Annotated, Info, OneOf
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.survey import count
from ppworkbench.study.demonstrations.figures.calculation import Calculation, calculations
from ppworkbench.study.reported import distorted_answers
from ppworkbench.study.study import Study


@calculations.register("count", "People who meet a condition")
@dataclass(frozen=True)
class People(Calculation):
    """What the Survey page answers to a count."""

    condition: Annotated[str, Info("Condition")]
    what: Annotated[
        str, OneOf(("estimate", "low", "high", "standard_error", "naive", "true")), Info("What")
    ] = "estimate"
    method: Annotated[str, OneOf(("joint", "sequential")), Info("Method")] = "joint"

    def calculate(self, study: Study, progress: Progress = silent) -> float:
        """The number of people."""
        answers = distorted_answers(study)
        found = count(
            answers.distorted,
            study.design,
            self.condition,
            self.method,
            original=answers.original,
            progress=progress,
        )
        value = getattr(found.value, self.what)
        return float("nan") if value is None else float(value)
