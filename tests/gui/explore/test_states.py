"""What the Explore page shows of intervals, and where there is nothing to reconstruct."""

from __future__ import annotations

import numpy as np
import pytest
from designs import classic_study
from exploring import iterate, select, settle, small_study, small_table

from ppworkbench.analyses.estimates.lists import with_list
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.sampling_roles import Sampling
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Additive, Design, DesignedAttribute, Uniform
from ppworkbench.core.design.lists import ListQuestion


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "town",
        pytest.param("pay", marks=pytest.mark.slow),
        pytest.param("age", marks=pytest.mark.slow),
    ],
)
def test_that_the_focus_has_an_interval_at_every_iteration(qtbot, page, name):
    select(qtbot, page, name)
    if name != "town":
        iterate(qtbot, page)
    run = page.result.runs[page.view.focus]
    assert run.trace.deviation is not None
    for iteration in {1, 5, run.trace.last}:
        reading = run.at(iteration)
        assert np.all(reading.low <= reading.probability)
        assert np.all(reading.probability <= reading.high)
        assert (reading.high - reading.low).max() > 0


def test_that_intervals_of_converged_em_agree_with_those_of_eq(page):
    runs = page.result.runs
    by_em, by_eq = runs["em-as"].at(10**6), runs["eq"].at(0)
    assert by_em.probability == pytest.approx(by_eq.probability, abs=1e-5)
    # A standard deviation from 100 resamples is off by 7 % itself; four of those are allowed.
    wide = np.array([by_em.high - by_em.low, by_eq.high - by_eq.low])
    inside = (by_eq.low > 0) & (by_em.low > 0)
    assert wide[0, inside] == pytest.approx(wide[1, inside], rel=0.3)


def empty(page):
    assert page.picture.stack.currentWidget() is page.picture.empty
    return page.picture.empty


def test_that_an_undistorted_attribute_sends_people_to_design(qtbot, page):
    select(qtbot, page, "known")
    assert "is not distorted" in empty(page).heading.text()
    assert not page.primary.isEnabled()
    assert page.primary.toolTip() == "This attribute is not distorted."
    assert not page.settings_card.methods.isEnabled()
    with qtbot.waitSignal(page.workbench.page_requested) as asked:
        empty(page).button.click()
    assert asked.args == ["design"]
    page.store.set_perturbation(["known"], Uniform(keep=0.7))
    settle(qtbot, page)
    assert page.picture.stack.currentWidget() is page.picture.plot
    assert page.settings_card.methods.isEnabled()


@pytest.mark.parametrize(
    ("name", "words"), [("only", "only 1 possible answer"), ("gone", "has no answers")]
)
def test_that_nothing_to_reconstruct_is_said_in_words(qtbot, page, name, words):
    select(qtbot, page, name)
    assert words in empty(page).heading.text()
    assert not page.repeat_action.isEnabled()


def test_that_a_study_without_rows_says_so(qtbot, page):
    page.store.open(classic_study(small_table(2).take(slice(0, 0)), "none"))
    settle(qtbot, page)
    assert "no answers" in empty(page).heading.text()


@pytest.mark.slow
def test_that_one_answer_is_shown_with_a_warning(qtbot, page):
    page.store.open(small_study(1))
    settle(qtbot, page)
    for name in ("town", "pay", "age"):
        select(qtbot, page, name)
        assert page.picture.stack.currentWidget() is page.picture.plot
        assert page.settings_card.summary.text().startswith("1 answer,")
        assert "Only 1 answer" in page.insight.sentence.text()


@pytest.mark.slow
def test_that_a_singular_matrix_disables_eq_with_the_reason(qtbot, page):
    page.store.set_perturbation(["vote"], Uniform(keep=0.5))
    select(qtbot, page, "vote")
    row = page.settings_card.methods.rows["eq"]
    assert not row.check.isEnabled()
    assert not row.check.isChecked()
    assert "above 0.50" in row.check.toolTip()
    assert set(page.result.runs) == {"em-as"}
    assert "matrix is singular" in page.insight.sentence.text()
    reading = page.result.runs["em-as"].at(1)
    assert reading.low.tolist() == [0, 0]
    assert reading.high.tolist() == [1, 1]
    page.store.set_perturbation(["vote"], Uniform(keep=0.8))
    settle(qtbot, page)
    assert page.settings_card.methods.rows["eq"].check.isChecked()


def test_that_eq_has_nothing_to_step_through(qtbot, page):
    page.settings_card.methods.rows["eq"].radio.click()
    settle(qtbot, page)
    scrubber = page.picture.scrubber
    assert not scrubber.slider.isEnabled()
    assert "one step" in scrubber.toolTip()
    assert not page.loss.plot.shown.has_cursor


@pytest.mark.slow
def test_that_two_hundred_values_are_drawn_as_lines(qtbot, page):
    values = Attribute("code", Kind.NOMINAL, tuple(f"v{i}" for i in range(200)))
    codes = np.random.default_rng(1).integers(0, 200, 900)
    page.store.open(classic_study(Table((Column(values, codes),)), "many"))
    settle(qtbot, page)
    assert page.picture.plot._shown.is_numeric
    assert page.picture.plot._cell_words(np.arange(201) - 0.5, 7) == "v7"
    assert len(page.picture.plot.rows()) == 201


def test_that_numbers_outside_the_domain_are_told_and_the_page_goes_on(qtbot, page):
    study = page.store.study
    narrow = Attribute("pay", Kind.CONTINUOUS, domain=(30.0, 50.0))
    noise = Additive(noise="normal", sigma=10.0)
    designed = tuple(
        DesignedAttribute(narrow, noise) if d.name == "pay" else d for d in study.design
    )
    design = Design(designed, study.design.class_name)
    page.store.apply(study.with_(design=design), "Narrow")
    told = []
    page.workbench.error_raised.connect(told.append)
    select(qtbot, page, "pay")
    assert "outside the domain [30, 50]" in empty(page).advice.text()
    assert len(told) == 1
    select(qtbot, page, "town")
    assert page.picture.stack.currentWidget() is page.picture.plot


def test_that_weights_of_a_study_are_told_not_to_be_used(qtbot, page):
    page.store.open(small_study(200).with_sampling(Sampling(weight="known")))
    settle(qtbot, page)
    select(qtbot, page, "town")
    assert "everybody counts the same" in page.insight.sentence.text()
    page.store.open(small_study(200))
    settle(qtbot, page)
    select(qtbot, page, "town")
    assert "everybody counts the same" not in page.insight.sentence.text()


def test_that_the_count_of_a_list_is_not_reconstructed(qtbot, page):
    """It is made of the items when answers are distorted."""
    plain = page.store.study
    asked = ListQuestion(plain.design["vote"].attribute, "n", ("one", "two"), ("short",), ("long",))
    page.store.open(with_list(plain, asked))
    page.store.select(["n"])
    settle(qtbot, page)
    assert "is made when answers are distorted" in empty(page).heading.text()
