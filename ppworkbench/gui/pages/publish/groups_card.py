"""The groups that are published."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from collections.abc import Set as AbstractSet

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent

from ppworkbench.core.publish import DeniabilityTree, Node
from ppworkbench.gui.charts.tree import TreeTools, TreeView
from ppworkbench.gui.charts.tree_layout import TreeNode
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.numbers import number, percent
from ppworkbench.gui.pages.publish.texts import PublishView
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card, EmptyReason, EmptyState
from ppworkbench.gui.widgets.controls import Button
from ppworkbench.gui.widgets.layout import named, stack, text

MOST_PARTS = 6
"""Parts of a group that are drawn before it is unfolded."""
MOST_LEAVES = 10
"""A tree with no more leaves is drawn whole."""
MORE, REST = "more ", "rest "
"""How the keys of boxes begin that stand for what is not drawn: parts of a group, or all but the
weakest of the groups below it."""


class GroupLabels:
    """Draws a tree for a minimum deniability.

    ``shown`` tells what people call an attribute; ``unfolded`` are the places of groups whose
    parts a person wants to see, after ``MORE`` those of which all parts are to be seen.
    """

    def __init__(
        self,
        tree: DeniabilityTree,
        minimum: float,
        unfolded: AbstractSet[str] = frozenset(),
        shown: Callable[[str], str] = str,
    ) -> None:
        self._tree = tree
        self._shown = shown
        self._minimum = minimum
        self._unfolded = unfolded
        self._weakest = self._path_to(tree.weakest)
        self._whole = len(tree.leaves) <= MOST_LEAVES
        counts = tree.root.counts
        self._focus = 1 if len(tree.attribute.values) == 2 else int(counts.argmax())

    def root(self) -> TreeNode:
        return self._drawn(self._tree.root)

    def _path_to(self, node: Node) -> set[int]:
        found = {node.place}
        while node.parent is not None:
            node = self._tree.nodes[node.parent]
            found.add(node.place)
        return found

    def _drawn(self, node: Node) -> TreeNode:
        if node.is_leaf:
            return self._leaf(node, self._title(node))
        unfolded = self._whole or node.parent is None or str(node.place) in self._unfolded
        if unfolded:
            return self._inner(node, self._children(node))
        if node.place in self._weakest:
            return self._inner(node, self._way_to_weakest(node))
        return self._folded(node)

    def _inner(self, node: Node, children: tuple[TreeNode, ...]) -> TreeNode:
        assert node.feature is not None  # noqa: S101 (not a leaf)
        share = percent(float(node.shares[self._focus]))
        people = tr("%s people, %s %s") % (number(node.size), share, self._answer())
        badge = tr("by %s") % self._shown(node.feature.name)
        return TreeNode(
            str(node.place), self._title(node), (people,), badge=badge, children=children
        )

    def _children(self, node: Node) -> tuple[TreeNode, ...]:
        """The parts that have people; beyond some, the largest and the weakest."""
        parts = [self._tree.nodes[place] for place in node.children]
        parts = [part for part in parts if part.size]
        if len(parts) <= MOST_PARTS + 1 or f"{MORE}{node.place}" in self._unfolded:
            return tuple(self._drawn(part) for part in parts)
        ranked = sorted(parts, key=lambda part: (part.place not in self._weakest, -part.size))
        chosen = {part.place for part in ranked[:MOST_PARTS]}
        shown = [self._drawn(part) for part in parts if part.place in chosen]
        hidden = [part for part in parts if part.place not in chosen]
        people = sum(part.size for part in hidden)
        return (*shown, self._more(f"{MORE}{node.place}", len(hidden), people))

    def _way_to_weakest(self, node: Node) -> tuple[TreeNode, ...]:
        """The weakest group at once, however many splits lie between, and a box for the rest."""
        weakest = self._tree.weakest
        others = len(self._leaves_below(node)) - 1
        rest = self._more(f"{REST}{node.place}", others, node.size - weakest.size)
        drawn = dataclasses.replace(self._leaf(weakest, tr("weakest group")), note="")
        return (drawn, rest)

    def _more(self, key: str, count: int, people: int) -> TreeNode:
        title = tr("1 more group") if count == 1 else tr("%s more groups") % number(count)
        lines = (tr("%s people") % number(people),)
        return TreeNode(key, title, lines, note=tr("click to expand"), opens=True)

    def _folded(self, node: Node) -> TreeNode:
        inside = self._leaves_below(node)
        lowest = min(leaf.deniability for leaf in inside)
        return TreeNode(
            str(node.place),
            self._title(node),
            (tr("%s people") % number(node.size),),
            headline=self._share(node),
            share=lowest,
            share_label=tr("deniability"),
            share_text=f"≥ {percent(lowest)}",
            mark=self._minimum,
            note=tr("%s groups") % number(len(inside)),
        )

    def _leaf(self, node: Node, title: str) -> TreeNode:
        is_weakest = node.place == self._tree.weakest.place
        return TreeNode(
            str(node.place),
            title,
            (tr("%s people") % number(node.size),),
            headline=self._share(node),
            share=node.deniability,
            share_label=tr("deniability"),
            share_text=percent(node.deniability),
            mark=self._minimum,
            note=tr("weakest group") if is_weakest else tr("above the minimum"),
            border="warning" if is_weakest else "",
        )

    def _leaves_below(self, node: Node) -> list[Node]:
        waiting, found = [node], []
        while waiting:
            one = waiting.pop()
            if one.is_leaf:
                found += [one] if one.size else []
            else:
                waiting += [self._tree.nodes[place] for place in one.children]
        return found

    def _title(self, node: Node) -> str:
        if node.parent is None:
            return tr("All")
        above = self._tree.nodes[node.parent]
        name = above.part_name(node.part)
        # The parts of numbers are named by the core, others by whoever asked the question.
        named = above.feature is not None and above.feature.kind.is_numeric
        return translate(name) if named else name

    def _answer(self) -> str:
        return self._tree.outcomes[self._focus]

    def _share(self, node: Node) -> str:
        return f"{percent(float(node.shares[self._focus]))} {self._answer()}"


class TreeCard(Card):
    """A tree that unfolds where it is clicked."""

    unfolded_changed = Signal()

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(" ", " ")
        self.title_label.setText(self.tr("Groups"))
        self.view = named(TreeView(themes, self.tr("Groups and their deniability")), "groupTree")
        # Deniability and size of a group tell the shares of its true answers.
        self.view.holds_truth = True
        self.view.node_chosen.connect(self._on_chosen)
        self.updating = text(self.tr("updating"), "badge", hidden=True)
        self.find_button = Button(themes, self.tr("Weakest"), look="link")
        self.find_button.setAccessibleName(self.tr("Show the weakest group"))
        self.find_button.setToolTip(self.tr("Show the weakest group"))
        self.find_button.setObjectName("showWeakest")
        self.find_button.clicked.connect(self.show_weakest)
        self.tools = TreeTools(themes, self.view)
        self.head.addWidget(self.updating)
        self.head.addWidget(self.find_button)
        self.head.addWidget(self.tools)
        self.empty = EmptyState(themes, "publish", " ", " ")
        self._stack = stack(self.view, self.empty)
        self.body.setSpacing(4)
        self.body.addWidget(self._stack, 1)
        self._tree: DeniabilityTree | None = None
        self._shown: Callable[[str], str] = str
        self._minimum = 0.0
        self._unfolded: set[str] = set()

    @property
    def is_empty(self) -> bool:
        return self._stack.currentWidget() is self.empty

    def set_view(self, view: PublishView) -> None:
        """Show groups, or why there are none; nothing changes while they are on their way."""
        groups, self._shown = view.groups, view.study.shown
        if view.refusal:
            advice = self.tr("Lower the minimum deniability, or choose another attribute.")
            self.show_empty(self.tr("No groups are possible."), advice)
        elif groups is not None and (self.is_empty or groups.tree is not self._tree):
            count = len(groups.tree.leaves)
            hint = self.tr("1 group") if count == 1 else self.tr("%s groups") % number(count)
            self.show_tree(groups.tree, groups.plan.options.min_deniability, hint)

    def show_tree(self, tree: DeniabilityTree, minimum: float, hint: str) -> None:
        """Show groups; what was unfolded stays so while the groups are the same."""
        if tree is not self._tree:
            self._unfolded.clear()
        self._tree, self._minimum = tree, minimum
        self.hint_label.setText(hint)
        for widget in (self.find_button, self.tools):
            widget.setEnabled(True)
        self._draw()
        self._stack.setCurrentWidget(self.view)

    def show_empty(self, missing: str, advice: str) -> None:
        self._tree = None
        self.empty.show_reason(EmptyReason(missing, advice))
        self.hint_label.setText("")
        for widget in (self.find_button, self.tools):
            widget.setEnabled(False)
        self._stack.setCurrentWidget(self.empty)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        title = self.title_label.sizeHint().width()
        taken = self.tools.sizeHint().width() + self.find_button.sizeHint().width() + 140
        self.hint_label.setVisible(self.width() >= title + taken)

    def show_weakest(self) -> None:
        """Bring the least deniable group into sight."""
        if self._tree is not None:
            self.view.choose(str(self._tree.weakest.place))

    def _draw(self) -> None:
        if self._tree is not None:
            labels = GroupLabels(self._tree, self._minimum, self._unfolded, self._shown)
            self.view.show_tree(labels.root())

    def _on_chosen(self, key: str) -> None:
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
