"""The published number beside ours, worked out by the functions of the Survey page."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

from ppworkbench.analyses.estimates.request import estimate
from ppworkbench.analyses.survey.answers import SurveyError, answer_question
from ppworkbench.analyses.survey.history import RESULTS as HISTORY
from ppworkbench.analyses.survey.history import PastQuestion, history_to_json
from ppworkbench.analyses.survey.questions import sampling_options
from ppworkbench.core.errors import DataError, WorkbenchError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.outputs.gallery.surveys import (
    GallerySurvey,
    PublishedFigure,
)
from ppworkbench.study.distorted_cache import DistortedCache
from ppworkbench.study.study import Study

AGREES, OTHER_ERROR, DIFFERS, NOT_RECOMPUTED = "agrees", "other-error", "differs", "not-recomputed"
MOST_DECIMALS = 2
"""What is printed with more decimals is compared with these."""


@dataclass(frozen=True)
class OurFigure:
    """Our number with the ends of its 95 % interval, in the unit of its survey."""

    estimate: float
    standard_error: float
    low: float
    high: float


@dataclass(frozen=True)
class Comparison:
    """A published number beside ours.

    ``ours`` is None where nothing could be recomputed; ``problem`` tells why although it should.
    """

    survey: GallerySurvey
    ours: OurFigure | None
    outcome: str
    problem: str = ""

    @property
    def verdict(self) -> Message:
        if self.outcome == NOT_RECOMPUTED:
            return Message("not recomputed", code=NOT_RECOMPUTED)
        if self.outcome == DIFFERS:
            return Message("differs", code=DIFFERS)
        if self.outcome == OTHER_ERROR:
            return Message("agrees, other standard error", code=OTHER_ERROR)
        if self.survey.is_reference:
            return Message("agrees with the reference", code=AGREES)
        return Message("agrees", code=AGREES)

    @property
    def reason(self) -> str:
        """Why they differ, why nothing was recomputed, or what else is worth knowing."""
        return self.problem or self.survey.missing or self.survey.note


@dataclass(frozen=True)
class GalleryComparison:
    """All surveys with their comparisons, and how long they took."""

    comparisons: tuple[Comparison, ...]
    seconds: float

    def count(self, *outcomes: str) -> int:
        return sum(one.outcome in outcomes for one in self.comparisons)

    @property
    def is_as_expected(self) -> bool:
        """Whether all that should agree do."""
        return not self.count(DIFFERS)

    @property
    def sentence(self) -> Message:
        """How many agree, differ and were not recomputed."""
        parts = [
            Message(
                "{count} of {all} agree to the printed decimals",
                count=self.count(AGREES, OTHER_ERROR),
                all=len(self.comparisons),
            )
        ]
        if wrong := self.count(DIFFERS):
            parts.append(Message("{count} differ", count=wrong))
        if missing := self.count(NOT_RECOMPUTED):
            parts.append(Message("{count} not recomputed", count=missing))
        return Message.joined(parts, "; ")


def compare_gallery(
    surveys: Sequence[GallerySurvey], progress: Progress = silent
) -> GalleryComparison:
    """Work out all surveys one after the other; run it in a job."""
    started = time.perf_counter()
    found = []
    for place, survey in enumerate(surveys):
        ends = place / len(surveys), (place + 1) / len(surveys)
        progress(ends[0], survey.title)
        found.append(compare_survey(survey, part(progress, *ends)))
    return GalleryComparison(tuple(found), time.perf_counter() - started)


def compare_survey(survey: GallerySurvey, progress: Progress = silent) -> Comparison:
    """Rebuild the answers of a survey, estimate, and compare."""
    if survey.question is None:
        return Comparison(survey, None, NOT_RECOMPUTED)
    try:
        ours = _our_figure(survey, progress)
    except WorkbenchError as error:
        return Comparison(survey, None, DIFFERS, error.message)
    return Comparison(survey, ours, _outcome(survey, ours))


def study_of_survey(survey: GallerySurvey, progress: Progress = silent) -> Study:
    """The survey as a study that was asked already, so that its question stands in the history."""
    study = survey.study()
    assert survey.question is not None  # noqa: S101 (it has counts)
    answer = answer_question(survey.question, study, DistortedCache(), progress)
    if isinstance(answer, SurveyError):
        return study
    asked = history_to_json((PastQuestion.of_answer(answer),))
    return study.with_(results={HISTORY: asked})


def _our_figure(survey: GallerySurvey, progress: Progress) -> OurFigure:
    study, question = survey.study(), survey.question
    assert question is not None  # noqa: S101 (a survey without one is not recomputed)
    asked = question.request
    found = estimate(
        asked,
        DistortedCache().of(study),
        study.design,
        seed=study.settings.seed,
        progress=progress,
        **sampling_options(question, study),
    )
    one = asked.finds(asked, found, study.design).figure(survey.take)
    if one is None:
        raise DataError.saying("The result has no number {take!r}.", take=survey.take)
    number = one.estimate, one.standard_error, one.low, one.high
    return OurFigure(*(survey.scale * part for part in number))


def _outcome(survey: GallerySurvey, ours: OurFigure) -> str:
    published = survey.published
    if not _is_near(ours.estimate, published.estimate, published):
        return DIFFERS
    if published.standard_error is None or _is_near(
        ours.standard_error, published.standard_error, published
    ):
        return AGREES
    return OTHER_ERROR if survey.other_error else DIFFERS


def _is_near(ours: float, published: float, figure: PublishedFigure) -> bool:
    """Whether both are the same to the decimals that were printed, at most two."""
    half = 0.5 * 10.0 ** -min(figure.decimals, MOST_DECIMALS)
    # What was printed is rounded itself, so that an end of the range belongs to it.
    return math.isfinite(ours) and abs(ours - published) <= half * (1 + 1e-9)
