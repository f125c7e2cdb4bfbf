"""The supports of all subsets of mined sets.

A miner that goes by length has found every subset of a found set, so the distribution over all
patterns of its items follows from the result alone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.itemsets.itemsets import Indices, Itemsets

Numbers = NDArray[np.float64]


def subset_places(sets: Itemsets, members: NDArray[np.int32]) -> Indices:
    """For rows of members, where each of their 2^m subsets stands in the result; -1 for none.

    Column b holds the subset of the members whose digits in b are 1, the first member lowest.
    """
    length = members.shape[1]
    places = np.full((len(members), 1 << length), -1, np.int64)
    for pattern in range(1, 1 << length):
        chosen = [j for j in range(length) if pattern >> j & 1]
        places[:, pattern] = sets.locate(members[:, chosen])
    return places


def subset_supports(sets: Itemsets, places: Indices) -> Numbers:
    """The estimated supports of subsets; that of no items is 1, one that was not found has NaN."""
    supports = np.append(sets.raw, np.nan)[places]
    supports[:, 0] = 1.0
    return np.asarray(supports)


def pattern_shares(supports: Numbers) -> Numbers:
    """The shares of the exact patterns, from the supports of all subsets.

    ``π(o) = Σ over T ⊇ o of (-1)^(|T| - |o|) s(T)``, item by item; noise may make it negative.

    >>> pattern_shares(np.array([[1.0, 0.5, 0.4, 0.1]])).round(2).tolist()
    [[0.2, 0.4, 0.3, 0.1]]
    """
    length = int(supports.shape[1]).bit_length() - 1
    shares = supports.reshape((len(supports), *(2,) * length)).copy()
    for axis in range(1, length + 1):
        without = [slice(None)] * (length + 1)
        within = [slice(None)] * (length + 1)
        without[axis], within[axis] = slice(0, 1), slice(1, 2)
        shares[tuple(without)] -= shares[tuple(within)]
    return np.asarray(shares.reshape(supports.shape))
