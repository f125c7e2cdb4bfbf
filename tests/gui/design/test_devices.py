"""Choosing what people use on the Design page, and printing cards for them."""

import re

import pytest
from designing import select
from examples import sweep
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QDialogButtonBox, QFileDialog

from ppworkbench.analyses.designs.design import belief_of, report_of
from ppworkbench.analyses.designs.devices import with_device
from ppworkbench.analyses.designs.goals import Goal, light_of
from ppworkbench.core.design import Forced, Identity, Uniform
from ppworkbench.core.design.presets import Crosswise
from ppworkbench.gui.language import speech
from ppworkbench.gui.numbers import probability
from ppworkbench.gui.pages.design.devices import CardsDialog, DeviceDialog
from ppworkbench.gui.pages.design.texts import light_words

NAME = "fare_evasion"


@pytest.fixture
def page(page):
    plain = {name: Identity() for name in page.store.study.design.names}
    page.store.set_perturbations(plain | {NAME: Forced(p_truth=0.7)})
    select(page, NAME)
    return page


def open_dialog(page, qtbot, button, kind):
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    found = [one for one in page.findChildren(kind) if one.isVisible()]
    assert len(found) == 1
    return found[0]


def choose_device(page, qtbot):
    return open_dialog(page, qtbot, page.matrix.device.choose, DeviceDialog)


def print_cards(page, qtbot):
    return open_dialog(page, qtbot, page.matrix.device.cards, CardsDialog)


def press(dialog, button=QDialogButtonBox.StandardButton.Ok):
    dialog.buttons.button(button).click()
    QApplication.processEvents()


def device(page, name=NAME):
    return page.store.study.design[name].device


@pytest.mark.slow
def test_that_a_device_is_one_step_that_can_be_undone(page, qtbot):
    assert page.matrix.device.words.words() == "Randomised by the page"
    steps = page.store.undo_stack.count()
    dialog = choose_device(page, qtbot)
    dialog.choose("die")
    assert dialog.facts["probability"].text() == "exact 0.7, with the device 4/6 = 0.6667"
    assert "(+" in dialog.facts["respondents"].text()
    assert dialog.facts["burden"].text().startswith("low")
    assert dialog.facts["known"].text() == "the respondent alone"
    dialog.picture.grab()
    press(dialog)
    assert device(page).to_json() == {"name": "die", "truth": [2, 3, 4, 5], "yes": [1], "no": [6]}
    assert page.store.study.design[NAME].perturbation.p_truth == 2 / 3
    assert page.store.undo_stack.count() == steps + 1
    assert page.matrix.device.words.words() == "Die: 2–5 truth, 1 “yes”, 6 “no”"
    page.store.undo_stack.undo()
    assert device(page) is None
    assert page.store.study.design[NAME].perturbation.p_truth == 0.7
    page.store.undo_stack.redo()
    assert device(page).name == "die"


def test_that_a_device_tells_what_it_does_to_belief_and_goals_before_it_is_taken(page, qtbot):
    page.store.set_goals(Goal(belief=0.6, points=5.0).to_json())
    dialog = choose_device(page, qtbot)
    dialog.choose("page")
    assert dialog.facts["belief"].text().endswith(", as now")
    for name in ("die", "coin"):
        dialog.choose(name)
        changed = with_device(page.store.study, NAME, dialog.offer)
        now, then = (
            probability(belief_of(report_of(study, NAME)).after)
            for study in (page.store.study, changed)
        )
        assert dialog.facts["belief"].text() == f"now {now}, with the device {then}"
        light = light_of(report_of(changed, NAME), Goal.from_json(changed.goals))
        assert dialog.facts["goals"].text().endswith(f"with the device {light_words(light)}")
    press(dialog, QDialogButtonBox.StandardButton.Cancel)


def test_that_the_nearest_step_can_be_taken_instead(page, qtbot):
    page.store.set_perturbation([NAME], Forced(p_truth=0.65))
    dialog = choose_device(page, qtbot)
    dialog.choose("die")
    assert "2/6" in dialog.facts["probability"].text()
    qtbot.keyClick(dialog.side, Qt.Key.Key_Right)
    assert dialog.side.current == "nearest"
    assert "4/6" in dialog.facts["probability"].text()
    press(dialog, QDialogButtonBox.StandardButton.Cancel)
    assert device(page) is None


