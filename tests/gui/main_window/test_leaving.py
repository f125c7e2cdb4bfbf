"""Leaving a study or the window with changes that are not saved."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QFileDialog, QMessageBox
from studies import make_study
from window_hands import modify

from ppworkbench.study.study_file import open_study


def test_that_a_study_without_changes_is_left_without_a_question(window, answer, wait_idle):
    asked = answer(QMessageBox.StandardButton.Cancel)
    window.store.open(make_study())
    window.files.open_sample("weather")
    wait_idle()
    assert window.store.study.title == "weather"
    assert asked == []


@pytest.mark.parametrize(
    ("button", "title"),
    [
        (QMessageBox.StandardButton.Cancel, "mine"),
        (QMessageBox.StandardButton.Discard, "weather"),
        (QMessageBox.StandardButton.Save, "weather"),
    ],
)
def test_that_unsaved_changes_are_asked_about(window, answer, wait_idle, tmp_path, button, title):
    window.store.open(make_study("mine"), tmp_path / "mine.ppw")
    modify(window)
    asked = answer(button)
    window.files.open_sample("weather")
    wait_idle()
    assert asked == ["Save the changes to mine?"]
    assert window.store.study.title == title
    assert (tmp_path / "mine.ppw").exists() is (button == QMessageBox.StandardButton.Save)


def test_that_saving_can_be_given_up_before_leaving(window, answer, wait_idle, monkeypatch):
    window.store.open(make_study("mine"))
    modify(window)
    answer(QMessageBox.StandardButton.Save)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: ("", ""))
    window.files.open_sample("weather")
    wait_idle()
    assert window.store.study.title == "mine"


def test_that_closing_asks_too_and_stays_when_told_so(window, answer):
    window.store.open(make_study("mine"))
    modify(window)
    asked = answer(QMessageBox.StandardButton.Cancel)
    assert not window.close()
    assert window.isVisible()
    answer(QMessageBox.StandardButton.Discard)
    assert window.close()
    assert len(asked) == 2


def test_that_closing_waits_for_a_save_that_is_under_way(window, tmp_path):
    window.store.open(make_study("mine", rows=20_000), tmp_path / "mine.ppw")
    window.files.save()
    assert window.close()
    assert open_study(tmp_path / "mine.ppw").rows == 20_000


def test_that_a_typed_questionnaire_is_not_lost_without_a_question(window, answer):
    window.files.new_questionnaire(make_study("typed").with_(original=None))
    asked = answer(QMessageBox.StandardButton.Cancel)
    assert not window.close()
    assert asked == ["Save the changes to typed?"]


def test_that_a_normal_end_leaves_no_recovery_file(window, wait_idle, state_folder, answer):
    window.store.open(make_study())
    modify(window)
    window.files.autosave()
    wait_idle()
    assert list((state_folder / "recovery").glob("*.ppw"))
    answer(QMessageBox.StandardButton.Discard)
    assert window.close()
    assert list((state_folder / "recovery").iterdir()) == []


def test_that_a_copy_is_written_again_only_after_a_change(window, wait_idle, answer):
    window.store.open(make_study())
    modify(window)
    assert window.files.autosave() is not None
    wait_idle()
    assert window.files.autosave() is None
    window.store.undo_stack.undo()
    modify(window)
    assert window.files.autosave() is not None
    wait_idle()
    answer(QMessageBox.StandardButton.Discard)
    assert window.close()


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
