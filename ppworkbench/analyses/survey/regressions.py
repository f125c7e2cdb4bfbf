"""Regressions as the window asks for them: what is proposed, predicted and checked."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ppworkbench.analyses.regression.regress import Regress
from ppworkbench.analyses.survey.answers import (
    SurveyError,
    SurveyResult,
    answer_question,
    answers_for,
    ask_again,
)
from ppworkbench.analyses.survey.questions import (
    Question,
    uses_sampling,
)
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.sampling_roles import BOOTSTRAP
from ppworkbench.core.data.table import Table
from ppworkbench.core.design import Design
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.message import Message
from ppworkbench.core.models import Formula, Regression
from ppworkbench.core.models.estimating import ML
from ppworkbench.core.models.formula import LOG, Term, Variable
from ppworkbench.core.models.problem import offered_models
from ppworkbench.core.models.regress import MODEL, ROBUST, SAMPLING
from ppworkbench.core.models.results import FitTest, Prediction
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.study.distorted_cache import DistortedCache
from ppworkbench.study.study import Study

VARIANCES = (MODEL, ROBUST, SAMPLING, BOOTSTRAP)
_PROPOSED = 3
"""So many predictors are proposed."""
_MOST_VALUES = 12
"""An attribute with more values is not proposed: it may name people."""
_POINTS = 13
"""At so many values of a number the outcome is predicted."""


# What is asked first


def first_model(study: Study) -> Regress | None:
    """What is explained first: the answers marked as sensitive, by some that are not randomised."""
    outcome = _first_outcome(study)
    if outcome is None:
        return None
    names = _first_predictors(study, outcome.name)
    terms = tuple(Term((Variable(name),)) for name in names)
    return Regress(formula=Formula(outcome.name, first_value(outcome), terms))


def _first_outcome(study: Study) -> Attribute | None:
    roles = study.design.roles
    known = [one.attribute for one in study.design if one.name not in roles]

    def rank(attribute: Attribute) -> int:
        if attribute.sensitive:
            return 0
        is_randomised = not study.design.perturbation(attribute.name).is_identity
        if is_randomised and 2 <= attribute.k <= _MOST_VALUES:
            return 1
        return 2 if 2 <= attribute.k <= _MOST_VALUES else 3

    return min(known, key=rank, default=None)


def _first_predictors(study: Study, outcome: str) -> list[str]:
    """Plain columns first: a randomised predictor makes every interval wider."""
    roles = study.design.roles
    usable = [
        one.name
        for one in study.design
        if one.name not in (outcome, *roles)
        and (not one.attribute.kind.is_categorical or 2 <= one.attribute.k <= _MOST_VALUES)
    ]
    plain = [name for name in usable if study.design.perturbation(name).is_identity]
    valued = sorted(usable, key=lambda name: study.design[name].attribute.k or math.inf)
    return plain[:_PROPOSED] or valued[:1]


def first_value(attribute: Attribute) -> str:
    """The answer whose share is explained first; empty where the attribute is taken whole."""
    if not attribute.kind.is_categorical:
        return ""
    if attribute.sensitive:
        return attribute.sensitive[0]
    return attribute.values[-1] if attribute.k == 2 else ""


def can_be_used(model: Regress | None, study: Study) -> bool:
    return model is not None and all(name in study.design for name in model.formula.attributes)


def models_for(formula: Formula, design: Design) -> tuple[str, ...]:
    """The models that suit the outcome, the proposed one first."""
    if formula.outcome not in design:
        return ()
    return offered_models(formula, design[formula.outcome].attribute)


def with_formula(model: Regress, formula: Formula, design: Design) -> Regress:
    """The same with another formula; a model that does not suit it gives way to the proposed."""
    options = model.options
    if options.model not in models_for(formula, design):
        options = dataclasses.replace(options, model="")
    return dataclasses.replace(model, formula=formula, options=options)


def randomised(names: Sequence[str], design: Design) -> tuple[str, ...]:
    """Which of some attributes reach the analyst distorted."""
    return tuple(
        name for name in names if name in design and not design.perturbation(name).is_identity
    )


def why_no_variance(question: Question, study: Study) -> dict[str, Message]:
    """Which standard errors there are none of, and why."""
    model = question.model
    if model is None:
        return {}
    if uses_sampling(question, study):
        why = Message("It knows nothing of the sampling.")
        return {MODEL: why, ROBUST: why}
    reasons = {SAMPLING: Message("No weights, strata or clusters are known.")}
    if not _has_likelihood(question, study):
        reasons[MODEL] = Message("There is no likelihood here.")
    return reasons


def _has_likelihood(question: Question, study: Study) -> bool:
    model = question.model
    if model is None or model.options.method != ML or uses_sampling(question, study):
        return False
    if any(study.design.anchor_of(name) is not None for name in model.formula.attributes):
        return False
    outcome = model.formula.outcome
    is_number = not study.design[outcome].attribute.kind.is_categorical
    return not (is_number and randomised((outcome,), study.design))


def why_no_fit_test(answer: SurveyResult) -> Message | None:
    """Why the fit cannot be judged by simulated surveys; None where it can."""
    found = answer.result
    if isinstance(found, Regression) and not found.family.gives_shares:
        return Message("The fit is judged for outcomes with values only.")
    if not _has_likelihood(answer.question, answer.study):
        return Message(
            "The fit is judged by simulated surveys, which need the likelihood, no sampling and no "
            "check question."
        )
    return None


# Asking


def answer_regression(
    question: Question, by: str, study: Study, source: DistortedCache, progress: Progress = silent
) -> SurveyResult | SurveyError:
    """Fit a regression, test it against one without predictors, predict; run it in a job.

    Other questions are just answered.
    """
    model = question.model
    if model is None:
        return answer_question(question, study, source, progress)
    asked = question.with_(model=_with_predictions(question, by, study, source, progress))
    found = answer_question(asked, study, source, part(progress, 0.1, 1.0))
    if isinstance(found, SurveyError) and asked.model != model.plain:
        # The coefficients are worth telling also where nothing can be predicted from them.
        found = answer_question(question.essence, study, source, part(progress, 0.5, 1.0))
    return found


def _with_predictions(
    question: Question, by: str, study: Study, source: DistortedCache, progress: Progress
) -> Regress:
    model = question.model
    assert model is not None  # noqa: S101 (seen by the caller)
    model = model.plain
    formula = model.formula
    if formula.terms and formula.intercept and _has_likelihood(question, study):
        smaller = Formula(formula.outcome, formula.value, ())
        model = dataclasses.replace(model, compare_with=smaller)
    if by not in formula.predictors or by not in study.design:
        return model
    try:
        answers = source.of(study, part(progress, 0.0, 0.1))
        values = values_to_predict(formula, by, study.design, answers.distorted)
    except WorkbenchError:
        return model
    return dataclasses.replace(model, predict=tuple({by: value} for value in values))


def values_to_predict(formula: Formula, by: str, design: Design, table: Table) -> tuple[str, ...]:
    """The values of a predictor at which the outcome is predicted.

    Those that were answered; of a number that is distorted, its range.
    """
    attribute = design[by].attribute
    if attribute.kind.is_categorical:
        return attribute.values
    low, high = attribute.domain or (0.0, 1.0)
    if design.perturbation(by).is_identity and by in table.names:
        numbers = np.asarray(table[by].data, np.float64)
        numbers = numbers[np.isfinite(numbers)]
        if len(numbers):
            low, high = float(numbers.min()), float(numbers.max())
    takes_log = any(
        one.name == by and one.function == LOG for term in formula.terms for one in term.variables
    )
    if takes_log and low <= 0:
        low = (high - min(low, 0.0)) / 100
    if not high > low:
        return (f"{low:.10g}",)
    return tuple(f"{value:.10g}" for value in np.linspace(low, high, _POINTS))


@dataclass(frozen=True, eq=False)
class ModelPredictions:
    """What a regression expects by one of its predictors, or why there is nothing to tell."""

    answer: SurveyResult
    by: str
    rows: tuple[Prediction, ...] = ()
    refusal: str = ""


def own_predictions(answer: SurveyResult) -> ModelPredictions | None:
    """What was predicted with the fit; None where nothing was."""
    found = answer.result
    if not isinstance(found, Regression) or not found.predictions:
        return None
    return ModelPredictions(answer, next(iter(found.predictions[0].given)), found.predictions)


def predict_by(
    by: str, answer: SurveyResult, source: DistortedCache, progress: Progress = silent
) -> ModelPredictions:
    """Predict by another predictor; run it in a job."""
    asked, study = answer.question, answer.study
    try:
        model = _with_predictions(asked, by, study, source, progress)
        answers = answers_for(asked, study, source, part(progress, 0.1, 0.5))
        found = ask_again(answer, answers, part(progress, 0.1, 1.0), predict=model.predict)
    except WorkbenchError as error:
        return ModelPredictions(answer, by, refusal=study.titled(error.message))
    return ModelPredictions(answer, by, found.predictions)


@dataclass(frozen=True, eq=False)
class JudgedFit:
    """How well a regression fits, or why that cannot be told."""

    answer: SurveyResult
    test: FitTest | None
    refusal: str = ""


def judge_fit(
    answer: SurveyResult, source: DistortedCache, progress: Progress = silent
) -> JudgedFit:
    """Simulate surveys from a regression; run it in a job."""
    asked, study = answer.question, answer.study
    assert asked.model is not None  # noqa: S101 (only regressions are judged)
    try:
        # The simulated surveys need no standard errors, so they do not wait for a bootstrap.
        options = dataclasses.replace(asked.model.options, variance="")
        answers = answers_for(asked, study, source, progress)
        found = ask_again(answer, answers, progress, options=options, fit=True)
    except WorkbenchError as error:
        return JudgedFit(answer, None, study.titled(error.message))
    return JudgedFit(answer, found.fit)
