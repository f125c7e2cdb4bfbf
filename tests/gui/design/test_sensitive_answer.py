"""Marking the sensitive answers of a question, and what then speaks of them."""

import pytest
from designing import select
from PySide6.QtCore import Qt

from ppworkbench.core.design import Forced, Uniform

NAME = "fare_evasion"


@pytest.fixture
def page(page):
    select(page, NAME)
    page.store.set_perturbation([NAME], Uniform(keep=0.7))
    page.strip.toggle("yes")
    return page


def sensitive(page, name=NAME):
    return page.store.study.design[name].attribute.sensitive


def test_that_a_click_marks_an_answer_and_another_one_takes_the_mark_away(page, qtbot):
    chip = page.strip.chips["yes"]
    steps = page.store.undo_stack.count()
    qtbot.mouseClick(chip, Qt.MouseButton.LeftButton)
    assert sensitive(page) == ("yes",)
    assert chip.isChecked()
    assert "sensitive" in chip.accessibleName()
    assert page.store.study.original[NAME].attribute.sensitive == ("yes",)
    assert page.store.undo_stack.count() == steps + 1
    qtbot.mouseClick(chip, Qt.MouseButton.LeftButton)
    assert sensitive(page) == ()
    assert not chip.isChecked()
    page.store.undo_stack.undo()
    assert sensitive(page) == ("yes",)
    assert chip.isChecked()


def test_that_space_marks_an_answer(page, qtbot):
    chip = page.strip.chips["no"]
    chip.setFocus()
    qtbot.keyClick(chip, Qt.Key.Key_Space)
    assert sensitive(page) == ("no",)


def test_that_one_answer_stays_unmarked(page, qtbot, workbench):
    qtbot.mouseClick(page.strip.chips["yes"], Qt.MouseButton.LeftButton)
    with qtbot.waitSignal(workbench.toast_requested):
        qtbot.mouseClick(page.strip.chips["no"], Qt.MouseButton.LeftButton)
    assert sensitive(page) == ("yes",)
    assert not page.strip.chips["no"].isChecked()


def test_that_the_strip_shows_wording_and_column_name(page):
    assert page.strip.wording.text() == page.store.study.label(NAME)
    assert page.strip.column_name.text() == NAME


def test_that_the_unmarked_question_says_which_answer_is_meant(page, qtbot):
    assert page.strip.hint.text() == (
        "No sensitive answer marked; figures are for the rarest, “yes”."
    )
    assert "rarest" in page.readouts.cards[1].reading
    qtbot.mouseClick(page.strip.chips["no"], Qt.MouseButton.LeftButton)
    assert page.strip.hint.text() == ""
    assert page.readouts.cards[1].label == "Belief in “no”"
    assert "rarest" not in page.readouts.cards[1].reading


def test_that_the_card_and_the_sentence_tell_belief_in_the_marked_answer(page, qtbot):
    qtbot.mouseClick(page.strip.chips["yes"], Qt.MouseButton.LeftButton)
    page.store.set_perturbation([NAME], Forced(p_truth=0.7, forced=(0.5, 0.5)))
    card = page.readouts.cards[1]
    assert card.label == "Belief in “yes”"
    assert card.topic == "belief-in-the-sensitive-answer"
    assert float(card.number.rstrip("\u202f\u00a0% ")) == round(
        100 * page.report.privacy["belief"].value
    )
    said = page.words._plain()
    assert (
        f"If someone reports “yes”, the chance of “yes” goes from 23 % to {card.number}."
        in said.replace("\u202f", " ").replace("\u00a0", " ")
        or card.number in said
    )
    assert "the share of “yes” is estimated to ±" in said


def test_that_several_marked_answers_are_meant_together(page, qtbot):
    name = "satisfaction_transport"
    select(page, name)
    values = page.store.study.design[name].attribute.values
    for answer in values[:2]:
        page.strip.toggle(answer)
    assert sensitive(page, name) == values[:2]
    assert f"“{values[0]}” or “{values[1]}”" in page.words._plain()
    assert page.readouts.cards[1].label == "Belief"


def test_that_many_answers_are_marked_in_a_menu(page, qtbot):
    name = "trust_council"
    select(page, name)
    # Two columns need more than that; in a narrower window they become one, which needs less.
    page.resize(1200, 690)
    qtbot.waitUntil(lambda: page.minimumWidth() <= 900)
    page.resize(900, 690)
    qtbot.waitUntil(page.strip.more.isVisible)
    menu = page.strip.make_menu()
    first = menu.actions()[0]
    first.trigger()
    assert sensitive(page, name) == (page.store.study.design[name].attribute.values[0],)
    assert page.strip.make_menu().actions()[0].isChecked()


def test_that_numbers_have_no_answers_to_mark(page):
    select(page, "income")
    assert not page.strip.chips
    assert not page.strip.more.isVisible()
    assert page.strip.hint.text() == ""
    assert page.strip.scale.text().startswith("a number from")


def test_that_belief_and_points_can_be_aimed_at(page, qtbot):
    aim = page.matrix.aim
    qtbot.waitUntil(lambda: aim.value.text() != "")
    aim.measure.setCurrentIndex(aim.measure.findData("belief"))
    aim.value.setText("60 %")
    qtbot.keyClick(aim.value, Qt.Key.Key_Return)
    assert page.report.privacy["belief"].value == pytest.approx(0.6, abs=1e-6)
    aim.measure.setCurrentIndex(aim.measure.findData("half_width"))
    aim.value.setText("± 4")
    qtbot.keyClick(aim.value, Qt.Key.Key_Return)
    assert "± 4.0 points" in page.words._plain()


def test_that_only_measures_are_offered_that_the_attribute_can_have(page):
    aim = page.matrix.aim
    assert aim.measure.findData("belief") >= 0
    assert aim.measure.findData("range_privacy") < 0
    select(page, "income")
    aim = page.noise.aim
    assert aim.measure.findData("belief") < 0
    assert aim.measure.findData("half_width") < 0
    assert aim.measure.findData("range_privacy") >= 0


def test_that_the_list_tells_attack_success_beside_the_prior_guess(page, qtbot, wait_idle):
    page.store.set_perturbation(["car"], Uniform(keep=0.9))
    model = page.list.model
    place = model.index(model.names.index("car"))
    tip = Qt.ItemDataRole.ToolTipRole
    qtbot.waitUntil(lambda: "Attack success 90" in str(place.data(tip)))
    assert "prior guess" in place.data(tip)
    wait_idle()
