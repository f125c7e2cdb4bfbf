"""What a drawn tree consists of, and the same tree in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class TreeNode:
    """One box of a drawn tree with the boxes below it.

    Parameters
    ----------
    key
        Names the node in signals; different for every node of a tree.
    title
        The strong first line.
    lines
        Captions below the title.
    headline
        A large line below the captions, for what the eye should see first.
    share
        How full the bar is, 0 to 1; None for no bar.
    share_label, share_text
        Words over the bar, left and right.
    mark
        A place on the bar that is to be reached, such as a minimum.
    note
        A caption below the bar.
    border
        ``""``, ``"accent"`` or ``"warning"``: how the box is outlined.
    edge
        What stands on the branch that leads to this node.
    badge
        What stands on the stem below this node, such as the attribute that splits it.
    """

    key: str
    title: str
    lines: tuple[str, ...] = ()
    headline: str = ""
    share: float | None = None
    share_label: str = ""
    share_text: str = ""
    mark: float | None = None
    note: str = ""
    border: str = ""
    edge: str = ""
    badge: str = ""
    children: tuple[TreeNode, ...] = ()

    @property
    def is_leaf(self) -> bool:
        """Whether nothing is below."""
        return not self.children


def walk(root: TreeNode) -> Iterator[tuple[TreeNode, int]]:
    """All nodes with their depths, every node before those below it, from left to right."""
    waiting = [(root, 0)]
    while waiting:
        node, depth = waiting.pop()
        yield node, depth
        waiting.extend((child, depth + 1) for child in reversed(node.children))


def words(node: TreeNode) -> str:
    """A node in one line, for screen readers."""
    share = " ".join(part for part in (node.share_label, node.share_text) if part)
    parts = (node.edge, node.title, *node.lines, node.headline, share, node.note, node.badge)
    return ", ".join(part for part in parts if part)


def outline(root: TreeNode) -> str:
    """The tree as indented text.

    >>> leaf = TreeNode("1", "yes", ("655",), edge="below 42")
    >>> print(outline(TreeNode("0", "Age?", ("1,216",), children=(leaf,))))
    Age?, 1,216
      below 42, yes, 655
    """
    return "\n".join(f"{'  ' * depth}{words(node)}" for node, depth in walk(root))
