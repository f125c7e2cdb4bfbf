"""How the answers to an attribute are distributed among the people who meet a condition."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

from ppworkbench.analyses.estimates.request import (
    SHARED,
    Bins,
    ByArm,
    EstimateInput,
    Method,
    SurveyRequest,
)
from ppworkbench.analyses.estimates.result import (
    EstimatesResult,
    LabelledEstimates,
    Numbers,
    SurveyResult,
    among,
)
from ppworkbench.core.message import Message
from ppworkbench.core.params import Info, Option
from ppworkbench.core.reconstruct.agreement import Pooling
from ppworkbench.core.reconstruct.sharpness import Sharpest
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
        return (("value", Message.of(self.shown(self.found.of))),)

    def rows(self, found: Distributed) -> Iterable[tuple[tuple[str, ...], Estimate]]:
        return [((label,), one) for label, one in zip(found.labels, found.shares, strict=True)]

    def pictures(self) -> tuple[Picture, ...]:
        found, of = self.found, Message.of(self.shown(self.found.of))
        title = Message("Distribution of {of}", of=of)
        shares, note = Axis(Message("share")), self.note()
        drawn = bars("distribution", title, of, shares, found.labels, found.shares, note=note)
        return (drawn, *self.arms_pictures())

    def arm_estimates(self) -> LabelledEstimates:
        pairs = zip(self.found.labels, self.found.shares, strict=True)
        return {((self.found.of, label),): share for label, share in pairs}

    def kept(self) -> tuple[Numbers, int]:
        return (len(self.found.labels),), 0

    def told_numbers(self) -> tuple[str, ...]:
        return ()

    def described(self, whom: str) -> Message:
        return among(Message("The distribution of {of}", of=self.request.of), whom)


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
    finds: ClassVar[type[SurveyResult]] = DistributionResult
    statistic: ClassVar[str] = "distribution"
    short: ClassVar[Message] = Message("Distribution")
    hint: ClassVar[Message] = Message("How are the answers to a question distributed among them?")
    takes: ClassVar[tuple[str, ...]] = (*SHARED, "method", "of", "by_arm", "pooling")
    named: ClassVar[tuple[str, ...]] = ("of",)
    is_from_counts: ClassVar[bool] = True
    kept_numbers: ClassVar[int] = 1

    of: Annotated[str, Option(metavar="NAME"), Info("Of", "attribute")]
    bins: Bins = None
    method: Method = JOINT
    sharpest: Sharpest = "auto"
    by_arm: ByArm = False
    pooling: Pooling = "likelihood"

    def estimate(self, given: EstimateInput) -> Distributed:
        from ppworkbench.core.survey.distributions import distribution

        return distribution(
            given.source, given.design, self.of, self.where, self.method, bins=self.bins,
            pooling=self.pooling, **self.shared(given),
        )  # fmt: skip


QUESTION = Distribution
