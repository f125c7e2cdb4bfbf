"""The editor of a condition on the Survey page."""

from __future__ import annotations

import pytest
from asking import CONDITION, chips, make_page, set_condition, titled_study
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication

from ppworkbench.core.survey.conditions.condition import Comparison, Membership, Operator, Range


def open_editor(page, place):
    chip = page.card.bar.chips[place]
    chip.edit_requested.emit()
    return page.card.editor


def test_that_a_click_on_a_chip_opens_its_values(qtbot, page):
    set_condition(page, CONDITION)
    chip = page.card.bar.chips[1]
    qtbot.mouseClick(chip, Qt.MouseButton.LeftButton, pos=QPoint(40, 12))
    editor = page.card.editor
    assert editor.isVisible()
    assert editor.name == "town"
    assert editor.picks.picked == ("Ash", "Cedar")
    assert editor.label.text() == "Where?"
    editor.close()


def test_that_ticking_values_changes_chip_and_text_at_once(page):
    set_condition(page, CONDITION)
    editor = open_editor(page, 1)
    editor.picks.pick("Old Oak")
    assert page.model.text == "vote = yes and town in {Ash, Cedar, 'Old Oak'}"
    editor.picks.is_or_not.choose("not")
    assert chips(page)[1] == "town is not Ash, Cedar or Old Oak"
    editor.close()


def test_that_the_space_bar_and_a_click_tick(qtbot, page):
    set_condition(page, CONDITION)
    editor = open_editor(page, 1)
    picks = editor.picks.list
    picks.setCurrentIndex(editor.picks.model.index(1, 0))
    qtbot.keyClick(picks, Qt.Key.Key_Space)
    assert editor.picks.picked == ("Ash", "Beech", "Cedar")
    spot = picks.visualRect(editor.picks.model.index(0, 0)).center()
    qtbot.mouseClick(picks.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    assert editor.picks.picked == ("Beech", "Cedar")
    editor.close()


def test_that_no_value_is_refused_and_the_last_test_stays(page):
    set_condition(page, "vote = yes")
    editor = open_editor(page, 0)
    editor.picks.pick("yes", on=False)
    assert editor.picks.problem.isVisible()
    assert page.model.text == "vote = yes"
    editor.close()


def test_that_order_and_unequal_open_as_the_values_they_mean(page):
    set_condition(page, "mood >= fair and town != Ash")
    editor = open_editor(page, 0)
    assert editor.picks.picked == ("fair", "good")
    editor.close()
    editor = open_editor(page, 1)
    assert editor.picks.picked == ("Ash",)
    assert editor.picks.is_or_not.current == "not"
    editor.close()


def test_that_a_new_condition_appears_with_its_first_value(page):
    set_condition(page, "vote = yes")
    page.card.bar.add_button.click()
    editor = page.card.editor
    assert not editor.picks.isVisible()
    assert not editor.remove_button.isVisible()
    editor.attribute.setCurrentIndex(editor.attribute.findData("town"))
    editor.attribute.activated.emit(editor.attribute.currentIndex())
    assert page.model.text == "vote = yes"
    editor.picks.pick("Beech")
    editor.picks.pick("Ash")
    assert page.model.text == "vote = yes and town in {Ash, Beech}"
    editor.close()


def test_that_the_attribute_can_be_typed(page):
    page.card.bar.add_button.click()
    editor = page.card.editor
    editor.attribute.setEditText("AGE")
    editor.attribute.lineEdit().editingFinished.emit()
    assert editor.name == "age"
    assert editor.limits.isVisible()
    editor.close()


def type_attribute(page, qtbot, typed):
    """Open the editor of a new condition, type into it and press Enter."""
    qtbot.mouseClick(page.card.bar.add_button, Qt.MouseButton.LeftButton)
    editor = page.card.editor
    qtbot.waitUntil(editor.isVisible)
    field = editor.attribute.lineEdit()
    for letter in typed:
        qtbot.keyClick(field, letter)
    # The list of what fits takes the keys, as it does from a person.
    taker = QApplication.activePopupWidget()
    qtbot.keyClick(field if taker is editor else taker, Qt.Key.Key_Return)
    return editor


@pytest.mark.parametrize(
    ("typed", "name"),
    [("vote", "vote"), ("Vote", "vote"), ("vo", "vote"), ("OW", "town"), ("ag", "age")],
)
def test_that_enter_takes_the_attribute_that_was_typed(page, qtbot, typed, name):
    editor = type_attribute(page, qtbot, typed)
    assert editor.name == name
    assert editor.attribute.currentText() == name
    assert editor.picks.isVisible() or editor.limits.isVisible()
    assert not editor.problem.isVisible()
    assert editor.picks.isAncestorOf(QApplication.focusWidget()) or editor.limits.isAncestorOf(
        QApplication.focusWidget()
    )
    editor.close()


@pytest.mark.parametrize("typed", ["ballot", "vote", "for it"])
def test_that_suggestions_are_found_by_title_column_and_question(qtbot, workbench, typed):
    page = make_page(qtbot, workbench, titled_study(vote="Ballot cast"))
    page.card.bar.add_button.click()
    editor = page.card.editor
    qtbot.waitUntil(editor.isVisible)
    qtbot.keyClicks(editor.attribute.lineEdit(), typed)
    found = editor.attribute.completer().completionModel()
    assert [found.index(row, 0).data() for row in range(found.rowCount())] == ["Ballot cast"]
    taker = QApplication.activePopupWidget()
    qtbot.keyClick(taker, Qt.Key.Key_Down)
    qtbot.keyClick(taker, Qt.Key.Key_Return)
    assert editor.name == "vote"
    assert editor.attribute.currentText() == "Ballot cast"
    editor.close()


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("weight", "There is no attribute “weight”; choose one from the list."),
        ("o", "Several names contain “o”; type more or choose one."),
    ],
)
def test_that_enter_says_why_no_attribute_is_taken(page, qtbot, typed, sentence):
    editor = type_attribute(page, qtbot, typed)
    assert editor.name == ""
    assert editor.attribute.currentText() == typed
    assert editor.problem.isVisible()
    assert editor.problem.text() == sentence
    qtbot.keyClick(editor.attribute.lineEdit(), "x")
    assert not editor.problem.isVisible()
    editor.close()


