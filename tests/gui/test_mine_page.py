"""The Mine page in both directions: the study changes the view, the view changes the study."""

import json
import threading
import time

import numpy as np
import pytest
from mining_page import make_page, many_sets, mine, settle, survey_study, survey_table
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QComboBox,
    QFileDialog,
    QLineEdit,
    QSlider,
    QTableView,
    QWidget,
)

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Design, Uniform
from ppworkbench.core.design.distort import distort
from ppworkbench.core.errors import DataError
from ppworkbench.core.itemsets import item_data
from ppworkbench.core.mining import Mask, miners
from ppworkbench.core.mining import mine as mine_items
from ppworkbench.core.rng import SeededStreams
from ppworkbench.gui.pages.mine import MinePage
from ppworkbench.gui.pages.mine import mining as mining_module
from ppworkbench.gui.pages.mine.listing import RAW, SUPPORT, TRUE
from ppworkbench.gui.pages.mine.request import POSSIBLY, PROBABLY, SURELY
from ppworkbench.gui.pages.mine.run import MOST_KEPT
from ppworkbench.gui.pages.mine.runs_model import FOUND
from ppworkbench.gui.pages.mine.table_card import RULES, RUNS, SETS
from ppworkbench.gui.pages.page import part_by_part
from ppworkbench.gui.plots.plot import Plot
from ppworkbench.gui.widgets.segmented import Segmented
from ppworkbench.study.study import Study


@pytest.fixture
def page(qtbot, workbench):
    made = make_page(qtbot, workbench, survey_study())
    made.choices.set_min_support(0.1)
    return made


@pytest.fixture
def mined(qtbot, page):
    mine(qtbot, page)
    return page


def names(page, view=SETS):
    model = page.table_card.rule_model if view == RULES else page.table_card.set_model
    return [model.index(row, 0).data() for row in range(model.rowCount())]


def type_filter(qtbot, page, words):
    page.table_card.filter.clear()
    qtbot.keyClicks(page.table_card.filter, words)
    settle(qtbot, page)


# Mining


def test_that_the_table_shows_what_the_core_mines(qtbot, page):
    page.choices.set_method("mask")
    mine(qtbot, page)
    study = page.store.study
    whole = distort(study.original, study.design, SeededStreams(study.settings.seed))
    data = item_data(whole, study.design, ("car", "bike", "pass", "garden", "town"))
    kept = [i for i, item in enumerate(data.items) if item.value != "no"]
    found = mine_items(data, Mask(min_support=0.1)).itemsets
    expected = {
        frozenset(found.names(i)): found.support[i]
        for i in range(len(found))
        if set(found.set_at(i)) <= set(kept)
    }
    run = page.mining.current
    shown = {
        frozenset(run.names[m] for m in row if m >= 0): support
        for row, support in zip(
            run.sets.members.tolist(), run.sets.values[SUPPORT].tolist(), strict=True
        )
    }
    assert shown == pytest.approx(expected)
    assert len(shown) > 10


def test_that_raw_and_true_supports_are_plain_counts(mined):
    run, study = mined.mining.current, mined.store.study
    whole = distort(study.original, study.design, SeededStreams(study.settings.seed))
    place = next(
        i for i in range(run.sets.rows) if set(run.sets.name(i).split(" + ")) == {"car", "bike"}
    )
    for table, column in ((whole, RAW), (study.original, TRUE)):
        both = (table["car"].data == 1) & (table["bike"].data == 1)
        assert run.sets.values[column][place] == pytest.approx(both.mean())


def test_that_the_errors_count_truly_frequent_sets_of_every_size(mined):
    run = mined.mining.current
    truth = np.column_stack(
        [mined.store.study.original[name].data == 1 for name in ("car", "bike", "pass", "garden")]
        + [mined.store.study.original["town"].data == code for code in range(3)]
    )
    assert run.errors[0].true == int((truth.mean(axis=0) >= 0.1).sum())
    model = mined.errors.model
    assert model.index(0, 1).data() == str(run.errors[0].true)
    assert mined.errors.sentence.text()


def test_that_rules_reach_the_minimum_confidence(qtbot, page):
    page.settings_card.confidence.box.setValue(60)
    mine(qtbot, page)
    page.viewing.set_view(RULES)
    rules = page.listing(RULES)
    assert rules.rows == page.mining.current.rule_count > 0
    assert rules.values["confidence"].min() >= 0.6
    assert "→" in names(page, RULES)[0]
    assert page.table_card.rules.delegate.minimum == 0.6


