"""Ways to measure candidates: plain counts, the product form on bits, and on graded weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.itemsets.counting import BitCounter, Report
from ppworkbench.core.itemsets.frontier import Candidates, Frontier
from ppworkbench.core.itemsets.graded_sums import graded_sums
from ppworkbench.core.itemsets.item_data import ItemData
from ppworkbench.core.itemsets.transforms import transformed, weights_of

Numbers = NDArray[np.float64]
Counts = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Sums:
    """Of every candidate: the sum of its records' weights, of their squares, and a plain count."""

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
