"""How many records show all items of given sets, taken at face value."""

from __future__ import annotations

import numpy as np

from ppworkbench.core.itemsets import ItemData, SetList
from ppworkbench.core.progress import Progress, silent
from ppworkbench.gui.pages.mine.listing import Numbers

_WORDS = 1 << 21
"""Words of 64 records that are looked at together."""


def shown_shares(data: ItemData, sets: SetList, progress: Progress = silent) -> Numbers:
    """The share of records that show every set: the true support in original answers, the
    uncorrected one in distorted ones.
    """
    found = np.zeros(len(sets), np.int64)
    at_once = max(1, _WORDS // data.bits.shape[1])
    done = 0
    for length in np.unique(sets.lengths).tolist():
        places, members = sets.of_length(length)
        for start in range(0, len(places), at_once):
            progress(done / max(len(sets), 1))
            part = members[start : start + at_once]
            both = data.bits[part[:, 0]]
            for column in part.T[1:]:
                both &= data.bits[column]
            counts = np.bitwise_count(both).sum(axis=1, dtype=np.int64)
            found[places[start : start + at_once]] = counts
            done += len(part)
    return found / max(data.rows, 1)
