"""How many records show all items of given sets, taken at face value."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.itemsets.counting import count_kernel
from ppworkbench.core.itemsets.item_data import ItemData
from ppworkbench.core.itemsets.itemsets import SetList
from ppworkbench.core.progress import Progress, part, silent

Counts = NDArray[np.int64]
Numbers = NDArray[np.float64]
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
    found = np.zeros(len(sets), np.int64)
    done = 0
    for length in np.unique(sets.lengths).tolist():
        places, members = sets.of_length(length)
        share = part(progress, done / len(sets), (done + len(places)) / len(sets))
        found[places] = _counts(data, np.ascontiguousarray(members), share)
        done += len(places)
    return found / max(data.rows, 1)


def _counts(data: ItemData, members: Places, progress: Progress) -> Counts:
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
