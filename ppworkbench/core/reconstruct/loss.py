"""How far a reconstructed distribution is from the original one."""

from __future__ import annotations

import numpy as np

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.table import Column
from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message
from ppworkbench.core.reconstruct.channel import CountedChannel
from ppworkbench.core.reconstruct.counting import count_column
from ppworkbench.core.reconstruct.grid import undistorted


def information_loss(original: Numbers, estimate: Numbers) -> Numbers:
    """Half the sum of absolute differences, along the last axis: 0 for equal, 1 for disjoint.

    >>> float(information_loss(np.array([0.5, 0.5]), np.array([0.4, 0.6])).round(3))
    0.1
    """
    return np.asarray(0.5 * np.abs(original - estimate).sum(axis=-1))


def original_distribution(original: Column | Numbers, counted: CountedChannel) -> Numbers:
    """The original distribution over the cells of X, from original answers or as given."""
    name = counted.attribute.name
    if isinstance(original, Column):
        grid = undistorted(counted.attribute, counted.x_edges)
        bins = 1 if counted.k == 1 else grid.x_edges
        found = count_column(original, counted.attribute, grid.perturbation, bins)
        if found.total <= 0:
            raise DataError(
                Message(
                    "Attribute {attribute!r} has no original answers to compare with.",
                    attribute=name,
                ),
                attribute=name,
            )
        return found.shares
    given = np.asarray(original, np.float64)
    if given.shape != (counted.k,) or abs(given.sum() - 1) > 1e-6:
        raise DataError(
            Message(
                "Attribute {attribute!r}: the original distribution must be {k} numbers "
                "that sum to 1.",
                attribute=name,
                k=counted.k,
            ),
            attribute=name,
        )
    return given
