"""The unbiased estimate of shares from distorted answers, factored once for all readouts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Matrix

Vector = NDArray[np.float64]

SINGULAR = 1e-14
"""A singular value this much smaller than the largest is rounding error: no inverse exists."""

_LARGE = 50
"""Values from which on a decomposition takes longer than to look whether it was done before."""

_LEAST_WEIGHTED = 1e-9
"""Outcomes rarer than this get no more weight: they never occur in a survey of any size."""


@dataclass(frozen=True, eq=False)
class Estimator:
    """The linear estimate ``B ẑ`` with ``B P = I``, and what its noise is.

    ``P[r, c]`` is the probability that the true value c becomes r, ẑ the shares of the distorted
    answers. A square P has one such B, its inverse (the estimate EQ). Where more outcomes
    are told apart than values are asked for, B is the best one, ``(P' D⁻¹ P)⁻¹ P' D⁻¹`` with
    ``D = diag(z)``: weighted least squares, as exact as maximum likelihood for many respondents.

    ``left_inverse`` is B, or None when P is singular and no unbiased estimate exists.
    """

    matrix: Matrix
    left_inverse: Matrix | None
    condition: float

    @property
    def is_singular(self) -> bool:
        """Whether different distributions of answers give the same distorted ones."""
        return self.left_inverse is None

    def distorted(self, shares: Vector) -> Vector:
        """``z = P x``: the expected shares of the distorted answers."""
        z: Vector = self.matrix @ shares
        return z

    def variances(self, shares: Vector, distorted: Vector | None = None) -> Vector:
        """The variance of every estimated share for one respondent; n respondents divide it.

        The diagonal of ``B (diag(z) - z z') B'``. ``distorted`` replaces z where the answers were
        not given as P says.
        """
        if self.left_inverse is None:
            return np.full(len(shares), math.inf)
        if distorted is None:
            z, mean = self.matrix @ shares, shares
        else:
            z, mean = distorted, self.left_inverse @ distorted
        spread: Vector = (self.left_inverse * self.left_inverse) @ z
        # Rounding leaves a share that cannot vary a few ulps below zero, or above.
        spread -= mean * mean
        spread[spread < 1e-15] = 0.0
        return spread

    def variance_of_sum(self, places: Sequence[int], distorted: Vector) -> float:
        """The variance, for one respondent, of the summed shares of some values.

        ``a' (diag(z) - z z') a`` with ``a`` the sum of these rows of B.
        """
        if self.left_inverse is None:
            return math.inf
        weights = self.left_inverse[list(places)].sum(axis=0)
        spread = float(weights**2 @ distorted - (weights @ distorted) ** 2)
        return spread if spread >= 1e-15 else 0.0

    def covariance(self, shares: Vector) -> Matrix | None:
        """``B (diag(z) - z z') B'``, the covariance for one respondent."""
        if self.left_inverse is None:
            return None
        z = self.matrix @ shares
        return np.asarray((self.left_inverse * z) @ self.left_inverse.T - np.outer(shares, shares))


def factor(matrix: Matrix, shares: Vector | None = None) -> Estimator:
    """Factor a channel by one singular value decomposition.

    Parameters
    ----------
    matrix
        A P-matrix, or a channel with more outcomes than values.
    shares
        The expected shares of the values, which weigh the outcomes of a channel that is not
        square; even shares if not given.

    Examples
    --------
    >>> warner = factor(np.array([[0.7, 0.3], [0.3, 0.7]]))
    >>> round(warner.condition, 3)
    2.5
    >>> warner.variances(np.array([0.9, 0.1])).round(4).tolist()
    [1.4025, 1.4025]
    """
    outcomes, k = matrix.shape
    if outcomes < k:
        return Estimator(matrix, None, math.inf)
    if outcomes == k and k < _LARGE:
        return _factor_square(matrix)
    if outcomes == k:
        return _factor_remembered(np.ascontiguousarray(matrix, np.float64).tobytes(), k)
    return _factor_tall(matrix, np.full(k, 1 / k) if shares is None else shares)


def _factor_square(matrix: Matrix) -> Estimator:
    u, sizes, vt = np.linalg.svd(matrix)
    if sizes[-1] <= sizes[0] * SINGULAR:
        return Estimator(matrix, None, math.inf)
    inverse: Matrix = (vt.T / sizes) @ u.T
    return Estimator(matrix, inverse, float(sizes[0] / sizes[-1]))


@lru_cache(maxsize=4)
def _factor_remembered(content: bytes, k: int) -> Estimator:
    """A large matrix is factored once, although several parts of a page ask for it."""
    found = _factor_square(np.frombuffer(content).reshape(k, k))
    if found.left_inverse is not None:
        found.left_inverse.flags.writeable = False
    return found


def _factor_tall(matrix: Matrix, shares: Vector) -> Estimator:
    sizes = np.linalg.svd(matrix, compute_uv=False)
    condition = float(sizes[0] / sizes[-1]) if sizes[-1] > sizes[0] * SINGULAR else math.inf
    root = np.sqrt(np.maximum(matrix @ shares, _LEAST_WEIGHTED))
    u, scaled, vt = np.linalg.svd(matrix / root[:, None], full_matrices=False)
    if math.isinf(condition) or scaled[-1] <= scaled[0] * SINGULAR:
        return Estimator(matrix, None, math.inf)
    inverse: Matrix = (vt.T / scaled) @ u.T / root
    return Estimator(matrix, inverse, condition)
