"""EQ: solve the system of equations Z = P X."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.design.matrices.base import condition_number
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.reconstruct.channel import NUMBERS, VALUES, CountedChannel
from ppworkbench.core.reconstruct.estimator import Estimator, Fit, estimators
from ppworkbench.core.reconstruct.simplex import project
from ppworkbench.core.reconstruct.stopping import StopRule

Numbers = NDArray[np.float64]


@estimators.register("eq", "EQ, system of equations")
@dataclass(frozen=True)
class Eq(Estimator):
    """``x = P^-1 z``: unbiased, but entries may be negative.

    The raw solution is kept for sums and intervals; its Euclidean projection on the simplex is
    the distribution. A solution without negative entries is the maximum-likelihood estimate.
    A singular P has no inverse; the pseudo-inverse gives the shortest of all solutions.

    References
    ----------
    P. Andruszkiewicz (2008), "Probability distribution reconstruction for nominal attributes in
    privacy preserving classification", ICHIT.
    """

    name: ClassVar[str] = "eq"
    serves: ClassVar[frozenset[str]] = frozenset({VALUES, NUMBERS})

    def fit(
        self,
        counted: CountedChannel,
        stop: StopRule | None = None,  # noqa: ARG002 (nothing is iterated)
        seed: int = 0,  # noqa: ARG002
        progress: Progress = silent,
    ) -> Fit:
        """Solve, then project."""
        if not counted.is_square:
            name = counted.attribute.name
            raise ParameterError(
                f"Attribute {name!r} has {len(counted.counts)} distorted cells for {counted.k} "
                "original ones, which EQ cannot solve; use 'smooth' or 'em'.",
                attribute=name,
                field="algorithm",
            )
        progress(0.0, "solving")
        raw = solve(counted.matrix, counted.shares)
        probability = project(raw)
        progress(1.0, "solved")
        return Fit(probability, raw, counted.matrix, counted.usable)


def solve(matrix: Numbers, shares: Numbers) -> Numbers:
    """``P^-1 z`` along the last axis, by the pseudo-inverse where P is singular."""
    if not np.any(shares):
        return np.full(shares.shape, 1 / shares.shape[-1])
    if np.array_equal(matrix, np.eye(len(matrix))):
        return shares.copy()
    solved = np.asarray(shares @ inverse(matrix).T)
    # Outside the range of a singular P the sum is off; an inverse keeps it at 1.
    return np.asarray(solved + (1 - solved.sum(axis=-1, keepdims=True)) / solved.shape[-1])


def inverse(matrix: Numbers) -> Numbers:
    """The inverse, or the pseudo-inverse of a singular matrix."""
    if np.isfinite(condition_number(matrix)):
        return np.asarray(np.linalg.inv(matrix), np.float64)
    return np.asarray(np.linalg.pinv(matrix, rcond=1e-12), np.float64)


def unidentified(matrix: Numbers) -> NDArray[np.bool_]:
    """Which entries of X no amount of data can tell, because P hides them.

    Those are the entries on which a vector of the null space is not zero.
    """
    _, values, rows = np.linalg.svd(matrix)
    null = rows[values <= values[0] * 1e-12] if len(values) else rows
    null = np.concatenate([null, rows[len(values) :]])
    return np.asarray(np.abs(null).max(axis=0, initial=0.0) > 1e-9)
