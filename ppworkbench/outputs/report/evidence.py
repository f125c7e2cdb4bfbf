"""What a report is made of: answers that may be shown, estimates and measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from ppworkbench.analyses.compliance.questions import assess as assess_compliance
from ppworkbench.analyses.design import noncompliance_of
from ppworkbench.analyses.regression.questions import (
    ModelQuestion,
    ModelResult,
    fit_to_study,
)
from ppworkbench.analyses.survey.history import RESULTS, history_from_json
from ppworkbench.analyses.survey.questions import model_of
from ppworkbench.core.arrays import Numbers
from ppworkbench.core.compliance.question import ComplianceQuestion
from ppworkbench.core.compliance.result import Compliance
from ppworkbench.core.data.sampling_roles import Sampling
from ppworkbench.core.data.table import Table
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.message import Message
from ppworkbench.core.privacy.assess import assess, assess_arms
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.privacy.report import ArmsReport, QuestionnaireReport
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.reconstruct import Reconstruction, reconstruct_table
from ppworkbench.core.reconstruct.by_arm import ArmResults
from ppworkbench.core.reconstruct.reconstruct import reconstruct_by_arm
from ppworkbench.core.sampling.reconstruction import reconstruct_sample
from ppworkbench.core.sampling.reconstruction_results import SampledReconstruction
from ppworkbench.core.sampling.sample import SampleReader
from ppworkbench.fieldwork.page.explain import Explainer
from ppworkbench.study.bundle_target import file_stem
from ppworkbench.study.distorted_cache import Answers, distorted_answers
from ppworkbench.study.language import ENGLISH_TONGUE, Language
from ppworkbench.study.study import Study

MOST_MODELS = 12
"""Regressions of a report; older ones are only counted."""


@dataclass(frozen=True)
class RefusedModel:
    """A regression that cannot be fitted now, and why in one sentence."""

    question: ModelQuestion
    sentence: str
    arms: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class CheckedQuestion:
    """A question whose compliance was asked for, and the answer or why there is none now."""

    question: ComplianceQuestion
    found: Compliance | None = None
    sentence: str = ""


@dataclass(frozen=True, eq=False)
class Evidence:
    """A study with all that follows from it.

    ``original`` is None in a study that came distorted: then nothing here comes from the truth.
    ``sampled`` has the parts of errors where the study says how people were drawn, and ``weights``
    how much each row counts; None where all count the same. ``models`` are the regressions of the
    study's history, fitted to its answers as they are now, and ``more_models`` counts the others.
    With arms the ``assessment`` is that of the usual devices, ``arms`` has that of every arm, and
    ``by_arm`` the distribution of an attribute in every arm. ``refused`` says why an attribute has
    no distribution.
    ``checked`` are the questions of which it was asked who followed the instructions.
    ``table_name`` is the file of the answers, where it is not the usual one.
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
    arms: ArmsReport | None = None
    by_arm: Mapping[str, ArmResults] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)
    checked: tuple[CheckedQuestion, ...] = ()
    table_name: str = ""

    @property
    def table_file(self) -> str:
        """The file of the answers that the reader has, or would have."""
        return self.table_name or f"{file_stem(self.study.title)}.csv"

    @property
    def design_file(self) -> str:
        """The file of the design that lies beside it."""
        return f"{Path(self.table_file).stem}-design.json"

    @cached_property
    def _explainer(self) -> Explainer:
        return Explainer(self.study.design.without_arms(), self.tongue.code)

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
        if self.reconstructed and any(map(self.study.is_expected, self.reconstructed)):
            return Message(
                "an attacker knows the expected distribution of the study, otherwise the one "
                "estimated from these answers"
            )
        if self.reconstructed:
            return Message("an attacker knows the distribution estimated from these answers")
        return Message(
            "an attacker knows the expected distribution of the study, otherwise a uniform one"
        )


