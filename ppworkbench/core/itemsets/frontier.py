"""The sets of one length that the next length grows from, and the candidates that grow."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers

Indices = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Frontier:
    """All kept sets of one length in lexicographic order.

    Parameters
    ----------
    members
        One row of ascending item positions per set.
    subsets
        ``subsets[i, j]`` is the place, among the sets that are one item shorter, of set i without
        its member j; the last column is thus the set that it grew from.
    shorter
        How many sets there are that are one item shorter.
    estimate, error
        The supports that the method believes in, as shares, and their errors.
    """

    members: Indices
    subsets: Indices
    shorter: int
    estimate: Numbers
    error: Numbers

    @classmethod
    def empty_set(cls) -> Frontier:
        """The only set of no items, which every record holds."""
        nothing = np.zeros((1, 0), np.int32)
        return cls(nothing, nothing, 1, np.ones(1), np.zeros(1))

    def __len__(self) -> int:
        return len(self.members)

    @property
    def length(self) -> int:
        return int(self.members.shape[1])

    @cached_property
    def last(self) -> Indices:
        return np.ascontiguousarray(self.members[:, -1])

    @cached_property
    def parents(self) -> Indices:
        """The shorter set that each set grew from: all its items but the last."""
        return np.ascontiguousarray(self.subsets[:, -1])

    @cached_property
    def child_start(self) -> Indices:
        """Where the sets that grew from each shorter set begin; one more entry than these."""
        counts = np.bincount(self.parents, minlength=self.shorter)
        return np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)

    @cached_property
    def siblings_end(self) -> Indices:
        """For every set, where those with the same parent end."""
        return self.child_start[self.parents + 1]


@dataclass(frozen=True, eq=False)
class Candidates:
    """Sets one item longer than a frontier's: set ``first`` plus the last item of ``second``.

    ``subsets`` are places in the frontier, as in :class:`Frontier`. At length 1 there is nothing to
    join: ``second`` is then the item itself.
    """

    first: Indices
    second: Indices
    subsets: Indices

    def __len__(self) -> int:
        return len(self.first)

    def last(self, frontier: Frontier) -> Indices:
        return self.second if frontier.length == 0 else frontier.last[self.second]

    def members(self, frontier: Frontier) -> Indices:
        return np.column_stack([frontier.members[self.first], self.last(frontier)])

    def choose(self, chosen: NDArray[np.bool_] | slice) -> Candidates:
        return Candidates(self.first[chosen], self.second[chosen], self.subsets[chosen])

    @staticmethod
    def concatenate(parts: list[Candidates], length: int) -> Candidates:
        if not parts:
            nothing = np.zeros(0, np.int32)
            return Candidates(nothing, nothing, np.zeros((0, length), np.int32))
        return Candidates(
            np.concatenate([part.first for part in parts]),
            np.concatenate([part.second for part in parts]),
            np.concatenate([part.subsets for part in parts]),
        )
