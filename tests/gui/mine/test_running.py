"""Runs of the Mine page that are cancelled, fail, or do not listen."""

from __future__ import annotations

import threading
import time

import pytest
from mining_page import settle
from mining_studies import survey_study
from patience import PATIENCE
from window_hands import lose_patience

from ppworkbench.analyses.mining.mine import Mine
from ppworkbench.core.errors import DataError
from ppworkbench.study.study import Study


@pytest.fixture
def workbench(kept_workbench):
    return kept_workbench


@pytest.fixture
def slow(monkeypatch):
    """A run that goes on until somebody cancels it, or until ``go`` is set."""
    go = threading.Event()

    def run_mining(request, source, progress):
        step = 0
        while not go.is_set():
            step += 1
            progress(min(step / 1000, 0.9), f"size {step}")
            time.sleep(0.005)
        raise DataError("There is no answer. Try another method.")

    monkeypatch.setattr(Mine, "run", run_mining)
    return go


def test_that_a_run_can_be_cancelled_and_old_results_stay(qtbot, mined, slow):
    before = mined.current
    mined.primary.trigger()
    qtbot.waitUntil(lambda: "size" in mined.results.strip.label.words())
    assert mined.primary.text() == "Running…"
    assert not mined.primary.isEnabled()
    assert mined.cancel_action.isVisible()
    assert not mined.settings_card.content.isEnabled()
    assert "cancel" in mined.settings_card.content.toolTip()
    with qtbot.waitSignal(mined.workbench.toast_requested) as said:
        mined.cancel_action.trigger()
    qtbot.waitUntil(lambda: not mined.task.is_running)
    assert said.args[0].endswith("Earlier results are shown.")
    assert mined.current is before
    assert mined.primary.text() == "Mine"
    assert mined.settings_card.content.isEnabled()
    assert not mined.results.strip.isVisibleTo(mined)


def test_that_a_run_that_does_not_listen_is_let_go(qtbot, mined, monkeypatch):
    deaf = threading.Event()

    def run_mining(request, source, progress):
        deaf.wait(PATIENCE)
        progress(0.5)

    before = mined.current
    monkeypatch.setattr(Mine, "run", run_mining)
    mined.primary.trigger()
    qtbot.waitUntil(lambda: mined.task.is_running)
    mined.cancel_action.trigger()
    lose_patience(mined.task)
    assert not mined.task.is_running
    assert mined.primary.isEnabled()
    deaf.set()
    settle(qtbot, mined)
    assert mined.current is before


def test_that_a_run_that_fails_is_told_and_leaves_the_results_alone(qtbot, mined, slow):
    before = mined.current
    slow.set()
    with qtbot.waitSignal(mined.workbench.error_raised) as caught:
        mined.primary.trigger()
    assert "no answer" in str(caught.args[0])
    qtbot.waitUntil(lambda: not mined.task.is_running)
    assert mined.current is before


def test_that_another_study_ends_the_run(qtbot, workbench, page, slow):
    page.primary.trigger()
    qtbot.waitUntil(lambda: page.task.is_running)
    workbench.store.open(survey_study(60))
    assert not page.task.is_running
    settle(qtbot, page)
    assert page.history.runs == ()


def test_that_a_study_without_the_mined_answers_can_be_opened_over_it(qtbot, workbench, mined):
    workbench.store.open(Study())
    assert mined.settings.items(mined.offer) == ()
    settle(qtbot, mined)
    assert mined.history.runs == ()


def test_that_a_first_run_that_is_cancelled_promises_no_earlier_results(qtbot, page, slow):
    page.primary.trigger()
    qtbot.waitUntil(lambda: page.task.is_running)
    with qtbot.waitSignal(page.workbench.toast_requested) as said:
        page.cancel_action.trigger()
    settle(qtbot, page)
    assert said.args[0].endswith("There are no results yet.")
    assert page.history.runs == ()


def test_that_there_is_one_run_at_a_time(qtbot, page, slow):
    page.ask()
    page.ask()
    assert len(page.workbench.jobs.running) == 1
    page.task.cancel()
    settle(qtbot, page)
