"""The drawn tree, a chosen node in words, and the way of a chosen record."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QMenu, QSpinBox, QWidget

from ppworkbench.analyses.experiments.classification import TrainedTree
from ppworkbench.core.classify.tree.node import Node
from ppworkbench.core.classify.tree.node import Test as NodeTest
from ppworkbench.core.files import write_text
from ppworkbench.gui.charts.chart_export import ask_for_file
from ppworkbench.gui.charts.tree import TreeTools, TreeView
from ppworkbench.gui.charts.tree_layout import TreeNode
from ppworkbench.gui.dialogs import show_menu
from ppworkbench.gui.language import tr
from ppworkbench.gui.numbers import in_unit, number, percent, with_mark
from ppworkbench.gui.pages.classify.view import ClassifyView, level_words, short_name
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.controls import IconButton
from ppworkbench.gui.widgets.labels import ElidedLabel
from ppworkbench.gui.widgets.layout import column, line, named, row, stack, text
from ppworkbench.study.study import Study

_UNTITLED = Study()
"""Calls every attribute by the name of its column."""

_MOST = 400
"""Boxes beyond these are not drawn: nobody looks at so many."""


def boxes_of(root: Node, classes: Sequence[str], levels: int, study: Study = _UNTITLED) -> TreeNode:
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
        edge, words = sides.get(node.number, ""), ""
        if node.test is not None:
            words = f"{test_words(node.test, study)}?"
        made[node.number] = _box(node, classes, words, edge, drawn, len(below))
    return made[root.number]


def levels_of_tree(root: Node) -> int:
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
    node: Node,
    classes: Sequence[str],
    test: str,
    edge: str,
    drawn: tuple[TreeNode, ...],
    below: int,
) -> TreeNode:
    counted, share = number(node.records), _told_share(node, classes)
    words = f"{percent(node.shares[share])} {classes[share]}" if node.records else tr("empty")
    cut = bool(below) and not drawn
    note = tr("%s more nodes below") % number(_size(node) - 1) if cut else ""
    if not test:
        return TreeNode(
            str(node.number), str(node.prediction), (words, counted),
            share=node.shares[share], edge=edge,
        )  # fmt: skip
    return TreeNode(
        str(node.number), test, (f"{counted} · {words}",),
        note=note, edge=edge, children=drawn,
    )  # fmt: skip


def test_words(test: NodeTest, study: Study) -> str:
    """A test in words; the core knows them in English only."""
    shown = study.shown(test.attribute)
    if test.threshold is not None:
        limit, unit = with_mark(f"{test.threshold:.6g}"), study.unit(test.attribute)
        return f"{shown} < {in_unit(limit, unit)}"
    if len(test.values) == 1:
        return tr("%s is %s") % (shown, test.values[0])
    return tr("%s in {%s}") % (shown, ", ".join(test.values))


def _told_share(node: Node, classes: Sequence[str]) -> int:
    """The class whose share is told: the second of two, else the one that is predicted."""
    if len(classes) == 2:
        return 1
    return list(classes).index(str(node.prediction))


def _size(node: Node) -> int:
    return sum(1 for _ in node.walk())


def describe(node: Node, classes: Sequence[str], study: Study = _UNTITLED) -> tuple[str, str]:
    shares = zip(classes, node.counts or node.shares, strict=False)
    listed = ", ".join(f"{name} {number(count)}" for name, count in shares)
    counts = tr("Reconstructed class counts: %s.") % listed
    if node.test is None or node.yes is None or node.no is None:
        title = tr("Selected: “%s”") % node.prediction
        return title, tr("%s %s records end here.") % (counts, number(node.records))
    share = _told_share(node, classes)
    sides = [100 * child.shares[share] for child in (node.yes, node.no)]
    words = tr("%s in 100 are “%s” where it holds, %s where it does not. %s") % (
        number(sides[0]), classes[share], number(sides[1]), counts,
    )  # fmt: skip
    return tr("Selected: “%s?”") % test_words(node.test, study), words


LEVELS, FEWEST_LEVELS = 3, 2
"""Levels that are drawn at first: as many of these as can be read in the room there is."""
_WIDEST = 104.0
"""Narrow boxes with names of several lines let more levels be seen at once."""


class TreeCard(Card):
    """The tree of the first fold."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self.tree: TrainedTree | None = None
        self._study = _UNTITLED
        self._nodes: dict[str, Node] = {}
        self._wanted: int | None = None
        """The levels that somebody asked for; None for those that fit."""
        self.heading = text(self.tr("Decision tree"), "strong", wrap=True)
        self.hint = text("", "captionHint", wrap=True)
        self.view = named(TreeView(themes, self.tr("Decision tree"), _WIDEST), "treeView")
        self.view.setMinimumHeight(120)
        self.tools = TreeTools(themes, self.view)
        self.save = IconButton(themes, "export", self.tr("Save tree as text or JSON…"), 16)
        self.save.setObjectName("saveTree")
        self.chosen_title = text("", "label", wrap=True)
        self.chosen_words = text("", "captionHint", wrap=True)
        self._make_record()
        self.empty = text("", "hint", wrap=True, align=Qt.AlignmentFlag.AlignCenter)
        self._stack = stack(self.empty)
        shown = QWidget()
        column(
            self.view, line(), self.record_row, self.chosen_title,
            self.chosen_words, parent=shown, spacing=5,
        ).setStretch(0, 1)  # fmt: skip
        self._stack.addWidget(shown)
        head = row(self.heading, self.tools, self.save, spacing=4, stretch=0)
        # Beside the tools the hint would need twice the lines, which the tree lacks.
        self.body.addLayout(column(head, self.hint, spacing=0))
        self.body.addWidget(self._stack, 1)
        self.view.node_chosen.connect(self._on_node)
        self.view.resized.connect(self._on_resized)
        self.save.clicked.connect(self._on_save)

    def _make_record(self) -> None:
        self.record = named(QSpinBox(), "treeRecord", self.tr("Traced test record"))
        self.record.setSpecialValueText(self.tr("none"))
        self.record.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.record.setFixedWidth(self._themes.theme.px(66))
        self.levels = named(QSpinBox(), "treeLevels", self.tr("Tree levels drawn"))
        self.levels.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.levels.setFixedWidth(self._themes.theme.px(46))
        self.record_words = ElidedLabel("captionHint", lines=2)
        self.record_row = QWidget()
        names = [text(words, "label") for words in (self.tr("Trace record"), self.tr("levels"))]
        controls = row(names[0], self.record, None, names[1], self.levels, spacing=4)
        column(controls, self.record_words, parent=self.record_row, spacing=4)
        self.record.valueChanged.connect(lambda _: self._follow())
        self.levels.valueChanged.connect(self._on_levels)

    def set_view(self, view: ClassifyView) -> None:
        run, setting = view.run, view.tree_setting
        self._study = view.study
        if run is None:
            self._show_nothing(self.tr("The tree of the first fold appears here."))
        elif setting is None:
            self._show_nothing(self.tr("Select “%s” to see its tree.") % short_name("tree"))
        elif run.experiment is None and view.is_stale:
            self._show_nothing(self.tr("The study has changed; run again to see the tree."))
        elif view.tree_problem:
            self._show_nothing(view.tree_problem)
        elif view.tree is not None:
            hint = (
                self.tr("splits chosen from undistorted answers")
                if setting.undistorted
                else self.tr("splits chosen from reconstructed counts; %s")
                % level_words(view.level(setting))
            )
            self._show_tree(view.tree, view.names[setting.key], hint)
        elif self.tree is None:
            # An old tree stays until the new one is there.
            self._show_nothing(self.tr("Drawing…"))

    def _show_nothing(self, why: str) -> None:
        self.tree = None
        self.heading.setText(self.tr("Decision tree"))
        self.hint.setText("")
        self.empty.setText(why)
        self._stack.setCurrentIndex(0)
        for widget in (self.tools, self.save):
            widget.hide()

    def _show_tree(self, tree: TrainedTree, name: str, hint: str) -> None:
        self.heading.setText(self.tr("%s, fold 1") % name)
        self.hint.setText(hint)
        if tree is self.tree:
            return
        self.tree = tree
        self._nodes = {str(node.number): node for node in tree.root.walk()}
        self.view.choose(None)
        self.view.set_path(())
        most = levels_of_tree(tree.root)
        with QSignalBlocker(self.levels):
            self.levels.setRange(1, most)
            self.levels.setValue(min(self._wanted or self._fitting_levels(), most))
        self._draw()
        with QSignalBlocker(self.record):
            self.record.setRange(0, tree.trained.test.rows)
            self.record.setValue(0)
        self._stack.setCurrentIndex(1)
        for widget in (self.tools, self.save):
            widget.show()
        self._follow()
        self._on_node("0" if "0" in self._nodes else next(iter(self._nodes)), mark=False)

    def _draw(self) -> None:
        if self.tree is not None:
            levels = self.levels.value()
            self.view.show_tree(boxes_of(self.tree.root, self.tree.classes, levels, self._study))

    def _fitting_levels(self) -> int:
        """The most of the usual levels that fit; too few would say nothing."""
        if self.tree is None:
            return LEVELS
        root, classes = self.tree.root, self.tree.classes
        fitting = (n for n in range(LEVELS, FEWEST_LEVELS, -1) if self._fits(root, classes, n))
        return next(fitting, FEWEST_LEVELS)

    def _fits(self, root: Node, classes: Sequence[str], levels: int) -> bool:
        return self.view.fits(boxes_of(root, classes, levels, self._study))

    def _on_resized(self) -> None:
        """Draw more or fewer levels in another room, unless somebody chose how many."""
        if self.tree is None or self._wanted is not None:
            return
        levels = min(self._fitting_levels(), self.levels.maximum())
        if levels != self.levels.value():
            with QSignalBlocker(self.levels):
                self.levels.setValue(levels)
            self._draw()

    # What a person does

    def _on_levels(self, levels: int) -> None:
        self._wanted = levels
        self._draw()

    def _on_node(self, key: str, *, mark: bool = True) -> None:
        if self.tree is None or key not in self._nodes:
            return
        title, words = describe(self._nodes[key], self.tree.classes, self._study)
        self.chosen_title.setText(title)
        self.chosen_words.setText(words)
        if mark:
            self.view.choose(key)

    def _follow(self) -> None:
        tree, place = self.tree, self.record.value() - 1
        if tree is None:
            return
        if place < 0:
            self.view.set_path(())
            most = number(tree.trained.test.rows)
            self.record.setToolTip(self.tr("A record of the test fold, 1 to %s.") % most)
            # The tree has the room while there is nothing to say about a record.
            self.record_words.hide()
            return
        path = tree.path(place)
        self.view.set_path(str(node.number) for node in path)
        test = tree.trained.test
        true = test[str(test.class_name)]
        value = true.attribute.values[int(true.data[place])]
        predicted = str(path[-1].prediction)
        words = (
            self.tr("Predicted “%s”: correct.") % predicted
            if predicted == value
            else self.tr("Predicted “%s”, true “%s”.") % (predicted, value)
        )
        self.record_words.setText(words)
        self.record_words.show()
        self._on_node(str(path[-1].number), mark=False)

    def _on_save(self) -> None:
        menu = QMenu(self)
        menu.addAction(self.tr("As text…"), lambda: self._ask("tree.txt"))
        menu.addAction(self.tr("As JSON…"), lambda: self._ask("tree.json"))
        show_menu(menu, self.save.mapToGlobal(self.save.rect().bottomLeft()))

    def _ask(self, suggestion: str) -> None:
        ask_for_file(self, suggestion, self.save_tree)

    def save_tree(self, path: Path) -> None:
        """Write the tree as JSON, or as indented text for any other suffix."""
        if self.tree is None:
            return
        classifier: Any = self.tree.trained.classifier
        if path.suffix.lower() == ".json":
            write_text(path, json.dumps(classifier.to_json(), indent=1, ensure_ascii=False))
        else:
            write_text(path, classifier.to_text())
