"""The search by length: join, measure, judge, go on with what was kept.

Candidates in the manner of Apriori (Agrawal and Srikant 1994).

Two sets that differ in their last item only are joined; the result is a candidate if all its
subsets that are one item shorter were kept. Since every set knows its own subsets, the subset
without member j of ``Y + item`` is the child of ``Y without j`` that ends in ``item``: one search
in a short list.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.itemsets.choosing import choose_kernel
from ppworkbench.core.itemsets.counting import count_kernel, turn_kernel
from ppworkbench.core.itemsets.frontier import Candidates, Frontier
from ppworkbench.core.itemsets.item_data import ItemData
from ppworkbench.core.itemsets.itemsets import Itemsets
from ppworkbench.core.itemsets.measures import Measure, Sums, measure_for, transform_kernel
from ppworkbench.core.itemsets.reduction import within_kernel
from ppworkbench.core.kernels import Kernel, compile_soon
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, silent

PAIRS_AT_ONCE = 1 << 18
"""Pairs joined between two reports of progress."""


def _join_loop(  # noqa: PLR0913, PLR0917 (a kernel takes plain arrays)
    start: Any, stop: Any, last: Any, siblings_end: Any, subsets: Any, child_start: Any,
    blocks: Any, first: Any, second: Any, found: Any,
) -> int:  # fmt: skip
    count = 0
    length = subsets.shape[1]
    for a in range(start, stop):
        block = blocks[last[a]]
        for b in range(a + 1, siblings_end[a]):
            item = last[b]
            if blocks[item] == block:
                continue
            whole = True
            for j in range(length - 1):
                low = child_start[subsets[a, j]]
                end = child_start[subsets[a, j] + 1]
                high = end
                while low < high:
                    middle = (low + high) >> 1
                    if last[middle] < item:
                        low = middle + 1
                    else:
                        high = middle
                if low == end or last[low] != item:
                    whole = False
                    break
                found[count, j] = low
            if whole:
                found[count, length - 1] = b
                found[count, length] = a
                first[count] = a
                second[count] = b
                count += 1
    return count


def _example() -> tuple[Any, ...]:
    row = np.zeros(2, np.int32)
    grid = np.zeros((2, 2), np.int32)
    out = np.zeros((4, 3), np.int32)
    return 0, 0, row, row, grid, row, row, np.zeros(4, np.int32), np.zeros(4, np.int32), out


join_kernel = Kernel(_join_loop, _example)


def joined(frontier: Frontier, blocks: NDArray[np.int32]) -> Iterator[tuple[float, Candidates]]:
    """The candidates that grow from a frontier, in parts, each with the share done so far."""
    if frontier.length == 0:
        items = np.arange(len(blocks), dtype=np.int32)
        nothing = np.zeros_like(items)
        yield 1.0, Candidates(nothing, items, nothing[:, None])
        return
    pairs = np.cumsum(frontier.siblings_end - np.arange(len(frontier)) - 1, dtype=np.int64)
    total = int(pairs[-1]) if len(pairs) else 0
    start = done = 0
    while start < len(frontier):
        stop = int(np.searchsorted(pairs, done + PAIRS_AT_ONCE, side="right"))
        stop = max(stop, start + 1)
        bound = int(pairs[stop - 1]) - done
        if bound:
            yield int(pairs[stop - 1]) / total, _join(frontier, blocks, start, stop, bound)
        start, done = stop, int(pairs[stop - 1])


def _join(
    frontier: Frontier, blocks: NDArray[np.int32], start: int, stop: int, bound: int
) -> Candidates:
    if join_kernel.compiled is None:
        return _join_with_numpy(frontier, blocks, start, stop)
    first, second = np.empty(bound, np.int32), np.empty(bound, np.int32)
    found = np.empty((bound, frontier.length + 1), np.int32)
    count = join_kernel.compiled(
        start, stop, frontier.last, frontier.siblings_end, frontier.subsets,
        frontier.child_start, blocks, first, second, found,
    )  # fmt: skip
    return Candidates(first[:count].copy(), second[:count].copy(), found[:count].copy())


def _join_with_numpy(
    frontier: Frontier, blocks: NDArray[np.int32], start: int, stop: int
) -> Candidates:
    numbers = np.arange(start, stop, dtype=np.int64)
    partners = frontier.siblings_end[start:stop] - numbers - 1
    first = np.repeat(numbers, partners)
    begin = np.repeat(np.cumsum(partners) - partners, partners)
    second = first + 1 + np.arange(len(first)) - begin
    item = frontier.last[second]
    apart = blocks[item] != blocks[frontier.last[first]]
    first, second, item = first[apart], second[apart], item[apart]
    width = len(blocks)
    keys = frontier.parents.astype(np.int64) * width + frontier.last
    columns: list[NDArray[Any]] = []
    for j in range(frontier.length - 1):
        wanted = frontier.subsets[first, j].astype(np.int64) * width + item
        place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        whole = keys[place] == wanted
        first, second, item = first[whole], second[whole], item[whole]
        columns = [column[whole] for column in (*columns, place)]
    subsets = np.column_stack([*columns, second, first]).astype(np.int32)
    return Candidates(first.astype(np.int32), second.astype(np.int32), subsets)


KERNELS: tuple[Kernel, ...] = (
    count_kernel,
    join_kernel,
    transform_kernel,
    choose_kernel,
    within_kernel,
    turn_kernel,
)

WORTH_COMPILING = 2_000_000
"""Cells of a table from which compiled loops save more than they cost."""


def compile_in_background(data: ItemData) -> None:
    """Begin to compile when the data are large; the loops are used as soon as they are ready."""
    if data.rows * len(data) >= WORTH_COMPILING:
        compile_soon(KERNELS)


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
            told = Message("{told}, very many: raise the minimum support", told=told)
        progress(min(done, 0.999), told)

    report(0.0)
    for share, part in joined(frontier, data.blocks):
        count += len(part)
        if count > limits.candidates:
            raise _TooManyError(
                Message(
                    "Sets of {length} or more items were not searched: there are more "
                    "than {candidates:,} candidates of {length} items. Choose a higher "
                    "minimum support, fewer items, or a higher limit of candidates.",
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
