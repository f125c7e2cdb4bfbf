"""Unsaved work that the start screen offers after a crash."""

from __future__ import annotations

import json

import pytest
from PySide6.QtCore import QTimer
from studies import make_study, same
from window_hands import LEFT

from ppworkbench.core.design import Uniform
from ppworkbench.study.files.recovery import RecoveryFile
from ppworkbench.study.files.study_file import open_study, save_study


@pytest.fixture
def crashed(state_folder):
    """What a program leaves that crashed over two studies."""
    titles = ("older", "newer")
    for when, title in enumerate(titles):
        recovery = RecoveryFile(state_folder / "recovery")
        recovery.save(make_study(title), None)
        recovery._lock.release()
        note = recovery.path.with_suffix(".json")
        note.write_text(json.dumps(json.loads(note.read_text()) | {"when": 1_000.0 + when}))
    return state_folder / "recovery"


def test_that_without_a_crash_there_is_no_offer(start):
    assert not start.banner.isVisible()


@pytest.mark.slow
def test_that_after_a_crash_the_newest_study_is_offered_and_restored(
    crashed, window, start, qtbot, wait_idle
):
    assert start.banner.isVisible()
    assert "“newer” was not saved" in start.banner.label.text()
    qtbot.mouseClick(start.banner.button, LEFT)
    wait_idle()
    assert same(window.store.study, make_study("newer"))
    assert window.store.is_modified
    [left] = window.files.recoverable()
    assert left.title == "older"
    assert "“older”" in start.banner.label.text()
    # The copy of the restored study is this window's own now.
    assert len(list(crashed.glob("*.ppw"))) == 2


def test_that_a_change_while_the_restored_study_is_copied_leaves_no_second_offer(
    crashed, window, start, qtbot, wait_idle
):
    window.store.study_opened.connect(lambda: QTimer.singleShot(0, change_and_copy))

    def change_and_copy():
        # The copy that is under way is overtaken by that of the changed study.
        window.store.set_perturbation(["town"], Uniform(keep=0.2))
        window.files.autosave()

    qtbot.mouseClick(start.banner.button, LEFT)
    qtbot.waitUntil(lambda: window.store.undo_stack.count() == 1)
    wait_idle()
    assert [one.title for one in window.files.recoverable()] == ["older"]


def test_that_what_is_discarded_is_gone_and_the_next_is_offered(crashed, window, start, qtbot):
    qtbot.mouseClick(start.banner.other_button, LEFT)
    assert "“older”" in start.banner.label.text()
    qtbot.mouseClick(start.banner.other_button, LEFT)
    assert not start.banner.isVisible()
    assert list(crashed.iterdir()) == []


@pytest.mark.slow
def test_that_a_restored_study_goes_back_to_its_own_file(
    state_folder, tmp_path, wait_idle, request
):
    path = tmp_path / "mine.ppw"
    save_study(make_study("mine"), path)
    recovery = RecoveryFile(state_folder / "recovery")
    recovery.save(make_study("mine", rows=9), path)
    recovery._lock.release()
    window = request.getfixturevalue("window")
    window.pages["start"].banner.button.click()
    wait_idle()
    assert window.store.path == path
    assert open_study(path).rows == 6
    window.files.save()
    wait_idle()
    assert open_study(path).rows == 9
    assert window.files.recoverable() == ()


def test_that_a_damaged_recovery_file_is_refused_in_a_sentence(
    crashed, window, start, qtbot, wait_idle
):
    for path in crashed.glob("*.ppw"):
        path.write_bytes(b"half")
    qtbot.mouseClick(start.banner.button, LEFT)
    wait_idle()
    assert "is not a study" in window.banner.label.text()
    assert window.store.study.is_empty
