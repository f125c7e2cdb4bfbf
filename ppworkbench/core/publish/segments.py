"""The best cut of a number into segments, by dynamic programming.

Over cells in the order of the number, ``best[i] = max_j gain(i, j) + best[j]``, where segment
(i, j) holds the cells i to j - 1, its gain is ``|segment| / |group| * distance(group, segment)``,
and a segment below the minimum deniability gains minus infinity. So does a suffix that cannot be
cut into good segments; counting it as 0 would let bad segments in.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.publish.distances import distances
from ppworkbench.core.publish.options import DeniabilityOptions
from ppworkbench.core.publish.uncertainty import SLACK, deniabilities

Numbers = NDArray[np.float64]
Counts = NDArray[np.int64]

_EQUAL = 1e-12


@dataclass(frozen=True, eq=False)
class Segmentation:
    """The sum of gains, and the cells at which segments begin, without the first one.

    ``gain`` is minus infinity where no way of cutting is good enough.
    """

    gain: float
    starts: NDArray[np.intp]


NOTHING = Segmentation(-np.inf, np.empty(0, np.intp))


def best_segments(
    cells: Counts, shares: Numbers, people: float, outcomes: int, options: DeniabilityOptions
) -> Segmentation:
    """Cut cells into segments with the largest sum of gains.

    Parameters
    ----------
    cells
        Counts of outcomes in each cell, the cells in order.
    shares, people
        Shares of the outcomes in the group, and how many people it has, those whose number is
        missing included.

    Examples
    --------
    >>> cells = np.array([[3, 1], [3, 1], [1, 3]])
    >>> options = DeniabilityOptions(smallest_group=1)
    >>> found = best_segments(cells, np.array([7, 5]) / 12, 12, 2, options)
    >>> found.starts.tolist()
    [2]
    """
    count = len(cells)
    gains = _gains(cells, shares, people, outcomes, options)
    best = np.full(count + 1, -np.inf)
    best[count] = 0.0
    following = np.full(count, count, np.intp)
    for i in range(count - 1, -1, -1):
        totals = gains[i, i + 1 :] + best[i + 1 :]
        # Of equally good ways, the one with fewer and larger segments.
        place = int(np.flatnonzero(totals >= totals.max() - _EQUAL)[-1])
        best[i] = totals[place]
        following[i] = i + 1 + place
    if not np.isfinite(best[0]):
        return NOTHING
    starts = []
    place = int(following[0])
    while place < count:
        starts.append(place)
        place = int(following[place])
    return Segmentation(float(best[0]), np.array(starts, np.intp))


def _gains(
    cells: Counts, shares: Numbers, people: float, outcomes: int, options: DeniabilityOptions
) -> Numbers:
    """The gain of segment (i, j) in row i, column j; minus infinity where it is not allowed."""
    count = len(cells)
    sums = np.zeros((count + 1, cells.shape[1]), np.int64)
    np.cumsum(cells, axis=0, out=sums[1:])
    first, last = _pairs(count + 1)
    held = sums[last] - sums[first]
    sizes = held.sum(axis=1)
    gains = np.full((count + 1, count + 1), -np.inf)
    good = (sizes >= options.smallest_group) & (
        deniabilities(held, outcomes) >= options.min_deniability - SLACK
    )
    held, sizes = held[good], sizes[good]
    away = distances[options.distance](shares, held / sizes[:, None])
    gains[first[good], last[good]] = sizes / people * away
    return gains


@lru_cache(maxsize=256)
def _pairs(count: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    first, last = np.triu_indices(count, 1)
    return first, last


def cells_of(codes: NDArray[np.intp], outcome: NDArray[np.intp], outcomes: int, most: int) -> tuple[
    Counts, NDArray[np.intp], NDArray[np.intp]
]:  # fmt: skip
    """Count outcomes in at most ``most + 1`` cells of about equally many people.

    Equal numbers are never parted: a cell holds all people of each of its numbers.

    Returns
    -------
    The counts, and the codes of the smallest and the largest number of every cell.
    """
    present, place = _ranked(codes)
    if len(present) > most + 1:
        held = np.bincount(place)
        before = np.cumsum(held) - held
        cell_of = before * (most + 1) // len(codes)
    else:
        cell_of = np.arange(len(present))
    begins = np.flatnonzero(np.diff(cell_of, prepend=-1))
    ends = np.append(begins[1:], len(present)) - 1
    cell = (np.searchsorted(begins, np.arange(len(present)), "right") - 1)[place]
    counts = np.bincount(cell * outcomes + outcome, minlength=len(begins) * outcomes)
    return counts.reshape(-1, outcomes).astype(np.int64), present[begins], present[ends]


def _ranked(codes: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The codes that occur, in order, and the place of each person's code among them."""
    if int(codes.max()) > 4 * len(codes):
        present, place = np.unique(codes, return_inverse=True)
        return present, place
    # Counting is faster than sorting where the codes are dense.
    occurs = np.bincount(codes) > 0
    return np.flatnonzero(occurs), (np.cumsum(occurs) - 1)[codes]
