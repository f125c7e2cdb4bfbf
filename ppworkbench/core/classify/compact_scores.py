"""Compact summation: the share of a class's records that have at least one emerging pattern.

Patterns are subsets of the attributes in which a training record matches the test record. With few
attributes the supports of all subsets at once come from sums over supersets; with many, only short
patterns are looked at.
"""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.classify.classifier import Codes

Numbers = NDArray[np.float64]
Bits = NDArray[np.bool_]

MOST_ATTRIBUTES = 14
"""Beyond this there are too many subsets to look at all of them."""

_ROUNDING = 1e-9


class CompactScorer:
    """Scores classes by bits of their records.

    Parameters
    ----------
    classes, class_counts
        The class of every training record, and how many records each class has.
    attributes
        How many bits a record has.
    minimum
        The smallest support of a frequent pattern; one that is not frequent in the rest jumps.
    growth
        The smallest growth rate; infinite for jumping patterns only.
    longest
        The most bits of a pattern where there are more than 14 attributes.
    """

    def __init__(
        self,
        classes: Codes,
        class_counts: NDArray[np.int64],
        *,
        attributes: int,
        minimum: float,
        growth: float,
        longest: int,
    ) -> None:
        self._classes = classes
        self._counts = class_counts.astype(np.float64)
        self._attributes = attributes
        self._minimum, self._growth = minimum, growth
        self._places = 1 << np.arange(attributes, dtype=np.int64)
        self._order = np.argsort(classes, kind="stable")
        self._sets = (
            None
            if attributes <= MOST_ATTRIBUTES
            else [
                np.array(list(itertools.combinations(range(attributes), size)), np.intp)
                for size in range(1, longest + 1)
            ]
        )

    def score(self, bits: Bits) -> Numbers:
        """The compact score of every class; ``bits[a, i]`` tells whether record i matches in a."""
        if self._sets is None:
            return self._score_all(bits)
        return self._score_short(bits, self._sets)

    def _emerging(self, inside: Numbers) -> Bits:
        """Which patterns (columns) are emerging ones of which class (rows), from their counts."""
        n = self._counts[:, None]
        total = inside.sum(axis=0, keepdims=True)
        rest_n = np.maximum(self._counts.sum() - n, 1.0)
        support = inside / np.maximum(n, 1.0)
        rest = (total - inside) / rest_n
        frequent = (support >= self._minimum - _ROUNDING) & (inside > 0)
        jumps = (rest < self._minimum - _ROUNDING) | (total - inside <= 0)
        if np.isinf(self._growth):
            return np.asarray(frequent & jumps)
        return np.asarray(frequent & (jumps | (support >= self._growth * rest - _ROUNDING)))

    def _score_all(self, bits: Bits) -> Numbers:
        size = 1 << self._attributes
        pattern = self._places @ bits
        own = np.bincount(self._classes * size + pattern, minlength=len(self._counts) * size)
        records = own.reshape(len(self._counts), size).astype(np.float64)
        emerging = self._emerging(_over_supersets(records.copy(), self._attributes))
        # The empty pattern is in every record and tells nothing.
        emerging[:, 0] = False
        has = _any_subset(emerging, self._attributes)
        return np.asarray((records * has).sum(axis=1) / np.maximum(self._counts, 1.0))

    def _score_short(self, bits: Bits, sets: list[Codes]) -> Numbers:
        has = np.zeros((len(self._counts), bits.shape[1]), bool)
        indicator = np.equal.outer(np.arange(len(self._counts)), self._classes)
        weights = indicator.astype(np.float32)
        for members in sets:
            contained = bits[members[:, 0]]
            for column in members.T[1:]:
                contained = contained & bits[column]
            inside = (weights @ contained.T.astype(np.float32)).astype(np.float64)
            emerging = self._emerging(inside)
            for c in np.flatnonzero(emerging.any(axis=1)):
                has[c] |= contained[emerging[c]].any(axis=0)
        return np.asarray((has & indicator).sum(axis=1) / np.maximum(self._counts, 1.0))


def _over_supersets(counts: Numbers, attributes: int) -> Numbers:
    """Turn counts of exact patterns into counts of records that contain them, in place."""
    for bit in range(attributes):
        folded = counts.reshape(len(counts), -1, 2, 1 << bit)
        folded[:, :, 0, :] += folded[:, :, 1, :]
    return counts


def _any_subset(marked: Bits, attributes: int) -> Bits:
    """Whether a pattern or one of its subsets is marked, in place."""
    for bit in range(attributes):
        folded = marked.reshape(len(marked), -1, 2, 1 << bit)
        folded[:, :, 1, :] |= folded[:, :, 0, :]
    return marked
