"""Whether people followed the instructions: what can be asked of a study, kept and run."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from ppworkbench.core.compliance.assess import assess_compliance
from ppworkbench.core.compliance.question import MODELS, ComplianceQuestion
from ppworkbench.core.compliance.result import Compliance
from ppworkbench.core.design.anchors import Anchor
from ppworkbench.core.design.design import Design
from ppworkbench.core.errors import ParameterError, WorkbenchError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, silent
from ppworkbench.study.distorted_cache import Answers
from ppworkbench.study.renaming import COMPLIANCE
from ppworkbench.study.study import Study

RESULTS = COMPLIANCE
"""Under which name the study keeps whether Share tells the three readings, and by which model."""


def to_json(question: ComplianceQuestion) -> dict[str, Any]:
    """The question as it is kept in a study; what was not asked for is left out."""
    usual = ComplianceQuestion(question.attribute)
    kept: dict[str, Any] = {"attribute": question.attribute}
    for name in ("safe", "model", "share", "share_error", "reach"):
        value = getattr(question, name)
        if value != getattr(usual, name):
            kept[name] = value
    for name in ("behaviours", "arms", "band"):
        value = getattr(question, name)
        if value != getattr(usual, name):
            kept[name] = list(value)
    if question.anchor is not None:
        kept["anchor"] = dataclasses.asdict(question.anchor)
    return kept


def from_json(given: Mapping[str, Any]) -> ComplianceQuestion:
    """A question that was kept; what cannot be one is a ValueError."""
    try:
        anchor, share, reach = given.get("anchor"), given.get("share"), given.get("reach")
        model = str(given.get("model", ""))
        if model and model not in MODELS:
            raise ValueError(model)
        low, high = given.get("band", (0.0, 0.3))
        return ComplianceQuestion(
            str(given["attribute"]),
            tuple(map(str, given.get("behaviours", ()))),
            str(given.get("safe", "")),
            model,
            None
            if anchor is None
            else Anchor(str(anchor["column"]), float(anchor["p"]), float(anchor.get("share", 0))),
            None if share is None else float(share),
            float(given.get("share_error", 0.0)),
            (float(low), float(high)),
            None if reach is None else float(reach),
            arms=tuple(map(str, given.get("arms", ()))),
        )
    except (KeyError, TypeError, AttributeError, WorkbenchError) as error:
        raise ValueError(str(error)) from None


def attributes_to_check(design: Design) -> list[str]:
    """The questions whose answers are randomised and have values."""
    return [
        one.name
        for one in design
        if one.attribute.kind.is_categorical
        and one.attribute.k > 1
        and not design.perturbation(one.name).is_identity
    ]


def has_named_arms(design: Design, name: str) -> bool:
    """Whether versions of a question have names that people know."""
    return bool(design.perturbation(name).columns)


def problem_of_compliance(question: ComplianceQuestion | None, design: Design) -> str:
    """Why a question cannot be asked of a design; empty if it can."""
    if question is None:
        return Message("No question is randomised, so there is nothing to follow.")
    if question.attribute not in attributes_to_check(design):
        return Message(
            "{attribute} is not a randomised question with values; choose another.",
            attribute=question.attribute,
        )
    return ""


def columns_of(question: ComplianceQuestion, design: Design) -> tuple[str, ...]:
    """The columns that tell of it: the question, and its anchor where it has one."""
    anchor = question.anchor or design.anchor_of(question.attribute)
    return design.needed((question.attribute, *(() if anchor is None else (anchor.column,))))


def assess(
    question: ComplianceQuestion,
    answers: Answers,
    design: Design,
    *,
    seed: int = 0,
    progress: Progress = silent,
    **drawn: Any,
) -> Compliance:
    """Ask the answers of a study; ``drawn`` are the sampling and its options."""
    return assess_compliance(
        answers.distorted, design, question, seed=seed, progress=progress, **drawn
    )


def readings_for(study: Study, attribute: str) -> ComplianceQuestion | None:
    """The model whose three readings Share tells of a question; None where it does not."""
    kept = study.results.get(RESULTS)
    if not isinstance(kept, Mapping):
        return None
    try:
        question = from_json(kept)
    except ValueError:
        return None
    is_known = question.attribute == attribute and attribute in study.design
    return question if is_known and not problem_of_compliance(question, study.design) else None


def check_question(question: ComplianceQuestion, **changes: Any) -> ComplianceQuestion | None:
    try:
        return dataclasses.replace(question, **changes)
    except ParameterError:
        return None
