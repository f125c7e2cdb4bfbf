"""The Plan page of Design: rows, limits, n, solving, costs and the command line."""

import json
import shlex

import pytest
from dialog_hands import DialogHands
from kept_pages import take_page
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QLineEdit, QSlider
from window_hands import LEFT

from ppworkbench.analyses.planning.study_plan import PlanBuilder
from ppworkbench.cli import main as cli
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Additive, Design, DesignedAttribute, Forced, Identity
from ppworkbench.core.design.design_file import write_design
from ppworkbench.gui.pages.design import DesignPage
from ppworkbench.gui.pages.design.plan.page import SolveDialog
from ppworkbench.outputs.report.build import build_report
from ppworkbench.study.plan_choices import PlanChoices
from ppworkbench.study.study import PriorChoice, Study, StudySettings

DRUG = Attribute("drug", Kind.BINARY, ("no", "yes"), sensitive=("yes",))
THEFT = Attribute("theft", Kind.BINARY, ("no", "yes"), sensitive=("yes",))
TOWN = Attribute("town", Kind.NOMINAL, ("A", "B", "C"))
AGE = Attribute("age", Kind.INTEGER, domain=(18, 90))
PLAN, BELIEF, EPSILON, ACCURACY, SKIPS, NEEDED = 1, 2, 3, 4, 5, 7


def questionnaire():
    """20 % and 35 % of sensitive answers; one question keeps its limits, one does not."""
    listed = (
        DesignedAttribute(DRUG, Forced(p_truth=0.7)),
        DesignedAttribute(THEFT, Forced(p_truth=0.8)),
        DesignedAttribute(TOWN, Identity()),
        DesignedAttribute(AGE, Additive(half_width=9)),
    )
    study = Study(
        "Survey", design=Design(listed), goals={"belief": 0.6, "points": 5.0},
        settings=StudySettings(respondents=500),
    )  # fmt: skip
    study = study.with_choice("drug", PriorChoice("drawn", (8.0, 2.0)))
    return study.with_choice("theft", PriorChoice("drawn", (65.0, 35.0)))


@pytest.fixture
def page(qtbot, workbench):
    workbench.store.open(questionnaire())
    page = take_page(qtbot, workbench, DesignPage)
    page.resize(1290, 690)
    page.show()
    page.show_sub_page("plan")
    return page


@pytest.fixture
def plan(page):
    return page.views.currentWidget()


def cell(plan, row, column):
    model = plan.questions.model
    return model.data(model.index(row, column))


def type_limit(qtbot, plan, row, column, words):
    """Put the cursor into a cell and type."""
    table = plan.questions.table
    table.setCurrentIndex(table.model().index(row, column))
    qtbot.keyClick(table, Qt.Key.Key_F2)
    field = table.findChild(QLineEdit, "limitField")
    field.selectAll()
    qtbot.keyClicks(field, words)
    qtbot.keyClick(field, Qt.Key.Key_Return)
    # Qt takes over what was typed after the key, and deletes the field still later.
    let_go()


def let_go():
    """Let a dialog that is done be deleted, as the event loop does."""
    QApplication.processEvents()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def test_that_every_question_has_a_light_in_words(plan):
    said = [cell(plan, row, PLAN) for row in range(4)]
    assert said[0] == "needs 646 people"
    assert said[1].startswith("breaks: belief 82.9")
    assert cell(plan, 0, NEEDED) == "646"
    assert cell(plan, 0, BELIEF) == "60\u202f%"
    assert cell(plan, 0, EPSILON) == "–"
    # Numbers have no belief, and a half-width of their range.
    assert (cell(plan, 3, BELIEF), cell(plan, 3, ACCURACY)) == ("", "± 5\u202f%")
    assert plan.people.words.text() == str(plan.view.sentence)
    assert "theft" in plan.people.notices.text()


