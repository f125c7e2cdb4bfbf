"""Regressions on the answers of a study: what is asked, what comes of it, what the study keeps."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from ppworkbench.core.data.sampling_roles import (
    POPULATION,
    RESPONDENTS,
    Sampling,
    SamplingOptions,
)
from ppworkbench.core.design.design import Design
from ppworkbench.core.errors import ParameterError, WorkbenchError
from ppworkbench.core.models import Formula, Regression, RegressionOptions, parse_formula, regress
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.sampling.results import about_waves
from ppworkbench.core.survey.conditions.condition import EVERYBODY, Condition
from ppworkbench.core.survey.conditions.parser import parse_condition
from ppworkbench.core.survey.parted import PartedAnswers
from ppworkbench.study.distorted_cache import Answers, distorted_of, original_of, treated_missing
from ppworkbench.study.study import Study

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
    target
        Whether it is about everybody whom the sample stands for, or about the people who answered.
    """

    formula: Formula
    options: RegressionOptions
    condition: Condition = EVERYBODY
    effects: bool = False
    predict: tuple[Mapping[str, str], ...] = ()
    compare_with: Formula | None = None
    fit: bool = False
    target: str = POPULATION

    @property
    def attributes(self) -> tuple[str, ...]:
        """All attributes that it needs."""
        return tuple(dict.fromkeys((*self.formula.attributes, *self.condition.attributes)))

    def with_(self, **changes: object) -> Self:
        return dataclasses.replace(self, **changes)  # type: ignore[arg-type]

    def columns(self, design: Design) -> tuple[str, ...]:
        """The attributes that are asked about, and their check questions."""
        anchors = (design.anchor_of(name) for name in self.formula.attributes)
        checks = (one.column for one in anchors if one is not None)
        return tuple(dict.fromkeys((*self.attributes, *checks)))

    def to_json(self) -> dict[str, Any]:
        """The question as it is kept in a study; what was not asked for is left out."""
        kept: dict[str, Any] = {
            "formula": str(self.formula),
            "condition": str(self.condition),
            "options": self.options.to_json(),
        }
        if self.effects:
            kept["effects"] = True
        if self.predict:
            kept["predict"] = [dict(given) for given in self.predict]
        if self.compare_with is not None:
            kept["compare_with"] = str(self.compare_with)
        if self.fit:
            kept["fit"] = True
        if self.target != POPULATION:
            kept["target"] = self.target
        return kept

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Self:
        """A question that was kept; what cannot be one is a ValueError."""
        smaller, target = given.get("compare_with"), given.get("target", POPULATION)
        if target not in (POPULATION, RESPONDENTS):
            raise ValueError(str(target))
        try:
            return cls(
                parse_formula(str(given["formula"])),
                RegressionOptions.from_json(given.get("options", {})),
                parse_condition(str(given.get("condition", ""))),
                bool(given.get("effects", False)),
                tuple(
                    {str(name): str(value) for name, value in values.items()}
                    for values in given.get("predict", ())
                ),
                None if smaller is None else parse_formula(str(smaller)),
                bool(given.get("fit", False)),
                target,
            )
        except (KeyError, TypeError, AttributeError, WorkbenchError) as error:
            raise ValueError(str(error)) from None


@dataclass(frozen=True, eq=False)
class ModelResult:
    """A model fitted to a study; ``remarks`` have what people call the attributes.

    ``arms`` are those whose answers count; all of them if empty.
    """

    question: ModelQuestion
    study: Study
    found: Regression
    remarks: tuple[str, ...]
    arms: tuple[str, ...] = ()


def fit_to_study(
    question: ModelQuestion,
    study: Study,
    answers: Answers,
    progress: Progress = silent,
    arms: tuple[str, ...] = (),
) -> ModelResult:
    """Fit a regression to the answers of a study, or of some of its arms, drawn as it says."""
    design = study.design.within_arms(arms) if arms else study.design
    found = fit_model(
        question, answers, design, seed=study.settings.seed, sampling=study.sampling,
        progress=progress,
    )  # fmt: skip
    told = dict.fromkeys(
        (
            *treated_missing(question.attributes, study), *found.remarks,
            *about_waves(study.design, study.sampling),
        )
    )  # fmt: skip
    return ModelResult(question, study, found, tuple(map(study.titled, told)), arms)


def fit_model(
    question: ModelQuestion,
    answers: Answers | PartedAnswers,
    design: Design,
    *,
    seed: int = 0,
    sampling: Sampling | None = None,
    options: SamplingOptions | None = None,
    progress: Progress = silent,
) -> Regression:
    """Fit what was asked for; ``options`` take the place of the question's own target."""
    if options is None and question.target != POPULATION:
        options = SamplingOptions(target=question.target)
    return regress(
        distorted_of(answers), design, question.formula, question.options,
        condition=question.condition, effects=question.effects, predict=question.predict,
        compare_with=question.compare_with, fit_replicates=FIT_REPLICATES if question.fit else 0,
        original=original_of(answers), seed=seed, sampling=sampling, sampling_options=options,
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
            raise ParameterError.saying(
                "Values are given as in 'sex=F; age=30', not {text!r}.",
                text=text.strip(),
                field="predict",
            )
        found[name.strip().strip("`")] = value.strip()
    return found
