"""Runs of the Mine page: compared, brought back, kept with the study."""

from __future__ import annotations

import json

import pytest
from mining_page import choose, look_at, mine, settle
from mining_studies import numbers, survey_study
from PySide6.QtCore import Qt

from ppworkbench.analyses.mining.runs import FOUND, MOST_KEPT, Sizes
from ppworkbench.gui.pages.mine.view import RULES, RUNS, SETS


@pytest.fixture
def workbench(kept_workbench):
    return kept_workbench


def test_that_runs_stand_side_by_side_and_a_click_brings_one_back(qtbot, mined):
    first = mined.current
    mined.settings_card.method.choose("mask")
    mined.settings_card.support.box.setValue(20)
    mine(qtbot, mined)
    look_at(mined, RUNS)
    table = mined.results.runs.table
    model = table.model()
    assert [model.index(r, 0).data() for r in range(2)] == [
        "2. MASK, 20\u202f%",
        "1. Shrinkage MASK, 10\u202f%",
    ]
    assert model.index(1, 1).data() == str(Sizes(first).total)
    assert len(mined.results.runs.plot.picture.marks) == 2
    qtbot.mouseClick(
        table.viewport(),
        Qt.MouseButton.LeftButton,
        pos=table.visualRect(model.index(1, 0)).center(),
    )
    assert mined.current is first
    assert mined.settings.method == "shrinkage"
    assert mined.settings_card.support.value == pytest.approx(10)


def test_that_runs_are_compared_by_another_measure(mined):
    look_at(mined, RUNS)
    box = mined.results.measure_box
    place = box.findData(FOUND)
    box.setCurrentIndex(place)
    box.activated.emit(place)
    model = mined.results.runs.table.model()
    run = mined.current
    shown = [model.index(0, 2 + i).data() for i in range(model.columnCount() - 3)]
    assert shown == [f"{n:.0f}" for n in (*Sizes(run).values(FOUND), *[0] * 9)][: len(shown)]


def test_that_a_run_can_be_forgotten(qtbot, mined):
    choose(mined, method="mask")
    mine(qtbot, mined)
    look_at(mined, RUNS)
    table = mined.results.runs.table
    table.setCurrentIndex(table.model().index(0, 0))
    qtbot.keyClick(table, Qt.Key.Key_Delete)
    assert [run.number for run in mined.history.runs] == [1]
    assert mined.current.number == 1
    mined.remove(1)
    settle(qtbot, mined)
    assert mined.history.runs == ()
    assert "mine" not in mined.store.study.results
    assert mined.view.empty.missing == "No itemsets yet."


def test_that_a_study_keeps_its_runs(qtbot, workbench, mined):
    choose(mined, method="mask")
    choose(mined, min_support=0.15)
    mine(qtbot, mined)
    before = mined.current
    study = mined.store.study
    kept = json.loads(json.dumps(dict(study.results)))
    workbench.store.open(survey_study().with_results("mine", kept["mine"]))
    settle(qtbot, mined)
    assert [run.number for run in mined.history.runs] == [1, 2]
    after = mined.current
    assert after.request == before.request
    for name, column in (("lengths", "f1"), (SETS, "support"), (RULES, "lift_high")):
        assert numbers(after, column, name) == pytest.approx(
            numbers(before, column, name), rel=1e-5, nan_ok=True
        )
    assert list(after.sheet(SETS)["itemset"].values) == list(before.sheet(SETS)["itemset"].values)
    assert not mined.is_stale
    assert mined.settings.method == "mask"
    mined.select(1)
    assert mined.current.sheet(RULES).rows == mined.current.facts["rules"]


@pytest.mark.parametrize(
    "kept", [3, {"runs": 3}, {"runs": [None, {}, {"number": 1}]}, {"runs": [[1]]}]
)
def test_that_damaged_runs_of_a_study_are_left_out(qtbot, workbench, page, kept):
    workbench.store.open(survey_study().with_results("mine", kept))
    settle(qtbot, page)
    assert page.history.runs == ()
    assert page.view.empty.missing == "No itemsets yet."


def test_that_a_run_of_which_only_the_summary_was_kept_is_repeated(qtbot, workbench, mined):
    first = mined.current
    plain = json.loads(json.dumps(dict(mined.store.study.results)))["mine"]
    plain["runs"][0]["sheets"] |= {SETS: None, RULES: None}
    workbench.store.open(survey_study().with_results("mine", plain))
    settle(qtbot, mined)
    assert mined.current is None
    mined.select(1)
    settle(qtbot, mined)
    assert [run.number for run in mined.history.runs] == [1]
    assert numbers(mined.current, "support").tolist() == numbers(first, "support").tolist()


def test_that_only_the_last_runs_are_kept(mined):
    run, plain = mined.current, mined._kept[1]
    import dataclasses

    for number in range(2, MOST_KEPT + 4):
        mined._on_finished((dataclasses.replace(run, number=number), plain))
    assert len(mined.history.runs) == MOST_KEPT
    assert mined.history.runs[0].number == 4
    assert len(mined.store.study.results["mine"]["runs"]) == MOST_KEPT
