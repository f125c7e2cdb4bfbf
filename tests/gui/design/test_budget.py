"""The budget bar below the questions, and the dialog that shares out a total."""

import math

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QToolButton
from window_hands import add_widget

from ppworkbench.analyses.survey.history import RESULTS, PastQuestion, history_to_json
from ppworkbench.analyses.survey.questions import CROSSTAB, Question
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import (
    Design,
    DesignedAttribute,
    Geometric,
    Group,
    Identity,
    Ordinal,
    Uniform,
)
from ppworkbench.core.design.budget import DesignBudget
from ppworkbench.gui.pages.design import DesignPage
from ppworkbench.gui.pages.design.attribute_list import BADGE
from ppworkbench.gui.pages.design.budget.dialog import BudgetDialog
from ppworkbench.study.files.study_file import open_study, save_study
from ppworkbench.study.study import PriorChoice, Study


def yes_no(name, perturbation, sensitive=()):
    return DesignedAttribute(
        Attribute(name, Kind.BINARY, ("no", "yes"), sensitive=sensitive), perturbation
    )


def study_of(*designed, **parts):
    return Study("budget", design=Design(tuple(designed), **parts))


def three(budget=None):
    study = study_of(
        yes_no("a", Geometric(epsilon=1.0), ("yes",)), yes_no("b", Geometric(epsilon=2.0)),
        yes_no("c", Identity()), budget=budget,
    )  # fmt: skip
    return study.with_choice("a", PriorChoice("drawn", (0.9, 0.1)))


@pytest.fixture
def workbench(new_workbench):
    return new_workbench


@pytest.fixture
def open_page(qtbot, workbench):
    """Open a study on the page."""

    def open_(study):
        workbench.store.open(study)
        page = DesignPage(workbench)
        add_widget(qtbot, page)
        page.resize(1290, 690)
        page.show()
        qtbot.waitUntil(lambda: page.view is not None)
        return page

    return open_


def dialog_of(page):
    page.summary.share_out.click()
    found = [one for one in page.window().findChildren(BudgetDialog) if one.isVisible()]
    assert len(found) == 1
    return found[0]


def spent(page):
    return page.summary.epsilon.text()


def middle(bar, place):
    left, right = bar.spans()[place]
    return QPoint(round((left + right) / 2), 8)


# The bar


def test_that_the_bar_tells_the_total_in_numbers_and_words(open_page):
    page = open_page(three(DesignBudget(total=4.0)))
    summary = page.summary
    assert spent(page) == "ε 3.0"
    assert summary.of_total.text() == "of 4.0, randomised answers"
    assert "at most 21-fold" in summary.words.text()
    assert "1 question is not randomised." in summary.words.text()
    assert summary.over.isHidden()
    assert len(summary.bar.spans()) == 4
    assert "b: ε 2.00, 50" in summary.bar.accessibleDescription()
    page.store.set_perturbation(["c"], Geometric(epsilon=0.5))
    assert summary.of_total.text() == "of 4.0, whole questionnaire"


def test_that_widths_are_epsilons_and_the_rest_is_free(open_page):
    bar = open_page(three(DesignBudget(total=4.0))).summary.bar
    widths = [right - left for left, right in bar.spans()[1:]]
    whole = sum(widths)
    assert [wide / whole for wide in widths] == pytest.approx([0.25, 0.5, 0.25])
    assert bar.tip_at(bar.spans()[3][0] + 3) == "1.0 free"


def test_that_what_is_not_randomised_comes_first_and_is_selected_one_by_one(qtbot, open_page):
    page = open_page(study_of(
        yes_no("a", Geometric(epsilon=1.0)), yes_no("b", Identity()), yes_no("c", Identity()),
    ))  # fmt: skip
    bar = page.summary.bar
    assert len(bar.spans()) == 2
    assert bar.tip_at(middle(bar, 0).x()) == "Not randomised, so ε is ∞: b, c"
    assert bar.accessibleDescription().startswith("Not randomised, so ε is ∞: b, c; a: ε 1.00")
    for expected in ("b", "c", "b"):
        qtbot.mouseClick(bar, Qt.MouseButton.LeftButton, pos=middle(bar, 0))
        assert page.store.current == expected
    assert spent(page) == "ε 1.0"
    page.store.set_perturbation(["b", "c"], Geometric(epsilon=1.0))
    assert len(bar.spans()) == 3


