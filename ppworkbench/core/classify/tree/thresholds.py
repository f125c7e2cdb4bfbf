"""The best test ``v < t`` on numbers, with t at the border of two intervals."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.classify.tree.gini import purity

Numbers = NDArray[np.float64]


def best_thresholds(counts: Numbers) -> tuple[Numbers, NDArray[np.bool_]]:
    """The largest purity of every row, and which cells meet the test that has it.

    Parameters
    ----------
    counts
        ``counts[..., p, c]``: records of class c in cell p, cells in their order.

    >>> counts = np.array([[[3.0, 0.0], [2.0, 0.0], [0.0, 4.0]]])
    >>> best, meets = best_thresholds(counts)
    >>> meets.tolist()
    [[True, True, False]]
    """
    k = counts.shape[-2]
    if k < 2:
        return np.full(counts.shape[:-2], -np.inf), np.zeros(counts.shape[:-1], bool)
    below = np.cumsum(counts, axis=-2)
    found = purity(below[..., :-1, :], below[..., -1:, :])
    best = np.argmax(found, axis=-1)
    meets = np.arange(k) <= best[..., None]
    return np.asarray(found.max(axis=-1)), np.asarray(meets)
