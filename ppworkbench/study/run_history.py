"""The kept runs of an analysis, one of them shown."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, Self, TypeVar

R = TypeVar("R")


@dataclass(frozen=True)
class RunHistory(Generic[R]):
    """Runs from the oldest to the newest; beyond ``limit`` the oldest goes.

    Runs are told apart as objects: two with the same results are still two.
    """

    runs: tuple[R, ...] = ()
    shown: R | None = None
    limit: int = 20

    def __len__(self) -> int:
        return len(self.runs)

    def __iter__(self) -> Iterator[R]:
        return iter(self.runs)

    @property
    def newest(self) -> R | None:
        return self.runs[-1] if self.runs else None

    def add(self, run: R) -> Self:
        """With a run, which is shown; one that is there already becomes the newest."""
        others = (one for one in self.runs if one is not run)
        return self._with((*others, run)[-self.limit :], run)

    def replace(self, run: R, by: R) -> Self:
        runs = tuple(by if one is run else one for one in self.runs)
        return self._with(runs, by if self.shown is run else self.shown)

    def remove(self, run: R) -> Self:
        """Without a run; where it was shown, the newest of the others is."""
        runs = tuple(one for one in self.runs if one is not run)
        return self._with(runs, self.shown if self.shown is not run else (runs or (None,))[-1])

    def select(self, run: R | None) -> Self:
        return self._with(self.runs, run)

    def _with(self, runs: tuple[R, ...], shown: R | None) -> Self:
        return dataclasses.replace(self, runs=runs, shown=shown)
