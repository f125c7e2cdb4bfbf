"""The original distribution of an attribute in every class, all classes at once.

Classes have far fewer records than tables, so the estimate is steadied twice: it is pulled towards
the distribution of all classes together, and neighbouring intervals of numbers are smoothed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.classify.training import Predictor, Training
from ppworkbench.core.progress import Progress, silent

Numbers = NDArray[np.float64]

_MOST_CELLS = 160
"""Distorted cells beyond this are put together: finer ones tell a classifier nothing more."""


def smoothed_em(
    channel: Numbers,
    counts: Numbers,
    *,
    iterations: int = 50,
    smoothing: float = 0.0,
    pull: float = 0.0,
    prior: Numbers | None = None,
) -> Numbers:
    """EM with a smoothing step, one distribution per row of counts.

    ``x_p <- x_p sum_s A[s, p] N_s / (A x)_s + pull * prior_p``, scaled to sum 1; then every
    interval gives the share ``smoothing`` of its mass to its two neighbours.

    Parameters
    ----------
    channel
        ``A[s, p] = Pr(Z in cell s | X in cell p)``.
    counts
        The distorted answers in each cell of Z, one row per class; an empty row gives the prior.
    pull
        How many records the prior counts for.
    prior
        What the estimates are pulled towards and start from; uniform if not given.

    References
    ----------
    B. W. Silverman, M. C. Jones, J. D. Wilson and D. W. Nychka (1990), "A smoothed EM approach to
    indirect estimation problems", Journal of the Royal Statistical Society B 52.

    >>> A = np.array([[0.8, 0.2], [0.2, 0.8]])
    >>> smoothed_em(A, np.array([[62.0, 38.0]]), iterations=200).round(3).tolist()
    [[0.7, 0.3]]
    """
    classes, cells = len(counts), channel.shape[1]
    start = np.full(cells, 1 / cells) if prior is None else prior
    x = np.tile(start, (classes, 1))
    for _ in range(iterations):
        expected = x @ channel.T
        ratio = np.divide(counts, expected, out=np.zeros_like(expected), where=expected > 0)
        x = x * (ratio @ channel) + pull * start
        total = x.sum(axis=1, keepdims=True)
        x = np.where(total > 0, x / np.where(total > 0, total, 1.0), start)
        if smoothing and cells > 1:
            x = _spread(x, smoothing)
    return x


def _spread(x: Numbers, share: float) -> Numbers:
    """Give a share of every cell to its neighbours; at the ends it comes back."""
    given = 0.5 * share * x
    spread = (1 - share) * x
    spread[:, 1:] += given[:, :-1]
    spread[:, :-1] += given[:, 1:]
    spread[:, 0] += given[:, 0]
    spread[:, -1] += given[:, -1]
    return spread


def class_distributions(
    predictor: Predictor,
    counts: Numbers,
    *,
    iterations: int = 50,
    smoothing: float = 0.0,
    pull: float = 0.0,
) -> Numbers:
    """``Pr(X in cell p | class)`` from distorted counts, one row per class.

    Undistorted answers are only counted.
    """
    if not predictor.is_distorted:
        total = counts.sum(axis=1, keepdims=True)
        return np.where(total > 0, counts / np.where(total > 0, total, 1.0), 1 / predictor.k)
    channel, counts = _merged(predictor, counts)
    steps = smoothing if predictor.is_numeric else 0.0
    together = smoothed_em(
        channel,
        counts.sum(axis=0, keepdims=True),
        iterations=iterations,
        smoothing=steps,
        pull=1.0,
    )
    return smoothed_em(
        channel, counts, iterations=iterations, smoothing=steps, pull=pull, prior=together[0]
    )


def _merged(predictor: Predictor, counts: Numbers) -> tuple[Numbers, Numbers]:
    channel = predictor.channel
    cells = len(channel)
    if cells <= _MOST_CELLS or not predictor.is_numeric:
        return channel, counts
    starts = np.arange(0, cells, -(-cells // _MOST_CELLS))
    return np.add.reduceat(channel, starts, axis=0), np.add.reduceat(counts, starts, axis=1)


def with_laplace(distributions: Numbers, records: Numbers, laplace: float) -> Numbers:
    """``(n x_p + laplace) / (n + laplace k)`` for every class of n records.

    >>> with_laplace(np.array([[1.0, 0.0]]), np.array([8.0]), 1.0).tolist()
    [[0.9, 0.1]]
    """
    n = np.maximum(records, 0.0)[:, None]
    k = distributions.shape[1]
    if laplace == 0.0:
        return distributions
    return np.asarray((n * distributions + laplace) / (n + laplace * k))


def counts_by_class(training: Training, progress: Progress = silent) -> list[Numbers]:
    """How many records of each class lie in every cell of Z, one array per predictor."""
    found = []
    for place, predictor in enumerate(training.predictors):
        progress(place / len(training.predictors), f"counting {predictor.name}")
        joined = training.classes * predictor.z_count + training.z_codes[place]
        size = training.n_classes * predictor.z_count
        counted = np.bincount(joined, minlength=size).astype(np.float64)
        found.append(counted.reshape(training.n_classes, predictor.z_count))
    return found
