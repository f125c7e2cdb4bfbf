"""The answers of a study to questions: what stands beside them, in words, as tables and files."""

from __future__ import annotations

import math
import shlex
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.analyses.command_line import command_of as command_line
from ppworkbench.analyses.compliance.compliance import readings_for
from ppworkbench.analyses.estimates.request import (
    AnswersRequest,
    describe_arms,
    estimate,
    estimate_by_arm,
    put_together,
)
from ppworkbench.analyses.estimates.result import ArmEstimates
from ppworkbench.analyses.estimates.result import SurveyResult as ToldResult
from ppworkbench.analyses.survey.questions import (
    COMPLIANCE,
    Question,
    checked_attribute,
    sampling_options,
    uses_sampling,
)
from ppworkbench.core.compliance.result import Compliance
from ppworkbench.core.data.sampling_roles import POPULATION, RESPONDENTS
from ppworkbench.core.data.table import Table
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.reconstruct.sharpness import NONE
from ppworkbench.core.reconstruct.worst_case import Limits
from ppworkbench.core.sampling.results import SampleSummary, about_waves, methods_of_sampling
from ppworkbench.core.survey.conditions.condition import Condition
from ppworkbench.core.survey.conditions.regions import regions_of
from ppworkbench.core.survey.estimates import JOINT, SEQUENTIAL, Estimate
from ppworkbench.core.survey.parted import PartedAnswers
from ppworkbench.results.files import write_sheet
from ppworkbench.results.sheet import Sheet, stacked
from ppworkbench.study.distorted_cache import (
    Answers,
    DistortedCache,
    original_of,
    treated_missing,
)
from ppworkbench.study.fingerprint import fingerprint
from ppworkbench.study.release import describe_devices
from ppworkbench.study.state import invented_note
from ppworkbench.study.study import Say, Study, have_same_answers


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
    result: Any
    beside: Any
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
        return (self.study.reported_parts or self.distorted).rows

    @property
    def kind(self) -> type[AnswersRequest]:
        return self.question.kind

    @cached_property
    def told(self) -> ToldResult:
        """The same as commands and scripts tell it."""
        request = self.question.request
        return request.finds(request, self.result, self.study.design, self.by_arm)

    @property
    def told_beside(self) -> ToldResult | None:
        """The same by the other method or for the other target, where it could be found."""
        return None if self.beside is None else self.told.of(self.beside)

    @property
    def sample(self) -> SampleSummary | None:
        return self.told.sample

    @property
    def interval_contents(self) -> Message | None:
        """Which errors the intervals include and leave out; None where there is no valid one."""
        if not self.kind.has_interval or not self.question.has_valid_interval:
            return None
        return self.told.contents

    @property
    def number(self) -> Estimate | None:
        return self.told.number

    @property
    def number_beside(self) -> Estimate | None:
        return None if self.told_beside is None else self.told_beside.number

    @property
    def limits(self) -> Limits | None:
        return self.told.limits

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
    def sentence(self) -> str:
        return self.titled(self.result.sentence)

    def titled(self, words: str) -> str:
        return _titled(words, self.question.condition, self.study)

    def is_current(self, study: Study) -> bool:
        """Whether a study has the same answers and the same design."""
        return have_same_answers(self.study, study)


@dataclass(frozen=True)
class SharperInterval:
    """The interval of an answer if peaks of a number under noise may be narrower than assumed.

    ``sharpest`` is None where nothing is assumed of peaks.
    """

    sharpest: float | None
    value: Estimate


@dataclass(frozen=True)
class SurveyError:
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
        request = asked.request
        if question.model is not None and asked.model is not None:
            # What is told beside the coefficients does not make another question.
            request = asked.kind.of_kept({**vars(asked), "model": question.model})
        result = estimate(
            request, answers, study.design, progress=part(progress, 0.3, 0.8),
            **_how(asked, study),
        )  # fmt: skip
    except WorkbenchError as error:
        return SurveyError(asked, _titled(error.message, asked.condition, study), study)
    other = _beside(asked, study, answers, part(progress, 0.8, 0.9))
    apart, why_not = _apart(asked, study, answers)
    told = dict.fromkeys((*treated_missing(asked.attributes, study), *result.remarks))
    if asked.kind.has_interval:
        told |= dict.fromkeys(about_waves(study.design, study.sampling))
    if why_not:
        told[why_not] = None
    told |= dict.fromkeys(study.reported_rows.remarks)
    remarks = tuple(map(study.titled, told))
    original = original_of(answers)
    told_result = request.finds(request, result, study.design)
    truly = None if original is None else told_result.find_true(study, original)
    shown = study.distorted
    if not study.has_reported_parts and isinstance(answers, Answers):
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
    return put_together(
        question.request, answers, study.design, **sampling_options(question, study)
    )


def _how(question: Question, study: Study) -> dict[str, Any]:
    # Draws of participants have a seed of their own.
    seed = question.seed if "seed" in question.kind.takes else study.settings.seed
    return {"seed": seed, **sampling_options(question, study)}


def _readings(
    question: Question, study: Study, source: DistortedCache, progress: Progress
) -> Compliance | None:
    """The three readings of a share, if they were wanted and it is the one they are about."""
    name = checked_attribute(question)
    asked = readings_for(study, name) if name else None
    if asked is None or question.target != POPULATION:
        return None
    attribute, readings = study.design[name].attribute, Question(COMPLIANCE, compliance=asked)
    try:
        answers = answers_for(readings, study, source, progress)
        found = estimate(
            readings.request, answers, study.design, seed=study.settings.seed,
            sampling=study.sampling,
        )  # fmt: skip
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
        step = part(progress, 0.2 + 0.4 * place, 0.6 + 0.4 * place)
        result = ask_again(answer, answers, step, sharpest=sharpest)
        told = answer.told.of(result)
        if told.limits is not None and told.number is not None:
            found.append(SharperInterval(told.limits.assumption.sharpest, told.number))
    # Half of a width below a cell is none at all.
    return tuple({one.sharpest: one for one in found}.values())


