"""How much privacy is left when an attacker also knows what was mined.

The supports of all subsets of mined sets.

A miner that goes by length has found every subset of a found set, so the distribution over all
patterns of its items follows from the result alone.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.itemsets.item_data import ItemData
from ppworkbench.core.itemsets.itemsets import Indices, Itemsets
from ppworkbench.core.message import Message
from ppworkbench.core.mining.miner import MiningResult
from ppworkbench.core.privacy.reinterrogation import ReinterrogationPrivacy, reinterrogation_privacy
from ppworkbench.core.progress import Progress, silent


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


LONGEST = 8
"""Sets of more items are not used; what they reveal is hardly more than their subsets do."""


def mined_privacy(
    result: MiningResult,
    data: ItemData,
    *,
    most_sets: int = 20_000,
    progress: Progress = silent,
) -> ReinterrogationPrivacy:
    """Reinterrogation privacy of every item that is in a mined set.

    Parameters
    ----------
    data
        The data that were mined: they know with which probabilities items stay or appear.
    most_sets
        How many sets are used, those of the largest support first.
    """
    sets = result.itemsets
    if not len(sets):
        raise ParameterError(
            "No itemsets were found for reinterrogation; choose a lower minimum support.",
            field="min_support",
        )
    order = np.argsort(-np.round(sets.raw, 12), kind="stable")
    chosen = np.sort(order[sets.lengths[order] <= LONGEST][:most_sets])

    def patterns() -> Iterator[tuple[tuple[str, ...], np.ndarray]]:
        for length in np.unique(sets.lengths[chosen]).tolist():
            places, members = sets.of_length(length)
            used = np.isin(places, chosen)
            places, members = places[used], members[used]
            found = subset_supports(sets, subset_places(sets, members))
            # The first item of a set varies slowest in the privacy measure, fastest here.
            shares = pattern_shares(found).reshape((len(members), *(2,) * length))
            shares = np.moveaxis(shares, range(1, length + 1), range(length, 0, -1))
            for number, (place, share) in enumerate(zip(places.tolist(), shares, strict=True)):
                if number % 200 == 0:
                    progress(
                        number / len(places),
                        Message("Reinterrogation with sets of {length}", length=length),
                    )
                if np.isfinite(share).all() and np.maximum(share, 0).sum() > 0:
                    yield sets.names(place), share

    channels = {
        item.name: [[q, 1 - p], [1 - q, p]]
        for item, p, q in zip(
            data.items, data.keep_one.tolist(), data.keep_zero.tolist(), strict=True
        )
    }
    return reinterrogation_privacy(patterns(), channels)
