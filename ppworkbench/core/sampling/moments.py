"""Weighted sums of contributions by cluster and stratum, in one pass over the rows.

A row contributes ``t[j, g] = m_j(row) * h_g(cell of the row)``: multipliers times a look-up in the
cell of its reported answer. Hence sums of multipliers by cluster and cell are all that a pass has
to keep; the look-ups are applied to them at the end. Where rows are the clusters, second moments by
stratum take the place of sums by cluster.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Codes, Numbers
from ppworkbench.core.sampling.sample import Frame, SampleRows
from ppworkbench.core.sampling.variance import (
    SampleTotals,
    covariance_by_clusters,
    covariance_by_rows,
    stratum_factors,
)

Pair = tuple[int, int]
Multiplier = Numbers | None
"""One number per row; None for 1 everywhere."""

NOTHING = -1
_BLOCK = 1 << 17


@dataclass(frozen=True, eq=False)
class TrueCells:
    """True cells behind reported ones, where contributions are no unbiased counts of them.

    Parameters
    ----------
    posterior
        The probability of every true cell, one row per reported one.
    values
        The mean contribution given the true cell, one column per function.
    """

    posterior: Numbers
    values: Numbers


@dataclass(frozen=True, eq=False)
class Terms:
    """The contributions of some rows to several totals.

    Parameters
    ----------
    look_up
        ``h``: one row per cell, one column per function of the cell.
    cells
        The cell of each row; None where there is only one.
    multipliers
        The first is that of the domain: where it is 0 a row does not belong to it.
    products
        For pairs j <= j' of multipliers, numbers that are unbiased for the product of their true
        values. The pairs of the first multiplier, an indicator, need not be given.
    meets
        ``meets[g, g']``: which function is the product of the true values of two, NOTHING if that
        is 0. The functions exclude each other if not given.
    true_products
        The mean product of the true values of all pairs of functions over all rows, where they are
        no functions of the list themselves; for a single multiplier.
    true_cells
        What tells these products by reported cell.
    least
        What the device makes each total vary by at least, where rows count the same.
    """

    n: int
    look_up: Numbers
    cells: Codes | None = None
    multipliers: tuple[Multiplier, ...] = (None,)
    products: Mapping[Pair, Multiplier] = field(default_factory=dict)
    meets: NDArray[np.intp] | None = None
    true_products: Numbers | None = None
    true_cells: TrueCells | None = None
    least: Numbers | None = None

    def product(self, pair: Pair) -> Multiplier:
        """What is unbiased for the product of two multipliers' true values."""
        if pair in self.products:
            return self.products[pair]
        return self.multipliers[pair[1]]

    @property
    def pairs(self) -> tuple[Pair, ...]:
        count = len(self.multipliers)
        return tuple((j, other) for j in range(count) for other in range(j, count))

    @property
    def size(self) -> int:
        """The number of totals: the first multiplier's functions, then the second's..."""
        return len(self.multipliers) * int(self.look_up.shape[1])


class SampleMoments:
    """Sums over rows that may come in pieces."""

    def __init__(self) -> None:
        self._sums: dict[tuple[str, Pair], Numbers] = {}
        self._present: Numbers | None = None
        self._is_derived = False
        self._replicates: Any = 0.0
        self._shape: Terms | None = None
        self._n = self._rows = 0
        self._weight = self._squares = self._all_weight = 0.0
        self._persons: Codes = np.zeros(0, np.intp)

    def add(
        self, terms: Terms, sample: SampleRows, kept: Codes | None = None, *, finite: bool = True
    ) -> None:
        """Add rows; ``kept`` are those of the sample that the terms are about.

        ``finite`` says whether sums for a finite population are wanted.
        """
        rows = sample.take(kept)
        weights = rows.weights
        self._shape = terms
        self._n += rows.n
        self._rows += sample.n
        self._weight += rows.weight
        self._squares += float(rows.n if weights is None else weights @ weights)
        self._all_weight += sample.weight
        if rows.persons is not None:
            self._persons = np.union1d(self._persons, rows.persons)
        # Where everybody weighs something, the sum of weights tells who is there.
        everybody = weights is None or bool(weights.min(initial=1.0) > 0)
        for start in range(0, max(rows.n, 1), _BLOCK):
            # What is worked out for a block of rows stays in the processor's cache.
            block = slice(start, min(start + _BLOCK, rows.n))
            self._add_block(_Block.cut(terms, rows, block), finite=finite, everybody=everybody)
        if rows.has_replicates:
            self._add_replicates(terms, rows.replicates)

    def _add_block(self, block: _Block, *, finite: bool, everybody: bool) -> None:
        terms, weights, n = block.terms, block.weights, block.terms.n
        count = len(terms.look_up)
        groups = block.strata if block.clusters is None else block.clusters
        by_group = _keys(groups, terms.cells, count, n)
        by_stratum = by_group
        if block.clusters is not None:
            # By stratum only where each has its own part of the population.
            by_stratum = _keys(block.strata, terms.cells, count, n) if finite else terms.cells
        weighted = [_times(weights, multiplier) for multiplier in terms.multipliers]
        for j, column in enumerate(weighted):
            self._add("linear", (j, j), _sum(by_group, column, count, n))
        squared: Multiplier = None
        for pair in terms.pairs:
            first, second = (terms.multipliers[j] for j in pair)
            true = terms.product(pair)
            # Where nothing multiplies the look-up, sums of products are those of true values.
            same = (first is None and true is second) or (second is None and true is first)
            found = _sum_product(by_stratum, weighted[pair[0]], weighted[pair[1]], count, n)
            self._add("squares", pair, found)
            if not same:
                squared = _times(weights, weights) if squared is None else squared
                found = _sum_product(by_stratum, squared, true, count, n)
            self._add("products", pair, found)
            if first is not None:
                once = _sum_product(terms.cells, weighted[pair[1]], first, count, n)
                self._add("once", pair, once)
            if finite and not same:
                self._add("once_true", pair, _sum_product(terms.cells, weights, true, count, n))
        self._count_present(block, by_group, everybody=everybody)

    def _count_present(self, block: _Block, keys: Codes | None, *, everybody: bool) -> None:
        terms = block.terms
        count, first = len(terms.look_up), terms.multipliers[0]
        if block.clusters is not None and everybody and first is None:
            self._is_derived = True
            return
        inside = None
        if first is not None and np.count_nonzero(first) < terms.n:
            inside = (first != 0).astype(np.float64)
        found = _sum(keys, inside, count, terms.n)
        self._present = found if self._present is None else _added(self._present, found)

    def _add_replicates(self, terms: Terms, replicates: Numbers) -> None:
        parts = []
        for multiplier in terms.multipliers:
            by_cell = np.empty((replicates.shape[1], len(terms.look_up)))
            for k in range(replicates.shape[1]):
                column = _times(np.ascontiguousarray(replicates[:, k]), multiplier)
                by_cell[k] = _sum(terms.cells, column, len(terms.look_up), terms.n)[0]
            parts.append(by_cell @ terms.look_up)
        self._replicates = self._replicates + np.hstack(parts)

    def _add(self, name: str, pair: Pair, found: Numbers) -> None:
        before = self._sums.get((name, pair))
        self._sums[name, pair] = found if before is None else _added(before, found)

    def totals(self, frame: Frame, terms: Terms | None = None) -> SampleTotals:
        """The totals with everything that their errors need.

        ``terms`` may bring other functions of the same cells than those of the rows.
        """
        terms = terms or self._shape
        assert terms is not None  # noqa: S101 (somebody was added)
        strata, groups = len(frame.sizes), frame.groups
        sums = np.hstack(
            [
                _padded(self._sums["linear", (j, j)], groups) @ terms.look_up
                for j in range(len(terms.multipliers))
            ]
        )
        values = sums.sum(axis=0)
        # Of rows that count the same, those without an answer tell nothing: nobody drew so many.
        answered = (
            dataclasses.replace(frame, sizes=np.array([self._n])) if frame.is_simple else frame
        )
        factors = stratum_factors(answered)
        if not frame.has_clusters:
            within = self._quadratic("squares", terms, factors.multiple)
            spread = covariance_by_rows(within, sums, answered, factors)
        else:
            spread = covariance_by_clusters(sums, frame, factors)
        device = self._device(terms, np.ones(strata))
        # Who is asked is chance as the device is, and does not shrink with the population either.
        lost = self._device(terms, frame.fractions, frame.asked_share)
        replicates = self._replicates if frame.has_replicates else np.zeros((0, terms.size))
        return SampleTotals(
            values, np.asarray(spread), lost, device, self._simple(terms, values, frame), frame,
            self._n, self._weight, self._n * self._squares / self._weight**2 if self._weight else 1,
            self._degrees(terms, frame, groups), replicates, frame.replicate_scale, sums,
            factors.remarks,
            self._sums["linear", (0, 0)].sum(axis=0) if terms.multipliers[0] is None else None,
            len(self._persons),
            terms.least if frame.is_simple else None,
        )  # fmt: skip

    def _device(self, terms: Terms, by_stratum: Numbers, asked_share: float = 1.0) -> Numbers:
        """The part of the variance of the totals that the device brings, and who was asked.

        Given one's true value x, a contribution has the mean πx where a share π is asked; the sum
        of squares of those who were asked stands for π Σ x² already.
        """
        squares = self._quadratic("squares", terms, by_stratum)
        return squares - asked_share * self._true("products", terms, by_stratum)

    def _simple(self, terms: Terms, values: Numbers, frame: Frame) -> Numbers:
        """The covariance of the totals of a simple random sample of as many answers."""
        once = self._quadratic("once", terms)
        device = once - self._true("once_true", terms) if frame.has_population else once
        return simple_covariance(values, once, device, self._rows, self._all_weight, frame)

    def _quadratic(self, name: str, terms: Terms, by_row: Numbers | None = None) -> Numbers:
        """Sums of products of two contributions, each stratum times its factor."""
        g = terms.look_up.shape[1]
        found = np.zeros((terms.size, terms.size))
        for j, other in terms.pairs:
            by_cell = self._by_cell(name, (j, other), by_row)
            block = (terms.look_up.T * by_cell) @ terms.look_up
            found[j * g : (j + 1) * g, other * g : (other + 1) * g] = block
            found[other * g : (other + 1) * g, j * g : (j + 1) * g] = block.T
        return found

    def _true(self, name: str, terms: Terms, by_row: Numbers | None = None) -> Numbers:
        """Sums that are unbiased for those of products of two true values."""
        g = terms.look_up.shape[1]
        found = np.zeros((terms.size, terms.size))
        for j, other in terms.pairs:
            by_cell = self._by_cell(name, (j, other), by_row)
            cells = terms.true_cells
            if terms.true_products is not None:
                block = by_cell.sum() * terms.true_products
            elif cells is not None:
                block = (cells.values.T * (by_cell @ cells.posterior)) @ cells.values
            else:
                sums = np.append(by_cell @ terms.look_up, 0.0)
                meets = terms.meets
                block = np.diag(sums[:-1]) if meets is None else sums[meets]
            found[j * g : (j + 1) * g, other * g : (other + 1) * g] = block
            found[other * g : (other + 1) * g, j * g : (j + 1) * g] = block.T
        return found

    def _by_cell(self, name: str, pair: Pair, by_row: Numbers | None) -> Numbers:
        sums = self._sums.get((name, pair))
        if sums is None and name == "once_true":
            return self._by_cell("once", pair, by_row)
        if sums is None:
            # Nothing multiplies the first of the pair.
            sums = self._sums["linear", (pair[1], pair[1])]
        if by_row is None:
            return np.asarray(sums.sum(axis=0))
        return np.asarray(by_row[: len(sums)] @ sums)

    def _degrees(self, terms: Terms, frame: Frame, groups: int) -> Numbers:
        """Clusters minus strata that hold somebody: of each function, and of any at the end."""
        if not frame.has_roles:
            return np.full(terms.look_up.shape[1] + 1, math.inf)
        if frame.has_replicates:
            return np.full(terms.look_up.shape[1] + 1, float(frame.replicate_rank - 1))
        present = self._present
        if self._is_derived:
            # Only whether somebody of a cluster is there counts, not how many are.
            told = self._sums["linear", (0, 0)]
            present = told if present is None else _added(told, present)
        assert present is not None  # noqa: S101 (somebody was added)
        concerned = terms.look_up != 0
        concerned = np.column_stack([concerned, concerned.any(axis=1)])
        return degrees_inside(_padded(present, groups) @ concerned, frame)


def simple_covariance(
    values: Numbers, once: Numbers, device: Numbers, n: int, weight: float, frame: Frame
) -> Numbers:
    """The covariance of totals of a simple random sample of n answers that weigh so much.

    Parameters
    ----------
    once
        Sums of products of two contributions by weight.
    device
        The part of these sums that the device brings.
    """
    if n < 2 or weight <= 0:
        return np.full((len(values), len(values)), math.nan)
    mean = values / weight
    variance = once / weight - np.outer(mean, mean)
    variance *= n / (n - 1)
    fraction = 0.0
    if frame.has_population:
        fraction = min(n / weight, 1.0)
        if frame.sampling.weight is None:
            population = float((frame.sizes / np.maximum(frame.fractions, 1e-300)).sum())
            fraction = min(float(frame.sizes.sum()) / population, 1.0)
    fraction *= frame.asked_share
    if fraction:
        variance = (1 - fraction) * variance + fraction * device / weight
    return np.asarray(weight**2 * variance / n)


def degrees_inside(inside: Numbers, frame: Frame) -> Numbers:
    """Clusters minus strata that hold somebody, by how many people each holds (columns: whose)."""
    if not frame.has_clusters:
        return np.asarray((inside - (inside > 0)).sum(axis=0))
    held = np.column_stack(
        [np.bincount(frame.cluster_strata, one > 0, len(frame.sizes)) for one in inside.T]
    )
    return np.asarray((held - (held > 0)).sum(axis=0))


@dataclass(frozen=True, eq=False)
class _Block:
    terms: Terms
    weights: Numbers | None
    strata: Codes | None
    clusters: Codes | None

    @classmethod
    def cut(cls, terms: Terms, rows: SampleRows, block: slice) -> _Block:
        """Some of the rows; what is the same array before is the same after."""
        if block.start == 0 and block.stop == rows.n:
            return cls(terms, rows.weights, rows.strata, rows.clusters)
        known: dict[int, Any] = {}

        def part(array: NDArray[Any] | None) -> Any:
            if array is None:
                return None
            return known.setdefault(id(array), array[block])

        some = dataclasses.replace(
            terms,
            n=block.stop - block.start,
            cells=part(terms.cells),
            multipliers=tuple(map(part, terms.multipliers)),
            products={pair: part(product) for pair, product in terms.products.items()},
        )
        return cls(some, part(rows.weights), part(rows.strata), part(rows.clusters))


def _times(first: Multiplier, second: Multiplier) -> Multiplier:
    if first is None:
        return second
    return first if second is None else first * second


def _keys(groups: Codes | None, cells: Codes | None, count: int, n: int) -> Codes | None:
    """One number for each pair of group and cell; None where there is only one pair."""
    if groups is None:
        return cells
    return groups if cells is None or not n else groups * count + cells


def _sum_product(
    keys: Codes | None, first: Multiplier, second: Multiplier, count: int, n: int
) -> Numbers:
    if keys is None and first is not None and second is not None:
        return np.array([[float(first @ second)]])
    return _sum(keys, _times(first, second), count, n)


def _sum(keys: Codes | None, column: Multiplier, count: int, n: int) -> Numbers:
    if keys is None:
        return np.array([[float(n if column is None else column.sum())]])
    found = np.bincount(keys, column)
    lacking = -len(found) % count or (count if not len(found) else 0)
    if lacking:
        found = np.append(found, np.zeros(lacking))
    return found.astype(np.float64, copy=False).reshape(-1, count)


def _padded(sums: Numbers, rows: int) -> Numbers:
    lacking = rows - len(sums)
    return np.vstack([sums, np.zeros((lacking, sums.shape[1]))]) if lacking > 0 else sums


def _added(first: Numbers, second: Numbers) -> Numbers:
    rows = max(len(first), len(second))
    return _padded(first, rows) + _padded(second, rows)
