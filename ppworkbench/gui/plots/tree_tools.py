"""The buttons of a drawn tree."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from ppworkbench.gui.plots.tree_view import TreeView
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.icon_button import IconButton
from ppworkbench.gui.widgets.layouts import row


class TreeTools(QWidget):
    """The buttons that make a tree smaller, larger, or fit."""

    def __init__(self, themes: ThemeManager, view: TreeView) -> None:
        super().__init__()
        self.smaller = IconButton(themes, "zoom-out", self.tr("Make the tree smaller"))
        self.larger = IconButton(themes, "zoom-in", self.tr("Make the tree larger"))
        self.whole = IconButton(themes, "fit", self.tr("Show the whole tree"))
        for button, name, action in (
            (self.smaller, "treeSmaller", view.zoom_out),
            (self.larger, "treeLarger", view.zoom_in),
            (self.whole, "treeWhole", view.fit),
        ):
            button.setObjectName(name)
            button.clicked.connect(action)
        row(self.smaller, self.larger, self.whole, parent=self, spacing=4)
