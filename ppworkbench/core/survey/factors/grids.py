"""How fine the cells of a number are when a statistic asks for it.

Finer cells of X leave less to the assumption that numbers spread evenly inside a cell, but undo the
noise at the cost of larger weights, so the cells become finer with the number of respondents only.
Where the weights are large all the same, the noise has smoothed away what is asked; then only an
estimate that is smooth itself (joint EM) is of use.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design.noises.base import domain_of
from ppworkbench.core.design.perturbation import Perturbation
from ppworkbench.core.reconstruct.grid import (
    EdgeCells,
    Grid,
    divide_edges,
    make_grid,
    refuse_only_mean,
)
from ppworkbench.core.survey.answers import Asked
from ppworkbench.core.survey.factors.factor import NumberFactor

LARGEST_INFLATION = 4.0
"""How much a channel may raise the standard error and still count as well-conditioned. A binary
question that is answered truly with 0.6 raises it 3.6 times."""

_FEWEST, _MOST = 20, 96


def number_factor(asked: Asked, n: int) -> NumberFactor:
    """The factor of a number, with cells that suit n respondents."""
    borders = asked.borders()
    if asked.perturbation.numbers.why_only_mean(asked.attribute) and asked.region is None:
        # The mean needs no cells, and there are none for anything else.
        if asked.split:
            refuse_only_mean(asked.attribute, asked.perturbation)
        return _factor(asked, borders[[0, -1]])
    if asked.is_exact or (len(borders) < 3 and not (asked.split or asked.moment)):
        return _factor(asked, borders)
    published = asked.perturbation.numbers.interval_edges(asked.attribute)
    if published is not None:
        return _factor(asked, _with_published(asked, published, borders))
    cells = int(np.clip(1.2 * n ** (1 / 3), _FEWEST, _MOST))
    return _factor(asked, divided(borders, cells, asked))


def is_well_conditioned(factor: NumberFactor) -> bool:
    """Whether the pseudo-inverse of the channel is of use."""
    if not factor.is_smooth:
        return True
    weights = factor.weights
    return weights.holds and weights.inflation <= LARGEST_INFLATION


def smooth_factor(asked: Asked, data: NDArray[Any], cells: int) -> NumberFactor:
    """The factor of a number for joint EM: few cells, those of Z where the answers are."""
    borders = asked.borders()
    published = asked.perturbation.numbers.interval_edges(asked.attribute)
    if published is not None:
        return _factor(asked, _with_published(asked, published, borders))
    if len(borders) < 2:
        return _factor(asked, borders)
    refuse_only_mean(asked.attribute, asked.perturbation)
    x_edges = divided(borders, cells, asked)
    if asked.is_exact:
        return _factor(asked, x_edges if asked.moment else borders)
    z_edges = _around(asked, data, 3 * cells)
    return NumberFactor(
        (asked,), Grid(asked.attribute, asked.perturbation, x_edges, EdgeCells(z_edges))
    )


def _factor(asked: Asked, edges: Numbers) -> NumberFactor:
    bins = edges if len(edges) > 1 else None
    return NumberFactor((asked,), make_grid(asked.attribute, asked.perturbation, bins))


def _with_published(asked: Asked, published: Numbers, borders: Numbers) -> Numbers:
    if asked.attribute.kind is Kind.INTEGER:
        published = np.ceil(published) - 0.5
    inner = published[(published > borders[0]) & (published < borders[-1])]
    return np.unique(np.concatenate([borders, inner]))


def divided(borders: Numbers, cells: int, asked: Asked) -> Numbers:
    """The borders with more between them, about so many cells in all."""
    return divide_edges(borders, cells, asked.attribute, asked.perturbation)


def _around(asked: Asked, data: NDArray[Any], cells: int) -> Numbers:
    """Borders of Z: even over the answers that came, one wide cell on either side."""
    low, high = asked.perturbation.numbers.support(asked.attribute)
    margin = 1e-9 * max(abs(low), abs(high), 1.0)
    low, high = low - margin, high + margin
    inside = data[(data >= low) & (data <= high)]
    first, last = (inside.min(), inside.max()) if len(inside) else (low, high)
    if asked.perturbation.is_factor and first > 0:
        inner = np.geomspace(first, last, cells + 1) if first < last else np.array([first])
    else:
        inner = np.linspace(first, last, cells + 1)
    if asked.attribute.kind is Kind.INTEGER:
        low, high, inner = np.floor(low) - 0.5, np.ceil(high) + 0.5, np.rint(inner) + 0.5
    inner = inner[(inner > low) & (inner < high)]
    return np.unique(np.concatenate([[low], inner, [high]]))


Bins = int | Sequence[float] | Numbers | None

DEFAULT_BINS = 10
_FEW_NUMBERS = 12


def bins_of(attribute: Attribute, perturbation: Perturbation, bins: Bins = None) -> Numbers | None:
    """The borders of a number's bins; None for a categorical attribute.

    By default an integer with at most 12 numbers has a bin for each, published intervals are the
    bins, and any other number has 10 equal ones.
    """
    if attribute.kind.is_categorical:
        return None
    few = attribute.kind is Kind.INTEGER and attribute.width < _FEW_NUMBERS
    if bins is None and not few and perturbation.numbers.interval_edges(attribute) is None:
        bins = DEFAULT_BINS
    edges = make_grid(attribute, perturbation, bins).x_edges
    if attribute.kind is not Kind.INTEGER or edges is None:
        return edges
    # A whole number on a border belongs to the bin above, but the highest one to the last bin.
    low, high = domain_of(attribute)
    edges = np.ceil(edges) - 0.5
    edges[0], edges[-1] = min(edges[0], low - 0.5), max(edges[-1], high + 0.5)
    return np.unique(edges)


def places(data: NDArray[Any], edges: Numbers | None) -> NDArray[np.int64]:
    """The value or bin of every answer; numbers beyond the last border are in the last bin."""
    if edges is None:
        return data.astype(np.int64)
    place = np.searchsorted(edges, data, side="right") - 1
    return np.clip(place, 0, len(edges) - 2)