def test_that_the_hatched_segments_are_drawn_apart_from_those_with_a_bound(open_page):
    page = open_page(study_of(
        yes_no("a", Geometric(epsilon=1.0)), yes_no("b", Geometric(epsilon=1.0)),
        yes_no("c", Identity()),
    ))  # fmt: skip
    bar = page.summary.bar
    picture = bar.grab().toImage()
    ratio = picture.devicePixelRatio()

    def colours(place):
        left, right = bar.spans()[place]
        rows = range(round(5 * ratio), round(13 * ratio))
        columns = range(round((left + 5) * ratio), round((right - 5) * ratio))
        return {picture.pixelColor(x, y).name() for x in columns for y in rows}

    assert len(colours(1)) == 1
    assert len(colours(0)) > 1


def test_that_an_overspent_budget_is_told_and_nothing_is_blocked(open_page):
    page = open_page(three(DesignBudget(total=2.5)))
    assert page.summary.over.text() == "0.50 over"
    assert page.summary.over.isVisible()
    page.store.set_perturbation(["a"], Geometric(epsilon=3.0))
    assert page.summary.over.text() == "2.5 over"


def test_that_a_click_on_a_segment_selects_its_question(qtbot, open_page):
    page = open_page(three())
    bar = page.summary.bar
    assert bar.tip_at(middle(bar, 2).x()).startswith("b: ε 2.00")
    qtbot.mouseClick(bar, Qt.MouseButton.LeftButton, pos=middle(bar, 2))
    assert page.store.current == "b"
    qtbot.mouseClick(bar, Qt.MouseButton.LeftButton, pos=middle(bar, 1))
    assert page.store.current == "a"


def test_that_the_keyboard_goes_through_the_segments(qtbot, open_page):
    page = open_page(three())
    bar = page.summary.bar
    bar.setFocus()
    qtbot.keyClick(bar, Qt.Key.Key_Right)
    assert bar.told().startswith("b: ε 2.00")
    assert page.store.current == "a"
    qtbot.keyClick(bar, Qt.Key.Key_Return)
    assert page.store.current == "b"
    qtbot.keyClick(bar, Qt.Key.Key_Home)
    assert bar.told() == "Not randomised, so ε is ∞: c"
    qtbot.keyClick(bar, Qt.Key.Key_Space)
    assert page.store.current == "c"


def test_that_the_list_tells_the_share_of_every_question(open_page):
    page = open_page(three(DesignBudget(total=4.0)))
    model = page.list.model
    shares = [str(model.index(place).data(BADGE)) for place in range(3)]
    assert shares == ["25\u202f%", "50\u202f%", ""]
    page.store.set_perturbation(["a"], Geometric(epsilon=2.0))
    assert model.index(0).data(BADGE) == "50\u202f%"


def test_that_a_folded_list_tells_the_total_at_its_icon(open_page):
    page = open_page(three(DesignBudget(total=2.5)))
    tip = page.findChild(QToolButton, "shareOutFolded").toolTip()
    assert tip.startswith("ε 3.0 of 2.5, randomised answers; 0.50 over")


def test_that_the_bar_follows_a_drag(open_page):
    page = open_page(three())
    for step in range(5):
        page.store.set_perturbation(["a"], Geometric(epsilon=1 + step / 10), "drag 1")
        assert spent(page) == f"ε {3 + step / 10:.1f}"


def test_that_a_group_is_one_segment(open_page):
    group = Group(("a", "b"), "unrelated", 0.6)
    page = open_page(study_of(yes_no("a", Identity()), yes_no("b", Identity()), groups=(group,)))
    assert len(page.summary.bar.spans()) == 1
    assert spent(page) == "ε 1.9"


