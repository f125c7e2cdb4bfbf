"""What a job of the lab does."""

from __future__ import annotations

from dataclasses import dataclass

from ppworkbench.core.attacks import (
    BestGuess,
    Filtering,
    Linkage,
    RepeatedQuestion,
    best_guess,
    filter_noise,
    link_records,
    repeated_question,
)
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.progress import Progress, part
from ppworkbench.gui.pages.explore.attack.kinds import FILTER, GUESS, LINK, REPEAT, designed_as
from ppworkbench.study.reported import ReportedAnswers
from ppworkbench.study.study import Study

Found = BestGuess | RepeatedQuestion | Filtering | Linkage


@dataclass(frozen=True, eq=False)
class Request:
    """An attack on a study: by ``name`` on one attribute, or by several ``names``."""

    key: str
    study: Study
    name: str = ""
    names: tuple[str, ...] = ()

    def is_as(self, other: Request | None) -> bool:
        """Whether another request asks for the same numbers."""
        if other is None or (self.key, self.name, self.names) != (
            other.key,
            other.name,
            other.names,
        ):
            return False
        mine, its = self.study, other.study
        same_seed = mine.settings.seed == its.settings.seed
        return mine.original is its.original and mine.design is its.design and same_seed


@dataclass(frozen=True, eq=False)
class Outcome:
    """What an attack found, or the sentence that says why it could not be carried out."""

    request: Request
    found: Found | None
    fault: str = ""


def carry_out(request: Request, answers: ReportedAnswers, progress: Progress) -> Outcome:
    """Attack the draw of the study, the same that every page shows."""
    try:
        return Outcome(request, _attack(request, answers, progress))
    except WorkbenchError as error:
        return Outcome(request, None, error.message)


def _attack(request: Request, answers: ReportedAnswers, progress: Progress) -> Found:
    study, name = request.study, request.name
    seen = answers.of(study, part(progress, 0.0, 0.5))
    assert seen.original is not None  # noqa: S101 (the lab asks only where it is there)
    rest, seed = part(progress, 0.5, 1.0), study.settings.seed
    if request.key == FILTER:
        return filter_noise(seen.original, seen.distorted, study.design, progress=rest)
    if request.key == LINK:
        return link_records(seen.original, seen.distorted, study.design, request.names, seed, rest)
    columns = seen.original[name], seen.distorted[name]
    if request.key == REPEAT:
        return repeated_question(*columns, designed_as(study, name), seed, rest)
    assert request.key == GUESS  # noqa: S101 (there are four)
    return best_guess(*columns, designed_as(study, name), rest)
