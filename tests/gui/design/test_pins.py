"""Pins of the Design page: kept in the study, shown as chips, compared on the cards."""

import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from window_hands import take_script

from ppworkbench.analyses.designs.design import Z95
from ppworkbench.analyses.designs.pins import RESULTS, read_pins
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Additive, Identity, Uniform
from ppworkbench.gui.pages.data.edits import EditQueue, rename_attribute
from ppworkbench.study.study import PriorChoice

pytestmark = pytest.mark.usefixtures("own_page")

DISTRICT = "district"


@pytest.fixture
def page(page):
    page.store.select([DISTRICT])
    return page


def keep(page, share):
    page.store.set_perturbation([DISTRICT], Uniform(keep=share))


def pin(page, share=None):
    if share is not None:
        keep(page, share)
    page.pin_action.trigger()


def pinned(page):
    return page.view.pinned


def letters(page):
    chips = page.pin_bar.chips
    return "".join(letter for letter, chip in chips.items() if not chip.isHidden())


def use(page, letter):
    choose(page.pin_bar.chips[letter].make_menu(), "Apply this design")


def changes(page):
    return [card.change for card in page.readouts.cards]


def choose(menu, words):
    next(action for action in menu.actions() if words in action.text()).trigger()
    menu.deleteLater()


# View to model


def test_that_ctrl_d_pins_under_the_next_letter_and_unpins_a_design_that_is_pinned(page):
    assert page.pin_action.shortcut().toString() == "Ctrl+D"
    pin(page, 0.7)
    pin(page, 0.5)
    assert page.store.study.results[RESULTS][DISTRICT] == {
        "active": "A",
        "pins": {"A": Uniform(keep=0.7).to_json(), "B": Uniform(keep=0.5).to_json()},
    }
    pin(page, 0.7)
    assert list(page.store.study.results[RESULTS][DISTRICT]["pins"]) == ["B"]
    pin(page, 0.3)
    assert list(page.store.study.results[RESULTS][DISTRICT]["pins"]) == ["A", "B"]
    pin(page)
    pin(page, 0.5)
    assert RESULTS not in page.store.study.results


def test_that_the_button_of_the_page_says_whether_it_pins_or_unpins(page):
    keep(page, 0.7)
    assert page.pin_action.text() == "Pin this design"
    page.pin_action.trigger()
    assert page.pin_action.text() == "Unpin this design"
    keep(page, 0.5)
    assert page.pin_action.text() == "Pin this design"
    keep(page, 0.7)
    assert page.pin_action.text() == "Unpin this design"
    page.pin_action.trigger()
    assert page.pin_action.text() == "Pin this design"


def test_that_a_fifth_pin_is_refused_in_words(page, workbench, qtbot):
    for share in (0.3, 0.4, 0.5, 0.6):
        pin(page, share)
    keep(page, 0.9)
    assert not page.pin_bar.button.isEnabled()
    assert "4 designs" in page.pin_bar.button.toolTip()
    with qtbot.waitSignal(workbench.toast_requested) as said:
        page.pin_action.trigger()
    assert "Remove one" in said.args[0]
    assert [one.perturbation.keep for one in pinned(page).pins] == [0.3, 0.4, 0.5, 0.6]
    keep(page, 0.4)
    assert page.pin_bar.button.isEnabled()
    assert "Unpin B" in page.pin_bar.button.toolTip()


def test_that_the_pin_button_pins(page, qtbot):
    qtbot.mouseClick(page.pin_bar.button, Qt.MouseButton.LeftButton)
    assert letters(page) == "A"


@pytest.mark.slow
def test_that_a_pinned_design_is_used_again_in_one_step_of_undo(page):
    pin(page, 0.7)
    keep(page, 0.4)
    steps = page.store.undo_stack.count()
    use(page, "A")
    assert page.store.study.design[DISTRICT].perturbation == Uniform(keep=0.7)
    assert page.store.undo_stack.count() == steps + 1
    page.store.undo_stack.undo()
    assert page.store.study.design[DISTRICT].perturbation == Uniform(keep=0.4)
    assert letters(page) == "A"


