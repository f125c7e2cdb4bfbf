"""The best test ``v in V`` on values, with V at most half of them.

With two classes the best V is a run of values in the order of their share of one class (Breiman
et al. 1984, theorem 4.5), so a sort finds what all subsets would. With more classes all subsets are
tried up to ten values; beyond that runs in the order of each class's share in turn.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.classify.tree.gini import purity

Numbers = NDArray[np.float64]
Mask = NDArray[np.bool_]

MOST_EXHAUSTIVE = 10
_CHUNK = 1 << 22


def best_subsets(counts: Numbers, sizes: NDArray[np.intp]) -> tuple[Numbers, Mask]:
    """The largest purity of every row, and which values meet the test that has it.

    Parameters
    ----------
    counts
        ``counts[r, p, c]``: records of class c with value p.
    sizes
        The number of values of every row; cells beyond are padding.

    >>> counts = np.array([[[3.0, 0.0], [0.0, 4.0], [2.0, 0.0]]])
    >>> best, meets = best_subsets(counts, np.array([3]))
    >>> meets.tolist()
    [[False, True, False]]
    """
    rows, k, n_classes = counts.shape
    if k < 2:
        return np.full(rows, -np.inf), np.zeros((rows, k), bool)
    if n_classes == 2:
        found, meets = _runs(counts, 1)
    elif k <= MOST_EXHAUSTIVE:
        found, meets = _all_subsets(counts)
    else:
        found, meets = _runs(counts, 0)
        for c in range(1, n_classes):
            other, other_meets = _runs(counts, c)
            better = other > found
            found[better], meets[better] = other[better], other_meets[better]
    return found, _smaller_side(meets, sizes)


def _runs(counts: Numbers, c: int) -> tuple[Numbers, Mask]:
    """The best run of values in the order of their share of class c."""
    n = counts.sum(axis=2)
    whole = counts.sum(axis=1)
    typical = whole[:, c] / np.maximum(whole.sum(axis=1), 1e-300)
    # A value that nobody has goes where the node as a whole would.
    share = np.where(n > 0, counts[:, :, c] / np.where(n > 0, n, 1.0), typical[:, None])
    order = np.argsort(share, axis=1, kind="stable")
    rows = np.arange(len(counts))[:, None]
    below = np.cumsum(counts[rows, order], axis=1)
    found = purity(below[:, :-1], below[:, -1:])
    rank = np.empty_like(order)
    rank[rows, order] = np.arange(order.shape[1])
    return found.max(axis=1), rank <= np.argmax(found, axis=1)[:, None]


@lru_cache(maxsize=16)
def _masks(k: int) -> Mask:
    """Every division of k values into two once: the last value is never in the subset."""
    numbers = np.arange(1, 1 << (k - 1))
    return (numbers[:, None] >> np.arange(k)) & 1 > 0


def _all_subsets(counts: Numbers) -> tuple[Numbers, Mask]:
    rows, k, n_classes = counts.shape
    masks = _masks(k)
    best, which = np.empty(rows), np.empty(rows, np.intp)
    step = max(1, _CHUNK // (len(masks) * n_classes))
    weights = masks.astype(np.float64)
    for start in range(0, rows, step):
        part = slice(start, start + step)
        found = purity(weights @ counts[part], counts[part].sum(axis=1)[:, None])
        which[part] = np.argmax(found, axis=1)
        best[part] = found.max(axis=1)
    return best, masks[which]


def _smaller_side(meets: Mask, sizes: NDArray[np.intp]) -> Mask:
    """The side with at most half of the values; of two halves the one without the first value."""
    valid = np.arange(meets.shape[1]) < sizes[:, None]
    inside = (meets & valid).sum(axis=1)
    turn = (2 * inside > sizes) | ((2 * inside == sizes) & meets[:, 0])
    return np.where(turn[:, None], ~meets, meets) & valid
