"""Attacks on the answers of a study as it is distorted now."""

from __future__ import annotations

from dataclasses import dataclass

from ppworkbench.core.attacks import AttackedAnswers, Finding, attacks, linkable
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.progress import Progress, part
from ppworkbench.study.distorted_cache import DistortedCache
from ppworkbench.study.study import Study

_LINKED = 5
"""Attributes that somebody is taken to know unless others are ticked."""


def linked_names(study: Study) -> tuple[str, ...]:
    """The attributes that an attacker may know."""
    return () if study.original is None else linkable(study.original, study.design)


def usual_links(study: Study) -> tuple[str, ...]:
    """The attributes that are ticked at the start: the first ones, where surveys ask who one is."""
    return linked_names(study)[:_LINKED]


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
    found: Finding | None
    fault: str = ""


def run_attack(
    request: AttackRequest, answers: DistortedCache, progress: Progress
) -> AttackOutcome:
    """Attack the draw of the study, the same that every page shows."""
    try:
        return AttackOutcome(request, _attack(request, answers, progress))
    except WorkbenchError as error:
        return AttackOutcome(request, None, error.message)


def _attack(request: AttackRequest, answers: DistortedCache, progress: Progress) -> Finding:
    study = request.study
    seen = answers.of(study, part(progress, 0.0, 0.5))
    assert seen.original is not None  # noqa: S101 (the lab asks only where it is there)
    attacked = AttackedAnswers(
        seen.original, seen.distorted, study.design, request.name, request.names,
        study.settings.seed,
    )  # fmt: skip
    return attacks[request.key].run(attacked, part(progress, 0.5, 1.0))
