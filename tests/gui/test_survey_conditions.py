"""Conditions of the Survey page: chips, text and editor say the same."""

from __future__ import annotations

import pytest
from asking import make_page, small_study
from PySide6.QtCore import QLocale, QPoint, Qt
from PySide6.QtTest import QTest

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.survey.conditions import Comparison, Membership, Operator, Range
from ppworkbench.core.survey.parser import parse_condition
from ppworkbench.gui.pages.survey.number_limits import NumberLimits
from ppworkbench.gui.pages.survey.phrases import condition_words, plain

BOTH = Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.ShiftModifier
TWO = "vote = yes and town in {Ash, Cedar}"
THREE = f"{TWO} and age < 30"


@pytest.fixture
def page(qtbot, workbench):
    return make_page(qtbot, workbench, small_study())


def set_condition(page, text):
    page.model.set_condition(parse_condition(text))


def chips(page):
    return [plain(chip.test) for chip in page.card.bar.chips]


def type_text(page, text):
    page.card.text.setText(text)
    page.card.text.textEdited.emit(text)


# Phrases


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("vote = yes", "vote is yes"),
        ("vote != yes", "vote is not yes"),
        ("town in {Ash, Beech, Cedar}", "town is Ash, Beech or Cedar"),
        ("town not in {Ash, Beech}", "town is not Ash or Beech"),
        ("q in {a, b, c, d, e}", "q is a, b, c or 2 more"),
        ("q in {a, b, c, d}", "q is a, b, c or d"),
        ("age < 30", "age below 30"),
        ("age >= 30", "age at least 30"),
        ("18 <= age < 30", "age from 18 to below 30"),
        ("age between 18 and 30", "age from 18 to 30"),
        ("18 < age <= 30", "age above 18 up to 30"),
        ("18 < age < 30", "age above 18 and below 30"),
    ],
)
def test_that_a_test_reads_as_a_phrase(qapp, text, words):
    assert condition_words(parse_condition(text)) == words


def test_that_limits_have_the_decimal_mark_of_the_locale(qtbot, workbench):
    before = QLocale()
    QLocale.setDefault(QLocale("pl"))
    try:
        limits, made = NumberLimits(workbench.themes), []
        qtbot.addWidget(limits)
        limits.test_made.connect(made.append)
        age = Attribute("age", Kind.CONTINUOUS, domain=(0.0, 99.0))
        limits.show_test(age, parse_condition("age < 18.5").tests[0])
        shown = limits.low.text()
        for typed in ("0,5", "0.25"):
            limits.low.setText(typed)
            limits.low.textEdited.emit(typed)
        assert (shown, [test.value for test in made]) == ("18,5", ["0.5", "0.25"])
        assert plain(parse_condition("age < 18.5").tests[0]).endswith("18,5")
    finally:
        QLocale.setDefault(before)


def test_that_no_condition_means_everyone(qapp):
    assert condition_words(parse_condition("")) == "Everyone"


# The model changes the view


def test_that_chips_and_text_show_the_condition(page):
    set_condition(page, TWO)
    assert chips(page) == ["vote is yes", "town is Ash or Cedar"]
    assert page.card.text.text() == TWO
    assert "vote is yes" in page.card.bar.chips[0].accessibleName()
    assert page.card.bar.chips[1].toolTip() == "Where?"


# Text changes the model


def test_that_typing_makes_chips(page):
    type_text(page, "vote=yes & age>=20")
    assert chips(page) == ["vote is yes", "age at least 20"]
    assert page.card.problem.isHidden()


def test_that_leaving_the_field_tidies_the_text(page):
    type_text(page, "vote=yes & 30 > age")
    page.card.text.editingFinished.emit()
    assert page.card.text.text() == "vote = yes and age < 30"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("vote =", "cannot be read at position 7"),
        ("vote = yes or vote = no", "joined by 'and' only"),
        ("vte = yes", "did you mean 'vote'?"),
        ("vote = maybe", "has no value 'maybe'"),
        ("town < Ash", "its values have no order"),
        ("age < old", "is no number"),
    ],
)
def test_that_a_bad_text_is_told_at_the_field_and_nothing_can_be_asked(page, text, sentence):
    set_condition(page, TWO)
    type_text(page, text)
    assert sentence in page.card.problem.text()
    assert page.card.problem.isVisible()
    assert page.card.text.text() == text
    assert page.card.text.property("state") == "error"
    assert not page.primary.isEnabled()
    assert page.primary.toolTip() == page.card.problem.text()


