"""A Monte Carlo check of the closed forms, on counts and never on records."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ppworkbench.core.privacy.utility.estimator import Estimator, Matrix, Vector

Estimate = Callable[[Matrix], Matrix]
"""Turns rows of distorted shares into rows of estimated shares."""


@dataclass(frozen=True, eq=False)
class Simulated:
    """What many simulated surveys gave.

    ``loss_error`` is the standard error of the mean information loss itself.
    """

    information_loss: float
    loss_error: float
    spread: Vector
    runs: int


def simulate(
    estimator: Estimator,
    shares: Vector,
    n: int,
    generator: np.random.Generator,
    runs: int = 200,
    estimate: Estimate | None = None,
) -> Simulated | None:
    """Draw the counts of whole surveys and estimate from each; None when P is singular.

    The sample of true answers is part of the survey: the loss is the distance between the estimate
    and the population's distribution, as in the closed form. ``estimate`` takes the place of EQ,
    for example to judge EM on the same counts.
    """
    if estimate is None:
        if estimator.left_inverse is None:
            return None
        back = estimator.left_inverse.T

        def estimate(distorted: Matrix) -> Matrix:
            return np.asarray(distorted @ back)

    z = estimator.distorted(shares)
    counts = generator.multinomial(n, z / z.sum(), size=runs)
    estimates = estimate(counts / n)
    losses = 0.5 * np.abs(estimates - shares).sum(axis=1)
    error = float(losses.std(ddof=1) / np.sqrt(runs)) if runs > 1 else 0.0
    return Simulated(float(losses.mean()), error, estimates.std(axis=0), runs)
