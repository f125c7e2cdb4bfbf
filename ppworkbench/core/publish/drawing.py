"""New answers within groups: drawn from the shares of the group, or shuffled among its people."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.publish.tree import DeniabilityTree
from ppworkbench.core.rng import Stream

Codes = NDArray[np.intp]
_AT_ONCE = 1 << 20


def draw(tree: DeniabilityTree, groups: Codes, stream: Stream) -> Codes:
    """An outcome for every person from the shares of the person's group."""
    # Sums of counts divided by their total end at exactly 1; sums of shares might fall short.
    counts = np.array([node.counts if node.size else node.shares for node in tree.nodes])
    steps = np.cumsum(counts, axis=1)
    steps = steps / steps[:, -1:]
    drawn = np.empty(len(groups), np.intp)
    at_once = max(1, _AT_ONCE // len(tree.outcomes))
    for start in range(0, len(groups), at_once):
        own = groups[start : start + at_once]
        point = stream.random(len(own))
        drawn[start : start + at_once] = (point[:, None] >= steps[own]).sum(axis=1)
    return drawn


def shuffle(groups: Codes, outcome: Codes, stream: Stream) -> Codes:
    """The outcomes of every group in random order: the counts of each group stay exactly.

    >>> from ppworkbench.core.rng import SeededStreams
    >>> groups = np.array([0, 1, 0, 1])
    >>> shuffle(groups, np.array([0, 2, 1, 2]), SeededStreams(1).stream("a"))[[1, 3]].tolist()
    [2, 2]
    """
    # 64 random bits a person: two draw the same number about never.
    keys = stream.bytes(8 * len(groups)).view(np.uint64)
    places = np.argsort(groups, kind="stable")
    mixed = np.lexsort((keys, groups))
    result = np.empty_like(outcome)
    result[places] = outcome[mixed]
    return result
