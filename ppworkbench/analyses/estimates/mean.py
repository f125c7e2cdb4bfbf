"""The mean of a number among the people who meet a condition."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

from ppworkbench.analyses.estimates.request import (
    SHARED,
    ByArm,
    EstimateInput,
    Method,
    SurveyRequest,
)
from ppworkbench.analyses.estimates.result import NumberResult, SurveyResult, among
from ppworkbench.core.message import Message
from ppworkbench.core.params import Info, Option
from ppworkbench.core.reconstruct.sharpness import Sharpest
from ppworkbench.core.survey.estimates import JOINT

if TYPE_CHECKING:
    from ppworkbench.core.design.design import Design
    from ppworkbench.core.survey.estimates import Estimate
    from ppworkbench.core.survey.means import Mean as Averaged


class MeanResult(NumberResult):
    """The mean of a number, and its total where the sampling tells how many people there are."""

    request: Mean
    found: Averaged

    def rows(self, found: Averaged) -> Iterable[tuple[tuple[str, ...], Estimate]]:
        totals = [] if found.total is None else [(("total",), found.total)]
        return [(("mean",), found.value), *totals]

    def value_of(self, found: Averaged) -> Estimate:
        return found.value

    def measured(self) -> Message:
        return Message("mean of {of}", of=self.shown(self.found.of))

    def figure(self, name: str) -> Estimate | None:
        return self.found.total if name == "total" else self.found.value

    @property
    def unit_of(self) -> str:
        return self.design[self.found.of].attribute.unit or ""

    def described(self, whom: str) -> Message:
        return among(Message("The mean of {of}", of=self.request.of), whom)


@dataclass(frozen=True, kw_only=True)
class Mean(SurveyRequest):
    """Estimate the mean of a number.

    Examples
    --------
    >>> import pandas as pd, ppworkbench as pp
    >>> answers = pd.DataFrame({"hours": [1, 2, 2, 3, 7]})
    >>> pp.Survey(answers).mean("hours").estimate
    3.0
    """

    name: ClassVar[str] = "mean"
    label: ClassVar[Message] = Message("Mean of a number")
    leading: ClassVar[tuple[str, ...]] = ("of", "where")
    finds: ClassVar[type[SurveyResult]] = MeanResult
    statistic: ClassVar[str] = "mean"
    short: ClassVar[Message] = Message("Mean")
    hint: ClassVar[Message] = Message("What is the mean of a number among those who meet them?")
    takes: ClassVar[tuple[str, ...]] = (*SHARED, "method", "of", "by_arm")
    named: ClassVar[tuple[str, ...]] = ("of",)
    is_from_counts: ClassVar[bool] = True
    is_number: ClassVar[bool] = True
    only_numbers: ClassVar[bool] = True
    is_share: ClassVar[bool] = False

    of: Annotated[str, Option(metavar="NAME"), Info("Of", "attribute")]
    method: Method = JOINT
    sharpest: Sharpest = "auto"
    by_arm: ByArm = False

    def why_not(self, design: Design) -> Message | None:
        if self.can_be_of(design[self.of].attribute):
            return None
        return Message("{of} has no mean; choose its distribution.", of=self.of)

    def can_be_split(self, by: str) -> bool:
        return by != self.of

    def estimate(self, given: EstimateInput) -> Averaged:
        from ppworkbench.core.survey.means import mean

        return mean(
            given.source, given.design, self.of, self.where, self.method, **self.shared(given)
        )


QUESTION = Mean