def test_that_the_slider_moves_n_in_one_undo_step(plan, page, qtbot):
    slider = plan.people.slider.slider
    before = page.store.study.settings.respondents
    qtbot.mousePress(slider, LEFT, pos=QPoint(slider.width() // 2, slider.height() // 2))
    slider.sliderPressed.emit()
    for position in (600, 700, 800):
        slider.setValue(position)
    slider.sliderReleased.emit()
    qtbot.mouseRelease(slider, LEFT)
    n = page.store.study.settings.respondents
    assert n > 10 * before
    assert cell(plan, 0, PLAN) == "meets all limits"
    assert f"{n:,} are enough" in plan.people.words.text()
    while page.store.undo_stack.canUndo():
        page.store.undo_stack.undo()
    assert page.store.study.settings.respondents == before
    assert plan.people.slider.value == before


def test_that_the_needed_n_can_be_taken(plan, page, qtbot):
    needed = plan.view.plan.respondents
    qtbot.mouseClick(plan.people.take, LEFT)
    assert page.store.study.settings.respondents == needed
    assert not plan.people.take.isVisible()


def test_that_one_total_says_how_many_to_invite(plan, page, qtbot):
    people = plan.people
    needed = int(plan.view.plan.respondents)
    assert people.total.text() == f"{needed:,} answers are enough for every question."
    people.rate.setValue(40)
    people.skipped.setValue(10)
    choices = page.store.study.plan
    assert (choices.response_rate, choices.skipped) == (0.4, 0.1)
    total = plan.view.total
    assert total.answers == -(-needed * 10 // 9)
    assert f"at 40\u202f% response invite {int(total.invitations):,}." in people.total.text()
    page.store.undo_stack.undo()
    page.store.undo_stack.undo()
    assert page.store.study.plan.response_rate == 1
    assert people.rate.value() == 100


def test_that_a_question_has_its_own_share_of_skips(plan, page, qtbot, workbench):
    plan.people.skipped.setValue(10)
    assert [cell(plan, row, SKIPS) for row in range(4)] == ["10\u202f%"] * 4
    type_limit(qtbot, plan, 0, SKIPS, "50")
    assert page.store.study.plan.own["drug"] == {"skipped": 0.5}
    assert cell(plan, 0, SKIPS) == "50\u202f%"
    # The needed answers stay; so many more people are asked, and the page takes that number.
    assert cell(plan, 0, NEEDED) == "1,292"
    assert plan.view.total.needed["drug"] == 2 * 646
    model = plan.questions.model
    tip = model.data(model.index(0, NEEDED), Qt.ItemDataRole.ToolTipRole)
    assert "646 answers, and 50\u202f% skips." in tip
    assert "This question decides." in tip
    words = plan.people.words.text()
    assert words.startswith("You need 1,292 respondents, expected skips included ")
    assert plan.people.take.text() == "Take n = 1,292"
    assert plan.people.total.text().startswith("1,292 answers")
    said = []
    workbench.toast_requested.connect(lambda words, _: said.append(words))
    type_limit(qtbot, plan, 0, SKIPS, "96")
    assert "is not a share of skipped answers" in said[0]
    kept = page.store.study.plan.to_json()
    assert PlanChoices.from_json(kept).skip_of("drug") == 0.5
    type_limit(qtbot, plan, 0, SKIPS, "-")
    assert cell(plan, 0, SKIPS) == "10\u202f%"
    page.store.undo_stack.undo()
    assert cell(plan, 0, SKIPS) == "50\u202f%"


def test_that_a_limit_is_typed_in_its_cell_and_reset(plan, page, qtbot):
    type_limit(qtbot, plan, 1, BELIEF, "85")
    assert page.store.study.plan.own["theft"] == {"belief": 0.85}
    assert cell(plan, 1, BELIEF) == "85\u202f%"
    assert not cell(plan, 1, PLAN).startswith("breaks")
    type_limit(qtbot, plan, 1, EPSILON, "1.5")
    assert "epsilon" in cell(plan, 1, PLAN)
    type_limit(qtbot, plan, 1, EPSILON, "-")
    assert page.store.study.plan.own["theft"]["epsilon"] is None
    # Delete resets the cell of the cursor.
    table = plan.questions.table
    table.setCurrentIndex(table.model().index(1, BELIEF))
    qtbot.keyClick(table, Qt.Key.Key_Delete)
    assert page.store.study.plan.own["theft"] == {"epsilon": None}
    menu = plan.questions.make_menu(table.currentIndex())
    next(one for one in menu.actions() if one.text().startswith("Reset all")).trigger()
    menu.deleteLater()
    assert not page.store.study.plan.own
    page.store.undo_stack.undo()
    assert "theft" in page.store.study.plan.own


def test_that_an_impossible_limit_is_refused_in_words(plan, page, qtbot, workbench):
    said = []
    workbench.toast_requested.connect(lambda words, _: said.append(words))
    for words in ("much", "0", "100 %"):
        type_limit(qtbot, plan, 0, BELIEF, words)
    assert len(said) == 3
    assert all("is not a share" in one for one in said)
    assert not page.store.study.plan.own
    assert cell(plan, 0, BELIEF) == "60\u202f%"


def test_that_limits_of_all_questions_are_the_goals(plan, page, qtbot):
    limits = plan.limits
    limits.belief.setValue(70)
    limits.points.setValue(4)
    assert page.store.study.goals["belief"] == 0.7
    assert page.store.study.goals["points"] == 4
    assert cell(plan, 0, BELIEF) == "70\u202f%"
    limits.epsilon.setValue(1.2)
    assert page.store.study.plan.has_epsilon
    assert page.store.study.goals["epsilon"] == 1.2
    assert cell(plan, 0, EPSILON) == "1.2"
    limits.epsilon.setValue(0)
    assert cell(plan, 0, EPSILON) == "–"
    page.show_sub_page("questions")
    assert page.goal.points.value() == 4


def test_that_power_counts_against_a_value_or_between_groups(plan, page, qtbot):
    limits = plan.limits
    limits.aim.choose("power")
    limits.against.setValue(15)
    assert plan.view.settings.test.against == 0.15
    heads = [column.title for column in plan.questions.model.columns]
    assert heads[4:6] == ["Power ≥", "Against"]
    assert limits.against.isVisible()
    assert not limits.points.isVisible()
    assert plan.view.row("drug").found.respondents > 1000
    qtbot.keyClick(limits.test, Qt.Key.Key_Down)
    limits.test.activated.emit(1)
    assert page.store.study.plan.test == "difference"
    assert limits.first.isVisible()
    # A power below the level of the test is refused, and shown as it was.
    limits.alpha.setValue(50)
    limits.power.setValue(30)
    assert page.store.study.plan.power == 0.8
    assert limits.power.value() == 80


def test_that_solving_shows_what_changes_and_is_one_step(plan, page, qtbot):
    hands = DialogHands(qtbot)
    for accepted in (False, True):
        qtbot.mouseClick(plan.people.solve, LEFT)
        dialog = hands.front(SolveDialog)
        assert dialog.table.texts()[0][:2] == ["solved", "parameter"]
        assert {row[0] for row in dialog.table.texts()[1:]} == {"drug", "theft"}
        said = "Questions that change: 2 (weaker protection: 1, stronger protection: 1)."
        assert said in dialog.summary.text()
        before = page.store.study
        steps = page.store.undo_stack.count()
        if accepted:
            qtbot.mouseClick(dialog.apply, LEFT)
        else:
            hands.cancel()
        let_go()
        assert (page.store.study is before) is not accepted
    assert page.store.undo_stack.count() == steps + 1
    truth = page.store.study.design["drug"].perturbation.p_truth
    assert truth == pytest.approx(0.714286, abs=1e-6)
    assert cell(plan, 1, PLAN).startswith("needs 1,692 people")
    page.store.undo_stack.undo()
    assert page.store.study.design["drug"].perturbation.p_truth == 0.7


def test_that_what_solving_would_change_is_copied_as_a_script(plan, page, qtbot):
    hands = DialogHands(qtbot)
    before = page.store.study
    qtbot.mouseClick(plan.people.solve, LEFT)
    dialog = hands.front(SolveDialog)
    qtbot.mouseClick(dialog.script, LEFT)
    qtbot.waitUntil(lambda: QApplication.activePopupWidget() is not None)
    menu = QApplication.activePopupWidget()
    qtbot.mouseClick(menu, LEFT, pos=menu.actionGeometry(menu.actions()[0]).center())
    told = QGuiApplication.clipboard().text()
    assert "found = pp.plan(" in told
    assert "solve=True" in told
    assert "belief=" in told
    hands.cancel()
    let_go()
    assert page.store.study is before


def test_that_a_question_without_solution_says_what_it_reaches(plan, page, qtbot):
    hands = DialogHands(qtbot)
    type_limit(qtbot, plan, 1, BELIEF, "30 %")
    qtbot.mouseClick(plan.people.solve, LEFT)
    dialog = hands.front(SolveDialog)
    assert "theft: no" in dialog.reasons.text()
    assert "it reaches belief from" in dialog.reasons.text()
    qtbot.mouseClick(dialog.apply, LEFT)
    let_go()
    assert page.store.study.design["theft"].perturbation.p_truth == 0.8


def test_that_costs_turn_the_break_even_into_a_budget(plan, page, qtbot):
    page.store.select(["drug"])
    assert "respondents on" in plan.costs.words.text()
    assert not plan.costs.budget.isEnabled()
    plan.costs.direct.setValue(20)
    plan.costs.randomised.setValue(30)
    assert "budget of" in plan.costs.words.text()
    plan.costs.budget.setValue(6000)
    assert "pays for 200" in plan.people.notices.text()
    assert "for the same money" in plan.costs.reading.text()
    rows = plan.costs.plot.rows()
    assert rows[0][:3] == [
        "budget in the currency of the costs",
        "This design",
        "Direct question",
    ]
    assert len(rows) > 50
    plan.costs.effect.setValue(2)
    assert page.store.study.plan.design_effect == 2
    # Choosing a number leaves nothing to compare.
    page.store.select(["age"])
    assert plan.costs.nothing.isVisible()


def test_that_a_chosen_row_is_the_current_attribute(plan, page, qtbot):
    table = plan.questions.table
    place = table.visualRect(table.model().index(1, 0)).center()
    qtbot.mouseClick(table.viewport(), LEFT, pos=place)
    assert page.store.current == "theft"
    assert plan.costs.hint_label.words() == "theft"
    qtbot.mouseDClick(table.viewport(), LEFT, pos=place)
    assert page.sub_page == "questions"
    assert page.store.current == "theft"


def test_that_the_copied_command_prints_the_same_numbers(
    plan, page, qtbot, tmp_path, monkeypatch, capsys
):
    type_limit(qtbot, plan, 1, BELIEF, "75")
    plan.costs.direct.setValue(20)
    plan.costs.randomised.setValue(30)
    qtbot.mouseClick(plan.people.command, LEFT)
    command = shlex.split(QGuiApplication.clipboard().text())
    monkeypatch.chdir(tmp_path)
    write_design(page.store.study.design, command[command.index("--design") + 1])
    assert cli.main([*command[1:], "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    shown = json.loads(json.dumps(plan.view.plan.to_json()))
    for one in told["attributes"].values():
        one.pop("compare", None)
    assert told["attributes"] == shown["attributes"]
    assert told["budget"] == shown["budget"]


def test_that_the_report_has_the_plan(plan, page):
    report = build_report(page.store.study)
    section = next(one for one in report.attachments if one.title == "Plan")
    grid = next(block for block in section.blocks if hasattr(block, "rows"))
    assert [row[0] for row in grid.rows] == ["drug", "theft", "town", "age"]
    assert "646" in grid.rows[0]
    plan.people.skipped.setValue(50)
    report = build_report(page.store.study)
    section = next(one for one in report.attachments if one.title == "Plan")
    grid = next(block for block in section.blocks if hasattr(block, "rows"))
    assert "1,292" in grid.rows[0]
    assert "respondents, expected skips included" in section.blocks[0].text
    untouched = page.store.study.with_(goals={}, plan=type(page.store.study.plan)())
    assert "Plan" not in [one.title for one in build_report(untouched).attachments]


def test_that_a_narrow_window_shows_one_column_at_a_time(plan, page, qtbot):
    page.resize(1000, 640)
    assert plan.parts.isVisible()
    assert plan.questions.isVisible()
    assert not plan.costs.isVisible()
    plan.parts.choose("costs")
    assert plan.costs.isVisible()
    assert not plan.questions.isVisible()
    page.resize(1290, 690)
    assert plan.costs.isVisible()
    assert plan.questions.isVisible()


def test_that_forty_questions_follow_a_slider(qtbot, workbench):
    asked = [DRUG.with_(name=f"q{place}") for place in range(40)]
    design = Design(tuple(DesignedAttribute(one, Forced(p_truth=0.7)) for one in asked))
    workbench.store.open(Study("many", design=design))
    page = take_page(qtbot, workbench, DesignPage)
    page.resize(1290, 690)
    page.show()
    page.show_sub_page("plan")
    plan = page.views.currentWidget()
    assert plan.questions.model.rowCount() == 40
    slider = plan.people.findChild(QSlider, "planNSlider")
    for position in range(300, 700, 100):
        slider.setValue(position)
        plan.repaint()
    assert PlanBuilder().build(workbench.store.study).plan.n == plan.view.plan.n
