"""A trained decision tree as boxes and sentences."""

from __future__ import annotations

from collections.abc import Sequence

from ppworkbench.core.classify.tree.node import Node
from ppworkbench.core.classify.tree.node import Test as NodeTest
from ppworkbench.gui.language.text import tr
from ppworkbench.gui.plots.tree_node import TreeNode
from ppworkbench.gui.words import number, percent, with_mark

_MOST = 400
"""Boxes beyond these are not drawn: nobody looks at so many."""


def boxes_of(root: Node, classes: Sequence[str], levels: int) -> TreeNode:
    """The upper levels of a tree as boxes; of very many the branches with few records are cut."""
    kept = _kept(root, levels)
    made: dict[int, TreeNode] = {}
    sides = {
        child.number: side
        for node in root.walk()
        for child, side in ((node.yes, tr("yes")), (node.no, tr("no")))
        if child is not None
    }
    for node in reversed([node for node in root.walk() if node.number in kept]):
        below = [child for child in (node.yes, node.no) if child is not None]
        drawn = tuple(made[child.number] for child in below if child.number in kept)
        made[node.number] = _box(node, classes, sides.get(node.number, ""), drawn, len(below))
    return made[root.number]


def levels_of_tree(root: Node) -> int:
    """How many nodes stand above each other."""
    return 1 + max(node.depth for node in root.walk())


def _kept(root: Node, levels: int) -> set[int]:
    """The nodes that are drawn: the root, then the children of the largest drawn nodes."""
    kept, frontier = {root.number}, [root]
    while frontier and len(kept) + 2 <= _MOST:
        frontier.sort(key=lambda node: node.records)
        node = frontier.pop()
        for child in (node.yes, node.no):
            if child is not None and child.depth < levels:
                kept.add(child.number)
                frontier.append(child)
    return kept


def _box(
    node: Node, classes: Sequence[str], edge: str, drawn: tuple[TreeNode, ...], below: int
) -> TreeNode:
    counted, share = number(node.records), _told_share(node, classes)
    words = f"{percent(node.shares[share])} {classes[share]}" if node.records else tr("empty")
    cut = bool(below) and not drawn
    note = tr("%s more nodes below") % number(_size(node) - 1) if cut else ""
    if node.test is None:
        return TreeNode(
            str(node.number), str(node.prediction), (words, counted),
            share=node.shares[share], edge=edge,
        )  # fmt: skip
    return TreeNode(
        str(node.number), f"{test_words(node.test)}?", (f"{counted} · {words}",),
        note=note, edge=edge, children=drawn,
    )  # fmt: skip


def test_words(test: NodeTest) -> str:
    """A test in words; the core knows them in English only."""
    if test.threshold is not None:
        limit = with_mark(f"{test.threshold:.6g}")
        return f"{test.attribute} < {limit}"
    if len(test.values) == 1:
        return tr("%s is %s") % (test.attribute, test.values[0])
    return tr("%s in {%s}") % (test.attribute, ", ".join(test.values))


def _told_share(node: Node, classes: Sequence[str]) -> int:
    """The class whose share is told: the second of two, else the one that is foretold."""
    if len(classes) == 2:
        return 1
    return list(classes).index(str(node.prediction))


def _size(node: Node) -> int:
    return sum(1 for _ in node.walk())


def describe(node: Node, classes: Sequence[str]) -> tuple[str, str]:
    """A title and a sentence about a chosen node."""
    shares = zip(classes, node.counts or node.shares, strict=False)
    listed = ", ".join(f"{name} {number(count)}" for name, count in shares)
    counts = tr("Reconstructed class counts: %s.") % listed
    if node.test is None or node.yes is None or node.no is None:
        title = tr("Selected: “%s”") % node.prediction
        return title, tr("%s %s records end here.") % (counts, number(node.records))
    share = _told_share(node, classes)
    sides = [100 * child.shares[share] for child in (node.yes, node.no)]
    words = tr("%s of 100 are “%s” where it holds, %s where it does not. %s") % (
        number(sides[0]), classes[share], number(sides[1]), counts,
    )  # fmt: skip
    return tr("Selected: “%s?”") % test_words(node.test), words
