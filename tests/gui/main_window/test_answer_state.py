"""What the answers are, over every page of the window; rehearsals; pages without answers."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialogButtonBox, QPushButton
from studies import make_study

from ppworkbench.analyses.collecting.rehearsal import RehearsalSettings, rehearse
from ppworkbench.gui.rehearsal import (
    RehearsalDialog,
    StateDialog,
    remove_invented,
    start_rehearsal,
)
from ppworkbench.gui.widgets.provenance import invented_words
from ppworkbench.study.answer_state import AnswerState
from ppworkbench.study.distorted_cache import distorted_answers
from ppworkbench.study.study import Study


@pytest.fixture
def workbench(kept_workbench):
    return kept_workbench


LEFT = Qt.MouseButton.LeftButton


def unanswered() -> Study:
    return make_study().with_(original=None)


def test_that_no_page_is_grey_for_want_of_answers(window, qtbot):
    window.store.open(unanswered())
    assert all(button.isEnabled() for button in window.rail.buttons.values())
    qtbot.mouseClick(window.rail.buttons["explore"], LEFT)
    assert window.current == "explore"
    assert "explore" not in window.pages
    assert window.header.title.text() == "Explore"
    page = window.shell.front_page
    assert page is not None
    assert page.isVisible()
    assert page.findChild(QPushButton, "rehearseInvented").text().startswith("Simulate 500")
    assert page.findChild(QPushButton, "addResponses").isVisible()


def test_that_a_page_takes_its_place_as_soon_as_there_are_answers(window, qtbot):
    window.store.open(unanswered())
    window.show_page("survey")
    stands_in = window.shell.front_page
    assert stands_in is not None
    qtbot.mouseClick(stands_in.findChild(QPushButton, "rehearseInvented"), LEFT)
    qtbot.waitUntil(lambda: window.store.study.rows == 500)
    assert window.store.study.state is AnswerState.INVENTED
    assert window.pages["survey"].isVisible()
    assert not stands_in.isVisible()
    window.store.undo_stack.undo()
    assert window.store.study.state is AnswerState.NONE
    assert stands_in.isVisible()
    window.store.undo_stack.redo()
    assert window.pages["survey"].isVisible()


def test_that_a_banner_over_every_page_cannot_be_closed(window, qtbot):
    window.store.open(unanswered())
    assert window.shell.invented.isHidden()
    start_rehearsal(window.workbench)
    qtbot.waitUntil(lambda: window.store.study.rows == 500)
    banner = window.shell.invented
    said = "Simulated data: 500 respondents, no real people."
    for name in ("data", "design", "explore", "survey", "mine", "classify", "publish"):
        window.show_page(name)
        assert banner.isVisible()
        assert banner.kind == "warning"
        assert banner.accessibleDescription() == said
    assert not banner.close_button.isVisible()
    window.shell.escape()
    assert banner.isVisible()
    assert invented_words() == said
    qtbot.mouseClick(banner.other_button, LEFT)
    assert window.store.study.state is AnswerState.NONE
    assert banner.isHidden()
    assert invented_words() == ""


@pytest.mark.slow
@pytest.mark.usefixtures("own_page")
def test_that_chips_say_what_the_answers_are(window, qtbot):
    chips = window.header.state, window.status.state
    assert not any(chip.isVisible() for chip in chips)
    study = make_study()
    reported = Study.of_distorted(distorted_answers(study).distorted, study.design, "reported")
    for opened, words in (
        (unanswered(), "no answers yet"),
        (study, "true answers"),
        (reported, "reported answers"),
        (rehearse(unanswered()), "simulated answers"),
    ):
        window.store.open(opened)
        window.show_page("design")
        assert [chip.words for chip in chips] == [words, words]
        assert all(chip.text().replace("\n", " ") == words for chip in chips)
        assert all(chip.isVisible() for chip in chips)
    qtbot.mouseClick(window.status.state, LEFT)
    dialog = window.findChild(StateDialog)
    assert dialog is not None
    qtbot.mouseClick(dialog.findChild(QPushButton, "stateRemove"), LEFT)
    assert window.store.study.state is AnswerState.NONE


def test_that_a_person_corrects_the_state_and_takes_it_back(window, qtbot):
    window.store.open(make_study())
    for _ in range(2):
        qtbot.mouseClick(window.header.state, LEFT)
        dialog = next(one for one in window.findChildren(StateDialog) if one.isVisible())
        assert dialog.true.isChecked()
        dialog.reported.click()
        dialog.buttons.accepted.emit()
        assert window.store.study.state is AnswerState.REPORTED
        window.store.undo_stack.undo()
        assert window.store.study.state is AnswerState.TRUE


def test_that_the_dialog_sets_respondents_seed_and_strengths(window, qtbot):
    window.store.open(unanswered())
    window.menus.actions["rehearse"].trigger()
    dialog = window.findChild(RehearsalDialog)
    assert dialog is not None
    dialog.n.setValue(120)
    dialog.seed.setValue(99)
    dialog.all.choose("strong")
    assert {box.current for box in dialog.strengths.values()} == {"strong"}
    dialog.strengths["age"].choose("none")
    assert dialog.all.current == ""
    dialog.findChild(QDialogButtonBox).accepted.emit()
    qtbot.waitUntil(lambda: window.store.study.rows == 120)
    assert window.store.study.settings.seed == 99
    kept = RehearsalSettings.of(window.store.study)
    assert (kept.n, str(kept.strength("age")), str(kept.strength("sex"))) == (120, "none", "strong")
    assert window.store.undo_stack.count() == 1


def test_that_invented_answers_are_not_exported_and_real_ones_not_rehearsed(window):
    window.store.open(make_study())
    actions = window.menus.actions
    assert actions["export"].isEnabled()
    assert not actions["rehearse"].isEnabled()
    assert "true answers" in actions["rehearse"].toolTip()
    window.store.open(rehearse(unanswered()))
    assert not actions["export"].isEnabled()
    assert actions["export"].toolTip() == "A table of simulated answers cannot be released."


def test_that_findings_in_invented_answers_go_with_them(window):
    window.store.open(rehearse(unanswered()))
    window.store.set_results("survey", [1])
    window.store.set_results("design pins", {"sex": []})
    remove_invented(window.workbench)
    assert "survey" not in window.store.study.results
    assert "design pins" in window.store.study.results
