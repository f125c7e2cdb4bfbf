"""Controls of noise, of expected answers and of the whole page on the Design page."""

import numpy as np
import pytest
from designing import perturbation, select
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialogButtonBox

from ppworkbench.analyses.designs.design import redrawn
from ppworkbench.core.design import Additive, Duchi, Forced, Uniform
from ppworkbench.gui.pages.design.edits import GroupDialog
from ppworkbench.study.study import PriorChoice

pytestmark = pytest.mark.usefixtures("own_page")

# View to model


def test_that_a_typed_target_is_solved_and_an_unreachable_one_says_so(page, qtbot):
    select(page, "district")
    aim = page.matrix.aim
    aim.measure.setCurrentIndex(aim.measure.findData("epsilon"))
    aim.value.setText("1,0")
    qtbot.keyClick(aim.value, Qt.Key.Key_Return)
    keep = perturbation(page, "district").keep
    assert np.log(keep * 6 / (1 - keep)) == pytest.approx(1, abs=1e-6)
    aim.measure.setCurrentIndex(aim.measure.findData("information_loss"))
    aim.value.setText("0.0000001")
    qtbot.keyClick(aim.value, Qt.Key.Key_Return)
    assert not aim._warning_row.isHidden()
    assert perturbation(page, "district").keep == keep


@pytest.mark.slow
@pytest.mark.parametrize("name", ["district", "income"])
def test_that_enter_in_an_unchanged_target_changes_nothing(page, qtbot, name):
    select(page, name)
    aim = page.noise.aim if name == "income" else page.matrix.aim
    steps = page.store.undo_stack.count()
    for place in range(aim.measure.count()):
        aim.measure.setFocus()
        qtbot.keyClick(aim.measure, Qt.Key.Key_Home)
        for _ in range(place):
            qtbot.keyClick(aim.measure, Qt.Key.Key_Down)
        qtbot.wait(100)  # longer than the field takes to follow
        before = perturbation(page, name)
        aim.value.setFocus()
        qtbot.keyClick(aim.value, Qt.Key.Key_Return)
        assert perturbation(page, name) == before
        assert not aim.warning.isVisible()
    assert page.store.undo_stack.count() == steps


def test_that_reports_that_tell_the_mean_alone_have_no_target_of_shares(page):
    select(page, "income")
    aim = page.noise.aim

    def offered():
        return {aim.measure.itemData(place) for place in range(aim.measure.count())}

    assert {"information_loss", "standard_error", "epsilon"} <= offered()
    page.store.set_perturbation(["income"], Duchi(epsilon=1.0))
    assert "epsilon" in offered()
    assert not {"information_loss", "standard_error"} & offered()


def test_that_a_target_shows_the_attribute_that_was_turned_to(page, qtbot):
    select(page, "district")
    aim = page.matrix.aim
    qtbot.waitUntil(lambda: aim.value.text() != "")
    shown = aim.value.text()
    aim.value.setFocus()
    select(page, "trust_council")
    qtbot.waitUntil(lambda: aim.value.text() != shown)


def test_that_width_and_range_privacy_of_noise_are_linked(page):
    select(page, "income")
    page.noise.panel("additive")._on_level(100.0, "")
    made = perturbation(page, "income")
    assert made.range_privacy == 100
    width = page.store.study.design["income"].attribute.width
    assert page.noise.panel("additive").width_row.value == pytest.approx(width / 2, rel=0.01)
    page.noise.panel("additive")._on_scale(width / 8, "")
    assert page.noise.panel("additive").level.value == pytest.approx(25, abs=0.2)


def test_that_a_dragged_handle_widens_the_noise_as_one_step(page, qtbot):
    select(page, "income")
    plot = page.noise.panel("additive").plot
    steps = page.store.undo_stack.count()
    start = plot._handle(1).toPoint()
    before = perturbation(page, "income").noise_of(page.store.study.design["income"].attribute)
    qtbot.mousePress(plot.viewport(), Qt.MouseButton.LeftButton, pos=start)
    for shift in (4, 9, 15):
        qtbot.mouseMove(plot.viewport(), start - QPoint(shift, 0))
    qtbot.mouseRelease(plot.viewport(), Qt.MouseButton.LeftButton)
    after = perturbation(page, "income").noise_of(page.store.study.design["income"].attribute)
    assert after.scale < before.scale
    assert page.store.undo_stack.count() == steps + 1


def test_that_shape_rule_and_truncation_reach_the_study(page, qtbot):
    select(page, "age")
    page.noise.panel("additive").shape.choose("normal")
    assert perturbation(page, "age").noise == "normal"
    page.noise.panel("additive").rule.choose("round")
    assert perturbation(page, "age").integer == "round"
    qtbot.mouseClick(page.noise.panel("additive").truncate, Qt.MouseButton.LeftButton)
    assert perturbation(page, "age").truncate is True


