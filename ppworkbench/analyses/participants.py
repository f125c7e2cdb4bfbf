"""Who probably meets a condition: the most probable people, or a random draw."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, ClassVar

from ppworkbench.analyses.survey_request import Method, SurveyRequest, SurveyResult, Where
from ppworkbench.core.message import Message
from ppworkbench.core.params import Info, OneOf, Option, Within
from ppworkbench.core.survey.estimates import JOINT
from ppworkbench.core.survey.participants import HIGHEST, RANDOM
from ppworkbench.results.sheet import Column, Kind, Sheet

if TYPE_CHECKING:
    from ppworkbench.core.survey.participants import Participants as Listed


class ParticipantsResult(SurveyResult):
    """Who probably meets a condition; rows are counted from 0."""

    request: Participants
    found: Listed

    def sheets(self) -> tuple[Sheet, ...]:
        """A row for each listed record: its number, and how probably it meets the condition."""
        found = self.found
        rows = Column("row", Message("row (from 0)"), Kind.COUNT, found.rows)
        likely = Column("probability", Message("probability"), Kind.SHARE, found.posterior)
        return (Sheet("participants", self.request.label, (rows, likely)),)

    def readings(self) -> tuple[str, ...]:
        """How many there are; a list of people has no interval."""
        return (self.found.count.sentence,)


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
    statistic: ClassVar[str] = "participants"
    finds: ClassVar[type[SurveyResult]] = ParticipantsResult

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


QUESTION = Participants
