"""Runs of the Classify page: begun, paused, continued, cancelled and added to."""

from __future__ import annotations

import threading

from ppworkbench.core.experiment.engines import InProcess
from ppworkbench.gui.pages.classify.view import IDLE, PAUSED, RUNNING


class Gate:
    """An engine that does one task at a time when it is let."""

    def __init__(self):
        self.lets = threading.Semaphore(0)

    def run(self, experiment, tasks, deliver, check):
        for task in tasks:
            while not self.lets.acquire(timeout=0.01):
                check()
            InProcess().run(experiment, [task], deliver, check)


def test_that_a_run_is_paused_continued_and_cancelled(page, qtbot, settle):
    gate = Gate()
    page.runs.engine = gate
    page.run()
    assert page.runs.state == RUNNING
    assert page.primary.text() == "Running…"
    assert not page.primary.isEnabled()
    assert page.pause_action.isVisible()
    assert page.cancel_action.isVisible()
    gate.lets.release(3)
    qtbot.waitUntil(lambda: page.runs.current.done == 3)
    qtbot.waitUntil(lambda: page.curve.badge.text() == "partial result")
    assert not page.settings_card.content.findChild(type(page.settings_card.folds)).isEnabled()
    assert "locked during the run" in page.settings_card.lock_note.text()
    page.pause_action.trigger()
    settle()
    assert page.runs.state == PAUSED
    assert page.primary.text() == "Continue"
    assert page.primary.isEnabled()
    gate.lets.release(2)
    page.primary.trigger()
    qtbot.waitUntil(lambda: page.runs.current.done == 5)
    said = []
    page.workbench.toast_requested.connect(lambda words, _: said.append(words))
    page.cancel_action.trigger()
    settle()
    assert page.runs.state == IDLE
    assert said == ["Stopped after 5 of 10; partial results are shown."]
    assert "Resume after 5 of 10" in page.primary.toolTip()
    gate.lets.release(99)
    page.run()
    settle()
    assert page.runs.current.is_complete
    assert len(page.runs.history) == 1


def test_that_a_run_cancelled_before_its_first_training_promises_no_results(page, settle):
    page.runs.engine = Gate()
    page.run()
    said = []
    page.workbench.toast_requested.connect(lambda words, _: said.append(words))
    page.cancel_action.trigger()
    settle()
    assert said == ["Stopped. There are no results yet."]


def test_that_cancelling_a_paused_run_keeps_its_results(page, qtbot, settle):
    gate = Gate()
    page.runs.engine = gate
    gate.lets.release(2)
    page.run()
    qtbot.waitUntil(lambda: page.runs.current.done == 2)
    page.pause_action.trigger()
    settle()
    page.cancel_action.trigger()
    assert page.runs.state == IDLE
    assert page.runs.current.done == 2
    settle()
    assert not page.curve.is_empty


def test_that_more_repeats_use_the_results_that_are_there(ran, settle, monkeypatch):
    done = []
    inside = InProcess().run

    def counting(experiment, tasks, deliver, check):
        done.extend(tasks)
        inside(experiment, tasks, deliver, check)

    monkeypatch.setattr(ran.runs.engine, "run", counting)
    ran.choose(ran.choices.with_(repeats=2))
    ran.run()
    settle()
    assert len(done) == 10
    assert {task.repeat for task in done} == {1}
    assert len(ran.runs.history) == 2
