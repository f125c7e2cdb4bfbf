"""The user's own study while a demonstration runs, and after it."""

from __future__ import annotations

import threading

import pytest
from demonstrations_shown import LEFT, settled
from patience import PATIENCE
from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from shiboken6 import getAllValidWrappers, isValid
from studies import make_study

from ppworkbench.core.design import Uniform
from ppworkbench.gui.demonstrations import open_demonstration
from ppworkbench.study.files.recovery import recoverable


@pytest.mark.slow
def test_that_the_users_study_comes_back_exactly_as_it_was(window, qtbot, start, own, tmp_path):
    store = window.store
    mine = make_study("mine")
    store.open(mine, tmp_path / "mine.ppw")
    window.show_page("design")
    store.select(["age", "town"])
    store.set_perturbation(["town"], Uniform(keep=0.7))
    store.set_results("mine", {"kept": 1})
    before = (store.study, store.path, store.selected, store.document, store.is_modified)
    steps = (store.undo_stack.count(), store.undo_stack.index())
    columns = window.page("design").findChild(QWidget, "designColumns")
    shown = [columns.widget(place).isHidden() for place in range(columns.count())]

    stage = start(own)
    qtbot.mouseClick(stage.panel.next, LEFT)
    settled(window, qtbot)
    stage.workbench.store.set_perturbation(["smokes"], Uniform(keep=0.9))
    window.menus.actions["zoomReset"].trigger()
    QTest.keyClick(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert store.study is before[0]
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    QTest.keyClick(window, Qt.Key.Key_Escape)

    assert window.stage is None
    assert window.layers.currentWidget() is window.shell
    assert window.current == "design"
    after = (store.study, store.path, store.selected, store.document, store.is_modified)
    assert after == before
    assert (store.undo_stack.count(), store.undo_stack.index()) == steps
    assert [columns.widget(place).isHidden() for place in range(columns.count())] == shown
    QTest.keyClick(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert store.study.design.perturbation("town") == mine.design.perturbation("town")


@pytest.mark.slow
@pytest.mark.parametrize("page", ["start", "learn"])
def test_that_a_page_of_no_study_is_the_users_own(window, qtbot, own, page):
    window.store.open(make_study("mine"))
    open_demonstration(window.workbench, own)
    qtbot.waitUntil(lambda: window.stage is not None)
    shell = window.stage.shell
    # Its data are not there yet.
    qtbot.mouseClick(shell.rail.buttons["classify"], LEFT)
    ways = {"start": shell.findChild(QWidget, "goToStart"), "learn": shell.rail.buttons["learn"]}
    qtbot.mouseClick(ways[page], LEFT)
    assert window.stage is None
    assert window.current == page
    assert window.store.study.title == "mine"


@pytest.mark.slow
def test_that_a_crash_in_a_demonstration_leaves_the_users_work_to_be_restored(
    window, start, own, state_folder, wait_idle
):
    window.store.open(make_study("precious"), unsaved=True)
    start(own)
    window.files.autosave()
    wait_idle()
    # A crash gives the lock back and nothing else.
    window.files._recovery._lock.release()
    [left] = recoverable(state_folder / "recovery")
    assert left.title == "precious"


@pytest.mark.slow
def test_that_jobs_of_the_user_go_on_during_a_demonstration(window, qtbot, start, own):
    gate, results = threading.Event(), []
    window.store.open(make_study())
    window.workbench.run("long", lambda _: gate.wait(PATIENCE), results.append)
    start(own)
    window.end_demonstration()
    gate.set()
    qtbot.waitUntil(lambda: results == [True])


def test_that_a_demonstration_whose_job_goes_on_waits_with_a_timer_of_its_own(
    window, qtbot, start, own
):
    gate, begun = threading.Event(), threading.Event()

    def work(_):
        begun.set()
        gate.wait(PATIENCE)

    stage = start(own)
    stage.workbench.run("long", work, lambda _: None)
    qtbot.waitUntil(begun.is_set)
    window.end_demonstration()
    timers = [one for one in getAllValidWrappers() if isinstance(one, QTimer) and one.isActive()]
    owners = [one.parent() for one in timers]
    gate.set()
    assert stage in owners
    # One of nobody's would go on after the window is gone.
    assert None not in owners
    qtbot.waitUntil(lambda: not isValid(stage))


@pytest.mark.slow
def test_that_files_are_out_of_reach_while_a_demonstration_runs(window, start, own):
    window.store.open(make_study())
    names = ("open", "start", "save", "saveAs", "saveDesign", "export")
    start(own)
    assert not any(window.menus.actions[name].isEnabled() for name in names)
    window.end_demonstration()
    assert all(window.menus.actions[name].isEnabled() for name in names)


@pytest.mark.slow
def test_that_opening_another_study_ends_the_demonstration(window, start, own):
    start(own)
    window.store.open(make_study("other"))
    assert window.stage is None
    assert window.current == "data"


@pytest.mark.slow
def test_that_the_theme_can_change_after_a_demonstration(window, qtbot, start, own):
    start(own)
    window.end_demonstration()
    qtbot.waitUntil(lambda: not window.findChildren(QWidget, "learnPanel"))
    window.workbench.themes.choose("dark")
    window.workbench.themes.choose("light")
    assert not window.banner.isVisible()
