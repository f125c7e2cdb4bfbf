"""The Arms page of Design, and the questions as one arm asks them."""

import math
from types import SimpleNamespace

import pytest
from designing import select
from dialog_hands import DialogHands
from kept_pages import take_page
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialogButtonBox, QMenu, QTableView
from window_hands import LEFT

from ppworkbench.analyses.designs.arms import start_arms, with_arm, with_own_devices
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Binary, Design, DesignedAttribute, Forced, Identity, Uniform
from ppworkbench.gui.pages.design import DesignPage
from ppworkbench.gui.pages.design.arms.allocation_dialog import AllocationDialog
from ppworkbench.gui.widgets.layout import reveal
from ppworkbench.gui.window.chrome import Header
from ppworkbench.study.study import PriorChoice, Study

DRUG = Attribute("drug", Kind.BINARY, ("no", "yes"), sensitive=("yes",))
THEFT = Attribute("theft", Kind.BINARY, ("no", "yes"))
TOWN = Attribute("town", Kind.NOMINAL, ("a", "b", "c"))


def questionnaire():
    listed = (
        DesignedAttribute(DRUG, Forced(p_truth=0.7)),
        DesignedAttribute(THEFT, Uniform(keep=0.8)),
        DesignedAttribute(TOWN, Identity()),
    )
    study = Study(design=Design(listed))
    return study.with_choice("drug", PriorChoice("drawn", (0.8, 0.2)))


@pytest.fixture
def design_page(qtbot, workbench):
    workbench.store.open(questionnaire())
    page = take_page(qtbot, workbench, DesignPage)
    page.resize(1290, 690)
    page.show()
    return page


@pytest.fixture
def arms(design_page, qtbot):
    """The Arms page with two arms."""
    design_page.show_sub_page("arms")
    page = design_page.views.currentWidget()
    qtbot.mouseClick(page.empty.button, LEFT)
    return SimpleNamespace(page=design_page, **vars(page), sub=page, store=design_page.store)


def members(store):
    return store.study.design.arms.members


def shares(store):
    return [arm.share for arm in members(store)]


def choose_treatment(arms, qtbot, name, arm, treatment):
    """Open the menu of a cell by the keyboard and choose in it."""
    table = arms.treatments.table
    names = [one.name for one in arms.treatments.model.rows]
    column = 1 + arms.store.study.design.arms.names.index(arm)
    table.setCurrentIndex(table.model().index(names.index(name), column))
    qtbot.keyClick(table, Qt.Key.Key_Return)
    menu = arms.treatments.findChildren(QMenu, "treatmentMenu")[-1]
    action = next(one for one in menu.actions() if one.objectName() == f"treatment-{treatment}")
    is_enabled = action.isEnabled()
    action.trigger()
    menu.close()
    return is_enabled


# The switch


@pytest.mark.usefixtures("own_page")
def test_that_the_head_switches_between_questions_and_arms(design_page, qtbot):
    header = Header(design_page.workbench)
    qtbot.addWidget(header)
    header.resize(1200, 56)
    header.show()
    header.show_page(design_page)
    assert header.switch.keys[:2] == ["questions", "arms"]
    header.switch.setFocus()
    qtbot.keyClick(header.switch, Qt.Key.Key_Right)
    assert design_page.views.currentWidget().objectName() == "armsSubPage"
    assert "versions" in header.question.words()
    assert not design_page.pin_action.isVisible()
    qtbot.keyClick(header.switch, Qt.Key.Key_Left)
    assert design_page.views.currentWidget() is design_page.split
    assert design_page.pin_action.isVisible()


def test_that_the_page_stays_where_it_was(design_page):
    design_page.show_sub_page("arms")
    design_page.hide()
    design_page.show()
    design_page.shown()
    assert design_page.sub_page == "arms"


def test_that_keys_of_the_editor_do_nothing_behind_another_page(design_page, qtbot):
    design_page.show_sub_page("arms")
    steps = design_page.store.undo_stack.count()
    qtbot.keyClick(design_page, Qt.Key.Key_L, Qt.KeyboardModifier.ControlModifier)
    assert design_page.store.undo_stack.count() == steps


