"""The total of a number divided by the total of another."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

from ppworkbench.analyses.estimates.request import SHARED, EstimateInput, SurveyRequest
from ppworkbench.analyses.estimates.result import NumberResult, SurveyResult, among, ratio_decimals
from ppworkbench.core.message import Message
from ppworkbench.core.params import Info, Option

if TYPE_CHECKING:
    from ppworkbench.core.data.attribute import Attribute
    from ppworkbench.core.design.design import Design
    from ppworkbench.core.survey.estimates import Estimate
    from ppworkbench.core.survey.ratios import Ratio as Divided


class RatioResult(NumberResult):
    """The total of a number divided by that of another."""

    request: Ratio
    found: Divided

    def rows(self, found: Divided) -> Iterable[tuple[tuple[str, ...], Estimate]]:
        return [(("ratio",), found.value)]

    def value_of(self, found: Divided) -> Estimate:
        return found.value

    def measured(self) -> Message:
        of, by = self.shown(self.found.of), self.shown(self.found.by)
        return Message("{of} / {by}", of=of, by=by)

    def decimals(self) -> int:
        return ratio_decimals(self.found.value.estimate)

    def described(self, whom: str) -> Message:
        return among(
            Message("The ratio of {of} to {by}", of=self.request.of, by=self.request.by), whom
        )


@dataclass(frozen=True, kw_only=True)
class Ratio(SurveyRequest):
    """Estimate the total of a number divided by the total of another, ``by``.

    Examples
    --------
    >>> import pandas as pd, ppworkbench as pp
    >>> answers = pd.DataFrame({"earned": [1.5, 2.0, 4.5], "spent": [0.5, 1.5, 2.0]})
    >>> pp.Survey(answers).ratio("spent", "earned").estimate
    0.5
    """

    name: ClassVar[str] = "ratio"
    label: ClassVar[Message] = Message("Ratio of two totals")
    leading: ClassVar[tuple[str, ...]] = ("of", "by", "where")
    finds: ClassVar[type[SurveyResult]] = RatioResult
    statistic: ClassVar[str] = "ratio"
    short: ClassVar[Message] = Message("Ratio")
    hint: ClassVar[Message] = Message(
        "What is the total of a number, divided by that of another, among them?"
    )
    takes: ClassVar[tuple[str, ...]] = (*SHARED, "of", "by")
    named: ClassVar[tuple[str, ...]] = ("of", "by")
    only_numbers: ClassVar[bool] = True
    is_share: ClassVar[bool] = False

    of: Annotated[str, Option(metavar="NAME"), Info("Of", "attribute")]
    by: Annotated[str, Option(metavar="NAME"), Info("By", "number to divide by")]

    @classmethod
    def is_offered(cls, design: Design) -> bool:
        return sum(one.attribute.kind.is_numeric for one in design) > 1

    @classmethod
    def can_be_by(cls, attribute: Attribute) -> bool:
        return attribute.kind.is_numeric

    def why_not(self, design: Design) -> Message | None:
        if not self.by:
            return Message("Choose the number to divide by.")
        for name in (self.of, self.by):
            if not self.can_be_of(design[name].attribute):
                return Message("{of} is no number and has no ratio.", of=name)
        return Message("A ratio needs 2 different numbers.") if self.of == self.by else None

    def estimate(self, given: EstimateInput) -> Divided:
        from ppworkbench.core.survey.ratios import ratio

        return ratio(given.table, given.design, self.of, self.by, self.where, **self.shared(given))


QUESTION = Ratio
