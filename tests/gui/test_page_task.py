"""The work of a page: one at a time, the last one wins, a cancelled one is let go."""

from __future__ import annotations

import threading

import numpy as np
import pytest
import shiboken6
from patience import PATIENCE, until_stopped
from PySide6.QtWidgets import QWidget
from window_hands import lose_patience

from ppworkbench.core.errors import DataError
from ppworkbench.core.models import RegressionOptions, regress
from ppworkbench.gui.page_task import PageTask
from tests.regression_surveys import CASES, survey


@pytest.fixture
def heard():
    return []


@pytest.fixture
def task(workbench, heard):
    made = PageTask(workbench, "a task")
    made.finished.connect(lambda result: heard.append(("finished", result, made.is_running)))
    made.failed.connect(lambda error: heard.append(("failed", str(error), made.is_running)))
    made.stopped.connect(lambda: heard.append(("stopped", made.is_running)))
    made.changed.connect(lambda: heard.append(("changed", made.is_running)))
    return made


def test_that_a_task_tells_when_it_begins_what_it_found_and_that_it_is_over(task, heard, qtbot):
    task.start("counting", lambda progress: 7)
    assert heard == [("changed", True)]
    qtbot.waitUntil(lambda: not task.is_running)
    assert heard[1:] == [("finished", 7, False), ("changed", False)]


def test_that_the_work_started_last_wins(task, heard, qtbot):
    held = threading.Event()

    def slow(progress):
        held.wait(PATIENCE)
        return "old"

    task.start("slow", slow)
    task.start("quick", lambda progress: "new")
    held.set()
    qtbot.waitUntil(lambda: not task.is_running)
    qtbot.waitUntil(lambda: task._workbench.jobs.is_idle)
    assert [one for one in heard if one[0] == "finished"] == [("finished", "new", False)]


def test_that_progress_and_words_are_those_of_the_work_under_way(task, workbench, qtbot):
    task.start("counting", until_stopped)
    with qtbot.waitSignal(task.progressed):
        pass
    # The first report is that of the job itself, before the work has said anything.
    qtbot.waitUntil(lambda: (task.done, task.message) == (0.5, "working"))
    task.set_name("counting on")
    assert [job.name for job in workbench.jobs.running] == ["counting on"]
    task.drop()
    assert (task.done, task.message) == (0.0, "")


def test_that_a_cancelled_task_says_that_it_was_stopped(task, heard, qtbot):
    task.start("counting", until_stopped)
    task.cancel()
    qtbot.waitUntil(lambda: not task.is_running)
    assert heard[1:] == [("stopped", False), ("changed", False)]


def test_that_a_cancelled_task_which_does_not_stop_is_let_go(task, heard, workbench, qtbot):
    held = threading.Event()

    def deaf(progress):
        held.wait(PATIENCE)
        return "too late"

    task.start("counting", deaf)
    qtbot.waitUntil(lambda: workbench.jobs.running[0].state == "running")
    task.cancel()
    lose_patience(task)
    assert heard[1:] == [("stopped", False), ("changed", False)]
    held.set()
    qtbot.waitUntil(lambda: workbench.jobs.is_idle)
    assert len(heard) == 3


def test_that_a_dropped_task_never_arrives(task, heard, workbench, qtbot):
    task.start("counting", lambda progress: 7)
    task.drop()
    task.drop()
    qtbot.waitUntil(lambda: workbench.jobs.is_idle)
    assert heard == [("changed", True), ("changed", False)]


def test_that_an_error_reaches_the_page_and_the_window(task, heard, workbench, qtbot):
    told = []
    workbench.error_raised.connect(told.append)

    def fail(progress):
        raise DataError("There are no answers.")

    task.start("counting", fail)
    qtbot.waitUntil(lambda: not task.is_running)
    assert heard[1:] == [("failed", "There are no answers.", False), ("changed", False)]
    qtbot.waitUntil(lambda: [str(error) for error in told] == ["There are no answers."])


def test_that_a_result_can_start_the_next_work(task, heard, qtbot):
    task.finished.connect(
        lambda result: task.start("next", lambda progress: result + 1) if result < 3 else None
    )
    task.start("first", lambda progress: 1)
    qtbot.waitUntil(lambda: not task.is_running)
    assert [one[1] for one in heard if one[0] == "finished"] == [1, 2, 3]


def test_that_the_page_of_a_task_may_be_deleted_while_it_works(workbench, qtbot):
    page, held = QWidget(), threading.Event()
    made = PageTask(workbench, "a task of a page", page)
    made.start("slow", lambda progress: held.wait(PATIENCE))
    shiboken6.delete(page)
    held.set()
    qtbot.waitUntil(lambda: workbench.jobs.is_idle)


def test_that_work_that_is_over_can_still_be_named(task, workbench, qtbot):
    task.finished.connect(lambda result: task.set_name(f"counted {result}"))
    task.start("counting", lambda progress: 7)
    qtbot.waitUntil(lambda: not task.is_running)
    assert workbench.jobs.jobs[-1].name == "counted 7"


def test_that_a_cancelled_bootstrap_brings_what_it_has_drawn(task, heard, qtbot):
    """The work ends with a result of its own, which a page shows as any other."""
    table, design = survey(CASES["logistic"], "y", np.random.default_rng(3), 4000)
    options = RegressionOptions(variance="bootstrap")
    is_drawing, is_cancelled = threading.Event(), threading.Event()

    def fit(progress):
        def report(done, message=""):
            # The draws are the last quarter of the work, so these are about 60 of them.
            if done > 0.82 and not is_drawing.is_set():
                is_drawing.set()
                is_cancelled.wait(PATIENCE)
            progress(done, message)

        return regress(table, design, "y ~ v + x", options, progress=report)

    task.start("fitting", fit)
    qtbot.waitUntil(is_drawing.is_set)
    task.cancel()
    is_cancelled.set()
    qtbot.waitUntil(lambda: not task.is_running)
    (result,) = [one[1] for one in heard if one[0] == "finished"]
    assert 20 <= result.draws < 200
