"""The values or bins of an attribute that is laid out in a distribution or a table."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design.noises.base import domain_of
from ppworkbench.core.design.perturbation import Perturbation
from ppworkbench.core.message import Message
from ppworkbench.core.reconstruct.grid import make_grid

Numbers = NDArray[np.float64]
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
    if bins is None and not few and perturbation.interval_edges(attribute) is None:
        bins = DEFAULT_BINS
    edges = make_grid(attribute, perturbation, bins).x_edges
    if attribute.kind is not Kind.INTEGER or edges is None:
        return edges
    # A whole number on a border belongs to the bin above, but the highest one to the last bin.
    low, high = domain_of(attribute)
    edges = np.ceil(edges) - 0.5
    edges[0], edges[-1] = min(edges[0], low - 0.5), max(edges[-1], high + 0.5)
    return np.unique(edges)


def labels_of(attribute: Attribute, edges: Numbers | None) -> tuple[str, ...]:
    """The values, or the bins in words."""
    if edges is None:
        return attribute.values
    if attribute.kind is Kind.INTEGER:
        # Adding 0 turns the -0 that rounding up can give into 0.
        first, last = np.ceil(edges[:-1]) + 0.0, np.ceil(edges[1:]) - 1 + 0.0
        pairs = zip(first, last, strict=True)
        return tuple(
            f"{a:.15g}" if a == b else Message("{low:.15g} to {high:.15g}", low=a, high=b)
            for a, b in pairs
        )
    return tuple(
        Message("{low:.6g} to {high:.6g}", low=a, high=b) for a, b in itertools.pairwise(edges)
    )


def places(data: NDArray[Any], edges: Numbers | None) -> NDArray[np.int64]:
    """The value or bin of every answer; numbers beyond the last border are in the last bin."""
    if edges is None:
        return data.astype(np.int64)
    place = np.searchsorted(edges, data, side="right") - 1
    return np.clip(place, 0, len(edges) - 2)