def test_that_a_control_that_is_pointed_at_comes_to_the_front(arms):
    reveal(arms.page.matrix.panel("uniform"))
    assert arms.page.sub_page == "questions"
    reveal(arms.arms.add_button)
    assert arms.page.sub_page == "arms"


# Arms


def test_that_arms_begin_as_halves_and_one_undo_takes_them_back(arms):
    assert [arm.name for arm in members(arms.store)] == ["A", "B"]
    assert shares(arms.store) == [0.5, 0.5]
    assert arms.sub.stack.currentWidget() is arms.sub.parts
    arms.store.undo_stack.undo()
    assert arms.store.study.design.arms is None
    assert arms.sub.stack.currentWidget() is arms.sub.empty


def test_that_a_dragged_share_is_one_step_and_the_sum_stays_1(arms, qtbot):
    qtbot.mouseClick(arms.arms.add_button, LEFT)
    slider = arms.arms.rows[0].share.slider
    steps = arms.store.undo_stack.count()
    slider.setSliderDown(True)
    for position in (400, 500, 600):
        slider.setValue(position)
        assert math.fsum(shares(arms.store)) == pytest.approx(1)
    slider.setSliderDown(False)
    assert arms.store.undo_stack.count() == steps + 1
    assert shares(arms.store)[0] == pytest.approx(0.6, abs=0.002)
    assert shares(arms.store)[1] == pytest.approx(shares(arms.store)[2])
    assert "600" in arms.arms.rows[0].share.label.words()
    arms.store.undo_stack.undo()
    assert shares(arms.store) == pytest.approx([1 / 3] * 3)


def test_that_a_typed_share_may_be_a_percentage(arms, qtbot):
    box = arms.arms.rows[1].share.box
    box.setFocus()
    box.lineEdit().selectAll()
    qtbot.keyClicks(box, "30 %")
    qtbot.keyClick(box, Qt.Key.Key_Return)
    assert shares(arms.store) == pytest.approx([0.7, 0.3])


def test_that_an_arm_is_renamed_and_a_bad_name_is_refused_in_place(arms, qtbot):
    field = arms.arms.rows[1].name
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, "long form")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert members(arms.store)[1].name == "long form"
    assert arms.treatments.model.columns[2].title == "long form"
    steps = arms.store.undo_stack.count()
    field.selectAll()
    qtbot.keyClicks(field, "A")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert arms.store.undo_stack.count() == steps
    assert "two arms" in arms.arms.problem.text()
    assert not arms.arms.problem.isHidden()
    assert field.text() == "long form"
    arms.store.undo_stack.undo()
    assert arms.arms.problem.isHidden()


def test_that_arms_are_copied_moved_and_deleted(arms, qtbot):
    qtbot.mouseClick(arms.arms.rows[0].copy, LEFT)
    assert [arm.name for arm in members(arms.store)] == ["A", "C", "B"]
    assert not arms.arms.rows[0].up.isEnabled()
    qtbot.mouseClick(arms.arms.rows[1].down, LEFT)
    assert [arm.name for arm in members(arms.store)] == ["A", "B", "C"]
    qtbot.mouseClick(arms.arms.rows[0].delete, LEFT)
    assert [arm.name for arm in members(arms.store)] == ["B", "C"]
    assert len(arms.arms.rows) == 2
    qtbot.mouseClick(arms.arms.remove, LEFT)
    assert arms.store.study.design.arms is None
    for _ in range(4):
        arms.store.undo_stack.undo()
    assert [arm.name for arm in members(arms.store)] == ["A", "B"]


def test_that_the_column_must_not_be_a_randomised_question(arms, qtbot):
    field = arms.arms.column
    field.setFocus()
    for typed, column in (("drug", "version"), ("form", "form")):
        field.selectAll()
        qtbot.keyClicks(field, typed)
        qtbot.keyClick(field, Qt.Key.Key_Return)
        assert arms.store.study.design.arms.column == column
        assert bool(arms.arms.problem.text()) == (column != typed)


# Questions by arm


