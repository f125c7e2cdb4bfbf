"""What leaves the Mine page."""

from __future__ import annotations

import csv
import json

import pytest
from mining_page import look_at, settle, type_filter
from mining_studies import numbers
from PySide6.QtGui import QGuiApplication

from ppworkbench.analyses.mining.runs import Sizes
from ppworkbench.gui.pages.mine.view import RULES, RUNS
from ppworkbench.study.study import Study


def test_that_the_table_is_copied(qtbot, mined):
    with qtbot.waitSignal(mined.workbench.toast_requested) as caught:
        mined.copy_action.trigger()
    count = mined.results.sets.model().rowCount()
    assert caught.args[0] == f"Copied {count} rows."
    assert len(QGuiApplication.clipboard().text().split("\n")) == count + 1
    look_at(mined, RUNS)
    mined.copy_action.trigger()
    assert QGuiApplication.clipboard().text().split("\n")[1].startswith("1. Shrinkage MASK")


def test_that_nothing_can_be_exported_before_something_was_mined(page):
    assert not page.export_action.isEnabled()
    assert page.export_action.toolTip() == "Nothing to export yet."


@pytest.mark.slow
def test_that_the_table_is_exported_as_it_is_shown(qtbot, mined, tmp_path, dialogs):
    type_filter(qtbot, mined, "garden")
    path = tmp_path / "sets"
    mined.export_action.trigger()
    dialogs.cancel()
    mined.export_action.trigger()
    dialogs.choose(path)
    settle(qtbot, mined)
    lines = path.with_suffix(".csv").read_text(encoding="utf-8").splitlines()
    head = "itemset,length,support,standard_error,low,high,raw,uncorrected,true"
    assert lines[0] == head
    assert len(lines) == mined.results.sets.model().rowCount() + 1
    assert all("garden=yes" in line for line in lines[1:])
    first = mined.results.sets.rows[0]
    (told,) = csv.reader(lines[1:2])
    assert float(told[2]) == pytest.approx(numbers(mined.current, "support")[first])


def test_that_the_table_asked_for_is_written_though_another_study_came_meanwhile(
    qtbot, mined, tmp_path, dialogs
):
    rows = mined.results.sets.model().rowCount()
    mined.export_action.trigger()
    mined.store.open(Study())
    assert mined.view.listings == {}
    dialogs.choose(tmp_path / "sets.csv")
    settle(qtbot, mined)
    lines = (tmp_path / "sets.csv").read_text(encoding="utf-8").splitlines()
    assert len(lines) == rows + 1


def test_that_a_whole_run_is_exported_as_json(qtbot, mined, tmp_path):
    mined.write(mined.file_sheet(), mined.document(), tmp_path / "run.json")
    settle(qtbot, mined)
    found = json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))
    run = mined.current
    assert found["method"] == "shrinkage"
    assert found["parameters"]["min_support"] == 0.1
    assert len(found["itemsets"]) == Sizes(run).total
    assert len(found["rules"]) == run.sheet(RULES).rows
    assert found["errors"][0]["true"] == Sizes(run).at("true", 1)
    assert set(found["rules"][0]) >= {"if", "then", "confidence", "lift", "true_confidence"}


def test_that_rules_and_runs_are_exported(qtbot, mined, tmp_path):
    look_at(mined, RULES)
    mined.write(mined.file_sheet(), mined.document(), tmp_path / "rules.csv")
    look_at(mined, RUNS)
    mined.write(mined.file_sheet(), mined.document(), tmp_path / "runs.csv")
    settle(qtbot, mined)
    rules = (tmp_path / "rules.csv").read_text(encoding="utf-8").splitlines()
    assert rules[0].startswith(
        "rule,left,right,support,confidence,standard_error,low,high,lift,true"
    )
    assert len(rules) == mined.current.sheet(RULES).rows + 1
    runs = (tmp_path / "runs.csv").read_text(encoding="utf-8").splitlines()
    assert len(runs) == 2


def test_that_a_file_that_cannot_be_written_is_told(qtbot, mined, tmp_path):
    with qtbot.waitSignal(mined.workbench.error_raised) as caught:
        mined.write(mined.file_sheet(), mined.document(), tmp_path / "no folder" / "sets.csv")
    assert "cannot be written" in str(caught.args[0])
    settle(qtbot, mined)
