"""How many people meet a condition."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from ppworkbench.analyses.estimates.request import (
    SHARED,
    ByArm,
    EstimateInput,
    Method,
    SurveyRequest,
    Where,
)
from ppworkbench.analyses.estimates.result import NumberResult, SurveyResult
from ppworkbench.core.message import Message
from ppworkbench.core.reconstruct.agreement import Pooling
from ppworkbench.core.reconstruct.sharpness import Sharpest
from ppworkbench.core.survey.estimates import JOINT

if TYPE_CHECKING:
    from ppworkbench.core.survey.counts import Count as Counted
    from ppworkbench.core.survey.estimates import Estimate


class CountResult(NumberResult):
    """How many people meet a condition, and which share of all they are."""

    request: Count
    found: Counted

    def rows(self, found: Counted) -> Iterable[tuple[tuple[str, ...], Estimate]]:
        return [(("count",), found.value), (("share",), found.share)]

    def value_of(self, found: Counted) -> Estimate:
        return found.value

    def measured(self) -> Message:
        has_waves = self.sample is not None and self.sample.has_waves
        return Message("answers") if has_waves else Message("people")


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
    finds: ClassVar[type[SurveyResult]] = CountResult
    takes: ClassVar[tuple[str, ...]] = (*SHARED, "method", "by_arm", "pooling")
    is_from_counts: ClassVar[bool] = True

    where: Where = field()
    method: Method = JOINT
    sharpest: Sharpest = "auto"
    by_arm: ByArm = False
    pooling: Pooling = "likelihood"

    def estimate(self, given: EstimateInput) -> Counted:
        from ppworkbench.core.survey.counts import count

        return count(
            given.source, given.design, self.where, self.method, pooling=self.pooling,
            **self.shared(given),
        )  # fmt: skip


QUESTION = Count
