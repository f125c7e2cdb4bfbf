"""How much privacy is left when an attacker also knows what was mined."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ppworkbench.core.errors import ParameterError
from ppworkbench.core.itemsets.item_data import ItemData
from ppworkbench.core.message import Message
from ppworkbench.core.mining.result import MiningResult
from ppworkbench.core.mining.subsets import pattern_shares, subset_places, subset_supports
from ppworkbench.core.privacy.reinterrogation import ReinterrogationPrivacy, reinterrogation_privacy
from ppworkbench.core.progress import Progress, silent

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
            "No itemsets were found, so there is nothing to reinterrogate with; choose a lower "
            "minimum support.",
            field="min_support",
        )
    order = np.argsort(-sets.raw, kind="stable")
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
                        Message("Reinterrogating with sets of {length}", length=length),
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