def test_that_segments_and_foot_count_what_was_found(qtbot, mined):
    run = mined.mining.current
    labels = dict(mined.table_card.view._choices)
    assert labels[SETS] == f"Itemsets {run.total}"
    assert labels[RUNS] == "Runs 1"
    pairs_and_more = sum(run.found[1:])
    assert mined.table_card.foot_right.text().startswith(f"{pairs_and_more} of {run.total} shown")
    assert mined.table_card.sets.delegate.minimum == 0.1


def test_that_the_button_of_the_empty_page_mines(qtbot, page):
    assert page.table_card.empty.heading.text() == "Nothing mined yet."
    qtbot.mouseClick(page.table_card.empty.button, Qt.MouseButton.LeftButton)
    settle(qtbot, page)
    assert page.mining.current is not None
    assert page.table_card.stack.currentWidget() is page.table_card.sets


@pytest.mark.parametrize("method", sorted(miners.names))
def test_that_every_method_can_be_run(qtbot, page, method):
    page.settings_card.method.choose(method)
    mine(qtbot, page)
    run = page.mining.current
    assert run.request.method == method
    assert run.total > 7
    if miners[method].on_original:
        assert RAW not in run.sets.values
        assert "truth" in page.truth.words.text()
    else:
        assert run.errors[0].f1 > 0.8


def test_that_a_study_is_mined_without_a_stutter(qtbot, mined, max_block):
    # Letters are drawn for the first time with the first result.
    mined.choices.set_min_support(0.05)
    with max_block(50):
        mine(qtbot, mined)
    assert mined.mining.current.number == 2


# Settings


def test_that_controls_and_choices_follow_each_other(qtbot, page):
    card, choices = page.settings_card, page.choices
    card.method.choose("mmask")
    assert choices.method == "mmask"
    choices.set_method("mask")
    assert card.method.current == "mask"
    card.support.box.setValue(7.5)
    assert choices.min_support == pytest.approx(0.075)
    choices.set_min_support(0.02)
    assert card.support.value == pytest.approx(2.0)
    card.confidence.slider.setValue(800)
    assert choices.min_confidence == pytest.approx(0.8)
    choices.set_min_confidence(0.3)
    assert card.confidence.value == pytest.approx(30)
    card.certainties[SURELY].click()
    assert choices.certainty == SURELY
    choices.set_certainty(PROBABLY)
    assert card.certainties[PROBABLY].isChecked()
    assert "2\u202f%" in card.readings[SURELY].text()


def test_that_parameters_of_a_method_come_from_its_declaration(qtbot, page):
    page.settings_card.method.choose("mmask")
    form = page.settings_card.forms.forms["mmask"]
    box = form.fields["r_threshold"].box
    box.setValue(2)
    assert page.request().miner.r_threshold == 2
    page.settings_card.method.choose("mask")
    assert not box.isVisibleTo(page)
    page.settings_card.method.choose("mmask")
    assert box.isVisibleTo(page)
    assert box.value() == 2
    assert not form.fields["min_support"].isVisibleTo(page)


def test_that_a_wrong_parameter_is_refused_where_it_was_typed(qtbot, page):
    page.settings_card.method.choose("mmask")
    page.settings_card.relaxation.button.click()
    field = page.settings_card.forms.forms["mmask"].fields["relax"]
    field.box.setText("-1")
    field.box.editingFinished.emit()
    assert "at least 0" in field.problem.text()
    assert page.request().miner.relax == 0
    field.box.setText("0.5")
    field.box.editingFinished.emit()
    assert page.request().miner.relax == 0.5


def test_that_relaxation_is_for_mmask_only(page):
    fold = page.settings_card.relaxation
    assert not fold.button.isEnabled()
    assert fold.button.toolTip() == "Only MMASK relaxes the minimum."
    page.settings_card.method.choose("mmask")
    assert fold.button.isEnabled()
    fold.button.click()
    assert page.settings_card.forms.relaxed.isVisibleTo(page)
    page.settings_card.method.choose("mask")
    assert not fold.is_open


