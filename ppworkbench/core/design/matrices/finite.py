"""A P-matrix that rules answers out, mixed with the even answer until its epsilon is finite."""

from __future__ import annotations

import math

import numpy as np

from ppworkbench.core.arrays import Matrix


def mixing_share(matrix: Matrix, epsilon: float) -> float:
    """The largest λ for which ``λ P + (1 - λ) / k`` has at most an epsilon.

    A row with the largest entry M and the smallest m reaches it where
    ``λ (M - e^ε m) = (1 - λ) (e^ε - 1) / k``; the row that does so first decides.

    Parameters
    ----------
    matrix
        A square P-matrix.
    epsilon
        The epsilon that is wanted, above 0.

    Examples
    --------
    >>> from ppworkbench.core.design.matrices.ordinal import Ordinal
    >>> neighbours = Ordinal(weights=(0.6, 0.2)).matrix(5)
    >>> round(mixing_share(neighbours, 1.0), 5), round(mixing_share(neighbours, 2.0), 5)
    (0.31423, 0.63014)
    """
    even = math.expm1(epsilon) / len(matrix)
    beyond = matrix.max(axis=1) - math.exp(epsilon) * matrix.min(axis=1)
    worst = float(beyond.max())
    return 1.0 if worst <= 0 else even / (even + worst)


def mixed_matrix(matrix: Matrix, epsilon: float) -> Matrix:
    """The mixture that has this epsilon; the matrix itself where its own is not larger."""
    share = mixing_share(matrix, epsilon)
    return np.asarray(share * matrix + (1 - share) / len(matrix))
