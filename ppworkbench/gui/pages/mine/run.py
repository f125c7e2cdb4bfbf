"""What a run found, and the little of it that is compared with other runs."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ppworkbench.gui.pages.mine.listing import TRUE, Listing
from ppworkbench.gui.pages.mine.request import Request

MOST_KEPT = 12
"""Runs that a study remembers; the oldest goes first."""


@dataclass(frozen=True)
class SizeErrors:
    """How well the sets of one size agree with the truth; shares, NaN where there is none."""

    size: int
    true: int
    found: int
    correct: int
    support_error: float
    missed: float
    extra: float
    f1: float


@dataclass(frozen=True, eq=False)
class Run:
    """One run of a miner.

    Parameters
    ----------
    number
        Counts the runs of a study from 1.
    at
        When it ended, as people read it.
    belongs_to
        A mark of the answers and the design that it was made from.
    names
        The items as files and the command line call them.
    found
        How many sets there are of every size, from 1.
    errors
        Empty where nobody knows the truth.
    sets, rules
        None where only the summary was kept.
    """

    number: int
    request: Request
    at: str
    belongs_to: str
    transactions: int
    seconds: float
    names: tuple[str, ...]
    found: tuple[int, ...]
    rule_count: int
    errors: tuple[SizeErrors, ...] = ()
    notes: tuple[str, ...] = ()
    sets: Listing | None = None
    rules: Listing | None = None

    @property
    def total(self) -> int:
        """How many sets were found."""
        return sum(self.found)

    @property
    def knows_truth(self) -> bool:
        """Whether the true supports are known."""
        return bool(self.errors) or (self.sets is not None and TRUE in self.sets.values)

    @property
    def f1(self) -> float:
        """How well all truly frequent sets were identified, from 0 to 1."""
        both = sum(e.true + e.found for e in self.errors)
        return 2 * sum(e.correct for e in self.errors) / both if both else math.nan