def ask_again(
    answer: SurveyResult, answers: Answers | PartedAnswers, progress: Progress, **changes: object
) -> Any:
    """What comes of the same question with other parameters."""
    asked, study = answer.question, answer.study
    request: Any = replace(asked.request, **changes)
    return estimate(request, answers, study.design, progress=progress, **_how(asked, study))


def _apart(
    question: Question, study: Study, answers: Answers | PartedAnswers
) -> tuple[ArmEstimates | None, str]:
    if not question.by_arm:
        return None, ""
    try:
        how = _how(question, study)
        return estimate_by_arm(question.request, answers, study.design, **how), ""
    except WorkbenchError as error:
        return None, _titled(error.message, question.condition, study)


def _beside(
    question: Question, study: Study, answers: Answers | PartedAnswers, progress: Progress
) -> Any:
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
            other.request, answers, study.design, progress=progress, **_how(other, study)
        )
    except WorkbenchError:
        return None


def _titled(sentence: str, condition: Condition, study: Study) -> str:
    """What the core says, with what people call the attributes, also those of its condition."""
    if isinstance(sentence, Message):
        sentence = sentence.with_(condition=str(condition.titled(study.shown)))
    return study.titled(sentence)


# In words


def told_answer(answer: SurveyResult) -> str:
    return answer.told.headline(answer.study) or answer.sentence


def methods_of(answer: SurveyResult) -> tuple[str, ...]:
    """Sentences for a methods section: what was estimated, from what, how, and with what result."""
    asked, study, told = answer.question, answer.study, answer.told
    if own := told.own_methods(study):
        return own
    what = told.described(str(asked.condition.titled(study.shown)))
    parts: list[str] = [
        *_estimated_from(answer, what),
        *describe_arms(study.design, asked.arms, answer.by_arm),
        *told.told_numbers(),
    ]
    if asked.target == POPULATION and answer.sample is not None:
        parts += methods_of_sampling(study.sampling)
        effect = answer.sampling_effect
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
    return tuple(map(study.titled, parts))


def _estimated_from(answer: SurveyResult, what: Message) -> tuple[Message, ...]:
    """What was estimated from which answers, and how these were corrected."""
    asked, design, sample = answer.question, answer.study.design, answer.sample
    has_waves = sample is not None and sample.has_waves
    known: dict[str, Any] = {
        "what": what,
        "n": answer.asked_rows,
        "persons": 0 if sample is None else sample.persons,
        "how": describe_devices(asked.attributes, design),
    }
    if design.is_undistorted(asked.attributes):
        return (
            Message(
                "{what} was estimated from {n:,} answers of {persons:,} people."
                if has_waves
                else "{what} was estimated from the answers of {n:,} respondents.",
                **known,
            ),
        )
    corrected = (
        Message(
            "The estimates correct all attributes together by the known probabilities and are "
            "unbiased."
        )
        if asked.method == JOINT
        else Message("The attributes were corrected one after another (sequential method).")
    )
    return (
        Message(
            "{what} was estimated from {n:,} randomised answers of {persons:,} people ({how})."
            if has_waves
            else "{what} was estimated from the randomised answers of {n:,} respondents ({how}).",
            **known,
        ),
        corrected,
    )


def command_of(answer: SurveyResult) -> str:
    name, asked = answer.study.title or "answers", answer.question
    rows = answer.study.reported_rows
    table = rows.place(name)
    told = command_line(asked.request, table, f"{name}-design.json", target=asked.target)
    if "seed" in asked.kind.takes:
        told = f"{told} --seed {asked.seed}"
    return f"{told} --engine {shlex.quote(rows.engine)}" if rows.engine else told


# As tables


def answer_sheet(answer: SurveyResult) -> Sheet:
    """All numbers of an answer in one table, and those beside them."""
    return stacked(answer_tables(answer))


def answer_tables(answer: SurveyResult) -> tuple[Sheet, ...]:
    """The tables of an answer, and those beside them."""
    sheets, asked = answer.told.file_sheets(answer.distorted), answer.question
    if answer.told_beside is not None:
        pair, own = (JOINT, SEQUENTIAL), asked.method
        if uses_sampling(asked, answer.study):
            pair, own = (POPULATION, RESPONDENTS), asked.target
        other = pair[own == pair[0]]
        beside = answer.told_beside.tables()
        sheets = (*sheets, *(_by(one, other) for one in beside))
    return sheets


def _by(sheet: Sheet, other: str) -> Sheet:
    """A table of the other method or the other people, which says so."""
    title = Message("{table} ({method})", table=sheet.title, method=Message(other))
    return replace(sheet, name=f"{sheet.name}, {other}", title=title)


def write_result(
    answer: SurveyResult, path: Path, progress: Progress = silent, say: Say = str
) -> None:
    """Write an answer to a file, whole or not at all; run it in a job.

    ``say`` tells words of a table for readers in their language.
    """
    progress(0.0, Message("writing"))
    study, invented = answer.study, invented_note(answer.study)
    note = "" if invented is None else say(invented)
    how: dict[str, Any] = {"say": say, "note": note, "progress": progress}
    if not answer.told.write(path, study, answer.distorted, **how):
        first, *beside = answer_tables(answer)
        write_sheet(first, path, beside=beside, **how)
