"""Looking ahead and taking back, within a time.

The predicted accuracy is a sum over leaves, so the parts of a group can be searched on their own.
Looking ahead tries several features in a group, searches their parts one level less, and keeps
what is predicted to be most accurate; a split that predicts no better than its group is taken
back. The prediction leaves each person out in turn, or it would always favour the smallest groups.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.publish.branch import Branch, Rows, Split, leaf_value
from ppworkbench.core.publish.growth import Frontier, Used, grow, members_of, rate, split_branch
from ppworkbench.core.publish.options import DeniabilityOptions
from ppworkbench.core.publish.sample import Sample

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
