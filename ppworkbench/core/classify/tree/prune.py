"""Pruning by the minimum description length.

A leaf costs ``1 + errors``; an inner node ``1 + test + both children``, where a test on numbers
costs 1 and one on values ``ln n`` with n the number of tests on that attribute in the tree. A node
becomes a leaf where that costs less (Mehta, Rissanen and Agrawal 1995; Mehta, Agrawal and Rissanen
1996).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.classify.tree.flat import FlatTree

Numbers = NDArray[np.float64]


def prune(tree: FlatTree, numeric: NDArray[np.bool_]) -> FlatTree:
    """The same trees without branches that do not pay.

    Parameters
    ----------
    numeric
        For every predictor whether it is a number.
    """
    counts = tree.counts
    leaf_cost = 1.0 + counts.sum(axis=1) - counts.max(axis=1)
    test_cost = _test_costs(tree, numeric)
    cost = leaf_cost.copy()
    cut = np.zeros(len(tree), bool)
    inner = np.flatnonzero(~tree.is_leaf)
    for nodes in _levels(tree, inner)[::-1]:
        first = tree.left[nodes]
        both = 1.0 + test_cost[nodes] + cost[first] + cost[first + 1]
        cut[nodes] = leaf_cost[nodes] < both
        cost[nodes] = np.minimum(leaf_cost[nodes], both)
    keep = np.ones(len(tree), bool)
    for nodes in _levels(tree, inner):
        goes_on = keep[nodes] & ~cut[nodes]
        first = tree.left[nodes]
        keep[first] = keep[first + 1] = goes_on
    return tree.kept(keep, cut)


def _levels(tree: FlatTree, nodes: NDArray[np.intp]) -> list[NDArray[np.intp]]:
    """The nodes of each level, the root's first."""
    level = tree.level[nodes]
    ordered = nodes[np.argsort(level, kind="stable")]
    return np.split(ordered, np.cumsum(np.bincount(level))[:-1]) if len(nodes) else []


def _test_costs(tree: FlatTree, numeric: NDArray[np.bool_]) -> Numbers:
    inner = np.flatnonzero(~tree.is_leaf)
    place = tree.place[inner]
    key = tree.tree[inner] * len(numeric) + place
    tests = np.bincount(key, minlength=1)[key]
    cost = np.zeros(len(tree))
    cost[inner] = np.where(numeric[place], 1.0, np.log(np.maximum(tests, 1)))
    return cost
