"""What a report is made of: answers that may be shown, estimates and measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from ppworkbench.analyses.designs.design import noncompliance_of
from ppworkbench.analyses.estimates.list_item import ListItem
from ppworkbench.analyses.estimates.lists import fitting_inquiry
from ppworkbench.analyses.mining.mine import MiningResult
from ppworkbench.analyses.mining.runs import newest_request, source_of
from ppworkbench.analyses.survey.answers import SurveyError, SurveyResult, answer_question
from ppworkbench.analyses.survey.history import RESULTS, history_from_json
from ppworkbench.analyses.survey.questions import (
    COMPLIANCE,
    LIST,
    REGRESSION,
    Question,
)
from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.sampling_roles import Sampling
from ppworkbench.core.data.table import Table
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.message import Message
from ppworkbench.core.privacy.assess import assess, assess_arms
from ppworkbench.core.privacy.report import ArmsReport, QuestionnaireReport
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.reconstruct import Reconstruction, reconstruct_table
from ppworkbench.core.reconstruct.by_arm import ArmResults
from ppworkbench.core.reconstruct.reconstruct import reconstruct_by_arm
from ppworkbench.core.sampling.reconstruction import reconstruct_sample
from ppworkbench.core.sampling.results import SampledReconstruction
from ppworkbench.core.sampling.sample import SampleReader
from ppworkbench.fieldwork.page.explain import Explainer
from ppworkbench.study.bundle_target import file_stem
from ppworkbench.study.distorted_cache import DistortedCache
from ppworkbench.study.language import ENGLISH_TONGUE, Language
from ppworkbench.study.study import Study

Asked = tuple[SurveyResult | SurveyError, ...]
"""Answers, or why there are none now."""
MOST_KEPT = 6
"""Other questions of the history that are answered again."""
MOST_MODELS = 12
"""Regressions of a report; older ones are only counted."""


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
    ``checked`` are the questions of which it was asked who followed the instructions, ``lists`` are
    those of the design as they were last asked about, ``kept`` are answers to what else was asked
    on Survey, and ``mined`` what the newest run of Mine finds in the answers of now.
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
    models: Asked = ()
    more_models: int = 0
    arms: ArmsReport | None = None
    by_arm: Mapping[str, ArmResults] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)
    checked: Asked = ()
    lists: Asked = ()
    kept: tuple[SurveyResult, ...] = ()
    mined: MiningResult | None = None
    table_name: str = ""

    @property
    def table_file(self) -> str:
        return self.table_name or f"{file_stem(self.study.title)}.csv"

    @property
    def design_file(self) -> str:
        return f"{Path(self.table_file).stem}-design.json"

    @cached_property
    def _explainer(self) -> Explainer:
        return Explainer(self.study.design.without_arms(), self.tongue.code)

    def explained(self, name: str) -> str:
        said = self._explainer.sentence(name)
        return Message("Instruction for respondents: “{sentence}”", sentence=said)

    def heading(self, name: str) -> str:
        shown = self.study.shown(name)
        return shown if shown in (name, self.study.attribute(name).heading) else f"{shown} ({name})"

    @property
    def prior_sentence(self) -> str:
        """From where an attacker's knowledge is taken."""
        if self.original is not None:
            return Message("an attacker knows the true distribution")
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
    source = DistortedCache()
    if study.original is not None:
        answers = source.of(study, part(progress, 0, 0.2))
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
    fitted = _own_questions(study, REGRESSION)
    checked = _own_questions(study, COMPLIANCE)[:MOST_MODELS]
    asked = [*fitted[:MOST_MODELS], *checked, *_listed(study), *_others(study)]
    told = _asked_again(asked if distorted.rows else [], study, source, part(progress, 0.6, 0.85))
    mined = _mined_again(study, source, part(progress, 0.85, 0.95)) if distorted.rows else None

    def of(statistic: str) -> Asked:
        return tuple(one for one in told if one.question.statistic == statistic)

    priors = {name: study.prior(name) for name in usual.names}
    rows = distorted.rows or study.settings.respondents
    ignoring = noncompliance_of(study)
    assessment = assess(usual, priors, rows, ignoring)
    arms = assess_arms(design, priors, rows, ignoring) if design.has_arms else None
    progress(1.0, "measured")
    weights = _weights(study, distorted) if sampled else None
    return Evidence(
        study, distorted, original, found, assessment, tongue, sampled, weights, of(REGRESSION),
        max(len(fitted) - MOST_MODELS, 0) if distorted.rows else 0, arms, by_arm, refused,
        of(COMPLIANCE), of(LIST),
        tuple(
            one for one in told
            if isinstance(one, SurveyResult) and not one.kind.own_question
        ),
        mined, table_name,
    )  # fmt: skip


def _history(study: Study) -> list[Question]:
    """What was asked on Survey, the newest first."""
    history = history_from_json(study.results.get(RESULTS))
    return [*dict.fromkeys(row.question.essence for row in history)]


def _own_questions(study: Study, statistic: str) -> list[Any]:
    asked = (one for one in _history(study) if one.statistic == statistic)
    return [one for one in asked if not one.lacks_own]


def _listed(study: Study) -> list[Question]:
    """Every list of the design, as it was last asked about."""
    asked = {one.inquiry.attribute: one.inquiry for one in reversed(_own_questions(study, LIST))}
    names = [one.name for one in study.design.lists]
    inquiries = (asked.get(name, ListItem(attribute=name)) for name in names)
    return [Question(LIST, inquiry=fitting_inquiry(one, study)) for one in inquiries]


def _others(study: Study) -> list[Question]:
    """The newest questions that have no section of their own."""
    asked = (one for one in _history(study) if not one.kind.own_question and one.asks_something)
    return [*asked][:MOST_KEPT]


def _asked_again(
    asked: Sequence[Question], study: Study, source: DistortedCache, progress: Progress
) -> Asked:
    """Answers of now; a design that changed may not allow what was asked before."""
    return tuple(
        answer_question(
            one, study, source, part(progress, place / len(asked), (place + 1) / len(asked))
        )
        for place, one in enumerate(asked)
    )


def _mined_again(study: Study, source: DistortedCache, progress: Progress) -> MiningResult | None:
    request = newest_request(study)
    if request is None:
        return None
    try:
        return request.run(source_of(study, source, request, progress), progress)
    except WorkbenchError:
        # The design or the answers may not allow it any more.
        return None


def _weights(study: Study, distorted: Table) -> Numbers | None:
    return SampleReader(Sampling(weight=study.design.weight)).read(distorted).weights


def _estimate(study: Study, distorted: Table, original: Table | None, name: str) -> Reconstruction:
    return reconstruct_table(distorted, study.design, [name], original=original)[name]
