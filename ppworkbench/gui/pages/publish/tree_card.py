"""The groups and how deniable they are."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QStackedWidget

from ppworkbench.core.publish import DeniabilityTree
from ppworkbench.gui.pages.publish.tree_nodes import MORE, REST, TreeWords
from ppworkbench.gui.plots.tree_tools import TreeTools
from ppworkbench.gui.plots.tree_view import TreeView
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.empty_state import EmptyState
from ppworkbench.gui.widgets.icon_button import Button
from ppworkbench.gui.widgets.layouts import text


class TreeCard(Card):
    """A tree that unfolds where it is clicked."""

    unfolded_changed = Signal()

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(" ", " ")
        self.title_label.setText(self.tr("Groups and how deniable they are"))
        self.view = TreeView(themes, self.tr("Groups and how deniable they are"))
        self.view.setObjectName("groupTree")
        self.view.node_chosen.connect(self._on_chosen)
        self.updating = text(self.tr("updating"), "badge")
        self.updating.hide()
        self.find = Button(themes, self.tr("Weakest"), look="link")
        self.find.setAccessibleName(self.tr("Show the weakest group"))
        self.find.setToolTip(self.tr("Show the weakest group"))
        self.find.setObjectName("showWeakest")
        self.find.clicked.connect(self.show_weakest)
        self.tools = TreeTools(themes, self.view)
        self.head.addWidget(self.updating)
        self.head.addWidget(self.find)
        self.head.addWidget(self.tools)
        self.empty = EmptyState(themes, "publish", " ", " ")
        self._stack = QStackedWidget()
        self._stack.addWidget(self.view)
        self._stack.addWidget(self.empty)
        self.body.setSpacing(4)
        self.body.addWidget(self._stack, 1)
        self._tree: DeniabilityTree | None = None
        self._minimum = 0.0
        self._unfolded: set[str] = set()

    @property
    def is_empty(self) -> bool:
        """Whether there is no tree."""
        return self._stack.currentWidget() is self.empty

    def show_tree(self, tree: DeniabilityTree, minimum: float, hint: str) -> None:
        """Show groups; what was unfolded stays so while the groups are the same."""
        if tree is not self._tree:
            self._unfolded.clear()
        self._tree, self._minimum = tree, minimum
        self.hint_label.setText(hint)
        for widget in (self.find, self.tools):
            widget.setEnabled(True)
        self._draw()
        self._stack.setCurrentWidget(self.view)

    def show_empty(self, missing: str, advice: str) -> None:
        """Say why there are no groups."""
        self._tree = None
        self.empty.heading.setText(missing)
        self.empty.advice.setText(advice)
        self.hint_label.setText("")
        for widget in (self.find, self.tools):
            widget.setEnabled(False)
        self._stack.setCurrentWidget(self.empty)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Leave out what would push the title out."""
        super().resizeEvent(event)
        title = self.title_label.sizeHint().width()
        taken = self.tools.sizeHint().width() + self.find.sizeHint().width() + 140
        self.hint_label.setVisible(self.width() >= title + taken)

    def show_weakest(self) -> None:
        """Bring the least deniable group into sight."""
        if self._tree is not None:
            self.view.choose(str(self._tree.weakest.place))

    def _draw(self) -> None:
        if self._tree is not None:
            self.view.show_tree(TreeWords(self._tree, self._minimum, self._unfolded).root())

    def _on_chosen(self, key: str) -> None:
        """Unfold or fold what is clicked."""
        if self._tree is None:
            return
        if key.startswith(REST):
            key = key.removeprefix(REST)
        elif not key.startswith(MORE) and self._tree.nodes[int(key)].is_leaf:
            return
        if key in self._unfolded:
            self._unfolded -= {key, f"{MORE}{key}"}
        else:
            self._unfolded.add(key)
        self._draw()
        self.unfolded_changed.emit()
