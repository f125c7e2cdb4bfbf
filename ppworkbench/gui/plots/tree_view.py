"""A drawn tree that can be zoomed, moved and walked with the arrow keys.

::

    view = TreeView(themes, "Decision tree")
    view.show_tree(TreeNode("0", "Age < 42?", ("5,000",), children=(...)))
    view.node_chosen.connect(lambda key: ...)
    view.set_path(("0", "1", "4"))     # the way of one record, drawn strong
    view.zoom_in(); view.zoom_out(); view.fit()
    TreeTools(themes, view)            # the three buttons for a card's head
"""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QGraphicsScene,
    QGraphicsView,
    QMenu,
)

from ppworkbench.gui.dialogs import show_menu
from ppworkbench.gui.plots.picture_files import Rows, add_picture_actions
from ppworkbench.gui.plots.tree_drawing import MARGIN, TreeDrawing
from ppworkbench.gui.plots.tree_ink import TreeInk
from ppworkbench.gui.plots.tree_layout import TreeFonts, TreeLayout
from ppworkbench.gui.plots.tree_node import TreeNode, outline, walk, words
from ppworkbench.gui.theme import ThemeManager

__all__ = ["TreeNode", "TreeView"]

_STEP = 1.25
_SMALLEST, _LARGEST = 0.05, 4.0
_READABLE = 0.85
"""Below this a tree is not shrunk by itself: nobody could read it."""
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

    def __init__(self, themes: ThemeManager, name: str) -> None:
        super().__init__()
        self.themes = themes
        self._scene = QGraphicsScene(self)
        self._drawing = TreeDrawing()
        self._scene.addItem(self._drawing)
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
        """Small; it takes what room there is."""
        return QSize(260, 220)

    # What is shown

    @property
    def root(self) -> TreeNode | None:
        """The tree that is shown."""
        return self._root

    @property
    def chosen(self) -> str | None:
        """The key of the chosen node."""
        return self._drawing.chosen

    @property
    def path(self) -> tuple[str, ...]:
        """The keys of the nodes on the strong path."""
        return self._drawing.path

    @property
    def scale_factor(self) -> float:
        """How much the tree is enlarged."""
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

    def outline(self) -> str:
        """The tree as indented text, for screen readers and the clipboard."""
        return "" if self._root is None else outline(self._root)

    def _redraw(self) -> None:
        theme = self.themes.theme
        self.setBackgroundBrush(theme.colour("surface"))
        if self._root is None:
            self._layout = None
        else:
            fonts = TreeFonts.of(theme)
            self._layout = TreeLayout(self._root, fonts)
            self._drawing.ink = TreeInk(theme, fonts)
            self.setAccessibleDescription(words(self._root))
        self._drawing.show_layout(self._layout)
        area = QRectF() if self._layout is None else self._layout.area
        self.setSceneRect(area.adjusted(-MARGIN, -MARGIN, MARGIN, MARGIN))

    # Size

    def zoom_in(self) -> None:
        """Enlarge the tree."""
        self._zoom(_STEP)

    def zoom_out(self) -> None:
        """Shrink the tree."""
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
        """Fit again, unless a person chose a size."""
        super().resizeEvent(event)
        if self._fitted:
            self._fit(_READABLE)

    # Pointer and keys

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Remember where a click or a drag begins."""
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
        menu = QMenu(self)
        add_picture_actions(menu, self.viewport(), self.rows)
        show_menu(menu, event.globalPos())

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
