"""Newton's method with halved steps, and with a detour where the likelihood is not concave."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from ppworkbench.core.arrays import Numbers

MOST_ITERATIONS = 200
_HALVINGS = 40
_SMALL = 1e-11
FAR_AWAY = 15.0
"""Linear predictors beyond are probabilities of 0 or 1: a sign of separation."""


@dataclass(frozen=True, eq=False)
class Evaluation:
    """A log-likelihood at some parameters, with its derivatives.

    ``farthest`` is the largest linear predictor on any row, in size; 0 where large ones mean
    nothing.
    """

    value: float
    score: Numbers
    information: Numbers
    farthest: float = 0.0


@dataclass(frozen=True, eq=False)
class Maximum:
    """Where the search ended.

    ``separated`` says that the likelihood still rose while predictors ran away.
    """

    theta: Numbers
    evaluation: Evaluation
    iterations: int
    converged: bool
    separated: bool


def maximise(
    evaluate: Callable[[Numbers], Evaluation], start: Numbers, most: int = MOST_ITERATIONS
) -> Maximum:
    """Climb until a further step would gain next to nothing."""
    theta, here = start, evaluate(start)
    running = 0
    for done in range(1, most + 1):
        step = _direction(here)
        gain = float(here.score @ step)
        limit = _SMALL * max(1.0, abs(here.value) * 1e-6)
        if not math.isfinite(gain) or gain < limit:
            finished = math.isfinite(gain)
            return Maximum(theta, here, done - 1, finished, here.farthest > FAR_AWAY)
        length = 1.0
        for _ in range(_HALVINGS):
            there = evaluate(theta + length * step)
            # Rounding in the sum of many logarithms may hide the last small gains.
            if there.value >= here.value - 1e-12 * abs(here.value):
                break
            length /= 2
        else:
            return Maximum(theta, here, done, gain < 1e-6, here.farthest > FAR_AWAY)
        theta, here = theta + length * step, there
        running = running + 1 if here.farthest > FAR_AWAY else 0
        if running >= 12:
            # Each step takes such predictors about 1 further, for ever.
            return Maximum(theta, here, done, converged=True, separated=True)
    return Maximum(theta, here, most, converged=False, separated=here.farthest > FAR_AWAY)


def _direction(here: Evaluation) -> Numbers:
    """The Newton step; where curvature is missing or wrong, one that climbs all the same."""
    scale = np.sqrt(np.maximum(np.abs(np.diag(here.information)), 1e-12))
    scaled = here.information / np.outer(scale, scale)
    try:
        factor = cho_factor(scaled)
        if np.abs(np.diag(factor[0])).min() > 1e-6:
            return np.asarray(cho_solve(factor, here.score / scale) / scale)
    except np.linalg.LinAlgError:
        pass
    except ValueError:
        return np.full(len(scale), math.nan)
    values, vectors = np.linalg.eigh(scaled)
    # A direction of wrong curvature is followed as far as its size says, a flat one not far.
    sizes = np.where(values > 1e-10, values, np.maximum(np.abs(values), 1e-4))
    step = vectors @ ((vectors.T @ (here.score / scale)) / sizes)
    longest = float(np.abs(step).max(initial=0.0))
    return np.asarray(step / scale * min(1.0, 20.0 / max(longest, 1e-300)))