def test_that_a_certainty_a_method_cannot_have_is_grey_and_says_why(page):
    button = page.settings_card.certainties[POSSIBLY]
    page.settings_card.method.choose("apriori")
    assert not button.isEnabled()
    assert "no doubt" in button.toolTip()
    page.settings_card.method.choose("mmask")
    assert "relax" in button.toolTip()
    page.settings_card.method.choose("mask")
    assert button.isEnabled()
    button.click()
    assert page.request().miner.frequent == POSSIBLY
    page.settings_card.method.choose("apriori")
    assert page.request().certainty == PROBABLY


def test_that_certainty_becomes_a_probability_where_a_method_has_one(page):
    card, field = page.settings_card, page.settings_card.forms.forms["shrinkage"].fields
    assert page.request().miner.min_probability == 0.4
    assert "at least 40\u202f% likely" in card.readings[PROBABLY].text()
    card.certainties[SURELY].click()
    # The lower tail of a 90 % interval is 5 %.
    assert page.request().miner.min_probability == pytest.approx(0.95)
    assert not field["min_probability"].isEnabled()
    assert "surely frequent" in field["min_probability"].toolTip()
    card.certainties[POSSIBLY].click()
    assert page.request().miner.min_probability == pytest.approx(0.05)
    asked = page.request()
    card.certainties[PROBABLY].click()
    assert page.request().miner.min_probability == 0.4
    page.choices.take_over(asked)
    assert page.request() == asked
    card.certainties[PROBABLY].click()
    assert page.request().miner.min_probability == 0.4


@pytest.mark.parametrize("method", ["mask", "shrinkage"])
def test_that_fewer_sets_are_surely_frequent(qtbot, page, method):
    page.choices.set_method(method)
    mine(qtbot, page)
    everything = page.mining.current
    page.choices.set_certainty(SURELY)
    mine(qtbot, page)
    sure = page.mining.current
    assert 0 < sure.total < everything.total
    if method == "mask":
        assert sure.sets.low.min() >= 0.1 - 1e-9


def test_that_chips_and_the_list_choose_items(qtbot, page):
    assert page.settings_card.item_count.text() == "7 of 16"
    page.settings_card.chips.removed.emit(0)
    assert page.settings_card.chips.words[0] == "bike"
    dialog = page.choose_items()
    dialog.model.tick([i for i in page.offer.items if i.attribute == "mood"], True)
    dialog.use.click()
    assert [i.words for i in page.choices.items(page.offer)][-3:] == [
        "mood: low", "mood: middle", "mood: high",
    ]  # fmt: skip
    assert page.settings_card.item_count.text() == "9 of 16"
    other = page.choose_items()
    other.model.tick_only([])
    other.reject()
    assert page.settings_card.item_count.text() == "9 of 16"


def test_that_no_item_is_no_run(qtbot, page):
    page.choices.set_items(())
    settle(qtbot, page)
    assert not page.primary.isEnabled()
    assert page.primary.toolTip() == "No item is chosen."
    assert page.table_card.empty.heading.text() == "No item is chosen."
    page.mine()
    assert not page.mining.is_running


def test_that_a_change_of_settings_is_told_under_the_table(qtbot, mined):
    assert mined.table_card.foot_left.words().startswith("Dashed line")
    mined.settings_card.support.box.setValue(20)
    assert mined.table_card.foot_left.words().startswith("The settings have changed")
    mined.settings_card.support.box.setValue(10)
    assert mined.table_card.foot_left.words().startswith("Dashed line")


# The tables


def test_that_sorting_filtering_and_sizes_change_the_table(qtbot, mined):
    every = names(mined)
    supports = mined.listing(SETS).values[SUPPORT]
    order = mined.table_card.set_model.order
    assert np.all(np.diff(supports[order]) <= 0)
    mined.table_card.sets.sort_requested.emit("name")
    assert names(mined) == sorted(every, key=str.lower)
    mined.table_card.sets.sort_requested.emit("name")
    assert names(mined) == sorted(every, key=str.lower, reverse=True)
    type_filter(qtbot, mined, "garden")
    assert names(mined)
    assert all("garden" in name for name in names(mined))
    box = mined.table_card.size_box
    place = next(i for i in range(box.count()) if box.itemData(i) == (1, 1))
    box.setCurrentIndex(place)
    box.activated.emit(place)
    assert names(mined) == ["garden"]
    type_filter(qtbot, mined, "nothing like that")
    assert mined.table_card.stack.currentWidget() is mined.table_card.nothing
    assert mined.table_card.nothing.text() == "No itemset matches the filter."
    mined.viewing.show_all()
    assert mined.table_card.filter.text() == ""
    assert len(names(mined)) == mined.mining.current.total


