"""The design under reported answers: locked, unlocked on purpose, or copied for the next wave."""

from __future__ import annotations

import dataclasses

import pytest
from asked_studies import asked_study, reported_study
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from ppworkbench.core.design import Uniform
from ppworkbench.study.answer_state import AnswerState


@pytest.fixture
def workbench(new_workbench):
    return new_workbench


@pytest.fixture
def design(window, qtbot):
    """The Design page after fieldwork, with 840 people planned."""
    study = reported_study()
    settings = dataclasses.replace(study.settings, respondents=840)
    window.store.open(study.with_(settings=settings))
    window.store.select(["ticket"])
    window.show_page("design")
    page = window.page("design")
    qtbot.waitUntil(page.banner.isVisible)
    return page


def press(button):
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def test_that_reported_answers_lock_what_randomised_them(window, design):
    store, toasts = window.store, []
    window.workbench.toast_requested.connect(lambda words, _: toasts.append(words))
    assert "locked" in design.banner.label.text()
    assert not design.editor.isEnabled()
    before = store.study.design
    store.set_perturbation(["ticket"], Uniform(keep=0.6))
    assert store.study.design is before
    assert toasts == [store.design_lock]
    # What randomised nothing stays open, and so does the plan.
    store.apply(store.study.with_sensitive("town", ["north"]), "Mark")
    store.set_settings(respondents=900)
    assert store.study.design["town"].attribute.sensitive == ("north",)
    assert store.study.settings.respondents == 900


def test_that_unlocking_says_what_it_does_and_can_be_taken_back(window, design, dialogs):
    store = window.store
    press(design.banner.other_button)
    said = dialogs.answer("Cancel")
    assert "27 reported answers" in said
    assert "become wrong" in said
    assert store.design_lock
    press(design.banner.other_button)
    dialogs.answer("Unlock")
    assert design.editor.isEnabled()
    assert design.banner.kind == "warning"
    store.set_perturbation(["ticket"], Uniform(keep=0.6))
    assert store.study.design["ticket"].perturbation == Uniform(keep=0.6)
    press(design.banner.button)
    assert design.banner.kind == "info"
    store.set_perturbation(["ticket"], Uniform(keep=0.5))
    assert store.study.design["ticket"].perturbation == Uniform(keep=0.6)
    store.undo_stack.undo()
    assert store.study.design["ticket"].perturbation == Uniform(keep=0.8)
    # Another study begins locked.
    press(design.banner.other_button)
    dialogs.answer("Unlock")
    store.open(reported_study(5))
    assert store.design_lock


def test_that_the_next_wave_is_a_copy_without_answers(window, design, dialogs, wait_idle):
    store = window.store
    before = store.study
    press(design.banner.button)
    wait_idle()
    assert store.study.state is AnswerState.NONE
    assert store.study.title != before.title
    assert store.study.settings.respondents == 840
    assert store.path is None
    assert store.is_modified
    assert not store.design_lock
    assert not design.banner.isVisible()
    store.set_perturbation(["ticket"], Uniform(keep=0.6))
    assert store.study.design["ticket"].perturbation == Uniform(keep=0.6)
    assert not window.menus.actions["nextWave"].isEnabled()


def test_that_answers_lock_when_they_come_and_free_when_they_go(window):
    store = window.store
    store.open(asked_study())
    told = []
    store.lock_changed.connect(lambda: told.append(bool(store.design_lock)))
    store.set_perturbation(["ticket"], Uniform(keep=0.6))
    answers = reported_study().distorted
    store.apply(store.study.with_(distorted=answers), "Add answers")
    store.undo_stack.undo()
    assert told == [True, False]
    store.undo_stack.undo()
    assert store.study.design["ticket"].perturbation == Uniform(keep=0.8)
