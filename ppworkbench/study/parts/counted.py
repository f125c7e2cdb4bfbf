"""Parts that are read once for all that is asked about the same attributes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Lock

from ppworkbench.core.data.parts import Parts
from ppworkbench.core.data.sampling_roles import Sampling
from ppworkbench.core.data.table import Table
from ppworkbench.core.design import Design
from ppworkbench.core.survey.answers import Answers
from ppworkbench.core.survey.parted import PartedAnswers

_KEPT = 3
"""A question, the split beside it, and the question before."""
_MOST_CELLS = 60_000_000
"""Rows of that many cells are kept, of which a number takes eight bytes."""


_RowsKey = tuple[Parts, Design, tuple[str, ...], Sampling | None]


class CountedAnswers:
    """The last counts of parts; several jobs may ask for them at once."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: list[tuple[Parts, Design, tuple[str, ...], Answers]] = []
        self._rows: list[tuple[_RowsKey, Table]] = []

    def find(self, parts: Parts, design: Design, names: tuple[str, ...]) -> Answers | None:
        """What was counted before; None if that was something else."""
        with self._lock:
            for known, then, asked, found in self._kept:
                if asked == names and known == parts and (then is design or then == design):
                    return found
        return None

    def keep(self, parts: Parts, design: Design, names: tuple[str, ...], found: Answers) -> None:
        """Keep counts, and forget the oldest ones."""
        with self._lock:
            self._kept = [*self._kept, (parts, design, names, found)][-_KEPT:]

    def find_rows(self, key: _RowsKey) -> Table | None:
        """Rows that were put together before; None if those were others."""
        with self._lock:
            return next((table for known, table in self._rows if known == key), None)

    def keep_rows(self, key: _RowsKey, found: Table) -> None:
        """Keep rows, and forget the oldest ones for which there is no room."""
        with self._lock:
            kept = [*self._rows, (key, found)]
            while kept and sum(one.rows * len(one.columns) for _, one in kept) > _MOST_CELLS:
                kept.pop(0)
            self._rows = kept[-_KEPT:]


@dataclass(frozen=True, eq=False)
class CountedParts(PartedAnswers):
    """Answers of parts that look first for what was counted before."""

    counted: CountedAnswers = field(default_factory=CountedAnswers)

    def merged_answers(self, design: Design, names: tuple[str, ...]) -> Answers:
        """The complete answers to some attributes of all parts, equal ones merged."""
        known = self.counted.find(self.parts, design, names)
        if known is not None:
            return known
        found = super().merged_answers(design, names)
        self.counted.keep(self.parts, design, names, found)
        return found

    def rows(self, design: Design, asked: Sequence[str], sampling: Sampling | None = None) -> Table:
        """What a question about some attributes needs of all rows."""
        key = self.parts, design, tuple(asked), sampling
        known = self.counted.find_rows(key)
        if known is not None:
            return known
        found = super().rows(design, asked, sampling)
        self.counted.keep_rows(key, found)
        return found
