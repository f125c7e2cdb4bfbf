"""How many people meet a condition."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from ppworkbench.analyses.survey_request import (
    ByArm,
    Method,
    NumberResult,
    Pooling,
    Sharpest,
    SurveyRequest,
    SurveyResult,
    Where,
)
from ppworkbench.core.message import Message
from ppworkbench.core.survey.estimates import JOINT

if TYPE_CHECKING:
    from ppworkbench.core.survey.counts import Count as Counted
    from ppworkbench.core.survey.estimates import Estimate


class CountResult(NumberResult):
    """How many people meet a condition, and which share of all they are."""

    request: Count
    found: Counted

    def rows(self, found: Counted) -> Iterable[tuple[tuple[str, ...], Estimate]]:
        """The number and the share."""
        return [(("count",), found.value), (("share",), found.share)]

    def value_of(self, found: Counted) -> Estimate:
        """The number; shares have a scale that does not go together with it."""
        return found.value

    def measured(self) -> Message:
        """What is counted."""
        return Message("people")


@dataclass(frozen=True, kw_only=True)
class Count(SurveyRequest):
    """Estimate how many people meet a condition.

    Examples
    --------
    >>> import pandas as pd, ppworkbench as pp
    >>> answers = pd.DataFrame({"town": ["Ash", "Ash", "Elm", "Ash"]})
    >>> pp.Survey(answers).count("town = Ash").estimate
    3.0
    """

    name: ClassVar[str] = "count"
    label: ClassVar[Message] = Message("Number of people who meet a condition")
    leading: ClassVar[tuple[str, ...]] = ("where",)
    statistic: ClassVar[str] = "count"
    finds: ClassVar[type[SurveyResult]] = CountResult

    where: Where = field()
    method: Method = JOINT
    sharpest: Sharpest = "auto"
    by_arm: ByArm = False
    pooling: Pooling = "likelihood"


QUESTION = Count
