"""Trees from samples of the same training records.

Pruning by the minimum description length.

A leaf costs ``1 + errors``; an inner node ``1 + test + both children``, where a test on numbers
costs 1 and one on values ``ln n`` with n the number of tests on that attribute in the tree. A node
becomes a leaf where that costs less (Mehta, Rissanen and Agrawal 1995; Mehta, Agrawal and Rissanen
1996).

Growing trees level by level: all open nodes of all trees at once.

Every level counts the records of its nodes once, reconstructs what is to be reconstructed, finds
the best test of every node and sends the records on. Nothing is done record by record or node by
node, so that several small trees cost little more than one.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Codes, Mask, Numbers
from ppworkbench.core.classify.training import Predictor, Training
from ppworkbench.core.classify.tree.division import Division, count_records, histograms
from ppworkbench.core.classify.tree.estimates import em_rows, estimate
from ppworkbench.core.classify.tree.families import (
    Family,
    System,
    assigned_system,
    families_of,
    system_of,
)
from ppworkbench.core.classify.tree.flat import FlatTree, Grown
from ppworkbench.core.classify.tree.level import UNKNOWN, Level, Source, joined
from ppworkbench.core.classify.tree.node import leaf_class_probabilities
from ppworkbench.core.classify.tree.params import (
    BY_CLASS,
    GLOBAL,
    LOCAL,
    LOCAL_ALL,
    NONE,
    TreeParams,
)
from ppworkbench.core.kernels import Kernel, compile_soon
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.reconstruct.assign import assign_intervals, assign_values
from ppworkbench.core.rng import SeededStreams


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


KERNELS: tuple[Kernel, ...] = (count_records, em_rows)

WORTH_COMPILING = 1_000_000
"""Answers in all records of all trees from which compiled loops save more than they cost."""


class _Work:
    """Counts answers that trees have grown from, and begins to compile when they are many."""

    def __init__(self) -> None:
        self._answers = 0

    def add(self, answers: int) -> None:
        """Note work; two threads that do so at once may start late, never twice."""
        self._answers += answers
        if self._answers >= WORTH_COMPILING:
            compile_soon(KERNELS)


work = _Work()


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
    def __init__(self, source: Source, params: TreeParams, generator: np.random.Generator) -> None:
        self._source, self._params, self._generator = source, params, generator
        self._rule = params.stop_rule
        self.grown = Grown(source.n_classes, max(family.k for family in source.families))

    def start(self, samples: Sequence[Codes]) -> Level:
        rows = np.concatenate(samples)
        nodes = np.repeat(np.arange(len(samples)), [len(sample) for sample in samples])
        assigned = None
        if self._source.remembers:
            assigned = np.full((len(rows), self._source.m), UNKNOWN, np.int16)
        free = np.ones((len(samples), self._source.m), bool)
        return Level(rows, nodes, self.grown.add_roots(len(samples)), free, assigned)

    def next_level(self, level: Level, depth: int) -> Level:
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


class Sources:
    """Makes the source of trees from training records, and remembers what all of them share."""

    def __init__(self, training: Training, params: TreeParams) -> None:
        self.training, self._params = training, params
        self._rule = params.stop_rule
        numbers, values = params.algorithms.split(".")
        names = {"AS": "as", "EM": "em"}
        self._systems: list[System] | None = None
        self._families: tuple[Family, ...] | None = None
        if params.reconstruction in (GLOBAL, BY_CLASS, LOCAL, LOCAL_ALL):
            self._systems = [
                system_of(training, place, names[numbers])
                for place in range(len(training.predictors))
            ]
            self._families = families_of(self._systems, training.n_classes, values == "EQ")

    @property
    def is_local(self) -> bool:
        return self._params.reconstruction in (LOCAL, LOCAL_ALL)

    @property
    def numeric(self) -> NDArray[np.bool_]:
        return np.array([predictor.is_numeric for predictor in self.training.predictors])

    def shared(self) -> Source | None:
        """The source of all samples, where values are not assigned to each sample by itself."""
        if self.is_local:
            assert self._families is not None  # noqa: S101 (made above)
            families = self._families
            if self._params.reuse:
                families = tuple(family.remembering() for family in families)
            return self._source(families, self.training.classes, ordered=True)
        if self._families is None:
            return self._plain(self.training, list(self.own_codes))
        return None

    def assigned(self, samples: Sequence[Codes], seeds: Sequence[int]) -> Source:
        """One source of all samples, one after the other, each with reconstructed values.

        The values are those that records get in the root of their own sample.
        """
        pairs = zip(samples, seeds, strict=True)
        codes = [self._values(sample, seed) for sample, seed in pairs]
        together = [np.concatenate(parts) for parts in zip(*codes, strict=True)]
        return self._plain(self.training.take(np.concatenate(samples)), together)

    def _values(self, sample: Codes, seed: int) -> list[Codes]:
        training = self.training.take(sample)
        assert self._families is not None  # noqa: S101 (only asked for then)
        by_class = self._params.reconstruction == BY_CLASS
        classes = training.classes if by_class else np.zeros(training.rows, np.intp)
        groups = training.n_classes if by_class else 1
        codes: list[Codes] = [np.empty(0, np.intp)] * len(training.predictors)
        for family in self._families:
            rows, root = np.arange(training.rows), np.zeros(training.rows, np.intp)
            shape = (1, groups, family.cells)
            counts = histograms(rows, root, family.codes[sample], classes, shape)
            wanted = np.ones((family.m, groups), bool)
            found = estimate(family, counts[0], self._rule, wanted)
            for a, place in enumerate(family.places):
                x = found[a, :, : family.sizes[a]]
                codes[place] = self._assign(training, place, x, classes, seed)
        return codes

    def _assign(
        self, training: Training, place: int, x: Numbers, classes: Codes, seed: int
    ) -> Codes:
        predictor = training.predictors[place]
        data = training.columns[place].data
        assert self._systems is not None  # noqa: S101 (made above)
        system = self._systems[place]
        if system.is_undistorted:
            return _own_codes(predictor, training, place)
        if predictor.is_numeric:
            numbers = data.astype(np.float64)
            return assign_intervals(numbers, x, classes=classes, seed=seed).astype(np.intp)
        return assign_values(data, x, system.matrix, classes=classes, seed=seed).astype(np.intp)

    @cached_property
    def own_codes(self) -> tuple[Codes, ...]:
        """The cells of X that distorted answers would be in if they were original ones."""
        predictors = enumerate(self.training.predictors)
        return tuple(_own_codes(predictor, self.training, j) for j, predictor in predictors)

    def _plain(self, training: Training, codes: list[Codes]) -> Source:
        pairs = zip(training.predictors, codes, strict=True)
        systems = [assigned_system(p, c) for p, c in pairs]
        families = families_of(systems, training.n_classes)
        return self._source(families, training.classes, ordered=False)

    def _source(self, families: tuple[Family, ...], classes: Codes, ordered: bool) -> Source:
        numbers = tuple(
            column.data.astype(np.float64) if ordered and predictor.is_numeric else None
            for predictor, column in zip(
                self.training.predictors, self.training.columns, strict=True
            )
        )
        together = self._params.reconstruction == LOCAL_ALL
        remembers = ordered and self._params.reuse
        return Source(families, numbers, classes, self.training.n_classes, together, remembers)


def _own_codes(predictor: Predictor, training: Training, place: int) -> Codes:
    data = training.columns[place].data
    if not predictor.is_numeric or data.dtype.kind == "f":
        return predictor.x_codes(data)
    # Published intervals: the likeliest cell of X.
    return np.asarray(np.argmax(predictor.channel, axis=1)[training.z_codes[place]])


class Forest:
    """Grows trees of one setting from samples, and classifies the distorted records themselves."""

    def __init__(self, training: Training, params: TreeParams, seed: int) -> None:
        self.training, self.params = training, params
        self._streams = SeededStreams(seed)
        self._sources = Sources(training, params)
        self._shared: Source | None = self._sources.shared()

    def grow(
        self, samples: Sequence[Codes], name: str, progress: Progress = silent
    ) -> tuple[FlatTree, ...]:
        """One pruned tree from each sample of positions; ``name`` names the random stream."""
        generator = self._streams.generator("tree", name)
        work.add(sum(len(sample) for sample in samples) * len(self.training.predictors))
        if self._shared is not None:
            return self._grown(self._shared, samples, generator, progress)
        progress(0.0, "assigning values")
        seeds = generator.integers(1 << 62, size=len(samples)).tolist()
        source = self._sources.assigned(samples, seeds)
        ends = np.cumsum([len(sample) for sample in samples])
        places = np.split(np.arange(ends[-1]), ends[:-1])
        return self._grown(source, places, generator, progress)

    def _grown(
        self,
        source: Source,
        samples: Sequence[Codes],
        generator: np.random.Generator,
        progress: Progress,
    ) -> tuple[FlatTree, ...]:
        tree = grow(source, samples, self.params, generator, progress)
        if self.params.prune:
            tree = prune(tree, self._sources.numeric)
        return tree.split()

    def classify_training(self, tree: FlatTree) -> Codes:
        plain = self.params.reconstruction == NONE
        codes = self._sources.own_codes if plain else self.training.z_codes
        found = leaf_class_probabilities(
            tree, self.training.predictors, codes, self.params.retention, not plain
        )
        return np.asarray(np.argmax(found, axis=1))
