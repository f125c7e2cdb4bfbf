"""Questions that were asked, with their answers in short, as the study keeps them."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Self

from ppworkbench.core.survey.counts import Count
from ppworkbench.core.survey.crosstabs import CrossTable
from ppworkbench.core.survey.distributions import Distribution
from ppworkbench.core.survey.estimates import JOINT
from ppworkbench.core.survey.means import Mean
from ppworkbench.core.survey.participants import Participants
from ppworkbench.gui.pages.survey.figures import Figures
from ppworkbench.gui.pages.survey.phrases import condition_words
from ppworkbench.gui.pages.survey.question import (
    COUNT,
    CROSSTAB,
    DISTRIBUTION,
    MEAN,
    PARTICIPANTS,
    Question,
    tr,
)
from ppworkbench.gui.pages.survey.replies import Reply

MOST_KEPT = 200
RESULTS = "survey"
"""Under which name the study keeps them."""
Texts = tuple[str, str, str, str]
Numbers = tuple[float | None, ...]
_TEXTS = ("estimate", "interval", "naive", "true")
_OF_ESTIMATE = 5
"""Estimate, the two ends of its interval, face value and truth."""
_COUNTED = {DISTRIBUTION: 1, CROSSTAB: 2, PARTICIPANTS: 1}
"""Of other answers only the size is told: so many numbers."""
_MOST_DECIMALS = 6


@dataclass(frozen=True)
class Asked:
    """One row of the list: a question, its answer in short, and which design it belongs to."""

    question: Question
    texts: Texts
    """Estimate, interval, face value and truth in the language in which it was asked; shown only
    for rows of older studies, which have no numbers."""
    mark: str = ""
    when: str = ""
    numbers: Numbers = ()
    decimals: int = 0

    @classmethod
    def of_reply(cls, reply: Reply) -> Self:
        """The row of an answer."""
        when = reply.when.isoformat(timespec="seconds")
        numbers, decimals = _numbers(reply)
        texts = _texts(reply.question, numbers, decimals)
        return cls(reply.question, texts, reply.mark, when, numbers, decimals)

    @cached_property
    def condition(self) -> str:
        """Whom it is about."""
        return condition_words(self.question.condition)

    @property
    def statistic(self) -> str:
        """What was asked of them."""
        asked = self.question
        if asked.statistic == COUNT:
            return tr("count")
        if asked.statistic == MEAN:
            return tr("mean of %s") % asked.of
        if asked.statistic == DISTRIBUTION:
            return tr("distribution of %s") % asked.of
        if asked.statistic == CROSSTAB:
            return tr("%s by %s") % (asked.of, asked.by)
        return tr("participants")

    @property
    def method(self) -> str:
        """How it was estimated."""
        return tr("joint") if self.question.method == "joint" else tr("sequential")

    @property
    def time(self) -> str:
        """When it was asked, for a tooltip."""
        try:
            return datetime.fromisoformat(self.when).astimezone().strftime("%H:%M")
        except ValueError:
            return ""

    @cached_property
    def cells(self) -> tuple[str, ...]:
        """The row as texts of the language now."""
        known = len(self.numbers) == _COUNTED.get(self.question.statistic, _OF_ESTIMATE)
        texts = _texts(self.question, self.numbers, self.decimals) if known else self.texts
        return self.condition, self.statistic, *texts, self.method

    def to_json(self) -> dict[str, Any]:
        """The row as the study keeps it."""
        return {
            "question": self.question.to_json(),
            **dict(zip(_TEXTS, self.texts, strict=True)),
            "mark": self.mark,
            "when": self.when,
            "numbers": list(self.numbers),
            "decimals": self.decimals,
        }

    @classmethod
    def from_json(cls, given: Any) -> Self:
        """A row that was kept; what cannot be one is a ValueError."""
        if not isinstance(given, Mapping) or not isinstance(given.get("question"), Mapping):
            raise ValueError("not an asked question")
        estimate, interval, naive, true, mark, when = (
            str(given.get(name, "")) for name in (*_TEXTS, "mark", "when")
        )
        numbers, decimals = given.get("numbers"), given.get("decimals")
        is_read = isinstance(numbers, list) and all(map(_is_number, numbers))
        return cls(
            Question.from_json(given["question"]), (estimate, interval, naive, true), mark, when,
            tuple(numbers) if is_read else (),
            decimals if isinstance(decimals, int) and 0 <= decimals <= _MOST_DECIMALS else 0,
        )  # fmt: skip


def asked_to_json(rows: tuple[Asked, ...]) -> dict[str, Any]:
    """All rows as the study keeps them, the newest first."""
    return {"asked": [row.to_json() for row in rows[:MOST_KEPT]]}


def asked_from_json(given: object) -> tuple[Asked, ...]:
    """All rows that were kept and can be read; others are left out."""
    listed = given.get("asked") if isinstance(given, Mapping) else None
    rows = []
    for one in listed if isinstance(listed, list) else []:
        try:
            rows.append(Asked.from_json(one))
        except (ValueError, TypeError):
            continue
    return tuple(rows[:MOST_KEPT])


def _numbers(reply: Reply) -> tuple[Numbers, int]:
    """What is told of an answer, and with how many decimals."""
    result, question = reply.result, reply.question
    if isinstance(result, Count | Mean):
        if isinstance(result, Count):
            decimals = Figures.of_count(result.respondents).decimals
        else:
            decimals = Figures.of_number(reply.study.design[question.of].attribute).decimals
        value = result.value
        # Jointly with others, the sequential method has no valid interval.
        several = len(question.condition.attributes) > isinstance(result, Count)
        valid = (question.method == JOINT or not several) and math.isfinite(value.standard_error)
        ends = (value.low, value.high) if valid else (None, None)
        told = (value.estimate, *ends, value.naive, value.true)
        return tuple(float(n) if n is not None and _is_number(n) else None for n in told), decimals
    if isinstance(result, Distribution):
        return (len(result.labels),), 0
    if isinstance(result, CrossTable):
        return (len(result.row_labels), len(result.column_labels)), 0
    assert isinstance(result, Participants)  # noqa: S101 (the last kind of result)
    return (len(result.rows),), 0


def _texts(question: Question, numbers: Numbers, decimals: int) -> Texts:
    """Numbers of an answer in the language of the window."""
    shown = [Figures(decimals).text(one) for one in numbers]
    if question.statistic == DISTRIBUTION:
        return tr("%s values") % shown[0], "", "", ""
    if question.statistic == CROSSTAB:
        return tr("%s × %s cells") % (shown[0], shown[1]), "", "", ""
    if question.statistic == PARTICIPANTS:
        return tr("%s listed") % shown[0], "", "", ""
    estimate, low, high, naive, true = shown
    has_interval = None not in numbers[1:3]
    return estimate, tr("%s to %s") % (low, high) if has_interval else "–", naive, true


def _is_number(given: object) -> bool:
    """Whether it is a number that can be shown, or none at all."""
    if isinstance(given, bool) or not isinstance(given, int | float | None):
        return False
    # A file may hold whole numbers that are too long to be compared as others are.
    return given is None or abs(given) <= sys.float_info.max