def test_that_control_f_goes_to_the_filter(qtbot, mined):
    mined.activateWindow()
    mined.table_card.sets.setFocus()
    qtbot.keyClick(mined, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert mined.table_card.filter.hasFocus()


def test_that_table_and_plot_choose_the_same_set(qtbot, mined):
    mined.table_card.sets.selectRow(2)
    place = mined.table_card.set_model.place(2)
    assert mined.truth.plot.chosen == place
    other = mined.table_card.set_model.place(5)
    mined.truth.plot.place_chosen.emit(other)
    assert mined.table_card.sets.currentIndex().row() == 5


def test_that_a_point_that_the_filter_hides_is_brought_into_the_table(qtbot, mined):
    single = int(np.flatnonzero(mined.listing(SETS).size == 1)[0])
    type_filter(qtbot, mined, "bike")
    mined.viewing.set_view(RULES)
    mined.truth.plot.place_chosen.emit(single)
    settle(qtbot, mined)
    assert mined.viewing.view == SETS
    assert mined.table_card.set_model.place(mined.table_card.sets.currentIndex().row()) == single


def test_that_a_click_on_a_point_chooses_it(qtbot, mined):
    plot, listing = mined.truth.plot, mined.listing(SETS)
    qtbot.wait(20)
    place = mined.table_card.set_model.place(0)
    box = plot.getPlotItem().getViewBox()
    at = box.mapViewToScene(
        type(box.viewRect().topLeft())(listing.values[TRUE][place], listing.values[SUPPORT][place])
    )
    point = plot.mapFromScene(at)
    chosen = plot.place_at(box.mapSceneToView(at))
    qtbot.mouseClick(plot.viewport(), Qt.MouseButton.LeftButton, pos=point)
    assert mined.table_card.set_model.place(mined.table_card.sets.currentIndex().row()) == chosen


def test_that_the_plot_tells_its_numbers_in_words_and_in_a_table(mined):
    assert mined.truth.plot.summary().startswith(f"{mined.mining.current.total} itemsets")
    rows = mined.truth.plot.rows()
    assert rows[0] == ["itemset", "true", "estimated", "raw", "interval from", "interval to"]
    assert len(rows) == mined.mining.current.total + 1


def test_that_a_hundred_thousand_points_are_drawn_without_a_stutter(qtbot, page, max_block):
    listing = many_sets()
    with max_block(50):
        page.truth.show_listing(listing, "")
        page.truth.plot.viewport().repaint()
        qtbot.wait(1)
        qtbot.mouseMove(page.truth.plot.viewport(), QPoint(150, 100))
        qtbot.wait(1)
        page.truth.plot.choose(7)
        page.truth.plot.viewport().repaint()


def test_that_errors_are_shown_as_a_table_or_as_lines(qtbot, mined):
    assert mined.errors.stack.currentIndex() == 0
    mined.errors.view.choose("chart")
    assert mined.errors.stack.currentIndex() == 1
    sizes = tuple(e.size for e in mined.mining.current.errors)
    assert [line.sizes for line in mined.errors.chart.plot.lines] == [sizes] * 3
    assert "size 1" in mined.errors.chart.plot.summary()


# Runs


def test_that_runs_stand_side_by_side_and_a_click_brings_one_back(qtbot, mined):
    first = mined.mining.current
    mined.settings_card.method.choose("mask")
    mined.settings_card.support.box.setValue(20)
    mine(qtbot, mined)
    mined.viewing.set_view(RUNS)
    table = mined.table_card.runs.table
    model = table.model()
    assert [model.index(r, 0).data() for r in range(2)] == [
        "2. MASK, 20\u202f%",
        "1. Shrinkage MASK, 10\u202f%",
    ]
    assert model.index(1, 1).data() == str(first.total)
    assert len(mined.table_card.runs.plot.lines) == 2
    qtbot.mouseClick(
        table.viewport(),
        Qt.MouseButton.LeftButton,
        pos=table.visualRect(model.index(1, 0)).center(),
    )
    assert mined.mining.current is first
    assert mined.choices.method == "shrinkage"
    assert mined.settings_card.support.value == pytest.approx(10)


def test_that_runs_are_compared_by_another_measure(qtbot, mined):
    mined.viewing.set_view(RUNS)
    box = mined.table_card.measure_box
    place = box.findData(FOUND)
    box.setCurrentIndex(place)
    box.activated.emit(place)
    model = mined.table_card.runs.model
    run = mined.mining.current
    shown = [model.index(0, 2 + i).data() for i in range(len(model.sizes))]
    assert shown == [str(n) for n in (*run.found, *[0] * 9)][: len(shown)]


def test_that_a_run_can_be_forgotten(qtbot, mined):
    mined.choices.set_method("mask")
    mine(qtbot, mined)
    mined.viewing.set_view(RUNS)
    table = mined.table_card.runs.table
    table.setCurrentIndex(table.model().index(0, 0))
    qtbot.keyClick(table, Qt.Key.Key_Delete)
    assert [run.number for run in mined.mining.runs] == [1]
    assert mined.mining.current.number == 1
    mined.mining.remove(1)
    settle(qtbot, mined)
    assert mined.mining.runs == ()
    assert "mine" not in mined.store.study.results
    assert mined.showing.absence.missing == "Nothing mined yet."


def test_that_a_study_keeps_its_runs(qtbot, workbench, mined):
    mined.choices.set_method("mask")
    mined.choices.set_min_support(0.15)
    mine(qtbot, mined)
    before = mined.mining.current
    study = mined.store.study
    kept = json.loads(json.dumps(dict(study.results)))
    workbench.store.open(survey_study().with_results("mine", kept["mine"]))
    settle(qtbot, mined)
    assert [run.number for run in mined.mining.runs] == [1, 2]
    after = mined.mining.current
    assert after.request == before.request
    assert [e.f1 for e in after.errors] == pytest.approx(
        [e.f1 for e in before.errors], rel=1e-5, nan_ok=True
    )
    assert after.sets.values[SUPPORT] == pytest.approx(before.sets.values[SUPPORT], rel=1e-5)
    assert after.sets.members.tolist() == before.sets.members.tolist()
    assert not mined.is_stale
    assert mined.choices.method == "mask"
    mined.bring_back(1)
    assert mined.mining.current.rules.rows == mined.mining.current.rule_count


@pytest.mark.parametrize(
    "kept", [3, {"runs": 3}, {"runs": [None, {}, {"number": 1}]}, {"runs": [[1]]}]
)
def test_that_damaged_runs_of_a_study_are_left_out(qtbot, workbench, page, kept):
    workbench.store.open(survey_study().with_results("mine", kept))
    settle(qtbot, page)
    assert page.mining.runs == ()
    assert page.showing.absence.missing == "Nothing mined yet."


def test_that_a_run_of_which_only_the_summary_was_kept_is_repeated(qtbot, workbench, mined):
    first = mined.mining.current
    plain = json.loads(json.dumps(dict(mined.store.study.results)))["mine"]
    plain["runs"][0]["sets"] = plain["runs"][0]["rules"] = None
    workbench.store.open(survey_study().with_results("mine", plain))
    settle(qtbot, mined)
    assert mined.mining.current is None
    mined.bring_back(1)
    settle(qtbot, mined)
    assert [run.number for run in mined.mining.runs] == [1]
    assert mined.mining.current.total == first.total


def test_that_only_the_last_runs_are_kept(qtbot, mined):
    run, plain = mined.mining.current, mined.mining._kept[1]
    import dataclasses

    for number in range(2, MOST_KEPT + 4):
        mined.mining._on_finished((dataclasses.replace(run, number=number), plain))
    assert len(mined.mining.runs) == MOST_KEPT
    assert mined.mining.runs[0].number == 4
    assert len(mined.store.study.results["mine"]["runs"]) == MOST_KEPT


# States


def test_that_results_of_another_design_are_dimmed_until_they_are_mined_again(qtbot, mined):
    mined.store.set_perturbation(["car"], Uniform(keep=0.8))
    settle(qtbot, mined)
    assert mined.is_stale
    assert mined.banners.stale.isVisibleTo(mined)
    assert mined.table_card.sets.delegate.is_stale
    assert mined.truth.plot._item.is_stale
    mined.store.undo_stack.undo()
    settle(qtbot, mined)
    assert not mined.is_stale
    assert not mined.banners.stale.isVisibleTo(mined)
    mined.store.set_settings(seed=99)
    settle(qtbot, mined)
    assert mined.is_stale
    mined.banners.stale.button.click()
    settle(qtbot, mined)
    assert not mined.is_stale
    assert len(mined.mining.runs) == 2


def test_that_the_rail_has_a_dot_while_the_results_are_old(qtbot, workbench, window):
    workbench.store.open(survey_study(400))
    window.show_page("mine")
    page, button = window.page("mine"), window.rail.buttons["mine"]
    settle(qtbot, page)
    mine(qtbot, page)
    assert not button._stale
    window.show_page("data")
    workbench.store.set_perturbation(["car"], Uniform(keep=0.8))
    qtbot.waitUntil(lambda: button._stale)
    workbench.store.undo_stack.undo()
    qtbot.waitUntil(lambda: not button._stale)
    workbench.store.forget_changes()


def test_that_another_study_forgets_runs_and_items(qtbot, workbench, mined):
    mined.choices.set_items(mined.offer.items[:2])
    workbench.store.open(survey_study(400))
    settle(qtbot, mined)
    assert mined.mining.current is None
    assert mined.settings_card.item_count.text() == "7 of 16"


def test_that_a_study_without_original_answers_is_mined_without_the_truth(qtbot, workbench):
    study = survey_study()
    whole = distort(study.original, study.design, SeededStreams(1))
    page = make_page(qtbot, workbench, Study.of_distorted(whole, study.design, "collected"))
    page.choices.set_min_support(0.1)
    mine(qtbot, page)
    run = page.mining.current
    assert TRUE not in run.sets.values
    assert run.errors == ()
    assert "not part of this study" in page.truth.words.text()
    assert page.truth.stack.currentWidget() is page.truth.words
    assert "not part of this study" in page.errors.sentence.text()
    assert not page.errors.stack.isVisibleTo(page)
    method = page.settings_card.method
    assert method._disabled == {"apriori": "The original answers are not part of this study."}
    page.viewing.set_view(RUNS)
    assert page.table_card.measure_box.currentData() == FOUND


def test_that_a_design_alone_has_nothing_to_mine(qtbot, workbench):
    study = survey_study(50).with_(original=None)
    page = make_page(qtbot, workbench, study)
    assert page.table_card.empty.heading.text() == "There are no answers to mine."
    assert "only a design" in page.table_card.empty.advice.text()
    assert not page.primary.isEnabled()


def test_that_a_study_of_numbers_under_noise_leads_to_the_design(qtbot, workbench):
    pay = Attribute("pay", Kind.CONTINUOUS, domain=(0.0, 10.0))
    table = Table((Column(pay, np.linspace(0, 10, 40)),))
    page = make_page(qtbot, workbench, Study.of_table(table, "numbers"))
    assert page.table_card.empty.heading.text() == "No attribute of this study can be mined."
    assert "pay: it is a number under noise" in page.table_card.empty.advice.text()
    with qtbot.waitSignal(workbench.page_requested) as caught:
        page.table_card.empty.button.click()
    assert caught.args == ["design"]


def test_that_nothing_open_and_no_records_are_said(qtbot, workbench):
    page = make_page(qtbot, workbench, Study())
    assert page.table_card.empty.advice.text() == "Open a table or a sample first."
    table = survey_table(4)
    workbench.store.open(Study.of_table(table.take(np.arange(0)), "empty"))
    settle(qtbot, page)
    assert page.table_card.empty.heading.text() == "The table has no records."


def test_that_a_run_that_finds_nothing_says_so(qtbot, page):
    page.settings_card.support.box.setValue(100)
    mine(qtbot, page)
    assert page.table_card.empty.heading.text() == "No itemset reaches 100\u202f%."
    assert page.truth.words.text() == "No itemset was found."
    assert not page.copy_action.isEnabled()
    page.settings_card.support.box.setValue(50)
    page.settings_card.confidence.box.setValue(100)
    mine(qtbot, page)
    page.viewing.set_view(RULES)
    assert page.table_card.empty.heading.text() == "No rule reaches a confidence of 100\u202f%."


def test_that_notes_of_a_run_are_told_and_can_be_closed(qtbot, mined):
    import dataclasses

    noted = dataclasses.replace(mined.mining.current, notes=("Stopped at 3,000,000 candidates.",))
    mined.mining.current = noted
    mined.refresh()
    assert mined.banners.note.isVisibleTo(mined)
    assert "3,000,000" in mined.banners.note.label.text()
    mined.banners.note.close_button.click()
    mined.refresh()
    assert not mined.banners.note.isVisibleTo(mined)


def test_that_a_handful_of_records_is_warned_about(qtbot, workbench):
    page = make_page(qtbot, workbench, survey_study(12))
    page.choices.set_min_support(0.3)
    mine(qtbot, page)
    assert "Only 12 records" in page.banners.note.label.text()


# Running


@pytest.fixture
def slow(monkeypatch):
    """A run that goes on until somebody cancels it, or until ``go`` is set."""
    go = threading.Event()

    def carry_out(study, kept, request, tally, progress):
        step = 0
        while not go.is_set():
            step += 1
            progress(min(step / 1000, 0.9), f"size {step}")
            time.sleep(0.005)
        raise DataError("There is no answer. Try another method.")

    monkeypatch.setattr(mining_module, "carry_out", carry_out)
    return go


def test_that_a_run_can_be_cancelled_and_old_results_stay(qtbot, mined, slow):
    before = mined.mining.current
    mined.primary.trigger()
    qtbot.waitUntil(lambda: "size" in mined.table_card.progress_label.words())
    assert mined.primary.text() == "Running…"
    assert not mined.primary.isEnabled()
    assert mined.cancel_action.isVisible()
    assert not mined.settings_card.content.isEnabled()
    assert "cancel" in mined.settings_card.content.toolTip()
    start = time.monotonic()
    with qtbot.waitSignal(mined.workbench.toast_requested, timeout=2000):
        mined.cancel_action.trigger()
    qtbot.waitUntil(lambda: not mined.mining.is_running, timeout=2000)
    assert time.monotonic() - start < 0.5
    assert mined.mining.current is before
    assert mined.primary.text() == "Mine"
    assert mined.settings_card.content.isEnabled()
    assert not mined.table_card.strip.isVisibleTo(mined)


def test_that_a_run_that_does_not_listen_is_let_go(qtbot, mined, monkeypatch):
    deaf = threading.Event()

    def carry_out(study, kept, request, tally, progress):
        deaf.wait(20)
        progress(0.5)

    before = mined.mining.current
    monkeypatch.setattr(mining_module, "carry_out", carry_out)
    mined.primary.trigger()
    qtbot.waitUntil(lambda: mined.mining.is_running)
    start = time.monotonic()
    mined.cancel_action.trigger()
    qtbot.waitUntil(lambda: not mined.mining.is_running, timeout=2000)
    assert time.monotonic() - start < 0.5
    assert mined.primary.isEnabled()
    deaf.set()
    settle(qtbot, mined)
    assert mined.mining.current is before


def test_that_a_run_that_fails_is_told_and_leaves_the_results_alone(qtbot, mined, slow):
    before = mined.mining.current
    slow.set()
    with qtbot.waitSignal(mined.workbench.error_raised) as caught:
        mined.primary.trigger()
    assert "no answer" in str(caught.args[0])
    qtbot.waitUntil(lambda: not mined.mining.is_running)
    assert mined.mining.current is before


def test_that_another_study_ends_the_run(qtbot, workbench, page, slow):
    page.primary.trigger()
    qtbot.waitUntil(lambda: page.mining.is_running)
    workbench.store.open(survey_study(60))
    assert not page.mining.is_running
    settle(qtbot, page)
    assert page.mining.runs == ()


def test_that_there_is_one_run_at_a_time(qtbot, page, slow):
    page.mine()
    page.mine()
    assert len(page.workbench.jobs.running) == 1
    page.mining.cancel()
    settle(qtbot, page)


# Copying and exporting


def test_that_the_table_is_copied(qtbot, mined):
    with qtbot.waitSignal(mined.workbench.toast_requested) as caught:
        mined.copy_action.trigger()
    count = mined.table_card.set_model.rowCount()
    assert caught.args[0] == f"Copied {count} rows."
    assert len(QGuiApplication.clipboard().text().split("\n")) == count + 1
    mined.viewing.set_view(RUNS)
    mined.copy_action.trigger()
    assert QGuiApplication.clipboard().text().split("\n")[1].startswith("1. Shrinkage MASK")


def test_that_nothing_can_be_exported_before_something_was_mined(page):
    assert not page.export_action.isEnabled()
    assert "mine first" in page.export_action.toolTip()


def test_that_the_table_is_exported_as_it_is_shown(qtbot, mined, tmp_path, monkeypatch):
    type_filter(qtbot, mined, "garden")
    path = tmp_path / "sets"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), "Table (*.csv)"))
    mined.export_action.trigger()
    settle(qtbot, mined)
    lines = path.with_suffix(".csv").read_text(encoding="utf-8").splitlines()
    head = "items,size,support,raw_support,true_support,interval_from,interval_to"
    assert lines[0] == head
    assert len(lines) == mined.table_card.set_model.rowCount() + 1
    assert all("garden=yes" in line for line in lines[1:])
    first = mined.table_card.set_model.place(0)
    assert float(lines[1].split(",")[2]) == pytest.approx(
        mined.listing(SETS).values[SUPPORT][first]
    )


