"""EM with a smoothing step, for several sets of counts at once."""

from __future__ import annotations

import numpy as np

from ppworkbench.core.arrays import Numbers

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


def merged(channel: Numbers, counts: Numbers) -> tuple[Numbers, Numbers]:
    """Channel and counts with neighbouring cells of Z put together until they are few."""
    cells = len(channel)
    if cells <= _MOST_CELLS:
        return channel, counts
    starts = np.arange(0, cells, -(-cells // _MOST_CELLS))
    return np.add.reduceat(channel, starts, axis=0), np.add.reduceat(counts, starts, axis=1)
