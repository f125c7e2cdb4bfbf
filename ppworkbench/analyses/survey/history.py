"""What was asked of a study so far, as the study keeps it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self

from ppworkbench.analyses.estimates.result import MOST_DECIMALS, Numbers, is_number
from ppworkbench.analyses.survey.answers import SurveyResult
from ppworkbench.analyses.survey.questions import (
    Question,
    uses_sampling,
)
from ppworkbench.core.data.sampling_roles import Sampling, sampling_fields
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.message import Message
from ppworkbench.core.sampling.results import interval_contents

MOST_KEPT = 200
RESULTS = "survey"
"""Under which name the study keeps them."""
Texts = tuple[str, str, str, str]
_TEXTS = ("estimate", "interval", "naive", "true")


@dataclass(frozen=True)
class PastQuestion:
    """One row of the list: a question, its answer in short, and which design it belongs to."""

    question: Question
    texts: Texts = ("", "", "", "")
    """Estimate, interval, face value and truth in the language in which it was asked; shown only
    for rows of older studies, which have no numbers."""
    mark: str = ""
    when: str = ""
    numbers: Numbers = ()
    decimals: int = 0
    sampling: Sampling | None = None
    """How people were drawn, as it was taken into account."""
    is_undistorted: bool = False
    """Whether no device randomised the answers."""

    @classmethod
    def of_answer(cls, answer: SurveyResult) -> Self:
        """The row of an answer, still without texts."""
        when = answer.when.isoformat(timespec="seconds")
        numbers, decimals = answer.told.kept()
        is_used = uses_sampling(answer.question, answer.study)
        sampling = answer.study.sampling if is_used else None
        asked, design = answer.question, answer.study.design
        has_no_device = asked.inquiry is None and design.is_undistorted(asked.attributes)
        return cls(
            answer.question, mark=answer.mark, when=when, numbers=numbers, decimals=decimals,
            sampling=sampling,
            is_undistorted=has_no_device and bool(asked.attributes),
        )  # fmt: skip

    @property
    def columns(self) -> tuple[str, ...]:
        asked = self.question.inquiry
        listed = () if asked is None else (asked.attribute,)
        drawn = self.sampling.columns if self.sampling else ()
        return (*self.question.attributes, *listed, *drawn)

    @property
    def has_numbers(self) -> bool:
        """Whether the answer is known in numbers, not only in texts."""
        return len(self.numbers) == self.question.kind.kept_numbers

    @property
    def interval_contents(self) -> Message | None:
        """Which errors the interval included and left out; None where there was none."""
        asked = self.question
        if not asked.kind.has_interval or not asked.has_valid_interval:
            return None
        one = asked.compliance
        is_known = one is not None and one.estimates_followers
        return interval_contents(
            self.sampling, asked.target, compliance_known=is_known, undistorted=self.is_undistorted
        ).sentence

    @property
    def time(self) -> str:
        try:
            return datetime.fromisoformat(self.when).astimezone().strftime("%H:%M")
        except ValueError:
            return ""

    def to_json(self) -> dict[str, Any]:
        drawn = sampling_fields(self.sampling)
        if self.is_undistorted:
            drawn["undistorted"] = True
        return {
            "question": self.question.to_json(),
            **drawn,
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
        try:
            sampling = Sampling.from_json(given["sampling"]) if "sampling" in given else None
        except WorkbenchError as error:
            raise ValueError(str(error)) from None
        return cls(
            Question.from_json(given["question"]), (estimate, interval, naive, true), mark, when,
            tuple(numbers) if isinstance(numbers, list) and all(map(is_number, numbers)) else (),
            decimals if isinstance(decimals, int) and 0 <= decimals <= MOST_DECIMALS else 0,
            sampling,
            given.get("undistorted") is True,
        )  # fmt: skip


def history_to_json(rows: tuple[PastQuestion, ...]) -> dict[str, Any]:
    return {"asked": [row.to_json() for row in rows[:MOST_KEPT]]}


def history_from_json(given: object) -> tuple[PastQuestion, ...]:
    """All rows that were kept and can be read; others are left out.

    So are lists of single people, which older studies kept.
    """
    listed = given.get("asked") if isinstance(given, Mapping) else None
    rows = []
    for one in listed if isinstance(listed, list) else []:
        try:
            rows.append(PastQuestion.from_json(one))
        except (ValueError, TypeError, OverflowError):
            continue
    return tuple(row for row in rows if not row.question.kind.lists_people)[:MOST_KEPT]
