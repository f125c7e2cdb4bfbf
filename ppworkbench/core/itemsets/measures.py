"""Ways to measure candidates: plain counts, the product form on bits, and on graded weights.

Records may count differently. With the product h of a set's items and weights w of records that
add up to their number n, the support is the mean ``R = sum w h / n`` and its variance that of a
ratio, ``sum w^2 (h - R)^2 / n^2`` times ``n / (n - 1)``.

The product form of MASK goes item by item. Let ``G_j(X)`` be the sum over all records of the
weights of the first j items of X times the bits of the others: ``G_0`` counts records and ``G_m``
estimates the true support. With the weight of item j ``absent + (present - absent) d``,

    G_j(X) = (present_j - absent_j) G_{j-1}(X) + absent_j G_{j-1}(X without x_j),

so the estimate of X needs one count and m numbers that the subsets have already. The subsets needed
are those that the candidates' prune looks up anyway. Squared weights go the same way and give the
variance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Counts, Numbers
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.itemsets.counting import BitCounter, Report
from ppworkbench.core.itemsets.frontier import Candidates, Frontier
from ppworkbench.core.itemsets.item_data import ItemData
from ppworkbench.core.kernels import Kernel

_CELLS = 1 << 21
"""Weights of all items held at once."""
_PRODUCTS = 20_000_000
"""Products between two reports of progress."""
_JOINT = 1 << 24
"""Combinations of answers that are counted at once."""


Factors = tuple[tuple[Numbers | None, int], ...]
"""What products of records are multiplied by (None for 1), and the power they are raised to."""


def graded_sums(
    data: ItemData, frontier: Frontier, candidates: Candidates, report: Report
) -> tuple[Numbers, ...]:
    """For every candidate the sums over records of products of its items.

    Of h and h^2 where all records count the same, else of w h, w^2 h and w^2 h^2.
    """
    kinds = 2 if data.record_weights is None else 3
    sums = tuple(np.zeros(len(candidates)) for _ in range(kinds))
    if not len(candidates):
        return sums
    rows_at_once = max(64, _CELLS // len(data))
    for start in range(0, data.rows, rows_at_once):
        stop = min(data.rows, start + rows_at_once)
        weights, factors = weights_between(data, start, stop), _factors(data, start, stop)
        if frontier.length == 0:
            for total, (factor, power) in zip(sums, factors, strict=True):
                product = weights[candidates.second] ** power
                total[:] += product.sum(axis=1) if factor is None else product @ factor
        else:
            done = start / data.rows
            _add_groups(frontier, candidates, weights, factors, sums, report, done)
    return sums


def _factors(data: ItemData, start: int, stop: int) -> Factors:
    if data.record_weights is None:
        return ((None, 1), (None, 2))
    own = data.record_weights[start:stop]
    return ((own, 1), (own**2, 1), (own**2, 2))


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
    frontier: Frontier, candidates: Candidates, weights: Numbers, factors: Factors,
    sums: tuple[Numbers, ...], report: Report, done: float,
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
        for found, (factor, power) in zip(sums, factors, strict=True):
            raised = left**power if factor is None else left**power * factor
            found[start:stop] += (raised @ (siblings**power).T)[place]
        work += (highest - lowest) ** 2 * weights.shape[1]
        if work > _PRODUCTS:
            work = 0
            report(done)


def counted_sums(
    data: ItemData, frontier: Frontier, candidates: Candidates, report: Report
) -> tuple[Numbers, Numbers]:
    """The same sums of h and h^2 from counts of combinations of answers.

    Candidates of the same attributes share these counts, and no sum is made record by record.
    """
    graded, counter = data.graded, data.counter
    assert graded is not None and counter is not None  # noqa: S101, PT018 (a caller's choice)
    items = candidates.second[:, None]
    if frontier.length:
        last = candidates.last(frontier)
        items = np.column_stack([frontier.members[candidates.first], last])
    sums = np.zeros(len(items)), np.zeros(len(items))
    if not len(items):
        return sums
    width = graded.weights.shape[1]
    cells = width ** items.shape[1]
    if cells > _JOINT:
        raise ParameterError.saying(
            "Sets of {length} items have {cells:,} combinations of answers, too many to be counted "
            "part by part; choose a shorter maximum length, or mine a single file.",
            length=items.shape[1],
            cells=cells,
            field="max_length",
        )
    sets, place = np.unique(graded.column[items], axis=0, return_inverse=True)
    order = np.argsort(place.ravel(), kind="stable")
    borders = np.searchsorted(place.ravel()[order], np.arange(len(sets) + 1))
    at_once = max(1, _JOINT // cells)
    for start in range(0, len(sets), at_once):
        some = sets[start : start + at_once]
        for number, counts in enumerate(counter.count_answers(some, width, report), start):
            chosen = order[borders[number] : borders[number + 1]]
            together = max(1, _CELLS * width // cells)
            for first in range(0, len(chosen), together):
                few = chosen[first : first + together]
                weights = graded.weights[items[few]]
                sums[0][few] = _contract(counts, weights)
                sums[1][few] = _contract(counts, weights**2)
    return sums


def _contract(counts: NDArray[np.int64], weights: Numbers) -> Numbers:
    """Sums of products of weights (candidate, item, answer) over combinations of answers."""
    count, length, width = weights.shape
    found = counts.astype(np.float64).reshape(-1, width) @ weights[:, -1].T
    for item in reversed(range(length - 1)):
        found = np.einsum("awn,nw->an", found.reshape(-1, width, count), weights[:, item])
    return np.asarray(found[0])


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
    def measure(self, frontier: Frontier, candidates: Candidates, report: Report) -> Sums:
        """Measure candidates that grow from a frontier."""

    def advance(self, frontier: Frontier, kept: Candidates, counts: Counts) -> None:
        """Remember what the next length needs of the candidates that were kept."""


class PlainCounts:
    """Records that show all items, as on undistorted answers."""

    def __init__(self, data: ItemData) -> None:
        self._counter = data.counter or BitCounter(data.bits)

    def measure(self, frontier: Frontier, candidates: Candidates, report: Report) -> Sums:
        counts = self._counter.count(frontier, candidates, report)
        total = counts.astype(np.float64)
        return Sums(total, total, counts)

    def advance(self, frontier: Frontier, kept: Candidates, counts: Counts) -> None:
        """Nothing to remember."""


class ProductForm:
    """MASK's estimate from counts and the partial transforms of the subsets."""

    def __init__(self, data: ItemData) -> None:
        self._counter = data.counter or BitCounter(data.bits)
        self._weights = weights_of(data)
        self._partial: Numbers = np.full((1, 1, 2), float(data.rows))

    def measure(self, frontier: Frontier, candidates: Candidates, report: Report) -> Sums:
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
        """Multiply weights record by record, or combination by combination."""
        sums_of = graded_sums if self._data.counter is None else counted_sums
        total, squares = sums_of(self._data, frontier, candidates, report)
        return Sums(total, squares, np.zeros(len(candidates), np.int64))

    def advance(self, frontier: Frontier, kept: Candidates, counts: Counts) -> None:
        """Nothing to remember."""