def test_that_using_a_pin_leaves_other_selected_attributes_alone(page):
    page.store.select([DISTRICT, "home"])
    before = page.store.study.design["home"].perturbation
    pin(page, 0.7)
    keep(page, 0.4)
    use(page, "A")
    assert page.store.study.design[DISTRICT].perturbation == Uniform(keep=0.7)
    assert page.store.study.design["home"].perturbation == before


def test_that_a_chip_removes_its_pin_by_menu_and_by_delete(page, qtbot):
    pin(page, 0.7)
    pin(page, 0.5)
    choose(page.pin_bar.chips["A"].make_menu(), "Remove A")
    assert letters(page) == "B"
    assert pinned(page).active == "B"
    qtbot.keyClick(page.pin_bar.chips["B"], Qt.Key.Key_Delete)
    assert letters(page) == ""


def test_that_the_menu_of_a_chip_makes_it_the_one_to_compare_with(page):
    pin(page, 0.7)
    pin(page, 0.5)
    choose(page.pin_bar.chips["B"].make_menu(), "difference from B")
    assert page.store.study.results[RESULTS][DISTRICT]["active"] == "B"
    assert page.pin_bar.chips["B"].is_active
    assert not page.pin_bar.chips["A"].is_active
    assert "from B" in page.pin_bar.since.text()


# Model to view


def test_that_cards_show_the_change_since_the_active_pin(page):
    pin(page, 0.6)
    assert changes(page) == [""] * 6
    keep(page, 0.3)
    guess, loss = page.readouts.cards[0], page.readouts.cards[3]
    assert guess.change == "−30 pts"
    assert guess.change_is_good is True
    assert loss.change.startswith("+")
    assert loss.change_is_good is False
    pin(page)
    choose(page.pin_bar.chips["B"].make_menu(), "difference from B")
    assert changes(page) == [""] * 6
    choose(page.pin_bar.chips["B"].make_menu(), "Remove B")
    assert guess.change == "−30 pts"
    choose(page.pin_bar.chips["A"].make_menu(), "Remove A")
    assert changes(page) == [""] * 6


def test_that_the_change_is_for_the_answers_and_respondents_that_are_expected_now(page):
    pin(page, 0.6)
    page.store.set_settings(respondents=400)
    page.store.set_choice(DISTRICT, PriorChoice("uniform"))
    assert changes(page) == [""] * 6
    page.goal.points.setValue(1.0)
    assert changes(page) == [""] * 6
    keep(page, 0.5)
    assert page.readouts.cards[5].change.startswith("+")


def test_that_pins_belong_to_their_attribute(page):
    pin(page, 0.6)
    page.store.select(["income"])
    assert letters(page) == ""
    assert changes(page) == [""] * 6
    page.pin_action.trigger()
    page.store.set_perturbation(["income"], Additive(noise="normal", range_privacy=80.0))
    assert page.readouts.cards[1].change == "+30.0"
    assert page.readouts.cards[1].change_is_good is True
    page.store.select([DISTRICT])
    assert letters(page) == "A"


def test_that_a_chip_says_when_it_is_the_design_of_now(page):
    pin(page, 0.6)
    chip = page.pin_bar.chips["A"]
    assert chip.is_now
    assert "keep 0.6" in chip.accessibleName()
    keep(page, 0.5)
    assert not chip.is_now


def test_that_pins_come_back_with_the_study(page, workbench):
    pin(page, 0.6)
    saved = page.store.study
    again = saved.with_(results={RESULTS: json.loads(json.dumps(saved.results[RESULTS]))})
    workbench.store.open(again)
    page.store.select([DISTRICT])
    assert pinned(page).letter_of(Uniform(keep=0.6)) == "A"
    assert letters(page) == "A"


def test_that_undo_leaves_pins_alone(page):
    keep(page, 0.8)
    pin(page)
    page.store.undo_stack.undo()
    assert letters(page) == "A"
    assert page.readouts.cards[0].change != ""


def test_that_the_pin_of_a_group_member_is_its_own_share_of_the_coin(page):
    names = ("fare_evasion", "drug_use")
    page.store.select(names[:1])
    page.store.set_perturbations(dict.fromkeys(names, Uniform(keep=0.7)))
    page.pin_action.trigger()
    assert pinned(page).pins[0].perturbation == page.store.study.design.perturbation(names[0])


# Whatever a file may hold


