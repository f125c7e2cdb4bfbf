"""How the answers to an attribute are distributed among the people who meet a condition."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

from ppworkbench.analyses.survey_request import (
    Bins,
    ByArm,
    EstimatesResult,
    Method,
    Pooling,
    Sharpest,
    SurveyRequest,
    SurveyResult,
)
from ppworkbench.core.message import Message
from ppworkbench.core.params import Info, Option
from ppworkbench.core.survey.estimates import JOINT
from ppworkbench.results.picture import Axis, Picture, bars

if TYPE_CHECKING:
    from ppworkbench.core.survey.distributions import Distribution as Distributed
    from ppworkbench.core.survey.estimates import Estimate


class DistributionResult(EstimatesResult):
    """How the answers to an attribute are distributed."""

    request: Distribution
    found: Distributed

    def labels(self) -> tuple[tuple[str, Message], ...]:
        """The values."""
        return (("value", Message.of(self.shown(self.found.of))),)

    def rows(self, found: Distributed) -> Iterable[tuple[tuple[str, ...], Estimate]]:
        """The share of every value."""
        return [((label,), one) for label, one in zip(found.labels, found.shares, strict=True)]

    def pictures(self) -> tuple[Picture, ...]:
        """A bar for every value."""
        found, of = self.found, Message.of(self.shown(self.found.of))
        title = Message("Distribution of {of}", of=of)
        shares, note = Axis(Message("share")), self.note()
        return (bars("distribution", title, of, shares, found.labels, found.shares, note=note),)


@dataclass(frozen=True, kw_only=True)
class Distribution(SurveyRequest):
    """Estimate how the answers to an attribute are distributed.

    Examples
    --------
    >>> import pandas as pd, ppworkbench as pp
    >>> answers = pd.DataFrame({"town": ["Ash", "Ash", "Elm", "Ash"]})
    >>> pp.Survey(answers).distribution("town").to_frame()["estimate"].tolist()
    [0.75, 0.25]
    """

    name: ClassVar[str] = "distribution"
    label: ClassVar[Message] = Message("Distribution of the answers to a question")
    leading: ClassVar[tuple[str, ...]] = ("of", "where")
    statistic: ClassVar[str] = "distribution"
    finds: ClassVar[type[SurveyResult]] = DistributionResult

    of: Annotated[str, Option(metavar="NAME"), Info("Of", "attribute")]
    bins: Bins = None
    method: Method = JOINT
    sharpest: Sharpest = "auto"
    by_arm: ByArm = False
    pooling: Pooling = "likelihood"


QUESTION = Distribution
