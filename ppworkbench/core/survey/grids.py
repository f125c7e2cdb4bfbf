"""How fine the cells of a number are when a statistic asks for it.

Finer cells of X leave less to the assumption that numbers spread evenly inside a cell, but undo the
noise at the cost of larger weights, so the cells become finer with the number of respondents only.
Where the weights are large all the same, the noise has smoothed away what is asked; then only an
estimate that is smooth itself (joint EM) is of use.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.reconstruct.cells import EdgeCells
from ppworkbench.core.reconstruct.grid import Grid, make_grid
from ppworkbench.core.survey.asked import Asked
from ppworkbench.core.survey.factors import NumberFactor

Numbers = NDArray[np.float64]

LARGEST_INFLATION = 4.0
"""How much a channel may raise the standard error and still count as well-conditioned. A binary
question that is answered truly with 0.6 raises it 3.6 times."""

_FEWEST, _MOST = 20, 96


def number_factor(asked: Asked, n: int) -> NumberFactor:
    """The factor of a number, with cells that suit n respondents."""
    borders = asked.borders()
    if asked.is_exact or (len(borders) < 3 and not (asked.split or asked.moment)):
        return _factor(asked, borders)
    published = asked.perturbation.interval_edges(asked.attribute)
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
    published = asked.perturbation.interval_edges(asked.attribute)
    if published is not None:
        return _factor(asked, _with_published(asked, published, borders))
    if len(borders) < 2:
        return _factor(asked, borders)
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
    """The borders with more between them, about so many cells in all.

    Factors spread numbers more the larger they are: there the cells grow with the numbers.
    """
    grows = asked.perturbation.is_factor
    scale = np.log(borders) if grows else borders
    width = (scale[-1] - scale[0]) / cells
    parts = [scale[:1]]
    for low, high in itertools.pairwise(scale):
        count = max(1, round((high - low) / width))
        parts.append(np.linspace(low, high, count + 1)[1:])
    edges = np.concatenate(parts)
    edges = np.exp(edges) if grows else edges
    if asked.attribute.kind is Kind.INTEGER:
        edges = np.rint(edges - 0.5) + 0.5
    # Rounding must not move a limit that was asked for.
    exact = np.searchsorted(edges, borders - 1e-9 * np.abs(borders))
    edges[np.minimum(exact, len(edges) - 1)] = borders
    return np.unique(edges)


def _around(asked: Asked, data: NDArray[Any], cells: int) -> Numbers:
    """Borders of Z: even over the answers that came, one wide cell on either side."""
    low, high = asked.perturbation.support(asked.attribute)
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
