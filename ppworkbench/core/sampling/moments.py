"""Weighted sums of contributions by cluster and stratum, in one pass over the rows.

A row contributes ``t[j, g] = m_j(row) * h_g(cell of the row)``: multipliers times a look-up in the
cell of its reported answer. Hence sums of multipliers by cluster and cell are all that a pass has
to keep; the look-ups are applied to them at the end. Where rows are the clusters, second moments by
stratum take the place of sums by cluster.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Codes, Numbers
from ppworkbench.core.sampling.sample import Frame, SampleRows
from ppworkbench.core.sampling.variance import SampleTotals, covariance_by_clusters, stratum_factors

Pair = tuple[int, int]
Multiplier = Numbers | None
"""One number per row; None for 1 everywhere."""

NOTHING = -1


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
    """

    n: int
    look_up: Numbers
    cells: Codes | None = None
    multipliers: tuple[Multiplier, ...] = (None,)
    products: Mapping[Pair, Multiplier] = field(default_factory=dict)
    meets: NDArray[np.intp] | None = None
    true_products: Numbers | None = None
    true_cells: TrueCells | None = None

    def product(self, pair: Pair) -> Multiplier:
        """What is unbiased for the product of two multipliers' true values."""
        if pair in self.products:
            return self.products[pair]
        return self.multipliers[pair[1]]

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """All pairs j <= j'."""
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
        self._replicates: Numbers | None = None
        self._shape: Terms | None = None
        self._n = self._rows = 0
        self._weight = self._squares = self._all_weight = 0.0

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
        self._weight += float(rows.n if weights is None else weights.sum())
        self._squares += float(rows.n if weights is None else weights @ weights)
        whole = sample.weights
        self._all_weight += float(sample.n if whole is None else whole.sum())
        count = len(terms.look_up)
        groups = rows.strata if rows.clusters is None else rows.clusters
        by_group = _keys(groups, terms.cells, count, rows.n)
        by_stratum = by_group
        if rows.clusters is not None:
            # By stratum only where each has its own part of the population.
            by_stratum = _keys(rows.strata, terms.cells, count, rows.n) if finite else terms.cells
        for j, multiplier in enumerate(terms.multipliers):
            column = _times(weights, multiplier)
            self._add("linear", (j, j), _sum(by_group, column, count, rows.n))
        squared = _times(weights, weights)
        for pair in terms.pairs:
            both = _times(terms.multipliers[pair[0]], terms.multipliers[pair[1]])
            true = terms.product(pair)
            powers = [("squares", "products", squared, by_stratum)]
            powers.append(("once", "once_true" if finite else "", weights, terms.cells))
            for name, name_of_true, factor, keys in powers:
                found = _sum(keys, _times(factor, both), count, rows.n)
                self._add(name, pair, found)
                if name_of_true:
                    # Where nothing multiplies the look-up, both sums are the same.
                    if both is not true:
                        found = _sum(keys, _times(factor, true), count, rows.n)
                    self._add(name_of_true, pair, found)
        self._count_present(terms, by_group, count)
        if rows.replicates is not None:
            self._add_replicates(terms, rows.replicates)

    def _count_present(self, terms: Terms, keys: Codes | None, count: int) -> None:
        first = terms.multipliers[0]
        inside = None if first is None else (first != 0).astype(np.float64)
        if inside is not None and inside.all():
            inside = None
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
        found = np.hstack(parts)
        self._replicates = found if self._replicates is None else self._replicates + found

    def _add(self, name: str, pair: Pair, found: Numbers) -> None:
        before = self._sums.get((name, pair))
        self._sums[name, pair] = found if before is None else _added(before, found)

    def totals(self, frame: Frame, terms: Terms | None = None) -> SampleTotals:
        """The totals with everything that their errors need.

        ``terms`` may bring other functions of the same cells than those of the rows.
        """
        terms = terms or self._shape
        assert terms is not None  # noqa: S101 (somebody was added)
        strata = len(frame.sizes)
        groups = strata if frame.cluster_strata is None else len(frame.cluster_strata)
        sums = np.hstack(
            [
                _padded(self._sums["linear", (j, j)], groups) @ terms.look_up
                for j in range(len(terms.multipliers))
            ]
        )
        values = sums.sum(axis=0)
        factors = stratum_factors(frame)
        if frame.cluster_strata is None:
            within = self._quadratic("squares", terms, factors.multiple)
            # Sums of strata, each as if it were one cluster, give what the means take away.
            spread = within - (sums.T * (factors.multiple / np.maximum(frame.sizes, 1))) @ sums
            spread += factors.lonely_part(sums, values / max(int(frame.sizes.sum()), 1))
        else:
            spread = covariance_by_clusters(sums, frame, factors)
        device = self._device(terms, np.ones(strata))
        lost = self._device(terms, frame.fractions)
        return SampleTotals(
            values, np.asarray(spread), lost, device, self._simple(terms, values, frame), frame,
            self._n, self._weight, self._n * self._squares / self._weight**2 if self._weight else 1,
            self._degrees(terms, frame, groups), self._replicates, frame.replicate_scale,
            None if frame.cluster_strata is None else sums, factors.remarks,
        )  # fmt: skip

    def _device(self, terms: Terms, by_stratum: Numbers) -> Numbers:
        """The part of the variance of the totals that the device brings."""
        squares = self._quadratic("squares", terms, by_stratum)
        return squares - self._true("products", terms, by_stratum)

    def _simple(self, terms: Terms, values: Numbers, frame: Frame) -> Numbers:
        """The covariance of the totals of a simple random sample of as many answers."""
        n, weight = self._rows, self._all_weight
        if n < 2 or weight <= 0:
            return np.full((len(values), len(values)), math.nan)
        mean = values / weight
        variance = self._quadratic("once", terms) / weight - np.outer(mean, mean)
        variance *= n / (n - 1)
        fraction = 0.0
        if frame.has_population:
            fraction = min(n / weight, 1.0)
            if frame.sampling.weight is None:
                population = float((frame.sizes / np.maximum(frame.fractions, 1e-300)).sum())
                fraction = min(float(frame.sizes.sum()) / population, 1.0)
        if fraction:
            device = self._quadratic("once", terms) - self._true("once_true", terms)
            variance = (1 - fraction) * variance + fraction * device / weight
        return np.asarray(weight**2 * variance / n)

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
        sums = self._sums[name, pair]
        if by_row is None:
            return np.asarray(sums.sum(axis=0))
        return np.asarray(by_row[: len(sums)] @ sums)

    def _degrees(self, terms: Terms, frame: Frame, groups: int) -> Numbers:
        """Clusters minus strata that hold somebody: of each function, and of any at the end."""
        if not frame.has_roles:
            return np.full(terms.look_up.shape[1] + 1, math.inf)
        if frame.replicate_scale is not None:
            return np.full(terms.look_up.shape[1] + 1, float(frame.replicate_rank - 1))
        assert self._present is not None  # noqa: S101 (somebody was added)
        concerned = terms.look_up != 0
        concerned = np.column_stack([concerned, concerned.any(axis=1)])
        inside = _padded(self._present, groups) @ concerned
        if frame.cluster_strata is None:
            return np.asarray((inside - (inside > 0)).sum(axis=0))
        held = np.zeros((len(frame.sizes), inside.shape[1]))
        np.add.at(held, frame.cluster_strata, inside > 0)
        return np.asarray((held - (held > 0)).sum(axis=0))


def _times(first: Multiplier, second: Multiplier) -> Multiplier:
    if first is None:
        return second
    return first if second is None else first * second


def _keys(groups: Codes | None, cells: Codes | None, count: int, n: int) -> Codes | None:
    """One number for each pair of group and cell; None where there is only one pair."""
    if groups is None:
        return cells
    return groups if cells is None or not n else groups * count + cells


def _sum(keys: Codes | None, column: Multiplier, count: int, n: int) -> Numbers:
    """Sums by group (rows) and cell (columns)."""
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
