"""The inverse of a channel, or what takes its place when it is singular."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.design.matrices.base import NEARLY_SINGULAR, condition_number


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
        """Whether there is no inverse."""
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
