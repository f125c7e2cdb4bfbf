"""What the Classify page asks, in both directions, and what it says before there are results."""

from __future__ import annotations

import dataclasses

from designs import classic_study
from experiments import DESIGN, make_records

from ppworkbench.analyses.experiments.classification import FOREST_TOO, LARGER, SAME_TREE
from ppworkbench.core.design.distort import distort
from ppworkbench.core.rng import SeededStreams
from ppworkbench.study.study import Study

# Settings


def test_that_the_class_of_the_study_is_offered_first(page):
    target = page.settings_card.target
    assert [target.itemData(i) for i in range(target.count())] == ["town", "buys"]
    assert target.currentData() == "buys"


def test_that_another_class_can_be_chosen_and_that_it_is_distorted_is_said(page, settle):
    page.settings_card.target.setCurrentIndex(0)
    page.settings_card.target.activated.emit(0)
    settle()
    assert page.choices.class_of(page.store.study) == "town"
    assert "keep 0.8" in page.settings_card.target_hint.text()


def test_that_ticks_and_reconstruction_go_both_ways(page, settle):
    rows = page.settings_card.rows
    rows["lazy-ep"].box.click()
    assert "lazy-ep" in page.choices.ticked
    page.choose(page.choices.with_classifier("lazy-ep", False))
    settle()
    assert not rows["lazy-ep"].box.isChecked()
    kind = rows["tree"].type
    kind.setCurrentIndex(kind.findData("by-class"))
    kind.activated.emit(kind.currentIndex())
    assert page.choices.params_of("tree").reconstruction == "by-class"
    params = dataclasses.replace(page.choices.params_of("tree"), reconstruction="global")
    page.choose(page.choices.with_params("tree", params))
    settle()
    assert kind.currentData() == "global"
    assert not rows["naive-bayes"].type.isEnabled()
    assert rows["naive-bayes"].type.toolTip()


def test_that_the_settings_of_a_classifier_come_from_its_declaration(page, settle):
    row = page.settings_card.rows["tree"]
    assert row.form is None
    row.more.click()
    assert row.form.fields.keys() == page.choices.params_of("tree").__dataclass_fields__.keys()
    row.form.fields["bins"].box.setValue(13)
    assert page.choices.params_of("tree").bins == 13
    page.choose(
        page.choices.with_params(
            "tree", dataclasses.replace(page.choices.params_of("tree"), bins=5)
        )
    )
    settle()
    assert row.form.fields["bins"].box.value() == 5
    row.more.click()
    assert not row.holder.isVisibleTo(page)


def test_that_references_folds_and_sweep_go_both_ways(page, settle):
    card = page.settings_card
    card.references[FOREST_TOO].click()
    card.references[LARGER].click()
    assert page.choices.references == {SAME_TREE, FOREST_TOO}
    card.folds.setValue(4)
    card.repeats.setValue(3)
    assert (page.choices.folds, page.choices.repeats) == (4, 3)
    card.high.setValue(300)
    card.steps.setValue(4)
    assert page.choices.levels == (0.0, 100.0, 200.0, 300.0)
    card.sweep.click()
    assert page.choices.levels == ()
    settle()
    assert not card.range_row.isVisibleTo(page)
    page.choose(page.choices.with_(sweeps=True, folds=7))
    settle()
    assert card.sweep.isChecked()
    assert card.folds.value() == 7


def test_that_every_control_has_a_name_for_people_and_for_programs(page):
    card = page.settings_card
    controls = [card.target, card.folds, card.repeats, card.sweep, card.low, card.high, card.steps]
    controls += [one for row in card.rows.values() for one in (row.box, row.type, row.more)]
    controls += [*card.references.values(), page.results.level, page.results.run]
    controls += [page.results.copy, page.results.save, page.results.table, page.tree.view]
    controls += [page.tree.record, page.tree.levels, page.curve.plot, page.confusion.grid]
    assert all(one.objectName() and one.accessibleName() for one in controls)


# States without results


def test_that_an_untouched_page_says_what_to_do(page):
    assert page.curve.is_empty
    assert "Press Run" in page.curve.empty.advice.text()
    assert page.primary.isEnabled()
    # Two classifiers at two levels and the undistorted tree, in two folds each.
    assert "Train 10 times" in page.primary.toolTip()


def test_that_a_study_without_a_class_asks_for_one(page, workbench, settle):
    table = make_records().with_(class_name=None)
    design = dataclasses.replace(DESIGN, class_name=None)
    workbench.store.open(classic_study(table, "x").with_(design=design))
    settle()
    assert page.settings_card.target.currentIndex() == -1
    assert "class" in page.curve.empty.heading.text()
    assert not page.primary.isEnabled()
    asked = []
    workbench.page_requested.connect(asked.append)
    page.curve.empty.button.click()
    assert asked == ["data"]
    page.settings_card.target.activated.emit(1)
    settle()
    assert page.primary.isEnabled()


def test_that_a_study_that_came_distorted_says_why_nothing_can_be_compared(page, workbench, settle):
    answers = distort(make_records(), DESIGN, SeededStreams(1))
    workbench.store.open(Study.of_distorted(answers, DESIGN, "collected"))
    settle()
    assert "has only distorted answers" in page.curve.empty.advice.text()
    assert not page.primary.isEnabled()
    assert "has only distorted answers" in page.primary.toolTip()


def test_that_no_classifier_or_too_many_folds_disable_the_run_with_a_reason(page, settle):
    for name in tuple(page.choices.ticked):
        page.choose(page.choices.with_classifier(name, False))
    settle()
    assert not page.primary.isEnabled()
    assert "Select" in page.primary.toolTip()
    page.choose(page.choices.with_classifier("tree", True))
    page.choose(page.choices.with_(folds=99))
    settle()
    assert "60 records" in page.primary.toolTip()