def test_that_an_infinite_budget_names_the_question_and_is_repaired(qtbot, open_page):
    scale = Attribute("mood", Kind.ORDINAL, tuple("abcde"))
    designed = DesignedAttribute(scale, Ordinal(weights=(0.6, 0.2), loop=False))
    page = open_page(study_of(yes_no("a", Geometric(epsilon=1)), designed))
    summary = page.summary
    assert spent(page) == "ε ∞"
    assert "mood: some answers are ruled out" in summary.words.text()
    assert summary.repair.text() == "Use “Uniform”"
    before = page.store.study
    qtbot.mouseClick(summary.repair, Qt.MouseButton.LeftButton)
    assert spent(page) == "ε 2.0"
    assert summary.repair.isHidden()
    page.store.undo_stack.undo()
    assert page.store.study.design == before.design


def test_that_a_repair_keeps_what_was_done_meanwhile(qtbot, open_page):
    scale = Attribute("mood", Kind.ORDINAL, tuple("abcde"))
    designed = DesignedAttribute(scale, Ordinal(weights=(0.6, 0.2), loop=False))
    page = open_page(study_of(yes_no("a", Geometric(epsilon=1)), designed))
    page.store.apply(page.store.study.with_sensitive("a", ("yes",)), "mark")
    page.store.set_settings(None, respondents=777)
    qtbot.mouseClick(page.summary.repair, Qt.MouseButton.LeftButton)
    assert spent(page) == "ε 2.0"
    assert page.store.study.design["a"].attribute.sensitive == ("yes",)
    assert page.store.study.settings.respondents == 777


def test_that_without_randomised_questions_nothing_is_shared_out(open_page):
    page = open_page(study_of(yes_no("a", Identity())))
    assert not page.summary.share_out.isEnabled()
    assert page.summary.share_out.toolTip() == "No question is randomised."


# Sharing out


def test_that_sharing_out_is_one_step_that_can_be_undone(qtbot, open_page, wait_idle):
    page = open_page(three())
    before = page.store.study.design
    dialog = dialog_of(page)
    assert dialog.total.value() == pytest.approx(3.0)
    dialog.total.setValue(4.0)
    qtbot.waitUntil(dialog.apply.isEnabled)
    assert [one.epsilons[1] for one in dialog.model.rows] == pytest.approx([2.0, 2.0], abs=0.2)
    qtbot.mouseClick(dialog.apply, Qt.MouseButton.LeftButton)
    assert spent(page) == "ε 4.0"
    assert page.summary.of_total.text() == "of 4.0, randomised answers"
    assert page.store.undo_stack.undoText() == "Divide the privacy budget"
    page.store.undo_stack.undo()
    assert page.store.study.design == before
    wait_idle()


def test_that_cancel_changes_nothing_and_the_dialog_opens_again(qtbot, open_page, wait_idle):
    page = open_page(three())
    before = page.store.study
    for _ in range(2):
        dialog = dialog_of(page)
        dialog.total.setValue(9.0)
        qtbot.waitUntil(dialog.apply.isEnabled)
        dialog.reject()
        QApplication.processEvents()
        wait_idle()
    assert page.store.study is before


def test_that_the_dialog_opens_with_what_was_chosen_also_after_saving(
    qtbot, open_page, wait_idle, tmp_path
):
    page = open_page(three())
    dialog = dialog_of(page)
    dialog.total.setValue(5.0)
    dialog.rule.choose("max")
    dialog.of.choose("variance")
    dialog.waves.setValue(2)
    dialog.memoise.setChecked(True)
    qtbot.waitUntil(dialog.apply.isEnabled)
    dialog.table.pressed.emit(dialog.model.index(0, 1))
    dialog.model.setData(dialog.model.index(1, 2), "3")
    qtbot.waitUntil(dialog.apply.isEnabled)
    qtbot.mouseClick(dialog.apply, Qt.MouseButton.LeftButton)
    wait_idle()
    path = tmp_path / "budget.ppw"
    save_study(page.store.study, path)
    page.store.open(open_study(path))
    again = dialog_of(page)
    assert again.total.value() == pytest.approx(5.0)
    assert (again.rule.current, again.of.current) == ("max", "variance")
    assert (again.waves.value(), again.memoise.isChecked()) == (2, True)
    assert again.model.rows[0].is_locked
    assert again.model.rows[1].weight == 3.0
    again.reject()
    wait_idle()


