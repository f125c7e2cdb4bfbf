"""The answers to questions: estimates, those of single arms, and what stands beside them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.analyses.compliance import questions as compliance
from ppworkbench.analyses.survey.questions import (
    COMPLIANCE,
    Question,
    check_attributes,
    checked_attribute,
    columns_of,
    pools_arms,
    sampling_options,
    takes_rows,
    uses_sampling,
    within_arms,
)
from ppworkbench.analyses.survey.statistic import EstimateInput, Result, Statistic
from ppworkbench.core.compliance.result import Compliance
from ppworkbench.core.data.sampling_roles import POPULATION, RESPONDENTS, Sampling, SamplingOptions
from ppworkbench.core.data.table import Table
from ppworkbench.core.design import Design
from ppworkbench.core.errors import ParameterError, WorkbenchError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.reconstruct.agreement import DISAGREEMENT, LEVEL
from ppworkbench.core.reconstruct.sharpness import NONE
from ppworkbench.core.reconstruct.worst_case import WORST_CASE, Limits
from ppworkbench.core.sampling.results import SampleSummary, about_waves
from ppworkbench.core.survey.arm_equality import (
    ArmEquality,
    arm_equality,
    compares_arms,
    pooled_arm_equality,
)
from ppworkbench.core.survey.conditions.condition import Condition
from ppworkbench.core.survey.conditions.regions import regions_of
from ppworkbench.core.survey.estimates import JOINT, SEQUENTIAL, Estimate
from ppworkbench.core.survey.parted import PartedAnswers
from ppworkbench.study.distorted_cache import (
    Answers,
    DistortedCache,
    distorted_of,
    original_of,
    treated_missing,
)
from ppworkbench.study.fingerprint import fingerprint
from ppworkbench.study.parts.study_parts import estimated_words
from ppworkbench.study.study import Study


@dataclass(frozen=True, eq=False)
class SurveyResult:
    """What was found, by which method, from which study.

    Parameters
    ----------
    beside
        The same number by the other method, or for the other target where the sampling is used;
        for counts and means where it could be found.
    distorted
        The answers that were asked, or a sample of them; rows of participants point into it.
    truly
        For every listed participant whether the true answers meet the condition, where known.
    readings
        Who followed the instructions, where Share tells its readings beside the estimate.
    mark
        Tells the design and the draw apart from others, also after the study was saved.
    by_arm, no_arms
        Every arm by itself where the question asks for it, or why that cannot be told.
    """

    question: Question
    study: Study
    result: Result
    beside: Result | None
    distorted: Table
    remarks: tuple[str, ...]
    mark: str
    when: datetime
    truly: NDArray[np.bool_] | None = None
    by_arm: ArmEstimates | None = None
    no_arms: str = ""
    readings: Compliance | None = None

    @property
    def asked_rows(self) -> int:
        """How many records were asked: all of the parts where the table is a sample of them."""
        parts = self.study.reported_parts
        return self.distorted.rows if parts is None else parts.rows

    @property
    def kind(self) -> Statistic[Any]:
        """The statistic that was asked for."""
        return self.question.kind

    @property
    def sample(self) -> SampleSummary | None:
        """Whom the result is about; None where nothing is said about the sampling."""
        return self.kind.sample(self.result)

    @property
    def interval_contents(self) -> Message | None:
        """Which errors the intervals include and leave out; None where there is no valid one."""
        if not self.kind.has_interval or not self.question.has_valid_interval:
            return None
        return self.kind.contents(self.result, self)

    @property
    def number(self) -> Estimate | None:
        """The one number of a share or a mean; None for other answers."""
        return self.kind.number(self.result)

    @property
    def number_beside(self) -> Estimate | None:
        """The same by the other method or for the other target, where it could be found."""
        return None if self.beside is None else self.kind.number(self.beside)

    @property
    def limits(self) -> Limits | None:
        """The worst-case bounds of a count or a mean; None for other answers."""
        return self.kind.limits(self.result)

    @property
    def sampling_effect(self) -> tuple[float, float] | None:
        """The sampling effect and the effective number of answers; None where there is none."""
        value = self.number
        details = None if value is None else value.details
        if details is None or self.question.target == RESPONDENTS:
            return None
        found = details.sampling_effect, details.effective_n
        return found if all(map(math.isfinite, found)) else None

    @property
    def bounds_remark(self) -> Message | None:
        """What an interval by worst-case bounds rests on; None for others."""
        if self.limits is None or self.sample is not None:
            # Under a sampling a remark of the result says so.
            return None
        method = self.limits.assumption.method
        return Message("The interval comes from {method}.", code=WORST_CASE, method=method)

    @property
    def sentence(self) -> str:
        """The result as one sentence, with what people call the attributes."""
        return _titled(self.result.sentence, self.question.condition, self.study)

    def is_current(self, study: Study) -> bool:
        """Whether a study has the same answers and the same design."""
        return self.study.has_same_answers(study)


@dataclass(frozen=True)
class SharperInterval:
    """The interval of an answer if peaks of a number under noise may be narrower than assumed.

    ``sharpest`` is None where nothing is assumed of peaks.
    """

    sharpest: float | None
    value: Estimate


@dataclass(frozen=True)
class SurveyError:
    """A question that has no answer, and why in one sentence."""

    question: Question
    sentence: str
    study: Study


def answer_question(
    question: Question, study: Study, source: DistortedCache, progress: Progress = silent
) -> SurveyResult | SurveyError:
    """Ask the distorted answers of a study; run it in a job."""
    asked = question.essence
    try:
        answers = answers_for(asked, study, source, part(progress, 0.0, 0.3))
        result = estimate(
            # What is told beside the coefficients does not make another question.
            asked if asked.model is None else asked.with_(model=question.model),
            answers,
            study.design,
            seed=study.settings.seed,
            progress=part(progress, 0.3, 0.8),
            **sampling_options(asked, study),
        )
    except WorkbenchError as error:
        return SurveyError(asked, _titled(error.message, asked.condition, study), study)
    other = _beside(asked, study, answers, part(progress, 0.8, 0.9))
    apart, why_not = _apart(asked, study, answers)
    told = dict.fromkeys((*treated_missing(asked.attributes, study), *result.remarks))
    if asked.kind.has_interval:
        told |= dict.fromkeys(about_waves(study.design, study.sampling))
    if study.reported_parts is not None:
        told[estimated_words(study.reported_parts)] = None
    remarks = tuple(map(study.titled, told))
    original = original_of(answers)
    truly = None if original is None else asked.kind.find_true(result, study, original)
    shown = study.distorted
    if study.reported_parts is None and isinstance(answers, Answers):
        shown = answers.distorted
    assert shown is not None  # noqa: S101 (parts have a sample)
    return SurveyResult(
        asked, study, result, other, shown, remarks, fingerprint(study),
        datetime.now().astimezone(), truly, apart, why_not,
        _readings(asked, study, source, part(progress, 0.9, 1.0)),
    )  # fmt: skip


def answers_for(
    question: Question, study: Study, source: DistortedCache, progress: Progress = silent
) -> Answers | PartedAnswers:
    """What a question is estimated from: the answers of a study, or all that lie in its parts."""
    answers = source.for_estimates(study, progress)
    return put_together(question, answers, study.design, **sampling_options(question, study))


def put_together(
    question: Question,
    answers: Answers | PartedAnswers,
    design: Design,
    sampling: Sampling | None = None,
    options: SamplingOptions | None = None,
) -> Answers | PartedAnswers:
    """The rows of a folder of parts, for a question that counts are not enough for."""
    sampled = sampling is not None or options is not None
    if not isinstance(answers, PartedAnswers) or not takes_rows(question, sampled=sampled):
        return answers
    return Answers(answers.rows(design, columns_of(question, design), sampling))


def _readings(
    question: Question, study: Study, source: DistortedCache, progress: Progress
) -> Compliance | None:
    """The three readings of a share, if they were wanted and it is the one they are about."""
    name = checked_attribute(question)
    asked = compliance.readings_for(study, name) if name else None
    if asked is None or question.target != POPULATION:
        return None
    attribute, readings = study.design[name].attribute, Question(COMPLIANCE, compliance=asked)
    try:
        answers = answers_for(readings, study, source, progress)
        found = estimate(
            readings, answers, study.design, seed=study.settings.seed, sampling=study.sampling
        )
        inside = regions_of(question.condition, study.design)[name].contains(np.arange(attribute.k))
    except WorkbenchError:
        # The design may have changed since.
        return None
    assert isinstance(found, Compliance)  # noqa: S101 (nothing else was asked)
    is_same = {attribute.values[place] for place in np.flatnonzero(inside)} == set(found.sensitive)
    return found if is_same and found.classes is not None and found.classes.extra else None


def sharper_intervals(
    answer: SurveyResult, source: DistortedCache, progress: Progress = silent
) -> tuple[SharperInterval, ...]:
    """The interval for peaks half as narrow as assumed and for any peaks; run it in a job.

    Where these differ much from that of the answer, the assumption carries the result.
    """
    limits, study, asked = answer.limits, answer.study, answer.question
    if limits is None or limits.assumption.sharpest is None:
        return ()
    answers = answers_for(asked, study, source, part(progress, 0.0, 0.2))
    found = []
    for place, sharpest in enumerate((str(limits.assumption.sharpest / 2), NONE)):
        result = estimate(
            asked, answers, study.design,
            seed=study.settings.seed, sharpest=sharpest,
            progress=part(progress, 0.2 + 0.4 * place, 0.6 + 0.4 * place),
            **sampling_options(asked, study),
        )  # fmt: skip
        limits, value = asked.kind.limits(result), asked.kind.number(result)
        if limits is not None and value is not None:
            found.append(SharperInterval(limits.assumption.sharpest, value))
    # Half of a width below a cell is none at all.
    return tuple({one.sharpest: one for one in found}.values())


def estimate(  # noqa: PLR0913 (keywords with defaults)
    question: Question,
    answers: Answers | PartedAnswers,
    design: Design,
    *,
    seed: int = 0,
    confidence: float = 0.95,
    bins: int | None = None,
    sharpest: str = "auto",
    sampling: Sampling | None = None,
    options: SamplingOptions | None = None,
    progress: Progress = silent,
) -> Result:
    """The statistic of a question, asked of the arms that it chooses.

    Parameters
    ----------
    seed
        Where the draws of the sequential method start; the question has that of participants.
    bins
        Into how many bins distributions and cross tables cut a number.
    sharpest
        The sharpest feature of a number under noise: ``auto``, ``none`` or a number.
    sampling, options
        How people were drawn, and how that is used.
    """
    given = EstimateInput(
        answers, within_arms(question, design), seed, confidence, bins, sharpest, sampling, options,
        progress,
    )  # fmt: skip
    found: Result = question.kind.estimate(question, given)
    settings = {
        "seed": seed, "confidence": confidence, "bins": bins, "sharpest": sharpest,
        "sampling": sampling, "options": options,
    }  # fmt: skip
    remarks = _disagreement(question, found, answers, design, settings)
    return replace(found, remarks=(*remarks, *found.remarks)) if remarks else found


def _disagreement(
    question: Question,
    found: Result,
    answers: Answers | PartedAnswers,
    design: Design,
    settings: Mapping[str, Any],
) -> tuple[str, ...]:
    """What is said where the arms do not agree about something else than a pooled share.

    Parts would have to be read again for every arm: they are told by arm where that is asked for.
    """
    kind, arms = question.kind, within_arms(question, design).arms
    if arms is None or "by_arm" not in kind.takes or question.method == SEQUENTIAL:
        return ()
    names = tuple(name for name in check_attributes(question, design) if name != arms.column)
    is_pooled = pools_arms(question, design)
    if is_pooled or isinstance(answers, PartedAnswers) or len(arms.asking(names)) < 2:
        return ()
    if not compares_arms(found):
        return ()
    try:
        apart = estimate_by_arm(question, answers, design, **settings)
    except WorkbenchError:
        # One of the arms may have nobody who meets the condition.
        return ()
    test = apart.equality
    if test is None or not test.p < LEVEL:
        return ()
    said = Message(
        "The arms do not agree (p = {p:.2g}); look at each of them by itself (by arm).",
        p=test.p,
        code=DISAGREEMENT,
    )
    return (said, *test.remarks)


@dataclass(frozen=True, eq=False)
class ArmEstimates:
    """The statistic of every arm by itself, and whether all are the same."""

    results: Mapping[str, Result]
    equality: ArmEquality | None

    def to_json(self) -> dict[str, Any]:
        """What the result of the whole is given in addition."""
        return {
            "arms": {name: found.to_json() for name, found in self.results.items()},
            "equality": None if self.equality is None else self.equality.to_json(),
        }


def estimate_by_arm(
    question: Question, answers: Answers | PartedAnswers, design: Design, **settings: Any
) -> ArmEstimates:
    """The statistic of a question in every arm that asks for it; settings as for `estimate`.

    The answers stay whole: an arm is a part of the sample, and what people of one cluster have in
    common moves the estimates of all arms that it is in.
    """
    if design.arms is None:
        raise ParameterError("The design has no arms to be told apart.", field="by_arm")
    arms = within_arms(question, design).arms
    if arms is None or len(arms.members) < 2:
        raise ParameterError(
            "There are not two arms to be told apart; choose more of them.", field="by_arm"
        )
    names = [name for name in check_attributes(question, design) if name != arms.column]
    found = {
        name: estimate(question.with_(arms=(name,)), answers, design, **settings)
        for name in arms.asking(names)
    }
    test = None
    if settings.get("sampling") is None and settings.get("options") is None:
        chosen, source = within_arms(question, design), distorted_of(answers)
        test = pooled_arm_equality(source, chosen, names, settings.get("seed", 0))
    return ArmEstimates(found, test or arm_equality(tuple(found.values())))


def _apart(
    question: Question, study: Study, answers: Answers | PartedAnswers
) -> tuple[ArmEstimates | None, str]:
    """Every arm by itself where that is asked for, or why it cannot be told."""
    if not question.by_arm:
        return None, ""
    settings = sampling_options(question, study)
    try:
        seed = study.settings.seed
        return estimate_by_arm(question, answers, study.design, seed=seed, **settings), ""
    except WorkbenchError as error:
        return None, _titled(error.message, question.condition, study)


def _beside(
    question: Question, study: Study, answers: Answers | PartedAnswers, progress: Progress
) -> Result | None:
    """The other number, where there is one; that there is none is no reason to fail."""
    if not question.kind.is_number:
        return None
    if uses_sampling(question, study):
        is_sample = question.target == RESPONDENTS
        other = question.with_(target=POPULATION if is_sample else RESPONDENTS)
    else:
        other = question.with_(method=SEQUENTIAL if question.method == JOINT else JOINT)
    try:
        return estimate(
            other, answers, study.design,
            seed=study.settings.seed, progress=progress, **sampling_options(other, study),
        )  # fmt: skip
    except WorkbenchError:
        return None


def _titled(sentence: str, condition: Condition, study: Study) -> str:
    """What the core says, with what people call the attributes, also those of its condition."""
    if isinstance(sentence, Message):
        sentence = sentence.with_(condition=str(condition.titled(study.shown)))
    return study.titled(sentence)
