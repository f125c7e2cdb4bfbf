"""The cells of distorted predictors: what they stand for, and how their shares are modelled."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design.noises.base import centres
from ppworkbench.core.models.coding import (
    CellBlock,
    HiddenCells,
    Scaling,
    collinear_columns,
    make_coding,
)
from ppworkbench.core.models.formula import LOG, Formula, Term, Variable
from ppworkbench.core.survey.factors.factor import Factor

_FEWEST_ROWS, _FEWEST_FOR_NUMBERS = 20, 100
"""So many rows a cell of the undistorted predictors needs to have a distribution of its own."""
_MOST_SATURATED = 600
"""So many parameters the distribution of hidden predictors may have."""
_PILOT_STEPS = 60
_RIDGE = 0.02
_MOST_KNOTS, _FEW_KNOTS, _MANY = 5, 3, 500
"""Inner knots of the spline for the density of a number, for many rows and for few."""


@dataclass(frozen=True, eq=False)
class SeenPredictors:
    """The undistorted predictors of merged rows, and how much these count."""

    formula: Formula
    attributes: Mapping[str, Attribute]
    data: Mapping[str, NDArray[Any]]
    weights: Numbers

    @property
    def rows(self) -> int:
        return len(self.weights)

    def groups(self) -> NDArray[np.intp] | None:
        """Rows with equal values as one group each; None where one of them is a number."""
        combined = np.zeros(self.rows, np.intp)
        for name, codes in self.data.items():
            if not self.attributes[name].kind.is_categorical:
                return None
            combined = combined * self.attributes[name].k + codes
        return np.asarray(np.unique(combined, return_inverse=True)[1], np.intp)

    def columns(self) -> Numbers:
        """The terms of the formula that are not distorted, in columns of like size."""
        terms = [
            term
            for term in self.formula.terms
            if all(one.name in self.data for one in term.variables)
        ]
        alone = {one.name for term in terms for one in term.variables}
        terms += [Term((Variable(name),)) for name in self.data if name not in alone]
        scalings = {
            name: Scaling(float(column.mean()), float(column.std() or 1.0))
            for name, column in self.data.items()
            if not self.attributes[name].kind.is_categorical
        }
        coding = make_coding(
            Formula(self.formula.outcome, "", tuple(terms)), self.attributes, scalings
        )
        found = coding.matrix(self.data, (self.rows,))[:, 1:]
        share = self.weights / self.weights.sum()
        found = found - share @ found
        spread = np.sqrt(share @ found**2)
        found = found / np.where(spread > 0, spread, 1.0)
        dropped = set(collinear_columns(found, self.weights))
        kept = [place for place in range(found.shape[1]) if place not in dropped]
        return np.asarray(found[:, kept], np.float64)


@dataclass(frozen=True, eq=False)
class _Cells:
    """All combinations of the distorted predictors' values.

    Parameters
    ----------
    values
        By predictor, its value in every cell: codes, or the middles of a number's cells.
    sizes
        How many values each predictor has.
    numeric
        Which predictors are numbers.
    likelihood
        By row, how likely its reports are in every cell.
    slope
        How that moves with the unknown parameter of a device; None where all is known.
    """

    values: dict[str, NDArray[Any]]
    sizes: dict[str, int]
    numeric: frozenset[str]
    likelihood: Numbers
    slope: Numbers | None

    @property
    def count(self) -> int:
        return int(self.likelihood.shape[1])

    def dummies(self, name: str) -> Numbers:
        """One column for every value but the first."""
        return np.asarray(np.eye(self.sizes[name])[self.values[name]][:, 1:], np.float64)

    def pilot(self, weights: Numbers) -> Numbers:
        """Shares of the cells by a few steps of EM; none is 0."""
        found = np.full(self.count, 1 / self.count)
        share = weights / weights.sum()
        for _ in range(_PILOT_STEPS):
            reported = np.maximum(self.likelihood @ found, 1e-300)
            found = found * (self.likelihood.T @ (share / reported))
            found /= found.sum()
        return np.asarray(np.maximum(found, 1e-6), np.float64)


def hidden_cells(
    seen: SeenPredictors, factors: Sequence[Factor], codes: Sequence[NDArray[Any]]
) -> tuple[HiddenCells, Numbers | None]:
    """Cells with a model of their shares, and weights that undo the devices where there are any."""
    cells, undo = _cells(seen, factors, codes)
    ridge = _RIDGE if cells.numeric else 0.0
    values = {name: column[None, :] for name, column in cells.values.items()}
    blocks = _blocks(seen, cells)
    return HiddenCells(values, cells.likelihood, blocks, ridge, cells.slope), undo


def _cells(
    seen: SeenPredictors, factors: Sequence[Factor], codes: Sequence[NDArray[Any]]
) -> tuple[_Cells, Numbers | None]:
    sizes: dict[str, int] = {}
    for factor in factors:
        sizes |= factor.sizes
    grid = np.indices(tuple(sizes.values())).reshape(len(sizes), -1)
    values: dict[str, NDArray[Any]] = dict(zip(sizes, grid, strict=True))
    likelihood = np.ones((seen.rows, 1))
    slope: Numbers | None = None
    undo: Numbers | None = np.ones((seen.rows, 1))
    numeric = set()
    for factor, found in zip(factors, codes, strict=True):
        if slope is not None:
            slope = _outer(slope, factor.channel[found])
        elif factor.slope is not None:
            slope, undo = _outer(likelihood, factor.slope[found]), None
        likelihood = _outer(likelihood, factor.channel[found])
        if factor.edges is not None:
            name = factor.names[0]
            numeric.add(name)
            values[name] = centres(factor.edges, factor.asked[0].attribute)[values[name]]
        if undo is not None:
            # A device that cannot be undone by itself still has its part in the likelihood.
            own = factor.undo
            undo = None if own is None else _outer(undo, own[found])
    kept = _possible(seen, values, numeric)
    cells = _Cells(
        {name: column[kept] for name, column in values.items()}, sizes, frozenset(numeric),
        likelihood[:, kept], None if slope is None else slope[:, kept],
    )  # fmt: skip
    return cells, undo


def _possible(
    seen: SeenPredictors, values: Mapping[str, NDArray[Any]], numeric: set[str]
) -> NDArray[np.bool_]:
    kept = np.ones(len(next(iter(values.values()))), np.bool_)
    for variable in (one for term in seen.formula.terms for one in term.variables):
        if variable.function == LOG and variable.name in numeric:
            kept &= values[variable.name] > 0
    return kept


def _outer(first: Numbers, second: Numbers) -> Numbers:
    return np.asarray((first[:, :, None] * second[:, None, :]).reshape(len(first), -1))


def _blocks(seen: SeenPredictors, cells: _Cells) -> tuple[CellBlock, ...]:
    """Saturated within the cells of categorical predictors that are full enough, else by terms."""
    base, start = _shares_basis(cells, seen.weights)
    if not seen.data:
        return (CellBlock(np.ones((seen.rows, 1)), base, start),)
    groups = seen.groups()
    if groups is not None:
        held = np.bincount(groups, seen.weights)
        enough = held.min() >= (_FEWEST_FOR_NUMBERS if cells.numeric else _FEWEST_ROWS)
        if enough and len(held) * base.shape[1] <= _MOST_SATURATED:
            return (CellBlock(np.eye(len(held))[groups], base, np.tile(start, len(held))),)
    moving = _features(cells)
    if not cells.numeric and len(cells.sizes) > 1:
        base, start = moving, np.zeros(moving.shape[1])
    rest = seen.columns()
    none = np.zeros(rest.shape[1] * moving.shape[1])
    return (CellBlock(np.ones((seen.rows, 1)), base, start), CellBlock(rest, moving, none))


def _shares_basis(cells: _Cells, weights: Numbers) -> tuple[Numbers, Numbers]:
    """What the logarithm of the cells' shares is a sum of, and how much of each to begin with.

    Cells of values are free. A density that is free on a fine grid would break into spikes; a
    spline for its logarithm is smooth and never below 0 (Efron 2016, Empirical Bayes deconvolution
    estimates, *Biometrika* 103).
    """
    pilot = cells.pilot(weights)
    if not cells.numeric:
        basis = np.eye(cells.count)[:, 1:]
    else:
        parts = [
            _curves(column, pilot, float(weights.sum()))
            if name in cells.numeric
            else cells.dummies(name)
            for name, column in cells.values.items()
        ]
        # Pairs by size and square alone: a curve for every value of another predictor would have
        # more freedom than reports through two devices can settle.
        basis = np.hstack([*parts, *_pairs(cells)])
    root = np.sqrt(pilot)
    whole = np.column_stack([np.ones(len(basis)), basis]) * root[:, None]
    return basis, np.linalg.lstsq(whole, np.log(pilot) * root, rcond=None)[0][1:]


def _curves(x: Numbers, pilot: Numbers, n: float) -> Numbers:
    """A cubic spline over the numbers that occur, in columns that do not depend on each other."""
    order = np.argsort(x, kind="stable")
    rank = np.cumsum(pilot[order]) - pilot[order] / 2
    inner = _MOST_KNOTS if n >= _MANY else _FEW_KNOTS
    knots = np.interp(np.linspace(0, 1, inner + 2)[1:-1], rank, x[order])
    low, high = float(x.min()), float(x.max())
    scale = (high - low) or 1.0
    at = (x - low) / scale
    columns = [at, at**2, at**3]
    columns += [np.maximum((x - knot) / scale, 0.0) ** 3 for knot in np.unique(knots)]
    matrix = np.column_stack(columns)
    matrix -= pilot @ matrix / pilot.sum()
    # Cells that are rare in the pilot must not weigh nothing, or their columns become huge.
    root = np.sqrt(0.5 * pilot + 0.5 / len(pilot))[:, None]
    kept, triangle = np.linalg.qr(matrix * root)
    sizes = np.abs(np.diag(triangle))
    return np.asarray((kept / root)[:, sizes > 1e-8 * sizes.max()])


def _features(cells: _Cells) -> Numbers:
    return np.hstack([*_main_effects(cells), *_pairs(cells)])


def _pairs(cells: _Cells) -> list[Numbers]:
    return [_outer(a, b) for a, b in itertools.combinations(_main_effects(cells), 2)]


def _main_effects(cells: _Cells) -> list[Numbers]:
    """One part for each distorted predictor; a number moves by its size and square."""
    parts: list[Numbers] = []
    for name, column in cells.values.items():
        if name in cells.numeric:
            x = (column - column.mean()) / (column.std() or 1.0)
            parts.append(np.column_stack([x, x**2]))
        else:
            parts.append(cells.dummies(name))
    return parts
