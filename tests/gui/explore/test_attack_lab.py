"""The attack lab in both directions: the study changes the view, the view changes the study."""

import threading

import pytest
from exploring import make_page, settle, small_study
from layout_check.named import unnamed
from new_attack import echo_attack
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication

from ppworkbench.analyses.experiments.attack import AttackRequest
from ppworkbench.core.attacks import best_guess, link_records
from ppworkbench.core.attacks.filtering import BAYES
from ppworkbench.core.design import Additive, Identity, Uniform
from ppworkbench.gui.numbers import number
from ppworkbench.gui.pages.explore.attack_settings import MEMBERS
from ppworkbench.gui.pages.explore.attack_view import ATTACK, RECONSTRUCT
from ppworkbench.outputs.help.topic import topic_about
from ppworkbench.study.distorted_cache import distorted_answers
from ppworkbench.study.study import Study


@pytest.fixture
def page(qtbot, page):
    page.show_half(ATTACK)
    settle(qtbot, page)
    return page


@pytest.fixture
def lab(page):
    return page.lab


def tick(lab, name, on):
    """Tick what the attacker knows as a person would."""
    lab.settings.known.tick(name, on)


def choose(qtbot, page, key):
    page.lab.settings.rows[key].radio.click()
    settle(qtbot, page)


def table(lab):
    """The rows of the table without its heads, none where it is hidden."""
    return lab.answer.table.texts()[1:] if lab.answer.table.isVisible() else []


def names(lab):
    """What stands beside the lines of the picture."""
    return [label.partition("\n")[0] for label in lab.picture.chart.picture.things.labels]


def numbers(lab, place=0):
    """The numbers of one mark of the picture."""
    shown = lab.picture.chart.picture
    return shown.values_of(shown.marks[place])[1].tolist()


# The page


def test_that_the_lab_is_made_only_when_asked_for(qtbot, workbench):
    page = make_page(qtbot, workbench, small_study())
    settle(qtbot, page)
    assert page.lab is None
    page.switch.choose(ATTACK)
    settle(qtbot, page)
    assert page.is_attacking
    assert not page.repeat_action.isVisible()
    assert page.switch.current == RECONSTRUCT  # It shows the half that it stands in.
    page.lab.switch.choose(RECONSTRUCT)
    settle(qtbot, page)
    assert not page.is_attacking
    assert page.repeat_action.isVisible()


@pytest.mark.slow
def test_that_the_lab_shows_the_draw_that_all_pages_show(page, lab):
    study = page.store.study
    seen = distorted_answers(study)
    found = best_guess(seen.original["town"], seen.distorted["town"], study.design["town"])
    assert lab.result.found == found
    assert number(100 * found.right.share, 1) in lab.answer.sentence.text()
    assert [row[1] for row in table(lab)] == ["Ash", "Beech", "Cedar", "Oak"]
    assert names(lab) == [
        "all answers",
        *(f"{one.reported} → {one.guess}" for one in found.guesses),
    ]
    assert numbers(lab) == [found.right.share, *(one.right.share for one in found.guesses)]


@pytest.mark.slow
def test_that_another_draw_is_attacked_anew(qtbot, page, lab):
    before = lab.result
    page.primary.trigger()
    settle(qtbot, page)
    assert lab.result is not before
    assert lab.result.found.expected == before.found.expected
    assert lab.result.found.right != before.found.right


@pytest.mark.slow
def test_that_another_design_is_attacked_anew(qtbot, page, lab):
    page.store.set_perturbation(["town"], Uniform(keep=0.9))
    settle(qtbot, page)
    assert lab.result.found.expected == pytest.approx(0.9)
    page.store.undo_stack.undo()
    settle(qtbot, page)
    assert lab.result.found.expected < 0.7


@pytest.mark.slow
def test_that_the_attribute_is_the_one_of_all_pages(qtbot, page, lab):
    page.store.select(["pay"])
    settle(qtbot, page)
    assert lab.settings.attribute.currentData() == "pay"
    assert lab.answer.sentence.text().startswith("pay: ")
    box = lab.settings.attribute
    box.setCurrentIndex(box.findData("vote"))
    box.activated.emit(box.currentIndex())
    settle(qtbot, page)
    assert page.store.current == "vote"
    assert lab.result.found.name == "vote"


@pytest.mark.slow
def test_that_an_attribute_published_as_it_is_is_always_guessed(qtbot, page, lab):
    page.store.select(["known"])
    settle(qtbot, page)
    assert isinstance(page.store.study.design["known"].perturbation, Identity)
    assert lab.result.found.right.share == 1.0
    assert "is right for 100.0" in lab.answer.sentence.text()


@pytest.mark.slow
def test_that_an_attribute_without_answers_says_so(qtbot, page, lab):
    page.store.select(["gone"])
    settle(qtbot, page)
    assert lab.picture.stack.currentWidget() is lab.picture.empty
    assert "has no answers" in lab.picture.empty.advice.text()
    assert table(lab) == []


# The attacks


@pytest.mark.slow
def test_that_asking_again_shows_fresh_and_kept_answers(qtbot, page, lab):
    choose(qtbot, page, "repeat")
    asking = lab.result.found.asking
    assert numbers(lab) == [point.value for point in asking.fresh]
    assert set(numbers(lab, 1)) == {asking.memoised}
    assert [row[0] for row in table(lab)] == [number(m) for m in asking.times]
    assert "epsilon" in lab.answer.table.texts()[0]
    assert "first report kept" in lab.picture.chart.accessibleDescription()