def test_that_a_row_is_chosen_by_keyboard_and_a_page_is_a_choice(page, qtbot):
    dialog = choose_device(page, qtbot)
    dialog.choose("page")
    assert dialog.table.currentIndex().row() == 0
    assert not dialog.print.isEnabled()
    qtbot.keyClick(dialog.table, Qt.Key.Key_Down)
    assert dialog.table.currentIndex().row() == 1
    qtbot.keyClick(dialog.table, Qt.Key.Key_Up)
    qtbot.keyClick(dialog.table, Qt.Key.Key_Return)
    QApplication.processEvents()
    assert not dialog.isVisible()
    assert device(page).name == "page"
    assert page.matrix.device.words.words() == "None: the questionnaire page draws"
    # A second time, with what was chosen in front.
    dialog = choose_device(page, qtbot)
    assert dialog.table.currentIndex().row() == 0
    dialog.choose("deck")
    press(dialog)
    assert page.matrix.device.words.words() == (
        "Deck of marked cards (20): 14 truth, 3 “yes”, 3 “no”"
    )


def test_that_moving_the_slider_away_forgets_the_device(page, qtbot):
    dialog = choose_device(page, qtbot)
    dialog.choose("spinner")
    press(dialog)
    assert device(page).name == "spinner"
    page.store.set_perturbation([NAME], Forced(p_truth=0.613))
    assert page.matrix.device.words.words() == "Randomised by the page"


def test_that_only_what_people_can_do_has_a_line(page):
    assert page.matrix.device.isVisible()
    for perturbation, is_seen in ((Identity(), False), (Uniform(keep=0.8), True)):
        page.store.set_perturbation([NAME], perturbation)
        assert page.matrix.device.isVisible() == is_seen


def test_that_own_shares_of_birthdays_are_kept_with_their_error(page, qtbot):
    values = page.store.study.design[NAME].attribute.values
    page.store.set_perturbation([NAME], Crosswise(p=0.25).perturbation(values))
    dialog = choose_device(page, qtbot)
    dialog.choose("die")
    assert not dialog.own.isVisible()
    dialog.side.choose("nearest")
    dialog.choose("birthday-month")
    assert dialog.own.isVisible()
    assert dialog.share.value() == pytest.approx(0.2471, abs=1e-4)
    dialog.share.setValue(0.26)
    dialog.error.setValue(0.01)
    assert "0.26" in dialog.facts["probability"].text()
    press(dialog)
    assert device(page).to_json() == {
        "name": "birthday-month", "truth": [1, 2, 3], "share": 0.26, "standard_error": 0.01,
    }  # fmt: skip
    assert "0.26 ± 0.01" in page.matrix.device.words.words()
    assert page.store.study.design[NAME].perturbation.theta == 0.26
    again = choose_device(page, qtbot)
    assert (again.share.value(), again.error.value()) == (0.26, 0.01)
    press(again, QDialogButtonBox.StandardButton.Cancel)


def test_that_a_third_device_is_warned_of(page, qtbot):
    names = [
        one.name for one in page.store.study.design
        if one.attribute.k == 2 and one.name != NAME
    ][:2]  # fmt: skip
    for name, chosen in zip(names, ("two-coins", "spinner"), strict=True):
        page.store.set_perturbation([name], Forced(p_truth=0.5))
        select(page, name)
        dialog = choose_device(page, qtbot)
        dialog.choose(chosen)
        press(dialog)
    select(page, NAME)
    assert not page.matrix.device.warning.isVisible()
    dialog = choose_device(page, qtbot)
    dialog.choose("die")
    assert "different devices" in dialog.warning.text()
    press(dialog)
    assert page.matrix.device.warning.isVisible()
    assert "3 different devices" in page.matrix.device.warning.toolTip()


