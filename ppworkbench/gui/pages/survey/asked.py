"""Questions that were asked, with their answers in short, as the study keeps them."""

from __future__ import annotations

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
    Question,
    tr,
)
from ppworkbench.gui.pages.survey.replies import Reply
from ppworkbench.gui.words import number

MOST_KEPT = 200
RESULTS = "survey"
"""Under which name the study keeps them."""


@dataclass(frozen=True)
class Asked:
    """One row of the list: a question, its answer as texts, and which design it belongs to."""

    question: Question
    estimate: str
    interval: str = ""
    naive: str = ""
    true: str = ""
    mark: str = ""
    when: str = ""

    @classmethod
    def of_reply(cls, reply: Reply) -> Self:
        """The row of an answer."""
        when = reply.when.isoformat(timespec="seconds")
        return cls(reply.question, *_texts(reply), reply.mark, when)

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
            return datetime.fromisoformat(self.when).strftime("%H:%M")
        except ValueError:
            return ""

    @cached_property
    def cells(self) -> tuple[str, ...]:
        """The row as texts."""
        return (
            self.condition, self.statistic, self.estimate, self.interval, self.naive, self.true,
            self.method,
        )  # fmt: skip

    def to_json(self) -> dict[str, Any]:
        """The row as the study keeps it."""
        return {
            "question": self.question.to_json(),
            "estimate": self.estimate,
            "interval": self.interval,
            "naive": self.naive,
            "true": self.true,
            "mark": self.mark,
            "when": self.when,
        }

    @classmethod
    def from_json(cls, given: Any) -> Self:
        """A row that was kept; what cannot be one is a ValueError."""
        if not isinstance(given, Mapping) or not isinstance(given.get("question"), Mapping):
            raise ValueError("not an asked question")
        texts = ("estimate", "interval", "naive", "true", "mark", "when")
        return cls(
            Question.from_json(given["question"]), *(str(given.get(name, "")) for name in texts)
        )


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


def _texts(reply: Reply) -> tuple[str, str, str, str]:
    result, question = reply.result, reply.question
    if isinstance(result, Count | Mean):
        if isinstance(result, Count):
            figures = Figures.of_count(result.respondents)
        else:
            figures = Figures.of_number(reply.study.design[question.of].attribute)
        value = result.value
        # Jointly with others, the sequential method has no valid interval.
        several = len(question.condition.attributes) > isinstance(result, Count)
        valid = question.method == JOINT or not several
        interval = figures.interval(value) if valid else "–"
        naive, true = figures.text(value.naive), figures.text(value.true)
        return figures.text(value.estimate), interval, naive, true
    if isinstance(result, Distribution):
        return tr("%s values") % len(result.labels), "", "", ""
    if isinstance(result, CrossTable):
        rows, columns = len(result.row_labels), len(result.column_labels)
        return tr("%s × %s cells") % (rows, columns), "", "", ""
    assert isinstance(result, Participants)  # noqa: S101 (the last kind of result)
    return tr("%s listed") % number(len(result.rows)), "", "", ""
