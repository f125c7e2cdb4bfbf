"""The answers of a collection on their way into its study, where they take the place of others."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from ppworkbench.core.data.table import Table
from ppworkbench.core.design.design_file import publishable
from ppworkbench.core.design.linked_waves import naming_persons
from ppworkbench.fieldwork.collector.control import Collection
from ppworkbench.fieldwork.responses.add import known_responses, taken_hash, with_wording
from ppworkbench.fieldwork.responses.platforms import COLLECTOR
from ppworkbench.study.answer_state import RESPONSES, SOURCES
from ppworkbench.study.fingerprint import answers_digest
from ppworkbench.study.study import Study

_TAKEN = "taken"
"""What a study notes of the answers that it took over: their place and themselves, as a digest."""


@dataclass(frozen=True)
class TakenAnswers:
    """The answers of a collection, and what a study must know to tell them from others.

    ``held`` is the table of the study when they were read; ``foreign`` says how many answers of it
    were not taken over from this collection, or are others than those that were.
    """

    answers: Table
    held: Table | None
    foreign: int
    noted: Mapping[str, object]


def read_taken(study: Study, collection: Collection) -> TakenAnswers:
    """Read the answers of this round, and find out whose place they would take."""
    answers, held, place = collection.table(), study.table, collection.place
    salt, _ = known_responses(study)
    noted = {
        "salt": salt.hex(),
        "ids": [taken_hash(salt, place, collection.status().round)],
        _TAKEN: _digest(place, answers),
        SOURCES: [COLLECTOR],
    }
    foreign = 0 if held is None or _is_taken(study, held, place) else held.rows
    return TakenAnswers(answers, held, foreign, noted)


def _is_taken(study: Study, held: Table, place: str) -> bool:
    if study.invented:
        return True
    kept = study.results.get(RESPONSES)
    before = kept.get(_TAKEN) if isinstance(kept, Mapping) else None
    return before is not None and study.original is None and before == _digest(place, held)


def _digest(place: str, table: Table) -> str:
    # An address may hold a password, which does not belong into a study.
    return hashlib.sha256(f"{place} {answers_digest(table)}".encode()).hexdigest()[:32]


def take_over(study: Study, taken: TakenAnswers) -> Study:
    """The study with the answers of a collection, which are reported ones.

    All others go, and may be added again: invented and true ones are never mixed with reported
    ones, and nobody could tell later which of the reported ones are collected.
    """
    # A database holds no wording, without which codebook and report would name columns alone.
    answers = with_wording(taken.answers, study)
    changed = study.with_(
        original=None,
        distorted=answers,
        invented=False,
        design=naming_persons(publishable(study.asked_design), answers.names),
    )
    return changed.with_results(RESPONSES, dict(taken.noted))
