"""Making the deniability-ensuring tree of a table.

Looking ahead and taking back, within a time.

The predicted accuracy is a sum over leaves, so the parts of a group can be searched on their own.
Looking ahead tries several features in a group, searches their parts one level less, and keeps
what is predicted to be most accurate; a split that predicts no better than its group is taken
back. The prediction leaves each person out in turn, or it would always favour the smallest groups.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Counts
from ppworkbench.core.data.attribute import MISSING_VALUE
from ppworkbench.core.data.missing import apply_missing_policies
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.publish.options import DRAW, DeniabilityOptions
from ppworkbench.core.publish.ratings import (
    Branch,
    Rows,
    Split,
    count_parts,
    leaf_value,
    parts_of,
    rate_merged,
    rate_numbers,
    rate_values,
)
from ppworkbench.core.publish.sample import Sample, draw, shuffle
from ppworkbench.core.publish.tree import (
    SLACK,
    DeniabilityTree,
    Node,
    deniabilities,
    node_deniability,
)
from ppworkbench.core.rng import SecureStreams, Streams


def freeze(sample: Sample, root: Branch) -> DeniabilityTree:
    nodes: list[Node] = []
    waiting: deque[tuple[Branch, int | None, int]] = deque([(root, None, 0)])
    next_place = 1
    while waiting:
        branch, parent, part = waiting.popleft()
        children = tuple(range(next_place, next_place + len(branch.children)))
        next_place += len(children)
        place = len(nodes)
        above = None if parent is None else nodes[parent]
        nodes.append(_node(sample, branch, place, above, part, children))
        waiting.extend((child, place, i) for i, child in enumerate(branch.children))
    outcomes = sample.attribute.values
    if sample.has_missing:
        outcomes = (*outcomes, MISSING_VALUE)
    return DeniabilityTree(sample.attribute, outcomes, tuple(nodes), sample.has_missing)


def _node(
    sample: Sample,
    branch: Branch,
    place: int,
    above: Node | None,
    part: int,
    children: tuple[int, ...],
) -> Node:
    size = branch.size
    shares = branch.counts / size if size or above is None else above.shares
    split = branch.split
    feature = None if split is None else sample.features[split.feature]
    thresholds = None if split is None else split.thresholds
    return Node(
        place,
        None if above is None else above.place,
        part,
        0 if above is None else above.depth + 1,
        branch.counts,
        shares,
        node_deniability(branch.counts, 0.0 if above is None else above.deniability),
        None if feature is None else feature.attribute,
        () if thresholds is None else tuple(thresholds.tolist()),
        feature is not None and feature.has_missing,
        0.0 if split is None else split.gain,
        children,
        () if split is None or split.part_of is None else tuple(split.part_of.tolist()),
    )


WIDTH = 4
"""How many features are tried in a group, the best rated ones."""
_BETTER = 1e-9


class _OutOfTime(Exception):  # noqa: N818 (an answer, not a fault)
    pass


class LookAhead:
    """Exchanges splits for ones that are predicted to be more accurate, as long as there is time.

    After the split of a group is chosen the search goes on in its parts, so that every group gets
    the same number of levels to look at. If the time does not end the result is always the same.
    """

    def __init__(
        self,
        sample: Sample,
        options: DeniabilityOptions,
        progress: Progress = silent,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._sample = sample
        self._options = options
        self._progress = progress
        self._clock = clock
        self._end = clock() + options.seconds

    def improve(self, root: Branch, rows: Rows, used: Used) -> None:
        """Look one level ahead everywhere, then two, until the wanted depth or the time is up."""
        prune(root)
        try:
            for depth in range(1, self._options.look_ahead + 1):
                self._improve(root, rows, used, depth)
        except _OutOfTime:
            return

    def _improve(self, branch: Branch, rows: Rows, used: Used, depth: int) -> None:
        found = self._searched(branch, rows, used, depth)
        if found.value() > branch.value() + _BETTER:
            branch.split, branch.children = found.split, found.children
        if branch.split is None:
            return
        members = members_of(self._sample, branch, branch.split, rows)
        path = _with(used, branch.split.feature)
        for child, own in zip(branch.children, members, strict=True):
            if len(own):
                self._improve(child, own, path, depth)

    def _searched(self, branch: Branch, rows: Rows, used: Used, depth: int) -> Branch:
        self._watch()
        if depth == 0:
            grown = Branch(branch.counts)
            grow(self._sample, Frontier.of(grown, rows, used), self._options, self._watch)
            prune(grown)
            return grown
        best, best_value = Branch(branch.counts), leaf_value(branch.counts)
        for split in self._candidates(branch, rows, used):
            tried = Branch(branch.counts)
            members = split_branch(self._sample, tried, split, rows)
            path = _with(used, split.feature)
            for child, own in zip(tried.children, members, strict=True):
                if len(own):
                    found = self._searched(child, own, path, depth - 1)
                    child.split, child.children = found.split, found.children
            value = tried.value()
            if value > best_value + _BETTER:
                best, best_value = tried, value
        return best

    def _candidates(self, branch: Branch, rows: Rows, used: Used) -> list[Split]:
        frontier = Frontier.of(branch, rows, used)
        ratings, cuts = rate(self._sample, frontier, self._options, self._watch)
        order = np.argsort(-ratings[0], kind="stable")[:WIDTH].tolist()
        return [
            cuts.get((0, feature)) or Split(feature, float(ratings[0, feature]))
            for feature in order
            if ratings[0, feature] > self._options.epsilon
        ]

    def _watch(self, done: float = 0.0, message: str = "") -> None:
        self._progress(done, message)
        if self._clock() >= self._end:
            raise _OutOfTime


def prune(branch: Branch) -> float:
    """Take back splits that are predicted to tell no more than their group; what is left."""
    alone = leaf_value(branch.counts)
    if branch.split is None:
        return alone
    apart = sum(prune(child) for child in branch.children)
    if apart > alone + _BETTER:
        return apart
    branch.split, branch.children = None, []
    return alone


def _with(used: Used, feature: int) -> Used:
    changed = used.copy()
    changed[feature] = True
    return changed


def make_tree(
    sample: Sample,
    options: DeniabilityOptions | None = None,
    progress: Progress = silent,
    clock: Callable[[], float] = time.monotonic,
) -> DeniabilityTree:
    """Group people so that outcomes differ between groups, but nobody's is certain.

    Parameters
    ----------
    sample
        The people, their features and outcomes.
    clock
        Seconds that pass, for the time of looking ahead.

    Raises
    ------
    DataError
        When the whole table is less deniable than the minimum.
    """
    options = options or DeniabilityOptions()
    check_reachable(sample, options)
    root, everybody = Branch(sample.counts), np.arange(sample.rows)
    used: Used = np.zeros(len(sample.features), np.bool_)
    grow(sample, Frontier.of(root, everybody, used), options, progress)
    if options.look_ahead:
        LookAhead(sample, options, progress, clock).improve(root, everybody, used)
    return freeze(sample, root)


def whole_deniability(sample: Sample) -> float:
    """The deniability of everybody as one group: no minimum can be higher."""
    return float(deniabilities(sample.counts, sample.outcomes))


def is_reachable(sample: Sample, options: DeniabilityOptions) -> bool:
    return whole_deniability(sample) >= options.min_deniability - SLACK


def check_reachable(sample: Sample, options: DeniabilityOptions) -> None:
    """Refuse in one sentence what not even the table as a whole reaches."""
    if is_reachable(sample, options):
        return
    name = sample.attribute.name
    whole = whole_deniability(sample)
    if whole == 0:
        who = Message(
            "The only person in the table" if sample.rows == 1 else "All respondents in the table"
        )
        said = Message(
            "{who} gave the same answer to {attribute!r}, which cannot be denied; choose "
            "another attribute or more records.",
            who=who,
            attribute=name,
        )
    else:
        # Rounded down, so that the advice can be followed.
        reached = Message("{percent:g} %", percent=math.floor(1000 * whole) / 10)
        said = Message(
            "The whole table has a deniability of {reached} for {attribute!r}, so "
            "{min_deniability:.4g} % is not possible; choose at most {reached}.",
            attribute=name,
            reached=reached,
            min_deniability=100 * options.min_deniability,
        )
    raise DataError(said, attribute=name, field="min_deniability")


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
    parts, _ = parts_of(sample.features[split.feature], split, rows)
    return _members(rows, parts, np.array([child.counts for child in branch.children]))


def _members(rows: Rows, parts: NDArray[np.intp], counted: Counts) -> list[Rows]:
    ends = np.cumsum(counted.sum(axis=1))
    return np.split(rows[np.argsort(parts, kind="stable")], ends[:-1])


@dataclass(frozen=True, eq=False)
class Publication:
    """A published table, the groups behind it, and how many answers differ from the truth."""

    table: Table
    tree: DeniabilityTree
    changed: int
    notes: tuple[str, ...] = ()


def publish(
    table: Table,
    sensitive: str,
    options: DeniabilityOptions | None = None,
    *,
    features: tuple[str, ...] | None = None,
    streams: Streams | None = None,
    progress: Progress = silent,
) -> Publication:
    """Exchange the answers to one attribute within groups that are deniable enough.

    Rows keep their order and all other columns stay as they are.

    Parameters
    ----------
    features
        The attributes that groups may be split on; all others if None.
    streams
        Where random numbers come from; the operating system if None. Seeded ones are for study:
        who knows the seed knows who was exchanged.

    Raises
    ------
    DataError
        In one sentence, when the attribute cannot be denied or the minimum cannot be reached.
    """
    prepared = apply_missing_policies(table)
    sample = Sample.of(prepared.table, sensitive, features, progress)
    tree = make_tree(sample, options, part(progress, 0.0, 0.9))
    made = publish_with(tree, prepared.table, options, streams)
    progress(1.0, Message("{changed:,} answers changed", changed=made.changed))
    notes = tuple(
        Message("{attribute}: {sentence}", attribute=name, sentence=Message.of(said))
        for name, said in prepared.sentences.items()
    )
    return Publication(made.table, tree, made.changed, notes)


def publish_with(
    tree: DeniabilityTree,
    table: Table,
    options: DeniabilityOptions | None = None,
    streams: Streams | None = None,
) -> Publication:
    """Exchange the answers of a table within the groups of a tree that is made already."""
    options, streams = options or DeniabilityOptions(), streams or SecureStreams()
    column = table[tree.attribute.name]
    outcome = np.where(column.missing, column.attribute.k, column.data).astype(np.intp)
    stream = streams.stream("publish", options.manner, column.name)
    groups = tree.groups_of(table)
    if options.manner == DRAW:
        published = draw(tree, groups, stream)
    else:
        published = shuffle(groups, outcome, stream)
    data = np.where(published == column.attribute.k, -1, published)
    changed = int(np.count_nonzero(published != outcome))
    # Which code a missing answer held is the truth about one person.
    return Publication(table.replace(Column(column.attribute, data)), tree, changed)
