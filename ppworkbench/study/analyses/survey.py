"""Questions to the distorted answers of a study, and what comes of them."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.data.sampling_roles import POPULATION, RESPONDENTS, Sampling, SamplingOptions
from ppworkbench.core.data.table import Table
from ppworkbench.core.design import Design
from ppworkbench.core.errors import ParameterError, WorkbenchError
from ppworkbench.core.message import Message
from ppworkbench.core.models import Regression
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.reconstruct.grid import labels_of
from ppworkbench.core.reconstruct.sharpness import NONE
from ppworkbench.core.reconstruct.worst_case import WORST_CASE, Limits
from ppworkbench.core.sampling.results import SampleSummary, describe_roles, interval_contents
from ppworkbench.core.survey.answers import meeting, original_answers
from ppworkbench.core.survey.arm_equality import ArmEquality, arm_equality
from ppworkbench.core.survey.conditions import (
    EVERYBODY,
    Comparison,
    Condition,
    Membership,
    Operator,
)
from ppworkbench.core.survey.counts import Count, count
from ppworkbench.core.survey.crosstabs import CrossTable, crosstab
from ppworkbench.core.survey.distributions import Distribution, distribution
from ppworkbench.core.survey.estimates import JOINT, SEQUENTIAL, SHARE_INCLUDED, Estimate
from ppworkbench.core.survey.grids import bins_of
from ppworkbench.core.survey.group_differences import GroupDifferences, compare
from ppworkbench.core.survey.joint_em import SMOOTHED
from ppworkbench.core.survey.means import Mean, mean
from ppworkbench.core.survey.parser import parse_condition
from ppworkbench.core.survey.participants import HIGHEST, RANDOM, Participants, participants
from ppworkbench.core.survey.quantiles import QUARTILES, Quantiles, quantile
from ppworkbench.core.survey.regions import asked_attribute, regions_of
from ppworkbench.study.analyses.regression import ModelQuestion, fit_model
from ppworkbench.study.distorted_cache import Answers, DistortedCache, treated_missing
from ppworkbench.study.fingerprint import fingerprint
from ppworkbench.study.study import Study

COUNT, MEAN, QUANTILE, DISTRIBUTION, CROSSTAB, COMPARE, REGRESSION, PARTICIPANTS = (
    "count", "mean", "quantile", "distribution", "crosstab", "compare", "regression",
    "participants",
)  # fmt: skip
STATISTICS = (COUNT, MEAN, QUANTILE, DISTRIBUTION, CROSSTAB, COMPARE, REGRESSION, PARTICIPANTS)

_WITH_OF = (MEAN, QUANTILE, DISTRIBUTION, CROSSTAB, COMPARE)
_WITH_BY = (CROSSTAB, COMPARE)
ONLY_JOINT = (QUANTILE, CROSSTAB, COMPARE, REGRESSION)
"""Statistics that have no sequential method."""
MOST_VALUES = 24
"""An attribute with more values makes no picture that anybody can read."""


@dataclass(frozen=True)
class Question:
    """One question to the distorted answers.

    Parameters
    ----------
    of, by
        The attribute that is told about, and that of the columns of a cross table or of the groups
        that are compared.
    size
        How many participants are wanted; as many as are expected to meet the condition if None.
    draw, seed
        Whether the most probable ones are listed or a random draw, and where that starts.
    value
        The answer whose share is compared; empty for the mean of a number.
    reference
        The group that all others are compared with; all pairs are compared if empty.
    at
        The shares of people below the quantiles.
    target
        Whether the number is about everybody whom the sample stands for, or about the people who
        answered.
    model
        What a regression explains by what, and how; its condition is that of the question.
    """

    statistic: str = COUNT
    condition: Condition = EVERYBODY
    method: str = JOINT
    of: str = ""
    by: str = ""
    size: int | None = None
    draw: str = HIGHEST
    seed: int = 0
    value: str = ""
    reference: str = ""
    at: tuple[float, ...] = QUARTILES
    target: str = POPULATION
    model: ModelQuestion | None = None

    @property
    def essence(self) -> Self:
        """The same without what does not matter to its statistic."""
        changes: dict[str, Any] = {}
        if self.statistic not in _WITH_OF:
            changes["of"] = ""
        if self.statistic not in _WITH_BY:
            changes["by"] = ""
        if self.statistic in ONLY_JOINT:
            changes["method"] = JOINT
        if self.statistic != COMPARE:
            changes |= {"value": "", "reference": ""}
        if self.statistic != QUANTILE:
            changes["at"] = QUARTILES
        if self.model is not None:
            changes["model"] = plain_model(self.model) if self.statistic == REGRESSION else None
        if self.statistic == PARTICIPANTS:
            changes["target"] = POPULATION
        else:
            changes |= {"size": None, "draw": HIGHEST, "seed": 0}
        return dataclasses.replace(self, **changes)

    @property
    def attributes(self) -> tuple[str, ...]:
        """All attributes that an answer needs."""
        asked = self.essence
        explained = () if asked.model is None else asked.model.formula.attributes
        names = (*asked.condition.attributes, asked.of, asked.by, *explained)
        return tuple(dict.fromkeys(name for name in names if name))

    @property
    def asks_something(self) -> bool:
        """Whether there is something to estimate: all people need not be counted or listed."""
        return self.statistic not in (COUNT, PARTICIPANTS) or bool(self.condition.tests)

    @property
    def has_several_steps(self) -> bool:
        """Whether the sequential method reconstructs several attributes one by one."""
        alone = 1 if self.statistic == COUNT else 0
        return len(self.condition.attributes) > alone

    @property
    def has_valid_interval(self) -> bool:
        """Whether the interval holds; after several steps one by one it does not."""
        return self.method == JOINT or not self.has_several_steps

    def with_(self, **changes: object) -> Self:
        """The same question with something changed."""
        return dataclasses.replace(self, **changes)  # type: ignore[arg-type]

    def to_json(self) -> dict[str, Any]:
        """The question as it is kept in a study."""
        asked = self.essence
        kept: dict[str, Any] = {
            "statistic": asked.statistic, "condition": str(asked.condition), "method": asked.method,
        }  # fmt: skip
        named = ("of", "by", "value", "reference")
        kept |= {name: value for name in named if (value := getattr(asked, name))}
        if asked.statistic == QUANTILE:
            kept["at"] = list(asked.at)
        if asked.target != POPULATION:
            kept["target"] = asked.target
        if asked.statistic == PARTICIPANTS:
            kept |= {"size": asked.size, "draw": asked.draw, "seed": asked.seed}
        if asked.model is not None:
            kept["model"] = asked.model.to_json()
        return kept

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Self:
        """A question that was kept; what cannot be one is a ValueError."""
        try:
            statistic, method = str(given["statistic"]), str(given.get("method", JOINT))
            condition = parse_condition(str(given.get("condition", "")))
            size, model = given.get("size"), given.get("model")
            asked = cls(
                statistic, condition, method, str(given.get("of", "")), str(given.get("by", "")),
                None if size is None else int(size), str(given.get("draw", HIGHEST)),
                int(given.get("seed", 0)), str(given.get("value", "")),
                str(given.get("reference", "")), tuple(map(float, given.get("at", QUARTILES))),
                str(given.get("target", POPULATION)),
                None if model is None else ModelQuestion.from_json(model),
            )  # fmt: skip
        except (KeyError, TypeError, WorkbenchError) as error:
            raise ValueError(str(error)) from None
        known = (
            STATISTICS, (JOINT, SEQUENTIAL), (HIGHEST, RANDOM), (POPULATION, RESPONDENTS),
        )  # fmt: skip
        found = (asked.statistic, asked.method, asked.draw, asked.target)
        if not asked.at or not all(0 < share < 1 for share in asked.at):
            raise ValueError(str(asked.at))
        if any(one not in among for one, among in zip(found, known, strict=True)):
            raise ValueError(str(found))
        return asked


def plain_model(model: ModelQuestion) -> ModelQuestion:
    """The same without what is told beside the coefficients."""
    return model.with_(
        condition=EVERYBODY, effects=False, predict=(), compare_with=None, fit=False,
        target=POPULATION,
    )  # fmt: skip


def check_attributes(question: Question, design: Design) -> tuple[str, ...]:
    """The attributes that an answer needs; an error names what the design does not know."""
    asked = question.essence
    explained = () if asked.model is None else asked.model.formula.attributes
    names = dict.fromkeys([*regions_of(asked.condition, design), asked.of, asked.by, *explained])
    found = tuple(name for name in names if name)
    for name in found:
        asked_attribute(name, design)
    return found


def problem_of(question: Question, design: Design) -> str:  # noqa: PLR0911 (one for each kind)
    """Why a question cannot be asked of a design, as one sentence; empty if it can."""
    asked = question.essence
    try:
        check_attributes(asked, design)
    except WorkbenchError as error:
        return error.message
    if asked.statistic == REGRESSION and asked.model is None:
        return Message("Choose the attribute that is explained.")
    if asked.statistic in _WITH_OF and not asked.of:
        return Message("Choose an attribute.")
    if asked.statistic in (MEAN, QUANTILE) and not design[asked.of].attribute.kind.is_numeric:
        if asked.statistic == MEAN:
            return Message("{of} has no mean; choose its distribution.", of=asked.of)
        return Message("{of} has no quantiles; choose its distribution.", of=asked.of)
    if asked.statistic == CROSSTAB:
        return _problem_of_table(asked)
    return _problem_of_groups(asked, design) if asked.statistic == COMPARE else ""


def _problem_of_table(asked: Question) -> str:
    if not asked.by:
        return Message("Choose a column attribute.")
    if asked.of == asked.by:
        return Message("A cross table needs 2 different attributes.")
    return ""


def _problem_of_groups(asked: Question, design: Design) -> str:
    if not asked.by:
        return Message("Choose the attribute of the groups.")
    if asked.of == asked.by or asked.of in asked.condition.attributes:
        return Message("Groups of {of} cannot be compared by {of} itself.", of=asked.of)
    attribute = design[asked.of].attribute
    if attribute.kind.is_categorical and asked.value not in attribute.values:
        return Message("Choose the answer of {of} that is compared.", of=asked.of)
    return ""


def attributes_for(study: Study, statistic: str) -> Sequence[str]:
    """The attributes that a statistic can tell about."""
    return [
        designed.name
        for designed in study.design
        if statistic not in (MEAN, QUANTILE) or designed.attribute.kind.is_numeric
    ]


def groups_for(study: Study, statistic: str) -> Sequence[str]:
    """The attributes by which a statistic can tell of another one."""
    return [
        designed.name
        for designed in study.design
        if statistic != COMPARE
        or (designed.attribute.k <= MOST_VALUES and designed.attribute.k != 1)
    ]


def group_labels(study: Study, by: str) -> tuple[str, ...]:
    """The groups of an attribute as a comparison names them."""
    if by not in study.design:
        return ()
    attribute = study.design[by].attribute
    return labels_of(attribute, bins_of(attribute, study.design.perturbation(by)))


Result = (
    Count | Mean | Quantiles | Distribution | CrossTable | GroupDifferences | Regression
    | Participants
)  # fmt: skip


def uses_sampling(question: Question, study: Study) -> bool:
    """Whether an answer follows from how people were drawn, or from whom it is about.

    Else respondents are a simple random sample, as they always were.
    """
    return study.sampling is not None or question.essence.target != POPULATION


def sampling_options(question: Question, study: Study) -> dict[str, Any]:
    """The roles and options of an estimate, as the command line has them."""
    if not uses_sampling(question, study):
        return {}
    is_default = question.target == POPULATION
    options = None if is_default else SamplingOptions(target=question.target)
    return {"sampling": study.sampling, "options": options}


@dataclass(frozen=True, eq=False)
class SurveyResult:
    """What was found, by which method, from which study.

    Parameters
    ----------
    beside
        The same number by the other method, or for the other target where the sampling is used;
        for counts and means where it could be found.
    distorted
        The answers that were asked; rows of participants point into it.
    truly
        For every listed participant whether the true answers meet the condition, where known.
    mark
        Tells the design and the draw apart from others, also after the study was saved.
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

    @property
    def sample(self) -> SampleSummary | None:
        """Whom the result is about; None where nothing is said about the sampling."""
        result = self.result
        return None if isinstance(result, Participants | Regression) else result.sample

    @property
    def interval_contents(self) -> Message | None:
        """Which errors the intervals include and leave out; None where there is no valid one."""
        if isinstance(self.result, Participants) or not self.question.has_valid_interval:
            return None
        if isinstance(self.result, Regression):
            return self.result.contents.sentence
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


