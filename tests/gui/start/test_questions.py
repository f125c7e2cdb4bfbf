"""Questions without data, typed on the start screen."""

from __future__ import annotations

import pytest
from layout_check.tabbed import tab_walk, unreached
from PySide6.QtTest import QTest
from window_hands import LEFT

from ppworkbench.core.data.attribute import Kind
from ppworkbench.gui.dialogs import show_dialog
from ppworkbench.gui.pages.start.questions_dialog import QuestionsDialog


@pytest.fixture
def dialog(workbench, qtbot):
    made = QuestionsDialog(workbench)
    qtbot.addWidget(made)
    made.show()
    return made


def test_that_the_examples_make_a_study_at_once(dialog, qtbot):
    qtbot.mouseClick(dialog.start_button, LEFT)
    assert dialog.result() == 1
    assert len(dialog.study.design.names) == 3
    assert dialog.problem.text() == ""


def test_that_questions_are_added_typed_and_removed(dialog, qtbot):
    dialog.table.selectAll()
    qtbot.mouseClick(dialog.remove_button, LEFT)
    assert dialog.table.rowCount() == 0
    qtbot.mouseClick(dialog.add_button, LEFT)
    dialog.table.item(0, 0).setText("Do you smoke?")
    [question] = dialog.questions()
    assert (question.name, question.kind) == ("Do you smoke?", Kind.BINARY)
    kinds = dialog.table.cellWidget(0, 1)
    kinds.setCurrentIndex(kinds.findData(Kind.INTEGER))
    dialog.table.item(0, 2).setText("0 to 40")
    qtbot.mouseClick(dialog.start_button, LEFT)
    assert dialog.study.design["Do you smoke?"].attribute.domain == (0, 40)


@pytest.mark.parametrize(
    ("name", "answers", "said"),
    [
        ("", "no, yes", "no name"),
        ("Smoker", "no", "fewer than 2 answers"),
        ("Age", "no, yes", "Two questions are called “Age”"),
    ],
)
def test_that_a_bad_question_is_explained_and_the_dialog_stays(dialog, qtbot, name, answers, said):
    dialog.add_question(name, Kind.BINARY, answers)
    qtbot.mouseClick(dialog.start_button, LEFT)
    assert dialog.isVisible()
    assert said in dialog.problem.text()


def test_that_a_dialog_without_questions_says_so(dialog, qtbot):
    dialog.table.setRowCount(0)
    qtbot.mouseClick(dialog.start_button, LEFT)
    assert dialog.isVisible()
    assert "No questions yet" in dialog.problem.text()


@pytest.mark.slow
def test_that_the_card_opens_the_dialog_and_its_study(window, start, qtbot, dialogs):
    qtbot.mouseClick(start.questionnaire.first, LEFT)
    qtbot.mouseClick(dialogs.front(QuestionsDialog).start_button, LEFT)
    assert window.current == "design"
    assert window.store.study.table is None
    assert window.store.is_modified


@pytest.mark.slow
def test_that_a_cancelled_dialog_changes_nothing(window, start, qtbot, dialogs):
    for _ in range(2):
        qtbot.mouseClick(start.questionnaire.first, LEFT)
        dialogs.cancel()
    assert window.current == "start"
    assert window.store.study.is_empty


def test_that_tab_reaches_both_buttons_and_enter_presses_the_filled_one(workbench, qtbot):
    dialog = QuestionsDialog(workbench)
    qtbot.addWidget(dialog)
    show_dialog(dialog, themes=workbench.themes)
    dialog.activateWindow()
    assert QTest.qWaitForWindowActive(dialog)
    assert list(unreached(dialog, tab_walk(dialog))) == []
    assert dialog.start_button.isDefault()
