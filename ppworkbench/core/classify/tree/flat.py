"""Trees as arrays: one row per node, parents before children, the two children side by side."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ppworkbench.core.arrays import Codes, Counts, Mask, Numbers

LEAF = -1


@dataclass(frozen=True, eq=False)
class FlatTree:
    """One tree, or before :meth:`split` several.

    Parameters
    ----------
    place
        The predictor that a node tests; :data:`LEAF` for a leaf.
    meets
        ``meets[node, p]``: whether cell p of X meets the test.
    left
        The child of records that meet the test; the other child is the next node.
    counts
        ``counts[node, c]``: how many records of class c came to the node.
    distribution
        ``distribution[node, p]``: the reconstructed distribution of the tested attribute.
    level
        How many tests lie above the node.
    tree
        To which tree the node belongs.
    """

    place: Codes
    meets: Mask
    left: Codes
    counts: Counts
    distribution: Numbers
    level: Codes
    tree: Codes

    def __len__(self) -> int:
        return len(self.place)

    @property
    def is_leaf(self) -> Mask:
        found: Mask = self.place == LEAF
        return found

    @property
    def parents(self) -> Codes:
        """The parent of every node; a root is its own."""
        parents = np.arange(len(self))
        inner = np.flatnonzero(~self.is_leaf)
        parents[self.left[inner]] = inner
        parents[self.left[inner] + 1] = inner
        return parents

    @property
    def shares(self) -> Numbers:
        """The class distribution of every node; an empty one has that of its parent."""
        n = self.counts.sum(axis=1)
        shares = self.counts / np.maximum(n, 1)[:, None]
        parents = self.parents
        for node in np.flatnonzero(n == 0):
            shares[node] = shares[parents[node]]
        return np.asarray(shares)

    def leaves_of(self, records: Codes) -> Codes:
        """The leaf of every original record, given by its cells of X; for a single tree."""
        at = np.zeros(len(records), np.intp)
        walking = np.arange(len(records))
        while len(walking):
            node = at[walking]
            inner = ~self.is_leaf[node]
            walking, node = walking[inner], node[inner]
            met = self.meets[node, records[walking, self.place[node]]]
            at[walking] = self.left[node] + ~met
        return at

    def kept(self, keep: Mask, leaves: Mask) -> FlatTree:
        """Only these nodes, numbered anew, and these of them made leaves."""
        new = np.cumsum(keep) - 1
        place = np.where(leaves, LEAF, self.place)[keep]
        left = np.where(place == LEAF, LEAF, new[np.maximum(self.left[keep], 0)])
        return FlatTree(
            place,
            self.meets[keep],
            left,
            self.counts[keep],
            self.distribution[keep],
            self.level[keep],
            self.tree[keep],
        )

    def split(self) -> tuple[FlatTree, ...]:
        """The single trees, each with its root first."""
        nothing = np.zeros(len(self), bool)
        return tuple(self.kept(self.tree == t, nothing) for t in range(int(self.tree.max()) + 1))


@dataclass(eq=False)
class Grown:
    """Collects the nodes of growing trees, level by level."""

    n_classes: int
    k: int
    size: int = 0
    _tests: list[tuple[Codes, Codes, Mask, Numbers]] = field(default_factory=list)
    _counts: list[tuple[Codes, Counts]] = field(default_factory=list)
    _children: list[tuple[Codes, Codes]] = field(default_factory=list)
    _trees: int = 0

    def add_roots(self, count: int) -> Codes:
        self._trees = count
        return self._new(count)

    def add_children(self, parents: Codes) -> Codes:
        """The numbers of the two children of every parent, those that meet the test first."""
        ids = self._new(2 * len(parents)).reshape(-1, 2)
        self._children.append((parents, ids[:, 0]))
        return ids

    def _new(self, count: int) -> Codes:
        self.size += count
        return np.arange(self.size - count, self.size)

    def set_counts(self, ids: Codes, counts: Counts) -> None:
        self._counts.append((ids, counts))

    def set_tests(self, ids: Codes, places: Codes, meets: Mask, distribution: Numbers) -> None:
        self._tests.append((ids, places, meets, distribution))

    def finish(self) -> FlatTree:
        place = np.full(self.size, LEAF)
        left = np.full(self.size, LEAF)
        meets = np.zeros((self.size, self.k), bool)
        distribution = np.zeros((self.size, self.k))
        counts = np.zeros((self.size, self.n_classes), np.int64)
        level = np.zeros(self.size, np.intp)
        tree = np.zeros(self.size, np.intp)
        tree[: self._trees] = np.arange(self._trees)
        for ids, found in self._counts:
            counts[ids] = found
        for ids, places, met, x in self._tests:
            place[ids] = places
            meets[ids, : met.shape[1]] = met
            distribution[ids, : x.shape[1]] = x
        for parents, first in self._children:
            left[parents] = first
            for child in (first, first + 1):
                level[child] = level[parents] + 1
                tree[child] = tree[parents]
        return FlatTree(place, meets, left, counts, distribution, level, tree)
