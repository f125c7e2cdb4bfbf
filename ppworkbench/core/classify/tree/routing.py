"""Which records of a divided node go to which child."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.int64]
Codes = NDArray[np.intp]
Mask = NDArray[np.bool_]
Numbers = NDArray[np.float64]


def choose_records(
    groups: Codes,
    cells: Codes,
    taken: Counts,
    counts: Counts,
    keys: Callable[[Codes], tuple[Numbers, ...]],
) -> Mask:
    """Which records meet the test, given how many of every group and cell do.

    Parameters
    ----------
    groups, cells
        The group (node and class) of every record, and its cell of Z.
    taken, counts
        ``taken[g, s]`` of the ``counts[g, s]`` records of a group in a cell meet the test.
    keys
        Decides within a cell: given positions of records, their keys, a first one from 0 to below
        1 and perhaps a more important one; the records with the lowest are taken.

    >>> zeros = np.zeros(3, np.intp)
    >>> choose_records(zeros, zeros, np.array([[2]]), np.array([[3]]), lambda at: (0.9 - at / 3,))
    array([False,  True,  True])
    """
    flat = taken.ravel()
    # 0: nobody of the cell meets the test, 1: all do, 2: some do.
    state = np.where(flat == counts.ravel(), np.int8(1), np.where(flat > 0, np.int8(2), np.int8(0)))
    boxes = groups * counts.shape[1]
    boxes += cells
    found = state[boxes]
    meets = found == 1
    part = np.flatnonzero(found == 2)
    if len(part):
        box = boxes[part]
        meets[part] = _ranks(box, keys(part)) < flat[box]
    return np.asarray(meets)


def assign_records(
    groups: Codes,
    cells: Codes,
    moved: Counts,
    keys: Callable[[Codes], tuple[Numbers, ...]],
) -> Codes:
    """The value of X of every record, given how many of each group and cell get which.

    Parameters
    ----------
    moved
        ``moved[g, s, p]`` records of group g in cell s get the value p; within a cell those with
        the lowest keys get the first values.
    """
    boxes = groups * moved.shape[1] + cells
    rank = _ranks(boxes, keys(np.arange(len(boxes))))
    upto = np.cumsum(moved.reshape(-1, moved.shape[2]), axis=1)
    return np.asarray((upto[boxes] <= rank[:, None]).sum(axis=1), np.intp)


def _ranks(boxes: Codes, keys: tuple[Numbers, ...]) -> Codes:
    """The rank of every record among those in its box."""
    key, *more = keys
    order = np.lexsort((key, *more, boxes)) if more else np.argsort(boxes + key)
    ordered = boxes[order]
    first = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    size = np.diff(np.append(first, len(ordered)))
    rank = np.empty(len(boxes), np.intp)
    rank[order] = np.arange(len(ordered)) - np.repeat(first, size)
    return rank
