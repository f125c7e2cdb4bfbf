"""The answers to questions: estimates, those of single arms, and what stands beside them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.compliance.assess_list import ListResult
from ppworkbench.core.compliance.result import Compliance
from ppworkbench.core.data.sampling_roles import POPULATION, RESPONDENTS, Sampling, SamplingOptions
from ppworkbench.core.data.table import Table
from ppworkbench.core.design import Design
from ppworkbench.core.errors import ParameterError, WorkbenchError
from ppworkbench.core.message import Message
from ppworkbench.core.models import Regression
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.reconstruct.sharpness import NONE
from ppworkbench.core.reconstruct.worst_case import WORST_CASE, Limits
from ppworkbench.core.sampling.results import SampleSummary, interval_contents
from ppworkbench.core.survey.answers import as_table, meeting, original_answers
from ppworkbench.core.survey.arm_equality import ArmEquality, arm_equality
from ppworkbench.core.survey.conditions.condition import Condition
from ppworkbench.core.survey.conditions.regions import regions_of
from ppworkbench.core.survey.counts import Count, count
from ppworkbench.core.survey.crosstabs import CrossTable, crosstab
from ppworkbench.core.survey.distributions import Distribution, distribution
from ppworkbench.core.survey.estimates import JOINT, SEQUENTIAL, SHARE_INCLUDED, Estimate
from ppworkbench.core.survey.group_differences import GroupDifferences, compare
from ppworkbench.core.survey.joint_em import SMOOTHED
from ppworkbench.core.survey.means import Mean, mean
from ppworkbench.core.survey.parted import PartedAnswers
from ppworkbench.core.survey.participants import Participants, participants
from ppworkbench.core.survey.quantiles import Quantiles, quantile
from ppworkbench.study.analyses import lists
from ppworkbench.study.analyses.compliance import questions as compliance
from ppworkbench.study.analyses.regression.questions import fit_model
from ppworkbench.study.analyses.survey.questions import (
    COMPARE,
    COMPLIANCE,
    COUNT,
    CROSSTAB,
    DISTRIBUTION,
    LIST,
    MEAN,
    PARTICIPANTS,
    QUANTILE,
    REGRESSION,
    Question,
    check_attributes,
    checked_attribute,
    columns_of,
    compliance_of,
    model_of,
    sampling_options,
    takes_rows,
    uses_sampling,
    within_arms,
)
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

Result = (
    Count | Mean | Quantiles | Distribution | CrossTable | GroupDifferences | Regression
    | ListResult | Compliance | Participants
)  # fmt: skip


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
    beside: Count | Mean | None
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
    def sample(self) -> SampleSummary | None:
        """Whom the result is about; None where nothing is said about the sampling."""
        result = self.result
        if isinstance(result, Participants | Regression | ListResult | Compliance):
            return None
        return result.sample

    @property
    def interval_contents(self) -> Message | None:
        """Which errors the intervals include and leave out; None where there is no valid one."""
        if isinstance(self.result, Participants) or not self.question.has_valid_interval:
            return None
        if isinstance(self.result, Compliance):
            # What intervals usually leave out, those who do not follow, is the subject here.
            return None
        if isinstance(self.result, Regression):
            return self.result.contents.sentence
        if isinstance(self.result, ListResult):
            return lists.list_contents(self.study.sampling, self.question.target)
        sample = self.sample
        if sample is not None:
            return sample.errors
        remarks = self.result.remarks
        return interval_contents(
            smoothed=SMOOTHED in remarks, shared=SHARE_INCLUDED in remarks
        ).sentence

    @property
    def limits(self) -> Limits | None:
        """The worst-case bounds of a count or a mean; None for other answers."""
        return self.result.limits if isinstance(self.result, Count | Mean) else None

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
    if study.reported_parts is not None:
        told[estimated_words(study.reported_parts)] = None
    remarks = tuple(map(study.titled, told))
    shown = study.distorted
    if study.reported_parts is None and isinstance(answers, Answers):
        shown = answers.distorted
    assert shown is not None  # noqa: S101 (parts have a sample)
    return SurveyResult(
        asked, study, result, other, shown, remarks, fingerprint(study),
        datetime.now().astimezone(), _truly(result, study, answers), apart, why_not,
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
    attribute = study.design[name].attribute
    try:
        answers = answers_for(Question(COMPLIANCE, compliance=asked), study, source, progress)
        found = compliance.assess(
            asked, _of_rows(answers), study.design, seed=study.settings.seed,
            sampling=study.sampling,
        )  # fmt: skip
        inside = regions_of(question.condition, study.design)[name].contains(np.arange(attribute.k))
    except WorkbenchError:
        # The design may have changed since.
        return None
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
        assert isinstance(result, Count | Mean)  # noqa: S101 (only these have limits)
        if result.limits is not None:
            value = share_of(result) if isinstance(result, Count) else result.value
            found.append(SharperInterval(result.limits.assumption.sharpest, value))
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
    condition, method = question.condition, question.method
    table, original = distorted_of(answers), original_of(answers)
    design = within_arms(question, design)
    of, by = question.of, question.by
    drawn: dict[str, Any] = {"sampling": sampling, "options": options}
    shared: dict[str, Any] = {
        "original": original, "confidence": confidence, "progress": progress,
    }  # fmt: skip
    noisy: dict[str, Any] = {"sharpness": sharpest, "seed": seed}
    both = {question.of: bins, question.by: bins}
    work: dict[str, Callable[[], Result]] = {
        COUNT: lambda: count(table, design, condition, method, **noisy, **shared, **drawn),
        MEAN: lambda: mean(table, design, of, condition, method, **noisy, **shared, **drawn),
        QUANTILE: lambda: quantile(
            as_table(table), design, of, question.at, condition, **noisy, **shared, **drawn
        ),
        DISTRIBUTION: lambda: distribution(
            table, design, of, condition, method, bins=bins, **noisy, **shared, **drawn
        ),
        CROSSTAB: lambda: crosstab(
            table, design, of, by, condition, method, bins=both, **shared, **drawn
        ),
        COMPARE: lambda: compare(
            as_table(table), design, of, by,
            value=question.value or None, condition=condition, bins=bins,
            reference=question.reference or None, confidence=confidence, progress=progress,
            **drawn,
        ),
        REGRESSION: lambda: fit_model(
            model_of(question), answers, design, seed=seed, progress=progress, **drawn
        ),
        LIST: lambda: lists.ask_list(
            question.inquiry, _of_rows(answers), design, progress=progress, **drawn
        ),
        COMPLIANCE: lambda: compliance.assess(
            compliance_of(question), _of_rows(answers), design,
            seed=seed, progress=progress, **drawn,
        ),
        PARTICIPANTS: lambda: participants(
            as_table(table), design, condition, method,
            size=question.size, draw=question.draw, seed=question.seed, **shared, **drawn,
        ),
    }  # fmt: skip
    return work[question.statistic]()


def _of_rows(answers: Answers | PartedAnswers) -> Answers:
    """Answers that are rows; refuse those of a folder of parts."""
    if isinstance(answers, PartedAnswers):
        as_table(answers)
    assert isinstance(answers, Answers)  # noqa: S101 (the others were refused)
    return answers


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
    return ArmEstimates(found, arm_equality(tuple(found.values())))


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
) -> Count | Mean | None:
    """The other number, where there is one; that there is none is no reason to fail."""
    if question.statistic not in (COUNT, MEAN):
        return None
    if uses_sampling(question, study):
        is_sample = question.target == RESPONDENTS
        other = question.with_(target=POPULATION if is_sample else RESPONDENTS)
    else:
        other = question.with_(method=SEQUENTIAL if question.method == JOINT else JOINT)
    try:
        found = estimate(
            other, answers, study.design,
            seed=study.settings.seed, progress=progress, **sampling_options(other, study),
        )  # fmt: skip
    except WorkbenchError:
        return None
    return found if isinstance(found, Count | Mean) else None


def share_of(found: Count) -> Estimate:
    """A number of people as a share of all of them."""
    if found.share is not None:
        return found.share
    value, n = found.value, max(found.respondents, 1)
    naive, true = (None if one is None else one / n for one in (value.naive, value.true))
    return Estimate(
        value.estimate / n, value.low / n, value.high / n, value.standard_error / n, naive, true
    )


def effect_of(answer: SurveyResult) -> tuple[float, float] | None:
    """The sampling effect and the effective number of answers; None where there is none."""
    result = answer.result
    value = share_of(result) if isinstance(result, Count) else None
    value = result.value if isinstance(result, Mean) else value
    details = None if value is None else value.details
    if details is None or answer.question.target == RESPONDENTS:
        return None
    found = details.sampling_effect, details.effective_n
    return found if all(map(math.isfinite, found)) else None


def _titled(sentence: str, condition: Condition, study: Study) -> str:
    """What the core says, with what people call the attributes, also those of its condition."""
    if isinstance(sentence, Message):
        sentence = sentence.with_(condition=str(condition.titled(study.shown)))
    return study.titled(sentence)


def _truly(
    result: Result, study: Study, answers: Answers | PartedAnswers
) -> NDArray[np.bool_] | None:
    """Which of the listed participants really meet the condition."""
    original = original_of(answers)
    if not isinstance(result, Participants) or original is None:
        return None
    regions = regions_of(result.condition, study.design)
    listed = original_answers(original.take(result.rows), study.design, regions)
    truly = np.zeros(len(result.rows), np.bool_)
    truly[listed.rows] = meeting(listed.data, regions, listed.n)
    return truly
