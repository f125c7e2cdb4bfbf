"""Correlations of randomised answers."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from ppworkbench.analyses.estimates.result import SurveyResult
from ppworkbench.analyses.request import Request
from ppworkbench.core.message import Message
from ppworkbench.core.params import Info, Option, Read
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.results.picture import Axis, Picture, intervals
from ppworkbench.results.sheet import Column, Kind, Sheet, estimate_columns

if TYPE_CHECKING:
    from ppworkbench.analyses.source import Source
    from ppworkbench.core.models import Correlations


class CorrelationResult(SurveyResult):
    """Correlations of pairs with intervals."""

    found: Correlations

    def readings(self) -> tuple[str, ...]:
        return (self.found.contents.sentence,)

    def sheets(self) -> tuple[Sheet, ...]:
        pairs = self.found.correlations
        names = (
            Column("a", Message("of"), Kind.TEXT, [one.a for one in pairs]),
            Column("b", Message("and"), Kind.TEXT, [one.b for one in pairs]),
        )
        numbers = estimate_columns(pairs, what=Message("correlation"))
        return (Sheet("correlations", self.request.label, (*names, *numbers)),)

    def pictures(self) -> tuple[Picture, ...]:
        pairs = self.found.correlations
        labels = [f"{self.shown(one.a)} – {self.shown(one.b)}" for one in pairs]
        title, axis = Message("Correlations"), Axis(Message("correlation"))
        return (intervals("correlations", title, axis, labels, pairs, note=self.note(), zero=True),)


def _names(given: Any) -> tuple[str, ...]:
    names = tuple(one.strip() for one in given.split(",")) if isinstance(given, str) else given
    if not isinstance(names, list | tuple) or not all(
        isinstance(one, str) and one for one in names
    ):
        raise TypeError(Message("it must be names as in a,b"))
    if len(names) < 2:
        raise ValueError(Message("it must be two names or more, as in a,b"))
    return tuple(names)


@dataclass(frozen=True, kw_only=True)
class Correlate(Request):
    """Estimate correlations of numbers, attributes with two values, or ``"name=value"``.

    Examples
    --------
    >>> import pandas as pd, ppworkbench as pp
    >>> answers = pd.DataFrame({"age": [1, 2, 3, 4], "hours": [2.0, 4.1, 5.9, 8.0]})
    >>> found = pp.Survey(answers).correlate("age", "hours")
    >>> float(found.to_frame()["estimate"].round(2)[0])
    1.0
    """

    name: ClassVar[str] = "correlate"
    label: ClassVar[Message] = Message("Correlations")
    rest: ClassVar[str] = "names"
    finds: ClassVar[type[SurveyResult]] = CorrelationResult

    names: Annotated[
        tuple[str, ...],
        Read(_names, list, annotation="str"),
        Option("of", "A,B,..."),
        Info("Names", "numbers, attributes with two values, or name=value"),
    ]

    def run(self, source: Source, progress: Progress = silent) -> CorrelationResult:
        from ppworkbench.core.models import correlate, split_value

        design = source.design
        columns = [split_value(one, design)[0] for one in self.names]
        given = source.answers(columns, part(progress, 0.0, 0.5))
        found = correlate(
            given.table, design, self.names, original=given.original,
            progress=part(progress, 0.5, 1.0), **source.drawn,
        )  # fmt: skip
        remarks = (*given.remarks, *found.remarks)
        return CorrelationResult(self, dataclasses.replace(found, remarks=remarks), design)


QUESTION = Correlate
