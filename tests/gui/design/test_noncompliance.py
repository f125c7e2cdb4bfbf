"""Non-compliance on the Design page: one line sets it, every readout includes and marks it."""

from __future__ import annotations

import pytest
from designing import select
from examples import sweep
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from ppworkbench.analyses.designs.people import draw_people
from ppworkbench.core.design import Additive, Forced, Subset
from ppworkbench.gui.pages.design.attribute_list import LIGHT
from ppworkbench.gui.pages.design.readouts import MeasuresDialog
from ppworkbench.study.study import PriorChoice

ASKED = "fare_evasion"


@pytest.fixture
def forced(page):
    """Forced answers 2/3, a fifth expected, 1,000 people, and a root mean square error of 0.05."""
    select(page, ASKED)
    page.store.set_choice(ASKED, PriorChoice("drawn", (0.8, 0.2)))
    page.store.set_perturbation([ASKED], Forced(p_truth=2 / 3))
    page.store.set_settings(respondents=1_000)
    page.goal.points.setValue(9.8)
    return page


def set_line(page, share, behaviour, *, corrected=False):
    """Set the line as a person does, by keys."""
    line = page.noncompliance
    line.manner.setFocus()
    for key, times in ((Qt.Key.Key_Up, 3), (Qt.Key.Key_Down, line.manner.findData(behaviour))):
        for _ in range(times):
            QTest.keyClick(line.manner, key)
    line.share.box.setFocus()
    line.share.box.selectAll()
    QTest.keyClicks(line.share.box, str(round(100 * share)))
    QTest.keyClick(line.share.box, Qt.Key.Key_Return)
    if line.corrected.isChecked() != corrected:
        QTest.keyClick(line.corrected, Qt.Key.Key_Space)


def numbers(page):
    return [card.number for card in page.readouts.cards]


def light(page):
    """What the list says of the question."""
    model = page.list.model
    index = model.index(model.names.index(ASKED), 0)
    found = model.data(index, LIGHT)
    return "" if found is None else found[2]


GOLDEN = {
    ("safe", False): ("56\u202f%", "0.045", "± 4.1", "934", "+4.5", "43"),
    ("random", False): ("50\u202f%", "0.032", "± 4.3", "306", "−3.0", "73"),
    ("truth", False): ("59\u202f%", "0.021", "± 4.2", "204", "+1.5", "89"),
    ("safe", True): ("56\u202f%", "0.019", "± 4.6", "219", "", ""),
}


@pytest.mark.parametrize(("behaviour", "corrected"), GOLDEN)
def test_that_every_card_has_the_numbers_of_what_people_do(forced, behaviour, corrected):
    page = forced
    before = numbers(page)
    place = page.view.place
    set_line(page, 0.1, behaviour, corrected=corrected)
    belief, loss, half, needed, bias, covered = GOLDEN[behaviour, corrected]
    found = numbers(page)
    assert (found[1], *found[3:]) == (belief, loss, half, needed)
    reading = page.readouts.cards[4].reading
    if corrected:
        assert "corrected" in reading
        assert page.view.place.bias == 0
    else:
        assert reading == f"bias {bias} for “no”; covers the truth {covered} times in 100"
        assert page.view.place.bias == pytest.approx(1.96 * abs(float(bias[1:])) / 100, abs=1e-4)
    assert page.view.place != place
    assert all(card.mark.startswith("Includes non-compliance: 10") for card in page.readouts.cards)
    assert "Includes non-compliance" in page.readouts.cards[0].toolTip()
    page.store.undo_stack.undo()
    if corrected:
        page.store.undo_stack.undo()
    assert numbers(page) == before


def test_that_a_bias_beyond_the_goal_is_told_in_words(forced, qtbot):
    page = forced
    page.goal.points.setValue(5.0)
    set_line(page, 0.1, "safe")
    assert page.readouts.cards[5].number == "∞"
    told = page.readouts.cards[5].reading
    assert told == "no sample size is enough: the bias alone is ± 8.8 points"
    qtbot.waitUntil(lambda: "biased; no n is enough" in light(page))
    set_line(page, 0.1, "safe", corrected=True)
    assert page.readouts.cards[5].number != "∞"
    qtbot.waitUntil(lambda: "meets all goals" in light(page))


def test_that_people_strip_and_picture_show_what_people_do(forced):
    page = forced
    honest = draw_people(page.report, 1, 1)
    set_line(page, 0.5, "safe")
    page.views_card.choose("shares")
    *_, yes = page.preview.plot.rows()
    # Half of 30 % say yes; (0.15 - 1/6) · 3/2 is below 0.
    assert yes[2:4] == ["15.0\u202f%", "0.0\u202f%"]
    assert sum(draw_people(page.report, 1, 1).reports) < sum(honest.reports)
    page.views_card.choose("people")
    assert page.people.isVisible()


@pytest.mark.parametrize("place", sweep(range(6), quick=(0, 4)))
def test_that_one_click_on_a_mark_lets_everybody_follow_again(forced, place, qtbot):
    page = forced
    set_line(page, 0.1, "random")
    card = page.readouts.cards[place]
    qtbot.mouseClick(card, Qt.MouseButton.LeftButton, pos=card.mark_box().center().toPoint())
    assert page.store.study.settings.noncompliance == 0
    assert not any(one.mark for one in page.readouts.cards)
    page.store.undo_stack.undo()
    assert page.store.study.settings.noncompliance == pytest.approx(0.1)
    qtbot.keyClick(card, Qt.Key.Key_Delete)
    assert page.store.study.settings.noncompliance == 0


