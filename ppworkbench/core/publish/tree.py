"""The deniability-ensuring tree, frozen: groups of people and the answers drawn in them.

The deniability of a group is ``H(outcomes of a group) / log2 n`` with n possible outcomes (Haque
and Rizvee, eq. 3): 0 when all gave the same answer, 1 when all answers are equally frequent.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Counts, Numbers
from ppworkbench.core.data.attribute import MISSING_VALUE, Attribute, Kind
from ppworkbench.core.data.numerals import number_text, shortest_number
from ppworkbench.core.data.table import Table, shorten
from ppworkbench.core.message import Message

SLACK = 1e-9
"""A group that misses the minimum by less only does so by rounding."""


def deniabilities(counts: NDArray[np.generic], outcomes: int) -> Numbers:
    """The deniability of every group; counts of outcomes lie along the last axis.

    A group without people has none.

    >>> deniabilities(np.array([[5, 5], [10, 0], [0, 0]]), 2).tolist()
    [1.0, 0.0, 0.0]
    """
    counts = np.asarray(counts, np.float64)
    if outcomes < 2:
        return np.zeros(counts.shape[:-1])
    sizes = counts.sum(axis=-1)
    # H = log2 N - sum c log2 c / N needs one logarithm a count and no division by zero.
    terms = counts * np.log2(np.maximum(counts, 1.0))
    whole = np.maximum(sizes, 1.0)
    bits = np.log2(whole) - terms.sum(axis=-1) / whole
    found: Numbers = np.clip(bits / math.log2(outcomes), 0.0, 1.0)
    return found


def largest_share(min_deniability: float, outcomes: int) -> float:
    """The largest share of a group that one answer can have at that deniability.

    It solves ``H(p) + (1 - p) log2(n - 1) = minD log2 n``: with the other answers equally
    frequent, one answer gets as far as the entropy allows.

    >>> round(largest_share(0.4, 2), 3), largest_share(1.0, 4), largest_share(0.0, 3)
    (0.921, 0.25, 1.0)
    """
    if outcomes < 2 or min_deniability <= 0:
        return 1.0
    wanted = min_deniability * math.log2(outcomes)
    low, high = 1 / outcomes, 1.0
    if min_deniability >= 1:
        return low
    for _ in range(60):
        middle = (low + high) / 2
        if _entropy(middle) + (1 - middle) * math.log2(max(outcomes - 1, 1)) >= wanted:
            low = middle
        else:
            high = middle
    return low


def _entropy(p: float) -> float:
    return -sum(x * math.log2(x) for x in (p, 1 - p) if x > 0)


_NAMED = 3
"""Values that are named where several share a part."""


@dataclass(frozen=True, eq=False)
class Node:
    """One group.

    Parameters
    ----------
    part
        Which part of the group above it is; 0 for everybody.
    counts
        How many people have each outcome; all 0 for a part that nobody is in.
    shares
        What is drawn from: the shares of the group itself, or of the one above if it is empty.
    feature
        The attribute it is split on; None for a leaf.
    thresholds
        Where a number is cut; a part holds what lies at or below its threshold.
    children
        Places of its parts in the tree.
    part_of
        The part of every value where several share one; -1 for a value nobody has.
    """

    place: int
    parent: int | None
    part: int
    depth: int
    counts: Counts
    shares: Numbers
    deniability: float
    feature: Attribute | None = None
    thresholds: tuple[float, ...] = ()
    has_missing: bool = False
    gain: float = 0.0
    children: tuple[int, ...] = ()
    part_of: tuple[int, ...] = ()

    @property
    def is_leaf(self) -> bool:
        return self.feature is None

    @property
    def size(self) -> int:
        return int(self.counts.sum())

    def part_name(self, part: int) -> str:
        """What a part of this group is called.

        The parts of numbers are named by what they hold: "under 35", "35 to 59", "60 and over".
        """
        assert self.feature is not None  # noqa: S101 (leaves have no parts)
        if self.part_of:
            names = (*self.feature.values, MISSING_VALUE)
            held = [names[value] for value, own in enumerate(self.part_of) if own == part]
            return shorten(held, _NAMED)
        if self.has_missing and part == len(self.children) - 1:
            return MISSING_VALUE
        if self.feature.kind.is_categorical:
            return self.feature.values[part]
        if not self.thresholds:
            return Message("any number")
        low = None if part == 0 else self.thresholds[part - 1]
        high = None if part == len(self.thresholds) else self.thresholds[part]
        if self.feature.kind is Kind.INTEGER:
            return _whole_range(low, high, self.feature.domain)
        return _range(low, high)


def _whole_range(low: float | None, high: float | None, domain: tuple[float, float] | None) -> str:
    """Whole numbers above one threshold and up to the next; a single one by itself."""
    first = None if low is None else float(np.floor(low)) + 1
    last = None if high is None else float(np.floor(high))
    lowest, highest = domain or (-np.inf, np.inf)
    if first is None:
        assert last is not None  # noqa: S101 (one of both is a threshold)
        # "0" says more than "under 1" where nothing is below.
        return (
            number_text(last)
            if last <= lowest
            else Message("under {last}", last=shortest_number(last + 1))
        )
    if last is None:
        return (
            number_text(first)
            if first >= highest
            else Message("{first} and over", first=shortest_number(first))
        )
    return (
        number_text(first)
        if first == last
        else Message("{low} to {high}", low=shortest_number(first), high=shortest_number(last))
    )


def _range(low: float | None, high: float | None) -> str:
    if low is None:
        return Message("up to {high}", high=_short(high))
    return (
        Message("over {low}", low=_short(low))
        if high is None
        else Message("{low} to {high}", low=_short(low), high=_short(high))
    )


def _short(number: float | None) -> Message:
    return Message("{number:.6g}", number=number)


@dataclass(frozen=True, eq=False)
class DeniabilityTree:
    """Groups, everybody first, every group before its parts.

    ``outcomes`` are the answers that can be drawn; a missing answer is the last of them if there
    were any.
    """

    attribute: Attribute
    outcomes: tuple[str, ...]
    nodes: tuple[Node, ...]
    has_missing: bool = False

    def __iter__(self) -> Iterator[Node]:
        return iter(self.nodes)

    @property
    def root(self) -> Node:
        return self.nodes[0]

    @cached_property
    def leaves(self) -> tuple[Node, ...]:
        """The groups in which answers are drawn and that somebody is in."""
        return tuple(node for node in self.nodes if node.is_leaf and node.size)

    @cached_property
    def weakest(self) -> Node:
        return min(self.leaves, key=lambda node: node.deniability)

    @property
    def minimum_deniability(self) -> float:
        return self.weakest.deniability

    @cached_property
    def shares(self) -> Numbers:
        return np.array([node.shares for node in self.nodes])

    def path(self, node: Node) -> tuple[tuple[Attribute, str], ...]:
        steps: list[tuple[Attribute, str]] = []
        while node.parent is not None:
            above = self.nodes[node.parent]
            assert above.feature is not None  # noqa: S101 (it has parts)
            steps.append((above.feature, above.part_name(node.part)))
            node = above
        return tuple(reversed(steps))

    def groups_of(self, table: Table) -> NDArray[np.intp]:
        """The place of the group that each person of a table falls into.

        A person whom no part takes, because a value was not known when the tree was made, stays
        in the group above.
        """
        place = np.zeros(table.rows, np.intp)
        rows_of: dict[int, NDArray[np.intp]] = {0: np.arange(table.rows)}
        for node in self.nodes:
            rows = rows_of.pop(node.place, None)
            if rows is None or node.feature is None:
                continue
            part = _parts(node, table, rows)
            for number, child in enumerate(node.children):
                chosen = rows[part == number]
                if len(chosen):
                    place[chosen] = child
                    rows_of[child] = chosen
        return place

    def to_json(self) -> dict[str, Any]:
        """The groups as plain JSON values, without the counts that are nobody's business."""
        return {
            "sensitive": self.attribute.name,
            "outcomes": list(self.outcomes),
            "nodes": [self._node_json(node) for node in self.nodes],
        }

    def _node_json(self, node: Node) -> dict[str, Any]:
        described: dict[str, Any] = {
            "people": node.size,
            "shares": [float(share) for share in node.shares],
            "deniability": node.deniability,
        }
        if node.parent is not None:
            described |= {
                "parent": node.parent,
                "part": self.nodes[node.parent].part_name(node.part),
            }
        if node.feature is not None:
            described |= {"split_on": node.feature.name, "children": list(node.children)}
            if node.feature.kind.is_numeric:
                described["thresholds"] = list(node.thresholds)
        return described


