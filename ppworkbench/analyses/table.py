"""The cross table of two attributes: numbers of people who give both answers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar, Self

from ppworkbench.analyses.survey_request import (
    Bins,
    ByArm,
    EstimatesResult,
    Method,
    SurveyRequest,
    SurveyResult,
)
from ppworkbench.core.message import Message
from ppworkbench.core.params import Info, OneOf, Option
from ppworkbench.core.sampling.independence import RAO_SCOTT, TESTS
from ppworkbench.core.survey.estimates import JOINT
from ppworkbench.results.picture import Axis, Mark, Picture, Role, Shape

if TYPE_CHECKING:
    from ppworkbench.analyses.survey.questions import Question
    from ppworkbench.core.design.design import Design
    from ppworkbench.core.survey.crosstabs import CrossTable
    from ppworkbench.core.survey.estimates import Estimate


class TableResult(EstimatesResult):
    """The cross table of two attributes: numbers of people who give both answers."""

    request: Table
    found: CrossTable

    def labels(self) -> tuple[tuple[str, Message], ...]:
        """The values of both attributes."""
        named = (("row", self.found.rows_of), ("column", self.found.columns_of))
        return tuple((key, Message.of(self.shown(name))) for key, name in named)

    def rows(self, found: CrossTable) -> Iterable[tuple[tuple[str, ...], Estimate]]:
        """The number of every cell, row by row."""
        return [
            ((row, column), found.cells[i][j])
            for i, row in enumerate(found.row_labels)
            for j, column in enumerate(found.column_labels)
        ]

    def pictures(self) -> tuple[Picture, ...]:
        """A heat map of the numbers."""
        import numpy as np

        found = self.found
        counts = np.array([[cell.estimate for cell in row] for row in found.cells], np.float64)
        (_, down), (_, across) = self.labels()
        columns = np.arange(len(found.column_labels), dtype=np.float64)
        cells = Mark(Shape.CELLS, Role.ESTIMATE, Message("people"), columns, counts)
        x, y = Axis(across, labels=found.column_labels), Axis(down, labels=found.row_labels)
        title = Message("{rows_of} by {columns_of}", rows_of=down, columns_of=across)
        note = Message("n = {n:,}; numbers of people.", n=found.respondents)
        return (Picture("table", title, x, y, (cells,), note),)


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
    statistic: ClassVar[str] = "crosstab"
    finds: ClassVar[type[SurveyResult]] = TableResult

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

    def question(self, design: Design) -> Question:
        """The same with the names that studies use."""
        return super().question(design).with_(of=self.rows, by=self.columns)

    @classmethod
    def of_question(cls, asked: Question) -> Self:
        """The request that asks what a study keeps."""
        return cls(
            rows=asked.of, columns=asked.by, where=asked.condition, test=asked.test,
            method=asked.method, arms=asked.arms, by_arm=asked.by_arm,
        )  # fmt: skip


QUESTION = Table
