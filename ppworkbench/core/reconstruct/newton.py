"""Newton steps on the support: the shortest way to the likeliest distribution, when it works.

The solution of the equations, projected on the simplex, is nearly the maximum-likelihood estimate,
and mostly has its support. A few Newton steps on the entries that are not 0, each cut off at 0,
then lead to it. Whether they did is certain from the gradient; where they did not, the caller takes
the safe way (:mod:`ppworkbench.core.reconstruct.interior_point`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

Numbers = NDArray[np.float64]

_MOST_STEPS = 12
_SHORTEST = 1e-4


@dataclass(frozen=True, eq=False)
class Path:
    """Estimates from the start to the end, and how much the mean log-likelihood may still grow."""

    estimates: tuple[Numbers, ...]
    gap: float


def climb(matrix: Numbers, shares: Numbers, start: Numbers, tolerance: float) -> Path | None:
    """Go to the largest ``sum_s z_s log (A x)_s - sum_p x_p`` over x >= 0; None if that fails.

    All shares must be positive. The maximum sums to 1 by itself.
    """
    x = start
    fitted = matrix @ x
    if np.any(fitted <= 0):
        return None
    value = _value(x, fitted, shares)
    path = [x]
    for _ in range(_MOST_STEPS):
        gradient = matrix.T @ (shares / fitted)
        gap = max(float(gradient.max()) - 1, float(np.abs(x * (gradient - 1)).max()))
        if gap <= tolerance:
            return Path(tuple(path), gap)
        step = _step(matrix, shares, fitted, gradient, (x > 0) | (gradient > 1))
        moved = None if step is None else _walk(matrix, shares, x, value, step)
        if moved is None:
            return None
        x, fitted, value = moved
        path.append(x)
    return None


def _value(x: Numbers, fitted: Numbers, shares: Numbers) -> float:
    return float(shares @ np.log(fitted)) - float(x.sum())


def _step(
    matrix: Numbers,
    shares: Numbers,
    fitted: Numbers,
    gradient: Numbers,
    free: NDArray[np.bool_],
) -> Numbers | None:
    part = matrix[:, free] * (np.sqrt(shares) / fitted)[:, None]
    try:
        factor = cho_factor(part.T @ part, check_finite=False)
    except LinAlgError:
        return None
    step = np.zeros(len(gradient))
    step[free] = cho_solve(factor, gradient[free] - 1, check_finite=False)
    return step if np.isfinite(step).all() else None


def _walk(
    matrix: Numbers, shares: Numbers, x: Numbers, value: float, step: Numbers
) -> tuple[Numbers, Numbers, float] | None:
    length = 1.0
    while length > _SHORTEST:
        y = np.maximum(x + length * step, 0.0)
        fitted = matrix @ y
        if np.all(fitted > 0):
            reached = _value(y, fitted, shares)
            if reached >= value:
                return y, fitted, reached
        length /= 2
    return None
