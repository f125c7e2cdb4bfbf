"""A slider with a box of the same number."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from ppworkbench.gui.widgets.number_fields import SliderRow


@pytest.fixture
def slider(show):
    return show(SliderRow("Keep", 0.0, 1.0, ends=("more private", "more accurate"), is_share=True))


@pytest.fixture
def moves(slider):
    seen = []
    slider.moved.connect(lambda value, gesture: seen.append((round(value, 4), gesture)))
    return seen


def type_into(qtbot, slider, words):
    slider.box.setFocus()
    slider.box.selectAll()
    qtbot.keyClicks(slider.box, words)
    qtbot.keyClick(slider.box, Qt.Key.Key_Return)


@pytest.mark.parametrize(
    ("words", "value"),
    [("70 %", 0.7), ("70%", 0.7), ("0.7", 0.7), ("12.5 %", 0.125), ("100 %", 1.0), ("1", 1.0)],
)
def test_that_shares_are_typed_as_numbers_or_percentages(slider, moves, qtbot, words, value):
    slider.set_value(0.25)
    type_into(qtbot, slider, words)
    assert slider.value == pytest.approx(value)
    assert slider.slider.value() == pytest.approx(1_000 * value, abs=5)
    assert moves == [(value, "")]


@pytest.mark.parametrize("words", ["abc", "%", "-"])
def test_that_nonsense_leaves_the_number_as_it_was(slider, moves, qtbot, words):
    slider.set_value(0.25)
    type_into(qtbot, slider, words)
    assert slider.value == pytest.approx(0.25)
    assert moves == []


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("2.5", "2.5 is not between 0 and 1; for a percentage type “2.5\u202f%”."),
        ("70", "70 is not between 0 and 1; for a percentage type “70\u202f%”."),
        ("150", "150 is not between 0 and 1."),
        ("150 %", "150 % is not between 0 and 1."),
    ],
)
@pytest.mark.parametrize("leaves", [False, True])
def test_that_a_number_beyond_1_is_refused_in_a_sentence(
    slider, moves, qtbot, words, sentence, leaves
):
    slider.set_value(0.25)
    if leaves:
        slider.box.setFocus()
        slider.box.selectAll()
        qtbot.keyClicks(slider.box, words)
        slider.slider.setFocus()
    else:
        type_into(qtbot, slider, words)
    assert slider.value == pytest.approx(0.25)
    assert slider.box.text() == "0.25"
    assert moves == []
    assert slider.problem.isVisible()
    assert slider.problem.text() == sentence
    type_into(qtbot, slider, "0.3")
    assert not slider.problem.isVisible()
    assert moves == [(0.3, "")]


def test_that_slider_and_box_are_always_in_step(slider, moves):
    slider.slider.setValue(300)
    assert slider.box.value() == pytest.approx(0.3)
    slider.box.setValue(0.8)
    assert slider.slider.value() == 800
    assert [value for value, _ in moves] == [0.3, 0.8]


def test_that_showing_a_number_is_not_moving_it(slider, moves):
    slider.set_value(0.4)
    assert slider.slider.value() == 400
    assert slider.value == pytest.approx(0.4)
    assert moves == []


def test_that_a_drag_has_one_name_and_the_next_another(slider, moves):
    for positions in ((310, 320), (330, 340)):
        slider.slider.setSliderDown(True)
        for position in positions:
            slider.slider.setSliderPosition(position)
        slider.slider.setSliderDown(False)
    names = [gesture for _, gesture in moves]
    assert names[0] == names[1] != names[2] == names[3]
    assert all(names)


def test_that_a_number_does_not_jump_under_the_finger(slider):
    slider.slider.setSliderDown(True)
    slider.slider.setSliderPosition(333)
    slider.set_value(0.33)
    assert slider.slider.value() == 333
    slider.slider.setSliderDown(False)


def test_that_arrows_move_by_a_hundredth_and_pages_by_a_tenth(slider, qtbot):
    slider.set_value(0.5)
    qtbot.keyClick(slider.slider, Qt.Key.Key_Right)
    assert slider.value == pytest.approx(0.51)
    qtbot.keyClick(slider.slider, Qt.Key.Key_PageUp)
    assert slider.value == pytest.approx(0.61)
    qtbot.keyClick(slider.slider, Qt.Key.Key_Home)
    assert slider.value == 0.0


def test_that_another_range_moves_the_handle_and_bounds_the_number(slider, moves):
    slider.set_value(0.5)
    slider.set_range(0.0, 2.0)
    assert slider.slider.value() == 250
    assert slider.value == pytest.approx(0.5)
    slider.set_range(0.0, 0.4)
    assert slider.value == pytest.approx(0.4)
    assert slider.slider.value() == 1_000
    assert moves == []


def test_that_a_logarithmic_slider_has_equal_ratios(show):
    row = show(SliderRow("n", 1, 10_000, decimals=0, logarithmic=True))
    row.slider.setValue(500)
    assert row.value == pytest.approx(100)
    row.set_value(1_000)
    assert row.slider.value() == 750


def test_that_an_arrow_always_makes_another_number(show, qtbot):
    row = show(SliderRow("Intervals", 1, 50, decimals=0))
    qtbot.keyClick(row.slider, Qt.Key.Key_Right)
    assert row.value == 2
    row.set_value(2)
    qtbot.keyClick(row.slider, Qt.Key.Key_Right)
    assert row.value == 3
    row.set_range(0, 5)
    qtbot.keyClick(row.slider, Qt.Key.Key_Left)
    assert row.value == 2


def test_that_slider_and_box_have_names(slider):
    slider.set_names("keep")
    assert slider.slider.objectName() == "keepSlider"
    assert slider.box.objectName() == "keepBox"
    assert slider.slider.accessibleName() == slider.box.accessibleName() == "Keep"