class WeightedForm:
    def __init__(self, data: ItemData) -> None:
        assert data.record_weights is not None  # noqa: S101 (there are other measures without)
        self._data = data
        self._squared = float(data.record_weights @ data.record_weights)

    def measure(self, frontier: Frontier, candidates: Candidates, report: Report) -> Sums:
        """Multiply weights record by record; squares that give the variance of a ratio."""
        total, once, twice = graded_sums(self._data, frontier, candidates, report)
        n = self._data.rows
        mean = total / n
        apart = twice - 2 * mean * once + mean**2 * self._squared
        return Sums(total, apart + n * mean**2, np.zeros(len(candidates), np.int64))

    def advance(self, frontier: Frontier, kept: Candidates, counts: Counts) -> None:
        """Nothing to remember."""


def measure_for(data: ItemData) -> Measure:
    if data.record_weights is not None:
        return WeightedForm(data)
    if data.graded is not None:
        return GradedForm(data)
    return ProductForm(data) if data.is_distorted else PlainCounts(data)


def _transform_loop(  # noqa: PLR0913, PLR0917 (a kernel takes plain arrays)
    members: Any, last: Any, first: Any, subsets: Any, counts: Any, slope: Any, offset: Any,
    shorter: Any, out: Any,
) -> None:  # fmt: skip
    length = members.shape[1]
    for c in range(first.size):
        for power in range(2):
            value = float(counts[c])
            out[c, 0, power] = value
            for j in range(length + 1):
                item = members[first[c], j] if j < length else last[c]
                value = (
                    slope[item, power] * value
                    + offset[item, power] * shorter[subsets[c, j], j, power]
                )
                out[c, j + 1, power] = value


def _example() -> tuple[Any, ...]:
    row, grid = np.zeros(1, np.int32), np.zeros((1, 1), np.int32)
    pair = np.zeros((1, 2))
    return (
        grid, row, row, np.zeros((1, 2), np.int32), np.zeros(1, np.int64), pair, pair,
        np.zeros((1, 2, 2)), np.zeros((1, 3, 2)),
    )  # fmt: skip


transform_kernel = Kernel(_transform_loop, _example)


def weights_of(data: ItemData) -> tuple[Numbers, Numbers]:
    """Slope and offset of every item's weight, and of its square, in the bit."""
    offset = np.column_stack([data.absent, data.absent**2])
    return np.column_stack([data.present, data.present**2]) - offset, offset


def transformed(
    frontier: Frontier,
    candidates: Candidates,
    counts: NDArray[np.int64],
    weights: tuple[Numbers, Numbers],
    shorter: Numbers,
) -> Numbers:
    """``G_0 ... G_m`` of every candidate: of the weights at [..., 0], of their squares at [..., 1].

    ``shorter`` are those of the frontier.
    """
    slope, offset = weights
    last = candidates.last(frontier)
    out = np.empty((len(candidates), frontier.length + 2, 2))
    if transform_kernel.compiled is not None:
        transform_kernel.compiled(
            frontier.members, last, candidates.first, candidates.subsets, counts, slope, offset,
            shorter, out,
        )  # fmt: skip
        return out
    out[:, 0] = counts[:, None]
    for j in range(frontier.length + 1):
        item = frontier.members[candidates.first, j] if j < frontier.length else last
        out[:, j + 1] = (
            slope[item] * out[:, j] + offset[item] * shorter[candidates.subsets[:, j], j]
        )
    return out
