"""What a report is made of: answers that may be shown, estimates and measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.sampling_roles import Sampling
from ppworkbench.core.data.table import Table
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.message import Message
from ppworkbench.core.privacy.assess import assess
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.privacy.report import QuestionnaireReport
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.reconstruct import Reconstruction, reconstruct_table
from ppworkbench.core.sampling.reconstruction import SampledReconstruction, reconstruct_sample
from ppworkbench.core.sampling.sample import SampleReader
from ppworkbench.study.analyses.design import noncompliance_of
from ppworkbench.study.analyses.regression import (
    ModelQuestion,
    ModelResult,
    fit_to_study,
)
from ppworkbench.study.analyses.survey import model_of
from ppworkbench.study.analyses.survey_history import RESULTS, history_from_json
from ppworkbench.study.distorted_cache import Answers, distorted_answers
from ppworkbench.study.language import ENGLISH_TONGUE, Language
from ppworkbench.study.questionnaire.explain import Explainer
from ppworkbench.study.study import Study

MOST_MODELS = 12
"""Regressions of a report; older ones are only counted."""


@dataclass(frozen=True)
class RefusedModel:
    """A regression that cannot be fitted now, and why in one sentence."""

    question: ModelQuestion
    sentence: str


@dataclass(frozen=True, eq=False)
class Evidence:
    """A study with all that follows from it.

    ``original`` is None in a study that came distorted: then nothing here comes from the truth.
    ``sampled`` has the parts of errors where the study says how people were drawn, and ``weights``
    how much each row counts; None where all count the same. ``models`` are the regressions of the
    study's history, fitted to its answers as they are now, and ``more_models`` counts the others.
    """

    study: Study
    distorted: Table
    original: Table | None
    reconstructed: Mapping[str, Reconstruction]
    assessment: QuestionnaireReport
    tongue: Language = ENGLISH_TONGUE
    sampled: Mapping[str, SampledReconstruction] = field(default_factory=dict)
    weights: Numbers | None = None
    models: tuple[ModelResult | RefusedModel, ...] = ()
    more_models: int = 0

    @cached_property
    def _explainer(self) -> Explainer:
        return Explainer(self.study.design, self.tongue.code)

    def explained(self, name: str) -> str:
        """What a respondent is told about the attribute."""
        frame = self.tongue.say("Instruction for respondents:")
        return f"{frame} “{self._explainer.sentence(name)}”"

    def heading(self, name: str) -> str:
        """What people call the attribute, and the name where it is another."""
        shown = self.study.shown(name)
        return shown if shown in (name, self.study.attribute(name).heading) else f"{shown} ({name})"

    @property
    def prior_sentence(self) -> str:
        """From where an attacker's knowledge is taken."""
        if self.original is not None:
            return Message("an attacker knows the true distribution")
        if self.reconstructed:
            return Message("an attacker knows the distribution estimated from these answers")
        return Message(
            "an attacker knows the expected distribution of the study, otherwise a uniform one"
        )


def gather(
    study: Study, progress: Progress = silent, tongue: Language = ENGLISH_TONGUE
) -> Evidence:
    """Distort where that is needed, estimate and measure every attribute."""
    original: Table | None = None
    distorted = study.distorted or Table(())
    if study.original is not None:
        answers = distorted_answers(study, part(progress, 0, 0.2))
        distorted, original = answers.distorted, answers.original
    found: dict[str, Reconstruction] = {}
    sampled: dict[str, SampledReconstruction] = {}
    names = [name for name in study.design.names if name in distorted]
    for place, name in enumerate(names):
        progress(0.2 + 0.4 * place / len(names), Message("estimating {attribute}", attribute=name))
        try:
            if study.sampling is None:
                found[name] = _estimate(study, distorted, original, name)
            else:
                sampled[name] = reconstruct_sample(
                    distorted, study.design, study.sampling, names=[name], original=original
                )[name]
                found[name] = sampled[name].found
        except WorkbenchError:
            # A column without a single answer has nothing to estimate; the report goes on without.
            continue
    asked = _asked_models(study) if distorted.rows else []
    models = _fit_models(
        asked[:MOST_MODELS], study, Answers(distorted, original), part(progress, 0.6, 0.95)
    )
    priors = {name: _prior(study, name, found.get(name)) for name in study.design.names}
    rows = distorted.rows or study.settings.respondents
    assessment = assess(study.design, priors, rows, noncompliance_of(study))
    progress(1.0, "measured")
    weights = _weights(study, distorted) if sampled else None
    return Evidence(
        study, distorted, original, found, assessment, tongue, sampled, weights, models,
        max(len(asked) - MOST_MODELS, 0),
    )  # fmt: skip


def _asked_models(study: Study) -> list[ModelQuestion]:
    """Every regression of the history once, the newest first."""
    asked: list[ModelQuestion] = []
    for row in history_from_json(study.results.get(RESULTS)):
        if row.question.model is not None and (model := model_of(row.question)) not in asked:
            asked.append(model)
    return asked


def _fit_models(
    asked: Sequence[ModelQuestion], study: Study, answers: Answers, progress: Progress
) -> tuple[ModelResult | RefusedModel, ...]:
    found: list[ModelResult | RefusedModel] = []
    for place, question in enumerate(asked):
        step = part(progress, place / len(asked), (place + 1) / len(asked))
        step(0.0, Message("fitting {formula}", formula=str(question.formula)))
        try:
            found.append(fit_to_study(question, study, answers, step))
        except WorkbenchError as error:
            # A design that changed may not allow what was asked before.
            found.append(RefusedModel(question, study.titled(error.message)))
    return tuple(found)


def _weights(study: Study, distorted: Table) -> Numbers | None:
    name = None if study.sampling is None else study.sampling.weight
    return SampleReader(Sampling(weight=name)).read(distorted).weights


def _estimate(study: Study, distorted: Table, original: Table | None, name: str) -> Reconstruction:
    return reconstruct_table(distorted, study.design, [name], original=original)[name]


def _prior(study: Study, name: str, estimate: Reconstruction | None) -> Prior:
    if study.original is None and estimate is not None:
        try:
            return Prior.from_weights(
                study.design[name].attribute, estimate.probability, estimate.edges
            )
        except WorkbenchError:
            return study.prior(name)
    return study.prior(name)
