"""Accuracies on the Publish page: measured, kept and cancelled."""

from __future__ import annotations

import itertools
import re
from importlib import import_module

import pytest
from designs import classic_study
from publish_tables import smokers
from publishing import curves, guessed, settle
from PySide6.QtCore import Qt

from ppworkbench.core.publish import DeniabilityOptions
from ppworkbench.gui.pages.publish import accuracy_card as page_module
from ppworkbench.outputs.deniable import DenialPlan
from ppworkbench.outputs.publication import PAGE, ReleasePlan, same_groups

LEFT = Qt.MouseButton.LeftButton

learners_module = import_module("ppworkbench.core.publish.accuracy_curve")


@pytest.mark.slow
def test_that_accuracies_are_measured_while_settings_are_locked_and_then_kept(
    page, act, workbench, monkeypatch, qtbot, wait_idle
):
    monkeypatch.setattr(page_module, "_MINIMUMS", (0.1, 0.6))
    monkeypatch.setattr(page_module, "_FOLDS", 2)
    monkeypatch.setattr(learners_module, "TREES", 5)
    assert not page.accuracy.plot.isVisible()
    qtbot.mouseClick(page.accuracy.measure, LEFT)
    assert not page.settings_card.sensitive.isEnabled()
    assert page.settings_card.minimum.isEnabled()
    assert not page.accuracy.cancel.isHidden()
    settle(wait_idle)
    assert page.accuracy.plot.isVisible()
    assert page.settings_card.sensitive.isEnabled()
    lines = {mark.name: mark for mark in curves(page.accuracy.plot.picture)}
    assert set(lines) == {"predicted", "decision tree", "random forest", "neighbours"}
    assert lines["decision tree"].x.tolist() == [0.1, 0.6]
    assert guessed(page.accuracy.plot.picture) >= 0.5
    assert page.accuracy.badge.isHidden()
    kept = workbench.store.study.results[PAGE]["curve"]
    assert kept["accuracies"]["curves"]["tree"]["minimum"] == [0.1, 0.6]
    act(lambda: page.accuracy.plot.place_chosen.emit(1))
    assert page.settings_card.minimum.value == 60
    assert not page.accuracy.plot.is_stale
    act(lambda: page.settings_card.splits.tick("age", False))
    assert page.accuracy.plot.is_stale
    assert page.accuracy.badge.text() == "other settings"
    assert not page.accuracy.again.isHidden()


@pytest.mark.slow
def test_that_kept_accuracies_are_drawn_without_measuring(show, study):
    curve = {"minimum": [0.1, 0.4], "mean": [0.7, 0.6], "sd": [0.01, 0.02]}
    told = {"people": 600, "folds": 2, "curves": {"predicted": curve}, "original": {}}
    start = ReleasePlan.of(study)
    kept = start.to_json({"plan": start.denial.to_json(), "accuracies": told})
    page = show(study.with_results(PAGE, kept))
    assert page.accuracy.plot.isVisible()
    assert not page.accuracy.plot.is_stale
    broken = start.to_json({"plan": {}, "accuracies": {"curves": {"predicted": {"mean": 3}}}})
    assert not show(study.with_results(PAGE, broken)).accuracy.plot.isVisible()


def test_that_the_curve_is_drawn_once_for_each_result_and_only_where_somebody_looks(
    page, monkeypatch, qtbot, wait_idle
):
    monkeypatch.setattr(page_module, "_FOLDS", 50)
    monkeypatch.setattr(learners_module, "TREES", 5)
    results = []
    page.measurement.progressed.connect(
        lambda: results.append(page.measurement.accuracies.to_json()["accuracies"]["curves"])
    )
    settle(wait_idle)
    page.hide()
    page.measurement.start()
    shown = page.accuracy.plot.picture
    qtbot.waitUntil(lambda: len(results) > 1)
    assert all(one != other for one, other in itertools.pairwise(results))
    assert page.accuracy.plot.picture is shown
    page.measurement.task.cancel()
    settle(wait_idle)
    assert page.accuracy.plot.picture is not shown


def test_that_measuring_can_be_cancelled_and_the_part_stays(
    page, workbench, monkeypatch, qtbot, wait_idle
):
    said = []
    workbench.toast_requested.connect(lambda words, _: said.append(words))
    monkeypatch.setattr(page_module, "_FOLDS", 50)
    monkeypatch.setattr(learners_module, "TREES", 5)
    page.measurement.start()
    qtbot.waitUntil(page.accuracy.plot.isVisible)
    page.accuracy.cancel.click()
    settle(wait_idle)
    assert page.settings_card.sensitive.isEnabled()
    assert page.accuracy.plot.isVisible()
    assert page.accuracy.badge.text() == "partial result"
    assert len(said) == 1
    assert re.fullmatch(r"Stopped after \d+ of 400; partial results are shown\.", said[0])


def test_that_measuring_cancelled_at_once_promises_no_results(page, workbench, wait_idle):
    said = []
    workbench.toast_requested.connect(lambda words, _: said.append(words))
    page.measurement.start()
    page.accuracy.cancel.click()
    settle(wait_idle)
    assert not page.accuracy.plot.isVisible()
    assert said == ["Stopped. There are no results yet."]


def test_that_measuring_ends_well_when_the_attribute_has_gone_meanwhile(
    page, workbench, monkeypatch, qtbot, wait_idle
):
    monkeypatch.setattr(page_module, "_MINIMUMS", (0.1,))
    monkeypatch.setattr(page_module, "_FOLDS", 2)
    monkeypatch.setattr(learners_module, "TREES", 5)
    qtbot.mouseClick(page.accuracy.measure, LEFT)
    page.hide()
    left = [name for name in workbench.store.study.original.names if name != "smokes"]
    workbench.store.set_table(workbench.store.study.original.select(left), "Remove smokes")
    settle(wait_idle)
    page.show()
    page.shown()
    settle(wait_idle)
    assert page.settings_card.sensitive.currentText() == "district"
    assert page.primary.isEnabled()


def test_that_another_study_forgets_groups_and_accuracies(page, workbench, qtbot, wait_idle):
    workbench.store.open(classic_study(smokers(300, seed=2), "others"))
    settle(wait_idle)
    assert page.groups.table.rows == 300
    assert not page.accuracy.plot.isVisible()
    assert page.bundle.table_name.text().startswith("others")


def test_that_plans_that_differ_in_the_minimum_have_the_same_curve():
    one = DenialPlan("a", DeniabilityOptions(min_deniability=0.1))
    assert same_groups(one, one.with_options(min_deniability=0.5))
    assert not same_groups(one, one.with_options(cuts=3))
    assert not same_groups(None, one)
