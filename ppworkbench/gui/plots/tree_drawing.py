"""A whole tree as one item of a scene."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from ppworkbench.gui.plots.tree_ink import TreeInk
from ppworkbench.gui.plots.tree_layout import TreeLayout
from ppworkbench.gui.plots.tree_node import TreeNode

MARGIN = 8.0


class TreeDrawing(QGraphicsItem):
    """Draws what is in sight; thousands of items would be slow."""

    def __init__(self) -> None:
        super().__init__()
        self._layout: TreeLayout | None = None
        self.ink: TreeInk | None = None
        self.chosen: str | None = None
        self.path: tuple[str, ...] = ()
        self.setFlag(self.GraphicsItemFlag.ItemUsesExtendedStyleOption)

    def show_layout(self, layout: TreeLayout | None) -> None:
        """Draw another tree."""
        self.prepareGeometryChange()
        self._layout = layout
        self.update()

    def boundingRect(self) -> QRectF:  # noqa: N802
        """The tree with a margin around it."""
        area = QRectF() if self._layout is None else self._layout.area
        return area.adjusted(-MARGIN, -MARGIN, MARGIN, MARGIN)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,  # noqa: ARG002
    ) -> None:
        """Draw branches first, then their words, then the nodes."""
        if self._layout is None or self.ink is None:
            return
        seen = option.exposedRect.adjusted(-20, -20, 20, 20)
        placed, path = self._layout.placed, set(self.path)
        pairs = [(placed[p.parent], p) for p in placed.values() if p.parent is not None]
        near = [pair for pair in pairs if pair[0].box.united(pair[1].box).intersects(seen)]
        # Strong branches lie over the others, words over all branches.
        near.sort(key=lambda pair: _is_on(pair[1].node, path))
        for parent, child in near:
            self.ink.branch(painter, parent, child, strong=_is_on(child.node, path))
        for parent, child in near:
            self.ink.edge(painter, parent, child, strong=_is_on(child.node, path))
        for one in placed.values():
            if one.box.adjusted(-4, -4, 4, 60).intersects(seen):
                self.ink.badge(painter, one)
                self.ink.box(
                    painter, one, chosen=one.node.key == self.chosen, on_path=_is_on(one.node, path)
                )


def _is_on(node: TreeNode, path: set[str]) -> bool:
    return node.key in path
