"""Intervals into which the numbers of an attribute are divided before anything is learnt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design.noises.base import domain_of
from ppworkbench.core.design.perturbation import Perturbation
from ppworkbench.core.params import Annotated, Info, OneOf, Params, Within
from ppworkbench.core.reconstruct.grid import DEFAULT_BINS, make_grid

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


EQUAL_WIDTH, EQUAL_FREQUENCY = "equal-width", "equal-frequency"

_SMOOTHING = 0.6

Bins = Annotated[int, Within(2, 200), Info("Intervals", "Number of bins of a numeric attribute")]
Division = Annotated[
    str,
    OneOf((EQUAL_WIDTH, EQUAL_FREQUENCY)),
    Info("Division", "Bins of equal width or with equal counts"),
]


@dataclass(frozen=True)
class BinningParams(Params):
    bins: Bins = 8
    binning: Division = EQUAL_WIDTH


def borders(
    attribute: Attribute,
    perturbation: Perturbation,
    data: NDArray[Any],
    params: BinningParams,
) -> Numbers | None:
    """The borders of X's intervals, covering the domain; None for a categorical attribute.

    Intervals with equally many answers are taken from the distorted numbers where these keep their
    place (undistorted ones, retention replacement), else from their reconstructed distribution.
    Whole numbers have borders half-way between them, and at most one interval each.

    >>> from ppworkbench.core.design import Identity
    >>> age = Attribute("age", Kind.INTEGER, domain=(0, 3))
    >>> borders(age, Identity(), np.array([0.0, 3.0]), BinningParams(bins=8)).tolist()
    [-0.5, 0.5, 1.5, 2.5, 3.5]
    """
    if attribute.kind.is_categorical:
        return None
    if attribute.width == 0 or perturbation.numbers.interval_edges(attribute) is not None:
        return make_grid(attribute, perturbation).x_edges
    few = attribute.kind is Kind.INTEGER and attribute.width < params.bins
    if params.binning == EQUAL_WIDTH or few:
        return make_grid(attribute, perturbation, params.bins).x_edges
    return _cover(_quantiles(attribute, perturbation, data, params.bins), attribute)


def _quantiles(
    attribute: Attribute, perturbation: Perturbation, data: Numbers, bins: int
) -> Numbers:
    levels = np.arange(1, bins) / bins
    if perturbation.numbers.exact_share is not None:
        return np.asarray(np.quantile(data, levels))
    grid = make_grid(attribute, perturbation, DEFAULT_BINS)
    edges = grid.x_edges
    assert edges is not None  # noqa: S101 (numbers have intervals)
    place = grid.z_cells.place(data)
    counts = np.bincount(place[place >= 0], minlength=grid.z_cells.count).astype(np.float64)
    channel, counts = merged(grid.matrix(), counts[None, :])
    found = smoothed_em(channel, counts, smoothing=_SMOOTHING, pull=1.0)[0]
    return np.asarray(np.interp(levels, np.concatenate([[0.0], np.cumsum(found)]), edges))


def _cover(inner: Numbers, attribute: Attribute) -> Numbers:
    low, high = domain_of(attribute)
    if attribute.kind is Kind.INTEGER:
        inner = np.floor(inner) + 0.5
        low, high = low - 0.5, high + 0.5
    inner = np.unique(inner[(inner > low) & (inner < high)])
    return np.concatenate([[low], inner, [high]])
