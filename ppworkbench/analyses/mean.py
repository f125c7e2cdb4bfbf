"""The mean of a number among the people who meet a condition."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

from ppworkbench.analyses.survey_request import (
    ByArm,
    Method,
    NumberResult,
    Sharpest,
    SurveyRequest,
    SurveyResult,
)
from ppworkbench.core.message import Message
from ppworkbench.core.params import Info, Option
from ppworkbench.core.survey.estimates import JOINT

if TYPE_CHECKING:
    from ppworkbench.core.survey.estimates import Estimate
    from ppworkbench.core.survey.means import Mean as Averaged


class MeanResult(NumberResult):
    """The mean of a number, and its total where the sampling tells how many people there are."""

    request: Mean
    found: Averaged

    def rows(self, found: Averaged) -> Iterable[tuple[tuple[str, ...], Estimate]]:
        """The mean and the total."""
        totals = [] if found.total is None else [(("total",), found.total)]
        return [(("mean",), found.value), *totals]

    def value_of(self, found: Averaged) -> Estimate:
        """The mean."""
        return found.value

    def measured(self) -> Message:
        """Of which number it is."""
        return Message("mean of {of}", of=self.shown(self.found.of))


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
    statistic: ClassVar[str] = "mean"
    finds: ClassVar[type[SurveyResult]] = MeanResult

    of: Annotated[str, Option(metavar="NAME"), Info("Of", "attribute")]
    method: Method = JOINT
    sharpest: Sharpest = "auto"
    by_arm: ByArm = False


QUESTION = Mean
