"""Sentences for a methods section: what was estimated, from what and how."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ppworkbench.core.data.sampling_roles import POPULATION
from ppworkbench.core.design import Design
from ppworkbench.core.message import Message
from ppworkbench.core.sampling.results import describe_roles
from ppworkbench.core.survey.counts import Count
from ppworkbench.core.survey.crosstabs import CrossTable
from ppworkbench.core.survey.estimates import JOINT
from ppworkbench.core.survey.group_differences import GroupDifferences
from ppworkbench.core.survey.means import Mean
from ppworkbench.core.survey.quantiles import Quantiles
from ppworkbench.study.analyses.survey.answers import SurveyResult, effect_of, share_of
from ppworkbench.study.analyses.survey.questions import (
    COMPARE,
    COUNT,
    DISTRIBUTION,
    MEAN,
    PARTICIPANTS,
    QUANTILE,
    Question,
)
from ppworkbench.study.release import describe_device
from ppworkbench.study.study import Study


def methods_paragraph(answer: SurveyResult) -> tuple[str, ...]:
    """Sentences for a methods section: what was estimated, from what and how."""
    result, asked = answer.result, answer.question
    parts = [
        Message(
            "{what} was estimated from the randomised answers of {n:,} respondents ({how}).",
            what=_what_was_asked(asked, answer.study),
            n=answer.asked_rows,
            how=describe_mechanisms(asked.attributes, answer.study.design),
        ),
        Message(
            "The estimates correct all attributes together by the known probabilities and are "
            "unbiased."
        )
        if asked.method == JOINT
        else Message("The attributes were corrected one after another (sequential method)."),
        *describe_arms(answer),
    ]
    if answer.limits is not None and answer.limits.says_nothing:
        parts.append(Message.of(result.sentence))
    elif isinstance(result, Count | Mean):
        parts.append(_estimate_in_methods(result, valid=asked.has_valid_interval))
        if answer.bounds_remark is not None:
            parts.append(answer.bounds_remark)
        if answer.sample is not None:
            parts.append(answer.sample.sentence)
    elif isinstance(result, Quantiles | GroupDifferences):
        parts.append(Message.of(result.sentence))
    elif isinstance(result, CrossTable) and result.association is not None:
        parts.append(result.association)
    sampling = answer.study.sampling
    if sampling is not None and asked.target == POPULATION and answer.sample is not None:
        roles = Message.joined(describe_roles(sampling), ", ")
        parts.append(Message("The sampling was taken into account: {roles}.", roles=roles))
        effect = effect_of(answer)
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


def _what_was_asked(asked: Question, study: Study) -> Message:
    whom = str(asked.condition.titled(study.shown))
    if asked.statistic == COUNT:
        return Message("The share of respondents with {whom}", whom=whom or "…")
    if asked.statistic == PARTICIPANTS:
        return Message("The probability of {whom} of each respondent", whom=whom or "…")
    if asked.statistic == MEAN:
        what = Message("The mean of {of}", of=asked.of)
    elif asked.statistic == QUANTILE:
        what = Message("The quantiles of {of}", of=asked.of)
    elif asked.statistic == DISTRIBUTION:
        what = Message("The distribution of {of}", of=asked.of)
    elif asked.statistic == COMPARE and asked.value:
        what = Message(
            "The share of {of} = {value} by {by}", of=asked.of, value=asked.value, by=asked.by
        )
    elif asked.statistic == COMPARE:
        what = Message("The mean of {of} by {by}", of=asked.of, by=asked.by)
    else:
        what = Message("The joint distribution of {of} and {by}", of=asked.of, by=asked.by)
    return Message("{what} among those with {whom}", what=what, whom=whom) if whom else what


def describe_mechanisms(names: Sequence[str], design: Design) -> Message:
    """How each of these attributes was randomised, arm by arm where that differs."""
    listed: Message | None = None
    for name in names:
        how = describe_device(name, design)
        one = Message("{attribute}: {mechanism}", attribute=name, mechanism=how)
        listed = one if listed is None else Message("{before}; {one}", before=listed, one=one)
    return listed or Message("no attribute")


def _estimate_in_methods(result: Count | Mean, *, valid: bool) -> Message:
    value = share_of(result) if isinstance(result, Count) else result.value
    level, scale = 100 * result.confidence, 100.0 if isinstance(result, Count) else 1.0
    unit = " %" if isinstance(result, Count) else ""
    estimate = value.estimate * scale
    if not valid or not math.isfinite(value.standard_error):
        return Message("The estimate is {estimate:.1f}{unit}.", estimate=estimate, unit=unit)
    return Message(
        "The estimate is {estimate:.1f}{unit} ({level:.0f} % CI {low:.1f} to {high:.1f}).",
        estimate=estimate,
        unit=unit,
        level=level,
        low=value.low * scale,
        high=value.high * scale,
    )
