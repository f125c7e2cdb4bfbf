"""A tree as text and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ppworkbench.core.classify.tree.node import Node


def tree_text(root: Node, classes: Sequence[Any]) -> str:
    """The tree for people: one line per node, branches indented.

    Every line ends with the class that is foretold and how many records of each class came there.
    """
    lines = [f"classes: {', '.join(str(name) for name in classes)}", _summary(root)]
    # A waiting node comes with the words that lead to it.
    waiting = _branches(root)
    while waiting:
        words, node = waiting.pop()
        lines.append(f"{'|   ' * (node.depth - 1)}{words}: {_summary(node)}")
        waiting += _branches(node)
    return "\n".join(lines) + "\n"


def _branches(node: Node) -> list[tuple[str, Node]]:
    if node.test is None or node.yes is None or node.no is None:
        return []
    return [(f"not {node.test.text}", node.no), (node.test.text, node.yes)]


def _summary(node: Node) -> str:
    counts = ", ".join(str(count) for count in node.counts)
    return f"{node.prediction} ({counts})"


def tree_json(root: Node, classes: Sequence[Any]) -> dict[str, Any]:
    """The tree in plain JSON values, for other programs.

    Nodes stand in one list; ``yes`` and ``no`` are positions in it.
    """
    position = {node.number: place for place, node in enumerate(root.walk())}
    return {
        "classes": [_plain(name) for name in classes],
        "nodes": [_node_json(node, position) for node in root.walk()],
    }


def _node_json(node: Node, position: dict[int, int]) -> dict[str, Any]:
    document: dict[str, Any] = {
        "depth": node.depth,
        "counts": list(node.counts),
        "class": _plain(node.prediction),
    }
    if node.test is not None and node.yes is not None and node.no is not None:
        document["test"] = node.test.to_json()
        document["distribution"] = list(node.test.distribution)
        document["yes"] = position[node.yes.number]
        document["no"] = position[node.no.number]
    return document


def _plain(name: Any) -> Any:
    return name.item() if hasattr(name, "item") else name
