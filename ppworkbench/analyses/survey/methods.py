"""Answers in words: as a sentence, as sentences for a methods section, and as a command."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ppworkbench.core.data.sampling_roles import POPULATION
from ppworkbench.core.message import Message
from ppworkbench.core.sampling.results import describe_roles
from ppworkbench.core.survey.estimates import JOINT
from ppworkbench.study.release import describe_devices

if TYPE_CHECKING:
    from ppworkbench.analyses.survey.answers import SurveyResult


def told_answer(answer: SurveyResult) -> str:
    """An answer as a sentence; of a regression its clearest effect."""
    return answer.kind.headline(answer.result, answer)


def methods_of(answer: SurveyResult) -> tuple[str, ...]:
    """Sentences for a methods section: what was estimated, from what and how."""
    kind = answer.kind
    whom = str(answer.question.condition.titled(answer.study.shown))
    what = kind.described(answer.question, whom)
    return kind.own_methods(answer.result, answer) or methods_paragraph(
        answer, what, kind.told_numbers(answer.result, answer)
    )


def command_of(answer: SurveyResult) -> str:
    """The command line that asks the same of a table and a design in files."""
    name = answer.study.title or "answers"
    table, design = f"{name}-distorted.csv", f"{name}-design.json"
    asked, parts = answer.question, answer.study.reported_parts
    if parts is not None:
        command = answer.kind.command(asked, parts.address, design)
        return f"{command} --engine {shlex.quote(parts.engine)}"
    return answer.kind.command(asked, table, design)


def methods_paragraph(
    answer: SurveyResult, what: Message, numbers: Sequence[str]
) -> tuple[str, ...]:
    """What was estimated of a condition, how, what was found, and what its interval includes."""
    asked = answer.question
    parts = [
        Message(
            "{what} was estimated from the randomised answers of {n:,} respondents ({how}).",
            what=what,
            n=answer.asked_rows,
            how=describe_devices(asked.attributes, answer.study.design),
        ),
        Message(
            "The estimates correct all attributes together by the known probabilities and are "
            "unbiased."
        )
        if asked.method == JOINT
        else Message("The attributes were corrected one after another (sequential method)."),
        *describe_arms(answer),
        *numbers,
    ]
    sampling = answer.study.sampling
    if sampling is not None and asked.target == POPULATION and answer.sample is not None:
        roles = Message.joined(describe_roles(sampling), ", ")
        parts.append(Message("The sampling was taken into account: {roles}.", roles=roles))
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
    return tuple(answer.study.titled(part) for part in parts)


def describe_arms(answer: SurveyResult) -> list[str]:
    """Which arms there were, and whether they agree."""
    arms, asked = answer.study.design.arms, answer.question
    if arms is None:
        return []
    said: list[str] = [
        Message(
            "Respondents were drawn into the arms {names}; every answer was corrected by the "
            "device of its own arm.",
            names=arms.names,
        )
    ]
    if asked.arms:
        said.append(Message("Only answers of the arms {names} count.", names=asked.arms))
    if answer.by_arm is not None and answer.by_arm.equality is not None:
        said.append(answer.by_arm.equality.sentence)
    return said
