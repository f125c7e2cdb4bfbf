"""Counts of distorted answers with the channel that produced them.

The channel ``A[s, p] = Pr(Z in cell s | X in cell p)`` and the counts of Z are all that an
estimator needs; nothing depends on the number of records any more.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design.matrices.base import NEARLY_SINGULAR, condition_number
from ppworkbench.core.design.perturbation import Perturbation
from ppworkbench.core.reconstruct.grid import EdgeCells, Grid, divide_edges


@dataclass(frozen=True, eq=False)
class Inversion:
    """A square matrix turned round.

    Parameters
    ----------
    inverse
        The inverse, or the pseudo-inverse of a singular matrix.
    condition
        The condition number in the 2-norm; where it is small, an upper bound of it. Infinite for a
        singular matrix.
    hidden
        Which entries of X no amount of data can tell, because vectors that the matrix sends to 0
        are not 0 there.
    """

    inverse: Numbers
    condition: float
    hidden: NDArray[np.bool_]

    @property
    def is_singular(self) -> bool:
        return not np.isfinite(self.condition)


def invert(matrix: Numbers) -> Inversion:
    """Invert a square matrix; the last ones are remembered."""
    return _invert(matrix.shape[0], np.ascontiguousarray(matrix, np.float64).tobytes())


@lru_cache(maxsize=64)
def _invert(k: int, cells: bytes) -> Inversion:
    matrix = np.frombuffer(cells).reshape(k, k)
    nowhere = np.zeros(k, bool)
    try:
        inverse = np.asarray(np.linalg.inv(matrix), np.float64)
    except np.linalg.LinAlgError:
        return _singular(matrix)
    # The 2-norm is at most the geometric mean of the norms by columns and by rows.
    bound = np.sqrt(_size(matrix) * _size(inverse))
    if bound < NEARLY_SINGULAR:
        return Inversion(_frozen(inverse), float(bound), nowhere)
    condition = condition_number(matrix)
    if np.isfinite(condition):
        return Inversion(_frozen(inverse), condition, nowhere)
    return _singular(matrix)


def _size(matrix: Numbers) -> float:
    return float(np.abs(matrix).sum(axis=0).max() * np.abs(matrix).sum(axis=1).max())


def _singular(matrix: Numbers) -> Inversion:
    left, values, right = np.linalg.svd(matrix)
    kept = values > values[0] * 1e-12
    inverse = (right[kept].T / values[kept]) @ left[:, kept].T
    hidden = np.abs(right[~kept]).max(axis=0, initial=0.0) > 1e-9
    return Inversion(_frozen(np.asarray(inverse)), float("inf"), np.asarray(hidden))


def _frozen(array: Numbers) -> Numbers:
    array.flags.writeable = False
    return array


def solve(matrix: Numbers, shares: Numbers) -> Numbers:
    """``P^-1 z`` along the last axis, by the pseudo-inverse where P is singular."""
    if not np.any(shares):
        return np.full(shares.shape, 1 / shares.shape[-1])
    if np.array_equal(matrix, np.eye(len(matrix))):
        return shares.copy()
    solved = np.asarray(shares @ invert(matrix).inverse.T)
    # Outside the range of a singular P the sum is off; an inverse keeps it at 1.
    return np.asarray(solved + (1 - solved.sum(axis=-1, keepdims=True)) / solved.shape[-1])


VALUES, NUMBERS = "values", "numbers"


@dataclass(frozen=True, eq=False)
class CountedChannel:
    """What was counted and how it came about.

    Parameters
    ----------
    matrix
        ``A``, one row per cell of Z, one column per cell of X.
    counts
        The number (or the weight) of distorted answers in each cell of Z.
    x_edges
        The borders of X's cells; None where they are the attribute's values.
    z_edges
        The borders of Z's cells; None where they are codes.
    squares
        The sum of squared weights in each cell; the counts themselves when nobody is weighted.
    offsets
        The sum of the answers' positions within each cell, 0 at its lower and 1 at its upper
        border, where an estimator can use them.
    rows, missing
        How many answers were counted, and how many were missing.
    outside
        How many answers lie where the perturbation cannot put them; they are not counted.
    """

    matrix: Numbers
    counts: Numbers
    attribute: Attribute
    perturbation: Perturbation
    x_edges: Numbers | None = None
    z_edges: Numbers | None = None
    squares: Numbers | None = None
    offsets: Numbers | None = None
    rows: int = 0
    missing: int = 0
    outside: int = 0

    def __post_init__(self) -> None:
        for name in ("matrix", "counts", "x_edges", "z_edges", "squares", "offsets"):
            given = getattr(self, name)
            if given is not None:
                array = np.asarray(given, np.float64).view()
                array.flags.writeable = False
                object.__setattr__(self, name, array)

    @property
    def k(self) -> int:
        """How many cells X has."""
        return int(self.matrix.shape[1])

    @property
    def cells(self) -> str:
        """What X's cells are: values or intervals of numbers."""
        return VALUES if self.x_edges is None else NUMBERS

    @property
    def values(self) -> tuple[str, ...] | None:
        """The values that are X's cells; None where the cells are intervals."""
        return self.attribute.values if self.x_edges is None else None

    @cached_property
    def possible(self) -> NDArray[np.bool_]:
        """Which cells of Z the channel can reach at all."""
        found: NDArray[np.bool_] = self.matrix.max(axis=1, initial=0.0) > 0
        return found

    @cached_property
    def usable(self) -> Numbers:
        """The counts without those in cells that the channel cannot reach."""
        return np.where(self.possible, self.counts, 0.0)

    @property
    def impossible(self) -> int:
        """How many answers the perturbation cannot have produced."""
        return self.outside + round(float(self.counts.sum()) - self.total)

    @cached_property
    def total(self) -> float:
        return float(self.usable.sum())

    @cached_property
    def shares(self) -> Numbers:
        """The usable counts as proportions; all 0 when nothing was counted."""
        return self.usable / self.total if self.total > 0 else self.usable

    @cached_property
    def size(self) -> float:
        """The number of respondents, or the effective number when they are weighted."""
        if self.squares is None:
            return self.total
        squares = float(self.squares[self.possible].sum())
        return self.total**2 / squares if squares > 0 else 0.0

    @property
    def is_square(self) -> bool:
        """Whether there are as many cells of Z as of X, so that Z = A X can be solved."""
        return len(self.matrix) == self.k

    @cached_property
    def is_undistorted(self) -> bool:
        return self.is_square and bool(np.array_equal(self.matrix, np.eye(self.k)))

    @cached_property
    def is_noisy(self) -> bool:
        """Whether X is a number that noise moves, so that undoing it is ill-posed."""
        if self.x_edges is None or self.z_edges is None or self.k == 1 or self.is_undistorted:
            return False
        perturbation = self.perturbation
        replaces = perturbation.is_identity or perturbation.numbers.exact_share is not None
        return not replaces and perturbation.numbers.interval_edges(self.attribute) is None

    @cached_property
    def solution(self) -> Numbers:
        """The unbiased solution of Z = A X, where A is square; it may be negative."""
        return solve(self.matrix, self.shares)

    @property
    def spread(self) -> Numbers:
        """The covariance of the shares, from the multinomial distribution or its weighted form.

        ``(diag(q) - q z' - z q' + Q z z') / W^2`` with squared weights q in the cells, Q their sum,
        W the sum of weights; for equal weights ``(diag(z) - z z') / n``.
        """
        z = self.shares
        if self.total <= 0:
            return np.zeros((len(z), len(z)))
        if self.squares is None:
            return (np.diag(z) - np.outer(z, z)) / self.total
        q = np.where(self.possible, self.squares, 0.0)
        cross = np.outer(q, z)
        weighted = np.diag(q) - cross - cross.T + q.sum() * np.outer(z, z)
        return np.asarray(weighted / self.total**2)

    def with_counts(self, counts: Numbers, squares: Numbers | None = None) -> CountedChannel:
        rows = round(float(np.sum(counts)))
        return dataclasses.replace(
            self, counts=counts, squares=squares, offsets=None, rows=rows, missing=0, outside=0
        )

    def merged(self, most: int) -> CountedChannel:
        """The same with neighbouring cells of Z put together until there are at most ``most``."""
        m = len(self.counts)
        if m <= most or self.z_edges is None:
            return self
        starts = np.arange(0, m, -(-m // most))
        squares = None if self.squares is None else np.add.reduceat(self.squares, starts)
        return dataclasses.replace(
            self,
            matrix=np.add.reduceat(self.matrix, starts, axis=0),
            counts=np.add.reduceat(self.counts, starts),
            squares=squares,
            offsets=None,
            z_edges=np.append(self.z_edges[starts], self.z_edges[-1]),
        )

    def divided(self, cells: int) -> CountedChannel:
        """The same with X in about so many cells, among whose borders are those of now."""
        assert self.x_edges is not None  # noqa: S101 (only numbers can be divided)
        assert self.z_edges is not None  # noqa: S101
        edges = divide_edges(self.x_edges, cells, self.attribute, self.perturbation)
        return self.with_x_edges(edges)

    def with_x_edges(self, edges: Numbers) -> CountedChannel:
        assert self.z_edges is not None  # noqa: S101 (only numbers under noise come here)
        grid = Grid(self.attribute, self.perturbation, edges, EdgeCells(self.z_edges))
        return dataclasses.replace(self, matrix=grid.matrix(self.z_edges), x_edges=edges)
