"""Tab goes in reading order, and leaves nothing in memory that Qt has deleted."""

from __future__ import annotations

import ast
import gc
from pathlib import Path

import shiboken6
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLayout,
    QLayoutItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

import ppworkbench.gui
from ppworkbench.gui.keys import order_tabs
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.layout import column, row


def items_of_layouts() -> list[QLayoutItem]:
    return [
        one
        for one in shiboken6.getAllValidWrappers()
        if isinstance(one, QLayoutItem) and not isinstance(one, QLayout)
    ]


def test_that_tab_goes_through_nested_layouts_as_people_read(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    late, cell, corner, last, first = (QPushButton(name) for name in ("2", "4", "3", "5", "1"))
    grid = QGridLayout()
    grid.addWidget(cell, 1, 0)
    grid.addWidget(corner, 0, 1)
    across = QHBoxLayout()
    across.addLayout(grid)
    across.addStretch(1)
    across.addWidget(last)
    down = QVBoxLayout(window)
    down.addLayout(across)
    down.insertWidget(0, late)
    down.insertWidget(0, first)
    window.show()
    order_tabs(window)
    chain = [first]
    while len(chain) < 6:
        chain.append(chain[-1].nextInFocusChain())
    way = [button.text() for button in chain if button is not window]
    assert way == ["1", "2", "3", "4", "5"]


def test_that_python_keeps_no_item_of_a_layout_that_qt_may_delete(qtbot):
    # Whatever came to lie in its place would be taken for the item, and the program would break
    # down when it is used.
    gc.collect()
    before = len(items_of_layouts())
    window = QWidget()
    qtbot.addWidget(window)
    layout = QVBoxLayout(window)
    for number in range(5):
        layout.addWidget(QPushButton(str(number)))
    window.show()
    order_tabs(window)
    assert len(items_of_layouts()) <= before


def test_that_python_keeps_no_item_of_layouts_within_layouts(qtbot):
    gc.collect()
    before = len(items_of_layouts())
    card = Card("Title")
    qtbot.addWidget(card)
    first, last = QPushButton("1"), QPushButton("2")
    card.body.addLayout(row(column(first, None, spacing=2), 4, last))
    card.show()
    assert len(items_of_layouts()) <= before
    # They are still where they were.
    assert first.x() < last.x()
    first.deleteLater()
    qtbot.waitUntil(lambda: len(card.findChildren(QPushButton)) == 1)
    assert len(items_of_layouts()) <= before


def test_that_nobody_asks_a_layout_for_its_items():
    asked = [
        f"{path.name}:{node.lineno}"
        for path in sorted(Path(ppworkbench.gui.__file__).parent.rglob("*.py"))
        if "itemAt" in (source := path.read_text(encoding="utf-8"))
        for part in ast.parse(source).body
        # Whoever lets Python forget the items has to ask for them.
        if not (isinstance(part, ast.FunctionDef) and part.name == "forget_items")
        for node in ast.walk(part)
        if isinstance(node, ast.Attribute) and node.attr == "itemAt"
    ]
    assert asked == []
