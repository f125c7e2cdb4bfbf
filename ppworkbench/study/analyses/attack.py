"""Attacks on the answers of a study as it is distorted now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

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
from ppworkbench.core.data.table import Table
from ppworkbench.core.design import Design
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.study.distorted_cache import DistortedCache
from ppworkbench.study.study import Study

GUESS, REPEAT, FILTER, LINK = "guess", "repeat", "filter", "link"
ATTACKS = (GUESS, REPEAT, FILTER, LINK)
OF_ONE = (GUESS, REPEAT)
"""The attacks on a single attribute."""
_LINKED = 5
"""Attributes that somebody is taken to know unless others are ticked."""


def linkable(study: Study) -> tuple[str, ...]:
    """The attributes that an attacker may know."""
    table = study.original
    return tuple(name for name in study.design.names if table is not None and name in table)


def usual_links(study: Study) -> tuple[str, ...]:
    """The attributes that are ticked at the start: the first ones, where surveys ask who one is."""
    return linkable(study)[:_LINKED]


Found = BestGuess | RepeatedQuestion | Filtering | Linkage


@dataclass(frozen=True, eq=False)
class AttackRequest:
    """An attack on a study: by ``name`` on one attribute, or by several ``names``."""

    key: str
    study: Study
    name: str = ""
    names: tuple[str, ...] = ()

    def is_as(self, other: AttackRequest | None) -> bool:
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
class AttackOutcome:
    """What an attack found, or the sentence that says why it could not be carried out."""

    request: AttackRequest
    found: Found | None
    fault: str = ""


def run_attack(
    request: AttackRequest, answers: DistortedCache, progress: Progress
) -> AttackOutcome:
    """Attack the draw of the study, the same that every page shows."""
    try:
        return AttackOutcome(request, _attack(request, answers, progress))
    except WorkbenchError as error:
        return AttackOutcome(request, None, error.message)


def _attack(request: AttackRequest, answers: DistortedCache, progress: Progress) -> Found:
    study = request.study
    seen = answers.of(study, part(progress, 0.0, 0.5))
    assert seen.original is not None  # noqa: S101 (the lab asks only where it is there)
    return attack_answers(
        request.key, seen.original, seen.distorted, study.design, name=request.name,
        names=request.names, seed=study.settings.seed, progress=part(progress, 0.5, 1.0),
    )  # fmt: skip


def attack_answers(  # noqa: PLR0913 (keywords with defaults)
    key: str,
    original: Table,
    reported: Table,
    design: Design,
    *,
    name: str = "",
    names: Sequence[str] = (),
    seed: int = 0,
    progress: Progress = silent,
) -> Found:
    """Carry out one of :data:`ATTACKS` on reported answers beside the true ones."""
    if key == FILTER:
        return filter_noise(original, reported, design, progress=progress)
    if key == LINK:
        return link_records(original, reported, design, names, seed, progress)
    columns = original[name], reported[name]
    # In a group the coin of the group is the one that counts.
    designed = replace(design[name], perturbation=design.perturbation(name))
    if key == REPEAT:
        return repeated_question(*columns, designed, seed, progress)
    assert key == GUESS  # noqa: S101 (there are four)
    return best_guess(*columns, designed, progress)
