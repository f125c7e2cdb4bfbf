"""The tables of the Mine page: sorted, filtered and copied, however long they are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mining_studies import many_rules, many_sets
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication

from ppworkbench.gui.pages.mine.itemset_table import AT_ONCE, ListingView, RowSorter
from ppworkbench.study.analyses.mining_tables import (
    CONFIDENCE,
    NAME,
    RAW,
    SIZE,
    SUPPORT,
    TRUE,
    ItemsetTable,
    RowOrder,
    TableQuery,
    empty_table,
    order_rows,
)

WORDS = ("Bus", "apple", "car", "bus lane")


def small(**more):
    members = np.array([[0, 1, -1], [2, -1, -1], [0, 2, 3], [1, 3, -1]], np.int32)
    support = np.array([0.2, 0.5, 0.1, 0.2])
    values = {SUPPORT: support, RAW: support + 0.05, **more}
    return ItemsetTable(WORDS, members, SUPPORT, values, support - 0.02, support + 0.02)


def names(listing, wish):
    return [listing.name(place) for place in order_rows(listing, wish).rows.tolist()]


# Sorting and filtering


def test_that_rows_are_sorted_by_a_number_and_ties_keep_their_order():
    found = names(small(), TableQuery(column=SUPPORT))
    assert found == ["car", "Bus + apple", "apple + bus lane", "Bus + car + bus lane"]
    assert names(small(), TableQuery(column=SUPPORT, descending=False))[0] == "Bus + car + bus lane"


def test_that_names_are_sorted_without_regard_to_capitals_and_the_shorter_first():
    found = names(small(), TableQuery(column=NAME, descending=False))
    assert found == ["apple + bus lane", "Bus + apple", "Bus + car + bus lane", "car"]


def test_that_unknown_numbers_stand_last_in_either_direction():
    listing = small(**{TRUE: np.array([np.nan, 0.3, 0.1, np.nan])})
    for descending in (True, False):
        found = names(listing, TableQuery(column=TRUE, descending=descending))
        assert found[2:] == ["Bus + apple", "apple + bus lane"]


def test_that_every_word_of_the_filter_has_to_occur_in_some_item():
    assert names(small(), TableQuery("bus apple", column=NAME, descending=False)) == [
        "apple + bus lane",
        "Bus + apple",
    ]
    assert names(small(), TableQuery("lane car")) == ["Bus + car + bus lane"]
    assert names(small(), TableQuery("tram")) == []


def test_that_sizes_are_bounded_on_both_sides():
    assert names(small(), TableQuery(least=2)) == ["Bus + apple", "Bus + car + bus lane",
                                             "apple + bus lane"]  # fmt: skip
    assert names(small(), TableQuery(least=1, most=1)) == ["car"]


def test_that_a_rule_is_found_by_the_items_of_both_sides():
    listing = ItemsetTable(
        WORDS,
        np.array([[0], [2]], np.int32),
        CONFIDENCE,
        {SUPPORT: np.array([0.1, 0.2]), CONFIDENCE: np.array([0.6, 0.7])},
        np.full(2, np.nan),
        np.full(2, np.nan),
        heads=np.array([[1], [3]], np.int32),
    )
    assert names(listing, TableQuery("apple")) == ["Bus → apple"]
    assert names(listing, TableQuery("car")) == ["car → bus lane"]
    assert listing.size.tolist() == [2, 2]
    assert SIZE not in listing.columns


@given(st.lists(st.tuples(st.integers(0, 3), st.floats(0, 1)), max_size=30), st.booleans())
def test_that_arranging_gives_each_wanted_row_once_and_in_order(rows, descending):
    members = np.array([[item] for item, _ in rows], np.int32).reshape(-1, 1)
    support = np.array([value for _, value in rows], float)
    listing = ItemsetTable(WORDS, members, SUPPORT, {SUPPORT: support}, support, support)
    order = order_rows(listing, TableQuery("b", column=SUPPORT, descending=descending)).rows
    wanted = [i for i, (item, _) in enumerate(rows) if "b" in WORDS[item].lower()]
    assert sorted(order.tolist()) == wanted
    steps = np.diff(support[order])
    assert np.all(steps <= 0 if descending else steps >= 0)


def test_that_the_scale_of_the_bars_follows_the_sizes_but_not_the_words():
    assert order_rows(small(), TableQuery(least=1)).reach == pytest.approx(0.52)
    assert order_rows(small(), TableQuery(least=2)).reach == pytest.approx(0.22)
    assert order_rows(small(), TableQuery("lane", least=2)).reach == pytest.approx(0.22)


def test_that_a_listing_of_nothing_can_be_arranged():
    assert order_rows(empty_table(), TableQuery("x", 2, 3, NAME)).rows.tolist() == []


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
    sorter, listing = RowSorter(workbench, "sets"), small()
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
    made = ListingView(workbench.themes, "Itemsets")
    qtbot.addWidget(made)
    made.resize(640, 400)
    made.show()
    return made


def show(view, listing, wish=None):
    view.show_order(order_rows(listing, wish or TableQuery(column=listing.bar)), 0.9)


def test_that_cells_say_percentages_and_a_dash_for_what_is_not_known(view):
    show(view, small(**{TRUE: np.array([np.nan, 0.31, 0.1, 0.2])}))
    model = view.model()
    cells = [model.index(0, c).data() for c in range(model.columnCount())]
    assert cells == ["car", "1", "50.0\u202f%", "55.0", "31.0"]
    assert model.index(1, 4).data() == "–"
    tip = model.index(0, 2).data(Qt.ItemDataRole.ToolTipRole)
    assert "48.0\u202f%" in tip
    assert "90 of 100" in tip


def test_that_a_click_on_a_head_asks_for_its_column(qtbot, view):
    show(view, small())
    x = view.columnViewportPosition(3) + 10
    with qtbot.waitSignal(view.sort_requested) as caught:
        qtbot.mouseClick(view.head.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(x, 10))
    assert caught.args == [RAW]


def test_that_a_click_on_a_row_tells_its_place_in_the_listing(qtbot, view):
    show(view, small())
    centre = view.visualRect(view.model().index(3, 0)).center()
    with qtbot.waitSignal(view.current_changed) as caught:
        qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=centre)
    assert caught.args == [2]


def test_that_a_place_can_be_chosen_and_let_go_again(qtbot, view):
    show(view, small())
    view.select_place(2)
    assert view.currentIndex().row() == 3
    with qtbot.waitSignal(view.current_changed) as caught:
        qtbot.keyClick(view, Qt.Key.Key_Escape)
    assert caught.args == [-1]
    assert not view.selectionModel().hasSelection()


def test_that_choosing_a_row_that_is_filtered_out_lets_the_choice_go(view):
    listing = small()
    show(view, listing)
    view.select_place(1)
    show(view, listing, TableQuery("apple", column=SUPPORT))
    view.select_place(1)
    assert not view.selectionModel().hasSelection()


def test_that_the_selected_rows_are_copied_as_text_and_as_html(qtbot, view):
    show(view, small())
    view.selectRow(1)
    qtbot.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    data = QGuiApplication.clipboard().mimeData()
    lines = data.text().split("\n")
    assert lines[0].startswith("Items that occur together\tSize\t")
    assert lines[1:] == ["Bus + apple\t2\t20.0\u202f%\t25.0"]
    assert "<td>Bus + apple</td>" in data.html()


def test_that_all_rows_are_copied_where_none_is_selected(view):
    show(view, small())
    assert view.copy() == 4


def test_that_everything_is_drawn_also_dimmed_and_without_intervals(view):
    show(view, small())
    view.show_marks(0.2, stale=False)
    fresh = view.grab().toImage()
    view.show_marks(0.2, stale=True)
    assert view.grab().toImage() != fresh
    support = np.array([0.3])
    nothing = np.array([np.nan])
    show(view, ItemsetTable(("a",), np.zeros((1, 1), np.int32), SUPPORT, {SUPPORT: support},
                       nothing, nothing))  # fmt: skip
    assert view.model().headerData(2, Qt.Orientation.Horizontal) == "Support"
    view.grab()


@pytest.mark.parametrize("make", [many_sets, many_rules])
def test_that_a_hundred_thousand_rows_are_shown_and_scrolled_without_a_stutter(
    qtbot, view, max_block, make
):
    listing = make()
    wish = TableQuery(column=listing.bar)
    order = order_rows(listing, wish)
    with max_block(100):
        view.show_order(order, 0.9)
        qtbot.wait(1)
    bar = view.verticalScrollBar()
    with max_block(100):
        for share in (0.1, 0.5, 0.9, 1.0):
            bar.setValue(round(share * bar.maximum()))
            view.viewport().repaint()
            qtbot.wait(1)
        view.select_place(int(order.rows[-5]))
        qtbot.wait(1)
    assert view.currentIndex().row() == 100_000 - 5


def test_that_a_hundred_thousand_rows_are_filtered_without_a_stutter(
    qtbot, workbench, view, max_block
):
    listing = many_sets()
    sorter = RowSorter(workbench, "sets")
    sorter.sorted.connect(lambda: view.show_order(sorter.order, 0.9))
    with max_block(100):
        for text in ("i", "it", "item 0", "item 01", "item 01 item 02"):
            sorter.sort(listing, TableQuery(text, 2, 0, NAME, descending=False))
            qtbot.wait(5)
        qtbot.waitUntil(lambda: workbench.jobs.is_idle, timeout=20_000)
    shown = view.model().rowCount()
    held = (listing.members == 1).any(axis=1) & (listing.members == 2).any(axis=1)
    assert shown == int((held & (listing.size >= 2)).sum())
    assert 0 < shown < 10_000


def test_that_an_order_from_elsewhere_is_shown_as_it_is(view):
    view.show_order(RowOrder(small(), TableQuery(), np.array([3, 1]), 1.0), 0.9)
    assert [view.model().index(r, 0).data() for r in range(2)] == ["apple + bus lane", "car"]
