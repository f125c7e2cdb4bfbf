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
        key, *more = keys(part)
        order = np.lexsort((key, *more, box)) if more else np.argsort(box + key)
        ordered = box[order]
        first = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
        size = np.diff(np.append(first, len(ordered)))
        rank = np.arange(len(ordered)) - np.repeat(first, size)
        meets[part[order]] = rank < flat[ordered]
    return np.asarray(meets)
