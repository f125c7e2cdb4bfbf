"""Quantiles of a number among the people who meet a condition."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

from ppworkbench.analyses.survey_request import Sharpest, SurveyRequest, SurveyResult
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Info, Option, Within
from ppworkbench.core.survey.quantiles import QUARTILES
from ppworkbench.results.picture import Axis, Picture, interval_note, intervals
from ppworkbench.results.sheet import Column, Kind, Sheet, estimate_columns

if TYPE_CHECKING:
    from ppworkbench.core.survey.quantiles import Quantiles


class QuantileResult(SurveyResult):
    """Quantiles of a number."""

    request: Quantile
    found: Quantiles

    def sheets(self) -> tuple[Sheet, ...]:
        """A row for each of them; ``at`` is the share of people below it."""
        found = self.found.quantiles
        at = Column("at", Message("share"), Kind.NUMBER, [one.at for one in found])
        return (Sheet("quantiles", self.request.label, (at, *estimate_columns(found))),)

    def pictures(self) -> tuple[Picture, ...]:
        """A point with its interval for each of them."""
        found = self.found
        called = Message(self.shown(found.of))
        numbers = Axis(called, self.design[found.of].attribute.unit or "")
        title = Message("Quantiles of {of}", of=called)
        labels = [f"{100 * one.at:g} %" for one in found.quantiles]
        note = interval_note(found.respondents, found.confidence)
        things = Message("share of people below")
        drawn = intervals(
            "quantiles", title, numbers, labels, found.quantiles, note=note, things=things
        )
        return (drawn,)


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
    statistic: ClassVar[str] = "quantile"
    finds: ClassVar[type[SurveyResult]] = QuantileResult

    of: Annotated[str, Option(metavar="NAME"), Info("Of", "attribute")]
    at: Annotated[
        tuple[float, ...],
        Option(metavar="P,..."),
        Within(0, 1, open_low=True, open_high=True),
        Info("At", "shares of people at most there", item="Share"),
    ] = QUARTILES
    sharpest: Sharpest = "auto"

    def __post_init__(self) -> None:
        """Check the shares as a whole, too."""
        super().__post_init__()
        if not self.at:
            raise ParameterError("Name at least one share of people for at.", field="at")


QUESTION = Quantile
