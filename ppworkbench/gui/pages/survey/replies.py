"""Answers to questions, and the work that finds them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.data.attribute import MissingPolicy
from ppworkbench.core.data.missing import apply_missing_policies
from ppworkbench.core.data.table import Table
from ppworkbench.core.design.design_file import design_to_json
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.survey.answers import original_answers
from ppworkbench.core.survey.counts import Count, count
from ppworkbench.core.survey.crosstabs import CrossTable, crosstab
from ppworkbench.core.survey.distributions import Distribution, distribution
from ppworkbench.core.survey.estimates import JOINT, SEQUENTIAL, Estimate
from ppworkbench.core.survey.means import Mean, mean
from ppworkbench.core.survey.naive import meeting
from ppworkbench.core.survey.participants import Participants, participants
from ppworkbench.core.survey.regions import regions_of
from ppworkbench.gui.language.text import told
from ppworkbench.gui.pages.survey.question import (
    COUNT,
    CROSSTAB,
    DISTRIBUTION,
    MEAN,
    Question,
)
from ppworkbench.study.reported import Answers, ReportedAnswers
from ppworkbench.study.study import Study

Result = Count | Mean | Distribution | CrossTable | Participants


@dataclass(frozen=True, eq=False)
class Reply:
    """What was found, by which method, from which study.

    Parameters
    ----------
    beside
        The same number by the other method, for counts and means where it could be found.
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
    beside: Estimate | None
    distorted: Table
    remarks: tuple[str, ...]
    mark: str
    when: datetime
    truly: NDArray[np.bool_] | None = None

    def is_current(self, study: Study) -> bool:
        """Whether a study has the same answers and the same design."""
        mine = self.study
        return (
            mine.original is study.original
            and mine.distorted is study.distorted
            and (mine.original is None or mine.settings.seed == study.settings.seed)
            and (mine.design is study.design or mine.design == study.design)
        )


@dataclass(frozen=True)
class Refusal:
    """A question that has no answer, and why in one sentence."""

    question: Question
    sentence: str


def reply_to(
    question: Question, study: Study, source: ReportedAnswers, progress: Progress = silent
) -> Reply | Refusal:
    """Ask the distorted answers; run it in a job."""
    asked = question.essence
    try:
        answers = source.of(study, part(progress, 0.0, 0.3))
        result = _result(asked, study, answers, part(progress, 0.3, 0.8))
    except WorkbenchError as error:
        return Refusal(asked, error.message)
    other = _beside(asked, study, answers, part(progress, 0.8, 1.0))
    remarks = tuple(dict.fromkeys((*_treated(asked, study), *result.remarks)))
    return Reply(
        asked, study, result, other, answers.distorted, remarks, mark_of(study),
        datetime.now().astimezone(), _truly(result, study, answers),
    )  # fmt: skip


def _result(question: Question, study: Study, answers: Answers, progress: Progress) -> Result:
    table, design, condition = answers.distorted, study.design, question.condition
    method, original = question.method, answers.original
    seed = study.settings.seed
    if question.statistic == COUNT:
        return count(
            table, design, condition, method, original=original, seed=seed, progress=progress
        )
    if question.statistic == MEAN:
        return mean(
            table, design, question.of, condition, method,
            original=original, seed=seed, progress=progress,
        )  # fmt: skip
    if question.statistic == DISTRIBUTION:
        return distribution(
            table, design, question.of, condition, method,
            original=original, seed=seed, progress=progress,
        )  # fmt: skip
    if question.statistic == CROSSTAB:
        return crosstab(
            table, design, question.of, question.by, condition,
            original=original, progress=progress,
        )  # fmt: skip
    return participants(
        table, design, condition, method, size=question.size, draw=question.draw,
        original=original, seed=question.seed, progress=progress,
    )  # fmt: skip


def _beside(
    question: Question, study: Study, answers: Answers, progress: Progress
) -> Estimate | None:
    """The other method's number, where there is one; that it has none is no reason to fail."""
    if question.statistic not in (COUNT, MEAN):
        return None
    other = question.with_(method=SEQUENTIAL if question.method == JOINT else JOINT)
    try:
        found = _result(other, study, answers, progress)
    except WorkbenchError:
        return None
    return found.value if isinstance(found, Count | Mean) else None


def _treated(question: Question, study: Study) -> list[str]:
    """What was done about missing answers to the attributes that were asked."""
    if study.original is None:
        return []
    sentences = apply_missing_policies(study.original.select(question.attributes)).sentences
    kept = MissingPolicy.LEAVE
    return [
        f"{name}: {told(sentence)}"
        for name, sentence in sentences.items()
        # The statistics themselves tell about answers that stay missing.
        if study.original[name].attribute.missing is not kept
    ]


def _truly(result: Result, study: Study, answers: Answers) -> NDArray[np.bool_] | None:
    """Which of the listed participants really meet the condition."""
    if not isinstance(result, Participants) or answers.original is None:
        return None
    regions = regions_of(result.condition, study.design)
    listed = original_answers(answers.original.take(result.rows), study.design, regions)
    truly = np.zeros(len(result.rows), np.bool_)
    truly[listed.rows] = meeting(listed.data, regions, listed.n)
    return truly


def mark_of(study: Study) -> str:
    """A few letters that change with the design, the draw and the number of answers."""
    seed = None if study.original is None else study.settings.seed
    written = json.dumps([design_to_json(study.design), seed, study.rows], sort_keys=True)
    return hashlib.sha256(written.encode()).hexdigest()[:16]


def attributes_for(study: Study, statistic: str) -> Sequence[str]:
    """The attributes that a statistic can tell about."""
    return [
        designed.name
        for designed in study.design
        if statistic != MEAN or designed.attribute.kind.is_numeric
    ]
