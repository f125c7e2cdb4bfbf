"""Ways to measure candidates: plain counts, the product form on bits, and on graded weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ppworkbench.core.arrays import Counts, Numbers
from ppworkbench.core.itemsets.counting import BitCounter, Report
from ppworkbench.core.itemsets.frontier import Candidates, Frontier
from ppworkbench.core.itemsets.item_data import ItemData
from ppworkbench.core.itemsets.transforms import transformed, weights_of

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


@dataclass(frozen=True, eq=False)
class Sums:
    """Of every candidate: the sum of its records' weights, of their squares, and a plain count.

    The squares are NaN where nobody knows the standard error.
    """

    total: Numbers
    squares: Numbers
    counts: Counts

    @classmethod
    def concatenate(cls, parts: list[Sums]) -> Sums:
        """Several parts as one."""
        if not parts:
            return cls(np.zeros(0), np.zeros(0), np.zeros(0, np.int64))
        return cls(
            np.concatenate([part.total for part in parts]),
            np.concatenate([part.squares for part in parts]),
            np.concatenate([part.counts for part in parts]),
        )

    def shares(self, rows: int) -> tuple[Numbers, Numbers]:
        """The mean weight and its standard error, from the sample variance."""
        mean = self.total / rows
        variance = np.maximum(self.squares / rows - mean**2, 0.0) / max(rows - 1, 1)
        return mean, np.sqrt(variance)


class Measure(Protocol):
    """How the candidates of a search are measured."""

    def measure(self, frontier: Frontier, candidates: Candidates, report: Report) -> Sums:
        """Measure candidates that grow from a frontier."""

    def advance(self, frontier: Frontier, kept: Candidates, counts: Counts) -> None:
        """Remember what the next length needs of the candidates that were kept."""


class PlainCounts:
    """Records that show all items, as on undistorted answers."""

    def __init__(self, data: ItemData) -> None:
        self._counter = BitCounter(data.bits)

    def measure(self, frontier: Frontier, candidates: Candidates, report: Report) -> Sums:
        """Count."""
        counts = self._counter.count(frontier, candidates, report)
        total = counts.astype(np.float64)
        return Sums(total, total, counts)

    def advance(self, frontier: Frontier, kept: Candidates, counts: Counts) -> None:
        """Nothing to remember."""


class ProductForm:
    """MASK's estimate from counts and the partial transforms of the subsets."""

    def __init__(self, data: ItemData) -> None:
        self._counter = BitCounter(data.bits)
        self._weights = weights_of(data)
        self._partial: Numbers = np.full((1, 1, 2), float(data.rows))

    def measure(self, frontier: Frontier, candidates: Candidates, report: Report) -> Sums:
        """Count, then transform."""
        counts = self._counter.count(frontier, candidates, report)
        partial = transformed(frontier, candidates, counts, self._weights, self._partial)
        return Sums(partial[:, -1, 0].copy(), partial[:, -1, 1].copy(), counts)

    def advance(self, frontier: Frontier, kept: Candidates, counts: Counts) -> None:
        """Keep the partial transforms; doing them again is cheaper than to keep those of all."""
        self._partial = transformed(frontier, kept, counts, self._weights, self._partial)


class GradedForm:
    """The product form where weights depend on the published answer in more than two ways."""

    def __init__(self, data: ItemData) -> None:
        self._data = data

    def measure(self, frontier: Frontier, candidates: Candidates, report: Report) -> Sums:
        """Multiply weights record by record."""
        total, squares = graded_sums(self._data, frontier, candidates, report)
        return Sums(total, squares, np.zeros(len(candidates), np.int64))

    def advance(self, frontier: Frontier, kept: Candidates, counts: Counts) -> None:
        """Nothing to remember."""


def measure_for(data: ItemData) -> Measure:
    """The fastest exact measure of the data."""
    if data.graded is not None:
        return GradedForm(data)
    return ProductForm(data) if data.is_distorted else PlainCounts(data)
