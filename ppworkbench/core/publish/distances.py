"""How far the answers of a part of a group lie from those of the whole group."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.registry import Registry

Distance = Callable[[Numbers, Numbers], Numbers]
"""Takes shares of outcomes along the last axis; 0 where both are the same."""

distances: Registry[Distance] = Registry("distance")


@distances.register("squared", "Squared")
def squared(p: Numbers, q: Numbers) -> Numbers:
    """``sum_i (p_i - q_i)^2 / n`` (Haque and Rizvee, eq. 4): at most 2/n.

    >>> float(squared(np.array([0.5, 0.5]), np.array([1.0, 0.0])))
    0.25
    """
    found: Numbers = np.square(p - q).mean(axis=-1)
    return found


@distances.register("cosine", "Cosine")
def cosine(p: Numbers, q: Numbers) -> Numbers:
    """One minus the cosine of the angle between both: at most 1."""
    product = (p * q).sum(axis=-1)
    lengths = np.sqrt(np.square(p).sum(axis=-1) * np.square(q).sum(axis=-1))
    # Rounding may leave an angle of a few hair's breadths between equal shares.
    found: Numbers = np.clip(1.0 - product / lengths, 0.0, 1.0)
    return found


@distances.register("hellinger", "Hellinger")
def hellinger(p: Numbers, q: Numbers) -> Numbers:
    """``sqrt(sum_i (sqrt p_i - sqrt q_i)^2 / 2)``: at most 1."""
    found: Numbers = np.sqrt(np.square(np.sqrt(p) - np.sqrt(q)).sum(axis=-1) / 2)
    return found
