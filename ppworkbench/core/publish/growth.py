"""Growing a tree greedily, all groups of a level at once.

Every group is split on the feature that rates best, each feature at most once on a path, until no
feature qualifies or the best one rates epsilon or less (Haque and Rizvee, algorithm 2). A leaf
holds the shares of its own people: the printed text takes those of the group above, but the leaf
itself is deniable enough, or it would not have been made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Counts
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.publish.branch import Branch, Rows, Split, count_parts, parts_of
from ppworkbench.core.publish.options import DeniabilityOptions
from ppworkbench.core.publish.ratings import rate_merged, rate_numbers, rate_values
from ppworkbench.core.publish.sample import Sample

Used = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Frontier:
    """Groups that may still be split, and who is in them.

    ``place`` is the group of each of the rows; rows are in the order of their groups. ``used``
    tells for every group which features its path has used.
    """

    branches: list[Branch]
    rows: Rows
    place: NDArray[np.intp]
    used: Used

    @classmethod
    def of(cls, branch: Branch, rows: Rows, used: Used) -> Frontier:
        """One group."""
        return cls([branch], rows, np.zeros(len(rows), np.intp), used[None, :])

    def starts(self) -> NDArray[np.intp]:
        """Where the rows of each group begin, and the end."""
        found: NDArray[np.intp] = np.searchsorted(self.place, np.arange(len(self.branches) + 1))
        return found


def grow(
    sample: Sample, frontier: Frontier, options: DeniabilityOptions, progress: Progress = silent
) -> None:
    """Split the groups, their parts, and so on until nothing more qualifies."""
    while frontier.branches:
        best = best_splits(sample, frontier, options, progress)
        frontier = split_groups(sample, frontier, best)


def best_splits(
    sample: Sample, frontier: Frontier, options: DeniabilityOptions, progress: Progress = silent
) -> list[Split | None]:
    """The best split of every group; None where none is good enough."""
    ratings, cuts = rate(sample, frontier, options, progress)
    if not sample.features:
        return [None] * len(frontier.branches)
    chosen = ratings.argmax(axis=1).tolist()
    found: list[Split | None] = []
    for group, feature in enumerate(chosen):
        gain = float(ratings[group, feature])
        cut = cuts.get((group, feature))
        found.append((cut or Split(feature, gain)) if gain > options.epsilon else None)
    return found


def rate(
    sample: Sample, frontier: Frontier, options: DeniabilityOptions, progress: Progress = silent
) -> tuple[NDArray[np.float64], dict[tuple[int, int], Split]]:
    """The rating of every feature in every group, and the splits that were searched for."""
    groups, starts = len(frontier.branches), frontier.starts()
    counts: Counts = np.array([branch.counts for branch in frontier.branches])
    ratings = np.full((groups, len(sample.features)), -np.inf)
    cuts: dict[tuple[int, int], Split] = {}
    # Fewer people than two smallest groups cannot be parted at all.
    divisible = counts.sum(axis=1) >= 2 * options.smallest_group
    for number, feature in enumerate(sample.features):
        progress(0.0)
        unused = np.flatnonzero(~frontier.used[:, number] & divisible)
        if len(unused) == 0:
            continue
        if feature.numbers is None and not options.merge_values:
            rated = rate_values(sample, feature, frontier.place, frontier.rows, counts, options)
            ratings[unused, number] = rated[unused]
            continue
        find = rate_merged if feature.numbers is None else rate_numbers
        for group in unused.tolist():
            progress(0.0)
            rows = frontier.rows[starts[group] : starts[group + 1]]
            split = find(sample, number, rows, counts[group], options)
            ratings[group, number] = split.gain
            cuts[group, number] = split
    return ratings, cuts


def split_groups(sample: Sample, frontier: Frontier, splits: Sequence[Split | None]) -> Frontier:
    """Carry out splits; what comes out are the parts that have people."""
    starts = frontier.starts()
    branches: list[Branch] = []
    rows: list[Rows] = []
    used: list[Used] = []
    for group, split in enumerate(splits):
        if split is None:
            continue
        branch = frontier.branches[group]
        members = split_branch(
            sample, branch, split, frontier.rows[starts[group] : starts[group + 1]]
        )
        path = frontier.used[group].copy()
        path[split.feature] = True
        for child, own in zip(branch.children, members, strict=True):
            if len(own):
                branches.append(child)
                rows.append(own)
                used.append(path)
    if not branches:
        nothing = np.empty(0, np.intp)
        return Frontier([], nothing, nothing, np.empty((0, len(sample.features)), np.bool_))
    place = np.repeat(np.arange(len(rows)), [len(own) for own in rows])
    return Frontier(branches, np.concatenate(rows), place, np.array(used))


def split_branch(sample: Sample, branch: Branch, split: Split, rows: Rows) -> list[Rows]:
    """Give a branch its children; the rows of each child come out."""
    parts, count = parts_of(sample.features[split.feature], split, rows)
    counted = count_parts(sample, rows, parts, count)
    branch.split = split
    branch.children = [Branch(counts) for counts in counted]
    return _members(rows, parts, counted)


def members_of(sample: Sample, branch: Branch, split: Split, rows: Rows) -> list[Rows]:
    """The rows of each child of a branch that is split already."""
    parts, _ = parts_of(sample.features[split.feature], split, rows)
    return _members(rows, parts, np.array([child.counts for child in branch.children]))


def _members(rows: Rows, parts: NDArray[np.intp], counted: Counts) -> list[Rows]:
    ends = np.cumsum(counted.sum(axis=1))
    return np.split(rows[np.argsort(parts, kind="stable")], ends[:-1])
