"""What a person does on the Explore page changes the study or the view."""

from __future__ import annotations

import numpy as np
import pytest
from exploring import make_page, offered, select, settle, shown_shares, small_study
from PySide6.QtCore import QPoint, Qt

from ppworkbench.analyses.experiments.iterations import AUTO, CONVERGED, FIXED, PUBLISHED
from ppworkbench.core.reconstruct.channel import NUMBERS, VALUES
from ppworkbench.gui.pages.explore.result_cards import SIDE


@pytest.mark.slow
def test_that_choosing_an_attribute_selects_it_everywhere(qtbot, page):
    box = page.settings_card.attribute
    assert offered(page) == ["town", "vote", "pay", "age", "only", "gone", "known"]
    qtbot.keyClick(box, Qt.Key.Key_Down)
    assert page.store.current == "vote"
    settle(qtbot, page)
    assert page.result.draw.explored.name == "vote"


@pytest.mark.slow
def test_that_distort_again_takes_the_next_seed_and_can_be_undone(qtbot, page):
    before = shown_shares(page, "distorted")
    page.primary.trigger()
    settle(qtbot, page)
    assert page.store.study.settings.seed == 2025
    assert page.settings_card.seed.value() == 2025
    assert not np.array_equal(shown_shares(page, "distorted"), before)
    page.store.undo_stack.undo()
    settle(qtbot, page)
    assert shown_shares(page, "distorted") == pytest.approx(before)


@pytest.mark.slow
def test_that_typing_a_seed_changes_the_study(qtbot, page):
    box = page.settings_card.seed
    box.selectAll()
    qtbot.keyClicks(box, "31")
    assert page.store.study.settings.seed == 2024
    qtbot.keyClick(box, Qt.Key.Key_Return)
    assert page.store.study.settings.seed == 31
    settle(qtbot, page)
    assert page.result.draw.seed == 31


def test_that_letters_are_no_seed(qtbot, page):
    box = page.settings_card.seed
    box.selectAll()
    qtbot.keyClicks(box, "ab-")
    qtbot.keyClick(box, Qt.Key.Key_Return)
    assert page.store.study.settings.seed == 2024
    assert box.text() == "2024"


def test_that_ticking_an_algorithm_adds_it_and_unticking_removes_it(qtbot, page):
    rows = page.settings_card.methods.rows
    rows["accelerated"].check.click()
    settle(qtbot, page)
    assert set(page.result.runs) == {"eq", "em-as", "accelerated"}
    words = [words for _, words in page.picture.legend.entries]
    assert any("EM, accelerated" in word for word in words)
    rows["accelerated"].check.click()
    settle(qtbot, page)
    assert set(page.result.runs) == {"eq", "em-as"}


@pytest.mark.slow
def test_that_the_last_algorithm_cannot_be_unticked(qtbot, page):
    rows = page.settings_card.methods.rows
    rows["eq"].check.click()
    settle(qtbot, page)
    assert not rows["em-as"].check.isEnabled()
    assert rows["em-as"].check.toolTip() == "At least 1 algorithm is shown."
    page.choose(page.settings.with_tick(VALUES, "em-as", False))
    assert page.settings.ticked[VALUES] == ("em-as",)


def test_that_unticking_the_focus_moves_it_on(qtbot, page):
    rows = page.settings_card.methods.rows
    rows["em-as"].check.click()
    settle(qtbot, page)
    assert rows["eq"].radio.isChecked()
    assert page.view.focus == "eq"


def test_that_the_focus_takes_the_reconstructed_look(qtbot, page):
    rows = page.settings_card.methods.rows
    assert rows["em-as"].sample.look == "reconstructed"
    assert rows["eq"].sample.look == "series 0"
    rows["eq"].radio.click()
    settle(qtbot, page)
    assert rows["eq"].sample.look == "reconstructed"
    assert rows["em-as"].sample.look == "series 1"
    found = page.result.runs["eq"].trace.estimates[-1]
    assert shown_shares(page, "reconstructed") == pytest.approx(found)