def first_question(study: Study) -> Question:
    """What is asked first of a study: the share of the first answers marked as sensitive."""
    for designed in study.design:
        if designed.attribute.sensitive:
            marked = designed.attribute.sensitive
            one = Comparison(designed.name, Operator.EQUAL, marked[0])
            test = Membership(designed.name, marked) if len(marked) > 1 else one
            return Question(condition=Condition((test,)))
    return Question()


def answer_question(
    question: Question, study: Study, source: DistortedCache, progress: Progress = silent
) -> SurveyResult | SurveyError:
    """Ask the distorted answers of a study; run it in a job."""
    asked = question.essence
    try:
        answers = source.of(study, part(progress, 0.0, 0.3))
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
    other = _beside(asked, study, answers, part(progress, 0.8, 1.0))
    told = dict.fromkeys((*treated_missing(asked.attributes, study), *result.remarks))
    remarks = tuple(map(study.titled, told))
    return SurveyResult(
        asked, study, result, other, answers.distorted, remarks, fingerprint(study),
        datetime.now().astimezone(), _truly(result, study, answers),
    )  # fmt: skip


def sharper_intervals(
    answer: SurveyResult, source: DistortedCache, progress: Progress = silent
) -> tuple[SharperInterval, ...]:
    """The interval for peaks half as narrow as assumed and for any peaks; run it in a job.

    Where these differ much from that of the answer, the assumption carries the result.
    """
    limits, study, asked = answer.limits, answer.study, answer.question
    if limits is None or limits.assumption.sharpest is None:
        return ()
    answers = source.of(study, part(progress, 0.0, 0.2))
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
    answers: Answers,
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
    """The statistic of a question.

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
    table, condition, method = answers.distorted, question.condition, question.method
    of, by = question.of, question.by
    drawn: dict[str, Any] = {"sampling": sampling, "options": options}
    shared: dict[str, Any] = {
        "original": answers.original, "confidence": confidence, "progress": progress,
    }  # fmt: skip
    noisy: dict[str, Any] = {"sharpness": sharpest, "seed": seed}
    both = {question.of: bins, question.by: bins}
    work: dict[str, Callable[[], Result]] = {
        COUNT: lambda: count(table, design, condition, method, **noisy, **shared, **drawn),
        MEAN: lambda: mean(table, design, of, condition, method, **noisy, **shared, **drawn),
        QUANTILE: lambda: quantile(
            table, design, of, question.at, condition, **noisy, **shared, **drawn
        ),
        DISTRIBUTION: lambda: distribution(
            table, design, of, condition, method, bins=bins, **noisy, **shared, **drawn
        ),
        CROSSTAB: lambda: crosstab(
            table, design, of, by, condition, method, bins=both, **shared, **drawn
        ),
        COMPARE: lambda: compare(
            table, design, of, by,
            value=question.value or None, condition=condition, bins=bins,
            reference=question.reference or None, confidence=confidence, progress=progress,
            **drawn,
        ),
        REGRESSION: lambda: fit_model(
            model_of(question), answers, design, seed=seed, progress=progress, **drawn
        ),
        PARTICIPANTS: lambda: participants(
            table, design, condition, method,
            size=question.size, draw=question.draw, seed=question.seed, **shared, **drawn,
        ),
    }  # fmt: skip
    return work[question.statistic]()


def model_of(question: Question) -> ModelQuestion:
    """The regression of a question, among those who meet its condition."""
    assert question.model is not None  # noqa: S101 (the question has no problem)
    return question.model.with_(condition=question.condition, target=question.target)


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
    question: Question, answers: Answers, design: Design, **settings: Any
) -> ArmEstimates:
    """The statistic of a question in every arm that asks for it; settings as for `estimate`."""
    arms = design.arms
    if arms is None:
        raise ParameterError("The design has no arms to be told apart.", field="by_arm")
    column, found = arms.column, {}
    names = check_attributes(question, design)
    for name in arms.asking(one for one in names if one != column):
        original = answers.original
        if original is not None:
            original = arms.take(original, [name]) if column in original else None
        own = Answers(arms.take(answers.distorted, [name]), original)
        found[name] = estimate(question, own, design.of_arm(name), **settings)
    return ArmEstimates(found, arm_equality(tuple(found.values())))


def _beside(
    question: Question, study: Study, answers: Answers, progress: Progress
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


def _truly(result: Result, study: Study, answers: Answers) -> NDArray[np.bool_] | None:
    """Which of the listed participants really meet the condition."""
    if not isinstance(result, Participants) or answers.original is None:
        return None
    regions = regions_of(result.condition, study.design)
    listed = original_answers(answers.original.take(result.rows), study.design, regions)
    truly = np.zeros(len(result.rows), np.bool_)
    truly[listed.rows] = meeting(listed.data, regions, listed.n)
    return truly


# Words for a publication


def methods_paragraph(answer: SurveyResult) -> tuple[str, ...]:
    """Sentences for a methods section: what was estimated, from what and how."""
    result, asked = answer.result, answer.question
    parts = [
        Message(
            "{what} was estimated from the randomised answers of {n:,} respondents ({how}).",
            what=_what_was_asked(asked, answer.study),
            n=answer.distorted.rows,
            how=describe_mechanisms(asked.attributes, answer.study.design),
        ),
        Message(
            "The estimates correct all attributes together by the known probabilities and are "
            "unbiased."
        )
        if asked.method == JOINT
        else Message("The attributes were corrected one after another (sequential method)."),
    ]
    if answer.limits is not None and answer.limits.says_nothing:
        parts.append(Message.of(result.sentence))
    elif isinstance(result, Count | Mean):
        parts.append(_estimate_in_methods(result, valid=asked.has_valid_interval))
        if answer.bounds_remark is not None:
            parts.append(answer.bounds_remark)
        if answer.sample is not None:
            parts.append(answer.sample.sentence)
    elif isinstance(result, Quantiles | GroupDifferences):
        parts.append(Message.of(result.sentence))
    elif isinstance(result, CrossTable) and result.association is not None:
        parts.append(result.association)
    sampling = answer.study.sampling
    if sampling is not None and asked.target == POPULATION and answer.sample is not None:
        roles = Message.joined(describe_roles(sampling), ", ")
        parts.append(Message("The sampling was taken into account: {roles}.", roles=roles))
        effect = effect_of(answer)
        if effect is not None:
            parts.append(
                Message(
                    "The sampling effect is {effect:.2f} (effective n {n:,.0f}).",
                    effect=effect[0],
                    n=effect[1],
                )
            )
    contents = answer.interval_contents
    if contents is not None:
        parts.append(contents)
    return tuple(answer.study.titled(part) for part in parts)


def _what_was_asked(asked: Question, study: Study) -> Message:
    whom = str(asked.condition.titled(study.shown))
    if asked.statistic == COUNT:
        return Message("The share of respondents with {whom}", whom=whom or "…")
    if asked.statistic == PARTICIPANTS:
        return Message("The probability of {whom} of each respondent", whom=whom or "…")
    if asked.statistic == MEAN:
        what = Message("The mean of {of}", of=asked.of)
    elif asked.statistic == QUANTILE:
        what = Message("The quantiles of {of}", of=asked.of)
    elif asked.statistic == DISTRIBUTION:
        what = Message("The distribution of {of}", of=asked.of)
    elif asked.statistic == COMPARE and asked.value:
        what = Message(
            "The share of {of} = {value} by {by}", of=asked.of, value=asked.value, by=asked.by
        )
    elif asked.statistic == COMPARE:
        what = Message("The mean of {of} by {by}", of=asked.of, by=asked.by)
    else:
        what = Message("The joint distribution of {of} and {by}", of=asked.of, by=asked.by)
    return Message("{what} among those with {whom}", what=what, whom=whom) if whom else what


def describe_mechanisms(names: Sequence[str], design: Design) -> Message:
    """How each of these attributes was randomised."""
    listed: Message | None = None
    for name in names:
        perturbation = design.perturbation(name)
        how = (
            Message("not randomised")
            if perturbation.is_identity
            else Message.of(perturbation.summary())
        )
        one = Message("{attribute}: {mechanism}", attribute=name, mechanism=how)
        listed = one if listed is None else Message("{before}; {one}", before=listed, one=one)
    return listed or Message("no attribute")


def _estimate_in_methods(result: Count | Mean, *, valid: bool) -> Message:
    value = share_of(result) if isinstance(result, Count) else result.value
    level, scale = 100 * result.confidence, 100.0 if isinstance(result, Count) else 1.0
    unit = " %" if isinstance(result, Count) else ""
    estimate = value.estimate * scale
    if not valid or not math.isfinite(value.standard_error):
        return Message("The estimate is {estimate:.1f}{unit}.", estimate=estimate, unit=unit)
    return Message(
        "The estimate is {estimate:.1f}{unit} ({level:.0f} % CI {low:.1f} to {high:.1f}).",
        estimate=estimate,
        unit=unit,
        level=level,
        low=value.low * scale,
        high=value.high * scale,
    )
