"""What both faces ask of regressions and correlations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from ppworkbench.core.data.sampling_roles import Sampling, SamplingOptions
from ppworkbench.core.design.design import Design
from ppworkbench.core.errors import ParameterError, WorkbenchError
from ppworkbench.core.message import Message
from ppworkbench.core.models import Formula, Regression, RegressionOptions, parse_formula, regress
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.survey.conditions import EVERYBODY, Condition
from ppworkbench.study.distorted_cache import Answers

FIT_REPLICATES = 199


@dataclass(frozen=True)
class ModelQuestion:
    """A regression as it was asked for.

    Parameters
    ----------
    predict
        For each prediction, the values that everybody is given.
    compare_with
        A formula with fewer terms; None for no comparison.
    """

    formula: Formula
    options: RegressionOptions
    condition: Condition = EVERYBODY
    effects: bool = False
    predict: tuple[Mapping[str, str], ...] = ()
    compare_with: Formula | None = None
    fit: bool = False

    @property
    def attributes(self) -> tuple[str, ...]:
        """All attributes that it needs."""
        return tuple(dict.fromkeys((*self.formula.attributes, *self.condition.attributes)))

    def to_json(self) -> dict[str, Any]:
        """The question as it is kept in a study; what was not asked for is left out."""
        return {"formula": str(self.formula), "options": self.options.to_json()}

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Self:
        """A question that was kept; what cannot be one is a ValueError."""
        try:
            return cls(
                parse_formula(str(given["formula"])),
                RegressionOptions.from_json(given.get("options", {})),
            )
        except (KeyError, TypeError, AttributeError, WorkbenchError) as error:
            raise ValueError(str(error)) from None


def fit_model(
    question: ModelQuestion,
    answers: Answers,
    design: Design,
    *,
    seed: int = 0,
    sampling: Sampling | None = None,
    options: SamplingOptions | None = None,
    progress: Progress = silent,
) -> Regression:
    """Fit what was asked for."""
    return regress(
        answers.distorted, design, question.formula, question.options,
        condition=question.condition, effects=question.effects, predict=question.predict,
        compare_with=question.compare_with, fit_replicates=FIT_REPLICATES if question.fit else 0,
        original=answers.original, seed=seed, sampling=sampling, sampling_options=options,
        progress=progress,
    )  # fmt: skip


def read_values(text: str) -> dict[str, str]:
    """What everybody is given, as in ``sex=F; age=30``.

    >>> read_values("sex=F; age=30")
    {'sex': 'F', 'age': '30'}
    """
    found = {}
    for pair in text.split(";"):
        name, sign, value = pair.partition("=")
        if not sign or not name.strip() or not value.strip():
            raise ParameterError(
                Message("Values are given as in 'sex=F; age=30', not {text!r}.", text=text.strip()),
                field="predict",
            )
        found[name.strip().strip("`")] = value.strip()
    return found


__all__ = ["FIT_REPLICATES", "ModelQuestion", "fit_model", "parse_formula", "read_values"]
