"""The least lossy matrix of a shape at a privacy level."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy import optimize

from ppworkbench.core.privacy.optimiser.exposure import Exposure
from ppworkbench.core.privacy.optimiser.loss import summed_errors
from ppworkbench.core.privacy.optimiser.shapes import Shape, tidy
from ppworkbench.core.privacy.utility.estimator import Matrix, Vector

_ITERATIONS = 80
_INSIDE = 1e-9


def solve(
    shape: Shape,
    exposure: Exposure,
    level: float,
    start: Vector,
    anchor: Vector,
    check: Callable[[], None] = lambda: None,
) -> Vector | None:
    """θ of the least lossy member found from a start, or None if none is private enough.

    Sequential quadratic programming (Kraft 1988) with exact gradients. What it returns may miss
    the level by a hair; it is then moved towards the anchor until it holds exactly.

    Parameters
    ----------
    anchor
        A member that is private enough.
    check
        Called at every step; it may raise to stop the work.
    """
    size = shape.size
    shares = exposure.shares

    def objective(point: Vector) -> tuple[float, Vector]:
        check()
        theta = point[:size]
        value, slope = summed_errors(shape.matrix(theta), shares)
        by_theta = slope.ravel() @ shape.slopes(theta)
        return value, np.concatenate([by_theta, np.zeros(len(point) - size)])

    def slack(point: Vector) -> Vector:
        matrix = shape.matrix(point[:size])
        return np.concatenate([exposure.slack(matrix, point[size:], level), np.diagonal(matrix)])

    def slack_slopes(point: Vector) -> Matrix:
        theta = point[:size]
        slopes = shape.slopes(theta)
        by_entry, by_helper = exposure.slopes(shape.matrix(theta), level)
        diagonal = slopes[:: shape.k + 1]
        upper = np.hstack([by_entry @ slopes, by_helper])
        lower = np.hstack([diagonal, np.zeros((shape.k, by_helper.shape[1]))])
        return np.vstack([upper, lower])

    first = np.concatenate([start, exposure.helpers(shape.matrix(start))])
    found = optimize.minimize(
        objective,
        first,
        jac=True,
        method="SLSQP",
        bounds=[(0.0, 1.0)] * len(first),
        constraints={"type": "ineq", "fun": slack, "jac": slack_slopes},
        options={"maxiter": _ITERATIONS, "ftol": 1e-9},
    )
    if not np.isfinite(found.x).all():
        return None
    return _repaired(shape, exposure, level, tidy(found.x[:size]), anchor)


def is_member(shape: Shape, exposure: Exposure, level: float, theta: Vector) -> bool:
    """Whether θ is a P-matrix that is private enough."""
    matrix = shape.matrix(theta)
    low = float(matrix.min())
    return math.isfinite(low) and low >= 0 and exposure.holds(matrix, level)


def _repaired(
    shape: Shape, exposure: Exposure, level: float, theta: Vector, anchor: Vector
) -> Vector | None:
    """The point nearest to θ on the way to the anchor that is private enough."""
    if is_member(shape, exposure, level, theta):
        return theta
    if not is_member(shape, exposure, level, anchor):
        return None
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        if is_member(shape, exposure, level, theta + middle * (anchor - theta)):
            high = middle
        else:
            low = middle
        if high - low < _INSIDE:
            break
    return np.asarray(theta + high * (anchor - theta))
