"""Runs of the Mine page: compared, brought back, kept with the study."""

from __future__ import annotations

import json

import pytest
from mining_page import choose, look_at, mine, settle
from mining_studies import survey_study
from PySide6.QtCore import Qt

from ppworkbench.analyses.mining.runs import MOST_KEPT
from ppworkbench.analyses.mining.tables import FOUND, SUPPORT
from ppworkbench.gui.pages.mine.view import RUNS


@pytest.fixture
def workbench(kept_workbench):
    return kept_workbench


def test_that_runs_stand_side_by_side_and_a_click_brings_one_back(qtbot, mined):
    first = mined.mining.current
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
    assert model.index(1, 1).data() == str(first.total)
    assert len(mined.results.runs.plot.picture.marks) == 2
    qtbot.mouseClick(
        table.viewport(),
        Qt.MouseButton.LeftButton,
        pos=table.visualRect(model.index(1, 0)).center(),
    )
    assert mined.mining.current is first
    assert mined.settings.method == "shrinkage"
    assert mined.settings_card.support.value == pytest.approx(10)


def test_that_runs_are_compared_by_another_measure(mined):
    look_at(mined, RUNS)
    box = mined.results.measure_box
    place = box.findData(FOUND)
    box.setCurrentIndex(place)
    box.activated.emit(place)
    model = mined.results.runs.table.model()
    run = mined.mining.current
    shown = [model.index(0, 2 + i).data() for i in range(model.columnCount() - 3)]
    assert shown == [str(n) for n in (*run.found, *[0] * 9)][: len(shown)]


def test_that_a_run_can_be_forgotten(qtbot, mined):
    choose(mined, method="mask")
    mine(qtbot, mined)
    look_at(mined, RUNS)
    table = mined.results.runs.table
    table.setCurrentIndex(table.model().index(0, 0))
    qtbot.keyClick(table, Qt.Key.Key_Delete)
    assert [run.number for run in mined.mining.history.runs] == [1]
    assert mined.mining.current.number == 1
    mined.mining.remove(1)
    settle(qtbot, mined)
    assert mined.mining.history.runs == ()
    assert "mine" not in mined.store.study.results
    assert mined.view.empty.missing == "No itemsets yet."


def test_that_a_study_keeps_its_runs(qtbot, workbench, mined):
    choose(mined, method="mask")
    choose(mined, min_support=0.15)
    mine(qtbot, mined)
    before = mined.mining.current
    study = mined.store.study
    kept = json.loads(json.dumps(dict(study.results)))
    workbench.store.open(survey_study().with_results("mine", kept["mine"]))
    settle(qtbot, mined)
    assert [run.number for run in mined.mining.history.runs] == [1, 2]
    after = mined.mining.current
    assert after.request == before.request
    assert [e.f1 for e in after.errors] == pytest.approx(
        [e.f1 for e in before.errors], rel=1e-5, nan_ok=True
    )
    assert after.sets.values[SUPPORT] == pytest.approx(before.sets.values[SUPPORT], rel=1e-5)
    assert after.sets.members.tolist() == before.sets.members.tolist()
    assert not mined.is_stale
    assert mined.settings.method == "mask"
    mined.select_run(1)
    assert mined.mining.current.rules.rows == mined.mining.current.rule_count


@pytest.mark.parametrize(
    "kept", [3, {"runs": 3}, {"runs": [None, {}, {"number": 1}]}, {"runs": [[1]]}]
)
def test_that_damaged_runs_of_a_study_are_left_out(qtbot, workbench, page, kept):
    workbench.store.open(survey_study().with_results("mine", kept))
    settle(qtbot, page)
    assert page.mining.history.runs == ()
    assert page.view.empty.missing == "No itemsets yet."


def test_that_a_run_of_which_only_the_summary_was_kept_is_repeated(qtbot, workbench, mined):
    first = mined.mining.current
    plain = json.loads(json.dumps(dict(mined.store.study.results)))["mine"]
    plain["runs"][0]["sets"] = plain["runs"][0]["rules"] = None
    workbench.store.open(survey_study().with_results("mine", plain))
    settle(qtbot, mined)
    assert mined.mining.current is None
    mined.select_run(1)
    settle(qtbot, mined)
    assert [run.number for run in mined.mining.history.runs] == [1]
    assert mined.mining.current.total == first.total


def test_that_only_the_last_runs_are_kept(mined):
    run, plain = mined.mining.current, mined.mining._kept[1]
    import dataclasses

    for number in range(2, MOST_KEPT + 4):
        mined.mining._on_finished((dataclasses.replace(run, number=number), plain))
    assert len(mined.mining.history.runs) == MOST_KEPT
    assert mined.mining.history.runs[0].number == 4
    assert len(mined.store.study.results["mine"]["runs"]) == MOST_KEPT
