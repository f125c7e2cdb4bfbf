"""Growing trees level by level: all open nodes of all trees at once.

Every level counts the records of its nodes once, reconstructs what is to be reconstructed, finds
the best test of every node and sends the records on. Nothing is done record by record or node by
node, so that eighty small trees cost little more than one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.classify.tree.estimates import estimate
from ppworkbench.core.classify.tree.families import Family
from ppworkbench.core.classify.tree.flat import FlatTree, Grown
from ppworkbench.core.classify.tree.histograms import histograms
from ppworkbench.core.classify.tree.joint import moved_counts, ordered_counts
from ppworkbench.core.classify.tree.params import TreeParams
from ppworkbench.core.classify.tree.quotas import apportion_rows, first_taken, moves
from ppworkbench.core.classify.tree.routing import choose_records
from ppworkbench.core.classify.tree.subsets import best_subsets
from ppworkbench.core.classify.tree.thresholds import best_thresholds
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.reconstruct.stopping import StopRule

Numbers = NDArray[np.float64]
Codes = NDArray[np.intp]
Mask = NDArray[np.bool_]

_MOST_CELLS = 1 << 22
"""Cells of a histogram that are worked on at once."""


@dataclass(frozen=True, eq=False)
class Source:
    """What trees grow from.

    Parameters
    ----------
    families
        The attributes, grouped.
    numbers
        The distorted numbers of each predictor, by which records go into intervals; None where
        chance decides.
    classes
        The class code of every record.
    """

    families: tuple[Family, ...]
    numbers: tuple[Numbers | None, ...]
    classes: Codes
    n_classes: int
    together: bool = False
    """Whether all classes are reconstructed together."""

    @property
    def m(self) -> int:
        """How many predictors there are."""
        return len(self.numbers)


@dataclass(eq=False)
class _Level:
    """The open nodes of one level, with the records in them."""

    rows: Codes
    nodes: Codes
    ids: Codes
    free: Mask
    """``free[node, j]``: whether predictor j may still be tested."""

    def keep(self, wanted: Mask) -> _Level:
        """Only these nodes, numbered anew."""
        new = np.cumsum(wanted) - 1
        inside = wanted[self.nodes]
        return _Level(
            self.rows[inside], new[self.nodes[inside]], self.ids[wanted], self.free[wanted]
        )


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
    rows = np.concatenate(samples)
    nodes = np.repeat(np.arange(len(samples)), [len(sample) for sample in samples])
    grown = Grown(source.n_classes, max(family.k for family in source.families))
    ids = grown.add_roots(len(samples))
    level = _Level(rows, nodes, ids, np.ones((len(samples), source.m), bool))
    rule = params.stop_rule
    depth = 0
    while len(level.ids):
        progress(depth / (depth + 4), f"level {depth + 1}, {len(level.ids)} nodes")
        counts = np.bincount(
            level.nodes * source.n_classes + source.classes[level.rows],
            minlength=len(level.ids) * source.n_classes,
        ).reshape(-1, source.n_classes)
        grown.set_counts(level.ids, counts)
        level = level.keep(_divisible(counts, level, source, params, depth))
        level = _divided(source, level, params, rule, generator, grown)
        depth += 1
    return grown.finish()


def _divisible(
    counts: NDArray[np.int64], level: _Level, source: Source, params: TreeParams, depth: int
) -> Mask:
    """Which nodes are worth a test: neither pure, nor small, nor without attributes."""
    n = counts.sum(axis=1)
    errors = n - counts.max(axis=1)
    # Two leaves cost 2 and a test on values may be free: fewer errors than that never pay.
    fewest = 1
    if params.prune:
        fewest = 3 if all(family.is_numeric for family in source.families) else 2
    wanted = (errors >= fewest) & (n >= params.smallest) & level.free.any(axis=1)
    if params.depth is not None and depth >= params.depth:
        wanted[:] = False
    return np.asarray(wanted)


def _divided(
    source: Source,
    level: _Level,
    params: TreeParams,
    rule: StopRule,
    generator: np.random.Generator,
    grown: Grown,
) -> _Level:
    """The children of all nodes of a level, block by block."""
    if not len(level.ids):
        return level
    cells = sum(f.m * max(f.cells, f.k) for f in source.families) * source.n_classes
    step = max(1, _MOST_CELLS // cells)
    children = []
    for start in range(0, len(level.ids), step):
        block = level
        if len(level.ids) > step:
            here = np.zeros(len(level.ids), bool)
            here[start : start + step] = True
            block = level.keep(here)
        children.append(_children(source, block, params, rule, generator, grown))
    if len(children) == 1:
        return children[0]
    offsets = np.cumsum([0, *(len(child.ids) for child in children[:-1])])
    return _Level(
        np.concatenate([child.rows for child in children]),
        np.concatenate([c.nodes + o for c, o in zip(children, offsets, strict=True)]),
        np.concatenate([child.ids for child in children]),
        np.concatenate([child.free for child in children]),
    )


def _children(
    source: Source,
    block: _Level,
    params: TreeParams,
    rule: StopRule,
    generator: np.random.Generator,
    grown: Grown,
) -> _Level:
    parts = [_FamilyLevel(source, family, block, rule) for family in source.families]
    best = np.full((len(block.ids), source.m), -np.inf)
    for part in parts:
        best[:, part.family.places] = np.where(
            block.free[:, part.family.places], part.purity, -np.inf
        )
    chosen = np.argmax(best, axis=1)
    possible = np.take_along_axis(best, chosen[:, None], 1)[:, 0] > -np.inf
    left = np.zeros(len(block.rows), bool)
    for part in parts:
        column = np.full(source.m, -1)
        column[part.family.places] = np.arange(part.family.m)
        here = np.flatnonzero(possible & (column[chosen] >= 0))
        if len(here):
            own = column[chosen[here]]
            grown.set_tests(
                block.ids[here], chosen[here], part.meets[here, own], part.distribution(here, own)
            )
            part.send(here, own, left, generator)
    children = grown.add_children(block.ids[possible])
    free = block.free[possible]
    if not params.reuse:
        free = free.copy()
        free[np.arange(len(free)), chosen[possible]] = False
    kept = _Level(block.rows, block.nodes, block.ids, block.free).keep(possible)
    meets = left[possible[block.nodes]]
    nodes = 2 * kept.nodes + ~meets
    return _Level(kept.rows, nodes, children.ravel(), np.repeat(free, 2, axis=0))


class _FamilyLevel:
    """One family in one block of nodes: counts, estimates, best tests, and who meets them."""

    def __init__(self, source: Source, family: Family, block: _Level, rule: StopRule) -> None:
        self.family, self._source, self._block = family, source, block
        self._together = source.together
        nodes = len(block.ids)
        shape = (nodes, source.n_classes, family.cells)
        self.counts = histograms(block.rows, block.nodes, family.codes, source.classes, shape)
        self.estimates = self._estimated(rule)
        self.purity, self.meets = self._tests()

    def _estimated(self, rule: StopRule) -> Numbers:
        """``x[node, a, g, p]`` with g the class, or only one g where classes are together."""
        counts = self.counts.sum(axis=2, keepdims=True) if self._together else self.counts
        nodes, m, groups, cells = counts.shape
        turned = counts.transpose(1, 0, 2, 3).reshape(m, nodes * groups, cells)
        wanted = np.repeat(self._block.free[:, self.family.places].T, groups, axis=1)
        found = estimate(self.family, turned, rule, wanted)
        return found.reshape(m, nodes, groups, self.family.k).transpose(1, 0, 2, 3)

    def _tests(self) -> tuple[Numbers, Mask]:
        family, nodes = self.family, len(self._block.ids)
        self.by_class = self._class_counts()
        if family.is_numeric:
            return best_thresholds(self.by_class)
        flat = self.by_class.reshape(nodes * family.m, family.k, -1)
        best, meets = best_subsets(flat, np.tile(family.sizes, nodes))
        return best.reshape(nodes, family.m), meets.reshape(nodes, family.m, family.k)

    def _class_counts(self) -> Numbers:
        """``counts[node, a, p, c]``: how many records of every class have each value of X."""
        nodes, m, n_classes, cells = self.counts.shape
        k = self.family.k
        if not self._together:
            n = self.counts.sum(axis=3)
            return np.asarray((self.estimates * n[..., None]).transpose(0, 1, 3, 2))
        counts = self.counts.reshape(nodes * m, n_classes, cells)
        share = self.estimates.reshape(nodes * m, k)
        if self.family.is_numeric:
            found = ordered_counts(counts, share)
        else:
            found = moved_counts(counts, share, np.tile(self.family.matrix, (nodes, 1, 1)))
        return found.reshape(nodes, m, k, n_classes)

    def distribution(self, nodes: Codes, own: Codes) -> Numbers:
        """The reconstructed distribution of the tested attribute, all classes together."""
        found = self.by_class[nodes, own].sum(axis=2)
        return np.asarray(found / np.maximum(found.sum(axis=1, keepdims=True), 1e-300))

    def send(self, nodes: Codes, own: Codes, left: Mask, generator: np.random.Generator) -> None:
        """Say in ``left`` which records of these nodes meet their tests on attributes ``own``."""
        block, family = self._block, self.family
        where = np.full(len(block.ids), -1)
        where[nodes] = np.arange(len(nodes))
        records = np.flatnonzero(where[block.nodes] >= 0)
        rows, node = block.rows[records], where[block.nodes[records]]
        counts = self.counts[nodes, own]
        groups = node
        if self._together:
            counts = counts.sum(axis=1)
        else:
            groups = node * self._source.n_classes + self._source.classes[rows]
            counts = counts.reshape(-1, family.cells)
        taken = self._taken(nodes, own, counts)
        cells = family.codes[rows, own[node]]

        def keys(at: Codes) -> tuple[Numbers, ...]:
            chance = generator.random(len(at))
            if not family.is_numeric:
                return (chance,)
            return chance, self._numbers(rows[at], family.places[own[node[at]]])

        left[records] = choose_records(groups, cells, taken, counts, keys)

    def _taken(self, nodes: Codes, own: Codes, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many records of every group and cell of Z meet the test, by assigned values."""
        family = self.family
        n = counts.sum(axis=1)
        quotas = apportion_rows(self.estimates[nodes, own].reshape(len(counts), family.k), n)
        groups = len(counts) // len(nodes)
        meets = np.repeat(self.meets[nodes, own], groups, axis=0)
        if family.is_numeric:
            return first_taken(counts, np.where(meets, quotas, 0).sum(axis=1))
        matrix = np.repeat(family.matrix[own], groups, axis=0)
        moved = moves(counts, quotas, matrix, meets)
        return np.asarray(np.where(meets[:, None, :], moved, 0).sum(axis=2))

    def _numbers(self, rows: Codes, places: Codes) -> Numbers:
        """The distorted numbers of records, each in the attribute that its node tests."""
        found = np.zeros(len(rows))
        for place in np.unique(places):
            numbers = self._source.numbers[place]
            if numbers is not None:
                here = places == place
                found[here] = numbers[rows[here]]
        return found