def gather(
    study: Study,
    progress: Progress = silent,
    tongue: Language = ENGLISH_TONGUE,
    table_name: str = "",
) -> Evidence:
    """Distort where that is needed, estimate and measure every attribute."""
    original: Table | None = None
    distorted = study.distorted or Table(())
    if study.original is not None:
        answers = distorted_answers(study, part(progress, 0, 0.2))
        distorted, original = answers.distorted, answers.original
    found: dict[str, Reconstruction] = {}
    sampled: dict[str, SampledReconstruction] = {}
    by_arm: dict[str, ArmResults] = {}
    refused: dict[str, str] = {}
    design = study.design
    usual = design.without_arms()
    names = [name for name in usual.names if name in distorted]
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
            if design.has_arms and design[name].attribute.kind.is_categorical:
                by_arm[name] = reconstruct_by_arm(distorted, design, name)
        except WorkbenchError as error:
            # A column without a single answer has nothing to estimate; the report goes on without.
            if design.has_arms:
                refused[name] = error.message
    asked = _asked_models(study) if distorted.rows else []
    models = _fit_models(
        asked[:MOST_MODELS], study, Answers(distorted, original), part(progress, 0.6, 0.9)
    )
    checked = _check_questions(study, Answers(distorted, original), part(progress, 0.9, 0.95))
    priors = {name: _prior(study, name, found.get(name)) for name in usual.names}
    rows = distorted.rows or study.settings.respondents
    ignoring = noncompliance_of(study)
    assessment = assess(usual, priors, rows, ignoring)
    arms = assess_arms(design, priors, rows, ignoring) if design.has_arms else None
    progress(1.0, "measured")
    weights = _weights(study, distorted) if sampled else None
    return Evidence(
        study, distorted, original, found, assessment, tongue, sampled, weights, models,
        max(len(asked) - MOST_MODELS, 0), arms, by_arm, refused, checked,
        table_name,
    )  # fmt: skip


AskedModel = tuple[ModelQuestion, tuple[str, ...]]
"""A regression, and the arms that it is asked of."""


def _asked_models(study: Study) -> list[AskedModel]:
    """Every regression of the history once, the newest first."""
    asked: list[AskedModel] = []
    for row in history_from_json(study.results.get(RESULTS)):
        if row.question.model is None:
            continue
        one = model_of(row.question), row.question.arms
        if one not in asked:
            asked.append(one)
    return asked


def _fit_models(
    asked: Sequence[AskedModel], study: Study, answers: Answers, progress: Progress
) -> tuple[ModelResult | RefusedModel, ...]:
    found: list[ModelResult | RefusedModel] = []
    for place, (question, arms) in enumerate(asked):
        step = part(progress, place / len(asked), (place + 1) / len(asked))
        step(0.0, Message("fitting {formula}", formula=str(question.formula)))
        try:
            found.append(fit_to_study(question, study, answers, step, arms))
        except WorkbenchError as error:
            # A design that changed may not allow what was asked before.
            found.append(RefusedModel(question, study.titled(error.message), arms))
    return tuple(found)


def _check_questions(
    study: Study, answers: Answers, progress: Progress
) -> tuple[CheckedQuestion, ...]:
    """Every question of compliance in the history once, the newest first."""
    asked: list[ComplianceQuestion] = []
    for row in history_from_json(study.results.get(RESULTS)):
        one = row.question.compliance
        if one is not None and one not in asked:
            asked.append(one)
    found = []
    for question in asked[:MOST_MODELS] if answers.distorted.rows else []:
        try:
            told = assess_compliance(
                question, answers, study.design, seed=study.settings.seed, progress=progress,
                sampling=study.sampling,
            )  # fmt: skip
        except WorkbenchError as error:
            found.append(CheckedQuestion(question, sentence=study.titled(error.message)))
        else:
            found.append(CheckedQuestion(question, told))
    return tuple(found)


def _weights(study: Study, distorted: Table) -> Numbers | None:
    return SampleReader(Sampling(weight=study.design.weight)).read(distorted).weights


def _estimate(study: Study, distorted: Table, original: Table | None, name: str) -> Reconstruction:
    return reconstruct_table(distorted, study.design, [name], original=original)[name]


def _prior(study: Study, name: str, estimate: Reconstruction | None) -> Prior:
    if study.original is None and estimate is not None and not study.is_expected(name):
        try:
            return Prior.from_weights(
                study.design[name].attribute, estimate.probability, estimate.edges
            )
        except WorkbenchError:
            return study.prior(name)
    return study.prior(name)
