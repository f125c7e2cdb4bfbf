"""A tree while it is being made: branches that know their people."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Counts, Numbers
from ppworkbench.core.publish.sample import Feature, Sample

Rows = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Split:
    """A feature and how it parts a group.

    Numbers are cut: a part ends with its threshold. Values are parts of their own, unless
    ``part_of`` puts several together; it is -1 for values that nobody in the group has.
    """

    feature: int
    gain: float
    thresholds: Numbers | None = None
    part_of: NDArray[np.intp] | None = None


@dataclass(eq=False, slots=True)
class Branch:
    """A group; without a split it is a leaf."""

    counts: Counts
    split: Split | None = None
    children: list[Branch] = field(default_factory=list)

    @property
    def size(self) -> int:
        """How many people the group has."""
        return int(self.counts.sum())

    def value(self) -> float:
        """How many outcomes the leaves are expected to tell right, each person left out in turn."""
        if self.split is None:
            return leaf_value(self.counts)
        return sum(child.value() for child in self.children)


def leaf_value(counts: Counts) -> float:
    """Expected number of people whose own outcome is drawn from the others of their group.

    ``sum_i c_i (c_i - 1) / (N - 1)``: the leave-one-out form of the mean leaf probability of the
    true outcome, so that a group cannot look good by being small.
    """
    people = int(counts.sum())
    return float((counts * (counts - 1)).sum()) / (people - 1) if people > 1 else 0.0


def parts_of(feature: Feature, split: Split, rows: Rows) -> tuple[NDArray[np.intp], int]:
    """The part of each person under a split, and the number of parts, empty ones included."""
    codes = feature.codes[rows]
    if split.part_of is not None:
        return split.part_of[codes], int(split.part_of.max()) + 1
    if split.thresholds is None or feature.numbers is None:
        return codes, feature.values
    borders = np.searchsorted(feature.numbers, split.thresholds, "right")
    parts = np.searchsorted(borders, codes, "right")
    segments = len(split.thresholds) + 1
    parts[codes < 0] = segments
    return parts, segments + feature.has_missing


def count_parts(
    sample: Sample, rows: Rows, parts: NDArray[np.intp], count: int
) -> NDArray[np.int64]:
    """Counts of outcomes in each part."""
    cells = parts * sample.outcomes + sample.outcome[rows]
    counted = np.bincount(cells, minlength=count * sample.outcomes)
    return counted.reshape(count, sample.outcomes).astype(np.int64)