def test_that_a_whole_run_is_exported_as_json(qtbot, mined, tmp_path):
    mined.exporting.write(tmp_path / "run.json")
    settle(qtbot, mined)
    found = json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))
    run = mined.mining.current
    assert found["method"] == "shrinkage"
    assert found["parameters"]["min_support"] == 0.1
    assert len(found["itemsets"]) == run.total
    assert len(found["rules"]) == run.rule_count
    assert found["errors"][0]["true"] == run.errors[0].true
    assert set(found["rules"][0]) >= {"if", "then", "confidence", "lift", "true_confidence"}


def test_that_rules_and_runs_are_exported(qtbot, mined, tmp_path):
    mined.viewing.set_view(RULES)
    mined.exporting.write(tmp_path / "rules.csv")
    mined.viewing.set_view(RUNS)
    mined.exporting.write(tmp_path / "runs.csv")
    settle(qtbot, mined)
    rules = (tmp_path / "rules.csv").read_text(encoding="utf-8").splitlines()
    assert rules[0].startswith("if,then,support,confidence,lift,true_confidence")
    assert len(rules) == mined.mining.current.rule_count + 1
    runs = (tmp_path / "runs.csv").read_text(encoding="utf-8").splitlines()
    assert len(runs) == 2


def test_that_a_file_that_cannot_be_written_is_told(qtbot, mined, tmp_path):
    with qtbot.waitSignal(mined.workbench.error_raised) as caught:
        mined.exporting.write(tmp_path / "no folder" / "sets.csv")
    assert "cannot be written" in str(caught.args[0])
    settle(qtbot, mined)