def test_that_a_lock_is_turned_by_pointer_and_keyboard(qtbot, open_page, wait_idle):
    page = open_page(three())
    dialog = dialog_of(page)
    table, model = dialog.table, dialog.model
    spot = table.visualRect(model.index(1, 1)).center()
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    qtbot.waitUntil(lambda: model.rows[1].is_locked)
    dialog.total.setValue(6.0)
    qtbot.waitUntil(lambda: model.rows[0].epsilons[1] == pytest.approx(4.0, abs=1e-6))
    qtbot.keyClick(table, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: not model.rows[1].is_locked)
    dialog.reject()
    wait_idle()


@pytest.mark.slow
def test_that_locks_that_spend_too_much_are_refused_in_the_dialog(qtbot, open_page, wait_idle):
    page = open_page(three())
    dialog = dialog_of(page)
    dialog.table.pressed.emit(dialog.model.index(1, 1))
    dialog.total.setValue(1.5)
    qtbot.waitUntil(dialog.problem.isVisible)
    assert dialog.problem.text() == (
        "The locked questions spend 2 of a total of 1.5; unlock one or raise the total."
    )
    assert not dialog.apply.isEnabled()
    dialog.total.setValue(3.5)
    qtbot.waitUntil(dialog.apply.isEnabled)
    assert not dialog.problem.isVisible()
    dialog.reject()
    wait_idle()


def test_that_a_weight_that_is_none_is_refused(qtbot, open_page, wait_idle):
    dialog = dialog_of(open_page(three()))
    dialog.model.setData(dialog.model.index(0, 2), "much")
    assert dialog.problem.text() == "“much” is not a weight; type a number above 0."
    dialog.model.setData(dialog.model.index(0, 2), "1")
    qtbot.waitUntil(dialog.apply.isEnabled)
    assert dialog.problem.isHidden()
    dialog.reject()
    wait_idle()


def test_that_belief_and_total_are_told_both_ways(qtbot, open_page, wait_idle):
    dialog = dialog_of(open_page(three()))
    dialog.total.setValue(2.2)
    assert "from 10\u202f% to at most 50\u202f%" in dialog.meaning.text()
    dialog.total.setValue(9.0)
    assert "can rise from 10\u202f% to more than 99\u202f%" in dialog.meaning.text()
    dialog.aim.choose("belief")
    dialog.belief.setValue(0.5)
    assert dialog.meaning.text() == "This is a total of ε 2.20."
    qtbot.waitUntil(dialog.apply.isEnabled)
    assert sum(one.epsilons[1] for one in dialog.model.rows) == pytest.approx(2.1972, abs=1e-4)
    dialog.belief.setValue(0.05)
    qtbot.waitUntil(dialog.problem.isVisible)
    dialog.reject()
    wait_idle()


