"""Keys that all pages share: columns, filters, copies, another attribute."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QItemSelection, QItemSelectionModel, Qt
from PySide6.QtGui import QGuiApplication, QStandardItem, QStandardItemModel
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QSplitter, QTableView, QWidget
from window_hands import CTRL, press

from ppworkbench.gui.keys import columns_of
from ppworkbench.gui.pages.page import Page, add_attribute_keys, add_filter_key
from ppworkbench.gui.widgets.attribute_box import AttributeBox
from ppworkbench.gui.widgets.layout import column
from ppworkbench.gui.widgets.table import FilterBar, enable_copy

ALT = Qt.KeyboardModifier.AltModifier
WORDS = ("alpha one", "beta two", "gamma two")


def button(words):
    made = QPushButton(words)
    made.setObjectName(words)
    return made


@pytest.fixture
def table():
    """Three rows of two columns."""
    model = QStandardItemModel()
    model.setHorizontalHeaderLabels(["word", "length"])
    for words in WORDS:
        model.appendRow([QStandardItem(words), QStandardItem(str(len(words)))])
    made = QTableView()
    made.setModel(model)
    made.model_kept = model
    enable_copy(made)
    return made


@pytest.fixture
def page(workbench, qtbot, table):
    """A column at the left, and one of two parts within a widget at the right."""
    made = Page(workbench)
    qtbot.addWidget(made)
    inner = QSplitter()
    inner.addWidget(button("middle"))
    inner.addWidget(table)
    held = QWidget()
    column(button("above"), inner, parent=held)
    outer = QSplitter()
    outer.addWidget(button("left"))
    outer.addWidget(held)
    column(outer, parent=made)
    made.resize(700, 300)
    made.show()
    qtbot.waitExposed(made)
    made.activateWindow()
    QApplication.processEvents()
    return made


def test_that_f6_walks_nested_columns_to_and_fro(page, table):
    assert [part.objectName() for part in columns_of(page)][:2] == ["left", "middle"]
    page.findChild(QPushButton, "left").setFocus()
    seen = []
    for _ in range(3):
        press(page.focusWidget(), Qt.Key.Key_F6)
        seen.append(page.focusWidget())
    assert [seen[0].objectName(), seen[1], seen[2].objectName()] == ["middle", table, "left"]
    press(page.focusWidget(), Qt.Key.Key_F6, Qt.KeyboardModifier.ShiftModifier)
    assert page.focusWidget() is table


def test_that_a_filter_leaves_rows_until_escape(page, table):
    add_filter_key(page)
    page.findChild(QPushButton, "left").setFocus()
    press(page.focusWidget(), Qt.Key.Key_F, CTRL)
    bar = table.findChild(FilterBar)
    assert page.focusWidget() is bar.field
    QTest.keyClicks(bar.field, "TWO")
    assert [table.isRowHidden(row) for row in range(3)] == [True, False, False]
    assert bar.count.text() == "2 of 3"
    table.model_kept.appendRow([QStandardItem("two more"), QStandardItem("8")])
    assert bar.count.text() == "3 of 4"
    press(bar.field, Qt.Key.Key_Escape)
    assert not bar.isVisible()
    assert not any(table.isRowHidden(row) for row in range(4))
    assert page.focusWidget() is table


def test_that_a_filter_without_a_table_says_so(page, table, workbench, qtbot):
    add_filter_key(page)
    table.model_kept.setRowCount(0)
    with qtbot.waitSignal(workbench.toast_requested) as said:
        press(page, Qt.Key.Key_F, CTRL)
    assert "nothing to filter" in said.args[0]


def test_that_a_table_is_copied_whole_or_as_chosen(page, table):
    press(table, Qt.Key.Key_C, CTRL)
    copied = QGuiApplication.clipboard().mimeData()
    assert copied.text().splitlines() == [
        "word\tlength",
        "alpha one\t9",
        "beta two\t8",
        "gamma two\t9",
    ]
    assert "<td>gamma two</td>" in copied.html()
    model = table.model_kept
    chosen = QItemSelection(model.index(1, 0), model.index(2, 0))
    table.selectionModel().select(chosen, QItemSelectionModel.SelectionFlag.ClearAndSelect)
    press(table, Qt.Key.Key_C, CTRL)
    assert QGuiApplication.clipboard().text().splitlines() == ["word", "beta two", "gamma two"]


def test_that_alt_and_arrows_choose_another_attribute(page, workbench):
    box = AttributeBox(workbench.themes, "box", "Attribute")
    offered = [("age", "integer", "", ""), ("sex", "binary", "", ""), ("town", "nominal", "", "")]
    box.offer(offered, "age")
    chosen = []
    box.chosen.connect(chosen.append)
    add_attribute_keys(page, box)
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Up):
        press(page, key, ALT)
    assert chosen == ["sex", "town", "sex"]
