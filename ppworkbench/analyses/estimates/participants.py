"""Who probably meets a condition: the most probable people, or a random draw."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from ppworkbench.analyses.estimates.request import EstimateInput, Method, SurveyRequest, Where
from ppworkbench.analyses.estimates.result import Numbers, SurveyResult
from ppworkbench.core.message import Message
from ppworkbench.core.params import Info, OneOf, Option, Within
from ppworkbench.core.survey.estimates import JOINT
from ppworkbench.core.survey.participants import HIGHEST, RANDOM
from ppworkbench.results.sheet import Column, Kind, Sheet

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from ppworkbench.core.data.table import Table
    from ppworkbench.core.survey.participants import Participants as Listed
    from ppworkbench.study.study import Study

_COPIED = 1_000
"""Participants beyond these are for a file, not for the clipboard."""


class ParticipantsResult(SurveyResult):
    """Who probably meets a condition; rows are counted from 0."""

    request: Participants
    found: Listed

    def sheets(self) -> tuple[Sheet, ...]:
        found = self.found
        rows = Column("row", Message("row (from 0)"), Kind.COUNT, found.rows)
        likely = Column("probability", Message("probability"), Kind.SHARE, found.posterior)
        return (Sheet("participants", self.request.label, (rows, likely)),)

    def readings(self) -> tuple[str, ...]:
        return (self.found.count.sentence,)

    def kept(self) -> tuple[Numbers, int]:
        return (len(self.found.rows),), 0

    def described(self, whom: str) -> Message:
        return Message("The probability of {whom} of each respondent", whom=whom or "…")

    def told_numbers(self) -> tuple[str, ...]:
        return ()

    def find_true(self, study: Study, original: Table) -> NDArray[np.bool_]:
        import numpy as np

        from ppworkbench.core.survey.answers import meeting, original_answers
        from ppworkbench.core.survey.conditions.regions import regions_of

        found = self.found
        regions = regions_of(found.condition, study.design)
        listed = original_answers(original.take(found.rows), study.design, regions)
        truly = np.zeros(len(found.rows), np.bool_)
        truly[listed.rows] = meeting(listed.data, regions, listed.n)
        return truly

    def file_sheets(self, reported: Table) -> tuple[Sheet, ...]:
        found = self.found
        shown, names = found.rows[:_COPIED], found.condition.attributes
        record, likely = (_free(name, {*names}) for name in ("record", "posterior"))
        answers = [
            Column(name, Message.of(name), Kind.TEXT,
                   reported[name].take(shown).to_series().astype(str).tolist())
            for name in names
        ]  # fmt: skip
        columns = (
            Column(record, Message("record"), Kind.COUNT, shown + 1),
            *answers,
            Column(likely, Message("probability"), Kind.SHARE, found.posterior[: len(shown)]),
        )
        return (Sheet("participants", self.request.label, columns),)

    def write(self, path: Path, study: Study, table: Table, **how: Any) -> bool:
        from ppworkbench.core.data.files import write_table
        from ppworkbench.study.state import refuse_invented

        # A table of records has no place for a sentence, and would look like any other.
        refuse_invented(study)
        write_table(self._records(table), path, progress=how["progress"])
        return True

    def _records(self, reported: Table) -> Table:
        """The listed records with all their reported answers, their number and their posterior."""
        import numpy as np

        from ppworkbench.core.data.attribute import Attribute
        from ppworkbench.core.data.attribute import Kind as Values
        from ppworkbench.core.data.table import Column, Table

        listed, found = reported.take(self.found.rows), self.found
        taken = set(listed.names)
        last = float(max(reported.rows, 1))
        record = Attribute(_free("record", taken), Values.INTEGER, domain=(1.0, last))
        posterior = Attribute(_free("posterior", taken), Values.CONTINUOUS, domain=(0.0, 1.0))
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


@dataclass(frozen=True, kw_only=True)
class Participants(SurveyRequest):
    """List who probably meets a condition: the most probable ones, or a random draw.

    Examples
    --------
    >>> import pandas as pd, ppworkbench as pp
    >>> answers = pd.DataFrame({"town": ["Ash", "Elm", "Ash"]})
    >>> sorted(pp.Survey(answers).participants("town = Ash").to_frame()["row"].tolist())
    [0, 2]
    """

    name: ClassVar[str] = "participants"
    label: ClassVar[Message] = Message("People who probably meet a condition")
    leading: ClassVar[tuple[str, ...]] = ("where",)
    finds: ClassVar[type[SurveyResult]] = ParticipantsResult
    statistic: ClassVar[str] = "participants"
    short: ClassVar[Message] = Message("Likely members")
    hint: ClassVar[Message] = Message("Who probably meets the conditions?")
    takes: ClassVar[tuple[str, ...]] = ("condition", "arms", "method", "size", "draw", "seed")
    why_no_parts: ClassVar[Message] = Message(
        "Likely members are single records, which never leave their parts; open a single file to "
        "list them."
    )
    why_only_population: ClassVar[Message] = Message(
        "A list of likely members is not an estimate about a population."
    )
    needs_condition: ClassVar[bool] = True
    has_interval: ClassVar[bool] = False
    lists_people: ClassVar[bool] = True
    kept_numbers: ClassVar[int] = 1

    where: Where = field()
    size: Annotated[
        int | None,
        Within(0),
        Option(group="statistic"),
        Info("Size", "Number of participants to list; the expected number if not set"),
    ] = None
    draw: Annotated[
        str,
        OneOf((HIGHEST, RANDOM)),
        Option(group="statistic"),
        Info("Draw", "The most probable participants, or a random draw by their probability"),
    ] = HIGHEST
    method: Method = JOINT

    def estimate(self, given: EstimateInput) -> Listed:
        from ppworkbench.core.survey.participants import participants

        return participants(
            given.table, given.design, self.where, self.method, size=self.size, draw=self.draw,
            seed=given.seed, **self.shared(given),
        )  # fmt: skip


QUESTION = Participants