def test_that_several_selected_attributes_share_a_mechanism(page):
    names = ("fare_evasion", "cash_in_hand", "drug_use")
    select(page, *names)
    page.matrix.panel("uniform").slider.slider.setValue(900)
    assert {perturbation(page, name) for name in names} == {Uniform(keep=0.9)}
    page.store.undo_stack.undo()
    assert perturbation(page, "drug_use") == Uniform(keep=0.6)


def test_that_the_expected_answers_can_be_drawn_and_moved_one_bar_at_a_time(page):
    select(page, "satisfaction_safety")
    page.views_card.choose("shares")
    page.preview.source.choose("drawn")
    choice = page.store.study.choice("satisfaction_safety")
    assert choice.source == "drawn"
    page.preview.bars.set_share(0, 0.5, "")
    prior = page.store.study.prior("satisfaction_safety")
    assert prior.probabilities[0] == pytest.approx(0.5)
    page.store.set_choice("satisfaction_safety", PriorChoice("uniform"))
    assert page.preview.source.current == "uniform"


def test_that_a_click_chooses_a_bar_and_only_a_drag_changes_it(page, qtbot):
    select(page, "satisfaction_safety")
    page.views_card.choose("shares")
    page.preview.source.choose("drawn")
    bars, left = page.preview.bars, Qt.MouseButton.LeftButton
    before = page.store.study.prior("satisfaction_safety").probabilities.copy()
    spot = QPoint(bars.width() * 3 // 10, bars.height() // 4)
    qtbot.mouseClick(bars, left, pos=spot)
    now = page.store.study.prior("satisfaction_safety").probabilities
    np.testing.assert_allclose(now, before)
    label = page.store.study.design["satisfaction_safety"].attribute.values[1]
    assert bars.accessibleDescription().startswith(label)
    QTest.mousePress(bars, left, pos=spot)
    for step in (5, 20, 40):
        QTest.mouseMove(bars, spot - QPoint(0, step))
    QTest.mouseRelease(bars, left, pos=spot - QPoint(0, 40))
    now = page.store.study.prior("satisfaction_safety").probabilities
    assert now[1] > before[1] + 0.05
    page.store.undo_stack.undo()
    undone = page.store.study.prior("satisfaction_safety").probabilities
    np.testing.assert_allclose(undone, before)


def test_that_respondents_are_set_from_the_page_and_shown_from_the_study(page):
    select(page, "district")
    page.goal.respondents.setValue(800)
    assert page.store.study.settings.respondents == 800
    page.store.undo_stack.undo()
    assert page.goal.respondents.value() == page.store.study.settings.respondents


def choose_manner(page, behaviour):
    """Choose what those do who do not follow the instructions, by the keyboard."""
    manner = page.noncompliance.manner
    manner.setFocus()
    for _ in range(manner.count()):
        QTest.keyClick(manner, Qt.Key.Key_Up)
    for _ in range(manner.findData(behaviour)):
        QTest.keyClick(manner, Qt.Key.Key_Down)
    assert page.store.study.settings.noncompliance_manner == behaviour


def test_that_ignoring_the_device_biases_the_estimate_in_words(page):
    select(page, "fare_evasion")
    choose_manner(page, "safe")
    page.noncompliance.share.box.setValue(10)
    assert page.store.study.settings.noncompliance == pytest.approx(0.1)
    words = page.noncompliance.words.text()
    assert words.startswith("“no” is overestimated by <b>")
    assert words.endswith(" points</b>.")


def shown_numbers(page):
    """The picture's reported and estimated share of the last value, and the accuracy cards."""
    page.views_card.choose("shares")
    *_, last = page.preview.plot.rows()
    return [*last[2:4], *(card.number for card in page.readouts.cards[3:])]


@pytest.mark.slow
def test_that_those_who_ignore_the_device_move_picture_and_accuracy(page, qtbot):
    select(page, "fare_evasion")
    page.store.set_choice("fare_evasion", PriorChoice("drawn", (0.8, 0.2)))
    page.store.set_perturbation(["fare_evasion"], Forced(p_truth=2 / 3))
    page.goal.respondents.setValue(1_000)
    page.goal.points.setValue(9.8)
    honest = shown_numbers(page)
    assert honest[:2] == ["30.0\u202f%", "20.0\u202f%"]
    privacy = [card.number for card in page.readouts.cards[:3]]
    assert not any(card.mark for card in page.readouts.cards)
    choose_manner(page, "safe")
    slider = page.noncompliance.share.slider
    slider.setFocus()
    for _ in range(10):
        qtbot.keyClick(slider, Qt.Key.Key_Right)
    assert page.store.study.settings.noncompliance == pytest.approx(0.1)
    # 0.9 · 0.3 say yes; (0.27 - 1/6) · 3/2 = 0.155 is estimated.
    reported, estimated, loss, interval, needed = shown_numbers(page)
    assert (reported, estimated) == ("27.0\u202f%", "15.5\u202f%")
    assert (loss, interval, needed) == ("0.045", "± 4.1", "934")
    assert page.readouts.cards[4].reading == "bias +4.5 for “no”; covers the truth 43 times in 100"
    # A "yes" is as telling as before, but fewer come; a "no" tells less.
    assert privacy == ["83\u202f%", "56\u202f%", "1.61"]
    assert [card.number for card in page.readouts.cards[:3]] == ["83\u202f%", "56\u202f%", "1.61"]
    assert "estimated to ± 9.7 points" in page.words.label.text().replace("<b>", "")
    aim = page.matrix.aim
    qtbot.waitUntil(lambda: aim.value.text() == "0.0452")
    for _ in range(10):
        qtbot.keyClick(slider, Qt.Key.Key_Left)
    assert shown_numbers(page) == honest


def test_that_those_who_ignore_the_device_move_the_picture_of_a_number(page):
    select(page, "income")
    page.views_card.choose("shares")
    before = page.preview.plot.rows()
    loss = page.readouts.cards[3].number
    choose_manner(page, "safe")
    page.noncompliance.share.box.setValue(20)
    assert page.preview.plot.rows() != before
    assert page.readouts.cards[3].number > loss
    assert page.noncompliance.words.text().endswith("Epsilon and range privacy do not include it.")
    second, epsilon = page.readouts.cards[1:3]
    for card in (second, epsilon):
        assert card.reading.endswith("non-compliance not included")
        assert card.mark.startswith("Non-compliance is not included")
    assert page.readouts.cards[0].mark.startswith("Includes non-compliance: 20")


def choose_in_list(page, name):
    """Choose something from the menu of the list."""
    menu = page.list.make_menu()
    next(action for action in menu.actions() if action.objectName() == name).trigger()
    menu.deleteLater()


def test_that_attributes_are_grouped_under_one_coin_and_separated_again(page, dialogs, qtbot):
    names = ("fare_evasion", "drug_use")
    select(page, *names)
    steps = page.store.undo_stack.count()
    choose_in_list(page, "makeGroup")
    dialogs.cancel()
    assert page.store.undo_stack.count() == steps
    choose_in_list(page, "makeGroup")
    dialog = dialogs.front(GroupDialog)
    dialog.theta.box.setValue(0.6)
    ok = dialog.findChild(QDialogButtonBox).button(QDialogButtonBox.StandardButton.Ok)
    qtbot.mouseClick(ok, Qt.MouseButton.LeftButton)
    assert page.store.undo_stack.count() == steps + 1
    design = page.store.study.design
    assert design.group_of("drug_use").theta == pytest.approx(0.6)
    choose_in_list(page, "leaveGroup")
    assert page.store.study.design.group_of("drug_use") is None
    assert page.store.study.design.perturbation("drug_use").theta == pytest.approx(0.6)


@pytest.mark.slow
def test_that_the_filter_narrows_the_list_and_alt_down_goes_on(qtbot, page):
    page.list.filter.setText("satisf")
    assert page.list.model.names == [n for n in page.store.study.design.names if "satisf" in n]
    qtbot.keyClick(page.list.filter, Qt.Key.Key_Return)
    assert page.store.current == page.list.model.names[0]
    page.list.filter.clear()
    select(page, "district")
    page.list.step(1)
    assert page.store.current == "age"


def test_that_the_whole_questionnaire_arrives_from_a_job(page, qtbot):
    qtbot.waitUntil(lambda: page.assessment.report is not None)
    assert "of 21" in page.summary.guess.text()
    qtbot.waitUntil(lambda: page.list.model._light("district") is not None)


# Small parts


def test_that_a_redrawn_distribution_sums_to_one():
    np.testing.assert_allclose(redrawn(np.array([1.0, 0.0]), 0, 0.2), [0.2, 0.8])


@pytest.mark.slow
def test_that_additive_noise_of_an_integer_is_drawn_as_stems(page):
    select(page, "age")
    page.store.set_perturbation(["age"], Additive(half_width=5, integer="round"))
    plot = page.noise.panel("additive").plot
    assert plot._stems
    ends = plot._y[np.abs(plot._x) == 5]
    np.testing.assert_allclose(ends, float(plot._y[plot._x == 0][0]) / 2)