@pytest.mark.parametrize(
    "kept",
    [None, [], "A", {"d": []}, {"d": {"pins": ["A"]}}, {"d": {"active": "A"}}, {"other": {}}],
)
def test_that_results_that_are_no_pins_are_no_pins(kept):
    assert read_pins(kept, Attribute("d", Kind.NOMINAL, ("a", "b", "c"))).pins == ()


def test_that_pins_that_do_not_fit_any_more_say_why_and_can_only_be_removed(page):
    noise = Additive(noise="normal", sigma=1.0)
    unfit = {"A": noise.to_json(), "B": {"type": "magic"}, "C": 7}
    page.store.set_results(RESULTS, {DISTRICT: {"active": "A", "pins": unfit}})
    assert letters(page) == "ABC"
    assert changes(page) == [""] * 6
    assert "nominal" in page.pin_bar.chips["A"].toolTip()
    assert "magic" in page.pin_bar.chips["B"].toolTip()
    before = page.store.study.design[DISTRICT].perturbation
    use(page, "A")
    assert page.store.study.design[DISTRICT].perturbation == before
    choose(page.pin_bar.chips["A"].make_menu(), "Remove A")
    assert letters(page) == "BC"


def test_that_an_attribute_that_is_not_distorted_can_be_pinned(page):
    page.store.set_perturbation([DISTRICT], Identity())
    pin(page)
    assert pinned(page).pins[0].perturbation == Identity()
    keep(page, 0.5)
    assert page.readouts.cards[0].change == "−50 pts"


def test_that_a_renamed_attribute_keeps_design_and_pins_and_undo_gives_them_back(page, workbench):
    pin(page, 0.3)
    pin(page, 0.6)
    workbench.store.mark_saved(Path("city.ppw"), workbench.store.study)
    edits = EditQueue(workbench)
    steps = page.store.undo_stack.count()
    edits.make(rename_attribute(DISTRICT, "quarter", pytest.fail))
    assert page.store.undo_stack.count() == steps + 1
    assert page.store.current == "quarter"
    assert page.store.study.design["quarter"].perturbation == Uniform(keep=0.6)
    assert letters(page) == "AB"
    assert list(page.store.study.results[RESULTS]) == ["quarter"]
    page.store.undo_stack.undo()
    assert page.store.current == DISTRICT
    assert page.store.study.design[DISTRICT].perturbation == Uniform(keep=0.6)
    assert letters(page) == "AB"
    assert not page.store.is_modified
    page.store.undo_stack.redo()
    assert letters(page) == "AB"
    assert list(page.store.study.results[RESULTS]) == ["quarter"]
    assert page.store.is_modified


@pytest.mark.slow
def test_that_the_script_of_the_pins_gives_the_numbers_of_the_cards(
    page, qtbot, wait_idle, dialogs, tmp_path, monkeypatch, capsys
):
    pin(page, 0.9)
    pin(page, 0.6)
    keep(page, 0.75)
    qtbot.mouseClick(page.pin_bar.chips["A"], Qt.MouseButton.LeftButton)
    take_script(qtbot, "scriptFolder-python")
    dialogs.choose(tmp_path)
    wait_idle()
    (folder,) = (one for one in tmp_path.iterdir() if one.name.endswith("-privacy"))
    monkeypatch.chdir(folder)
    made: dict[str, object] = {"__name__": "__main__"}
    exec(compile((folder / "privacy.py").read_text("utf-8"), "privacy.py", "exec"), made)
    assert "A, compared" in capsys.readouterr().out
    found = made["found"].to_dict()
    assert set(found["compare"]) == {"A", "B"}
    for letter in "AB":
        page.edits.activate_pin(letter)
        shown, told = page.view.pin_values, found["compare"][letter][DISTRICT]
        assert told["privacy"]["attack_success"] == pytest.approx(shown["attack"])
        assert told["privacy"]["belief"] == pytest.approx(shown["belief"])
        assert told["privacy"]["epsilon"] == pytest.approx(shown["epsilon"])
        assert told["utility"]["information_loss"] == pytest.approx(shown["loss"])
        assert told["utility"]["respondents"] == shown["needed"]
        widest = max(told["utility"]["standard_error"])
        assert 100 * Z95 * widest == pytest.approx(shown["interval"])
