"""Regressions on the answers of a study: what is asked, what comes of it, what the study keeps."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self

from ppworkbench.core.data.sampling_roles import (
    POPULATION,
    RESPONDENTS,
    Sampling,
    SamplingOptions,
)
from ppworkbench.core.design.design import Design
from ppworkbench.core.errors import ParameterError, WorkbenchError
from ppworkbench.core.message import Message
from ppworkbench.core.models import Formula, Regression, RegressionOptions, parse_formula, regress
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.survey.conditions import EVERYBODY, Condition
from ppworkbench.core.survey.parser import parse_condition
from ppworkbench.study.analyses.survey import treated_missing
from ppworkbench.study.distorted_cache import Answers, DistortedCache
from ppworkbench.study.fingerprint import fingerprint
from ppworkbench.study.study import Study

FIT_REPLICATES = 199
RESULTS = "regression"
"""Under which name the study keeps them."""
MOST_KEPT = 50


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
        """The same question with something changed."""
        return dataclasses.replace(self, **changes)  # type: ignore[arg-type]

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
    """A fitted model and the study that it was fitted to.

    Parameters
    ----------
    remarks
        With what people call the attributes.
    mark
        Tells the design and the draw apart from others, also after the study was saved.
    """

    question: ModelQuestion
    study: Study
    found: Regression
    remarks: tuple[str, ...]
    mark: str
    when: datetime

    @property
    def interval_contents(self) -> Message:
        """Which errors the intervals include and leave out."""
        return self.found.contents.sentence

    def is_current(self, study: Study) -> bool:
        """Whether a study has the same answers and the same design."""
        return self.study.has_same_answers(study)


@dataclass(frozen=True)
class ModelError:
    """A regression that cannot be fitted, and why in one sentence."""

    question: ModelQuestion
    sentence: str
    study: Study


def answer_model(
    question: ModelQuestion, study: Study, source: DistortedCache, progress: Progress = silent
) -> ModelResult | ModelError:
    """Fit a regression to the distorted answers of a study; run it in a job."""
    try:
        answers = source.of(study, part(progress, 0.0, 0.2))
        return fit_to_study(question, study, answers, part(progress, 0.2, 1.0))
    except WorkbenchError as error:
        return ModelError(question, study.titled(error.message), study)


def fit_to_study(
    question: ModelQuestion, study: Study, answers: Answers, progress: Progress = silent
) -> ModelResult:
    """Fit a regression to the answers of a study, drawn as the study says."""
    found = fit_model(
        question, answers, study.design, seed=study.settings.seed, sampling=study.sampling,
        progress=progress,
    )  # fmt: skip
    told = dict.fromkeys((*treated_missing(question.attributes, study), *found.remarks))
    return ModelResult(
        question, study, found, tuple(map(study.titled, told)), fingerprint(study),
        datetime.now().astimezone(),
    )  # fmt: skip


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
    """Fit what was asked for; ``options`` take the place of the question's own target."""
    if options is None and question.target != POPULATION:
        options = SamplingOptions(target=question.target)
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


@dataclass(frozen=True)
class PastModel:
    """One row of the history: a regression, what it found in short, and its design.

    ``sentence`` names attributes as their columns; :meth:`Study.titled` says what people call them.
    """

    question: ModelQuestion
    sentence: Message
    n: int = 0
    mark: str = ""
    when: str = ""
    sampling: Sampling | None = None

    @classmethod
    def of_result(cls, result: ModelResult, sentence: Message) -> Self:
        """The row of a result that is told in a sentence."""
        return cls(
            result.question, sentence, result.found.n, result.mark,
            result.when.isoformat(timespec="seconds"), result.study.sampling,
        )  # fmt: skip

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that its words are about."""
        return (*self.question.attributes, *(self.sampling.columns if self.sampling else ()))

    def to_json(self) -> dict[str, Any]:
        """The row as the study keeps it."""
        drawn = {} if self.sampling is None else {"sampling": self.sampling.to_json()}
        return {
            "question": self.question.to_json(),
            **drawn,
            "sentence": self.sentence.to_json(),
            "n": self.n,
            "mark": self.mark,
            "when": self.when,
        }

    @classmethod
    def from_json(cls, given: Any) -> Self:
        """A row that was kept; what cannot be one is a ValueError."""
        if not isinstance(given, Mapping) or not isinstance(given.get("question"), Mapping):
            raise ValueError("not a regression")
        n = given.get("n", 0)
        try:
            sampling = Sampling.from_json(given["sampling"]) if "sampling" in given else None
        except WorkbenchError as error:
            raise ValueError(str(error)) from None
        return cls(
            ModelQuestion.from_json(given["question"]),
            Message.from_json(given.get("sentence", "")),
            n if isinstance(n, int) and n >= 0 else 0,
            str(given.get("mark", "")), str(given.get("when", "")), sampling,
        )  # fmt: skip


def models_to_json(rows: Sequence[PastModel]) -> dict[str, Any]:
    """All rows as the study keeps them, the newest first."""
    return {"asked": [row.to_json() for row in rows[:MOST_KEPT]]}


def models_from_json(given: object) -> tuple[PastModel, ...]:
    """All rows that were kept and can be read; others are left out."""
    listed = given.get("asked") if isinstance(given, Mapping) else None
    rows = []
    for one in listed if isinstance(listed, list) else []:
        try:
            rows.append(PastModel.from_json(one))
        except (ValueError, TypeError):
            continue
    return tuple(rows[:MOST_KEPT])
