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
from collections.abc import Callable

import numpy as np

from ppworkbench.core.data.attribute import MISSING_VALUE
from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.publish.branch import Branch, Rows, Split, leaf_value
from ppworkbench.core.publish.growth import Frontier, Used, grow, members_of, rate, split_branch
from ppworkbench.core.publish.options import DeniabilityOptions
from ppworkbench.core.publish.sample import Sample
from ppworkbench.core.publish.tree import DeniabilityTree, Node, node_deniability
from ppworkbench.core.publish.uncertainty import SLACK, deniabilities


def freeze(sample: Sample, root: Branch) -> DeniabilityTree:
    """The tree with its groups level by level."""
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
        """The best tree for a group that this depth finds."""
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
        """The features that qualify, the best rated first."""
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
    """Whether everybody as one group would do."""
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
