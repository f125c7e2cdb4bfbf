"""The cross table of two attributes: numbers of people who give both answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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
    count_decimals,
)
from ppworkbench.core.message import Message
from ppworkbench.core.params import Info, OneOf, Option
from ppworkbench.core.sampling.independence import RAO_SCOTT, TESTS
from ppworkbench.core.survey.estimates import JOINT
from ppworkbench.results.picture import Axis, Mark, Picture, Role, Shape

if TYPE_CHECKING:
    from ppworkbench.core.design.design import Design
    from ppworkbench.core.survey.crosstabs import CrossTable
    from ppworkbench.core.survey.estimates import Estimate


class TableResult(EstimatesResult):
    """The cross table of two attributes: numbers of people who give both answers."""

    request: Table
    found: CrossTable

    def labels(self) -> tuple[tuple[str, Message], ...]:
        named = (("row", self.found.rows_of), ("column", self.found.columns_of))
        return tuple((key, Message.of(self.shown(name))) for key, name in named)

    def rows(self, found: CrossTable) -> Iterable[tuple[tuple[str, ...], Estimate]]:
        return [
            ((row, column), found.cells[i][j])
            for i, row in enumerate(found.row_labels)
            for j, column in enumerate(found.column_labels)
        ]

    def pictures(self) -> tuple[Picture, ...]:
        import numpy as np

        found = self.found
        counts = np.array([[cell.estimate for cell in row] for row in found.cells], np.float64)
        (_, down), (_, across) = self.labels()
        columns = np.arange(len(found.column_labels), dtype=np.float64)
        words = tuple(self._words(cell) for row in found.cells for cell in row)
        cells = Mark(Shape.CELLS, Role.ESTIMATE, Message("people"), columns, counts, words=words)
        x, y = Axis(across, labels=found.column_labels), Axis(down, labels=found.row_labels)
        title = Message("{rows_of} by {columns_of}", rows_of=down, columns_of=across)
        note = (
            Message("n = {n:,}; numbers of answers.", n=found.respondents)
            if self.sample is not None and self.sample.has_waves
            else Message("n = {n:,}; numbers of people.", n=found.respondents)
        )
        return (Picture("table", title, x, y, (cells,), note), *self.arms_pictures())

    def _words(self, cell: Estimate) -> Message:
        count, half = cell.estimate, (cell.high - cell.low) / 2
        if self.decimals():
            return Message("{count:,.1f} ± {half:,.1f}", count=count, half=half)
        return Message("{count:,.0f} ± {half:,.0f}", count=count, half=half)

    def arm_estimates(self) -> LabelledEstimates:
        found, sample = self.found, self.sample
        size = max(float(found.respondents if sample is None else sample.weighted_n), 1.0)
        return {
            ((found.rows_of, down), (found.columns_of, across)): _scaled(cell, size)
            for (down, across), cell in self.rows(found)
        }

    @property
    def is_share(self) -> bool:
        return False

    def decimals(self) -> int:
        sample = self.sample
        return count_decimals(
            self.found.respondents if sample is None else round(sample.weighted_n)
        )

    def kept(self) -> tuple[Numbers, int]:
        return (len(self.found.row_labels), len(self.found.column_labels)), 0

    def told_numbers(self) -> tuple[str, ...]:
        return () if self.found.association is None else (self.found.association,)

    def described(self, whom: str) -> Message:
        of, by = self.request.rows, self.request.columns
        return among(Message("The joint distribution of {of} and {by}", of=of, by=by), whom)


def _scaled(value: Estimate, size: float) -> Estimate:
    from ppworkbench.core.survey.estimates import Estimate

    naive, true = (None if one is None else one / size for one in (value.naive, value.true))
    ends = value.low / size, value.high / size
    return Estimate(value.estimate / size, *ends, value.standard_error / size, naive, true)


@dataclass(frozen=True, kw_only=True)
class Table(SurveyRequest):
    """Estimate the cross table of two attributes.

    Examples
    --------
    >>> import pandas as pd, ppworkbench as pp
    >>> answers = pd.DataFrame({"sex": ["F", "F", "M", "M"], "votes": ["no", "yes", "no", "no"]})
    >>> pp.Survey(answers).table("sex", "votes").to_frame()["estimate"].tolist()
    [1.0, 1.0, 2.0, 0.0]
    """

    name: ClassVar[str] = "table"
    label: ClassVar[Message] = Message("Cross table of two questions")
    leading: ClassVar[tuple[str, ...]] = ("rows", "columns", "where")
    finds: ClassVar[type[SurveyResult]] = TableResult
    statistic: ClassVar[str] = "crosstab"
    short: ClassVar[Message] = Message("Cross table")
    hint: ClassVar[Message] = Message("How are the answers to 2 questions associated among them?")
    takes: ClassVar[tuple[str, ...]] = (*SHARED, "of", "by", "by_arm", "test")
    spelled: ClassVar[Mapping[str, str]] = {"condition": "where", "of": "rows", "by": "columns"}
    named: ClassVar[tuple[str, ...]] = ("rows", "columns")
    is_from_counts: ClassVar[bool] = True
    why_only_joint: ClassVar[Message] = Message("A cross table has no sequential method.")
    kept_numbers: ClassVar[int] = 2

    rows: Annotated[str, Option("of", "NAME"), Info("Rows", "attribute")]
    columns: Annotated[str, Option("by", "NAME"), Info("Columns", "column attribute")]
    bins: Bins = None
    test: Annotated[
        str,
        OneOf(TESTS),
        Option(group="statistic"),
        Info("Test of independence", "How independence is tested"),
    ] = RAO_SCOTT
    method: Method = JOINT
    by_arm: ByArm = False

    def why_not(self, design: Design) -> Message | None:  # noqa: ARG002
        if not self.columns:
            return Message("Choose a column attribute.")
        is_same = self.rows == self.columns
        return Message("A cross table needs 2 different attributes.") if is_same else None

    def estimate(self, given: EstimateInput) -> CrossTable:
        from ppworkbench.core.survey.crosstabs import crosstab

        bins = {self.rows: self.bins, self.columns: self.bins}
        return crosstab(
            given.source, given.design, self.rows, self.columns, self.where, self.method,
            bins=bins, test=self.test, **self.shared(given),
        )  # fmt: skip


QUESTION = Table
