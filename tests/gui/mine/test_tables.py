"""Tables and plots of the Mine page: sorted, filtered, chosen."""

from __future__ import annotations

import numpy as np
import pytest
from designs import classic_study
from mining_page import look_at, make_page, mine, names, settle, type_filter
from mining_studies import many_sets, numbers
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF

from ppworkbench.core.data.samples import load_sample
from ppworkbench.gui.pages.mine.view import RULES, SETS
from ppworkbench.gui.widgets.table import EDGE, PAD


def click_head(table, key):
    keys = [one.key for one in table.drawn]
    table.head.sectionClicked.emit(keys.index(key))


@pytest.mark.slow
def test_that_sorting_filtering_and_sizes_change_the_table(qtbot, mined):
    every = names(mined)
    supports = numbers(mined.current, "support")
    order = mined.results.sets.rows
    assert np.all(np.diff(supports[order]) <= 0)
    click_head(mined.results.sets, "itemset")
    assert names(mined) == sorted(every, key=str.lower)
    click_head(mined.results.sets, "itemset")
    assert names(mined) == sorted(every, key=str.lower, reverse=True)
    type_filter(qtbot, mined, "garden")
    assert names(mined)
    assert all("garden" in name for name in names(mined))
    box = mined.results.size_box
    place = next(i for i in range(box.count()) if box.itemData(i) == (1, 1))
    box.setCurrentIndex(place)
    box.activated.emit(place)
    assert names(mined) == ["garden"]
    type_filter(qtbot, mined, "nothing like that")
    assert mined.results.stack.currentWidget() is mined.results.nothing
    assert mined.results.nothing.text() == "No itemset matches the filter."
    mined.look_at(mined.state.unfiltered())
    assert mined.results.filter.text() == ""
    assert len(names(mined)) == mined.current.sheet(SETS).rows


