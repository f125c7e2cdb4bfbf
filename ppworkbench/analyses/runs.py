"""Runs of a question that a study keeps: what was asked, and the sheets of what was found."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

from ppworkbench.analyses.request import Request
from ppworkbench.core.errors import DataError, WorkbenchError
from ppworkbench.core.message import Message
from ppworkbench.results.sheet import Sheet

if TYPE_CHECKING:
    from ppworkbench.results.result import Result

Q = TypeVar("Q", bound=Request)

MOST_ROWS = 5_000
"""A sheet with more rows is not kept: the run is repeated when somebody wants it back."""


@dataclass(frozen=True, eq=False)
class Run(Generic[Q]):
    """One answer to a request, with everything that a page shows of it.

    Parameters
    ----------
    number
        Counts the runs of a study from 1.
    at
        When it ended, as people read it.
    belongs_to
        The fingerprint of the study that it was made from.
    facts
        Plain values that stand in no sheet, such as how long it took.
    kept
        The sheets as the study has them, None for one that was too large; read when one is wanted.
    """

    number: int
    request: Q
    at: str = ""
    belongs_to: str = ""
    sentence: str = ""
    readings: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    sheets: dict[str, Sheet] = field(default_factory=dict)
    kept: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls, number: int, request: Q, mark: str, result: Result, facts: Mapping[str, Any]
    ) -> Self:
        return cls(
            number, request, time.strftime("%H:%M"), mark, result.sentence(), result.readings(),
            result.remarks, facts, {one.name: one for one in result.tables()},
        )  # fmt: skip

    def sheet(self, name: str) -> Sheet | None:
        """A sheet by its name; None where there is none, or only the rest of the run was kept."""
        given = self.kept.get(name)
        if name not in self.sheets and given is not None:
            try:
                self.sheets[name] = Sheet.from_json(given)
            except (AttributeError, KeyError, TypeError, ValueError):
                return None
        return self.sheets.get(name)

    @property
    def is_whole(self) -> bool:
        return all(self.sheet(name) is not None for name in self.kept)

    def to_json(self) -> dict[str, Any]:
        sheets = {
            name: None if one.rows > MOST_ROWS else one.to_json()
            for name, one in self.sheets.items()
        }
        return {
            "number": self.number,
            "request": self.request.to_json(),
            "at": self.at,
            "belongs_to": self.belongs_to,
            "sentence": Message.of(self.sentence).to_json(),
            "readings": [Message.of(one).to_json() for one in self.readings],
            "remarks": [Message.of(one).to_json() for one in self.remarks],
            "facts": dict(self.facts),
            "sheets": {**self.kept, **sheets},
        }

    @classmethod
    def from_json(cls, asks: type[Q], given: Any) -> Self:
        """Read a kept run; its sheets are read when they are wanted."""
        try:
            readings, remarks = (
                tuple(Message.from_json(one) for one in given[name])
                for name in ("readings", "remarks")
            )
            return cls(
                int(given["number"]), asks.from_json(given["request"]), str(given["at"]),
                str(given["belongs_to"]), Message.from_json(given["sentence"]), readings, remarks,
                dict(given["facts"]), {}, dict(given["sheets"]),
            )  # fmt: skip
        except (AttributeError, KeyError, TypeError, ValueError, WorkbenchError) as error:
            raise DataError("A saved run of this study is damaged.") from error
