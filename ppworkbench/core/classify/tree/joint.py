"""Class counts of reconstructed values, where all classes were reconstructed together.

Records are assigned values whatever their class; how many of each class a value then has follows
from the counts: numbers in their order, values as they move.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.classify.tree.quotas import apportion_rows, moves

Numbers = NDArray[np.float64]
Counts = NDArray[np.int64]


def ordered_counts(by_class: Counts, probability: Numbers) -> Numbers:
    """``counts[r, p, c]`` of intervals, the lowest numbers having gone into the first.

    Parameters
    ----------
    by_class
        ``by_class[r, c, s]``: records of class c in cell s of Z.
    probability
        ``probability[r, p]``: the distribution of X, all classes together.
    """
    rows, n_classes, cells = by_class.shape
    n = by_class.sum(axis=(1, 2)).astype(np.float64)
    below = np.zeros((rows, cells + 1))
    np.cumsum(by_class.sum(axis=1), axis=1, out=below[:, 1:])
    below /= np.maximum(n, 1.0)[:, None]
    wanted = np.zeros((rows, probability.shape[1] + 1))
    np.cumsum(probability, axis=1, out=wanted[:, 1:])
    # Rows lie one after the other on a line, with gaps, so that one interpolation serves all.
    start = 3.0 * np.arange(rows)[:, None]
    at, known = (start + np.clip(wanted, 0, 1)).ravel(), (start + below).ravel()
    result = np.empty((rows, probability.shape[1], n_classes))
    for c in range(n_classes):
        up_to = np.zeros((rows, cells + 1))
        np.cumsum(by_class[:, c], axis=1, out=up_to[:, 1:])
        result[:, :, c] = np.diff(np.interp(at, known, up_to.ravel()).reshape(rows, -1), axis=1)
    return result


def moved_counts(by_class: Counts, probability: Numbers, matrix: Numbers) -> Numbers:
    """``counts[r, p, c]`` of values after records have moved from over-full to under-full ones."""
    counts = by_class.sum(axis=1)
    quotas = apportion_rows(probability, counts.sum(axis=1))
    moved = moves(counts, quotas, matrix)
    share = moved / np.maximum(counts, 1)[:, :, None]
    return np.asarray(np.einsum("rcv,rvp->rpc", by_class.astype(np.float64), share))