def test_that_control_f_goes_to_the_filter(qtbot, mined):
    mined.activateWindow()
    mined.results.sets.setFocus()
    qtbot.keyClick(mined, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert mined.results.filter.hasFocus()


def test_that_table_and_plot_choose_the_same_set(mined):
    mined.results.sets.selectRow(2)
    place = mined.results.sets.rows[2]
    assert mined.truth.plot.chosen == place
    other = mined.results.sets.rows[5]
    mined.truth.plot.place_chosen.emit(other)
    assert mined.results.sets.currentIndex().row() == 5


def test_that_a_point_that_the_filter_hides_is_brought_into_the_table(qtbot, mined):
    single = int(np.flatnonzero(numbers(mined.current, "length") == 1)[0])
    type_filter(qtbot, mined, "bike")
    look_at(mined, RULES)
    mined.truth.plot.place_chosen.emit(single)
    settle(qtbot, mined)
    assert mined.state.view == SETS
    assert mined.results.sets.rows[mined.results.sets.currentIndex().row()] == single


def test_that_a_click_on_a_point_chooses_it(qtbot, mined):
    plot = mined.truth.plot
    true, support = (numbers(mined.current, name) for name in ("true", "support"))
    place = mined.results.sets.rows[3]
    assert mined.results.sets.currentIndex().row() != 3
    at = plot.getPlotItem().getViewBox().mapViewToScene(QPointF(true[place], support[place]))
    qtbot.mouseClick(plot.viewport(), Qt.MouseButton.LeftButton, pos=plot.mapFromScene(at))
    assert mined.results.sets.currentIndex().row() == 3


def test_that_the_plot_tells_its_numbers_in_words_and_in_a_table(mined):
    assert mined.truth.plot.summary().startswith(f"{mined.current.sheet(SETS).rows} itemsets")
    rows = mined.truth.plot.rows()
    assert rows[0] == [
        "", "true support", "uncorrected", "estimated", "estimated, low", "estimated, high"
    ]  # fmt: skip
    assert len(rows) == mined.current.sheet(SETS).rows + 1


def test_that_a_hundred_thousand_points_are_drawn(qtbot, page):
    page.truth.show_listing(many_sets())
    page.truth.stack.setCurrentWidget(page.truth.plot)
    qtbot.mouseMove(page.truth.plot.viewport(), QPoint(150, 100))
    page.truth.plot.choose(7)
    page.truth.plot.viewport().repaint()
    assert len(page.truth.plot.rows()) == 100_001


def test_that_errors_are_shown_as_a_table_or_as_lines(mined):
    assert mined.errors.stack.currentIndex() == 0
    mined.errors.view.choose("chart")
    assert mined.errors.stack.currentIndex() == 1
    sizes = numbers(mined.current, "length", "lengths").tolist()
    lines = mined.errors.chart.picture.marks
    assert [line.x.tolist() for line in lines] == [sizes] * 3
    assert "items in the set: 1: support error" in mined.errors.chart.summary()


def test_that_a_set_stays_chosen_while_the_filter_hides_it(qtbot, mined):
    mined.results.sets.selectRow(2)
    place = mined.truth.plot.chosen
    type_filter(qtbot, mined, "nothing like that")
    assert mined.truth.plot.chosen == place
    type_filter(qtbot, mined, "")
    assert mined.results.sets.place == place
    qtbot.keyClick(mined.results.sets, Qt.Key.Key_Escape)
    assert mined.truth.plot.chosen is None


def test_that_another_run_has_another_choice(qtbot, mined):
    mined.results.sets.selectRow(2)
    mine(qtbot, mined)
    assert mined.view.chosen == -1
    assert mined.truth.plot.chosen is None
    assert mined.results.sets.place == -1


def test_that_rules_whose_lift_may_be_1_are_told_and_can_be_hidden(qtbot, mined):
    look_at(mined, RULES)
    table, card = mined.view.listings[RULES], mined.results
    low, high, lift, confidence = (
        numbers(mined.current, name, RULES) for name in ("low", "high", "lift", "confidence")
    )
    right = confidence / lift
    unrelated = (low <= right) & (high >= right)
    assert table.is_unrelated.tolist() == unrelated.tolist()
    assert 0 < unrelated.sum() < len(low)
    ends = [numbers(mined.current, name, RULES) for name in ("lift_low", "lift_high")]
    assert np.all((ends[0] <= lift) & (lift <= ends[1]))
    assert card.unrelated_row.isVisibleTo(card)
    assert f"({unrelated.sum()} of {table.sheet.rows} rules)" in card.unrelated.text()
    model = card.rules.model()
    for row, place in enumerate(card.rules.rows):
        tip = model.index(row, 0).data(Qt.ItemDataRole.ToolTipRole)
        assert ("no association" in tip) == unrelated[place]
    qtbot.mouseClick(card.hide_unrelated, Qt.MouseButton.LeftButton)
    settle(qtbot, mined)
    assert not unrelated[card.rules.rows].any()
    assert len(names(mined, RULES)) == table.sheet.rows - unrelated.sum()
    look_at(mined, SETS)
    assert not card.unrelated_row.isVisibleTo(card)
    assert len(mined.results.sets.rows)


@pytest.mark.slow
def test_that_no_name_is_cut_in_a_narrow_window(qtbot, workbench):
    page = make_page(qtbot, workbench, classic_study(load_sample("city-survey"), "city-survey"))
    mine(qtbot, page)
    view, font = page.results.sets, page.themes.theme.font("body", "semibold")
    metrics = QFontMetricsF(font)

    for width in (1290, 1000):
        page.resize(width, 600)
        qtbot.wait(20)
        head = view.horizontalHeader()
        for section in range(1, head.count()):
            if not view.isColumnHidden(section):
                assert view.columnWidth(section) >= head.sectionSizeHint(section)
        room = view.columnWidth(0) - EDGE - PAD
        for name in names(page):
            box = metrics.boundingRect(QRectF(0, 0, room, 1e6), Qt.TextFlag.TextWordWrap, name)
            assert box.width() <= room + 1
            assert box.height() < view.rowHeight(0)


@pytest.mark.slow
def test_that_nothing_of_the_errors_by_size_is_cut(qtbot, workbench):
    page = make_page(qtbot, workbench, classic_study(load_sample("city-survey"), "city-survey"))
    mine(qtbot, page)
    table, theme = page.errors.table, page.themes.theme
    for width in (1290, 1000):
        page.resize(width, 600)
        qtbot.wait(20)
        for section, column in enumerate(table.sheet_model.columns):
            if table.isColumnHidden(section):
                continue
            head = QFontMetricsF(theme.font("caption", "semibold"))
            body = QFontMetricsF(theme.font("body"))
            needed = [head.horizontalAdvance(line) for line in column.title.split("\n")]
            needed += [body.horizontalAdvance(column.text(one)) for one in table.sheet_model.rows]
            assert table.columnWidth(section) >= max(needed) + 8