def test_that_a_click_on_an_unticked_row_ticks_it_and_brings_it_to_the_front(qtbot, page):
    row = page.settings_card.methods.rows["accelerated"]
    spot = QPoint(row.width() - 60, row.height() // 2)
    qtbot.mouseClick(row, Qt.MouseButton.LeftButton, pos=spot)
    settle(qtbot, page)
    assert row.check.isChecked()
    assert page.view.focus == "accelerated"


def test_that_the_stop_rule_moves_the_cursor(page):
    run = page.result.runs["em-as"]
    scrubber = page.picture.scrubber
    for rule in (PUBLISHED, AUTO, CONVERGED):
        page.settings_card.rule.choose(rule)
        assert page.settings.rules[VALUES] == rule
        assert scrubber.box.value() == page.view.cursor == run.trace.stops[rule]
        assert shown_shares(page, "reconstructed") == pytest.approx(
            run.trace.at(run.trace.stops[rule])
        )


def test_that_the_hint_says_where_the_rule_stops(page):
    page.settings_card.rule.choose(PUBLISHED)
    at = page.result.runs["em-as"].trace.stops[PUBLISHED]
    assert f"{at} iterations" in page.settings_card.rule_hint.text()


def test_that_the_fixed_rule_takes_its_number_from_the_box(page):
    card = page.settings_card
    assert card.fixed_row.isHidden()
    card.rule.choose(FIXED)
    assert not card.fixed_row.isHidden()
    card.fixed.setValue(3)
    assert page.settings.fixed == 3
    assert page.picture.scrubber.box.value() == 3


@pytest.mark.slow
def test_that_rules_are_kept_apart_for_values_and_numbers(qtbot, page):
    assert page.settings.rules[NUMBERS] == AUTO
    page.settings_card.rule.choose(PUBLISHED)
    select(qtbot, page, "pay")
    assert page.settings_card.rule.current == AUTO
    select(qtbot, page, "town")
    assert page.settings_card.rule.current == PUBLISHED


def test_that_a_rule_without_an_iterated_algorithm_is_grey_and_says_why(qtbot, page):
    page.settings_card.methods.rows["em-as"].check.click()
    settle(qtbot, page)
    rule = page.settings_card.rule
    rule.choose(AUTO)
    assert page.settings.rules[VALUES] == CONVERGED
    assert page.settings_card.rule_hint.text() == "No selected algorithm iterates."
    assert page.likelihood.stack.currentWidget() is page.likelihood.words


@pytest.mark.slow
def test_that_the_steps_of_the_scale_can_be_chosen(qtbot, page):
    card = page.settings_card
    assert not card.steps.isEnabled()
    assert card.steps.toolTip() == "Categories have no bins."
    select(qtbot, page, "pay")
    assert (card.steps.isEnabled(), card.steps.value()) == (True, 40)
    card.steps.setValue(15)
    settle(qtbot, page)
    assert page.result.draw.counted.k == 15
    assert len(shown_shares(page, "reconstructed")) == 15
    select(qtbot, page, "age")
    assert card.steps.value() == card.steps.maximum() == 43
    select(qtbot, page, "pay")
    assert card.steps.value() == 15


@pytest.mark.slow
def test_that_the_arrangement_can_be_changed(page):
    picture = page.picture
    picture.arrangement.choose(SIDE)
    assert picture.stack.currentWidget() is picture.side
    plots = picture.side.plots
    assert [not p.isHidden() for p in plots] == [True, True, True]
    assert len({p.top for p in plots}) == 1
    picture.arrangement.choose("overlaid")
    assert picture.arrangement.current == "overlaid"
    assert picture.stack.currentWidget() is picture.plot


@pytest.mark.slow
def test_that_numbers_side_by_side_share_their_axis(qtbot, page):
    select(qtbot, page, "pay")
    page.picture.arrangement.choose(SIDE)
    ranges = [p.getPlotItem().getViewBox().viewRange()[0] for p in page.picture.side.plots]
    assert ranges[0] == pytest.approx(ranges[1])
    assert ranges[0] == pytest.approx(ranges[2])


def test_that_the_help_of_stop_rules_can_be_asked_for(qtbot, page):
    with qtbot.waitSignal(page.workbench.help_requested) as asked:
        page.settings_card.help.click()
    assert asked.args == ["stopping-rules"]


@pytest.mark.slow
def test_that_the_columns_are_remembered(qtbot, page, workbench):
    page.columns.setSizes([300, 600, 360])
    page.columns.splitterMoved.emit(300, 1)
    again = make_page(qtbot, workbench, small_study())
    settle(qtbot, again)
    assert again.columns.saveState() == page.columns.saveState()