@pytest.mark.slow
def test_that_noise_filtering_needs_two_numbers_under_noise(qtbot, page, lab):
    row = lab.settings.rows["filter"]
    assert not row.radio.isEnabled()
    assert "this design has 1" in row.toolTip()
    page.store.set_perturbation(["age"], Additive(noise="uniform", half_width=10))
    settle(qtbot, page)
    assert row.radio.isEnabled()
    choose(qtbot, page, "filter")
    found = lab.result.found
    assert [row[0] for row in table(lab)] == ["pay", "age"]
    assert number(100 * found.removed[BAYES].value, 1) in lab.answer.sentence.text()
    page.store.undo_stack.undo()
    settle(qtbot, page)
    assert lab.picture.empty.heading.text() == "This attack does not apply here."


@pytest.mark.slow
def test_that_linkage_follows_what_the_attacker_knows(qtbot, page, lab):
    page.store.set_perturbation(["age"], Additive(noise="uniform", half_width=10))
    choose(qtbot, page, "link")
    assert lab.known == ("town", "vote", "pay", "age", "only")
    tick(lab, "only", False)
    tick(lab, "pay", False)
    settle(qtbot, page)
    assert lab.known == ("town", "vote", "age")
    study = page.store.study
    seen = distorted_answers(study)
    expected = link_records(
        seen.original, seen.distorted, study.design, lab.known, study.settings.seed
    )
    assert lab.result.found == expected
    assert [row[0] for row in table(lab)] == ["town", "town, vote", "town, vote, age"]
    assert table(lab)[-1][1] == number(expected.steps[-1].unique_original)
    assert names(lab) == ["+ town", "+ vote", "+ age"]


@pytest.mark.slow
def test_that_linkage_needs_something_to_link_by(qtbot, page, lab):
    choose(qtbot, page, "link")
    for name in lab.known:
        tick(lab, name, False)
    settle(qtbot, page)
    assert "Select at least 1" in lab.picture.empty.advice.text()
    tick(lab, "town", True)
    settle(qtbot, page)
    assert len(lab.result.found.steps) == 1


def test_that_distorted_answers_cannot_be_attacked_without_the_truth(qtbot, workbench):
    study = small_study()
    seen = distorted_answers(study)
    page = make_page(qtbot, workbench, Study.of_distorted(seen.distorted, study.design, "sent"))
    page.show_half(ATTACK)
    settle(qtbot, page)
    rows = page.lab.settings.rows
    # A list of likely members claims nothing that would have to be checked.
    assert [key for key, row in rows.items() if row.radio.isEnabled()] == [MEMBERS]
    assert "without the true ones" in page.lab.picture.empty.advice.text()
    assert not page.primary.isEnabled()


# Jobs, words, keys


@pytest.mark.slow
def test_that_a_running_attack_can_be_cancelled_and_taken_up_again(qtbot, page, lab, monkeypatch):
    begun = threading.Event()

    def endless(*_, progress=None):
        begun.set()
        while True:
            progress(0.5, "attacking")

    with monkeypatch.context() as patch:
        patch.setattr(AttackRequest, "attacked", lambda *given: endless(progress=given[-1]))
        page.store.select(["vote"])
        qtbot.waitUntil(begun.is_set)
        qtbot.waitUntil(lab.picture.cancel.isVisible)
        lab.picture.cancel.click()
        settle(qtbot, page)
    assert lab.picture.empty.heading.text() == "The attack was cancelled."
    lab.picture.empty.button.click()
    settle(qtbot, page)
    assert lab.result.found.name == "vote"
    assert not lab.picture.cancel.isVisible()


@pytest.mark.slow
def test_that_what_is_known_is_not_computed_again(qtbot, page, lab):
    before = lab.result
    page.show_half(RECONSTRUCT)
    page.show_half(ATTACK)
    settle(qtbot, page)
    assert lab.result is before


@pytest.mark.slow
def test_that_a_row_can_be_clicked_anywhere(qtbot, page, lab):
    row = lab.settings.rows["repeat"]
    qtbot.mouseClick(row, Qt.MouseButton.LeftButton, pos=QPoint(40, row.height() - 8))
    settle(qtbot, page)
    assert lab.attack == "repeat"
    assert row.radio.isChecked()


def test_that_numbers_can_be_copied(lab):
    lab.answer.table.copy()
    copied = QGuiApplication.clipboard().text().splitlines()
    assert copied[0].startswith("guess\treported\t")
    assert len(copied) == 5
    assert lab.picture.chart.rows()[1][0] == "all answers"


def test_that_the_help_has_the_lab(qtbot, page, lab):
    with qtbot.waitSignal(page.workbench.help_requested) as asked:
        lab.settings.help.click()
    assert asked.args == [topic_about("attack", lab.attack).key]


def test_that_every_control_has_a_name(lab):
    assert unnamed(lab) == []


def test_that_a_new_attack_has_a_row_and_a_picture(qtbot, workbench):
    with echo_attack() as key:
        page = make_page(qtbot, workbench, small_study())
        page.show_half(ATTACK)
        settle(qtbot, page)
        choose(qtbot, page, key)
        lab = page.lab
        assert lab.settings.rows[key].radio.text() == "Echo of reports"
        assert lab.settings.rows[key].hint.text() == "Who believes reports?"
        right = lab.result.found.right
        assert lab.answer.sentence.text() == f"Every report is believed; {right.hits} are true."
        assert names(lab) == [lab.result.found.name]