# Manners


def test_that_every_control_has_a_name_for_tests_and_for_screen_readers(mined):
    kinds = (QAbstractButton, QAbstractSpinBox, QComboBox, QSlider, QLineEdit, Segmented,
             QTableView, Plot)  # fmt: skip
    for kind in kinds:
        for widget in mined.findChildren(kind):
            if _is_inner(widget) or widget.objectName().startswith("banner"):
                continue
            assert widget.objectName(), widget
            assert widget.accessibleName() or getattr(widget, "text", str)(), widget.objectName()


def _is_inner(widget: QWidget) -> bool:
    """Parts that Qt makes for itself."""
    parent = widget.parentWidget()
    inside = isinstance(parent, QAbstractSpinBox | QComboBox | QLineEdit | QTableView)
    return inside or widget.objectName().startswith("qt_") or parent is None


def test_that_the_page_follows_the_theme(qtbot, mined):
    light = mined.grab().toImage()
    mined.themes.choose("dark")
    qtbot.wait(1)
    assert mined.grab().toImage() != light
    mined.viewing.set_view(RUNS)
    mined.grab()
    mined.errors.view.choose("chart")
    mined.grab()


def test_that_the_page_is_made_in_short_parts_and_shown_without_a_stutter(
    qtbot, workbench, max_block
):
    workbench.store.open(survey_study(200))
    with part_by_part():
        made = MinePage(workbench)
    qtbot.addWidget(made)
    more = True
    while more:
        # A plot alone takes that long.
        with max_block(100):
            more = made.make_part()
    made.resize(1290, 660)
    with max_block(50):
        made.show()
        made.shown()
        settle(qtbot, made)
    assert made.settings_card.choose.isEnabled()


def test_that_help_about_the_methods_is_asked_for(qtbot, page):
    for method, topic in (("shrinkage", "shrinkage-mask"), ("mmask", "mmask")):
        page.choices.set_method(method)
        with qtbot.waitSignal(page.workbench.help_requested) as caught:
            page.settings_card.help.click()
        assert caught.args == [topic]


def test_that_a_design_without_attributes_offers_nothing(qtbot, workbench):
    table = survey_table(40)
    page = make_page(qtbot, workbench, Study("bare", table, design=Design(())))
    assert page.settings_card.item_count.text() == "0 of 0"
    assert not page.settings_card.choose.isEnabled()
    assert page.showing.absence is not None