def test_that_a_question_is_asked_in_another_way_by_keyboard_and_mouse(arms, qtbot):
    choose_treatment(arms, qtbot, "theft", "B", "omitted")
    assert members(arms.store)[1].omit == ("theft",)
    question = arms.sub.view.questions[1]
    assert question.respondents == 500
    choose_treatment(arms, qtbot, "drug", "A", "direct")
    assert members(arms.store)[0].perturbations == (("drug", Identity()),)
    assert "no bound" in arms.privacy.words
    table = arms.treatments.table
    cell = table.visualRect(table.model().index(1, 1))
    qtbot.mouseClick(table.viewport(), LEFT, pos=cell.center())
    menu = arms.treatments.findChildren(QMenu, "treatmentMenu")[-1]
    assert [one.isChecked() for one in menu.actions()] == [True, False, False, False]
    menu.close()


def test_that_a_question_must_be_asked_by_some_arm(arms, qtbot):
    choose_treatment(arms, qtbot, "theft", "A", "omitted")
    steps = arms.store.undo_stack.count()
    choose_treatment(arms, qtbot, "theft", "B", "omitted")
    assert arms.store.undo_stack.count() == steps
    assert "All arms omit" in arms.arms.problem.text()


def test_that_pairs_never_asked_together_are_named(arms, qtbot):
    assert "Every two questions" in arms.apart.words
    choose_treatment(arms, qtbot, "theft", "A", "omitted")
    choose_treatment(arms, qtbot, "drug", "B", "omitted")
    assert "drug and theft" in arms.apart.words


def test_that_the_selected_question_says_what_it_rests_on(arms, qtbot):
    arms.store.select(["drug"])
    assert "1,000 of 1,000" in arms.question.words
    assert "cannot be told apart" in arms.question.words
    choose_treatment(arms, qtbot, "drug", "B", "direct")
    assert "standard error" in arms.question.words
    arms.store.select(["town"])
    assert arms.question.words.startswith("town")
    qtbot.keyClick(arms.treatments.table, Qt.Key.Key_Up)
    assert arms.store.current == "theft"


# One arm in the editors


def test_that_an_own_device_opens_the_editor_of_that_arm(arms, qtbot):
    page = arms.page
    choose_treatment(arms, qtbot, "theft", "B", "own")
    assert (page.sub_page, page.store.current) == ("questions", "theft")
    assert page.arm_bar.box.currentData() == "B"
    assert page.report.utility.n == 500
    page.matrix.panel("uniform").slider.slider.setValue(900)
    own = dict(members(arms.store)[1].perturbations)["theft"]
    assert own.keep == pytest.approx(0.9, abs=0.06)
    assert arms.store.study.design["theft"].perturbation == Uniform(keep=0.8)
    assert page.view.perturbation == own
    arms.store.undo_stack.undo()
    assert page.view.perturbation == Uniform(keep=0.8)


@pytest.mark.usefixtures("own_page")
def test_that_the_box_chooses_whose_version_is_shown(design_page, qtbot):
    store = design_page.store
    assert design_page.arm_bar.isHidden()
    study = with_own_devices(start_arms(questionnaire()), "B", {"theft": Uniform(keep=0.6)})
    store.apply(study, "arms")
    select(design_page, "theft")
    assert not design_page.arm_bar.isHidden()
    assert design_page.view.perturbation == Uniform(keep=0.8)
    assert "asked differently in B" in design_page.arm_bar.words.text()
    box = design_page.arm_bar.box
    box.setFocus()
    qtbot.keyClick(box, Qt.Key.Key_End)
    assert design_page.view.perturbation == Uniform(keep=0.6)
    assert design_page.list.model.names == ["drug", "theft", "town"]
    design_page.goal.respondents_chosen.emit(400, "")
    assert store.study.settings.respondents == 800
    assert design_page.report.utility.n == 400
    store.undo_stack.undo()
    store.undo_stack.undo()
    assert design_page.arm_bar.isHidden()


@pytest.mark.slow
def test_that_a_question_that_an_arm_omits_can_be_asked_again(arms, qtbot):
    choose_treatment(arms, qtbot, "theft", "B", "omitted")
    page = arms.page
    page.show_sub_page("questions")
    page.show_arm("B")
    select(page, "theft")
    assert not page.editor.isEnabled()
    assert "does not ask" in page.banner.label.text()
    qtbot.mouseClick(page.banner.button, LEFT)
    assert members(arms.store)[1].omit == ()
    assert page.editor.isEnabled()


