"""Controls and choices of the Mine page follow each other."""

from __future__ import annotations

import pytest
from mining_page import choose, mine, settle
from mining_studies import numbers

from ppworkbench.analyses.mining.runs import POSSIBLY, PROBABLY, SURELY, certainty_of


def test_that_controls_and_choices_follow_each_other(page):
    card = page.settings_card
    card.method.choose("mmask")
    assert page.settings.method == "mmask"
    choose(page, method="mask")
    assert card.method.current == "mask"
    card.support.box.setValue(7.5)
    assert page.settings.min_support == pytest.approx(0.075)
    choose(page, min_support=0.02)
    assert card.support.value == pytest.approx(2.0)
    card.confidence.slider.setValue(800)
    assert page.settings.min_confidence == pytest.approx(0.8)
    choose(page, min_confidence=0.3)
    assert card.confidence.value == pytest.approx(30)
    card.certainties[SURELY].click()
    assert page.settings.certainty == SURELY
    choose(page, certainty=PROBABLY)
    assert card.certainties[PROBABLY].isChecked()
    assert "2\u202f%" in card.readings[SURELY].text()
    card.beyond_chance.click()
    assert page.request().rules.false_discovery == 0.05
    choose(page, false_discovery=None)
    assert not card.beyond_chance.isChecked()


def test_that_parameters_of_a_method_come_from_its_declaration(page):
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


def test_that_a_wrong_parameter_is_refused_where_it_was_typed(page):
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
    assert "Exact count" in button.toolTip()
    page.settings_card.method.choose("mmask")
    assert "relax" in button.toolTip()
    page.settings_card.method.choose("mask")
    assert button.isEnabled()
    button.click()
    assert page.request().miner.frequent == POSSIBLY
    page.settings_card.method.choose("apriori")
    assert certainty_of(page.request().miner) == PROBABLY


def test_that_certainty_becomes_a_probability_where_a_method_has_one(page):
    card, field = page.settings_card, page.settings_card.forms.forms["shrinkage"].fields
    assert page.request().miner.min_probability == 0.4
    assert "at least 40\u202f% probability" in card.readings[PROBABLY].text()
    card.certainties[SURELY].click()
    # The lower tail of a 95 % interval is 2.5 %.
    assert page.request().miner.min_probability == pytest.approx(0.975)
    assert not field["min_probability"].isEnabled()
    assert "lower limit above minimum" in field["min_probability"].toolTip()
    card.certainties[POSSIBLY].click()
    assert page.request().miner.min_probability == pytest.approx(0.025)
    asked = page.request()
    card.certainties[PROBABLY].click()
    assert page.request().miner.min_probability == 0.4
    page.choose(page.settings.with_request(asked))
    assert page.request() == asked
    card.certainties[PROBABLY].click()
    assert page.request().miner.min_probability == 0.4


@pytest.mark.parametrize("method", ["mask", "shrinkage"])
def test_that_fewer_sets_are_surely_frequent(qtbot, page, method):
    choose(page, method=method)
    mine(qtbot, page)
    everything = page.current
    choose(page, certainty=SURELY)
    mine(qtbot, page)
    sure = page.current
    assert 0 < sure.sheet("itemsets").rows < everything.sheet("itemsets").rows
    if method == "mask":
        assert numbers(sure, "low").min() >= 0.1 - 1e-9


def test_that_chips_and_the_list_choose_items(page):
    assert page.settings_card.item_count.text() == "7 of 16"
    page.settings_card.chips.removed.emit(0)
    assert page.settings_card.chips.accessibleDescription().startswith("bike, ")
    dialog = page.choose_items()
    dialog.list.tick([i for i in page.offer.items if i.attribute == "mood"], True)
    dialog.use.click()
    assert [i.words for i in page.settings.items(page.offer)][-3:] == [
        "mood: low", "mood: middle", "mood: high",
    ]  # fmt: skip
    assert page.settings_card.item_count.text() == "9 of 16"
    other = page.choose_items()
    other.list.tick_only([])
    other.reject()
    assert page.settings_card.item_count.text() == "9 of 16"


def test_that_no_item_is_no_run(qtbot, page):
    page.choose(page.settings.with_items(()))
    settle(qtbot, page)
    assert not page.primary.isEnabled()
    assert page.primary.toolTip() == "No item is chosen."
    assert page.results.empty.heading.text() == "No item is chosen."
    page.ask()
    assert not page.task.is_running


def test_that_a_change_of_settings_is_told_under_the_table(mined):
    assert mined.results.foot_left.words().startswith("Dashed line")
    mined.settings_card.support.box.setValue(20)
    assert mined.results.foot_left.words().startswith("The settings have changed")
    mined.settings_card.support.box.setValue(10)
    assert mined.results.foot_left.words().startswith("Dashed line")
