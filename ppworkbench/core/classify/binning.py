"""Intervals into which the numbers of an attribute are divided before anything is learnt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.classify.smoothed_em import merged, smoothed_em
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design.noises.base import domain_of
from ppworkbench.core.design.perturbation import Perturbation
from ppworkbench.core.params import Annotated, Info, OneOf, Params, Within
from ppworkbench.core.reconstruct.grid import DEFAULT_BINS, make_grid

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
    """The parameters of every classifier that divides numbers into intervals."""

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