def test_that_asking_fewer_is_chosen_from_the_table(qtbot, open_page, wait_idle):
    study = study_of(*(yes_no(f"q{i}", Geometric(epsilon=0.5)) for i in range(8)))
    page = open_page(study)
    dialog = dialog_of(page)
    assert dialog.split_table.sheet["ask"].values == [8, 7, 6, 5, 4, 3, 2, 1]
    place = dialog.split_table.sheet_model.index(6, 0)
    dialog.split_table.scrollTo(place)
    spot = dialog.split_table.visualRect(place).center()
    qtbot.mouseClick(dialog.split_table.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    assert dialog.ask.value() == 2
    qtbot.waitUntil(dialog.apply.isEnabled)
    assert [one.epsilons[1] for one in dialog.model.rows] == pytest.approx([2.0] * 8, abs=1e-6)
    qtbot.mouseClick(dialog.apply, Qt.MouseButton.LeftButton)
    assert page.store.study.design.ask == 2
    assert spent(page) == "ε 4.0"
    assert "2 of 8" in page.summary.words.text()
    wait_idle()


@pytest.mark.slow
def test_that_pairs_of_survey_are_named_and_kept_together(qtbot, open_page, wait_idle):
    asked = PastQuestion(Question(CROSSTAB, of="q0", by="q3"))
    study = study_of(
        *(yes_no(f"q{i}", Geometric(epsilon=0.5)) for i in range(4)), budget=DesignBudget(ask=2)
    )
    page = open_page(study.with_results(RESULTS, history_to_json((asked,))))
    dialog = dialog_of(page)
    assert "“q0” with “q3”" in dialog.separated.text()
    # Two of four are asked: 1 of the 6 pairs.
    assert "17\u202f%" in dialog.separated.text()
    qtbot.mouseClick(dialog.together, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not dialog.together.isVisible())
    assert dialog.ask.maximum() == 3
    qtbot.waitUntil(dialog.apply.isEnabled)
    qtbot.mouseClick(dialog.apply, Qt.MouseButton.LeftButton)
    assert page.store.study.design.budget.blocks == (("q0", "q3"),)
    assert page.store.study.design.ask == 2
    wait_idle()


@pytest.mark.slow
def test_that_a_total_can_be_set_and_removed_without_touching_mechanisms(
    qtbot, open_page, wait_idle
):
    page = open_page(three())
    before = page.store.study.design.attributes
    dialog = dialog_of(page)
    dialog.total.setValue(2.0)
    qtbot.mouseClick(dialog.only, Qt.MouseButton.LeftButton)
    assert page.store.study.design.attributes == before
    assert page.summary.over.text() == "1.0 over"
    QApplication.processEvents()
    dialog = dialog_of(page)
    qtbot.mouseClick(dialog.remove, Qt.MouseButton.LeftButton)
    assert page.store.study.design.budget is None
    assert page.summary.over.isHidden()
    wait_idle()


@pytest.mark.slow
def test_that_infinite_mechanisms_are_exchanged_in_the_dialog(qtbot, open_page, wait_idle):
    scale = Attribute("mood", Kind.ORDINAL, tuple("abcde"))
    designed = DesignedAttribute(scale, Ordinal(weights=(0.6, 0.2), loop=False))
    page = open_page(study_of(yes_no("a", Uniform(keep=0.8)), designed))
    dialog = dialog_of(page)
    assert dialog.problem.isVisible()
    assert dialog.finite.isVisible()
    qtbot.mouseClick(dialog.finite, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(dialog.apply.isEnabled)
    assert math.isinf(page.summary.bar._view.spent)
    qtbot.mouseClick(dialog.apply, Qt.MouseButton.LeftButton)
    assert spent(page) == "ε 2.0"
    wait_idle()


@pytest.mark.slow
def test_that_keep_mechanisms_keeps_also_those_that_were_made_finite_in_the_dialog(
    qtbot, open_page, wait_idle
):
    scale = Attribute("mood", Kind.ORDINAL, tuple("abcde"))
    designed = DesignedAttribute(scale, Ordinal(weights=(0.6, 0.2), loop=False))
    page = open_page(study_of(yes_no("a", Uniform(keep=0.8)), designed))
    before = page.store.study.design.attributes
    dialog = dialog_of(page)
    qtbot.mouseClick(dialog.finite, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(dialog.apply.isEnabled)
    qtbot.mouseClick(dialog.only, Qt.MouseButton.LeftButton)
    assert page.store.study.design.attributes == before
    assert page.store.study.design.budget.total == pytest.approx(2.0)
    wait_idle()


def test_that_the_fields_of_a_single_question_stand_together(qtbot, open_page, wait_idle):
    dialog = dialog_of(open_page(study_of(yes_no("a", Geometric(epsilon=1.0)))))
    QApplication.processEvents()
    gap = dialog.total.mapTo(dialog, QPoint(0, 0)).y() - dialog.aim.mapTo(dialog, QPoint(0, 0)).y()
    assert gap - dialog.aim.height() <= 12
    assert dialog.rule.mapTo(dialog, QPoint(0, 0)).y() < 2 * dialog.height() // 5
    dialog.reject()
    wait_idle()


def test_that_a_total_from_a_belief_keeps_its_digits_when_the_dialog_opens_again(
    qtbot, open_page, wait_idle
):
    total = 2.197224577
    page = open_page(three(DesignBudget(total=total)))
    dialog = dialog_of(page)
    assert dialog.total.value() == pytest.approx(2.2)
    qtbot.waitUntil(dialog.apply.isEnabled)
    qtbot.mouseClick(dialog.apply, Qt.MouseButton.LeftButton)
    assert page.store.study.design.budget.total == total
    wait_idle()
