"""Leaving a study or the window with changes that are not saved."""

from __future__ import annotations

import pytest
from studies import make_study
from window_hands import modify

from ppworkbench.study.files.study_file import open_study


def test_that_a_study_without_changes_is_left_without_a_question(window, dialogs, wait_idle):
    window.store.open(make_study())
    window.files.open_sample("weather")
    wait_idle()
    assert window.store.study.title == "weather"
    assert not dialogs.is_open


@pytest.mark.parametrize(
    ("button", "title"),
    [
        ("Cancel", "mine"),
        ("Discard", "weather"),
        ("Save", "weather"),
    ],
)
def test_that_unsaved_changes_are_asked_about(
    window, dialogs, qtbot, wait_idle, tmp_path, button, title
):
    window.store.open(make_study("mine"), tmp_path / "mine.ppw")
    modify(window)
    window.files.open_sample("weather")
    assert dialogs.answer(button) == "Save the changes to mine?"
    qtbot.waitUntil(lambda: window.store.study.title == title)
    wait_idle()
    assert (tmp_path / "mine.ppw").exists() is (button == "Save")
    assert not dialogs.is_open


def test_that_saving_can_be_given_up_before_leaving(window, dialogs, wait_idle):
    window.store.open(make_study("mine"))
    modify(window)
    window.files.open_sample("weather")
    dialogs.answer("Save")
    dialogs.cancel()
    wait_idle()
    assert window.store.study.title == "mine"


def test_that_closing_asks_each_time_and_stays_when_told_so(window, dialogs):
    window.store.open(make_study("mine"))
    modify(window)
    for _ in range(3):
        assert not window.close()
        dialogs.answer("Cancel")
        assert window.isVisible()
        window.close()
        dialogs.cancel()
        assert window.isVisible()
    window.close()
    dialogs.answer("Discard")
    assert not window.isVisible()


def test_that_closing_waits_for_a_save_that_is_under_way(window, qtbot, tmp_path):
    window.store.open(make_study("mine", rows=20_000), tmp_path / "mine.ppw")
    window.files.save()
    window.close()
    qtbot.waitUntil(lambda: not window.isVisible())
    assert open_study(tmp_path / "mine.ppw").rows == 20_000


def test_that_a_typed_questionnaire_is_not_lost_without_a_question(window, dialogs):
    window.store.open(make_study("typed").with_(original=None))
    modify(window)
    assert not window.close()
    assert dialogs.answer("Cancel") == "Save the changes to typed?"


def test_that_a_normal_end_leaves_no_recovery_file(window, wait_idle, state_folder, dialogs):
    window.store.open(make_study())
    modify(window)
    window.files.autosave()
    wait_idle()
    assert list((state_folder / "recovery").glob("*.ppw"))
    window.close()
    dialogs.answer("Discard")
    assert not window.isVisible()
    assert list((state_folder / "recovery").iterdir()) == []


def test_that_a_copy_is_written_again_only_after_a_change(window, wait_idle, dialogs):
    window.store.open(make_study())
    modify(window)
    assert window.files.autosave() is not None
    wait_idle()
    assert window.files.autosave() is None
    window.store.undo_stack.undo()
    modify(window)
    assert window.files.autosave() is not None
    wait_idle()
    window.close()
    dialogs.answer("Discard")
    assert not window.isVisible()


def test_that_nothing_is_kept_of_a_study_without_changes(window, state_folder):
    window.store.open(make_study())
    assert window.files.autosave() is None
    assert not (state_folder / "recovery").exists()


def test_that_saving_removes_the_recovery_file(window, wait_idle, state_folder, tmp_path):
    window.store.open(make_study(), tmp_path / "mine.ppw")
    modify(window)
    window.files.autosave()
    wait_idle()
    window.files.save()
    wait_idle()
    assert list((state_folder / "recovery").glob("*.ppw")) == []
