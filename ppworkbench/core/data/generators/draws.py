"""Random numbers made of uniform ones by inverting the distribution function.

Generators draw uniform doubles only. Numpy may change how its other samplers work from one
version to the next; inverted uniforms stay what they are, and so do the shipped samples.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

Doubles = NDArray[np.float64]


def exponential(u: Doubles) -> Doubles:
    """Exponential numbers with mean 1.

    >>> exponential(np.array([0.0])).tolist()
    [0.0]
    """
    return np.asarray(-np.log1p(-u) + 0.0, np.float64)


def normal(u: Doubles) -> Doubles:
    """Standard normal numbers; u = 0 is moved to the smallest number that is not 0."""
    return np.asarray(special.ndtri(np.maximum(u, 2.0**-54)), np.float64)


def poisson(u: Doubles, mean: float) -> NDArray[np.int64]:
    """Poisson numbers of that mean: the smallest k with F(k) above u.

    >>> poisson(np.array([0.1, 0.5, 0.9]), 1.0).tolist()
    [0, 1, 2]
    """
    # Beyond this k, F differs from 1 by less than the finest step of u.
    last = int(mean + 10 * np.sqrt(mean) + 40)
    cumulative = special.pdtr(np.arange(last), mean)
    return np.searchsorted(cumulative, u, side="right").astype(np.int64)


def choice(u: Doubles, weights: ArrayLike) -> NDArray[np.int64]:
    """Positions drawn by their weights.

    ``weights`` is one row for all draws or one row per draw; rows need not sum to 1.

    >>> choice(np.array([0.2, 0.8]), [1, 1]).tolist()
    [0, 1]
    """
    cumulative = np.cumsum(np.asarray(weights, np.float64), axis=-1)
    steps = cumulative[..., :-1] / cumulative[..., -1:]
    if steps.ndim == 1:
        return np.searchsorted(steps, u, side="right").astype(np.int64)
    return np.asarray((u[:, None] >= steps).sum(axis=1), np.int64)


def choice_by_group(u: Doubles, group: NDArray[np.int64], weights: Doubles) -> NDArray[np.int64]:
    """Positions drawn by the weights of each draw's group, one row of weights per group.

    >>> choice_by_group(np.array([0.5, 0.5]), np.array([0, 1]), np.eye(2)).tolist()
    [0, 1]
    """
    drawn = np.empty(len(u), np.int64)
    for number, row in enumerate(weights):
        members = group == number
        drawn[members] = choice(u[members], row)
    return drawn


def grades(latent: Doubles, cuts: ArrayLike) -> NDArray[np.int64]:
    """The step of an ordinal answer: how many cuts the latent number reaches.

    >>> grades(np.array([-2.0, 0.0, 2.0]), [-1, 1]).tolist()
    [0, 1, 2]
    """
    return np.searchsorted(np.asarray(cuts, np.float64), latent, side="right").astype(np.int64)
