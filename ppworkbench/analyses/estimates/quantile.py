"""Quantiles of a number among the people who meet a condition."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

from ppworkbench.analyses.estimates.request import SHARED, EstimateInput, SurveyRequest
from ppworkbench.analyses.estimates.result import (
    Numbers,
    SurveyResult,
    among,
    finite_numbers,
    number_decimals,
)
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Info, Option, Within
from ppworkbench.core.reconstruct.sharpness import Sharpest
from ppworkbench.core.survey.quantiles import QUARTILES
from ppworkbench.results.picture import Axis, Picture, intervals
from ppworkbench.results.sheet import Column, Kind, Sheet, estimate_columns

if TYPE_CHECKING:
    from ppworkbench.core.design.design import Design
    from ppworkbench.core.survey.quantiles import Quantiles


class QuantileResult(SurveyResult):
    """Quantiles of a number."""

    request: Quantile
    found: Quantiles

    def sheets(self) -> tuple[Sheet, ...]:
        found = self.found.quantiles
        at = Column("at", Message("share"), Kind.NUMBER, [one.at for one in found])
        return (Sheet("quantiles", self.request.label, (at, *estimate_columns(found))),)

    def pictures(self) -> tuple[Picture, ...]:
        found = self.found
        called = Message(self.shown(found.of))
        numbers = Axis(called, self.design[found.of].attribute.unit or "")
        title = Message("Quantiles of {of}", of=called)
        labels = [f"{100 * one.at:g} %" for one in found.quantiles]
        things = Message("share of people below")
        drawn = intervals(
            "quantiles", title, numbers, labels, found.quantiles, note=self.note(), things=things
        )
        return (drawn,)

    def kept(self) -> tuple[Numbers, int]:
        middle = self.found.quantiles[len(self.found.quantiles) // 2]
        told = (middle.estimate, middle.low, middle.high, middle.naive, middle.true)
        return finite_numbers(*told), number_decimals(self.design[self.found.of].attribute)

    @property
    def unit_of(self) -> str:
        return self.design[self.found.of].attribute.unit or ""

    def described(self, whom: str) -> Message:
        return among(Message("The quantiles of {of}", of=self.request.of), whom)


@dataclass(frozen=True, kw_only=True)
class Quantile(SurveyRequest):
    """Estimate quantiles of a number; ``at`` are the shares of people below them.

    Examples
    --------
    >>> import pandas as pd, ppworkbench as pp
    >>> answers = pd.DataFrame({"hours": [1, 2, 2, 3, 5]})
    >>> pp.Survey(answers).quantile("hours", [0.5]).to_frame()["estimate"].tolist()
    [2.0]
    """

    name: ClassVar[str] = "quantile"
    label: ClassVar[Message] = Message("Quantiles of a number")
    leading: ClassVar[tuple[str, ...]] = ("of", "at", "where")
    finds: ClassVar[type[SurveyResult]] = QuantileResult
    statistic: ClassVar[str] = "quantile"
    short: ClassVar[Message] = Message("Quantiles")
    hint: ClassVar[Message] = Message("Which number has a given share of answers below it?")
    takes: ClassVar[tuple[str, ...]] = (*SHARED, "of", "at")
    named: ClassVar[tuple[str, ...]] = ("of",)
    only_numbers: ClassVar[bool] = True
    is_share: ClassVar[bool] = False

    of: Annotated[str, Option(metavar="NAME"), Info("Of", "attribute")]
    at: Annotated[
        tuple[float, ...],
        Option(metavar="P,..."),
        Within(0, 1, open_low=True, open_high=True),
        Info("At", "shares of people at most there", item="Share"),
    ] = QUARTILES
    sharpest: Sharpest = "auto"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.at:
            raise ParameterError("Name at least one share of people for at.", field="at")

    def why_not(self, design: Design) -> Message | None:
        if self.can_be_of(design[self.of].attribute):
            return None
        return Message("{of} has no quantiles; choose its distribution.", of=self.of)

    def estimate(self, given: EstimateInput) -> Quantiles:
        from ppworkbench.core.survey.quantiles import quantile

        return quantile(
            given.table, given.design, self.of, self.at, self.where, **self.shared(given)
        )


QUESTION = Quantile
