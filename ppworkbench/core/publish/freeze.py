"""From branches to the frozen tree."""

from __future__ import annotations

from collections import deque

from ppworkbench.core.data.attribute import MISSING_VALUE
from ppworkbench.core.publish.branch import Branch
from ppworkbench.core.publish.sample import Sample
from ppworkbench.core.publish.tree import DeniabilityTree, Node, node_deniability


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
