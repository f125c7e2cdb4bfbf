"""One family of attributes in the open nodes of a level: counts, estimates, best tests, routes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.classify.tree.estimates import estimate
from ppworkbench.core.classify.tree.families import Family
from ppworkbench.core.classify.tree.histograms import histograms
from ppworkbench.core.classify.tree.joint import moved_counts, ordered_counts
from ppworkbench.core.classify.tree.level import UNKNOWN, Codes, Level, Mask, Numbers, Source
from ppworkbench.core.classify.tree.quotas import (
    apportion_rows,
    first_taken,
    moves,
    moves_in_order,
)
from ppworkbench.core.classify.tree.routing import assign_records, choose_records
from ppworkbench.core.classify.tree.subsets import best_subsets
from ppworkbench.core.classify.tree.thresholds import best_thresholds
from ppworkbench.core.reconstruct.stopping import StopRule

Counts = NDArray[np.int64]


class Division:
    """The best test of every node on every attribute of a family, and who meets it.

    Attributes
    ----------
    purity
        ``purity[node, a]`` of the best test; minus infinity where there is none.
    meets
        ``meets[node, a, p]``: whether cell p of X meets that test.
    """

    def __init__(self, source: Source, family: Family, level: Level, rule: StopRule) -> None:
        self.family, self._source, self._level = family, source, level
        self._codes, rows = self._current_codes()
        shape = (len(level), source.n_classes, family.cells)
        classes = source.classes if rows is level.rows else source.classes[level.rows]
        self._counts = histograms(rows, level.nodes, self._codes, classes, shape)
        self._estimates = self._estimated(rule)
        self._by_class = self._class_counts()
        self.purity, self.meets = self._tests()

    def _current_codes(self) -> tuple[NDArray[np.int32], Codes]:
        """The cells of records, and how rows of the level point into them."""
        family, level = self.family, self._level
        if level.assigned is None:
            return family.codes, level.rows
        told = level.assigned[:, family.places]
        codes = np.where(told == UNKNOWN, family.codes[level.rows], family.known + told)
        return codes.astype(np.int32), np.arange(len(level.rows))

    def _estimated(self, rule: StopRule) -> Numbers:
        """``x[node, a, g, p]`` with g the class, or only one g where classes are together."""
        counts = self._counts
        if self._source.together:
            counts = counts.sum(axis=2, keepdims=True)
        nodes, m, groups, cells = counts.shape
        turned = counts.transpose(1, 0, 2, 3).reshape(m, nodes * groups, cells)
        wanted = np.repeat(self._level.free[:, self.family.places].T, groups, axis=1)
        found = estimate(self.family, turned, rule, wanted)
        return found.reshape(m, nodes, groups, self.family.k).transpose(1, 0, 2, 3)

    def _class_counts(self) -> Numbers:
        """``counts[node, a, p, c]``: how many records of every class have each value of X."""
        nodes, m, n_classes, cells = self._counts.shape
        family = self.family
        if not self._source.together:
            n = self._counts.sum(axis=3)
            return np.asarray((self._estimates * n[..., None]).transpose(0, 1, 3, 2))
        counts = self._counts.reshape(nodes * m, n_classes, cells)
        distorted, told = counts[..., : family.known], counts[..., family.known :]
        share = self._estimates.reshape(nodes * m, family.k)
        if family.is_numeric:
            found = ordered_counts(distorted, share)
        else:
            matrix = np.tile(family.matrix[:, : family.known], (nodes, 1, 1))
            found = moved_counts(distorted, share, matrix)
        if told.shape[2]:
            found = found + told.transpose(0, 2, 1)
        return found.reshape(nodes, m, family.k, n_classes)

    def _tests(self) -> tuple[Numbers, Mask]:
        family, nodes = self.family, len(self._level)
        if family.is_numeric:
            return best_thresholds(self._by_class)
        flat = self._by_class.reshape(nodes * family.m, family.k, -1)
        best, meets = best_subsets(flat, np.tile(family.sizes, nodes))
        return best.reshape(nodes, family.m), meets.reshape(nodes, family.m, family.k)

    def distribution(self, nodes: Codes, own: Codes) -> Numbers:
        """The reconstructed distribution of the tested attribute, all classes together."""
        found = self._by_class[nodes, own].sum(axis=2)
        return np.asarray(found / np.maximum(found.sum(axis=1, keepdims=True), 1e-300))

    def send(
        self, nodes: Codes, own: Codes, generator: np.random.Generator
    ) -> tuple[Codes, Mask, Codes | None]:
        """Which records of these nodes meet their tests on attributes ``own``.

        Returns the positions of the records in the level, whether they meet, and the values of X
        that were assigned to them, where these are remembered.
        """
        level, family = self._level, self.family
        where = np.full(len(level), -1)
        where[nodes] = np.arange(len(nodes))
        records = np.flatnonzero(where[level.nodes] >= 0)
        rows, node = level.rows[records], where[level.nodes[records]]
        counts = self._counts[nodes, own]
        if self._source.together:
            groups, counts = node, counts.sum(axis=1)
        else:
            groups = node * self._source.n_classes + self._source.classes[rows]
            counts = counts.reshape(-1, family.cells)

        def keys(at: Codes) -> tuple[Numbers, ...]:
            chance = generator.random(len(at))
            if not family.is_numeric:
                return (chance,)
            return chance, self._source.numbers_of(rows[at], family.places[own[node[at]]])

        met = np.repeat(self.meets[nodes, own], len(counts) // len(nodes), axis=0)
        quotas = self._quotas(nodes, own, counts)
        if level.assigned is None:
            cells = self._codes[rows, own[node]]
            taken = self._taken(own, counts, quotas, met)
            return records, choose_records(groups, cells, taken, counts, keys), None
        cells = self._codes[records, own[node]]
        moved = self._moved(own, counts, quotas, met)
        values = assign_records(groups, cells, moved, keys)
        return records, met[groups, values], values

    def _quotas(self, nodes: Codes, own: Codes, counts: Counts) -> Counts:
        """How many of the records whose value is not known yet get which."""
        share = self._estimates[nodes, own].reshape(len(counts), self.family.k)
        return apportion_rows(share, counts[:, : self.family.known].sum(axis=1))

    def _taken(self, own: Codes, counts: Counts, quotas: Counts, met: Mask) -> Counts:
        """How many records of every group and cell of Z meet the test, by assigned values."""
        if self.family.is_numeric:
            return first_taken(counts, np.where(met, quotas, 0).sum(axis=1))
        moved = self._moved(own, counts, quotas, met)
        return np.asarray(np.where(met[:, None, :], moved, 0).sum(axis=2))

    def _moved(self, own: Codes, counts: Counts, quotas: Counts, met: Mask) -> Counts:
        """``moved[g, s, p]``: how many records of every group and cell get which value of X."""
        family, known = self.family, self.family.known
        if family.is_numeric:
            moved = moves_in_order(counts[:, :known], quotas)
        else:
            matrix = np.repeat(family.matrix[own, :known], len(counts) // len(own), axis=0)
            moved = moves(counts[:, :known], quotas, matrix, met)
        if known == family.cells:
            return moved
        told = counts[:, known:, None] * np.eye(family.k, dtype=np.int64)
        return np.concatenate([moved, told], axis=1)
