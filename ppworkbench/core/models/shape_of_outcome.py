r"""Whether a likelihood reads the effect of a randomised predictor off the shape of the outcome.

A number that depends on a predictor nobody sees is a mixture of normal densities. If its errors are
not normal, the likelihood takes their skewness or flat top for such a mixture: it finds a large
effect, with a small error, where there is none. Inverse weights need means and squares only. With
the influences i of the likelihood and j of the weights, the likelihood stands for a coefficient if

    0.9 <= error by the likelihood / error by the weights <= 1 / 0.9,
    |difference of the estimates| <= error by the weights / 2, and
    (difference of the estimates)^2 <= q sum_i w_i (i - j)^2

with q the 95 % point of chi-square. The first says that shape tells next to nothing: then both
estimates are nearly the same, and what the last leaves unnoticed is small beside the error.

References
----------
J. A. Hausman (1978), Specification tests in econometrics, *Econometrica* 46.

>>> Shape("r", ratio=0.97, apart=0.1, p=0.6).is_read
False
>>> Shape("r", ratio=0.2, apart=0.1, p=0.6).is_read
True
>>> Shape("r", ratio=0.97, apart=2.0, p=0.6).is_read
True
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import chdtrc

from ppworkbench.core.models.estimating import Problem
from ppworkbench.core.models.family import Fitted
from ppworkbench.core.progress import Progress, silent

_LEAST_RATIO = 0.9
_FARTHEST = 0.5
_LEVEL = 0.05


@dataclass(frozen=True)
class Shape:
    """The coefficient of a column for which the likelihood differs most from inverse weights.

    Parameters
    ----------
    ratio
        Its error by the likelihood as a part of that by inverse weights.
    apart
        How many errors by inverse weights both estimates differ by.
    p
        That of the test that both estimate the same.
    """

    column: str
    ratio: float
    apart: float
    p: float

    @property
    def is_read(self) -> bool:
        """Whether what the likelihood says of the coefficient comes from the outcome's shape."""
        is_like = _LEAST_RATIO <= self.ratio <= 1 / _LEAST_RATIO
        return not is_like or self.apart > _FARTHEST or self.p < _LEVEL


def find_shape(
    problem: Problem, by_likelihood: Fitted, by_weights: Fitted, progress: Progress = silent
) -> Shape:
    """Compare both fits coefficient by coefficient; the most doubtful one is returned."""
    likelihood = problem.likelihood
    size = likelihood.coefficients
    # Weights of a sampling add up to a population, of which only so many people were asked.
    unit = float(likelihood.weights.sum()) / problem.n
    weights = likelihood.weights
    ours, theirs = by_likelihood.influence[:, :size], by_weights.influence[:, :size]
    progress(0.0, "fitting")
    apart = np.abs(by_likelihood.theta[:size] - by_weights.theta[:size])
    differs = np.sqrt(unit * (weights @ (ours - theirs) ** 2))
    own = np.sqrt(unit * (weights @ theirs**2))
    # The error that is printed, or the sandwich if that is smaller.
    stated = np.minimum(weights @ ours**2, np.maximum(np.diag(by_likelihood.inverse)[:size], 0.0))
    stated = np.sqrt(unit * stated)
    found = []
    for place, label in enumerate(likelihood.coding.labels):
        error = max(float(own[place]), 1e-300)
        statistic = (float(apart[place]) / max(float(differs[place]), 1e-9 * error)) ** 2
        names = {name for name, _ in likelihood.coding.columns[place]}
        # The error of what is seen says little of what is not.
        is_hidden = bool(names & set(problem.distorted))
        ratio = float(stated[place]) / error if is_hidden else 1.0
        found.append(
            Shape(str(label), ratio, float(apart[place]) / error, float(chdtrc(1, statistic)))
        )
    return max(found, key=lambda one: (one.is_read, abs(math.log(max(one.ratio, 1e-9))), one.apart))
