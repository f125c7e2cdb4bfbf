"""Conditions of the Survey page as chips and as text, which say the same."""

from __future__ import annotations

import pytest
from asking import CONDITION, chips, set_condition, settle
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest
from window_hands import painted_parts

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.survey.conditions.condition import parse_condition
from ppworkbench.gui.pages.survey.condition_editor import NumberLimits
from ppworkbench.gui.pages.survey.texts import condition_words, phrase_words

BOTH = Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.ShiftModifier

THREE = f"{CONDITION} and age < 30"


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


def test_that_limits_have_the_decimal_mark_of_the_locale(qtbot, workbench, polish_numbers):
    limits, made = NumberLimits(workbench.themes), []
    qtbot.addWidget(limits)
    limits.test_made.connect(made.append)
    age = Attribute("age", Kind.CONTINUOUS, domain=(0.0, 99.0))
    limits.show_test(age, parse_condition("age < 18.5").tests[0])
    assert limits.low.text() == "18,5"
    for typed in ("0,5", "0.25"):
        limits.low.setText(typed)
        limits.low.textEdited.emit(typed)
    assert [test.value for test in made] == ["0.5", "0.25"]
    assert phrase_words(parse_condition("age < 18.5").tests[0]).endswith("18,5")


def test_that_no_condition_means_everyone(qapp):
    assert condition_words(parse_condition("")) == "All respondents"


# The model changes the view


def test_that_chips_and_text_show_the_condition(page):
    set_condition(page, CONDITION)
    assert chips(page) == ["vote is yes", "town is Ash or Cedar"]
    assert page.card.text.text() == CONDITION
    assert "vote is yes" in page.card.bar.chips[0].accessibleName()
    assert page.card.bar.chips[1].toolTip() == "town is Ash or Cedar\nWhere?"


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
        ("vte = yes", "did you mean “vote”?"),
        ("vote = maybe", "has no value “maybe”"),
        ("town < Ash", "its values have no order"),
        ("age < old", "is not a number"),
    ],
)
def test_that_a_bad_text_is_told_at_the_field_and_nothing_is_asked(qtbot, page, text, sentence):
    set_condition(page, CONDITION)
    type_text(page, text)
    assert sentence in page.card.problem.text()
    assert page.card.problem.isVisible()
    assert page.card.text.text() == text
    assert page.card.text.property("state") == "error"
    settle(qtbot, page)
    assert page.answer is None


def test_that_an_unreadable_text_leaves_the_chips_and_a_chip_repairs_it(page):
    set_condition(page, CONDITION)
    type_text(page, "vote = yes and")
    assert len(page.card.bar.chips) == 2
    page.card.bar.remove(1)
    assert page.card.text.text() == "vote = yes"
    assert page.card.problem.isHidden()


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
    set_condition(page, CONDITION)
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


def drop_line(page):
    """The line between the chips that says where a dragged one would go."""
    bar = page.card.bar
    found = [part for part in painted_parts(bar) if part.width() <= 4]
    return found[0] if found else QRect()


def test_that_dragging_a_chip_changes_the_order(page):
    set_condition(page, THREE)
    first, last = page.card.bar.chips[0], page.card.bar.chips[2]
    end = drag(first, last.mapToGlobal(QPoint(last.width() - 4, 10)))
    line, behind = drop_line(page), last.geometry()
    assert behind.right() < line.center().x() < behind.right() + 9
    assert behind.top() <= line.top() < line.bottom() <= behind.bottom()
    QTest.mouseRelease(first, Qt.MouseButton.LeftButton, pos=end)
    assert page.model.question.condition.attributes == ("town", "age", "vote")
    assert drop_line(page).isNull()


def test_that_escape_ends_a_drag_without_a_change(qtbot, page):
    set_condition(page, THREE)
    first, last = page.card.bar.chips[0], page.card.bar.chips[2]
    drag(first, last.mapToGlobal(QPoint(last.width() - 4, 10)))
    assert not drop_line(page).isNull()
    qtbot.keyClick(first, Qt.Key.Key_Escape)
    assert drop_line(page).isNull()
    assert page.model.text == THREE
