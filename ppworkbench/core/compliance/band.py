"""How far an estimate could be off where nothing shows who follows: a band, not a number."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.reconstruct.pooled import Arm

TRUTH, SAFE, RANDOM = "truth", "safe", "random"
BEHAVIOURS = (TRUTH, SAFE, RANDOM)
"""People who tell the truth whatever the device says, who say the safe answer, or anything."""
_STEPS = 400


@dataclass(frozen=True)
class BandPoint:
    """The corrected share if so many do not follow."""

    share: float
    behaviour: str
    estimate: float
    low: float
    high: float
    standard_error: float


def behaviour_matrix(behaviour: str, k: int, safe: int) -> Numbers:
    """What people who do not follow report, by their true value."""
    if behaviour == TRUTH:
        return np.eye(k)
    column = np.full(k, 1 / k) if behaviour == RANDOM else np.eye(k)[safe]
    return np.repeat(column[:, None], k, axis=1)


def corrected(
    arm: Arm, behaviour: Numbers, share: float, sensitive: Sequence[int]
) -> tuple[float, float]:
    """The share of the sensitive values and its standard error; NaN where reports say nothing."""
    matrix = (1 - share) * arm.matrix + share * behaviour
    if np.linalg.cond(matrix) > 1e12:
        return math.nan, math.nan
    weights = np.linalg.inv(matrix)[list(sensitive)].sum(axis=0)
    reported = arm.counts / arm.n
    estimate = float(weights @ reported)
    return estimate, math.sqrt(max(float(weights**2 @ reported) - estimate**2, 0.0) / arm.n)


def band(
    arm: Arm, safe: int, sensitive: Sequence[int], shares: Sequence[float], factor: float
) -> tuple[BandPoint, ...]:
    """The estimate over the share of people who do not follow, for each behaviour."""
    found = []
    for behaviour in BEHAVIOURS:
        matrix = behaviour_matrix(behaviour, len(arm.counts), safe)
        for share in shares:
            estimate, error = corrected(arm, matrix, share, sensitive)
            reach = factor * error
            found.append(
                BandPoint(share, behaviour, estimate, estimate - reach, estimate + reach, error)
            )
    return tuple(found)


def largest_share(arm: Arm, behaviour: str, safe: int) -> float:
    """The largest share of people who do not follow with which all corrected shares are possible.

    0 where even everybody following gives an impossible share; 1 where nothing limits it.
    """
    matrix = behaviour_matrix(behaviour, len(arm.counts), safe)

    def least(share: float) -> float:
        mixed = (1 - share) * arm.matrix + share * matrix
        if np.linalg.cond(mixed) > 1e12:
            return -math.inf
        found = np.linalg.solve(mixed, arm.counts / arm.n)
        return float(min(found.min(), 1 - found.max()))

    return _first_root(least, 0.0)


def reaching(
    arm: Arm, behaviour: str, safe: int, sensitive: Sequence[int], wanted: float
) -> float | None:
    """The smallest share of people who do not follow that brings the estimate to a value."""
    matrix = behaviour_matrix(behaviour, len(arm.counts), safe)
    most = largest_share(arm, behaviour, safe)
    ends = np.linspace(0.0, most, _STEPS + 1)
    apart = [corrected(arm, matrix, float(share), sensitive)[0] - wanted for share in ends]
    for place in range(_STEPS):
        first, second = apart[place], apart[place + 1]
        if first == 0:
            return float(ends[place])
        if math.isfinite(second) and first * second <= 0:
            found = brentq(
                lambda share: corrected(arm, matrix, share, sensitive)[0] - wanted,
                ends[place], ends[place + 1], xtol=1e-12,
            )  # fmt: skip
            return float(found)
    return None


def _first_root(least: Callable[[float], float], start: float) -> float:
    if least(start) < 0:
        return start
    grid = np.linspace(start, 1.0, _STEPS + 1)
    for place in range(_STEPS):
        if least(float(grid[place + 1])) < 0:
            low, high = float(grid[place]), float(grid[place + 1])
            for _ in range(60):
                middle = (low + high) / 2
                low, high = (middle, high) if least(middle) >= 0 else (low, middle)
            return low
    return 1.0
