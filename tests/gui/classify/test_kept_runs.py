"""Runs of the Classify page in the study: kept, brought back, made stale and removed."""

from __future__ import annotations

import pytest
from classifying import cells, make_study
from experiments import DESIGN

from ppworkbench.core.design import Design, Uniform
from ppworkbench.gui.pages.classify import ClassifyPage
from ppworkbench.gui.pages.classify.result_cards import ALL_RUNS


@pytest.mark.slow
def test_that_results_are_kept_in_the_study_and_come_back(ran, workbench, settle, qtbot):
    study = workbench.store.study
    assert workbench.store.is_modified
    again = ClassifyPage(workbench)
    qtbot.addWidget(again)
    again.show()
    again.shown()
    qtbot.waitUntil(lambda: again.tree.tree is not None)
    assert [r.mean for r in again.view.rows] == [r.mean for r in ran.view.rows]
    assert again.choices.folds == 2
    workbench.store.open(make_study())
    settle()
    assert again.curve.is_empty
    workbench.store.open(study)
    settle()
    assert not again.curve.is_empty


@pytest.mark.parametrize("kept", [[1], {"runs": [{}], "choices": {"folds": "x"}}, {"runs": 3}])
def test_that_results_nobody_understands_are_left_aside(page, workbench, settle, kept):
    workbench.store.open(make_study().with_results("classify", kept))
    settle()
    assert page.runs.history.runs == ()
    assert page.curve.is_empty


def test_that_a_change_of_the_design_makes_results_stale_and_undo_makes_them_fresh(
    ran, workbench, settle
):
    assert ran.banner.isHidden()
    workbench.store.set_perturbation(["town"], Uniform(keep=0.5))
    settle()
    assert ran.banner.isVisibleTo(ran)
    assert "Results are for the design at" in ran.banner.label.text()
    assert ran.curve.plot.is_stale
    assert cells(ran, 5)[0] == "2 of 2"
    workbench.store.undo_stack.undo()
    settle()
    assert ran.banner.isHidden()


def test_that_runs_can_be_compared_and_removed(ran, settle):
    ran.choose(ran.choices.with_classifier("tree", False))
    ran.run()
    settle()
    assert ran.results.run.count() == 3
    ran.results.run_chosen.emit(ALL_RUNS)
    settle()
    assert len(cells(ran)) == 4 + 3
    assert all(words.startswith("run ") for words in cells(ran, 1))
    assert [name for name in cells(ran) if "ajority" in name] == ["Majority"] * 2
    ran.results.run_chosen.emit(0)
    settle()
    assert len(cells(ran)) == 4
    ran.results.remove.click()
    settle()
    assert len(ran.runs.history) == 1
    assert len(cells(ran)) == 3


def test_that_a_design_with_the_class_alone_says_so(page, workbench, settle):
    lonely = Design((DESIGN["buys"],), "buys")
    workbench.store.open(make_study(design=lonely))
    settle()
    assert "besides the class" in page.primary.toolTip()


def test_that_help_is_asked_for(page, workbench):
    asked = []
    workbench.help_requested.connect(asked.append)
    page.settings_card.help.click()
    page.settings_card.sweep_help.click()
    assert asked == ["classification", "experiments"]