@pytest.mark.slow
@pytest.mark.usefixtures("own_page")
def test_that_pictures_and_the_whole_questionnaire_carry_the_mark_too(forced, qtbot):
    page = forced
    marks = page.views_card.mark, page.summary.mark, page.words.mark
    assert not any(mark.isVisibleTo(page) for mark in marks)
    for mark in marks:
        set_line(page, 0.1, "random")
        qtbot.waitUntil(lambda mark=mark: mark.isVisibleTo(page))
        assert mark.toolTip().startswith("Includes non-compliance: 10\u202f% answer at random")
        assert mark.accessibleName() == mark.toolTip()
        qtbot.mouseClick(mark, Qt.MouseButton.LeftButton)
        assert page.store.study.settings.noncompliance == 0
    set_line(page, 0.1, "random")
    qtbot.mouseClick(page.noncompliance.clear, Qt.MouseButton.LeftButton)
    assert page.store.study.settings.noncompliance == 0


def test_that_the_safe_answer_is_the_first_harmless_one_and_can_be_another(forced):
    page, line = forced, forced.noncompliance
    assert not line.safe.isVisible()
    set_line(page, 0.1, "safe")
    assert line.safe.isVisible()
    assert line.safe.currentData() == "no"
    line.safe.setFocus()
    QTest.keyClick(line.safe, Qt.Key.Key_Down)
    assert dict(page.store.study.settings.safe_answers) == {ASKED: "yes"}
    assert page.noncompliance.words.text().startswith("“yes” is overestimated")
    page.store.undo_stack.undo()
    assert page.store.study.settings.safe_answers == ()
    assert line.safe.currentData() == "no"
    page.store.apply(page.store.study.with_sensitive(ASKED, ["no"]), "mark")
    assert line.safe.currentData() == "yes"


def test_that_a_number_has_a_safe_number_and_a_bias_of_its_mean(page):
    select(page, "age")
    page.store.set_perturbation(["age"], Additive(half_width=10))
    set_line(page, 0.2, "truth")
    assert "bias" not in page.readouts.cards[4].reading
    set_line(page, 0.2, "safe")
    line, low = page.noncompliance, page.report.attribute.domain[0]
    assert (line.safe.isVisible(), line.safe_number.isVisible()) == (False, True)
    assert line.safe_number.value() == low
    assert page.readouts.cards[4].reading.startswith("bias −")
    before = page.report.utility.mean_bias
    line.safe_number.setFocus()
    QTest.keyClick(line.safe_number, Qt.Key.Key_Up)
    assert dict(page.store.study.settings.safe_answers) == {"age": f"{low + 1:g}"}
    assert page.report.utility.mean_bias == pytest.approx(before + 0.2, abs=1e-9)


@pytest.mark.slow
@pytest.mark.usefixtures("own_page")
def test_that_all_measures_say_that_non_compliance_is_included(forced, dialogs, qtbot):
    set_line(forced, 0.1, "safe")
    qtbot.mouseClick(forced.summary.all, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: QApplication.activeModalWidget() is not None)
    said = dialogs.front(MeasuresDialog).text.toPlainText()
    assert "Includes non-compliance: 10" in said
    assert "Root mean square error" in said
    dialogs.cancel()


def test_that_all_parts_of_the_line_are_reached_by_tab_in_order(forced):
    page, line = forced, forced.noncompliance
    set_line(page, 0.1, "safe")
    line.share.slider.setFocus()
    reached = []
    for _ in range(5):
        reached.append(page.window().focusWidget().objectName())
        QTest.keyClick(page.window().focusWidget(), Qt.Key.Key_Tab)
    assert reached == [
        "noncomplianceSlider", "noncomplianceBox", "noncomplianceManner", "safeAnswer",
        "correctedEstimates",
    ]  # fmt: skip


def test_that_a_drag_is_live_and_one_undo_step(forced):
    page, slider = forced, forced.noncompliance.share.slider
    set_line(page, 0.0, "safe")
    steps, seen = page.store.undo_stack.count(), set()
    slider.sliderPressed.emit()
    for value in range(1, 31):
        slider.setValue(20 * value)
        seen.add(page.readouts.cards[3].number)
    slider.sliderReleased.emit()
    assert page.store.undo_stack.count() == steps + 1
    assert len(seen) > 20


def test_that_a_question_of_sets_says_why_it_is_left_out_and_others_are_not(forced):
    page = forced
    listed = next(one.name for one in page.store.study.design if one.attribute.k >= 4
                  and one.attribute.kind.is_categorical)  # fmt: skip
    page.store.set_perturbation([listed], Subset(epsilon=1.0))
    set_line(page, 0.1, "safe")
    assert numbers(page)[1] == GOLDEN["safe", False][0]
    select(page, listed)
    assert "reports are sets" in page.noncompliance.words.text()
    assert page.noncompliance.share.slider.isEnabled()
    page.store.set_settings(noncompliance=0.0)
    assert "All respondents follow" in page.noncompliance.words.text()
