"""Cells of an attribute as people read them."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.message import Message


def labels_of(attribute: Attribute, edges: NDArray[np.float64] | None) -> tuple[str, ...]:
    """The values, or the intervals in words.

    >>> labels_of(Attribute("age", Kind.INTEGER, domain=(0, 3)), np.array([-0.5, 1.5, 3.5]))
    ('0 to 1', '2 to 3')
    """
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