def test_that_an_unreadable_text_leaves_the_chips_and_a_chip_repairs_it(page):
    set_condition(page, TWO)
    type_text(page, "vote = yes and")
    assert len(page.card.bar.chips) == 2
    page.card.bar.remove(1)
    assert page.card.text.text() == "vote = yes"
    assert page.card.problem.isHidden()
    assert page.primary.isEnabled()


# Chips change the model


def test_that_the_cross_and_delete_remove_a_test(qtbot, page):
    set_condition(page, THREE)
    chip = page.card.bar.chips[0]
    qtbot.mouseClick(chip, Qt.MouseButton.LeftButton, pos=chip._cross().center().toPoint())
    assert page.model.text == "town in {Ash, Cedar} and age < 30"
    page.card.bar.chips[1].setFocus()
    qtbot.keyClick(page.card.bar.chips[1], Qt.Key.Key_Delete)
    assert page.model.text == "town in {Ash, Cedar}"


def test_that_keys_change_the_order_and_stop_at_the_ends(qtbot, page):
    set_condition(page, THREE)
    qtbot.keyClick(page.card.bar.chips[0], Qt.Key.Key_Right, BOTH)
    assert page.model.question.condition.attributes == ("town", "vote", "age")
    qtbot.keyClick(page.card.bar.chips[0], Qt.Key.Key_Left, BOTH)
    assert page.model.question.condition.attributes == ("town", "vote", "age")
    qtbot.keyClick(page.card.bar.chips[2], Qt.Key.Key_Up, BOTH)
    assert page.card.text.text() == "town in {Ash, Cedar} and age < 30 and vote = yes"


def test_that_arrows_walk_from_chip_to_chip_and_on_to_the_button(qtbot, page):
    set_condition(page, TWO)
    page.activateWindow()
    bar = page.card.bar
    bar.chips[0].setFocus()
    qtbot.keyClick(bar.chips[0], Qt.Key.Key_Right)
    assert page.focusWidget() is bar.chips[1]
    qtbot.keyClick(bar.chips[1], Qt.Key.Key_Right)
    assert page.focusWidget() is bar.add_button
    assert bar.chips[1].focusPolicy() == Qt.FocusPolicy.ClickFocus


def drag(chip, to):
    start = QPoint(20, chip.height() // 2)
    QTest.mousePress(chip, Qt.MouseButton.LeftButton, pos=start)
    end = chip.mapFromGlobal(to)
    for step in (1, 2, 3):
        QTest.mouseMove(chip, start + (end - start) * step / 3)
    return end


def test_that_dragging_a_chip_changes_the_order(page):
    set_condition(page, THREE)
    first, last = page.card.bar.chips[0], page.card.bar.chips[2]
    end = drag(first, last.mapToGlobal(QPoint(last.width() - 4, 10)))
    assert page.card.bar.drop_place == 3
    QTest.mouseRelease(first, Qt.MouseButton.LeftButton, pos=end)
    assert page.model.question.condition.attributes == ("town", "age", "vote")
    assert page.card.bar.drop_place is None


def test_that_escape_ends_a_drag_without_a_change(qtbot, page):
    set_condition(page, THREE)
    first, last = page.card.bar.chips[0], page.card.bar.chips[2]
    drag(first, last.mapToGlobal(QPoint(last.width() - 4, 10)))
    qtbot.keyClick(first, Qt.Key.Key_Escape)
    assert page.card.bar.drop_place is None
    assert page.model.text == THREE


# The editor


def open_editor(page, place):
    chip = page.card.bar.chips[place]
    chip.edit_requested.emit()
    return page.card.editor


def test_that_a_click_on_a_chip_opens_its_values(qtbot, page):
    set_condition(page, TWO)
    chip = page.card.bar.chips[1]
    qtbot.mouseClick(chip, Qt.MouseButton.LeftButton, pos=QPoint(40, 12))
    editor = page.card.editor
    assert editor.isVisible()
    assert editor.name == "town"
    assert editor.picks.picked == ("Ash", "Cedar")
    assert editor.label.text() == "Where?"
    editor.close()


def test_that_ticking_values_changes_chip_and_text_at_once(page):
    set_condition(page, TWO)
    editor = open_editor(page, 1)
    editor.picks.pick("Old Oak")
    assert page.model.text == "vote = yes and town in {Ash, Cedar, 'Old Oak'}"
    editor.picks.is_or_not.choose("not")
    assert chips(page)[1] == "town is not Ash, Cedar or Old Oak"
    editor.close()


def test_that_the_space_bar_and_a_click_tick(qtbot, page):
    set_condition(page, TWO)
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
        ("<", "young", "", "A limit is a number"),
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
    set_condition(page, TWO)
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
