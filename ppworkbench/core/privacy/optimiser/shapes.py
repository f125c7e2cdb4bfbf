"""Families of P-matrices as functions of a few numbers θ."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from ppworkbench.core.arrays import Matrix
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Binary, Custom, Ordinal, Perturbation
from ppworkbench.core.privacy.utility.channel import Vector

FULL = 10
"""Values up to which every pair has a number of its own in a symmetric matrix."""
FULL_ANY = 7
"""The same for matrices of any form, which have twice as many numbers."""

MOST_REACH = 5
"""Neighbours to either side that an ordinal matrix moves an answer to."""

_NEGLIGIBLE = 1e-9


class Shape(ABC):
    """A family of P-matrices; θ is never negative."""

    size: int

    def __init__(self, k: int) -> None:
        self.k = k

    @abstractmethod
    def matrix(self, theta: Vector) -> Matrix:
        """The P-matrix, columns summing to 1; entries on the diagonal may turn out negative."""

    @abstractmethod
    def slopes(self, theta: Vector) -> Matrix:
        """How the entries of P (row by row) change with θ: k² rows, one column per number."""

    @abstractmethod
    def like_uniform(self, keep: float) -> Vector:
        """θ of the member that is nearest to keeping the answer with one probability."""

    def like(self, matrix: Matrix) -> Vector | None:  # noqa: ARG002 (most cannot be turned round)
        """θ of a given matrix, where it is a member and easily turned round."""
        return None

    def perturbation(self, theta: Vector, attribute: Attribute) -> Perturbation:
        """The member as a perturbation that can be applied."""
        # The diagonal is what is left of 1, and may miss 0 by its last digit.
        matrix = np.clip(self.matrix(theta), 0, 1)
        if attribute.kind is Kind.BINARY:
            zero, one = np.diag(matrix).tolist()
            return Binary(keep_one=one, keep_zero=zero)
        return Custom.of(matrix)


def tidy(theta: Vector) -> Vector:
    """θ with what is negative or negligible set to 0: a ruled-out answer is then truly so."""
    return np.where(theta < _NEGLIGIBLE, 0.0, theta)


class LinearShape(Shape):
    """``P = I + Σ_j θ_j E_j``."""

    def __init__(self, k: int, directions: Matrix) -> None:
        super().__init__(k)
        self._directions = directions
        self.size = directions.shape[1]

    def matrix(self, theta: Vector) -> Matrix:
        return np.eye(self.k) + np.reshape(self._directions @ theta, (self.k, self.k))

    def slopes(self, theta: Vector) -> Matrix:  # noqa: ARG002
        return self._directions

    def like_uniform(self, keep: float) -> Vector:
        return np.full(self.size, (1 - keep) / (self.k - 1))


class SymmetricShape(LinearShape):
    """All symmetric matrices: θ are the entries above the diagonal."""

    def __init__(self, k: int) -> None:
        row, column = np.triu_indices(k, 1)
        directions = np.zeros((k, k, len(row)))
        each = np.arange(len(row))
        directions[row, column, each] = directions[column, row, each] = 1
        directions[row, row, each] = directions[column, column, each] = -1
        super().__init__(k, directions.reshape(k * k, -1))

    def like(self, matrix: Matrix) -> Vector | None:
        symmetric = np.abs(matrix - matrix.T).max() < _NEGLIGIBLE
        return matrix[np.triu_indices(self.k, 1)] if symmetric else None


class AnyShape(LinearShape):
    """All matrices: θ are the entries beside the diagonal."""

    def __init__(self, k: int) -> None:
        row, column = np.nonzero(~np.eye(k, dtype=bool))
        directions = np.zeros((k, k, len(row)))
        each = np.arange(len(row))
        directions[row, column, each] = 1
        directions[column, column, each] = -1
        super().__init__(k, directions.reshape(k * k, -1))

    def like(self, matrix: Matrix) -> Vector | None:
        return matrix[~np.eye(self.k, dtype=bool)]


class RankOneShape(Shape):
    """Symmetric with ``P[i, j] = θ_i θ_j`` beside the diagonal: k numbers for many values."""

    def __init__(self, k: int) -> None:
        super().__init__(k)
        self.size = k
        self._beside = 1 - np.eye(k)

    def matrix(self, theta: Vector) -> Matrix:
        matrix = np.outer(theta, theta) * self._beside
        np.fill_diagonal(matrix, 1 - matrix.sum(axis=0))
        return np.asarray(matrix)

    def slopes(self, theta: Vector) -> Matrix:
        """``∂P[i, j]/∂θ_i = θ_j`` beside the diagonal, and its opposite on it."""
        k = self.k
        slopes = np.zeros((k, k, k))
        each = np.arange(k)
        spread = np.tile(theta, (k, 1)) * self._beside
        slopes[each[:, None], each[None, :], each[:, None]] += spread
        slopes[each[None, :], each[:, None], each[:, None]] += spread
        slopes[each, each, :] = 0
        slopes[each, each, :] = -slopes.sum(axis=0)
        return np.asarray(slopes.reshape(k * k, k))

    def like_uniform(self, keep: float) -> Vector:
        return np.full(self.k, np.sqrt((1 - keep) / (self.k - 1)))


class BandShape(Shape):
    """Ordinal matrices: θ are the weights of the neighbours, ``1 - 2 Σ θ`` that of keeping."""

    def __init__(self, k: int, *, loop: bool, reach: int) -> None:
        super().__init__(k)
        self.size = reach
        self.loop = loop
        distance = np.abs(np.arange(k)[:, None] - np.arange(k)[None, :])
        if loop:
            distance = np.minimum(distance, k - distance)
        bands = [(distance == step) - 2.0 * np.eye(k) for step in range(1, reach + 1)]
        self._bands = np.stack(bands, axis=-1)

    def matrix(self, theta: Vector) -> Matrix:
        """The weights by distance, every column brought to sum 1."""
        return np.asarray(self._weights(theta) / self._totals(theta))

    def _weights(self, theta: Vector) -> Matrix:
        weights: Matrix = np.eye(self.k) + self._bands @ theta
        return weights

    def _totals(self, theta: Vector) -> Vector:
        # A search may try weights whose column is empty; it turns back by itself.
        return np.asarray(np.maximum(self._weights(theta).sum(axis=0), _NEGLIGIBLE))

    def slopes(self, theta: Vector) -> Matrix:
        totals = self._totals(theta)
        matrix = self._weights(theta) / totals
        moved = self._bands - matrix[:, :, None] * self._bands.sum(axis=0)[None, :, :]
        return np.asarray((moved / totals[None, :, None]).reshape(self.k**2, -1))

    def like_uniform(self, keep: float) -> Vector:
        return np.full(self.size, (1 - keep) / (2 * self.size))

    def perturbation(self, theta: Vector, attribute: Attribute) -> Perturbation:  # noqa: ARG002
        """The weights, those at the end that are 0 left out."""
        used = np.flatnonzero(theta)
        last = int(used[-1]) + 1 if len(used) else 0
        kept = tidy(np.array([1 - 2 * theta.sum()]))
        return Ordinal(weights=(*kept.tolist(), *theta[:last].tolist()), loop=self.loop)


def shapes_of(family: str, k: int) -> list[Shape]:
    """The shapes that a family of matrices of k values is searched through, small ones first.

    A ring is a symmetric matrix and a symmetric one is any matrix, so that what was found among
    the few is a start among the many.
    """
    if k <= 2:
        # Only one number is free in a symmetric matrix, and the uniform family has it.
        return [AnyShape(k)] if family == "any" else []
    reach = min((k - 1) // 2, MOST_REACH)
    ring = BandShape(k, loop=True, reach=reach)
    if family == "ordinal":
        return [BandShape(k, loop=False, reach=reach), ring]
    if family == "symmetric":
        return [ring, SymmetricShape(k)] if k <= FULL else [RankOneShape(k)]
    if family == "any":
        return shapes_of("symmetric", k) + ([AnyShape(k)] if k <= FULL_ANY else [])
    return []
