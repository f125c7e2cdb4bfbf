"""Deniability of many groups at once, and what a minimum of it promises.

``H(outcomes of a group) / log2 n`` with n possible outcomes (Haque and Rizvee, eq. 3): 0 when
all gave the same answer, 1 when all answers are equally frequent.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers

SLACK = 1e-9
"""A group that misses the minimum by less only does so by rounding."""


def deniabilities(counts: NDArray[np.generic], outcomes: int) -> Numbers:
    """The deniability of every group; counts of outcomes lie along the last axis.

    A group without people has none.

    >>> deniabilities(np.array([[5, 5], [10, 0], [0, 0]]), 2).tolist()
    [1.0, 0.0, 0.0]
    """
    counts = np.asarray(counts, np.float64)
    if outcomes < 2:
        return np.zeros(counts.shape[:-1])
    sizes = counts.sum(axis=-1)
    # H = log2 N - sum c log2 c / N needs one logarithm a count and no division by zero.
    terms = counts * np.log2(np.maximum(counts, 1.0))
    whole = np.maximum(sizes, 1.0)
    bits = np.log2(whole) - terms.sum(axis=-1) / whole
    found: Numbers = np.clip(bits / math.log2(outcomes), 0.0, 1.0)
    return found


def largest_share(min_deniability: float, outcomes: int) -> float:
    """The largest share of a group that one answer can have at that deniability.

    It solves ``H(p) + (1 - p) log2(n - 1) = minD log2 n``: with the other answers equally
    frequent, one answer gets as far as the entropy allows.

    >>> round(largest_share(0.4, 2), 3), largest_share(1.0, 4), largest_share(0.0, 3)
    (0.921, 0.25, 1.0)
    """
    if outcomes < 2 or min_deniability <= 0:
        return 1.0
    wanted = min_deniability * math.log2(outcomes)
    low, high = 1 / outcomes, 1.0
    if min_deniability >= 1:
        return low
    for _ in range(60):
        middle = (low + high) / 2
        if _entropy(middle) + (1 - middle) * math.log2(max(outcomes - 1, 1)) >= wanted:
            low = middle
        else:
            high = middle
    return low


def _entropy(p: float) -> float:
    return -sum(x * math.log2(x) for x in (p, 1 - p) if x > 0)