@pytest.mark.parametrize(
    ("manner", "low", "high", "test"),
    [
        ("<", "30", "", Comparison("age", Operator.BELOW, "30")),
        (">=", "20.5", "", Comparison("age", Operator.AT_LEAST, "20.5")),
        ("from", "20", "30", Range("age", "20", "30")),
        ("between", "20", "30", Range("age", "20", "30", high_included=True)),
        ("=", "44", "", Comparison("age", Operator.EQUAL, "44")),
    ],
)
def test_that_limits_make_a_test_and_a_test_shows_its_limits(page, manner, low, high, test):
    set_condition(page, "age < 99")
    editor = open_editor(page, 0)
    limits = editor.limits
    limits.manner.setCurrentIndex(limits.manner.findData(manner))
    limits.manner.activated.emit(limits.manner.currentIndex())
    for field, words in ((limits.low, low), (limits.high, high)):
        field.setText(words)
        field.textEdited.emit(words)
    assert page.model.question.condition.tests == (test,)
    editor.close()
    editor = open_editor(page, 0)
    assert limits.manner.currentData() == manner
    assert (limits.low.text(), limits.high.text()) == (low, high)
    editor.close()


@pytest.mark.parametrize(
    ("manner", "low", "high", "sentence"),
    [
        ("<", "young", "", "Type a number"),
        ("from", "30", "20", "must be above"),
        ("from", "30", "30", "must be above"),
        ("=", "20.5", "", "whole numbers"),
    ],
)
def test_that_limits_that_make_no_sense_are_told_and_change_nothing(
    page, manner, low, high, sentence
):
    set_condition(page, "age < 50")
    limits = open_editor(page, 0).limits
    limits.high.setText(high)
    limits.manner.setCurrentIndex(limits.manner.findData(manner))
    limits.low.setText(low)
    limits.low.textEdited.emit(low)
    assert sentence in limits.problem.text()
    assert page.model.text == "age < 50"
    page.card.editor.close()


def test_that_the_editor_removes_its_test_and_gives_the_keyboard_back(page):
    set_condition(page, CONDITION)
    open_editor(page, 0).remove_button.click()
    assert page.model.text == "town in {Ash, Cedar}"
    editor = open_editor(page, 0)
    editor.done_button.click()
    assert not editor.isVisible()
    assert page.focusWidget() is page.card.bar.chips[0]


def test_that_many_values_can_be_searched(page):
    from ppworkbench.core.data.attribute import Attribute, Kind

    values = tuple(f"street {i}" for i in range(40))
    picks = page.card.editor.picks
    picks.show_test(Attribute("street", Kind.NOMINAL, values), Membership("street", ("street 7",)))
    picks.filter.setText("street 3")
    hidden = [picks.list.isRowHidden(row) for row in range(40)]
    assert hidden.count(False) == 11
    assert picks.picked == ("street 7",)
