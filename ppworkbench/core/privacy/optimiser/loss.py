"""The expected information loss of a P-matrix with its gradient."""

from __future__ import annotations

import math

import numpy as np

from ppworkbench.core.privacy.utility.estimator import Matrix, Vector, factor
from ppworkbench.core.privacy.utility.expected_loss import expected_information_loss

_HOPELESS = 1e9
_SMOOTH = 1e-12
"""Added to variances: the root of one that is 0 has no slope."""


def information_loss(matrix: Matrix, shares: Vector, n: int) -> float:
    """The loss that a frontier shows; infinite for a singular matrix."""
    return expected_information_loss(factor(matrix), shares, n)


def summed_errors(matrix: Matrix, shares: Vector) -> tuple[float, Matrix]:
    """``Σ_i sqrt(var_i)`` for one respondent and its gradient with respect to P.

    The expected information loss is ``½ sqrt(2/(π n))`` times this sum. With ``B = P⁻¹``,
    ``z = P x`` and ``var_i = Σ_r B_ir² z_r - x_i²``, a change dP moves B by ``-B dP B`` and z by
    ``dP x``.

    Examples
    --------
    >>> value, slope = summed_errors(np.array([[0.7, 0.3], [0.3, 0.7]]), np.array([0.9, 0.1]))
    >>> round(value, 4), slope.shape
    (2.3685, (2, 2))
    """
    try:
        inverse = np.linalg.inv(matrix)
    except np.linalg.LinAlgError:
        return _HOPELESS, np.zeros_like(matrix)
    z = matrix @ shares
    squares = inverse * inverse
    variances = squares @ z - shares * shares
    errors = np.sqrt(np.maximum(variances, 0.0) + _SMOOTH)
    total = float(errors.sum())
    if not math.isfinite(total) or total > _HOPELESS:
        return _HOPELESS, np.zeros_like(matrix)
    weight = 0.5 / errors
    moved = weight[:, None] * inverse * z
    slope = -2 * inverse.T @ moved @ inverse.T + np.outer(weight @ squares, shares)
    return total, slope
