"""Parts that are read once for all that is asked about the same attributes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from ppworkbench.core.data.sampling_roles import Sampling
from ppworkbench.core.data.table import Table
from ppworkbench.core.design import Design
from ppworkbench.core.survey.answers import Answers
from ppworkbench.core.survey.parted import PartedAnswers

_KEPT = 3
"""A question, the split beside it, and the question before."""
_MOST_CELLS = 60_000_000
"""Rows of that many cells are kept, of which a number takes eight bytes."""


class CountedAnswers:
    """The last counts and rows of parts; several jobs may ask for them at once."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: list[tuple[object, Answers | Table]] = []

    def find(self, key: object) -> Any:
        """What was found before; None if that was something else."""
        with self._lock:
            return next((found for known, found in self._kept if known == key), None)

    def keep(self, key: object, found: Answers | Table) -> None:
        with self._lock:
            same = [one for one in self._kept if type(one[1]) is type(found)]
            others = [one for one in self._kept if type(one[1]) is not type(found)]
            same = [*same, (key, found)][-_KEPT:]
            while same and sum(_cells(one) for _, one in same) > _MOST_CELLS:
                same.pop(0)
            self._kept = [*others, *same]


def _cells(found: Answers | Table) -> int:
    return found.rows * len(found.columns) if isinstance(found, Table) else 0


@dataclass(frozen=True, eq=False)
class CountedParts(PartedAnswers):
    """Answers of parts that look first for what was counted before."""

    counted: CountedAnswers = field(default_factory=CountedAnswers)

    def merged_answers(self, design: Design, names: tuple[str, ...]) -> Answers:
        key = self.parts, design, names
        found: Answers | None = self.counted.find(key)
        if found is None:
            found = super().merged_answers(design, names)
            self.counted.keep(key, found)
        return found

    def rows(self, design: Design, asked: Sequence[str], sampling: Sampling | None = None) -> Table:
        key = self.parts, design, tuple(asked), sampling
        found: Table | None = self.counted.find(key)
        if found is None:
            found = super().rows(design, asked, sampling)
            self.counted.keep(key, found)
        return found
