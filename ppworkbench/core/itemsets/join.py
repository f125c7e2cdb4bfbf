"""Candidates in the manner of Apriori (Agrawal and Srikant 1994).

Two sets that differ in their last item only are joined; the result is a candidate if all its
subsets that are one item shorter were kept. Since every set knows its own subsets, the subset
without member j of ``Y + item`` is the child of ``Y without j`` that ends in ``item``: one search
in a short list.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.itemsets.frontier import Candidates, Frontier
from ppworkbench.core.kernels import Kernel

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
