"""The search by length: join, measure, judge, go on with what was kept."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.itemsets.compiling import compile_in_background
from ppworkbench.core.itemsets.frontier import Candidates, Frontier
from ppworkbench.core.itemsets.item_data import ItemData
from ppworkbench.core.itemsets.itemsets import Itemsets
from ppworkbench.core.itemsets.join import joined
from ppworkbench.core.itemsets.measures import Measure, Sums, measure_for
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, silent

Numbers = NDArray[np.float64]

MANY_CANDIDATES = 500_000
"""From here on the progress message warns."""


@dataclass(frozen=True)
class Level:
    """One pass of a search: all candidates of one length."""

    length: int
    candidates: int
    found: int
    seconds: float


@dataclass(frozen=True, eq=False)
class Measured:
    """All candidates of one length with their unbiased supports, as shares, and standard errors."""

    data: ItemData
    frontier: Frontier
    candidates: Candidates
    raw: Numbers
    error: Numbers

    @property
    def length(self) -> int:
        """How many items the candidates have."""
        return self.frontier.length + 1


@dataclass(frozen=True, eq=False)
class Verdict:
    """Which candidates are kept, and the supports and errors that are believed of all."""

    keep: NDArray[np.bool_]
    estimate: Numbers
    error: Numbers


class Judge(Protocol):
    """What decides over the candidates of one length."""

    def __call__(self, measured: Measured) -> Verdict:
        """Decide."""


@dataclass(frozen=True)
class Limits:
    """Where a search ends."""

    max_length: int = 20
    candidates: int = 2_000_000


@dataclass(frozen=True, eq=False)
class Found:
    """The kept sets of all lengths, what was believed of them, and why the search ended early."""

    levels: tuple[Frontier, ...]
    notes: tuple[str, ...]

    def itemsets(self, data: ItemData, z: float) -> Itemsets:
        """As columns, with intervals of z standard errors."""
        members = [level.members.ravel() for level in self.levels]
        lengths = np.concatenate(
            [np.zeros(0, np.int64), *(np.full(len(one), one.length) for one in self.levels)]
        )
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        raw = np.concatenate([np.zeros(0), *(level.estimate for level in self.levels)])
        error = np.concatenate([np.zeros(0), *(level.error for level in self.levels)])
        low, high = np.clip(raw - z * error, 0.0, 1.0), np.clip(raw + z * error, 0.0, 1.0)
        flat = np.concatenate([np.zeros(0, np.int32), *members]).astype(np.int32)
        return Itemsets(data.items, flat, offsets, raw, error, low, high)


def search(
    data: ItemData,
    judge: Judge,
    limits: Limits | None = None,
    *,
    measure: Measure | None = None,
    progress: Progress = silent,
    on_level: Callable[[Level], None] | None = None,
) -> Found:
    """Search length by length until nothing is kept.

    Parameters
    ----------
    judge
        Called once per length with all its candidates.
    measure
        How supports are measured; the default is exact and the fastest for the data.
    """
    limits = limits or Limits()
    measure = measure or measure_for(data)
    compile_in_background(data)
    frontier = Frontier.empty_set()
    levels: list[Frontier] = []
    while len(frontier) and frontier.length < limits.max_length:
        start = time.perf_counter()
        try:
            candidates, sums = _measured(data, frontier, measure, limits, progress)
        except _TooManyError as error:
            return Found(tuple(levels), (str(error),))
        verdict = judge(Measured(data, frontier, candidates, *sums.shares(data.rows)))
        kept = candidates.choose(verdict.keep)
        measure.advance(frontier, kept, sums.counts[verdict.keep])
        frontier = _next(frontier, kept, verdict)
        if not len(candidates):
            break
        if len(frontier):
            levels.append(frontier)
        if on_level is not None:
            seconds = time.perf_counter() - start
            on_level(Level(frontier.length, len(candidates), len(frontier), seconds))
    return Found(tuple(levels), ())


class _TooManyError(Exception):
    """More candidates than allowed."""


def _measured(
    data: ItemData, frontier: Frontier, measure: Measure, limits: Limits, progress: Progress
) -> tuple[Candidates, Sums]:
    length = frontier.length + 1
    parts: list[Candidates] = []
    sums: list[Sums] = []
    count = 0
    before = 0.0

    def report(within: float, share: float = 0.0) -> None:
        # How many lengths there will be is not known: each takes half of what is left.
        done = 1.0 - 0.5**frontier.length * (1.0 - 0.5 * (before + (share - before) * within))
        told = Message("Length {length}: {count:,} candidates", length=length, count=count)
        if count > MANY_CANDIDATES:
            told = Message("{told}, very many: a higher minimum support is faster", told=told)
        progress(min(done, 0.999), told)

    report(0.0)
    for share, part in joined(frontier, data.blocks):
        count += len(part)
        if count > limits.candidates:
            raise _TooManyError(
                Message(
                    "Sets of {length} or more items were not looked for: there are more than "
                    "{candidates:,} candidates of {length} items. Choose a higher minimum "
                    "support, fewer items, or a higher limit of candidates.",
                    length=length,
                    candidates=limits.candidates,
                )
            )
        if len(part):
            parts.append(part)
            sums.append(measure.measure(frontier, part, partial(report, share=share)))
        before = share
        report(0.0)
    return Candidates.concatenate(parts, length), Sums.concatenate(sums)


def _next(frontier: Frontier, kept: Candidates, verdict: Verdict) -> Frontier:
    return Frontier(
        kept.members(frontier),
        kept.subsets,
        len(frontier),
        verdict.estimate[verdict.keep],
        verdict.error[verdict.keep],
    )
