"""Growing trees level by level: all open nodes of all trees at once.

Every level counts the records of its nodes once, reconstructs what is to be reconstructed, finds
the best test of every node and sends the records on. Nothing is done record by record or node by
node, so that several small trees cost little more than one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.classify.tree.division import Division
from ppworkbench.core.classify.tree.flat import FlatTree, Grown
from ppworkbench.core.classify.tree.level import UNKNOWN, Codes, Level, Mask, Source, joined
from ppworkbench.core.classify.tree.params import TreeParams
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, silent

_MOST_CELLS = 1 << 22
"""Cells of histograms that are worked on at once."""


def grow(
    source: Source,
    samples: Sequence[Codes],
    params: TreeParams,
    generator: np.random.Generator,
    progress: Progress = silent,
) -> FlatTree:
    """Grow one tree from each sample of records.

    Parameters
    ----------
    samples
        The positions of the records of every tree; a record may come several times.
    """
    growth = _Growth(source, params, generator)
    level = growth.start(samples)
    depth = 0
    while len(level):
        progress(
            depth / (depth + 4),
            Message("level {depth}, {count} nodes", depth=depth + 1, count=len(level)),
        )
        level = growth.next_level(level, depth)
        depth += 1
    return growth.grown.finish()


class _Growth:
    """Trees on their way."""

    def __init__(self, source: Source, params: TreeParams, generator: np.random.Generator) -> None:
        self._source, self._params, self._generator = source, params, generator
        self._rule = params.stop_rule
        self.grown = Grown(source.n_classes, max(family.k for family in source.families))

    def start(self, samples: Sequence[Codes]) -> Level:
        """The roots."""
        rows = np.concatenate(samples)
        nodes = np.repeat(np.arange(len(samples)), [len(sample) for sample in samples])
        assigned = None
        if self._source.remembers:
            assigned = np.full((len(rows), self._source.m), UNKNOWN, np.int16)
        free = np.ones((len(samples), self._source.m), bool)
        return Level(rows, nodes, self.grown.add_roots(len(samples)), free, assigned)

    def next_level(self, level: Level, depth: int) -> Level:
        """The children of all nodes that are divided."""
        source = self._source
        counts = np.bincount(
            level.nodes * source.n_classes + source.classes[level.rows],
            minlength=len(level) * source.n_classes,
        ).reshape(-1, source.n_classes)
        self.grown.set_counts(level.ids, counts)
        level = level.keep(self._divisible(counts, level, depth))
        most = max(1, _MOST_CELLS // source.cells)
        return joined([self._children(block) for block in level.blocks(most)])

    def _divisible(self, counts: NDArray[np.int64], level: Level, depth: int) -> Mask:
        """Which nodes are worth a test: neither pure, nor small, nor without attributes."""
        params = self._params
        n = counts.sum(axis=1)
        errors = n - counts.max(axis=1)
        # Two leaves cost 2 and a test on values may be free: fewer errors than that never pay.
        fewest = 1
        if params.prune:
            fewest = 3 if all(family.is_numeric for family in self._source.families) else 2
        wanted = (errors >= fewest) & (n >= params.smallest) & level.free.any(axis=1)
        if params.depth is not None and depth >= params.depth:
            wanted[:] = False
        return np.asarray(wanted)

    def _children(self, level: Level) -> Level:
        if not len(level):
            return level
        families = self._source.families
        divisions = [Division(self._source, family, level, self._rule) for family in families]
        best = np.full((len(level), self._source.m), -np.inf)
        for division in divisions:
            best[:, division.family.places] = division.purity
        best[~level.free] = -np.inf
        chosen = np.argmax(best, axis=1)
        possible = best[np.arange(len(level)), chosen] > -np.inf
        left = np.zeros(len(level.rows), bool)
        for division in divisions:
            self._divide(level, division, np.where(possible, chosen, -1), left)
        children = self.grown.add_children(level.ids[possible])
        kept = level.keep(possible)
        free = kept.free
        if not self._params.reuse:
            free = free.copy()
            free[np.arange(len(free)), chosen[possible]] = False
        nodes = 2 * kept.nodes + ~left[possible[level.nodes]]
        return Level(kept.rows, nodes, children.ravel(), np.repeat(free, 2, axis=0), kept.assigned)

    def _divide(self, level: Level, division: Division, chosen: Codes, left: Mask) -> None:
        """Put down the tests on a family's attributes, and in ``left`` who meets them."""
        column = np.full(self._source.m + 1, -1)
        column[division.family.places] = np.arange(division.family.m)
        own = column[chosen]
        nodes = np.flatnonzero(own >= 0)
        if not len(nodes):
            return
        own = own[nodes]
        self.grown.set_tests(
            level.ids[nodes],
            chosen[nodes],
            division.meets[nodes, own],
            division.distribution(nodes, own),
        )
        records, meets, values = division.send(nodes, own, self._generator)
        left[records] = meets
        if values is not None and level.assigned is not None:
            level.assigned[records, chosen[level.nodes[records]]] = values