def test_that_a_pin_and_the_loop_key_are_of_the_shown_arm(arms):
    page = arms.page
    store = arms.store
    store.apply(with_own_devices(store.study, "B", {"theft": Uniform(keep=0.6)}), "own")
    page.show_sub_page("questions")
    page.show_arm("B")
    select(page, "theft")
    page.pin_action.trigger()
    assert page.view.pinned.pins[0].perturbation == Uniform(keep=0.6)


def test_that_deleting_the_shown_arm_shows_the_design(arms, qtbot):
    page = arms.page
    page.show_sub_page("questions")
    page.show_arm("B")
    page.show_sub_page("arms")
    qtbot.mouseClick(arms.arms.rows[1].delete, LEFT)
    page.show_sub_page("questions")
    assert page.arm_bar.box.currentData() == ""


# Best shares


@pytest.fixture
def cheaters(arms):
    """Two arms that detect cheaters."""
    made = arms.store.study.with_perturbations({"drug": Binary(keep_one=1.0, keep_zero=0.8)})
    made = with_own_devices(made, "B", {"drug": Binary(keep_one=1.0, keep_zero=0.2)})
    made = made.with_choice("drug", PriorChoice("drawn", (2, 1)))
    arms.store.apply(made, "cheaters")
    arms.store.select(["drug"])
    return arms


def test_that_the_best_shares_are_found_and_taken_in_one_step(cheaters, qtbot):
    hands = DialogHands(qtbot)
    for round_ in range(2):
        qtbot.mouseClick(cheaters.arms.best, LEFT)
        dialog = hands.front(AllocationDialog)
        assert dialog.question.currentData() == "drug"
        ok = dialog.buttons.button(QDialogButtonBox.StandardButton.Ok)
        assert not ok.isEnabled()
        assert "Put everyone in “A”" in dialog.words.text()
        dialog.behaviour.setFocus()
        qtbot.keyClick(dialog.behaviour, Qt.Key.Key_Down)
        dialog.ignoring.setFocus()
        for _ in range(5):
            qtbot.keyClick(dialog.ignoring, Qt.Key.Key_Up)
        assert dialog.best["A"].text().startswith("82.7")
        assert "2.52 points" in dialog.words.text()
        steps = cheaters.store.undo_stack.index()
        qtbot.mouseClick(ok, LEFT)
        assert shares(cheaters.store)[0] == pytest.approx(0.827, abs=5e-4)
        assert cheaters.store.undo_stack.index() == steps + 1
        if not round_:
            cheaters.store.undo_stack.undo()
            assert shares(cheaters.store) == [0.5, 0.5]


def test_that_compliance_and_differences_have_shares_of_their_own(cheaters, qtbot):
    hands = DialogHands(qtbot)
    qtbot.mouseClick(cheaters.arms.best, LEFT)
    dialog = hands.front(AllocationDialog)
    dialog.serves.setFocus()
    qtbot.keyClick(dialog.serves, Qt.Key.Key_Down)
    assert "Say what people do" in dialog.words.text()
    dialog.behaviour.setCurrentIndex(1)
    dialog.ignoring.setValue(0.1)
    assert dialog.best["A"].text().startswith("23.0")
    qtbot.keyClick(dialog.serves, Qt.Key.Key_Down)
    assert dialog.second.currentText() == "B"
    assert dialog.behaviour.isHidden() or not dialog.behaviour.isVisible()
    before = dialog.best["A"].text()
    dialog.costs["A"].setValue(4.0)
    assert dialog.best["A"].text() != before
    named = {one.objectName(): one for one in dialog.script.menu().actions()}
    named["script-python"].trigger()
    told = QGuiApplication.clipboard().text()
    assert 'serves="difference"' in told
    assert 'between=("A", "B")' in told
    dialog.reject()
    assert shares(cheaters.store) == [0.5, 0.5]


# Many questions


def test_that_no_column_is_lost_with_many_arms(arms, qtbot):
    table = arms.page.findChild(QTableView, "armTreatments")
    for _ in range(5):
        arms.store.apply(with_arm(arms.store.study), "Add an arm")
    qtbot.waitUntil(lambda: table.model().columnCount() == 7 + 4)
    hidden = [place for place in range(11) if table.isColumnHidden(place)]
    assert hidden in ([], [10])
    wide = table.fontMetrics().horizontalAdvance("As the design")
    assert min(table.columnWidth(place) for place in range(1, 8)) > wide
