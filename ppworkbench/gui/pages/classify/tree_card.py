"""The drawn tree, a chosen node in words, and the way of a chosen record."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QMenu, QSpinBox, QStackedWidget, QWidget

from ppworkbench.core.atomic import write_text
from ppworkbench.core.classify.tree.node import Node
from ppworkbench.gui.dialogs import show_menu
from ppworkbench.gui.pages.classify.tree_words import boxes_of, describe, levels_of_tree
from ppworkbench.gui.pages.classify.trees import DrawnTree
from ppworkbench.gui.plots.picture_files import ask_for_file
from ppworkbench.gui.plots.tree_tools import TreeTools
from ppworkbench.gui.plots.tree_view import TreeView
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.elided_label import ElidedLabel
from ppworkbench.gui.widgets.icon_button import IconButton
from ppworkbench.gui.widgets.layouts import column, line, row, text
from ppworkbench.gui.words import number

LEVELS = 3
"""Levels that are drawn at first: more can hardly be read in the room there is."""


class TreeCard(Card):
    """The tree of the first fold."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self.tree: DrawnTree | None = None
        self._nodes: dict[str, Node] = {}
        self._wanted = LEVELS
        self.heading = text(self.tr("Decision tree"), "strong")
        self.hint = text("", "captionHint", wrap=True)
        self.view = TreeView(themes, self.tr("Decision tree"))
        self.view.setObjectName("treeView")
        self.view.setMinimumHeight(120)
        self.tools = TreeTools(themes, self.view)
        self.save = IconButton(themes, "export", self.tr("Save the tree as text or JSON…"), 16)
        self.save.setObjectName("saveTree")
        self.chosen_title = text("", "label", wrap=True)
        self.chosen_words = text("", "captionHint", wrap=True)
        self._make_record()
        self.empty = text("", "hint", wrap=True)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.empty)
        shown = QWidget()
        column(
            self.view, line(), self.record_row, self.chosen_title,
            self.chosen_words, parent=shown, spacing=5,
        ).setStretch(0, 1)  # fmt: skip
        self._stack.addWidget(shown)
        names = column(self.heading, self.hint, spacing=2)
        head = row(names, self.tools, self.save, spacing=4)
        head.setStretch(0, 1)
        self.body.addLayout(head)
        self.body.addWidget(self._stack, 1)
        self.view.node_chosen.connect(self._on_node)
        self.save.clicked.connect(self._on_save)

    def _make_record(self) -> None:
        self.record = QSpinBox()
        self.record.setObjectName("treeRecord")
        self.record.setAccessibleName(self.tr("Tested record whose way is shown"))
        self.record.setSpecialValueText(self.tr("none"))
        self.record.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.record.setFixedWidth(self._themes.theme.px(84))
        self.levels = QSpinBox()
        self.levels.setObjectName("treeLevels")
        self.levels.setAccessibleName(self.tr("Levels of the tree that are drawn"))
        self.levels.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.levels.setFixedWidth(self._themes.theme.px(52))
        self.record_words = ElidedLabel("captionHint")
        self.record_row = QWidget()
        first = row(text(self.tr("Follow record"), "label"), self.record, None)
        second = row(self.record_words, text(self.tr("levels"), "label"), self.levels)
        second.setStretch(0, 1)
        column(first, second, parent=self.record_row, spacing=4)
        self.record.valueChanged.connect(lambda _: self._follow())
        self.levels.valueChanged.connect(lambda _: self._draw())

    def show_nothing(self, why: str) -> None:
        """Say why no tree is drawn."""
        self.tree = None
        self.heading.setText(self.tr("Decision tree"))
        self.hint.setText("")
        self.empty.setText(why)
        self._stack.setCurrentIndex(0)
        for widget in (self.tools, self.save):
            widget.hide()

    def show_waiting(self) -> None:
        """Keep an old tree, or say that one is on its way."""
        if self.tree is None:
            self.show_nothing(self.tr("The tree is being drawn…"))

    def show_tree(self, tree: DrawnTree, name: str, hint: str) -> None:
        """Draw a tree."""
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
            self.levels.setValue(min(self._wanted, most))
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
            self._wanted = self.levels.value()
            self.view.show_tree(boxes_of(self.tree.root, self.tree.classes, self._wanted))

    # What a person does

    def _on_node(self, key: str, *, mark: bool = True) -> None:
        if self.tree is None or key not in self._nodes:
            return
        title, words = describe(self._nodes[key], self.tree.classes)
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
            self.record_words.setText(self.tr("A record of the tested fold, 1 to %s.") % most)
            return
        path = tree.path(place)
        self.view.set_path(str(node.number) for node in path)
        test = tree.trained.test
        true = test[str(test.class_name)]
        value = true.attribute.values[int(true.data[place])]
        foretold = str(path[-1].prediction)
        words = (
            self.tr("Foretold “%s”, rightly.") % foretold
            if foretold == value
            else self.tr("Foretold “%s”, truly “%s”.") % (foretold, value)
        )
        self.record_words.setText(words)
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
        import json

        if self.tree is None:
            return
        classifier: Any = self.tree.trained.classifier
        if path.suffix.lower() == ".json":
            write_text(path, json.dumps(classifier.to_json(), indent=1, ensure_ascii=False))
        else:
            write_text(path, classifier.to_text())
