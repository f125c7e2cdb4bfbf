"""The tables of the Mine page: sorted, filtered and copied, however long they are."""

import numpy as np
import pytest
from mining_studies import many_rules, many_sets, small_sets
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication

from ppworkbench.analyses.mining.sheets import itemset_sheet
from ppworkbench.analyses.mining.tables import (
    NAME,
    RAW,
    SUPPORT,
    TRUE,
    ItemsetTable,
    RowOrder,
    TableQuery,
    order_rows,
)
from ppworkbench.gui.pages.mine.runs import AT_ONCE, RowSorter
from ppworkbench.gui.widgets.sheet_table import RowLooks, SheetTable


@pytest.fixture
def workbench(kept_workbench):
    return kept_workbench


def test_that_a_long_table_is_sorted_in_the_background_and_the_last_query_wins(qtbot, workbench):
    listing = many_sets(AT_ONCE + 1)
    sorter = RowSorter(workbench, "sets")
    arrived = []
    sorter.sorted.connect(lambda: arrived.append(sorter.order.query.text))
    sorter.sort(listing, TableQuery("item 1"))
    sorter.sort(listing, TableQuery("item 2"))
    assert sorter.order is None
    qtbot.waitUntil(lambda: workbench.jobs.is_idle and bool(arrived))
    assert arrived == ["item 2"]
    assert sorter.order.table is listing


def test_that_the_same_query_is_not_done_again(workbench):
    sorter, listing = RowSorter(workbench, "sets"), small_sets()
    sorter.sort(listing, TableQuery("bus"))
    first = sorter.order
    sorter.sort(listing, TableQuery("bus"))
    assert sorter.order is first
    sorter.forget()
    assert sorter.order is None
    sorter.sort(listing, TableQuery("bus"))
    assert sorter.order is not first


# The view


@pytest.fixture
def view(qtbot, workbench):
    made = SheetTable(workbench.themes, "itemsets", "Itemsets", wraps=True, sorts=False)
    qtbot.addWidget(made)
    made.resize(640, 400)
    made.show()
    return made


def show(view, listing, wish=None):
    show_order(view, order_rows(listing, wish or TableQuery(column=listing.bar)))


def show_order(view, order):
    view.set_sheet(itemset_sheet(order.table, 0.9), RowLooks(reach=order.reach), rows=order.rows)


def test_that_cells_say_percentages_and_a_dash_for_what_is_not_known(view):
    show(view, small_sets(**{TRUE: np.array([np.nan, 0.31, 0.1, 0.2])}))
    model = view.model()
    cells = [model.index(0, c).data() for c in range(model.columnCount())]
    assert cells == ["car", "1", "50.0\u202f%", "55.0\u202f%", "31.0\u202f%"]
    assert model.index(1, 4).data() == "–"
    tip = model.index(0, 2).data(Qt.ItemDataRole.ToolTipRole)
    assert "48.0\u202f%" in tip
    assert "90 of 100" in tip


def test_that_a_click_on_a_head_asks_for_its_column(qtbot, view):
    show(view, small_sets())
    x = view.columnViewportPosition(3) + 10
    with qtbot.waitSignal(view.sort_requested) as caught:
        qtbot.mouseClick(view.head.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(x, 10))
    assert caught.args == [RAW]


def test_that_a_click_on_a_row_tells_its_place_in_the_listing(qtbot, view):
    show(view, small_sets())
    centre = view.visualRect(view.model().index(3, 0)).center()
    with qtbot.waitSignal(view.row_chosen) as caught:
        qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=centre)
    assert caught.args == [2]


def test_that_a_place_can_be_chosen_and_let_go_again(qtbot, view):
    show(view, small_sets())
    view.select_place(2)
    assert view.currentIndex().row() == 3
    with qtbot.waitSignal(view.row_chosen) as caught:
        qtbot.keyClick(view, Qt.Key.Key_Escape)
    assert caught.args == [-1]
    assert not view.selectionModel().hasSelection()


def test_that_choosing_a_row_that_is_filtered_out_lets_the_choice_go(view):
    listing = small_sets()
    show(view, listing)
    view.select_place(1)
    show(view, listing, TableQuery("apple", column=SUPPORT))
    view.select_place(1)
    assert not view.selectionModel().hasSelection()


def test_that_the_selected_rows_are_copied_as_text_and_as_html(qtbot, view):
    show(view, small_sets())
    view.selectRow(1)
    qtbot.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    data = QGuiApplication.clipboard().mimeData()
    lines = data.text().split("\n")
    assert lines[0].startswith("Itemset\tItems\t")
    assert lines[1:] == ["Bus + apple\t2\t20.0\u202f%\t25.0\u202f%"]
    assert "<td>Bus + apple</td>" in data.html()


def test_that_all_rows_are_copied_where_none_is_selected(view):
    show(view, small_sets())
    assert view.copy() == 4


def test_that_everything_is_drawn_also_dimmed_and_without_intervals(view):
    show(view, small_sets())
    view.set_looks(RowLooks(rule=0.2))
    fresh = view.grab().toImage()
    view.set_looks(RowLooks(rule=0.2, is_stale=True))
    assert view.grab().toImage() != fresh
    support = np.array([0.3])
    nothing = np.array([np.nan])
    show(view, ItemsetTable(("a",), np.zeros((1, 1), np.int32), SUPPORT, {SUPPORT: support},
                       nothing, nothing))  # fmt: skip
    assert view.model().headerData(2, Qt.Orientation.Horizontal) == "Support"
    view.grab()


@pytest.mark.parametrize("make", [many_sets, many_rules])
def test_that_a_hundred_thousand_rows_are_shown_and_scrolled(view, make):
    listing = make()
    wish = TableQuery(column=listing.bar)
    order = order_rows(listing, wish)
    show_order(view, order)
    bar = view.verticalScrollBar()
    for share in (0.1, 0.5, 0.9, 1.0):
        bar.setValue(round(share * bar.maximum()))
        view.viewport().repaint()
    view.select_place(int(order.rows[-5]))
    assert view.currentIndex().row() == 100_000 - 5


def test_that_a_hundred_thousand_rows_are_filtered(qtbot, workbench, view):
    listing = many_sets()
    sorter = RowSorter(workbench, "sets")
    sorter.sorted.connect(lambda: show_order(view, sorter.order))
    for text in ("i", "it", "item 0", "item 01", "item 01 item 02"):
        sorter.sort(listing, TableQuery(text, 2, 0, NAME, descending=False))
        qtbot.wait(5)
    qtbot.waitUntil(lambda: workbench.jobs.is_idle)
    shown = view.model().rowCount()
    held = (listing.members == 1).any(axis=1) & (listing.members == 2).any(axis=1)
    assert shown == int((held & (listing.size >= 2)).sum())
    assert 0 < shown < 10_000


def test_that_an_order_from_elsewhere_is_shown_as_it_is(view):
    show_order(view, RowOrder(small_sets(), TableQuery(), np.array([3, 1]), 1.0))
    assert [view.model().index(r, 0).data() for r in range(2)] == ["apple + bus lane", "car"]