def _parts(node: Node, table: Table, rows: NDArray[np.intp]) -> NDArray[np.intp]:
    """The part of each person; -1 where there is none."""
    assert node.feature is not None  # noqa: S101 (the caller knows)
    column = table[node.feature.name]
    data, missing = column.data[rows], column.missing[rows]
    if column.is_categorical:
        parts = _recoded(data.astype(np.intp), column.attribute.values, node.feature.values)
    else:
        parts = np.searchsorted(np.array(node.thresholds), data, "left").astype(np.intp)
    if node.part_of:
        parts[missing] = len(node.feature.values) if node.has_missing else -1
        return np.where(parts < 0, -1, np.array(node.part_of)[parts])
    parts[missing] = len(node.children) - 1 if node.has_missing else -1
    return parts


def _recoded(
    codes: NDArray[np.intp], values: Sequence[str], known: Sequence[str]
) -> NDArray[np.intp]:
    if tuple(values) == tuple(known):
        return codes
    places = {value: place for place, value in enumerate(known)}
    # The extra place at the end is where the code -1 of a missing answer points.
    found: NDArray[np.intp] = np.array([*(places.get(value, -1) for value in values), -1], np.intp)
    return found[codes]


def node_deniability(counts: Counts, above: float) -> float:
    """The deniability of a group; an empty one has that of the group above."""
    if not counts.sum():
        return above
    return float(deniabilities(counts, len(counts)))
