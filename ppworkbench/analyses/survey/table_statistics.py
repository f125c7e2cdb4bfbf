"""Statistics that are tables: distributions, cross tables, groups, and lists of participants."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ppworkbench.analyses.survey.answers import SurveyResult
from ppworkbench.analyses.survey.questions import (
    COMPARE,
    CROSSTAB,
    DISTRIBUTION,
    MOST_VALUES,
    PARTICIPANTS,
    Question,
)
from ppworkbench.analyses.survey.statistic import (
    SHARED,
    EstimateInput,
    LabelledEstimates,
    Numbers,
    SampledStatistic,
    Statistic,
    among,
    statistics,
)
from ppworkbench.analyses.survey.tables import NUMBERS, Rows, cells, number_cells
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.files import write_table
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Design
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress
from ppworkbench.core.survey.answers import meeting, original_answers
from ppworkbench.core.survey.conditions.regions import regions_of
from ppworkbench.core.survey.crosstabs import CrossTable, crosstab
from ppworkbench.core.survey.distributions import Distribution, distribution
from ppworkbench.core.survey.estimates import Estimate
from ppworkbench.core.survey.group_differences import GroupDifferences, compare
from ppworkbench.core.survey.participants import Participants, participants
from ppworkbench.study.state import refuse_invented
from ppworkbench.study.study import Say, Study

_COPIED = 1_000
"""Participants beyond these are for a file, not for the clipboard."""


@statistics.register(
    DISTRIBUTION,
    Message("Distribution"),
    hint="How are the answers to a question distributed among them?",
    rank=40,
)
class DistributionStatistic(SampledStatistic[Distribution]):
    """The shares of all values of an attribute."""

    takes = (*SHARED, "method", "of", "by_arm", "pooling")
    asks = DISTRIBUTION
    is_from_counts = True
    kept_numbers = 1

    def estimate(self, asked: Question, given: EstimateInput) -> Distribution:
        return distribution(
            given.source, given.design, asked.of, asked.condition, asked.method, bins=given.bins,
            pooling=asked.pooling, **given.noisy, **given.shared,
        )  # fmt: skip

    def arm_estimates(self, result: Distribution) -> LabelledEstimates:
        pairs = zip(result.labels, result.shares, strict=True)
        return {((result.of, label),): share for label, share in pairs}

    def kept(self, result: Distribution, answer: SurveyResult) -> tuple[Numbers, int]:  # noqa: ARG002
        return (len(result.labels),), 0

    def described(self, asked: Question, whom: str) -> Message:
        return among(Message("The distribution of {of}", of=asked.of), whom)

    def rows(self, result: Distribution, answer: SurveyResult) -> Rows:  # noqa: ARG002
        pairs = zip(result.labels, result.shares, strict=True)
        return [[result.of, *NUMBERS], *([label, *number_cells(share)] for label, share in pairs)]


@statistics.register(
    CROSSTAB,
    Message("Cross table"),
    hint="How are the answers to 2 questions associated among them?",
    rank=50,
)
class CrosstabStatistic(SampledStatistic[CrossTable]):
    """How many people have which pair of values."""

    takes = (*SHARED, "of", "by", "by_arm", "test")
    is_from_counts = True
    kept_numbers = 2
    asks = "table"

    @property
    def why_only_joint(self) -> str:
        return Message("A cross table has no sequential method.")

    def problem(self, asked: Question, design: Design) -> str:  # noqa: ARG002
        if not asked.by:
            return Message("Choose a column attribute.")
        if asked.of == asked.by:
            return Message("A cross table needs 2 different attributes.")
        return ""

    def estimate(self, asked: Question, given: EstimateInput) -> CrossTable:
        return crosstab(
            given.source, given.design, asked.of, asked.by, asked.condition, asked.method,
            bins={asked.of: given.bins, asked.by: given.bins}, test=asked.test, **given.shared,
        )  # fmt: skip

    def arm_estimates(self, result: CrossTable) -> LabelledEstimates:
        size = float(result.respondents if result.sample is None else result.sample.weighted_n)
        return {
            ((result.rows_of, down), (result.columns_of, across)): _scaled(value, max(size, 1.0))
            for (down, across), value in _cells(result)
        }

    def kept(self, result: CrossTable, answer: SurveyResult) -> tuple[Numbers, int]:  # noqa: ARG002
        return (len(result.row_labels), len(result.column_labels)), 0

    def described(self, asked: Question, whom: str) -> Message:
        what = Message("The joint distribution of {of} and {by}", of=asked.of, by=asked.by)
        return among(what, whom)

    def told_numbers(self, result: CrossTable, answer: SurveyResult) -> tuple[str, ...]:  # noqa: ARG002
        return () if result.association is None else (result.association,)

    def rows(self, result: CrossTable, answer: SurveyResult) -> Rows:  # noqa: ARG002
        heads = [result.rows_of, result.columns_of, *NUMBERS]
        return [heads, *([*names, *number_cells(value)] for names, value in _cells(result))]


def _cells(result: CrossTable) -> list[tuple[tuple[str, str], Estimate]]:
    """Every cell under its row and its column."""
    return [
        ((down, across), result.cells[i][j])
        for i, down in enumerate(result.row_labels)
        for j, across in enumerate(result.column_labels)
    ]


def _scaled(value: Estimate, size: float) -> Estimate:
    naive, true = (None if one is None else one / size for one in (value.naive, value.true))
    return Estimate(
        value.estimate / size, value.low / size, value.high / size, value.standard_error / size,
        naive, true,
    )  # fmt: skip


@statistics.register(
    COMPARE, Message("Compare"), hint="How does a share or a mean differ between groups?", rank=60
)
class CompareStatistic(SampledStatistic[GroupDifferences]):
    """The share of an answer or the mean of a number in every group, and their differences."""

    takes = (*SHARED, "of", "by", "value", "reference")
    asks = COMPARE
    kept_numbers = 1

    def can_be_by(self, attribute: Attribute) -> bool:
        return attribute.k <= MOST_VALUES and attribute.k != 1

    def untestable(self, asked: Question, design: Design) -> Sequence[str]:  # noqa: ARG002
        """Groups of those who gave an answer cannot be compared by it."""
        return (asked.of,)

    def problem(self, asked: Question, design: Design) -> str:
        if not asked.by:
            return Message("Choose the attribute of the groups.")
        if asked.of in (asked.by, *asked.condition.attributes):
            return Message("Groups of {of} cannot be compared by {of} itself.", of=asked.of)
        attribute = design[asked.of].attribute
        if attribute.kind.is_categorical and asked.value not in attribute.values:
            return Message("Choose the answer of {of} that is compared.", of=asked.of)
        return ""

    def estimate(self, asked: Question, given: EstimateInput) -> GroupDifferences:
        return compare(
            given.table, given.design, asked.of, asked.by,
            value=asked.value or None, condition=asked.condition, bins=given.bins,
            reference=asked.reference or None, confidence=given.confidence,
            progress=given.progress, **given.drawn,
        )  # fmt: skip

    def kept(self, result: GroupDifferences, answer: SurveyResult) -> tuple[Numbers, int]:  # noqa: ARG002
        return (len(result.labels),), 0

    def described(self, asked: Question, whom: str) -> Message:
        of, by, value = asked.of, asked.by, asked.value
        if value:
            what = Message("The share of {of} = {value} by {by}", of=of, value=value, by=by)
            return among(what, whom)
        return among(Message("The mean of {of} by {by}", of=of, by=by), whom)

    def told_numbers(self, result: GroupDifferences, answer: SurveyResult) -> tuple[str, ...]:  # noqa: ARG002
        return (Message.of(result.sentence),)

    def rows(self, result: GroupDifferences, answer: SurveyResult) -> Rows:  # noqa: ARG002
        numbers = ("estimate", "low", "high", "standard error", "p", "p (Holm)")
        rows = [["group", "minus", *numbers, "people"]]
        for label, people, value in zip(result.labels, result.people, result.groups, strict=True):
            told = [""] * 4 if value is None else number_cells(value)[:4]
            rows.append([label, "", *told, "", "", str(people)])
        for one in result.differences:
            found = (one.estimate, one.low, one.high, one.standard_error, one.p, one.p_holm)
            rows.append([one.a, one.b, *cells(*found), ""])
        return rows


@statistics.register(
    PARTICIPANTS, Message("Likely members"), hint="Who probably meets the conditions?", rank=100
)
class ParticipantsStatistic(Statistic[Participants]):
    """Single records that probably meet a condition."""

    takes = ("condition", "arms", "method", "size", "draw", "seed")
    asks = PARTICIPANTS
    why_no_parts = Message(
        "Likely members are single records, which never leave their parts; open a single file to "
        "list them."
    )
    why_only_population = Message("A list of likely members is not an estimate about a population.")
    needs_condition = True
    has_interval = False
    lists_people = True
    kept_numbers = 1

    def estimate(self, asked: Question, given: EstimateInput) -> Participants:
        return participants(
            given.table, given.design, asked.condition, asked.method,
            size=asked.size, draw=asked.draw, seed=asked.seed, **given.shared,
        )  # fmt: skip

    def find_true(
        self, result: Participants, study: Study, original: Table
    ) -> NDArray[np.bool_]:  # fmt: skip
        """Which of the listed ones really meet the condition."""
        regions = regions_of(result.condition, study.design)
        listed = original_answers(original.take(result.rows), study.design, regions)
        truly = np.zeros(len(result.rows), np.bool_)
        truly[listed.rows] = meeting(listed.data, regions, listed.n)
        return truly

    def kept(self, result: Participants, answer: SurveyResult) -> tuple[Numbers, int]:  # noqa: ARG002
        return (len(result.rows),), 0

    def described(self, asked: Question, whom: str) -> Message:  # noqa: ARG002
        return Message("The probability of {whom} of each respondent", whom=whom or "…")

    def rows(self, result: Participants, answer: SurveyResult) -> Rows:
        """The first of the records with the answers that the condition is about."""
        names = result.condition.attributes
        shown = result.rows[:_COPIED]
        columns = [answer.distorted[name].take(shown).to_series().astype(str) for name in names]
        rows: Rows = [["record", *names, "posterior"]]
        for place, record in enumerate(shown.tolist()):
            answers = [str(column.iloc[place]) for column in columns]
            rows.append([str(record + 1), *answers, f"{result.posterior[place]:.6g}"])
        return rows

    def write(
        self,
        result: Participants,
        answer: SurveyResult,
        path: Path,
        *,
        say: Say,  # noqa: ARG002
        note: str,  # noqa: ARG002
        progress: Progress,
    ) -> bool:
        """Write all records, in any format of a table."""
        # A table of records has no place for a sentence, and would look like any other.
        refuse_invented(answer.study)
        write_table(_listed_records(result, answer.distorted), path, progress=progress)
        return True


def _listed_records(found: Participants, distorted: Table) -> Table:
    """The listed records with all their reported answers, their number and their posterior."""
    listed = distorted.take(found.rows)
    taken = set(listed.names)
    last = float(max(distorted.rows, 1))
    record = Attribute(_free("record", taken), Kind.INTEGER, domain=(1.0, last))
    posterior = Attribute(_free("posterior", taken), Kind.CONTINUOUS, domain=(0.0, 1.0))
    return Table(
        (
            Column(record, found.rows.astype(np.float64) + 1),
            *listed.columns,
            Column(posterior, found.posterior),
        ),
        listed.class_name,
    )


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name = f"{name}_"
    return name
