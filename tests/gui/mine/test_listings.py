"""The tables of the Mine page: sorted, filtered and copied, however long they are."""

import numpy as np
import pytest
from mining_studies import listing, many_rules, many_sets, small_sets
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication

from ppworkbench.gui.pages.mine.view import TableState
from ppworkbench.gui.widgets.sheet_table import RowLooks, SheetTable


@pytest.fixture
def workbench(kept_workbench):
    return kept_workbench


@pytest.fixture
def view(qtbot, workbench):
    made = SheetTable(workbench.themes, "itemsets", "Itemsets", wraps=True)
    qtbot.addWidget(made)
    made.resize(640, 400)
    made.show()
    return made


def show(view, listing, text="", least=1):
    kept = TableState(text=text, sizes=(least, 0)).kept(listing)
    view.set_sheet(listing.sheet, RowLooks(), kept=kept)


def test_that_cells_say_percentages_and_a_dash_for_what_is_not_known(view):
    show(view, small_sets(true=np.array([np.nan, 0.31, 0.1, 0.2])))
    model = view.model()
    cells = [model.index(0, c).data() for c in range(model.columnCount())]
    assert cells == ["car", "1", "50.0\u202f%", "55.0\u202f%", "31.0\u202f%"]
    assert model.index(1, 4).data() == "–"
    tip = model.index(0, 2).data(Qt.ItemDataRole.ToolTipRole)
    assert "48.0\u202f%" in tip
    assert "90 of 100" in tip


def test_that_a_click_on_a_head_sorts_by_its_column(qtbot, view):
    show(view, small_sets())
    x = view.columnViewportPosition(0) + 10
    for expected in (["apple + bus lane", "Bus + apple"], ["car", "Bus + car + bus lane"]):
        qtbot.mouseClick(view.head.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(x, 10))
        assert [view.model().index(row, 0).data() for row in range(2)] == expected


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
    found = small_sets()
    show(view, found)
    view.select_place(1)
    show(view, found, "apple")
    view.select_place(1)
    assert not view.selectionModel().hasSelection()


def test_that_the_selected_rows_are_copied_as_text_and_as_html(qtbot, view):
    show(view, small_sets())
    view.selectRow(1)
    qtbot.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    data = QGuiApplication.clipboard().mimeData()
    lines = data.text().split("\n")
    assert lines[0].startswith("itemset\tlength\t")
    assert lines[1:] == ["Bus + apple\t2\t20.0\u202f%\t25.0\u202f%"]
    assert "<td>Bus + apple</td>" in data.html()


def test_that_all_rows_are_copied_where_none_is_selected(view):
    show(view, small_sets())
    assert view.copy() == 4


def test_that_everything_is_drawn_also_dimmed_and_without_intervals(view):
    show(view, small_sets())
    view.set_sheet(view.sheet, RowLooks(rule=0.2))
    fresh = view.grab().toImage()
    view.set_sheet(view.sheet, RowLooks(rule=0.2, is_stale=True))
    assert view.grab().toImage() != fresh
    nothing = np.array([np.nan])
    members = np.zeros((1, 1), np.int32)
    show(view, listing(("a",), [members], support=np.array([0.3]), low=nothing, high=nothing))
    assert view.model().headerData(2, Qt.Orientation.Horizontal) == "support ± 90\u202f%"
    view.grab()


@pytest.mark.parametrize("make", [many_sets, many_rules])
def test_that_a_hundred_thousand_rows_are_shown_and_scrolled(view, make):
    show(view, make())
    bar = view.verticalScrollBar()
    for share in (0.1, 0.5, 0.9, 1.0):
        bar.setValue(round(share * bar.maximum()))
        view.viewport().repaint()
    view.select_place(int(view.rows[-5]))
    assert view.currentIndex().row() == 100_000 - 5


def test_that_a_hundred_thousand_rows_are_filtered(view):
    found = many_sets()
    view.sorting = "itemset", False
    for text in ("i", "it", "item 0", "item 01", "item 01 item 02"):
        show(view, found, text, 2)
    members = found.texts.sides[0]
    held = (members == 1).any(axis=1) & (members == 2).any(axis=1)
    assert view.model().rowCount() == int((held & (found.texts.size >= 2)).sum())
    assert 0 < view.model().rowCount() < 10_000
