"""What reported answers hold fast: the design that randomised them; and the next wave of a survey.

Estimates read the device off the design. Whoever changes it under collected answers makes every
estimate wrong and no number looks odd, so that the window refuses it unless a person asks for it.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from ppworkbench.core.design import Design
from ppworkbench.core.design.design_file import publishable
from ppworkbench.study.answer_state import RESPONSES, AnswerState, without_findings
from ppworkbench.study.questionnaire.edits import questionnaire_of
from ppworkbench.study.renaming import Renamed, renamed_design
from ppworkbench.study.study import Study

_OF_ANSWERS = frozenset({RESPONSES, "collect"})
"""What a study keeps of its answers beside what was found in them."""


def is_randomised_otherwise(before: Study, after: Study, renamed: Renamed | None = None) -> bool:
    """Whether reported answers stay in a study while it says that something else randomised them.

    Words, marks, roles, check questions, other questions and columns that go are no such change.
    """
    if before.design is after.design or after.distorted is None:
        return False
    if not before.state is after.state is AnswerState.REPORTED:
        return False
    asked = before.asked_design
    known = asked if renamed is None else renamed_design(asked, renamed)
    # What nobody has answered was randomised by nothing.
    held = frozenset(
        one.name for one in after.distorted if one.name in known and not one.missing.all()
    )
    if not held.issubset(after.design.names):
        return True
    return _devices(known, held) != _devices(after.design, held)


def _devices(design: Design, names: frozenset[str]) -> tuple[object, ...]:
    published = publishable(design)
    arms = published.versions
    questions: dict[str, Any] = {}
    for name in names:
        one = published[name]
        asked = one.attribute
        questions[name] = (
            one.perturbation, asked.kind, asked.values, asked.domain,
            arms.devices(name, one.perturbation),
        )  # fmt: skip
    groups = tuple(one for one in published.groups if names.issuperset(one.attributes))
    lists = tuple(one for one in published.lists if one.count in names)
    shares = tuple((arm.name, arm.share) for arm in arms.members)
    return questions, shares, groups, lists, published.ask


def next_wave(study: Study, title: str, language: str) -> Study:
    """A copy of a study to ask again: its questions, design, goals and plan, without answers.

    A table that was imported gets a questionnaire in the given language.
    """
    kept = without_findings(study.results)
    left = {name: value for name, value in kept.items() if name not in _OF_ANSWERS}
    return study.with_(
        title=title,
        design=study.asked_design,
        original=None,
        distorted=None,
        invented=False,
        parts=None,
        questionnaire=questionnaire_of(study, language),
        results=MappingProxyType(left),
    )
