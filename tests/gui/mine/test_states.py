"""What the Mine page says where results are old, or there is nothing to show."""

from __future__ import annotations

import numpy as np
import pytest
from designs import classic_study
from mining_page import choose, look_at, make_page, mine, settle
from mining_studies import numbers, survey_study, survey_table

from ppworkbench.analyses.mining.runs import Sizes
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Uniform
from ppworkbench.core.design.distort import distort
from ppworkbench.core.rng import SeededStreams
from ppworkbench.gui.pages.mine.view import RULES, RUNS
from ppworkbench.study.study import Study


@pytest.mark.slow
def test_that_results_of_another_design_are_dimmed_until_they_are_mined_again(qtbot, mined):
    mined.store.set_perturbation(["car"], Uniform(keep=0.8))
    settle(qtbot, mined)
    assert mined.is_stale
    assert mined.stale_banner.isVisibleTo(mined)
    assert mined.results.sets.looks.is_stale
    assert mined.truth.plot.is_stale
    mined.store.undo_stack.undo()
    settle(qtbot, mined)
    assert not mined.is_stale
    assert not mined.stale_banner.isVisibleTo(mined)
    mined.store.set_settings(seed=99)
    settle(qtbot, mined)
    assert mined.is_stale
    mined.stale_banner.button.click()
    settle(qtbot, mined)
    assert not mined.is_stale
    assert len(mined.history.runs) == 2


@pytest.mark.slow
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
    mined.choose(mined.settings.with_items(mined.offer.items[:2]))
    workbench.store.open(survey_study(400))
    settle(qtbot, mined)
    assert mined.current is None
    assert mined.settings_card.item_count.text() == "7 of 16"


def test_that_a_study_without_original_answers_is_mined_without_the_truth(qtbot, workbench):
    study = survey_study()
    whole = distort(study.original, study.design, SeededStreams(1))
    page = make_page(qtbot, workbench, Study.of_distorted(whole, study.design, "collected"))
    choose(page, min_support=0.1)
    mine(qtbot, page)
    run = page.current
    assert page.view.listings["itemsets"].numbers("true") is None
    assert not Sizes(run).has_errors
    assert "no original answers" in page.truth.words.text()
    assert page.truth.stack.currentWidget() is page.truth.words
    assert "no original answers" in page.errors.sentence.text()
    assert not page.errors.stack.isVisibleTo(page)
    method = page.settings_card.method
    assert method._disabled == {"apriori": "This study has no original answers."}
    look_at(page, RUNS)
    assert page.results.measure_box.currentData() == "found"


def test_that_a_design_alone_has_nothing_to_mine(qtbot, workbench):
    study = survey_study(50).with_(original=None)
    page = make_page(qtbot, workbench, study)
    assert page.results.empty.heading.text() == "There are no answers to mine."
    assert "only a design" in page.results.empty.advice.text()
    assert not page.primary.isEnabled()


def test_that_a_study_of_numbers_under_noise_leads_to_the_design(qtbot, workbench):
    pay = Attribute("pay", Kind.CONTINUOUS, domain=(0.0, 10.0))
    table = Table((Column(pay, np.linspace(0, 10, 40)),))
    page = make_page(qtbot, workbench, classic_study(table, "numbers"))
    assert page.results.empty.heading.text() == "No attribute of this study can be mined."
    assert "pay: it is a number with noise" in page.results.empty.advice.text()
    with qtbot.waitSignal(workbench.page_requested) as caught:
        page.results.empty.button.click()
    assert caught.args == ["design"]


def test_that_nothing_open_and_no_records_are_said(qtbot, workbench):
    page = make_page(qtbot, workbench, Study())
    assert page.results.empty.advice.text() == "Open a table or a sample first."
    table = survey_table(4)
    workbench.store.open(classic_study(table.take(np.arange(0)), "empty"))
    settle(qtbot, page)
    assert page.results.empty.heading.text() == "The table has no records."


def test_that_a_run_that_finds_nothing_says_so(qtbot, page):
    page.settings_card.support.box.setValue(100)
    mine(qtbot, page)
    assert page.results.empty.heading.text() == "No itemset reaches 100\u202f%."
    assert page.truth.words.text() == "No itemset was found."
    assert not page.copy_action.isEnabled()
    page.settings_card.support.box.setValue(50)
    page.settings_card.confidence.box.setValue(100)
    mine(qtbot, page)
    look_at(page, RULES)
    assert page.results.empty.heading.text() == "No rule reaches a confidence of 100\u202f%."


def test_that_notes_of_a_run_are_told_and_can_be_closed(qtbot, mined):
    import dataclasses

    noted = dataclasses.replace(mined.current, remarks=("Stopped at 3,000,000 candidates.",))
    mined.history = mined.history.replace(mined.current, noted)
    mined.refresh()
    assert mined.note_banner.isVisibleTo(mined)
    assert "3,000,000" in mined.note_banner.label.text()
    mined.note_banner.close_button.click()
    mined.refresh()
    assert not mined.note_banner.isVisibleTo(mined)


def test_that_a_handful_of_records_is_warned_about(qtbot, workbench):
    page = make_page(qtbot, workbench, survey_study(12))
    choose(page, min_support=0.3)
    mine(qtbot, page)
    assert "Only 12 records" in page.note_banner.label.text()


def test_that_sets_without_an_interval_say_why(qtbot, page):
    page.settings_card.method.choose("mmask")
    page.settings_card.forms.forms["mmask"].fields["r_threshold"].box.setValue(1)
    mine(qtbot, page)
    low, size = (numbers(page.current, name) for name in ("low", "length"))
    assert np.array_equal(np.isnan(low), size > 1)
    assert (size > 1).any()
    assert "have no interval" in page.note_banner.label.text()
