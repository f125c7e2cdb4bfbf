"""Supports of given sets, estimated from any part of the records."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.itemsets.graded_sums import weights_between
from ppworkbench.core.itemsets.item_data import ItemData
from ppworkbench.core.itemsets.itemsets import SetList
from ppworkbench.core.itemsets.measures import Sums
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, silent

Numbers = NDArray[np.float64]

_CELLS = 1 << 21
"""Weights of all items held at once."""
_WORK = 20_000_000
"""Weights multiplied between two reports of progress."""


@dataclass(frozen=True, eq=False)
class Supports:
    """Estimated shares of the records with each set, as they came out, and standard errors."""

    raw: Numbers
    standard_error: Numbers


def supports(data: ItemData, sets: SetList, progress: Progress = silent) -> Supports:
    """Estimate the supports of sets whose members point into ``data.items``.

    ``supports(data.take(is_class), sets)`` and ``supports(data.take(~is_class), sets)`` give the
    supports of emerging patterns in a class and outside it. The cost is linear in the records, and
    one product of weights per set that shares all but its last item with the set before it.

    Examples
    --------
    >>> from ppworkbench.core.data.samples import load_sample
    >>> from ppworkbench.core.itemsets.items import item_data
    >>> data = item_data(load_sample("weather"))
    >>> supports(data, SetList.of(data.items, [(0,)])).raw.round(3).tolist()
    [0.357]
    """
    total, squares = np.zeros(len(sets)), np.zeros(len(sets))
    order = _lexicographic(sets)
    listed = [sets.set_at(i) for i in order.tolist()]
    # A multiple of 64, so that words of bits are not cut.
    at_once = max(64, _CELLS // max(len(data), 1) // 64 * 64)
    for start in range(0, data.rows, at_once):
        weights = weights_between(data, start, min(data.rows, start + at_once))
        _add_products(weights, listed, order, (total, squares), progress, start / data.rows)
    raw, error = Sums(total, squares, np.zeros(0, np.int64)).shares(max(data.rows, 1))
    return Supports(raw, error)


def _lexicographic(sets: SetList) -> NDArray[np.int64]:
    """The order in which sets that begin alike stand together, shorter ones first."""
    longest = int(sets.lengths.max(initial=0))
    padded = np.full((len(sets), longest), -1, np.int32)
    rows = np.repeat(np.arange(len(sets)), sets.lengths)
    padded[rows, np.arange(len(sets.members)) - np.repeat(sets.offsets[:-1], sets.lengths)] = (
        sets.members
    )
    if not longest:
        return np.arange(len(sets))
    return np.lexsort(padded.T[::-1])


def _add_products(
    weights: Numbers,
    listed: list[tuple[int, ...]],
    order: NDArray[np.int64],
    sums: tuple[Numbers, Numbers],
    progress: Progress,
    done: float,
) -> None:
    """Go through the sets with the products of their beginnings at hand."""
    path: list[int] = []
    products: list[Numbers] = [np.ones(weights.shape[1])]
    every = max(1, _WORK // max(weights.shape[1], 1))
    for number, (place, members) in enumerate(zip(order.tolist(), listed, strict=True)):
        if number % every == 0:
            progress(
                done, Message("{number:,} of {count:,} sets", number=number, count=len(listed))
            )
        same = 0
        while same < min(len(path), len(members)) and path[same] == members[same]:
            same += 1
        del path[same:], products[same + 1 :]
        for item in members[same:]:
            products.append(products[-1] * weights[item])
            path.append(item)
        product = products[-1]
        sums[0][place] += product.sum()
        sums[1][place] += product @ product
