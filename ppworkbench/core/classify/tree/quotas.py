"""How many records of many groups get which value, and from where they come.

The same rules as :mod:`ppworkbench.core.reconstruct.assign`, on counts of many groups at once.
"""

from __future__ import annotations

import numpy as np

from ppworkbench.core.arrays import Counts, Mask, Numbers

_ROUNDING = 1e-9


def apportion_rows(probability: Numbers, n: Counts) -> Counts:
    """Share n[r] records out in the proportions of row r by largest remainder.

    >>> apportion_rows(np.array([[0.5, 0.3, 0.2]]), np.array([7])).tolist()
    [[4, 2, 1]]
    """
    quota = n[:, None] * probability
    whole = np.floor(quota + _ROUNDING)
    left = n - whole.sum(axis=1)
    order = np.argsort(whole - quota, axis=1, kind="stable")
    rank = np.empty_like(order)
    rank[np.arange(len(n))[:, None], order] = np.arange(quota.shape[1])
    return np.asarray(whole + (rank < left[:, None]), np.int64)


def moves(counts: Counts, quotas: Counts, matrix: Numbers, test: Mask | None = None) -> Counts:
    """``moved[r, i, j]``: how many records of group r go from value i to value j by ARVeSNA.

    The diagonal holds the records that keep their value.

    Parameters
    ----------
    counts, quotas
        How many records have each value, and how many should; both with one row per group.
    matrix
        ``P[r, i, j]``, the probability that the true value j became i, or one matrix for all.
    test
        ``test[r, p]``: which values meet the test of the group's node. Records move to the same
        side of the test first where a value is kept with more than 0.5, else to the other.
    """
    rows, k = counts.shape
    matrix = np.broadcast_to(matrix, (rows, k, k))
    surplus = np.maximum(counts - quotas, 0)
    wanted = np.maximum(quotas - counts, 0)
    moved = np.zeros((rows, k, k), np.int64)
    moved[:, np.arange(k), np.arange(k)] = counts - surplus
    every = np.arange(rows)[:, None]
    for value in np.flatnonzero(surplus.any(axis=0)).tolist():
        order = np.argsort(-matrix[:, value], axis=1, kind="stable")
        left = surplus[:, value]
        for passing in _passes(value, matrix, test):
            offered = np.where(passing, wanted, 0)[every, order]
            before = np.cumsum(offered, axis=1) - offered
            taken = np.clip(left[:, None] - before, 0, offered)
            given = np.empty_like(taken)
            given[every, order] = taken
            moved[:, value] += given
            wanted = wanted - given
            left = left - taken.sum(axis=1)
    return moved


def _passes(value: int, matrix: Numbers, test: Mask | None) -> tuple[Mask | bool, ...]:
    """Which targets may be taken first, and which then."""
    if test is None:
        return (True,)
    keep = matrix[:, value, value][:, None]
    same = test == test[:, value][:, None]
    preferred = np.where(keep > 0.5, same, (keep < 0.5) & ~same)
    return preferred, ~preferred


def moves_in_order(counts: Counts, quotas: Counts) -> Counts:
    """``moved[r, s, p]``: how many records of cell s get interval p, the lowest the first.

    >>> moves_in_order(np.array([[2, 1]]), np.array([[1, 2]])).tolist()
    [[[1, 1], [0, 1]]]
    """
    have, want = np.cumsum(counts, axis=1), np.cumsum(quotas, axis=1)
    upto = np.minimum(have[:, :, None], want[:, None, :])
    since = np.maximum((have - counts)[:, :, None], (want - quotas)[:, None, :])
    return np.asarray(np.maximum(upto - since, 0))


def first_taken(counts: Counts, n: Counts) -> Counts:
    """How many records of every cell are among the first n[r] of their group.

    >>> first_taken(np.array([[2, 3, 1]]), np.array([4])).tolist()
    [[2, 2, 0]]
    """
    before = np.cumsum(counts, axis=1) - counts
    return np.clip(n[:, None] - before, 0, counts)
