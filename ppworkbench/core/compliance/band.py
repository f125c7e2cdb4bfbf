"""How far an estimate could be off where nothing shows who follows: a band, not a number."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.compliance.classes import Estimate, summed_share
from ppworkbench.core.data.sampling_roles import AUTO
from ppworkbench.core.reconstruct.pooled import Arm, fit_shares
from ppworkbench.core.score_intervals import Contributions
from ppworkbench.core.share_intervals import line_between, share_interval

TRUTH, SAFE, RANDOM, OTHER = "truth", "safe", "random", "other"
BEHAVIOURS = (TRUTH, SAFE, RANDOM)
"""People who tell the truth whatever the device says, who say the safe answer, or anything.

Those who always say the other one of two answers are offered where the safe one explains nothing.
"""
_STEPS, _POOLED_STEPS = 400, 24
"""Of a search for a share; pooled arms are fitted anew at each, and change slowly."""
_ROUNDING = 1e-12
Range = tuple[float, float]
"""The smallest and the largest share of people who do not follow."""


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
    always = safe if behaviour == SAFE else int(safe == 0)
    column = np.full(k, 1 / k) if behaviour == RANDOM else np.eye(k)[always]
    return np.repeat(column[:, None], k, axis=1)


def corrected(
    arms: Arm | Sequence[Arm], behaviour: Numbers, share: float, sensitive: Sequence[int]
) -> tuple[float, float]:
    """The share of the sensitive values and its standard error; NaN where reports say nothing.

    Of one arm by inversion, which may leave 0 to 1; of several by their common likelihood.
    """
    mixed = [_mixed(arm, behaviour, share) for arm in _listed(arms)]
    if is_silent(mixed):
        return math.nan, math.nan
    if len(mixed) > 1:
        fitted = fit_shares(mixed)
        chosen = np.zeros(len(fitted.shares))
        chosen[list(sensitive)] = 1.0
        variance = float(chosen @ fitted.covariance @ chosen)
        error = math.nan if fitted.is_on_boundary else math.sqrt(max(variance, 0.0))
        return float(chosen @ fitted.shares), error
    weights = np.linalg.inv(mixed[0].matrix)[list(sensitive)].sum(axis=0)
    reported = mixed[0].counts / mixed[0].n
    variance = float(weights @ mixed[0].share_covariance @ weights)
    return float(weights @ reported), math.sqrt(max(variance, 0.0))


def is_silent(arms: Sequence[Arm]) -> bool:
    """Whether different true shares give the same reports in all arms."""
    return bool(np.linalg.cond(np.vstack([arm.matrix for arm in arms])) > 1e12)


def _listed(arms: Arm | Sequence[Arm]) -> Sequence[Arm]:
    return [arms] if isinstance(arms, Arm) else arms


def _mixed(arm: Arm, behaviour: Numbers, share: float) -> Arm:
    return arm.with_matrix((1 - share) * arm.matrix + share * behaviour)


def band(
    arms: Arm | Sequence[Arm],
    safe: int,
    sensitive: Sequence[int],
    shares: Sequence[float],
    factor: float,
    behaviours: Iterable[str] = BEHAVIOURS,
) -> tuple[BandPoint, ...]:
    return tuple(
        band_point(arms, behaviour, safe, sensitive, share, factor)
        for behaviour in behaviours
        for share in shares
    )


def band_point(
    arms: Arm | Sequence[Arm], behaviour: str, safe: int, sensitive: Sequence[int], share: float,
    factor: float,
) -> BandPoint:  # fmt: skip
    given = _listed(arms)
    matrix = behaviour_matrix(behaviour, len(given[0].counts), safe)
    mixed = [_mixed(arm, matrix, share) for arm in given]
    if not is_silent(mixed):
        found = plain_share(mixed, sensitive, factor)
        return BandPoint(
            share, behaviour, found.estimate, found.low, found.high, found.standard_error
        )
    return BandPoint(share, behaviour, *[math.nan] * 4)


def plain_share(arms: Sequence[Arm], sensitive: Sequence[int], factor: float) -> Estimate:
    """The share of the sensitive values by arms that all follow, with the interval of any share.

    Of one arm by inversion, which may leave 0 to 1; of several by their common likelihood.
    """
    if len(arms) > 1:
        return summed_share(fit_shares(arms), sensitive, factor)
    (arm,) = arms
    weights = np.zeros(len(arm.counts))
    weights[list(sensitive)] = 1.0
    slope = np.asarray(np.linalg.solve(arm.matrix.T, weights), np.float64)
    estimate, error = float(slope @ (arm.counts / arm.n)), _error(arm, slope, weights)
    shares = np.linalg.solve(arm.matrix, arm.counts / arm.n)
    squares, cubes = arm.matrix.T @ slope**2, arm.matrix.T @ slope**3
    ends = share_interval(
        AUTO, estimate, error, factor, line=line_between(slope), size=arm.n,
        contributions=Contributions.of(shares, squares, cubes, weights > 0),
    )  # fmt: skip
    return Estimate(estimate, error, ends.low, ends.high)


def _error(arm: Arm, slope: Numbers, weights: Numbers) -> float:
    variance = float(slope @ arm.share_covariance @ slope)
    if arm.sampled is None and arm.n > 1:
        # Few answers may vary less than the device makes them vary at least.
        least = float((arm.matrix.T @ slope**2 - weights).min()) / arm.n
        variance = max(variance * arm.n / (arm.n - 1), least)
    return math.sqrt(max(variance, 0.0))


def possible_shares(arms: Arm | Sequence[Arm], behaviour: str, safe: int) -> Range | None:
    """The shares of people who do not follow with which all corrected shares are possible.

    The smallest is 0 unless even everybody following gives an impossible share; the largest is 1
    where nothing limits it. None where such people explain the reports in no number.
    """
    given = _listed(arms)
    matrix = behaviour_matrix(behaviour, len(given[0].counts), safe)

    def is_possible(share: float) -> bool:
        mixed = [_mixed(arm, matrix, share) for arm in given]
        if is_silent(mixed):
            return False
        if len(mixed) > 1:
            # Several arms have no exact solution; at the bound there is nothing left to give.
            return not fit_shares(mixed).is_on_boundary
        found = np.linalg.solve(mixed[0].matrix, mixed[0].counts / mixed[0].n)
        return bool(found.min() >= -_ROUNDING and found.max() <= 1 + _ROUNDING)

    grid = np.linspace(0.0, 1.0, _steps(given) + 1).tolist()
    first = next((place for place, share in enumerate(grid) if is_possible(share)), None)
    if first is None:
        return None
    halvings = 60 if len(given) == 1 else 14
    smallest = grid[first]
    if first:
        smallest = _turning_point(is_possible, grid[first], grid[first - 1], halvings)
    for place in range(first, len(grid) - 1):
        if not is_possible(grid[place + 1]):
            return smallest, _turning_point(is_possible, grid[place], grid[place + 1], halvings)
    return smallest, 1.0


def possible_ranges(arms: Arm | Sequence[Arm], safe: int) -> dict[str, Range | None]:
    found = {behaviour: possible_shares(arms, behaviour, safe) for behaviour in BEHAVIOURS}
    if found[SAFE] is None and len(_listed(arms)[0].counts) == 2:
        found[OTHER] = possible_shares(arms, OTHER, safe)
    return found


def _steps(arms: Sequence[Arm]) -> int:
    return _STEPS if len(arms) == 1 else _POOLED_STEPS


def reaching(
    arms: Arm | Sequence[Arm], behaviour: str, safe: int, sensitive: Sequence[int], wanted: float
) -> float | None:
    """The smallest share of people who do not follow that brings the estimate to a value."""
    given = _listed(arms)
    matrix = behaviour_matrix(behaviour, len(given[0].counts), safe)
    span = possible_shares(given, behaviour, safe)
    if span is None:
        return None
    steps = _steps(given)
    ends = np.linspace(*span, steps + 1)
    apart = [corrected(given, matrix, float(share), sensitive)[0] - wanted for share in ends]
    for place in range(steps):
        first, second = apart[place], apart[place + 1]
        if first == 0:
            return float(ends[place])
        if math.isfinite(second) and first * second <= 0:
            found = brentq(
                lambda share: corrected(given, matrix, share, sensitive)[0] - wanted,
                ends[place], ends[place + 1], xtol=1e-12,
            )  # fmt: skip
            return float(found)
    return None


def _turning_point(
    is_possible: Callable[[float], bool], inside: float, outside: float, halvings: int
) -> float:
    for _ in range(halvings):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if is_possible(middle) else (inside, middle)
    return inside
