"""Supports of given sets, estimated from any part of the records."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Counts, Numbers
from ppworkbench.core.itemsets.counting import count_kernel
from ppworkbench.core.itemsets.item_data import ItemData, unpack
from ppworkbench.core.itemsets.itemsets import SetList
from ppworkbench.core.itemsets.measures import Sums, weights_between
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, part, silent

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
    total, squares = _power_sums(data, sets, 2, None, progress)
    raw, error = Sums(total, squares, np.zeros(0, np.int64)).shares(max(data.rows, 1))
    return Supports(raw, error)


def mean_powers(data: ItemData, sets: SetList, powers: int, progress: Progress = silent) -> Numbers:
    """The mean over records of a set's product of weights, of its square and so on, a row each.

    Records count by their weights.
    """
    sums = _power_sums(data, sets, powers, data.record_weights, progress)
    return np.asarray(sums / max(data.rows, 1))


def _power_sums(
    data: ItemData, sets: SetList, powers: int, counted: Numbers | None, progress: Progress
) -> Numbers:
    sums = np.zeros((powers, len(sets)))
    order = _lexicographic(sets)
    listed = [sets.set_at(i) for i in order.tolist()]
    # A multiple of 64, so that words of bits are not cut.
    at_once = max(64, _CELLS // max(len(data), 1) // 64 * 64)
    for start in range(0, data.rows, at_once):
        stop = min(data.rows, start + at_once)
        weights = weights_between(data, start, stop)
        own = None if counted is None else counted[start:stop]
        _add_products(weights, own, listed, order, sums, progress, start / data.rows)
    return sums


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
    counted: Numbers | None,
    listed: list[tuple[int, ...]],
    order: NDArray[np.int64],
    sums: Numbers,
    progress: Progress,
    done: float,
) -> None:
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
        raised = product if counted is None else counted * product
        sums[0, place] += raised.sum()
        for power in sums[1:]:
            power[place] += raised @ product
            raised = raised * product


Places = NDArray[np.int32]

_WORDS = 1 << 21
"""Words of 64 records that are looked at together without a compiled loop."""
_COMPILED_WORDS = 1 << 25
_BLOCK = 1_024
"""Words of a column that stay in the cache together with those of others."""


def shown_shares(data: ItemData, sets: SetList, progress: Progress = silent) -> Numbers:
    """The share of records that show every set.

    That is the true support in original answers, and the uncorrected one in distorted ones.
    """
    if data.counter is not None:
        counts = data.counter.count_shown(sets, progress)
        return np.asarray(counts / max(data.rows, 1), np.float64)
    found = np.zeros(len(sets))
    done = 0
    for length in np.unique(sets.lengths).tolist():
        places, members = sets.of_length(length)
        share = part(progress, done / len(sets), (done + len(places)) / len(sets))
        found[places] = _counts(data, np.ascontiguousarray(members), share)
        done += len(places)
    return found / max(data.rows, 1)


def _counts(data: ItemData, members: Places, progress: Progress) -> Counts | Numbers:
    if data.record_weights is not None:
        return _weighted_counts(data, data.record_weights, members, progress)
    if members.shape[1] == 1 or count_kernel.compiled is None:
        return _counts_with_numpy(data, members, progress)
    # Sets that begin alike stand together, so that their common part is looked at once.
    order = np.lexsort(members.T[::-1])
    ordered = members[order]
    starts = np.ones(len(ordered), bool)
    starts[1:] = np.any(ordered[1:, :-1] != ordered[:-1, :-1], axis=1)
    prefixes = np.ascontiguousarray(ordered[starts, :-1])
    first = (np.cumsum(starts) - 1).astype(np.int32)
    last = np.ascontiguousarray(ordered[:, -1])
    counts = np.zeros(len(ordered), np.int64)
    parents = np.arange(len(prefixes), dtype=np.int32)
    at_once = max(1, _COMPILED_WORDS // data.bits.shape[1])
    for start in range(0, len(ordered), at_once):
        progress(start / len(ordered))
        some = slice(start, start + at_once)
        for begin in range(0, data.bits.shape[1], _BLOCK):
            halves = np.ascontiguousarray(data.bits[:, begin : begin + _BLOCK]).view(np.uint32)
            count_kernel.compiled(halves, prefixes, parents, first[some], last[some], counts[some])
    found = np.empty_like(counts)
    found[order] = counts
    return found


def _counts_with_numpy(data: ItemData, members: Places, progress: Progress) -> Counts:
    found = np.zeros(len(members), np.int64)
    at_once = max(1, _WORDS // data.bits.shape[1])
    for start in range(0, len(members), at_once):
        progress(start / len(members))
        some = members[start : start + at_once]
        both = data.bits[some[:, 0]]
        for column in some.T[1:]:
            both &= data.bits[column]
        found[start : start + at_once] = np.bitwise_count(both).sum(axis=1, dtype=np.int64)
    return found


def _weighted_counts(
    data: ItemData, weights: Numbers, members: Places, progress: Progress
) -> Numbers:
    found = np.zeros(len(members))
    # Bits become numbers here, each 64 times as large.
    at_once = max(1, _WORDS // 64 // data.bits.shape[1])
    for start in range(0, len(members), at_once):
        progress(start / len(members))
        some = members[start : start + at_once]
        both = np.bitwise_and.reduce(data.bits[some], axis=1)
        found[start : start + at_once] = unpack(both, data.rows) @ weights
    return found
