"""The Compare view of the Design page: a table, a picture, and the frontier behind it."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from ppworkbench.core.design import Additive, Uniform
from ppworkbench.gui.pages.design import frontier
from ppworkbench.gui.pages.design.compare import NOW, Comparison, _round_up
from ppworkbench.study.study import PriorChoice

NAME = "fare_evasion"


@pytest.fixture
def page(page, wait_idle):
    page.store.select([NAME])
    yield page
    page.comparing.panel.search.stop()
    wait_idle()


def pin(page, share):
    page.store.set_perturbation([NAME], Uniform(keep=share))
    page.comparing.pin.trigger()


def toggle(page):
    """Open or close the view; it is filled right after it has appeared."""
    page.comparing.action.trigger()
    QApplication.processEvents()


def table(page):
    model = page.comparing.panel.table.numbers
    heads = [model.headerData(i, Qt.Orientation.Horizontal) for i in range(model.columnCount())]
    rows = [
        [model.index(r, c).data() for c in range(model.columnCount())]
        for r in range(model.rowCount())
    ]
    return heads, rows


def wait_for_frontier(page, qtbot):
    search = page.comparing.panel.search
    qtbot.waitUntil(lambda: search.curves is not None and not search.is_searching, timeout=20_000)


def test_that_compare_opens_in_place_of_the_cards_and_closes_again(page):
    panel = page.comparing.panel
    assert not panel.isVisible()
    assert page.readouts.isVisible()
    toggle(page)
    assert panel.isVisible()
    assert not page.readouts.isVisible()
    assert page.matrix.isVisible()
    assert page.comparing.action.text() == "Close Compare"
    panel.close_button.click()
    assert not panel.isVisible()
    assert not page.comparing.action.isChecked()


def test_that_escape_closes_compare_and_then_is_left_to_the_window(page):
    page.activateWindow()
    toggle(page)
    page.setFocus()
    QTest.keyClick(page, Qt.Key.Key_Escape)
    assert not page.comparing.action.isChecked()
    assert not page.comparing.close()


def test_that_escape_reaches_compare_before_the_shortcut_of_the_window(
    window, open_city, wait_idle
):
    window.show_page("design")
    page = window.page("design")
    window.store.select([NAME])
    toggle(page)
    window.front.show_error(ValueError("a banner that the window would close"))
    QTest.keyClick(page.comparing.panel.table, Qt.Key.Key_Escape)
    assert not page.comparing.action.isChecked()
    assert window.front.banner.isVisible()
    wait_idle()


def test_that_the_table_has_a_column_for_every_pin_and_one_for_now(page):
    toggle(page)
    assert table(page)[0] == ["measure", "now"]
    pin(page, 0.6)
    pin(page, 0.9)
    page.store.set_perturbation([NAME], Uniform(keep=0.75))
    heads, rows = table(page)
    assert heads == ["measure", "A", "B", "current"]
    labels = [card.label for card in page.readouts.cards]
    # The card names the answer that belief is about.
    assert all(label.startswith(row[0]) for row, label in zip(rows, labels, strict=True))
    now = [row[-1] for row in rows]
    numbers = [card.number for card in page.readouts.cards]
    assert now == numbers
    page.store.set_perturbation([NAME], Uniform(keep=0.6))
    assert all(row[1] == row[3] for row in table(page)[1])


def test_that_a_click_on_a_letter_in_the_head_compares_with_it(page):
    pin(page, 0.6)
    pin(page, 0.9)
    toggle(page)
    head = page.comparing.panel.table.horizontalHeader()
    head.sectionClicked.emit(2)
    assert page.comparing.board.of(NAME).active == "B"
    for section in (0, 3):
        head.sectionClicked.emit(section)
    assert page.comparing.board.of(NAME).active == "B"


def test_that_the_best_of_a_row_is_bold_and_equals_share_it():
    shown = Comparison(
        {"loss": "", "range": "", "attack": ""},
        {
            "A": {"loss": 0.1, "range": 50.0, "attack": 0.5},
            "B": {"loss": 0.3, "range": 80.0, "attack": 0.5},
            NOW: {"loss": 0.10001, "attack": 0.5},
            "D": None,
        },
    )
    assert [shown.is_best(one, "loss") for one in ("A", "B", NOW, "D")] == [
        True,
        False,
        True,
        False,
    ]
    assert [shown.is_best(one, "range") for one in ("A", "B", NOW)] == [False, True, False]
    assert not any(shown.is_best(one, "attack") for one in ("A", "B", NOW))
    assert shown.shown("D", "loss") == "–"


def test_that_the_rows_of_pins_use_and_remove_them(page):
    pin(page, 0.6)
    pin(page, 0.9)
    toggle(page)
    rows = page.comparing.panel.pins.rows
    assert not rows["B"].use.isEnabled()
    rows["A"].use.click()
    assert page.store.study.design[NAME].perturbation == Uniform(keep=0.6)
    assert not rows["A"].use.isEnabled()
    rows["A"].remove.click()
    assert [one.letter for one in page.comparing.board.of(NAME).pins] == ["B"]
    assert rows["A"].isHidden()
    page.store.undo_stack.undo()
    assert page.store.study.design[NAME].perturbation == Uniform(keep=0.9)


def test_that_pins_and_now_stand_in_the_picture_and_follow_the_design(page):
    pin(page, 0.6)
    toggle(page)
    plot = page.comparing.panel.plot
    assert plot._spots["A"] == plot._spots[NOW]
    page.store.set_perturbation([NAME], Uniform(keep=0.8))
    assert plot._spots[NOW][1] < plot._spots["A"][1]
    assert plot._spots[NOW][0] == page.report.privacy["attack_success"].value
    assert [row[0] for row in plot.rows()] == ["design", "A", NOW]


def test_that_a_design_that_cannot_be_undone_has_no_place_and_the_words_say_so(page):
    pin(page, 0.5)
    toggle(page)
    panel = page.comparing.panel
    assert not panel.plot._spots
    assert "A has no place" in panel.state.text()
    assert "The design of now has no place" in panel.state.text()


def test_that_the_frontier_is_searched_once_and_not_while_a_slider_moves(page, qtbot, monkeypatch):
    asked = []
    real = frontier.search_frontier
    monkeypatch.setattr(
        frontier, "search_frontier", lambda *given: asked.append(given[0].name) or real(*given)
    )
    toggle(page)
    panel = page.comparing.panel
    assert "Searching" in panel.state.text()
    wait_for_frontier(page, qtbot)
    assert "Solid" in panel.state.text()
    assert panel.plot._curves[1].points
    for share in (0.6, 0.7, 0.8):
        page.store.set_perturbation([NAME], Uniform(keep=share))
    toggle(page)
    toggle(page)
    assert not panel.search.is_searching
    assert asked == [NAME]
    page.store.set_choice(NAME, PriorChoice("uniform"))
    assert panel.search.is_searching
    assert panel.plot._curves is not None
    wait_for_frontier(page, qtbot)
    assert asked == [NAME, NAME]


def test_that_closing_stops_the_search(page, qtbot, wait_idle):
    toggle(page)
    search = page.comparing.panel.search
    qtbot.waitUntil(lambda: search._task.is_running)
    toggle(page)
    assert not search.is_searching
    wait_idle()
    assert search.curves is None


def test_that_numbers_are_compared_without_a_frontier(page):
    page.store.select(["income"])
    page.comparing.pin.trigger()
    page.store.set_perturbation(["income"], Additive(noise="normal", range_privacy=30.0))
    toggle(page)
    panel = page.comparing.panel
    assert "attributes with values" in panel.state.text()
    assert not panel.search.is_searching
    assert table(page)[1][1][0] == "Range privacy"
    assert set(panel.plot._spots) == {"A", NOW}


def test_that_compare_stands_beside_all_columns_in_a_very_wide_window(page, qtbot):
    page.resize(2560, 1300)
    qtbot.waitUntil(page.comparing.panel.isVisible)
    assert page.readouts.isVisible()
    assert not page.comparing.action.isEnabled()
    assert "always open" in page.comparing.action.toolTip()
    assert not page.comparing.close()
    page.resize(1290, 690)
    qtbot.waitUntil(lambda: not page.comparing.panel.isVisible())
    assert page.comparing.action.isEnabled()
    assert page.readouts.isVisible()


def test_that_ctrl_c_copies_the_table(page):
    pin(page, 0.6)
    toggle(page)
    QTest.keyClick(page.comparing.panel.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[0].split("\t")[1:] == ["A", NOW]
    assert len(lines) == 7


def test_that_axes_end_at_round_numbers():
    assert [_round_up(value) for value in (0.0, 0.012, 0.04, 0.6, 8.0)] == pytest.approx(
        [0.01, 0.02, 0.05, 0.75, 10.0]
    )


def test_that_opening_and_closing_compare_keeps_the_window_awake(
    window, open_city, qtbot, wait_idle, max_block
):
    window.resize(1366, 768)
    window.show_page("design")
    page = window.page("design")
    window.store.select([NAME])
    pin(page, 0.6)
    # What the pin set off is no part of opening.
    wait_idle()
    qtbot.wait(200)
    panel = page.comparing.panel
    with max_block(100):
        page.comparing.action.trigger()
        qtbot.wait(100)
    assert panel.isVisible()
    assert panel.table.numbers.rowCount() > 0
    with max_block(100):
        page.comparing.action.trigger()
        qtbot.wait(100)
    assert not panel.isVisible()
    wait_idle()


def test_that_the_axes_are_written_anew_when_the_points_leave_them(page, qtbot):
    pin(page, 0.6)
    toggle(page)
    wait_for_frontier(page, qtbot)
    page.comparing.panel.search.stop()
    plot = page.comparing.panel.plot
    plot.show_curves(None)
    plot.grab()
    before = plot.viewRange()
    page.store.set_perturbation([NAME], Uniform(keep=0.51))
    assert plot.viewRange() != before
    drawn = plot.grab().toImage()
    for side in ("left", "bottom"):
        plot.getAxis(side).picture = None
    plot.scene().update()
    assert plot.grab().toImage() == drawn
