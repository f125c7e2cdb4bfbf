"""What a person asks: a statistic, a condition, and how."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from ppworkbench.core.design import Design
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.survey.conditions import EVERYBODY, Condition
from ppworkbench.core.survey.estimates import JOINT, SEQUENTIAL
from ppworkbench.core.survey.parser import parse_condition
from ppworkbench.core.survey.regions import asked_attribute, regions_of
from ppworkbench.gui.language.text import told, tr

COUNT, MEAN, DISTRIBUTION, CROSSTAB, PARTICIPANTS = (
    "count", "mean", "distribution", "crosstab", "participants",
)  # fmt: skip
STATISTICS = (COUNT, MEAN, DISTRIBUTION, CROSSTAB, PARTICIPANTS)
HIGHEST, RANDOM = "highest", "random"

_WITH_OF = (MEAN, DISTRIBUTION, CROSSTAB)


@dataclass(frozen=True)
class Question:
    """One question to the distorted answers.

    Parameters
    ----------
    of, by
        The attribute that is told about, and that of the columns of a cross table.
    size
        How many participants are wanted; as many as are expected to meet the condition if None.
    draw, seed
        Whether the most probable ones are listed or a random draw, and where that starts.
    """

    statistic: str = COUNT
    condition: Condition = EVERYBODY
    method: str = JOINT
    of: str = ""
    by: str = ""
    size: int | None = None
    draw: str = HIGHEST
    seed: int = 0

    @property
    def essence(self) -> Self:
        """The same without what does not matter to its statistic."""
        changes: dict[str, Any] = {}
        if self.statistic not in _WITH_OF:
            changes["of"] = ""
        if self.statistic != CROSSTAB:
            changes["by"] = ""
        else:
            changes["method"] = JOINT
        if self.statistic != PARTICIPANTS:
            changes |= {"size": None, "draw": HIGHEST, "seed": 0}
        return dataclasses.replace(self, **changes)

    @property
    def attributes(self) -> tuple[str, ...]:
        """All attributes that an answer needs."""
        asked = self.essence
        names = (*asked.condition.attributes, asked.of, asked.by)
        return tuple(dict.fromkeys(name for name in names if name))

    def with_(self, **changes: object) -> Self:
        """The same question with something changed."""
        return dataclasses.replace(self, **changes)  # type: ignore[arg-type]

    def to_json(self) -> dict[str, Any]:
        """The question as it is kept in a study."""
        asked = self.essence
        kept: dict[str, Any] = {
            "statistic": asked.statistic, "condition": str(asked.condition), "method": asked.method,
        }  # fmt: skip
        kept |= {name: value for name in ("of", "by") if (value := getattr(asked, name))}
        if asked.statistic == PARTICIPANTS:
            kept |= {"size": asked.size, "draw": asked.draw, "seed": asked.seed}
        return kept

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Self:
        """A question that was kept; what cannot be one is a ValueError."""
        try:
            statistic, method = str(given["statistic"]), str(given.get("method", JOINT))
            condition = parse_condition(str(given.get("condition", "")))
            size = given.get("size")
            asked = cls(
                statistic, condition, method, str(given.get("of", "")), str(given.get("by", "")),
                None if size is None else int(size), str(given.get("draw", HIGHEST)),
                int(given.get("seed", 0)),
            )  # fmt: skip
        except (KeyError, TypeError, WorkbenchError) as error:
            raise ValueError(str(error)) from None
        known = (STATISTICS, (JOINT, SEQUENTIAL), (HIGHEST, RANDOM))
        found = (asked.statistic, asked.method, asked.draw)
        if any(one not in among for one, among in zip(found, known, strict=True)):
            raise ValueError(str(found))
        return asked


def problem_of(question: Question, design: Design) -> str:
    """Why a question cannot be asked of a design, as one sentence; empty if it can."""
    asked = question.essence
    try:
        regions_of(asked.condition, design)
        for name in (asked.of, asked.by):
            if name:
                asked_attribute(name, design)
    except WorkbenchError as error:
        return told(error.message)
    if asked.statistic in _WITH_OF and not asked.of:
        return tr("Choose the attribute to tell about.")
    if asked.statistic == MEAN and not design[asked.of].attribute.kind.is_numeric:
        return tr("%s has no mean; ask for its distribution.") % asked.of
    if asked.statistic == CROSSTAB and not asked.by:
        return tr("Choose the attribute of the columns.")
    if asked.statistic == CROSSTAB and asked.of == asked.by:
        return tr("A cross table needs two different attributes.")
    return ""
