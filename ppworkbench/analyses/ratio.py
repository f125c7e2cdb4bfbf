"""The total of a number divided by the total of another."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

from ppworkbench.analyses.survey_request import NumberResult, SurveyRequest, SurveyResult
from ppworkbench.core.message import Message
from ppworkbench.core.params import Info, Option

if TYPE_CHECKING:
    from ppworkbench.core.survey.estimates import Estimate
    from ppworkbench.core.survey.ratios import Ratio as Divided


class RatioResult(NumberResult):
    """The total of a number divided by that of another."""

    request: Ratio
    found: Divided

    def rows(self, found: Divided) -> Iterable[tuple[tuple[str, ...], Estimate]]:
        """The ratio."""
        return [(("ratio",), found.value)]

    def value_of(self, found: Divided) -> Estimate:
        """The ratio."""
        return found.value

    def measured(self) -> Message:
        """Both numbers."""
        of, by = self.shown(self.found.of), self.shown(self.found.by)
        return Message("{of} / {by}", of=of, by=by)


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
    statistic: ClassVar[str] = "ratio"
    finds: ClassVar[type[SurveyResult]] = RatioResult

    of: Annotated[str, Option(metavar="NAME"), Info("Of", "attribute")]
    by: Annotated[str, Option(metavar="NAME"), Info("By", "number to divide by")]


QUESTION = Ratio