def save_to(page, path):
    dialog = next(one for one in page.findChildren(QFileDialog) if one.isVisible())
    dialog.selectFile(str(path))
    dialog.findChild(QDialogButtonBox).button(QDialogButtonBox.StandardButton.Save).click()


def take_die(page, qtbot):
    dialog = choose_device(page, qtbot)
    dialog.choose("die")
    press(dialog)


@pytest.mark.parametrize("suffix", sweep([".pdf", ".html"], quick=(".html",)))
def test_that_edited_cards_are_saved(page, qtbot, tmp_path, suffix):
    take_die(page, qtbot)
    dialog = print_cards(page, qtbot)
    assert dialog.list.count() == 1
    dialog.languages["pl"].click()
    assert dialog.list.count() == 2
    dialog.list.setCurrentRow(0)
    assert "Roll the die so that only you see it." in dialog.words.toPlainText()
    assert dialog.why.text().startswith("Nobody can tell")
    dialog.title.clear()
    qtbot.keyClicks(dialog.title, "Riding without a ticket")
    assert dialog.reset.isVisible()
    dialog.list.setCurrentRow(1)
    assert "Rzuć kostką" in dialog.words.toPlainText()
    dialog.list.setCurrentRow(0)
    assert dialog.title.text() == "Riding without a ticket"
    dialog.grab()
    path = tmp_path / f"cards{suffix}"
    qtbot.mouseClick(dialog.save, Qt.MouseButton.LeftButton)
    save_to(page, path)
    qtbot.waitUntil(path.exists)
    content = path.read_bytes()
    if suffix == ".pdf":
        assert len(re.findall(rb"/Type /Page\b(?!s)", content)) == 2
    else:
        assert content.count(b"Riding without a ticket") == 1
    press(dialog, QDialogButtonBox.StandardButton.Close)
    # The words are still there when the dialog is opened again, and can be taken back.
    dialog = print_cards(page, qtbot)
    assert dialog.title.text() == "Riding without a ticket"
    dialog.reset.click()
    assert dialog.title.text() != "Riding without a ticket"
    press(dialog, QDialogButtonBox.StandardButton.Close)


def test_that_the_dialog_of_devices_leads_to_the_cards(page, qtbot):
    dialog = choose_device(page, qtbot)
    dialog.choose("die")
    qtbot.mouseClick(dialog.print, Qt.MouseButton.LeftButton)
    cards = next(one for one in page.findChildren(CardsDialog) if one.isVisible())
    assert device(page).name == "die"
    assert cards.save.isEnabled()
    cards.list.item(0).setCheckState(Qt.CheckState.Unchecked)
    assert not cards.save.isEnabled()
    press(cards, QDialogButtonBox.StandardButton.Close)


def test_that_a_question_without_an_exact_device_is_named(page, qtbot):
    page.store.set_perturbation([NAME], Forced(p_truth=0.61234))
    dialog = print_cards(page, qtbot)
    assert page.store.study.shown(NAME) in dialog.missing.text()
    assert not dialog.save.isEnabled()
    press(dialog, QDialogButtonBox.StandardButton.Close)


def test_that_the_dialog_speaks_polish(page, qtbot):
    speech.choose("pl")
    dialog = choose_device(page, qtbot)
    dialog.choose("die")
    assert dialog.table.model().index(0, 0).data() == "Brak: losuje strona"
    assert dialog.facts["known"].text() == "tylko respondent"
    press(dialog, QDialogButtonBox.StandardButton.Cancel)


def test_that_an_assumed_share_says_what_its_error_does(page, qtbot):
    values = page.store.study.design[NAME].attribute.values
    page.store.set_perturbation([NAME], Crosswise(p=0.25).perturbation(values))
    assert not page.matrix.device.assumed.isVisible()
    dialog = choose_device(page, qtbot)
    dialog.choose("birthday-month")
    press(dialog)
    assert page.matrix.device.assumed.isVisible()
    assert "± 2 points" in page.matrix.device.assumed.text()
    page.store.undo_stack.undo()
    assert not page.matrix.device.assumed.isVisible()
