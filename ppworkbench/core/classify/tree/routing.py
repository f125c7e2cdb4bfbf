"""Which records of a divided node go to which child."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.int64]
Codes = NDArray[np.intp]
Mask = NDArray[np.bool_]


def choose_records(
    groups: Codes,
    cells: Codes,
    keys: NDArray[np.float64],
    taken: Counts,
    counts: Counts,
) -> Mask:
    """Which records meet the test, given how many of every group and cell do.

    Parameters
    ----------
    groups, cells
        The group (node and class) of every record, and its cell of Z.
    keys
        Decides within a cell: the records with the lowest keys are taken.
    taken, counts
        ``taken[g, s]`` of the ``counts[g, s]`` records of a group in a cell meet the test.

    >>> zeros = np.zeros(3, np.intp)
    >>> choose_records(zeros, zeros, np.array([3.0, 1.0, 2.0]), np.array([[2]]), np.array([[3]]))
    array([False,  True,  True])
    """
    wanted, there = taken[groups, cells], counts[groups, cells]
    meets = wanted == there
    part = np.flatnonzero((wanted > 0) & ~meets)
    if len(part):
        box = groups[part] * counts.shape[1] + cells[part]
        order = np.lexsort((keys[part], box))
        ordered = box[order]
        first = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
        size = np.diff(np.append(first, len(ordered)))
        rank = np.arange(len(ordered)) - np.repeat(first, size)
        meets[part[order]] = rank < wanted[part[order]]
    return np.asarray(meets)
