"""Decision trees: their picture and the view of it.

A drawn tree that can be zoomed, moved and walked with the arrow keys.

::

    view = TreeView(themes, "Decision tree")
    view.show_tree(TreeNode("0", "Age < 42?", ("5,000",), children=(...)))
    view.node_chosen.connect(lambda key: ...)
    view.set_path(("0", "1", "4"))     # the way of one record, drawn strong
    view.zoom_in(); view.zoom_out(); view.fit()
    TreeTools(themes, view)            # the three buttons for a card's head
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFont,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QGraphicsItem,
    QGraphicsScene,
    QGraphicsView,
    QStyleOptionGraphicsItem,
    QWidget,
)

from ppworkbench.core.message import Message
from ppworkbench.gui.charts.chart_export import Rows, picture_menu
from ppworkbench.gui.charts.tree_layout import (
    ABOVE,
    BAR,
    PADDING,
    WIDEST,
    Placed,
    TreeFonts,
    TreeLayout,
    TreeNode,
    walk,
    words,
    wrap,
)
from ppworkbench.gui.dialogs import show_menu
from ppworkbench.gui.theme import Theme, ThemeManager, between, set_fill, set_outline
from ppworkbench.gui.widgets.controls import IconButton
from ppworkbench.gui.widgets.layout import row
from ppworkbench.results.picture import Axis, Mark, Picture, Role, Shape

_BORDERS = {"": "outline", "accent": "accentInk", "warning": "warningLine"}


class TreePainter:
    def __init__(self, theme: Theme, fonts: TreeFonts) -> None:
        self._theme = theme
        self._fonts = fonts

    def branch(self, painter: QPainter, parent: Placed, child: Placed, *, strong: bool) -> None:
        start, end = parent.bottom, child.top
        path = QPainterPath(start)
        middle = (start.y() + end.y()) / 2
        path.cubicTo(QPointF(start.x(), middle + 8), QPointF(end.x(), middle - 8), end)
        colour = self._theme.colour("accentInk" if strong else "outline")
        set_outline(painter, QPen(colour, 2.4 if strong else 1.2))
        painter.drawPath(path)

    def edge(self, painter: QPainter, parent: Placed, child: Placed, *, strong: bool) -> None:
        words = child.node.edge
        if not words:
            return
        font = self._fonts.strong if strong else self._fonts.caption
        metrics = QFontMetricsF(font)
        words = metrics.elidedText(words, Qt.TextElideMode.ElideRight, 120)
        width = metrics.horizontalAdvance(words)
        right = child.top.x() >= parent.bottom.x()
        x = child.top.x() + 6 if right else child.top.x() - 6 - width
        box = QRectF(x, child.top.y() - metrics.height() - 5, width, metrics.height())
        set_fill(painter, self._theme.colour("surface"))
        painter.drawRect(box.adjusted(-2, 0, 2, 0))
        self._text(painter, box, words, font, "accentInk" if strong else "text2")

    def badge(self, painter: QPainter, placed: Placed) -> None:
        if not placed.node.badge:
            return
        metrics = QFontMetricsF(self._fonts.strong)
        width, height = metrics.horizontalAdvance(placed.node.badge) + 16, metrics.height() + 4
        at = placed.bottom
        pill = QRectF(at.x() - width / 2, at.y() + 10, width, height)
        set_fill(painter, self._theme.colour("accentTint"))
        painter.drawRoundedRect(pill, height / 2, height / 2)
        self._text(painter, pill, placed.node.badge, self._fonts.strong, "accentInk")

    def box(self, painter: QPainter, placed: Placed, *, chosen: bool, on_path: bool) -> None:
        node, theme = placed.node, self._theme
        border = theme.colour(_BORDERS[node.border])
        width = 2.0 if node.border else 1.0
        if chosen or on_path:
            border, width = theme.colour("accentInk"), 2.0
        fill = "accentTint" if on_path else "sunken" if node.is_leaf else "surface"
        painter.setPen(QPen(border, width))
        painter.setBrush(theme.colour(fill))
        painter.drawRoundedRect(placed.box, 6, 6)
        if chosen and on_path:
            set_outline(painter, QPen(theme.colour("focus"), 1.5, Qt.PenStyle.DotLine))
            painter.drawRoundedRect(placed.box.adjusted(-3.5, -3.5, 3.5, 3.5), 8, 8)
        self._content(painter, placed, on_path=on_path)

    def _content(self, painter: QPainter, placed: Placed, *, on_path: bool) -> None:
        node, fonts = placed.node, self._fonts
        # Weaker ink would not stand out from the tint of a path.
        caption = "text2" if on_path or node.is_leaf else "text3"
        box = placed.box.adjusted(PADDING, ABOVE, -PADDING, -ABOVE)
        top = self._line(painter, box, box.top(), node.title, fonts.title, "text")
        for line in node.lines:
            top = self._line(painter, box, top, line, fonts.caption, caption)
        if node.headline:
            top = self._line(painter, box, top + 1, node.headline, fonts.headline, "text") + 1
        if node.share is not None:
            top = self._bar(painter, box, top, node)
        if node.note:
            warns = node.border == "warning"
            font = fonts.strong if warns else fonts.caption
            self._line(painter, box, top, node.note, font, "warningText" if warns else caption)

    def _line(
        self, painter: QPainter, box: QRectF, top: float, words: str, font: QFont, ink: str
    ) -> float:
        metrics = QFontMetricsF(font)
        for part in wrap(words, metrics, box.width() + 1):
            shown = metrics.elidedText(part, Qt.TextElideMode.ElideRight, box.width() + 1)
            area = QRectF(box.left() - 4, top, box.width() + 8, metrics.height())
            self._text(painter, area, shown, font, ink)
            top += metrics.height()
        return top

    def _bar(self, painter: QPainter, box: QRectF, top: float, node: TreeNode) -> float:
        theme, fonts = self._theme, self._fonts
        if node.share_label or node.share_text:
            height = QFontMetricsF(fonts.caption).height()
            area = QRectF(box.left(), top, box.width(), height)
            left, right = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight
            self._text(painter, area, node.share_label, fonts.caption, "text2", left)
            self._text(painter, area, node.share_text, fonts.strong, "text", right)
            top += height
        bar = QRectF(box.left(), top + 3, box.width(), BAR)
        share = min(max(node.share or 0.0, 0.0), 1.0)
        set_fill(painter, theme.colour("border"))
        painter.drawRoundedRect(bar, 3, 3)
        if share > 0:
            full = QRectF(bar.left(), bar.top(), max(bar.width() * share, 3.0), bar.height())
            painter.setBrush(between(theme.colour("accent"), theme.colour("accentLine"), 0.6))
            painter.drawRoundedRect(full, 3, 3)
        if node.mark is not None:
            x = bar.left() + bar.width() * min(max(node.mark, 0.0), 1.0)
            painter.setPen(QPen(theme.colour("text"), 2))
            painter.drawLine(QPointF(x, bar.top() - 3), QPointF(x, bar.bottom() + 3))
        return top + BAR + 6

    def _text(
        self,
        painter: QPainter,
        area: QRectF,
        words: str,
        font: QFont,
        ink: str,
        align: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignHCenter,
    ) -> None:
        painter.setFont(font)
        painter.setPen(self._theme.colour(ink))
        painter.drawText(area, align | Qt.AlignmentFlag.AlignVCenter, words)


MARGIN = 8.0


class TreeDrawing(QGraphicsItem):
    """Draws what is in sight; thousands of items would be slow."""

    def __init__(self) -> None:
        super().__init__()
        self._layout: TreeLayout | None = None
        self.ink: TreePainter | None = None
        self.chosen: str | None = None
        self.path: tuple[str, ...] = ()
        self.setFlag(self.GraphicsItemFlag.ItemUsesExtendedStyleOption)

    def show_layout(self, layout: TreeLayout | None) -> None:
        self.prepareGeometryChange()
        self._layout = layout
        self.update()

    def boundingRect(self) -> QRectF:  # noqa: N802
        area = QRectF() if self._layout is None else self._layout.area
        return area.adjusted(-MARGIN, -MARGIN, MARGIN, MARGIN)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,  # noqa: ARG002
    ) -> None:
        if self._layout is None or self.ink is None:
            return
        told: Any = option  # the stubs leave its fields out
        seen: QRectF = told.exposedRect.adjusted(-20, -20, 20, 20)
        placed, path = self._layout.placed, set(self.path)
        pairs = [(placed[p.parent], p) for p in placed.values() if p.parent is not None]
        near = [pair for pair in pairs if pair[0].box.united(pair[1].box).intersects(seen)]
        # Strong branches lie over the others, words over all branches.
        near.sort(key=lambda pair: pair[1].node.key in path)
        for parent, child in near:
            self.ink.branch(painter, parent, child, strong=child.node.key in path)
        for parent, child in near:
            self.ink.edge(painter, parent, child, strong=child.node.key in path)
        for one in placed.values():
            if one.box.adjusted(-4, -4, 4, 60).intersects(seen):
                self.ink.badge(painter, one)
                self.ink.box(
                    painter, one, chosen=one.node.key == self.chosen, on_path=one.node.key in path
                )


_STEP = 1.25
_SMALLEST, _LARGEST = 0.05, 4.0
_READABLE = 0.75
"""Titles have 9 pixels then. Below this a tree is not shrunk by itself: nobody could read it."""
_ARROWS = {
    Qt.Key.Key_Up: "up",
    Qt.Key.Key_Down: "down",
    Qt.Key.Key_Left: "left",
    Qt.Key.Key_Right: "right",
}


class TreeView(QGraphicsView):
    """Shows one tree; a node can be chosen with the pointer or the arrow keys."""

    node_chosen = Signal(str)
    """The key of the node that a person chose."""
    resized = Signal()

    def __init__(self, themes: ThemeManager, name: str, widest: float = WIDEST) -> None:
        super().__init__()
        self.themes = themes
        self._widest = widest
        self._scene = QGraphicsScene(self)
        self._drawing = TreeDrawing()
        self._scene.addItem(self._drawing)
        self.holds_truth = False
        """Whether its numbers tell of true answers, so that a file of them is for their owner."""
        self._root: TreeNode | None = None
        self._layout: TreeLayout | None = None
        self._fitted = True
        self._pressed: QPointF | None = None
        self.setScene(self._scene)
        self.setAccessibleName(name)
        self.setFrameShape(self.Shape.NoFrame)
        self.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.setDragMode(self.DragMode.ScrollHandDrag)
        self.viewport().setCursor(Qt.CursorShape.ArrowCursor)
        self.setTransformationAnchor(self.ViewportAnchor.AnchorUnderMouse)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumHeight(120)
        self.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignHCenter)
        themes.theme_changed.connect(self._redraw)

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(260, 220)

    # What is shown

    @property
    def root(self) -> TreeNode | None:
        return self._root

    @property
    def chosen(self) -> str | None:
        return self._drawing.chosen

    @property
    def path(self) -> tuple[str, ...]:
        return self._drawing.path

    @property
    def scale_factor(self) -> float:
        return self.transform().m11()

    def show_tree(self, root: TreeNode | None) -> None:
        """Show another tree, as large as fits and can be read; the chosen node stays if it can."""
        again = self._root is not None and root is not None
        self._root = root
        self._redraw()
        if self._layout is None or self._drawing.chosen not in self._layout.placed:
            self._drawing.chosen = None
        self.set_path(key for key in self.path if self._layout and key in self._layout.placed)
        if not again or self._fitted:
            self._fit(_READABLE)

    def fits(self, root: TreeNode) -> bool:
        """Whether a tree could be shown as a whole and be read."""
        area = TreeLayout(root, TreeFonts.of(self.themes.theme, self._widest)).area
        room = self.viewport().size()
        return (
            _READABLE * (area.width() + 2 * MARGIN) <= room.width()
            and _READABLE * (area.height() + 2 * MARGIN) <= room.height()
        )

    def choose(self, key: str | None) -> None:
        """Mark a node as chosen without announcing it, and bring it into sight."""
        self._drawing.chosen = key
        placed = None if self._layout is None or key is None else self._layout.placed.get(key)
        if placed is not None:
            self.ensureVisible(placed.box, 12, 12)
            self.setAccessibleDescription(words(placed.node))
        self._drawing.update()

    def set_path(self, keys: Iterable[str]) -> None:
        """Draw the way through these nodes strong; none for no way."""
        self._drawing.path = tuple(keys)
        self._drawing.update()

    def _redraw(self) -> None:
        theme = self.themes.theme
        self.setBackgroundBrush(theme.colour("surface"))
        if self._root is None:
            self._layout = None
        else:
            fonts = TreeFonts.of(theme, self._widest)
            self._layout = TreeLayout(self._root, fonts)
            self._drawing.ink = TreePainter(theme, fonts)
            self.setAccessibleDescription(words(self._root))
        self._drawing.show_layout(self._layout)
        area = QRectF() if self._layout is None else self._layout.area
        self.setSceneRect(area.adjusted(-MARGIN, -MARGIN, MARGIN, MARGIN))

    # Size

    def zoom_in(self) -> None:
        self._zoom(_STEP)

    def zoom_out(self) -> None:
        self._zoom(1 / _STEP)

    def fit(self) -> None:
        """Show the whole tree, however small."""
        self._fit(_SMALLEST)

    def _zoom(self, factor: float) -> None:
        wanted = min(max(self.scale_factor * factor, _SMALLEST), _LARGEST)
        factor = wanted / self.scale_factor
        self.scale(factor, factor)
        self._fitted = False

    def _fit(self, smallest: float) -> None:
        area = self.sceneRect()
        if self._layout is None or area.isEmpty():
            return
        room = self.viewport().size()
        whole = min(room.width() / area.width(), room.height() / area.height(), 1.0)
        factor = max(whole, smallest)
        self.resetTransform()
        self.scale(factor, factor)
        root = self._layout.placed[self._layout.root.key].box
        if factor > whole:
            # What does not fit begins with its root, at the top in the middle.
            half = room.height() / factor / 2
            self.centerOn(QPointF(root.center().x(), root.top() - MARGIN + half))
        else:
            self.centerOn(area.center())
        self._fitted = True

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        if self._fitted:
            self._fit(_READABLE)
        self.resized.emit()

    # Pointer and keys

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        self._pressed = event.position()
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Choose the node under a click; a drag chooses nothing."""
        super().mouseReleaseEvent(event)
        self.viewport().setCursor(Qt.CursorShape.ArrowCursor)
        if self._pressed is None or self._layout is None:
            return
        moved = (event.position() - self._pressed).manhattanLength()
        if event.button() == Qt.MouseButton.LeftButton and moved < 5:
            node = self._layout.at(self.mapToScene(event.position().toPoint()))
            if node is not None:
                self._announce(node.key)

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802
        """Zoom with Ctrl and the wheel; the wheel alone scrolls."""
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self._zoom(_STEP ** (event.angleDelta().y() / 120))
        else:
            super().wheelEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Arrows walk the tree; plus, minus and 0 change its size."""
        if self._layout is None:
            super().keyPressEvent(event)
            return
        sizes = {Qt.Key.Key_Plus: self.zoom_in, Qt.Key.Key_Minus: self.zoom_out}
        sizes |= {Qt.Key.Key_Equal: self.zoom_in, Qt.Key.Key_0: self.fit}
        key = Qt.Key(event.key())
        if key in _ARROWS:
            chosen, root = self.chosen, self._layout.root.key
            found = root if chosen is None else self._layout.neighbour(chosen, _ARROWS[key])
            self._announce(found)
        elif key in sizes and not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            sizes[key]()
        else:
            super().keyPressEvent(event)

    def _announce(self, key: str) -> None:
        self.choose(key)
        self.node_chosen.emit(key)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802
        """Offer to copy or save the picture and the tree in words."""
        show_menu(picture_menu(self, self.rows), event.globalPos())

    @property
    def picture(self) -> Picture | None:
        """The boxes with their branches, as files and the clipboard have them."""
        return None if self._layout is None else tree_picture(self.accessibleName(), self._layout)

    def rows(self) -> Rows:
        """The tree as a table: how deep, what leads there, what stands there."""
        head = [self.tr("depth"), self.tr("branch"), self.tr("node"), self.tr("details")]
        if self._root is None:
            return [head]
        found = []
        for node, depth in walk(self._root):
            parts = (*node.lines, node.headline, node.share_text, node.note)
            details = ", ".join(part for part in parts if part)
            found.append([str(depth), node.edge, node.title, details])
        return [head, *found]


def tree_picture(title: str, layout: TreeLayout) -> Picture:
    """A tree as a picture: boxes with words, the words on their branches, and the branches."""
    placed = list(layout.placed.values())
    pairs = [(layout.placed[one.parent], one) for one in placed if one.parent is not None]
    ends = [(*_middle(parent), *_middle(child)) for parent, child in pairs]
    gap = (math.nan, math.nan)
    line = np.array([c for x, y, u, v in ends for c in ((x, y), (u, v), gap)] or [gap])
    nothing = Message("")
    edges = [
        ((x + u) / 2, (y + v) / 2, 40.0, child.node.edge)
        for (x, y, u, v), (_, child) in zip(ends, pairs, strict=True)
        if child.node.edge
    ]
    boxes = [
        (*_middle(one), one.box.width() / 2, "\n".join(filter(None, _lines(_on_paper(one.node)))))
        for one in placed
    ]

    def framed(role: Role, found: list[tuple[float, float, float, str]]) -> Mark:
        x, y, half = np.array([one[:3] for one in found], np.float64).reshape(-1, 3).T
        words = tuple(one[3] for one in found)
        return Mark(Shape.BOXES, role, nothing, x, y, x - half, x + half, words, series=0)

    branches = Mark(Shape.LINE, Role.SERIES, nothing, line[:, 0], line[:, 1], series=0)
    area = layout.area
    across = Axis(nothing, low=area.left(), high=area.right())
    up = Axis(nothing, low=-area.bottom(), high=-area.top())
    marks = (branches, framed(Role.REFERENCE, edges), framed(Role.SERIES, boxes))
    return Picture("tree", Message(title), across, up, marks)


def _middle(placed: Placed) -> tuple[float, float]:
    return placed.box.center().x(), -placed.box.center().y()


def _on_paper(node: TreeNode) -> TreeNode:
    return replace(node, note="") if node.opens else node


def _lines(node: TreeNode) -> tuple[str, ...]:
    share = f"{node.share_label} {node.share_text}".strip()
    return node.title, *node.lines, node.headline, share, node.note, node.badge


class TreeTools(QWidget):
    """The buttons that make a tree smaller, larger, or fit."""

    def __init__(self, themes: ThemeManager, view: TreeView) -> None:
        super().__init__()
        self.smaller = IconButton(themes, "zoom-out", self.tr("Zoom out"))
        self.larger = IconButton(themes, "zoom-in", self.tr("Zoom in"))
        self.whole = IconButton(themes, "fit", self.tr("Fit to window"))
        for button, name, action in (
            (self.smaller, "treeSmaller", view.zoom_out),
            (self.larger, "treeLarger", view.zoom_in),
            (self.whole, "treeWhole", view.fit),
        ):
            button.setObjectName(name)
            button.clicked.connect(action)
        row(self.smaller, self.larger, self.whole, parent=self, spacing=4)
