"""Sums of products of graded weights: all pairs of one group of siblings are one matrix product."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.itemsets.counting import Report
from ppworkbench.core.itemsets.frontier import Candidates, Frontier
from ppworkbench.core.itemsets.item_data import ItemData

Numbers = NDArray[np.float64]

_CELLS = 1 << 21
"""Weights of all items held at once."""
_PRODUCTS = 20_000_000
"""Products between two reports of progress."""


def graded_sums(
    data: ItemData, frontier: Frontier, candidates: Candidates, report: Report
) -> tuple[Numbers, Numbers]:
    """For every candidate the sum of the records' weights, and of their squares."""
    total, squares = np.zeros(len(candidates)), np.zeros(len(candidates))
    if not len(candidates):
        return total, squares
    rows_at_once = max(64, _CELLS // len(data))
    for start in range(0, data.rows, rows_at_once):
        stop = min(data.rows, start + rows_at_once)
        weights = weights_between(data, start, stop)
        if frontier.length == 0:
            item = candidates.second
            total += weights[item].sum(axis=1)
            squares += (weights[item] ** 2).sum(axis=1)
        else:
            done = start / data.rows
            _add_groups(frontier, candidates, weights, (total, squares), report, done)
    return total, squares


def weights_between(data: ItemData, start: int, stop: int) -> Numbers:
    """The weights of all items for some records, one row per item."""
    if data.graded is not None:
        return data.graded.expand(np.arange(len(data)), start, stop)
    # Whole words only: 64 records begin at a border.
    words = data.bits[:, start // 64 : -(-stop // 64)]
    as_bytes = np.ascontiguousarray(words, "<u8").view(np.uint8)
    shown = np.unpackbits(as_bytes, axis=1, bitorder="little")
    begin = start - 64 * (start // 64)
    bits = shown[:, begin : begin + stop - start]
    return np.asarray(np.where(bits, data.present[:, None], data.absent[:, None]))


def _add_groups(
    frontier: Frontier, candidates: Candidates, weights: Numbers,
    sums: tuple[Numbers, Numbers], report: Report, done: float,
) -> None:  # fmt: skip
    parent = frontier.parents[candidates.first]
    borders = np.flatnonzero(np.diff(parent)) + 1
    starts = [0, *borders.tolist()]
    stops = [*borders.tolist(), len(candidates)]
    work = 0
    for start, stop in zip(starts, stops, strict=True):
        first, second = candidates.first[start:stop], candidates.second[start:stop]
        lowest, highest = int(first.min()), int(second.max()) + 1
        prefix = frontier.members[lowest, :-1]
        product = np.prod(weights[prefix], axis=0)
        siblings = weights[frontier.last[lowest:highest]]
        left = siblings * product
        place = first - lowest, second - lowest
        sums[0][start:stop] += (left @ siblings.T)[place]
        sums[1][start:stop] += (left**2 @ (siblings**2).T)[place]
        work += (highest - lowest) ** 2 * weights.shape[1]
        if work > _PRODUCTS:
            work = 0
            report(done)
